"""The naive judge of the critical path, as Scalasca 2.6 defines it (CriticalPath.pattern; Boehme, Wolf, de Supinski, Schulz, Geimer:
Scalable critical-path based performance analysis, IPDPS 2012), in exact fractions of a tick.

The path is followed backwards, from the process that entered MPI_Finalize last. On a process it goes back to the end of the latest
wait, and goes on at the same time on the process that was waited for.
"""

import bisect
import collections
from fractions import Fraction

# The path leaves a process at waits of these kinds only; all of `PASSIVE` are no activity.
MOVING = ("late_sender", "late_receiver", "barrier", "n2n", "12n", "n21")
PASSIVE = MOVING + ("finalize",)

# Ends at `end`, by record `seq`; `to` is the record that was waited for.
Wait = collections.namedtuple("Wait", "end seq to")
# Behind an ENTER, of a process that is waited for until then.
Entered = collections.namedtuple("Entered", "proc seq")
Segment = collections.namedtuple("Segment", "process begin end next")


def waits_of(waits, progress=()):
    """{process: [Wait]}, by time; `progress`: waits for late progress."""
    late = {id(record): found[2] for found in waits.collectives for record in found[1]}
    found = {process: [] for process in waits.processes.values()}
    for process, mine in found.items():
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
            mine.append(Wait(begin + point.wait, seq, to))
        mine += [Wait(late.end, late.record.seq, Entered(late.culprit, late.entered + 1)) for late in progress if late.record.proc is process]
        mine.sort(key=lambda wait: wait[:2])
    return found


def calls_of(waits, kind):
    """{process: call} of MPI_Init or of MPI_Finalize."""
    return {process: point.record.call for process in waits.processes.values() for point in process.points.values()
            if point.kind == kind}


def segments_of(waits, progress=()):
    """The path's segments, latest first: on `process` from `begin` to `end`; then it is on `next`, unless that is None."""
    moving, inits, finals = waits_of(waits, progress), calls_of(waits, "init"), calls_of(waits, "finalize")
    ends = {process: call.enter for process, call in finals.items()} or \
        {process: process.time for process in waits.processes.values()}
    process = max(sorted(ends, key=lambda process: process.number), key=ends.get)
    time, seq, following = ends[process], None, None
    while True:
        wait = next((wait for wait in reversed(moving[process]) if wait.end <= time and (seq is None or wait.seq < seq)), None)
        if wait is None:
            start = inits[process].enter if process in inits else process.spans[0][0]
            yield Segment(process, min(start, time), time, following)
            return
        yield Segment(process, wait.end, time, following)
        process, time, seq, following = wait.to.proc, wait.end, wait.to.seq, process


class Path:
    """`path` and `active` are {(call path, process): ticks}: on the path; of all time, without waits."""

    def __init__(self, waits, progress=()):
        self.segments = list(segments_of(waits, progress))
        self.processes = [process for process in waits.processes.values() if process.spans]
        self.path, self.active = collections.Counter(), collections.Counter()
        # Outermost in the judge's call paths, if the trace says when the program ran.
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
        # Time in no call is no activity: where the trace says that the program ran, that is a call.
        self.callpaths = sorted({path for path, _ in [*self.path, *self.active] if path})

    def on_path(self, path):
        return sum(self.path[path, process] for process in self.processes)

    def length(self):
        return sum(self.on_path(path) for path in self.callpaths)

    def imbalance(self):
        """{call path: ticks}: time on the path beyond the mean of all processes."""
        return {path: max(Fraction(0), self.on_path(path) - Fraction(sum(self.active[path, process] for process in self.processes),
                                                                     len(self.processes)))
                for path in self.callpaths}

    def activities(self):
        """Two of {(call path, process): ticks}: what is as long as the path, and what is longer."""
        keys = [(path, process) for path in self.callpaths for process in self.processes]
        return ({key: min(self.on_path(key[0]), self.active[key]) for key in keys},
                {key: max(0, self.active[key] - self.on_path(key[0])) for key in keys})

    def costs(self, lacks, waited):
        """Of each process its `waited` ticks, given to call paths in proportion to what it `lacks` of them; then to the processes
        by their part of the path."""
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
        """What the imbalance of the path costs: a process waits for as long as it has less activity than the path is long."""
        length = self.length()
        return self.costs(lambda path, process: max(0, self.on_path(path) - self.active[path, process]),
                          lambda process: length - sum(self.active[path, process] for path in self.callpaths))

    def impact_between(self):
        """The part of that by call paths that a process has nothing of."""
        length = self.length()
        return self.costs(lambda path, process: 0 if self.active[path, process] else self.on_path(path),
                          lambda process: length - sum(max(self.active[path, process], self.on_path(path))
                                                       for path in self.callpaths if self.active[path, process]))

    @property
    def sums(self):
        """{(Scalasca's metric, call path, location): ticks}"""
        like, more = self.activities()
        metrics = {"critical_path": {key: ticks for key, ticks in self.path.items() if key[0]},
                   "critical_path_activities": like, "non_critical_path_activities": more,
                   "critical_imbalance_impact": self.impact(), "inter_partition_imbalance": self.impact_between()}
        return {(metric, path, process.location): ticks
                for metric, values in metrics.items() for (path, process), ticks in values.items() if ticks}
