"""The naive judge of the causes of waits. It finds delay costs by call path, which part of a wait other waits caused, and which
part caused other waits.

It replays the trace backwards by the rules of Scalasca 2.6, in exact fractions of a tick. Every process walks back through its
records. It stops at a record where it needs results of a process that waited for it.
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


def difference(times, subtrahend):
    return positive({path: ticks - subtrahend.get(path, 0) for path, ticks in times.items()})


def interval(process, start, end):
    """Returns ({path: ticks}, waits) of a process between two points: its own work, and its points that waited."""
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
    """`sums`, {(metric, path, location): ticks}. `indirect` and `propagating`: ticks by (process, seq) of a wait."""

    def __init__(self, waits):
        self.waits = waits
        self.sums = collections.Counter()
        self.costs = collections.defaultdict(Fraction)  # {(kind, process, seq of a wait): cost that the wait passes on to its causes}
        self.indirect = collections.defaultdict(Fraction)
        self.propagating = collections.defaultdict(Fraction)
        self.published = set()  # ids of records whose waits are published to the processes that were waited for
        self.of_record = {id(record): found for found in waits.collectives for record in found[1]}
        self.arrived = collections.Counter()
        self.play()
        for (process, seq), ticks in self.propagating.items():
            point = process.points[seq]
            if point.kind in PROPAGATING:
                self.add_ticks(PROPAGATING[point.kind], point.record, ticks)

    def add_ticks(self, metric, record, ticks):
        if ticks:
            self.sums[metric, record.call.path, record.proc.location] += ticks

    def play(self):
        at = {process: list(process.records) for process in self.waits.processes.values()}
        progressing = True
        while progressing:
            progressing = False
            for process, records in at.items():
                while records and self.step(process, records[-1]):
                    records.pop()
                    progressing = True
        stuck = [records[-1] for records in at.values() if records]
        if stuck:
            raise ValueError(f"causes run in circles: {[(r.proc.number, r.seq, r.name) for r in stuck]}")

    def step(self, process, record):
        """Returns True if the process could step back over the record."""
        point = process.points.get(record.seq)
        if id(record) in self.of_record and record.name != "LEAVE":
            return self.step_collective(process, record)
        if point is None:
            return True
        if point.kind == "late_sender" or point.kind == "late_receiver":
            self.published.add(id(record))
        elif record.name in SENDS:
            if id(record.other.end) not in self.published:
                return False
            self.charge_one(point, record.other.end, "late_sender")
        elif record.name in ("MPI_RECV", "MPI_IRECV_REQUEST"):
            waiter = record.done.other.done
            if id(waiter) not in self.published:
                return False
            self.charge_one(point, waiter, "late_receiver")
        return True

    def charge_one(self, point, waiter, kind):
        """Charges the process of `point`, for which `waiter`, a record of another process, waited."""
        process, waiting_process = point.record.proc, waiter.proc
        wait = waiting_process.points[waiter.seq]
        times, waits = interval(process, process.previous(point, waiting_process.number), point)
        waiter_times, _ = interval(waiting_process, waiting_process.previous(wait, process.number), wait)
        delays = difference(times, waiter_times)
        waited = sum(w.wait for w in waits)
        whole = sum(delays.values()) + waited
        if not whole:
            return
        scale = min(Fraction(wait.wait) / whole, Fraction(1))
        for path, ticks in delays.items():
            self.sums[METRICS[kind], path, process.location] += scale * ticks
        for passed in KINDS:
            cost = self.costs[passed, waiting_process, waiter.seq] / whole
            for path, ticks in delays.items():
                self.sums[METRICS[passed] + "_longterm", path, process.location] += cost * ticks
            self.pass_on(passed, waits, lambda w, c=cost + (scale if passed == kind else 0): c)
        self.indirect[waiting_process, waiter.seq] += scale * waited
        self.add_ticks(INDIRECT[kind], waiter, scale * waited)
        for w in waits:
            key = process, w.record.seq
            self.propagating[key] = max(self.propagating[key], scale * w.wait)

    def pass_on(self, kind, waits, scale):
        for w in waits:
            self.costs[kind, w.record.proc, w.record.seq] += scale(w) * w.wait

    def step_collective(self, process, record):
        kind, records, latest = self.of_record[id(record)]
        key = id(records)
        if id(record) not in self.published:
            self.published.add(id(record))
            self.arrived[key] += 1
            if self.arrived[key] == len(records):
                self.charge_group(kind, records, latest)
        return self.arrived[key] == len(records)

    def charge_group(self, kind, records, latest):
        process = latest.proc
        point = process.points.get(latest.seq)
        if point is None:
            return
        start, later = self.group_start(point, [record.proc.number for record in records])
        times, waits = interval(process, start, point)
        scales = {}
        for record in records:
            member, wait = record.proc, record.proc.points.get(record.seq)
            if record is latest or wait is None:
                continue
            since = later.get(member.number)
            own_times, own_waits = interval(process, since, point) if since else (times, waits)
            member_times, _ = interval(member, member.previous(wait, process.number), wait)
            delays = difference({path: own_times.get(path, 0) for path in times}, member_times)
            whole = sum(delays.values()) + sum(w.wait for w in own_waits)
            if not whole:
                continue
            for passed in (None,) + KINDS:
                cost = Fraction(wait.wait) if passed is None else self.costs[passed, member, record.seq]
                scales[passed, member.number] = cost / whole
                metric = METRICS[kind] if passed is None else METRICS[passed] + "_longterm"
                for path, ticks in delays.items():
                    self.sums[metric, path, process.location] += cost / whole * ticks
            if passed is not None:
                self.indirect[member, record.seq] += Fraction(wait.wait) / whole * sum(w.wait for w in own_waits)
        numbers = [record.proc.number for record in records if record is not latest]
        for passed in (None,) + KINDS:
            scale_steps = self.scale_steps(passed, scales, numbers, later)
            self.pass_on(passed or kind, waits, lambda w, s=scale_steps: next(v for seq, v in reversed(s) if seq <= w.record.seq))

    @staticmethod
    def scale_steps(passed, scales, numbers, later):
        """Returns [(seq, scale from that seq on)] for the culprit's waits. The scale grows where the culprit synchronised with a
        single member, as waits before that point do not cause this member's wait. The analyser scout takes each member's scale
        only from the *next* such point on, and never the last one's. It thereby loses a part of the long-term costs."""
        total = sum(scales.get((passed, n), 0) for n in numbers if n not in later)
        scale_steps = [(-1, total)]
        for seq in sorted({since.record.seq for since in later.values()}):
            scale_steps.append((seq, total))
            total += sum(scales.get((passed, n), 0) for n in numbers if n in later and later[n].record.seq == seq)
        return scale_steps

    @staticmethod
    def group_start(point, group):
        """Returns the last point before which the process had synchronised with the whole group, and {process: later point} for
        members with which it synchronised afterwards."""
        process, later = point.record.proc, {}
        remaining = set(group) - {process.number}
        for seq in sorted((seq for seq in process.points if seq < point.record.seq), reverse=True):
            ranks = process.points[seq].ranks
            if ranks >= remaining:
                return process.points[seq], later
            later.update({n: process.points[seq] for n in remaining & ranks})
            remaining -= ranks
        return None, later
