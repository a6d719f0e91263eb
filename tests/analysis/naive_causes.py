"""The naive judge of the causes of waits: delay costs by call path, and what of a wait comes from others and goes on to others.

A backward replay by the rules of Scalasca 2.6, in exact fractions of a tick: every process goes back through its records, and
stops where it needs what another one, that waited for it, has to tell.
"""

import collections
from fractions import Fraction

from naive_waits import SENDS

KINDS = ("late_sender", "late_receiver", "barrier", "n2n", "12n", "n21")
METRICS = {"late_sender": "delay_latesender", "late_receiver": "delay_latereceiver", "barrier": "delay_barrier",
           "n2n": "delay_n2n", "12n": "delay_12n", "n21": "delay_n21"}
INDIRECT = {"late_sender": "mpi_wait_indirect_latesender", "late_receiver": "mpi_wait_indirect_latereceiver"}
PROPAGATING = {"late_sender": "mpi_wait_propagating_ls", "late_receiver": "mpi_wait_propagating_lr"}


def positive(times):
    return {path: ticks for path, ticks in times.items() if ticks > 0}


def difference(times, less):
    return positive({path: ticks - less.get(path, 0) for path, ticks in times.items()})


def interval(process, start, end):
    """({path: ticks}, waits) of a process between two points: its own work, and its points that waited."""
    waits = [point for point in process.between(start, end) if point.wait > 0]
    waited = collections.Counter()
    for point in waits:
        waited[point.record.call.path] += point.wait
    times = difference(process.times(start, end), waited)
    if start is not None:
        path = start.record.call.path
        times[path] = max(times.get(path, 0) - start.total + start.completion, 0)
    return times, waits


class Causes:
    """`sums`, {(metric, path, location): ticks}. `of` has by record of a wait: [indirect, propagating]."""

    def __init__(self, waits):
        self.waits = waits
        self.sums = collections.Counter()
        self.costs = collections.defaultdict(Fraction)  # {(kind, process, seq of a wait): cost that goes on}
        self.indirect = collections.defaultdict(Fraction)
        self.propagating = collections.defaultdict(Fraction)
        self.told = set()  # records whose waits are known to those that were waited for
        self.of_record = {id(record): found for found in waits.collectives for record in found[1]}
        self.arrived = collections.Counter()
        self.play()
        for (process, seq), ticks in self.propagating.items():
            point = process.points[seq]
            if point.kind in PROPAGATING:
                self.waits_add(PROPAGATING[point.kind], point.record, ticks)

    def waits_add(self, metric, record, ticks):
        if ticks:
            self.sums[metric, record.call.path, record.proc.location] += ticks

    def play(self):
        at = {process: list(process.records) for process in self.waits.processes.values()}
        going = True
        while going:
            going = False
            for process, records in at.items():
                while records and self.step(process, records[-1]):
                    records.pop()
                    going = True
        stuck = [records[-1] for records in at.values() if records]
        if stuck:
            raise ValueError(f"causes run in circles: {[(r.proc.number, r.seq, r.name) for r in stuck]}")

    def step(self, process, record):
        """Whether the process could go back over the record."""
        point = process.points.get(record.seq)
        if id(record) in self.of_record and record.name != "LEAVE":
            return self.collective(process, record)
        if point is None:
            return True
        if point.kind == "late_sender" or point.kind == "late_receiver":
            self.told.add(id(record))
        elif record.name in SENDS:
            if id(record.other.end) not in self.told:
                return False
            self.one(point, record.other.end, "late_sender")
        elif record.name in ("MPI_RECV", "MPI_IRECV_REQUEST"):
            waiter = record.done.other.done
            if id(waiter) not in self.told:
                return False
            self.one(point, waiter, "late_receiver")
        return True

    def one(self, point, waiter, kind):
        """The process of `point` was late, and `waiter`, a record of another, waited for it."""
        process, other = point.record.proc, waiter.proc
        wait = other.points[waiter.seq]
        times, waits = interval(process, process.previous(point, other.number), point)
        theirs, _ = interval(other, other.previous(wait, process.number), wait)
        delays = difference(times, theirs)
        waited = sum(w.wait for w in waits)
        whole = sum(delays.values()) + waited
        if not whole:
            return
        scale = min(Fraction(wait.wait) / whole, Fraction(1))
        for path, ticks in delays.items():
            self.sums[METRICS[kind], path, process.location] += scale * ticks
        for passed in KINDS:
            cost = self.costs[passed, other, waiter.seq] / whole
            for path, ticks in delays.items():
                self.sums[METRICS[passed] + "_longterm", path, process.location] += cost * ticks
            self.pass_on(passed, waits, lambda w, c=cost + (scale if passed == kind else 0): c)
        self.indirect[other, waiter.seq] += scale * waited
        self.waits_add(INDIRECT[kind], waiter, scale * waited)
        for w in waits:
            key = process, w.record.seq
            self.propagating[key] = max(self.propagating[key], scale * w.wait)

    def pass_on(self, kind, waits, scale):
        for w in waits:
            self.costs[kind, w.record.proc, w.record.seq] += scale(w) * w.wait

    def collective(self, process, record):
        kind, records, latest = self.of_record[id(record)]
        key = id(records)
        if id(record) not in self.told:
            self.told.add(id(record))
            self.arrived[key] += 1
            if self.arrived[key] == len(records):
                self.many(kind, records, latest)
        return self.arrived[key] == len(records)

    def many(self, kind, records, latest):
        process = latest.proc
        point = process.points.get(latest.seq)
        if point is None:
            return
        start, later = self.group_start(point, [record.proc.number for record in records])
        times, waits = interval(process, start, point)
        scales = {}
        for record in records:
            other, wait = record.proc, record.proc.points.get(record.seq)
            if record is latest or wait is None:
                continue
            since = later.get(other.number)
            mine, some = interval(process, since, point) if since else (times, waits)
            theirs, _ = interval(other, other.previous(wait, process.number), wait)
            delays = difference({path: mine.get(path, 0) for path in times}, theirs)
            whole = sum(delays.values()) + sum(w.wait for w in some)
            if not whole:
                continue
            for passed in (None,) + KINDS:
                cost = Fraction(wait.wait) if passed is None else self.costs[passed, other, record.seq]
                scales[passed, other.number] = cost / whole
                metric = METRICS[kind] if passed is None else METRICS[passed] + "_longterm"
                for path, ticks in delays.items():
                    self.sums[metric, path, process.location] += cost / whole * ticks
            if passed is not None:
                self.indirect[other, record.seq] += Fraction(wait.wait) / whole * sum(w.wait for w in some)
        numbers = [record.proc.number for record in records if record is not latest]
        for passed in (None,) + KINDS:
            steps = self.steps(passed, scales, numbers, later)
            self.pass_on(passed or kind, waits, lambda w, s=steps: next(v for seq, v in reversed(s) if seq <= w.record.seq))

    @staticmethod
    def steps(passed, scales, numbers, later):
        """[(seq, scale from there on)]: the scale of the waits of the late one grows where it synchronised with one of the
        members alone, as that one's wait is not caused by what was before. scout has each member's scale only from the *next*
        such point on, and the last one's not at all; a part of the long-term costs is lost by it."""
        total = sum(scales.get((passed, n), 0) for n in numbers if n not in later)
        steps = [(-1, total)]
        for seq in sorted({since.record.seq for since in later.values()}):
            steps.append((seq, total))
            total += sum(scales.get((passed, n), 0) for n in numbers if n in later and later[n].record.seq == seq)
        return steps

    @staticmethod
    def group_start(point, group):
        """The last point before which the process had synchronised with all of the group, and {process: later point} of those with
        which it did so alone afterwards."""
        process, later = point.record.proc, {}
        remaining = set(group) - {process.number}
        for seq in sorted((seq for seq in process.points if seq < point.record.seq), reverse=True):
            ranks = process.points[seq].ranks
            if ranks >= remaining:
                return process.points[seq], later
            later.update({n: process.points[seq] for n in remaining & ranks})
            remaining -= ranks
        return None, later
