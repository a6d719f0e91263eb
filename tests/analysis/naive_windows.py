"""The naive judge of the causes of waits in one-sided communication, in exact fractions of a tick. It takes the waits that
naive_kinds.py found and each location's calls, and uses times alone. The processes exchange no messages.

Two processes meet where one waited for the other: the waiter when its wait ends, the culprit when it arrives. In a window's
operation with all members present at one time, all meet when the last one begins it. After a meeting both processes work
independently. The waiter's work ends at the call in which it waited, the culprit's at the call with which it arrived. If the
waiter waits for that call's end, the work ends there.

Two things bear the wait in proportion: the culprit's own waits, and its work beyond the waiter's, call path by call path.
"""

import collections
from fractions import Fraction

from naive_calls import Divided, Path, total_length

WITHOUT_CAUSES = ("early_scan",)
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
        self.records, self.meeting_of, self.divisions = {}, {}, {}
        for wait in kinds.waits:
            if wait.end > wait.begin and wait.kind not in WITHOUT_CAUSES and wait.culprit != wait.location:
                self.waits[wait.location].append(wait)
                self.records[wait.location, wait.seq] = wait
        self.meetings = collections.defaultdict(list)  # {(location, partner): [(time, operation or wait)]}
        self.find_meetings()

    def arrival(self, wait):
        """Returns when the culprit no longer makes others wait, and up to when it works independently."""
        record = self.at[wait.culprit, wait.culprit_seq]
        if wait.kind in TO_LEAVE:
            return record.call.leave, record.call.leave
        if wait.kind in EPOCHS:
            return record.call.enter, record.call.enter
        return self.kinds.begins[wait.culprit, wait.culprit_seq], record.call.enter

    def find_meetings(self):
        ends = {}
        for last, records in self.kinds.together:
            for record in records:
                ends[record.location, record.seq] = id(records)
                for partner in records:
                    if partner is not record:
                        self.meetings[record.location, partner.location].append((min(last, record.time), id(records)))
        for wait in self.records.values():
            self.meeting_of[wait] = ends.get((wait.location, wait.seq), wait)
            if self.meeting_of[wait] is wait:
                self.meetings[wait.location, wait.culprit].append((wait.end, wait))
                self.meetings[wait.culprit, wait.location].append((self.arrival(wait)[0], wait))

    def work_since_meeting(self, location, partner, until, before, meeting):
        """Returns {path: ticks} and waits of a location since it met another one."""
        begin = max((time for time, met in self.meetings[location, partner] if time <= before and met != meeting), default=0)
        times, waits = self.paths[location].between(begin, until), []
        for wait in self.waits[location]:
            if begin <= wait.begin and wait.end <= until:
                times[self.paths[location].at(wait.begin)] -= wait.end - wait.begin
                waits.append(wait)
        return {path: ticks for path, ticks in times.items() if ticks > 0}, waits

    def division(self, wait):
        """Returns ({path: delay}, the culprit's waits, the sum of both)."""
        if wait not in self.divisions:
            self.divisions[wait] = self.divide(wait)
        return self.divisions[wait]

    def divide(self, wait):
        meeting = self.meeting_of[wait]
        arrival, until = self.arrival(wait)
        culprit_times, waits = self.work_since_meeting(wait.culprit, wait.location, until, arrival, meeting)
        waiter_times, _ = self.work_since_meeting(wait.location, wait.culprit, self.at[wait.location, wait.seq].call.enter, wait.begin, meeting)
        delays = {path: ticks - waiter_times.get(path, 0) for path, ticks in culprit_times.items() if ticks > waiter_times.get(path, 0)}
        return delays, waits, sum(delays.values()) + total_length(waits)
