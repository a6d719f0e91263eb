"""Reads Chrome's trace events naively: the whole file by Python's json. The judge of the importer.

read(text) returns a Run: the records that a trace must have, by rules of docs/CHROME.md.
"""

import collections
import decimal
import gzip
import itertools
import json

MICROSECOND = decimal.Decimal(1000)
PLAIN, SLICES, AFTER_SLICES = range(3)

Run = collections.namedtuple("Run", "calls messages counters markers activities arguments names")


def nanoseconds(value):
    return int((decimal.Decimal(str(value)) * MICROSECOND).to_integral_value(decimal.ROUND_HALF_UP))


def load(data):
    """Returns the events of a file's bytes."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    document = json.loads(data, parse_float=decimal.Decimal)
    return document["traceEvents"] if isinstance(document, dict) else document


def in_order(events):
    """Returns the events with times by place, each list in the order of its records."""
    places = collections.defaultdict(list)
    sliced = {(event.get("pid", 0), event.get("tid", 0)) for event in events if event["ph"] == "X"}
    for number, event in enumerate(events):
        if event["ph"] == "M":
            continue
        place = event.get("pid", 0), event.get("tid", 0)
        time = nanoseconds(event["ts"])
        if event["ph"] == "X":
            order = SLICES, -nanoseconds(event.get("dur", 0)), number
        elif event["ph"] in "BE":
            order = PLAIN, number, 0
        else:
            order = AFTER_SLICES if place in sliced else PLAIN, number, 0
        places[place].append((time, order, event))
    for place, rows in places.items():
        rows.sort(key=lambda row: row[:2])
        if place in sliced:
            nest_calls(rows)
    return places


def nest_calls(rows):
    """At each time, puts B and X in order, after the last E at that time: the one that ends later is outside."""
    ends, begun = {}, []
    for time, _order, event in rows:
        if event["ph"] == "B":
            begun.append(id(event))
        elif event["ph"] == "E" and begun:
            ends[begun.pop()] = time
    for time, group in [(time, list(group)) for time, group in itertools.groupby(rows, lambda row: row[0])]:
        first = rows.index(group[0])
        last_end = max((i for i, row in enumerate(group) if row[2]["ph"] == "E"), default=-1)
        calls = [row for row in group[last_end + 1:] if row[2]["ph"] in "BX"]
        calls.sort(key=lambda row: (-(time + max(nanoseconds(row[2].get("dur", 0)), 0) if row[2]["ph"] == "X" else ends.get(id(row[2]), 1 << 70)), row[2]["ph"]))
        rows[first + last_end + 1:first + last_end + 1 + len(calls)] = calls


class Stack:
    """The open calls of a place. A frame is [name, enter, end or None, arguments at its begin]."""

    def __init__(self, place, calls):
        self.place, self.calls, self.frames, self.swallow = place, calls, [], 0

    def pop(self, time):
        name, enter, _end = self.frames.pop()
        self.calls.append((self.place, enter, time, len(self.frames), name))

    def slices(self):
        return [i for i, frame in enumerate(self.frames) if frame[2] is not None]

    def leave_slice(self, i):
        end = self.frames[i][2]
        while len(self.frames) > i + 1:
            self.pop(end)
            self.swallow += 1
        self.pop(end)

    def advance(self, time):
        while self.slices() and self.frames[self.slices()[-1]][2] <= time:
            self.leave_slice(self.slices()[-1])

    def end(self, time):
        while self.slices():
            i = self.slices()[-1]
            end = self.frames[i][2]
            if end > time or (end == time and i < len(self.frames) - 1):
                break
            self.leave_slice(i)
        if all(frame[2] is not None for frame in self.frames):
            self.swallow = max(self.swallow - 1, 0)
            return
        while self.frames[-1][2] is not None:
            self.pop(time)
        self.pop(time)

    def begin(self, name, time, end=None):
        self.advance(time)
        above = self.slices()
        if end is not None and above:
            end = min(end, self.frames[above[-1]][2])
        self.frames.append([name, time, end])


def pair_flows(events):
    """Returns (sender's place, time, receiver's place, time, tag, bytes) of each message."""
    flows = collections.defaultdict(list)
    for event in events:
        if event["ph"] in "stf":
            local = event.get("local") or "local" in event.get("id2", ())
            key = event["id"] if "id" in event else int(*event["id2"].values(), 16)
            flows[key, event.get("cat", ""), event.get("name", ""), event.get("scope"), event.get("pid", 0) if local else None].append(event)
    messages = []
    for key, steps in flows.items():
        steps.sort(key=lambda event: nanoseconds(event["ts"]))
        if [step["ph"] for step in steps] == ["f", "s"]:
            steps.reverse()
        sender = None
        for i, step in enumerate(steps):
            following = steps[i + 1] if i + 1 < len(steps) else step
            if step["ph"] != "s" and not sender and following["ph"] == "s" and nanoseconds(following["ts"]) == nanoseconds(step["ts"]):
                steps[i], steps[i + 1], step = following, step, following
            if step["ph"] != "s" and sender:
                messages.append((sender, step, key[0]))
            sender = None if step["ph"] == "f" or step["ph"] == "t" and not sender else step
    return [((s.get("pid", 0), s.get("tid", 0)), nanoseconds(s["ts"]), (r.get("pid", 0), r.get("tid", 0)), nanoseconds(r["ts"]), tag)
            for s, r, tag in messages]


def read(data):
    events = load(data)
    run = Run([], pair_flows(events), [], [], [], [], {})
    for place, rows in in_order(events).items():
        stack = Stack(place, run.calls)
        for time, _order, event in rows:
            phase, name = event["ph"], event.get("name", "")
            if phase == "B":
                stack.begin(name, time)
            elif phase == "X":
                stack.begin(name, time, time + max(nanoseconds(event.get("dur", 0)), 0))
            elif phase == "E":
                stack.end(time)
            elif phase == "C":
                run.counters.extend((place, time, name + (f" {key}" if key != "value" else ""), float(value)) for key, value in event["args"].items())
            elif phase in "iIR":
                run.markers.append((place, time, {"g": "TRACE", "p": "PROCESS"}.get(event.get("s"), "THREAD"), name))
            elif phase in "bne":
                run.activities.append((place, time, {"b": "BEGIN", "n": "INSTANT", "e": "END"}[phase], int(event["id"], 16), event.get("cat", ""), name))
            if phase in "BXi":
                run.arguments.extend((place, time, key, value) for key, value in event.get("args", {}).items())
        stack.advance(1 << 62)
    for event in events:
        if event["ph"] == "M" and event["name"] in ("process_name", "thread_name"):
            run.names[event["name"], event["pid"], event.get("tid", 0) if event["name"] == "thread_name" else None] = event["args"]["name"]
    return run
