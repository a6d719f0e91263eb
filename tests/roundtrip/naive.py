"""Computes the totals that views must show from all events of each location: it lists intervals of time and measures them.

docs/TREE.md describes the views, and the comment "Frames." in libxtf/aggregates.h defines time by region. The code here is simple and
shares nothing with the C code. `expected.py` makes the records from otf2-print's lines, and every query visits all records. Windows are
[a, b), in ticks. A region's key is its name, file and line.
"""

import bisect
import math
import re
from collections import Counter, defaultdict

from selections import OPEN

# Region of the time before a LEAVE without ENTER.
BEFORE = "(unmatched LEAVE)"

SENDS = ("MPI_SEND", "MPI_ISEND")
RECVS = ("MPI_RECV", "MPI_IRECV")
WRAP = 2**64
# Value of a field that the event lacks, though other events of its record type have it.
NONE = 2**64 - 1


def overlap(begin, end, a, b):
    """Returns the number of ticks that two intervals have in common."""
    return max(min(end, b) - max(begin, a), 0)


class Frame:
    """A call, from its ENTER to the row that ended it. It is "left" by its own LEAVE, "cut" by the end of another call, or "open" for ever."""

    __slots__ = ("row", "region", "begin", "end", "end_row", "ending", "parent", "depth", "exclusive")

    def __init__(self, row, region, begin, parent):
        self.row = row
        self.region = region
        self.begin = begin
        self.parent = parent
        self.depth = parent.depth + 1 if parent else 1
        self.exclusive = 0
        self.end = self.end_row = self.ending = None

    def finish(self, row, time, ending):
        self.end_row, self.end, self.ending = row, time, ending


class Location:
    """Intervals in which each region was on top of a location's stack (`tops`), and in which it was open (`opens`)."""

    def __init__(self, number, proc, thread, records):
        self.number = number
        self.proc = proc
        self.thread = thread
        self.records = records
        self.calls = [record for record in records if record.type == "enters_leaves"]
        self.first = records[0].time if records else 0
        self.last = records[-1].time if records else 0
        self.frames = []
        self.tops = []
        self.opens = []
        self.stack = []
        self.depth = 0 # of the deepest stack
        self.walk()

    def walk(self):
        """Adds the interval before each row. The interval has the stack before the row."""
        previous = self.first
        for row, record in enumerate(self.calls):
            orphan = record.label == "LEAVE" and record.enter == 0
            if self.stack:
                self.charge(previous, record.time, self.stack[-1].region)
                self.stack[-1].exclusive += record.time - previous
            elif orphan:
                self.charge(previous, record.time, BEFORE)
            if record.label == "ENTER":
                self.end_above(row - record.enter if record.enter else None, row, record.time, "cut")
                parent = self.stack[-1] if self.stack else None
                self.stack.append(Frame(row, record.region, record.time, parent))
                self.frames.append(self.stack[-1])
                self.depth = max(self.depth, len(self.stack))
            elif not orphan:
                self.end_above(row - record.enter, row, record.time, "cut")
                self.stack.pop().finish(row, record.time, "left")
            previous = record.time
        if self.stack:
            self.charge(previous, self.last, self.stack[-1].region)
            self.stack[-1].exclusive += self.last - previous
        self.end_above(None, len(self.calls), self.last, "open")
        self.join_opens()

    def charge(self, begin, end, region):
        if begin < end:
            self.tops.append((begin, end, region))
            if region == BEFORE:
                self.opens.append((begin, end, region))

    def end_above(self, row, by, time, ending):
        """Ends all frames above the frame of a row, at row `by`. If the row has no open frame, ends all frames."""
        while self.stack and self.stack[-1].row != row:
            self.stack.pop().finish(by, time, ending)

    def join_opens(self):
        """Joins intervals: a region is open while any of its frames is open, so recursion does not count twice."""
        of_region = defaultdict(list)
        for frame in self.frames: # by begin
            spans = of_region[frame.region]
            if spans and frame.begin <= spans[-1][1]:
                spans[-1][1] = max(spans[-1][1], frame.end)
            else:
                spans.append([frame.begin, frame.end])
        for region, spans in of_region.items():
            self.opens += [(begin, end, region) for begin, end in spans]

    def profile(self, a, b, profile):
        """Adds to {region: [calls, inclusive, exclusive]}."""
        for record in self.calls:
            if a <= record.time < b and record.label == "ENTER":
                profile[record.region][0] += 1
        for begin, end, region in self.opens:
            profile[region][1] += overlap(begin, end, a, b)
        for begin, end, region in self.tops:
            profile[region][2] += overlap(begin, end, a, b)

    def stack_at(self, a):
        """Returns the frames open before all records with a time of a or later, outermost first. No frame outlives the last record."""
        return [frame for frame in self.frames if frame.begin < a <= frame.end]

    def stack_at_end(self):
        """Returns the frames that are never left, outermost first."""
        return [frame for frame in self.frames if frame.ending == "open"]


class Naive:
    """A trace. `threads` is {location: (proc, thread)}."""

    def __init__(self, expected, threads):
        self.expected = expected
        self.threads = threads
        self.locations = [Location(number, *threads[number], expected.locations.get(number, []))
                          for number in sorted(threads, key=threads.get)]
        self.procs = sorted({proc for proc, _ in threads.values()})
        self.groups = Groups(expected)
        self.known = {}

    def selected(self, selection):
        """Returns the selected locations by process and thread."""
        return [location for location in self.locations if selection.takes_location(location)]

    def records(self, selection):
        """Returns [(location, record)] of all selected records."""
        if selection not in self.known:
            begin, end = selection.a, math.inf if selection.b is OPEN else selection.b
            self.known = {selection: [
                (location, record) for location in self.selected(selection) for record in location.records
                if begin <= record.time < end and selection.takes(self, location, record)]}
        return self.known[selection]

    def profile(self, locations, a, b):
        profile = defaultdict(lambda: [0, 0, 0])
        for location in locations:
            location.profile(a, b, profile)
        return profile

    def measured(self, locations, a, b):
        """Returns 100% of a profile: the part of the window between the first and last record, summed over locations with calls."""
        return sum(overlap(location.first, location.last, a, b) for location in locations if location.calls)

    def by_process(self, locations, a, b):
        """Returns {region: {proc: exclusive}} without processes that have no exclusive time."""
        times = defaultdict(Counter)
        for location in locations:
            for region, (_, _, exclusive) in self.profile([location], a, b).items():
                times[region][location.proc] += exclusive
        return times

    def peer(self, location, record):
        """Returns the process that is a record's peer, or None if the record has no peer or its process is unknown."""
        rank, target = record.event.values().get("peer", (None, None))
        if rank is None:
            return None
        comm = record.event.values().get("comm")
        if comm in self.groups.between and location.number not in self.expected.world:
            return self.groups.process_between(self, comm, location.proc, rank)
        return self.threads[target][0] if target in self.threads else None

    def matrix(self, selection, names):
        """Returns {(own process, peer): [messages, bytes]} of the selected records of these events."""
        matrix = defaultdict(lambda: [0, 0])
        for location, record in self.records(selection):
            if record.event.name in names:
                peer = self.peer(location, record)
                if peer is not None:
                    add_message(matrix[location.proc, peer], record)
        return matrix

    def moved(self, selection):
        """Returns {proc: [messages sent, bytes, received, bytes, collectives, bytes sent, received]}."""
        moved = {proc: [0] * 7 for proc in self.procs}
        for location, record in self.records(selection):
            row = moved[location.proc]
            name = record.event.name
            if name in SENDS:
                row[0], row[1] = row[0] + 1, row[1] + record.event.values()["bytes"]
            elif name in RECVS:
                row[2], row[3] = row[2] + 1, row[3] + record.event.values()["bytes"]
            elif name in COLLECTIVES:
                row[4] += 1
                for at, field in ((5, "bytes"), (6, "received")):
                    amount = record.event.values()[field]
                    row[at] += 0 if amount == NONE else amount
        return {proc: [number % WRAP for number in row] for proc, row in moved.items()}

    def histogram(self, selection, bounds):
        """Counts for each slice: records, ENTERs, messages sent, bytes, received, bytes."""
        slices = [[0] * 6 for _ in bounds[1:]]
        for _, record in self.records(selection):
            row = slices[slice_of(bounds, record.time)]
            name = record.label
            row[0] += 1
            row[1] += name == "ENTER"
            if name in SENDS or name in RECVS:
                at = 2 if name in SENDS else 4
                row[at] += 1
                row[at + 1] = (row[at + 1] + record.event.values()["bytes"]) % WRAP
        return slices

    def values(self, selection, bounds):
        """Returns {(metric's id, slice): [(location's number, value)]}, in the order of time, location and record."""
        values = defaultdict(list)
        found = sorted((record.time, location.number, record.seq, record) for location, record in
                       self.records(selection) if record.event.name == "METRIC")
        for time, location, _, record in found:
            for metric, value_type, text in record.event.values()["values"]:
                number = float(text) if value_type == "DOUBLE" else int(text)
                values[metric, slice_of(bounds, time)].append((location, number))
        return values

    def modes(self):
        """Returns {metric's id: ACCUMULATED, ABSOLUTE or RELATIVE}."""
        return {number: re.search(r"Mode: ([A-Z]+)", text)[1]
                for number, text in reversed(self.expected.definitions.get("METRIC_MEMBER", []))}

    def growths(self):
        """Returns [(location, record, metric's id, value type, growth)] of all values of metrics, with 0 for no growth."""
        modes, found = self.modes(), []
        for location in self.locations:
            before = {}
            for record in location.records:
                values = record.event.values()["values"] if record.event.name == "METRIC" else []
                for i, (metric, value_type, text) in enumerate(values):
                    number = float(text) if value_type == "DOUBLE" else int(text)
                    series = record.event.values()["metric_class"], i
                    growth = number if modes.get(metric) == "RELATIVE" else 0
                    if modes.get(metric) == "ACCUMULATED":
                        known = series in before and isinstance(before[series], type(number))
                        growth = number - before[series] if known else 0
                        before[series] = number
                    found.append((location, record, metric, value_type, growth))
        return found

    def growth(self, selection, key):
        """Returns {(metric's id, key(record)): growth} of the selected values. Sums of integers are modulo 2^64 for each location."""
        if not hasattr(self, "all_growths"):
            self.all_growths = self.growths()
        a, b = selection.window()
        sums = defaultdict(int)
        for location, record, metric, value_type, grown in self.all_growths:
            if selection.takes_location(location) and a <= record.time < b:
                sums[metric, key(record), location.number, value_type] += grown
        growth = defaultdict(int)
        for (metric, of, *_), grown in sums.items():
            growth[metric, of] += grown if isinstance(grown, float) else (grown + WRAP // 2) % WRAP - WRAP // 2
        return growth


COLLECTIVES = ("MPI_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE")


def add_message(row, record):
    row[0] += 1
    row[1] = (row[1] + record.event.values()["bytes"]) % WRAP


def slices(a, b, n=100):
    """Returns the n + 1 ticks that cut a window into slices."""
    return [a + (b - a) * i // n for i in range(n + 1)]


def slice_of(bounds, time):
    return bisect.bisect_right(bounds, time) - 1


class Groups:
    """Inter-communicators. A peer is a rank in the group without the record's process. For other threads of the process otf2-print does not
    show the group."""

    def __init__(self, expected):
        members = {number: [int(n) for n in re.findall(r"(\d+) \(", text.split("Member", 1)[1])]
                   for number, text in expected.definitions.get("GROUP", []) if "Type: COMM_GROUP" in text}
        self.between = {}
        for number, text in expected.definitions.get("INTER_COMM", []):
            groups = [int(n) for n in re.findall(r"Group [AB]: .*?<(\d+)>", text, re.S)]
            self.between[number] = [members.get(group, []) for group in groups]

    def process_between(self, naive, comm, proc, rank):
        """Returns the process of a rank. Ranks in groups are ranks in MPI's world, which are the processes' numbers."""
        group, remote = self.between[comm]
        peers = remote if proc in group or proc not in remote else group
        return peers[rank] if rank < len(peers) else None
