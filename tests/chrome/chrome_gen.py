"""Makes random files of Chrome's trace events: a list of events, in any order, and its text."""

import json

NAMES = ["main", "solve", "a b", "MPI_Send", "quo\"ted", "\u00fcber", "\U0001f600"]


def time_of(random, ns):
    """Returns nanoseconds as a text of microseconds, written in one of several ways."""
    text = f"{ns // 1000}.{ns % 1000:03}"
    ways = [text, text.rstrip("0") + ("0" if text.endswith(".000") else ""), f"{ns}e-3", f'"{text}"', text + "000"]
    return random.choice(ways)


def arguments(random):
    values = [random.randrange(-9, 9), random.randrange(1 << 40), random.random(), "text", True, None, [1, {"a": "b"}], 1 << 63]
    return {random.choice("abcdefg"): random.choice(values) for _ in range(random.randrange(4))}


def event(random, place, ns):
    """Returns an event of a place as members with JSON texts."""
    pid, tid, style = place
    phase = random.choice("BBBEEE" if style == "begun" else "BEXXi" if style == "mixed" else "XXXXX" if style == "slices" else "CiIRbne")
    members = {"ph": json.dumps(phase), "pid": json.dumps(pid), "tid": json.dumps(tid), "ts": time_of(random, ns)}
    if phase != "E":
        members["name"] = json.dumps(random.choice(NAMES), ensure_ascii=random.random() < 0.5)
    if phase == "X":
        members["dur"] = time_of(random, random.choice([0, 1, 999, random.randrange(100000)]))
    if phase in "bne":
        members.update(id=json.dumps(hex(random.randrange(1 << 64))), cat='"net"')
    if phase == "C":
        members["args"] = json.dumps({key: random.choice([random.randrange(-9, 99), random.random()]) for key in ["value", "used", "free"][:random.randrange(1, 4)]})
    elif phase == "i":
        members["s"] = json.dumps(random.choice("gpt"))
    if phase in "BX" and random.random() < 0.5:
        members["args"] = json.dumps(arguments(random))
    return members


def flow(random, places, number):
    """Returns the events of a flow of one or two steps."""
    steps = ["s", "f"] if random.random() < 0.7 else ["s", "t", "f"]
    times = sorted(random.sample(range(1000000), len(steps)))
    if len(steps) == 2 and random.random() < 0.1: # clocks disagree
        times.reverse()
    elif random.random() < 0.2: # the first two at one time
        times[1] = times[0]
    number, kind = divmod(number, 3) # flows of several scopes have one id
    scope = {"id": json.dumps(number)} if kind == 0 else {"id2": f'{{"global":"{number:#x}"}}', "scope": '"a"'}
    if kind == 2: # an id of one process
        pids = sorted({place[0] for place in places}, key=str)
        places = [place for place in places if place[0] == pids[number % len(pids)]]
        scope = {"id2": f'{{"local":"{number // len(pids):#x}"}}'}
    return [{"ph": json.dumps(phase), "pid": json.dumps(place[0]), "tid": json.dumps(place[1]), "ts": time_of(random, ns), **scope,
             "name": '"flow"', "cat": '"c"'} for phase, ns, place in zip(steps, times, random.choices(places, k=len(steps)))]


def names(places):
    for pid, tid, style in places:
        yield {"ph": '"M"', "name": '"process_name"', "pid": json.dumps(pid), "args": json.dumps({"name": f"process <{pid}>"})}
        yield {"ph": '"M"', "name": '"thread_name"', "pid": json.dumps(pid), "tid": json.dumps(tid), "args": json.dumps({"name": style})}


def make(random, n, span=1000000):
    """Returns the texts of events."""
    pids = random.sample(range(1, 5000), 2) + ["GPU 0"]
    places = [(pid, tid, style) for pid in pids for tid, style in ((1, "begun"), (77, "slices"), (78, "mixed"), ("stream 7", "others"))]
    events = [event(random, place, random.randrange(span)) for place in places for _ in range(n // len(places))]
    events += [step for number in range(n // 20) for step in flow(random, places, number)] + list(names(places))
    random.shuffle(events)
    texts = []
    for members in events:
        items = list(members.items())
        random.shuffle(items)
        space = random.choice(["", " ", "\n\t"])
        texts.append("{" + ("," + space).join(f"\"{key}\":{space}{value}" for key, value in items) + "}")
    return texts


def document(random, texts):
    """Returns the bytes of a file."""
    array = "[" + ",\n".join(texts) + "]"
    if random.random() < 0.5:
        return array.encode()
    extra = '"displayTimeUnit": "ns", "otherData": {"host": "a", "n": 3}'
    return (f'{{"traceEvents": {array}, {extra}}}' if random.random() < 0.5 else f'{{{extra}, "traceEvents": {array}}}').encode()
