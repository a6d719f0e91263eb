"""The naive judge of what waits in one-sided communication are caused by, in exact fractions of a tick. It has the waits that
naive_kinds.py found and each location's calls, and goes by times alone; all of it is about processes that exchange no messages.

Two processes meet where one waited for the other: at the one that waited when it need not wait any longer, at the other one when it came. In
an operation of a window in which all were at one time they all meet when the last one begins it. From a meeting on both are on their own: up to
the call in which one waited, and up to the call with which the other one came; of calls that are waited for to their end, up to that end.
What the late one did meanwhile beyond what the other one did, call path by call path, and its own waits, bear the wait in proportion.
"""

import collections
from fractions import Fraction

from naive_calls import Divided, Path, length

NOT_TOLD = ("early_scan",)
TO_LEAVE = ("early_fence", "lock_competition")
EPOCHS = ("late_post", "early_wait")


class WindowSingle(Divided):
    """`records`, {(location, seq): Wait} of all waits that have causes."""

    LEAST = Fraction(1, 1000)

    def __init__(self, kinds):
        self.kinds = kinds
        self.paths = {location: Path(kinds, location) for location in kinds.calls}
        self.at = {(location, record.seq): record for location, records in kinds.records.items() for record in records}
        self.waits = collections.defaultdict(list)
        self.records, self.known, self.divisions = {}, {}, {}
        for wait in kinds.waits:
            if wait.end > wait.begin and wait.kind not in NOT_TOLD and wait.culprit != wait.location:
                self.waits[wait.location].append(wait)
                self.records[wait.location, wait.seq] = wait
        self.meetings = collections.defaultdict(list)  # {(location, other): [(time, what)]}
        self.meet()

    def came(self, wait):
        """When nobody waits for the late one any more, and up to when it was on its own."""
        record = self.at[wait.culprit, wait.culprit_seq]
        if wait.kind in TO_LEAVE:
            return record.call.leave, record.call.leave
        if wait.kind in EPOCHS:
            return record.call.enter, record.call.enter
        return self.kinds.begins[wait.culprit, wait.culprit_seq], record.call.enter

    def meet(self):
        ends = {}
        for last, records in self.kinds.together:
            for record in records:
                ends[record.location, record.seq] = id(records)
                for other in records:
                    if other is not record:
                        self.meetings[record.location, other.location].append((min(last, record.time), id(records)))
        for wait in self.records.values():
            self.known[wait] = ends.get((wait.location, wait.seq), wait)
            if self.known[wait] is wait:
                self.meetings[wait.location, wait.culprit].append((wait.end, wait))
                self.meetings[wait.culprit, wait.location].append((self.came(wait)[0], wait))

    def work(self, location, other, until, before, what):
        """{path: ticks} and waits of a location since it met another one."""
        begin = max((time for time, met in self.meetings[location, other] if time <= before and met != what), default=0)
        times, waits = self.paths[location].between(begin, until), []
        for wait in self.waits[location]:
            if begin <= wait.begin and wait.end <= until:
                times[self.paths[location].at(wait.begin)] -= wait.end - wait.begin
                waits.append(wait)
        return {path: ticks for path, ticks in times.items() if ticks > 0}, waits

    def division(self, wait):
        """({path: delay}, waits of the late one, the sum of both)"""
        if wait not in self.divisions:
            self.divisions[wait] = self.divide(wait)
        return self.divisions[wait]

    def divide(self, wait):
        what = self.known[wait]
        came, until = self.came(wait)
        mine, waits = self.work(wait.culprit, wait.location, until, came, what)
        theirs, _ = self.work(wait.location, wait.culprit, self.at[wait.location, wait.seq].call.enter, wait.begin, what)
        delays = {path: ticks - theirs.get(path, 0) for path, ticks in mine.items() if ticks > theirs.get(path, 0)}
        return delays, waits, sum(delays.values()) + length(waits)
