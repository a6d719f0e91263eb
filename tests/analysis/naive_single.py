"""The naive judge of what is said of one wait: what it cost by call path, at the one that was late and further back.

Everything is searched anew for each wait, in exact fractions at the one that was late, and in floating point behind it.
"""

import collections
import sys
from fractions import Fraction

from naive_causes import difference, interval

sys.setrecursionlimit(100000)
MESSAGES = ("late_sender", "late_receiver")


class Division:
    """What a wait is divided into: the delays of the late one by call path, and its own waits, which are points."""

    def __init__(self, waiter, late):
        wait, point = waiter.proc.points[waiter.seq], late.proc.points[late.seq]
        mine, self.waits = interval(late.proc, late.proc.previous(point, waiter.proc.number), point)
        theirs, _ = interval(waiter.proc, waiter.proc.previous(wait, late.proc.number), wait)
        self.wait, self.late = wait.wait, late
        self.delays = difference(mine, theirs)
        self.waited = sum(w.wait for w in self.waits)
        self.whole = sum(self.delays.values()) + self.waited


class Single:
    """`late`, {id of the record of a wait: the record that was waited for}; `kinds`, {the same: kind}."""

    def __init__(self, waits):
        self.late, self.kinds, self.records, self.known = {}, {}, {}, {}
        for process in waits.processes.values():
            for point in process.points.values():
                if point.kind in MESSAGES:
                    record = point.record
                    self.note(record, record.other if point.kind == MESSAGES[0] else record.start.other.start, point.kind)
        for kind, records, latest in waits.collectives:
            for record in records:
                if record is not latest and record.seq in record.proc.points and latest.seq in latest.proc.points:
                    self.note(record, latest, kind)

    def note(self, record, late, kind):
        if record.proc.points[record.seq].wait > 0:
            self.late[id(record)], self.kinds[id(record)] = late, kind
            self.records[record.proc.location, record.seq] = record

    def division(self, record):
        return Division(record, self.late[id(record)]) if id(record) in self.late else None

    def direct(self, record):
        """({path: exact ticks}, exact ticks of the late one's waits)"""
        division = self.division(record)
        if not division.whole:
            return {}, Fraction(0)
        scale = Fraction(division.wait, division.whole)
        if self.kinds[id(record)] in MESSAGES:
            scale = min(scale, Fraction(1))
        return {path: scale * ticks for path, ticks in division.delays.items()}, scale * division.waited

    def shares(self, record):
        """{(steps, path, location): share of a tick that is passed on to a wait}"""
        if id(record) not in self.known:
            division, found = self.division(record), collections.Counter()
            if division and division.whole:
                for path, ticks in division.delays.items():
                    found[0, path, division.late.proc.location] += ticks / division.whole
                self.further(division, 1 / division.whole, found)
            self.known[id(record)] = found
        return self.known[id(record)]

    def further(self, division, scale, found):
        for wait in division.waits:
            for (steps, path, location), share in self.shares(wait.record).items():
                found[steps + 1, path, location] += scale * wait.wait * share

    def indirect(self, record):
        """{(steps, path, location): ticks}"""
        division, found = self.division(record), collections.Counter()
        scale = Fraction(division.wait, division.whole)
        if self.kinds[id(record)] in MESSAGES:
            scale = min(scale, Fraction(1))
        self.further(division, float(scale), found)
        return found
