"""Selections: the records of a path, and random selections with edges where an error by one is likely."""

import random

# End of an open window.
OPEN = None


def seconds(ticks, ticks_a_second):
    """Returns ticks as a path has them, with just enough digits to be unique."""
    digits = len(str(ticks_a_second))
    text = f"{ticks * 10**digits // ticks_a_second:0{digits + 1}}"
    return f"{text[:-digits]}.{text[-digits:]}".rstrip("0").rstrip(".")


def set_text(numbers, among=()):
    """Returns a set as text: 0-3,5. A range that ends with the first or last number of `among` stays open there."""
    parts, numbers = [], sorted(numbers)
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    def text(first, last):
        if among and last == max(among):
            return f"{first}-"
        if among and first == min(among):
            return f"-{last}"
        return str(first) if first == last else f"{first}-{last}"
    return ",".join(text(first, last) for first, last in parts)


def escaped(name):
    """Returns a region's or communicator's name as a part of a path, or "" if a path must use its number."""
    data = as_bytes(name)
    text = "".join(chr(byte) if 33 <= byte <= 126 and byte not in b"/\\" else f"\\x{byte:02x}" for byte in data)
    return f"\\x{data[0]:02x}{text[1:]}" if text[:1] in (".", "#") else text


def as_bytes(name):
    return name.encode("utf-8", "surrogateescape")


def all_escaped(data):
    """Escapes every byte, so that none has a meaning in a list or pattern."""
    return "".join(f"\\x{byte:02X}" for byte in data)


class Selection:
    """A selection, of everything until it is narrowed. The window is [a, b); `b` may be OPEN."""

    def __init__(self, expected):
        self.expected = expected
        self.parts = []
        self.procs = self.threads = self.type = None
        self.regions = self.peers = self.comms = self.tags = None
        self.calls = False # true: a line is a call, not a record
        self.a, self.b = expected.origin, OPEN

    def path(self, view=""):
        return "/" + "/".join([*self.parts, view])

    def shuffled(self, rng):
        """Shuffles the parts of the path, whose order does not matter."""
        rng.shuffle(self.parts)
        return self

    def window(self):
        """Returns the window [a, b) within the trace."""
        a = min(max(self.a, self.expected.origin), self.expected.end)
        return a, self.expected.end if self.b is OPEN else min(max(self.b, a), self.expected.end)

    def is_whole_run(self):
        """True if the window has no ends. A window from tick 0 on is the same."""
        return self.b is OPEN and (self.a == 0 or not any(part.startswith(("time/", "at/")) for part in self.parts))

    def in_window(self, a, b):
        def text(tick):
            return seconds(tick - self.expected.origin, self.expected.ticks)
        self.a, self.b = a, b
        self.parts.append(f"time/{text(a)}-{'' if b is OPEN else text(b)}")
        return self

    def at_instant(self, tick):
        self.a = self.b = tick
        self.parts.append(f"at/{seconds(tick - self.expected.origin, self.expected.ticks)}")
        return self

    def in_procs(self, procs, text=None):
        self.procs = procs
        self.parts.append("proc/" + (text or set_text(procs)))
        return self

    def in_threads(self, threads):
        self.threads = threads
        self.parts.append("thread/" + set_text(threads))
        return self

    def in_type(self, record_type):
        self.type = record_type
        self.parts.append(record_type)
        return self

    def in_calls(self):
        self.calls = True
        self.type = "enters_leaves"
        self.parts.append("calls")
        return self

    def in_regions(self, text, regions):
        self.regions = regions if self.regions is None else self.regions & regions
        self.parts.append("region/" + text)
        return self

    def in_classes(self, text, regions):
        self.regions = regions if self.regions is None else self.regions & regions
        self.parts.append("class/" + text)
        return self

    def in_peers(self, procs, text=None):
        self.peers = procs
        self.parts.append("peer/" + (text or set_text(procs)))
        return self

    def in_comms(self, text, ids):
        self.comms = ids
        self.parts.append("comm/" + text)
        return self

    def in_tags(self, tags, text=None):
        self.tags = tags
        self.parts.append("tag/" + (text or set_text(tags)))
        return self

    def narrowed_by_messages(self):
        return not (self.peers is None and self.comms is None and self.tags is None)

    def takes_location(self, location):
        return ((self.procs is None or location.proc in self.procs) and
                (self.threads is None or location.thread in self.threads))

    def takes(self, naive, location, record):
        """True if the selection contains a record of one of its locations."""
        if record.time < self.a or (self.b is not OPEN and record.time >= self.b):
            return False
        if self.type is not None and record.type != self.type:
            return False
        if self.calls and record.label != "ENTER":
            return False
        if self.regions is not None and record.region not in self.regions:
            return False
        if not self.narrowed_by_messages():
            return True
        values = record.event.values()
        return ((self.peers is None or naive.peer(location, record) in self.peers) and
                (self.comms is None or values.get("comm", values.get("team")) in self.comms) and
                (self.tags is None or values.get("tag") in self.tags))


class Chooser:
    """A generator of random windows and sets."""

    def __init__(self, naive, seed):
        self.naive = naive
        self.expected = naive.expected
        self.random = random.Random(seed)
        self.times = {location.number: [record.time for record in location.records]
                      for location in naive.locations if location.records}

    def edge(self):
        """Returns a record's time or a tick beside it. Errors are likely at the begin and end of a location."""
        times = self.times[self.random.choice(sorted(self.times))]
        time = self.random.choice([self.random.choice(times), self.random.choice(times), times[0], times[-1]])
        return max(time + self.random.choice([-1, 0, 0, 1]), self.expected.origin)

    def between(self):
        return self.random.randint(self.expected.origin, self.expected.end)

    def window(self):
        """Returns (a, b), or None for the whole run."""
        origin, end = self.expected.origin, self.expected.end
        if not self.times:
            return None
        edge, rng = self.edge(), self.random
        near = edge + rng.choice([0, 1, 2, 100])
        return rng.choice([
            lambda: None,
            lambda: (edge, edge),
            lambda: (edge, near),
            lambda: (edge, OPEN),
            lambda: (origin, edge),
            lambda: (edge, max(edge, end + rng.choice([-1, 0, 1, end]))),
            lambda: (end + rng.choice([0, 1, end]), OPEN),
            lambda: tuple(sorted((edge, self.between()))),
            lambda: tuple(sorted((self.between(), self.between()))),
            *[lambda: tuple(sorted((edge, self.edge())))] * 6])()

    def subset(self, items):
        items = sorted(items)
        return set(self.random.sample(items, self.random.choice([1, 1, min(2, len(items)), len(items)])))

    def set_text(self, numbers, among):
        return set_text(numbers, among if self.random.random() < 0.5 else ())

    def selection(self, window, procs=None):
        selection = Selection(self.expected)
        if window:
            selection.in_window(*window)
        if procs is not None:
            selection.in_procs(procs, self.set_text(procs, self.naive.procs))
        return selection
