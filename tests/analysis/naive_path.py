"""The naive judge of the critical path, in exact fractions of a tick. Scalasca 2.6 defines the path (CriticalPath.pattern;
Boehme, Wolf, de Supinski, Schulz, Geimer: Scalable critical-path based performance analysis, IPDPS 2012).

The judge follows the path backwards, from the process that entered MPI_Finalize last. On a process the path leads back to the end
of the latest wait. There it moves, at the same time, to the process that was waited for.
"""

import bisect
import collections
from fractions import Fraction

# Kinds of waits at which the path leaves a process. Waits of all kinds of `PASSIVE` are no activity.
MOVING = ("late_sender", "late_receiver", "barrier", "n2n", "12n", "n21")
PASSIVE = MOVING + ("finalize",)

# A wait that ends at `end`, by record `seq`; `to` is the record that was waited for.
Wait = collections.namedtuple("Wait", "end seq to")
# The place behind an ENTER of a process that another process waited for.
Entered = collections.namedtuple("Entered", "proc seq")
Segment = collections.namedtuple("Segment", "process begin end next")


def waits_of(waits, progress=()):
    """Returns {process: [Wait]}, by time. `progress`: waits for late progress."""
    late = {id(record): found[2] for found in waits.collectives for record in found[1]}
    found = {process: [] for process in waits.processes.values()}
    for process, own in found.items():
        begins = [(record.seq, record.time) for record in process.records if record.name == "MPI_COLLECTIVE_BEGIN"]
        for seq, point in process.points.items():
            record, begin = point.record, point.record.call.enter
            if point.kind not in MOVING or not point.wait:
                continue
            if point.kind == "late_sender":
                to = record.other
            elif point.kind == "late_receiver":
                to = record.start.other.start
            else:
                to, begin = late[id(record)], begins[bisect.bisect(begins, (seq,)) - 1][1]
            own.append(Wait(begin + point.wait, seq, to))
        own += [Wait(late.end, late.record.seq, Entered(late.culprit, late.entered + 1)) for late in progress if late.record.proc is process]
        own.sort(key=lambda wait: wait[:2])
    return found


def calls_of(waits, kind):
    """Returns {process: its call of MPI_Init or MPI_Finalize}."""
    return {process: point.record.call for process in waits.processes.values() for point in process.points.values()
            if point.kind == kind}


def segments_of(waits, progress=()):
    """Yields the path's segments, latest first: on `process` from `begin` to `end`. Then the path is on `next`, or ends if that
    is None."""
    waits_by_process, inits, finals = waits_of(waits, progress), calls_of(waits, "init"), calls_of(waits, "finalize")
    ends = {process: call.enter for process, call in finals.items()} or \
        {process: process.time for process in waits.processes.values()}
    process = max(sorted(ends, key=lambda process: process.number), key=ends.get)
    time, seq, following = ends[process], None, None
    while True:
        wait = next((wait for wait in reversed(waits_by_process[process]) if wait.end <= time and (seq is None or wait.seq < seq)), None)
        if wait is None:
            start = inits[process].enter if process in inits else process.spans[0][0]
            yield Segment(process, min(start, time), time, following)
            return
        yield Segment(process, wait.end, time, following)
        process, time, seq, following = wait.to.proc, wait.end, wait.to.seq, process


class Path:
    """`path` and `active` are {(call path, process): ticks}: time on the path, and all time without waits."""

    def __init__(self, waits, progress=()):
        self.segments = list(segments_of(waits, progress))
        self.processes = [process for process in waits.processes.values() if process.spans]
        self.path, self.active = collections.Counter(), collections.Counter()
        # Outermost entry of the judge's call paths, if the trace says when the program ran.
        self.program = next((process.program for process in self.processes if process.program), None)
        for segment in self.segments:
            for path, ticks in segment.process.times_within(segment.begin, segment.end).items():
                self.path[path, segment.process] += ticks
        for process in self.processes:
            waited = collections.Counter()
            for point in process.points.values():
                if point.kind in PASSIVE:
                    waited[point.record.call.path] += point.wait
            for late in progress:
                if late.record.proc is process:
                    waited[late.record.call.path] += late.wait
            for path, ticks in process.times_within(0, process.time).items():
                self.active[path, process] = ticks - min(ticks, waited[path])
        # Time outside of calls is no activity. Where the trace says that the program ran, the program is a call.
        self.callpaths = sorted({path for path, _ in [*self.path, *self.active] if path})

    def on_path(self, path):
        return sum(self.path[path, process] for process in self.processes)

    def length(self):
        return sum(self.on_path(path) for path in self.callpaths)

    def imbalance(self):
        """Returns {call path: ticks}: time on the path beyond the mean of all processes."""
        return {path: max(Fraction(0), self.on_path(path) - Fraction(sum(self.active[path, process] for process in self.processes),
                                                                     len(self.processes)))
                for path in self.callpaths}

    def activities(self):
        """Returns two {(call path, process): ticks}: activity up to the path's length, and activity beyond it."""
        keys = [(path, process) for path in self.callpaths for process in self.processes]
        return ({key: min(self.on_path(key[0]), self.active[key]) for key in keys},
                {key: max(0, self.active[key] - self.on_path(key[0])) for key in keys})

    def costs(self, lacks, waited):
        """Returns costs by (call path, process). Each process's `waited` ticks go to call paths in proportion to the ticks that
        it `lacks` of them. Then they go to processes by their part of the path."""
        costs = collections.defaultdict(Fraction)
        for process in self.processes:
            lacking = {path: lacks(path, process) for path in self.callpaths}
            total = sum(lacking.values())
            for path, ticks in lacking.items():
                if total:
                    costs[path] += Fraction(ticks * waited(process), total)
        return {(path, process): costs[path] * self.path[path, process] / self.on_path(path)
                for path in self.callpaths for process in self.processes if self.on_path(path) and costs[path] > 0}

    def impact(self):
        """Returns the costs of the path's imbalance: a process waits for as long as it has less activity than the path is long."""
        length = self.length()
        return self.costs(lambda path, process: max(0, self.on_path(path) - self.active[path, process]),
                          lambda process: length - sum(self.active[path, process] for path in self.callpaths))

    def impact_between(self):
        """Returns the part of the impact due to call paths in which a process has no activity."""
        length = self.length()
        return self.costs(lambda path, process: 0 if self.active[path, process] else self.on_path(path),
                          lambda process: length - sum(max(self.active[path, process], self.on_path(path))
                                                       for path in self.callpaths if self.active[path, process]))

    @property
    def sums(self):
        """Returns {(Scalasca's metric, call path, location): ticks}."""
        within, beyond = self.activities()
        metrics = {"critical_path": {key: ticks for key, ticks in self.path.items() if key[0]},
                   "critical_path_activities": within, "non_critical_path_activities": beyond,
                   "critical_imbalance_impact": self.impact(), "inter_partition_imbalance": self.impact_between()}
        return {(metric, path, process.location): ticks
                for metric, values in metrics.items() for (path, process), ticks in values.items() if ticks}
