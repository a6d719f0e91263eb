"""The naive judge of delays before barriers of OpenMP's teams and for idle threads, in exact fractions of a tick. It has the waits
that naive_kinds.py found, and each location's calls; all of it is about processes that exchange no messages.

Scalasca's rules (Delay.OMP.pattern, OmpDelayOps.cpp), by times alone: between two meetings of a team, what the last thread did
longer than one that waited, call path by call path from the team's parallel region on, is charged with the wait. The time from the first
thread's entry into the parallel region to a thread's own is that thread's, in the region. Each tick that a thread is idle is
charged to what the thread did that forks.

Within teams in teams a thread that is late has waited in the inner one before: who was late there pays for the outer one's waits, in
the long term.
"""

import collections
from fractions import Fraction

from naive_calls import Divided, Path, length, names

PARALLEL = "PARALLEL"


def from_parallel(path, depth):
    """The call path from a parallel region on: that one of a thread that is in so many teams."""
    return path[[i for i, (_, role, _) in enumerate(path) if role == PARALLEL][depth - 1]:]


class TeamDelays:
    """`sums`: {(kind, path of regions' names, location): [ticks right away, in the long term]}."""

    def __init__(self, kinds):
        self.kinds = kinds
        self.paths = {location: Path(kinds, location) for location in kinds.calls}
        self.sums = collections.defaultdict(lambda: [Fraction(0), Fraction(0)])
        self.waits = collections.defaultdict(list)  # barriers of a location, as what was waited there
        for wait in kinds.waits:
            if wait.kind == "omp_barrier_wait":
                self.waits[wait.location].append(wait)
        self.barriers()
        self.idle()

    def add(self, kind, path, location, ticks, longer=0):
        if ticks or longer:
            sums = self.sums[kind, "/".join(names(path)), location]
            sums[0] += ticks
            sums[1] += longer

    def team_starts(self, location):
        """{ENTER of a parallel region: when the first thread of its team entered}."""
        return {enter: first for where, enter, first in self.kinds.entries if where == location}

    def since(self, location, seq):
        """When the team of a barrier, by its LEAVE, met last; how long the thread came later than the first one; its teams."""
        depth, last, late = 0, {}, {}
        starts = self.team_starts(location)
        for record in self.kinds.records[location]:
            if record.name == "THREAD_TEAM_BEGIN":
                depth += 1
            elif record.name == "THREAD_TEAM_END":
                depth -= 1
            elif record.name == "ENTER" and record.seq in starts:
                last[depth], late[depth] = record.time, record.time - starts[record.seq]
            elif record.name == "LEAVE" and record.call.region[1] in ("BARRIER", "IMPLICIT BARRIER", "IMPLICIT_BARRIER"):
                if record.seq == seq:
                    return last[depth], late[depth], depth
                last[depth], late[depth] = record.time, 0
        raise ValueError(f"location {location} has no barrier {seq}")

    def work(self, location, seq):
        """{path: ticks} up to a barrier's end, the waits on the way, and how many teams the thread is in."""
        end = next(record.time for record in self.kinds.records[location] if record.seq == seq)
        begin, late, depth = self.since(location, seq)
        times = self.paths[location].between(begin, end)
        waits = []
        for wait in self.waits[location]:
            left = next(record for record in self.kinds.records[location] if record.seq == wait.seq)
            if begin < left.time < end:
                waits.append(wait)
                times[self.paths[location].at(wait.begin)] -= wait.end - wait.begin
        times[self.paths[location].at(begin)] += late
        return times, waits, depth

    def divide(self, wait):
        """A wait at a barrier: ({path: delay}, waits of the late one in between, their sum)."""
        mine, before, depth = self.work(wait.culprit, wait.culprit_seq)
        theirs, _, other_depth = self.work(wait.location, wait.seq)
        theirs = {from_parallel(path, other_depth): ticks for path, ticks in theirs.items() if ticks}
        delays = {path: max(ticks - theirs.get(from_parallel(path, depth), 0), 0) for path, ticks in mine.items() if ticks}
        delays = {path: ticks for path, ticks in delays.items() if ticks}
        return delays, before, sum(delays.values()) + length(before)

    def barriers(self):
        passed = collections.Counter()  # costs that a wait goes on with
        for wait in sorted((wait for waits in self.waits.values() for wait in waits), key=lambda wait: -wait.end):
            delays, before, whole = self.divide(wait)
            if not whole:
                continue
            short, longer = Fraction(wait.end - wait.begin) / whole, Fraction(passed[wait]) / whole
            for path, ticks in delays.items():
                self.add("omp_barrier_wait", path, wait.culprit, short * ticks, longer * ticks)
            for other in before:
                passed[other] += (other.end - other.begin) * (short + longer)

    def idle(self):
        for wait in self.kinds.waits:
            if wait.kind == "omp_idle":
                times = self.paths[wait.culprit].between(wait.begin, wait.end)
                waited = collections.Counter()
                for other in self.waits[wait.culprit]:
                    waited[self.paths[wait.culprit].at(other.begin)] += max(min(other.end, wait.end) - max(other.begin, wait.begin), 0)
                for path, ticks in times.items():
                    self.add("omp_idle", path, wait.culprit, ticks - waited[path])


class TeamSingle(Divided):
    """What single waits at barriers are caused by, and what threads are idle for. `records`, {(location, seq): Wait}; as several times of
    idleness may have one seq, those of `said`, an answer to be judged, get numbers of their own, in the order of time."""

    def __init__(self, kinds, said):
        self.kinds, self.all = kinds, TeamDelays(kinds)
        self.records = {(wait.location, wait.seq): wait for wait in kinds.waits if wait.kind == "omp_barrier_wait" and wait.end > wait.begin}
        for location in kinds.calls:
            idle = sorted((wait for wait in kinds.waits if wait.kind == "omp_idle" and wait.location == location), key=lambda wait: wait.end)
            told = [one for one in said if one.kind == "omp_idle" and one.location == location]
            for number, (one, wait) in enumerate(zip(told, idle)):
                one.seq = -1 - number
                if one.amount == wait.end - wait.begin:
                    self.records[location, one.seq] = wait

    def division(self, wait):
        """({path: delay}, waits in between, their sum with the delays): of idleness all that was done meanwhile."""
        if wait.kind == "omp_idle":
            mine = self.all.paths[wait.culprit].between(wait.begin, wait.end)
            waits = [other for other in self.all.waits[wait.culprit] if wait.begin < other.end <= wait.end]
            for other in waits:
                mine[self.all.paths[wait.culprit].at(other.begin)] -= other.end - other.begin
            return +mine, waits, sum(mine.values()) + length(waits)
        return self.all.divide(wait)
