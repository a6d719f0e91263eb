"""The naive judge of a single wait's causes: its costs by call path, at the culprit and further back.

The judge searches anew for each wait. It uses exact fractions at the culprit, and floating point further back.
"""

import collections
import sys
from fractions import Fraction

from naive_causes import difference, interval

sys.setrecursionlimit(100000)
MESSAGES = ("late_sender", "late_receiver")


class Division:
    """The causes of one wait: the culprit's delays by call path, and the culprit's own waits, which are points."""

    def __init__(self, waiter, late):
        wait, point = waiter.proc.points[waiter.seq], late.proc.points[late.seq]
        culprit_times, self.waits = interval(late.proc, late.proc.previous(point, waiter.proc.number), point)
        waiter_times, _ = interval(waiter.proc, waiter.proc.previous(wait, late.proc.number), wait)
        self.wait, self.late = wait.wait, late
        self.delays = difference(culprit_times, waiter_times)
        self.waited = sum(w.wait for w in self.waits)
        self.whole = sum(self.delays.values()) + self.waited


class Single:
    """`late`, {id of the record of a wait: the record that was waited for}; `kinds`, {the same id: kind}."""

    def __init__(self, waits):
        self.late, self.kinds, self.records, self.known = {}, {}, {}, {}
        for process in waits.processes.values():
            for point in process.points.values():
                if point.kind in MESSAGES:
                    record = point.record
                    self.note_wait(record, record.other if point.kind == MESSAGES[0] else record.start.other.start, point.kind)
        for kind, records, latest in waits.collectives:
            for record in records:
                if record is not latest and record.seq in record.proc.points and latest.seq in latest.proc.points:
                    self.note_wait(record, latest, kind)

    def note_wait(self, record, late, kind):
        if record.proc.points[record.seq].wait > 0:
            self.late[id(record)], self.kinds[id(record)] = late, kind
            self.records[record.proc.location, record.seq] = record

    def division(self, record):
        return Division(record, self.late[id(record)]) if id(record) in self.late else None

    def direct(self, record):
        """Returns ({path: exact ticks}, exact ticks of the culprit's waits)."""
        division = self.division(record)
        if not division.whole:
            return {}, Fraction(0)
        scale = Fraction(division.wait, division.whole)
        if self.kinds[id(record)] in MESSAGES:
            scale = min(scale, Fraction(1))
        return {path: scale * ticks for path, ticks in division.delays.items()}, scale * division.waited

    def shares(self, record):
        """Returns {(steps, path, location): share of a tick that is passed on to a wait}."""
        if id(record) not in self.known:
            division, shares = self.division(record), collections.Counter()
            if division and division.whole:
                for path, ticks in division.delays.items():
                    shares[0, path, division.late.proc.location] += ticks / division.whole
                self.add_indirect(division, 1 / division.whole, shares)
            self.known[id(record)] = shares
        return self.known[id(record)]

    def add_indirect(self, division, scale, costs):
        for wait in division.waits:
            for (steps, path, location), share in self.shares(wait.record).items():
                costs[steps + 1, path, location] += scale * wait.wait * share

    def indirect(self, record):
        """Returns {(steps, path, location): ticks}."""
        division, costs = self.division(record), collections.Counter()
        scale = Fraction(division.wait, division.whole)
        if self.kinds[id(record)] in MESSAGES:
            scale = min(scale, Fraction(1))
        self.add_indirect(division, float(scale), costs)
        return costs
