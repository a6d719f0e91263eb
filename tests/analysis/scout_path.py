"""The critical path as Scalasca 2.6's analyser computes it where a process has many call paths.

The analyser keeps times by call path in a map of 128 entries (fixed_map.hh, timemap_t). When the map is full, a new call path
replaces the entry with the least time if it has more time, and is dropped otherwise. Dropped time is no activity of the process
for the analyser; the process then lacks it compared with the path. Times are doubles of seconds, and rounding decides between
equal ones.
"""

import bisect
import collections

import naive_path

ENTRIES = 128
METRICS = ("critical_path_activities", "non_critical_path_activities", "critical_imbalance_impact")


class Time(collections.namedtuple("Time", "seconds ticks")):
    """A time as the analyser has it, and exact."""

    def __add__(self, addend):
        return Time(self.seconds + addend.seconds, self.ticks + addend.ticks)


NONE = Time(0.0, 0)


class FullMap(dict):
    """{call path: Time} of at most 128 entries."""

    def __init__(self, numbers):
        super().__init__()
        self.numbers, self.newest = numbers, None

    def charge(self, path, time):
        self.settle()
        if path in self or len(self) < ENTRIES:
            self[path] = self.get(path, NONE) + time
        else:
            self.newest = path, time

    def settle(self):
        """Stores the time of the newest call path, which the map holds back until now."""
        if self.newest:
            path, time = self.newest
            least = min(self, key=lambda path: (self[path].seconds, self.numbers[path]))
            if self[least].seconds < time.seconds:
                del self[least]
                self[path] = time
            self.newest = None

    def in_order(self):
        self.settle()
        return sorted(self.items(), key=lambda item: self.numbers[item[0]])


def numbers_of(processes):
    """Returns {call path: number}, in the order in which the processes reach them, one process after the other."""
    numbers = {}
    for process in processes:
        for _, path, _ in process.charges:
            for length in range(1, len(path) + 1):
                numbers.setdefault(path[:length], len(numbers))
    return numbers


def charges_of(process, ticks):
    """Returns [(seq, call path, Time)] of a process, which has a call around all of them."""
    now, charges = process.spans[0][0], []
    for seq, path, amount in process.charges:
        charges.append((seq, path, Time((now + amount) / ticks - now / ticks, amount)))
        now += amount
    return charges


def times_kept(process, numbers, ticks):
    """Returns {call path: ticks} of a process. Its times are split at synchronisations and postings of receives."""
    ends = sorted({*process.points, *(record.seq for record in process.records if record.name == "MPI_IRECV_REQUEST")})
    charges, kept, begin = charges_of(process, ticks), FullMap(numbers), 0
    for end in [*(bisect.bisect_left(charges, (seq,)) for seq in ends), len(charges)]:
        part = FullMap(numbers)
        for _, path, time in charges[begin:end]:
            part.charge(path, time)
        for path, time in part.in_order():
            kept.charge(path, time)
        begin = end
    return {path: time.ticks for path, time in kept.in_order()}


class Path(naive_path.Path):
    """The path. `left_out` is the number of call paths of processes of which the analyser drops some time."""

    def __init__(self, waits):
        super().__init__(waits)
        numbers = numbers_of(self.processes)
        self.left_out = 0
        for process in self.processes:
            whole = collections.Counter()
            for _, path, ticks in process.charges:
                whole[path] += ticks
            kept = times_kept(process, numbers, waits.ticks)
            for path, ticks in whole.items():
                if kept.get(path, 0) != ticks:
                    self.left_out += 1
                    waited = ticks - self.active[path, process]
                    self.active[path, process] = kept.get(path, 0) - min(kept.get(path, 0), waited)
