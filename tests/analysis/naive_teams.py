"""The naive judge of delays before barriers of OpenMP teams and for idle threads, in exact fractions of a tick. It takes the
waits that naive_kinds.py found, and each location's calls. The processes exchange no messages.

Scalasca's rules (Delay.OMP.pattern, OmpDelayOps.cpp), by times alone: a team meets at its barriers. Between two meetings the
judge compares the last thread with each thread that waited, call path by call path from the team's parallel region on. It charges
the wait to the last thread's longer call paths. The time from the first thread's entry into the parallel region to a thread's own
entry counts as that thread's time in the region. Each tick of an idle thread is charged to the call path of the thread that
forks.

With nested teams a late thread may have waited in the inner team before. The culprit of that inner wait is charged with the
long-term cost of the outer wait.
"""

import collections
from fractions import Fraction

from naive_calls import Divided, Path, region_names, total_length

PARALLEL = "PARALLEL"


def from_parallel(path, depth):
    """Returns the part of a call path from a parallel region on; `depth` says how many teams the thread is in."""
    return path[[i for i, (_, role, _) in enumerate(path) if role == PARALLEL][depth - 1]:]


class TeamDelays:
    """`sums`: {(kind, path of regions' names, location): [short-term ticks, long-term ticks]}."""

    def __init__(self, kinds):
        self.kinds = kinds
        self.paths = {location: Path(kinds, location) for location in kinds.calls}
        self.sums = collections.defaultdict(lambda: [Fraction(0), Fraction(0)])
        self.waits = collections.defaultdict(list)  # waits at barriers, by location
        for wait in kinds.waits:
            if wait.kind == "omp_barrier_wait":
                self.waits[wait.location].append(wait)
        self.charge_barriers()
        self.charge_idle()

    def add(self, kind, path, location, ticks, long_term=0):
        if ticks or long_term:
            sums = self.sums[kind, "/".join(region_names(path)), location]
            sums[0] += ticks
            sums[1] += long_term

    def team_starts(self, location):
        """Returns {ENTER of a parallel region: when the first thread of its team entered}."""
        return {enter: first for where, enter, first in self.kinds.entries if where == location}

    def last_meeting(self, location, seq):
        """Returns three values: when the team last met before a barrier, which is given by its LEAVE; how much later than the
        first thread this thread came then; and in how many teams it is."""
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

    def work_before(self, location, seq):
        """Returns {path: ticks} up to a barrier's end without waits, the waits before it, and how many teams the thread is in."""
        end = next(record.time for record in self.kinds.records[location] if record.seq == seq)
        begin, late, depth = self.last_meeting(location, seq)
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
        """Divides a wait at a barrier: ({path: delay}, earlier waits of the culprit, their sum)."""
        culprit_times, culprit_waits, depth = self.work_before(wait.culprit, wait.culprit_seq)
        waiter_times, _, waiter_depth = self.work_before(wait.location, wait.seq)
        waiter_times = {from_parallel(path, waiter_depth): ticks for path, ticks in waiter_times.items() if ticks}
        delays = {path: max(ticks - waiter_times.get(from_parallel(path, depth), 0), 0) for path, ticks in culprit_times.items() if ticks}
        delays = {path: ticks for path, ticks in delays.items() if ticks}
        return delays, culprit_waits, sum(delays.values()) + total_length(culprit_waits)

    def charge_barriers(self):
        long_term_costs = collections.Counter()  # long-term cost of each wait
        for wait in sorted((wait for waits in self.waits.values() for wait in waits), key=lambda wait: -wait.end):
            delays, culprit_waits, whole = self.divide(wait)
            if not whole:
                continue
            direct, long_term = Fraction(wait.end - wait.begin) / whole, Fraction(long_term_costs[wait]) / whole
            for path, ticks in delays.items():
                self.add("omp_barrier_wait", path, wait.culprit, direct * ticks, long_term * ticks)
            for earlier in culprit_waits:
                long_term_costs[earlier] += (earlier.end - earlier.begin) * (direct + long_term)

    def charge_idle(self):
        for wait in self.kinds.waits:
            if wait.kind == "omp_idle":
                times = self.paths[wait.culprit].between(wait.begin, wait.end)
                waited = collections.Counter()
                for barrier in self.waits[wait.culprit]:
                    waited[self.paths[wait.culprit].at(barrier.begin)] += max(min(barrier.end, wait.end) - max(barrier.begin, wait.begin), 0)
                for path, ticks in times.items():
                    self.add("omp_idle", path, wait.culprit, ticks - waited[path])


class TeamSingle(Divided):
    """Causes of single waits at barriers and of idle threads. `records`, {(location, seq): Wait}. Several idle times may have one
    seq. Idle waits of `printed`, an answer to judge, therefore get numbers of their own, in the order of time."""

    def __init__(self, kinds, printed):
        self.kinds, self.team = kinds, TeamDelays(kinds)
        self.records = {(wait.location, wait.seq): wait for wait in kinds.waits if wait.kind == "omp_barrier_wait" and wait.end > wait.begin}
        for location in kinds.calls:
            idle = sorted((wait for wait in kinds.waits if wait.kind == "omp_idle" and wait.location == location), key=lambda wait: wait.end)
            printed_idle = [one for one in printed if one.kind == "omp_idle" and one.location == location]
            for number, (one, wait) in enumerate(zip(printed_idle, idle)):
                one.seq = -1 - number
                if one.amount == wait.end - wait.begin:
                    self.records[location, one.seq] = wait

    def division(self, wait):
        """Returns ({path: delay}, waits in between, their sum with the delays). For an idle thread all work of the culprit
        meanwhile is delay."""
        if wait.kind == "omp_idle":
            culprit_times = self.team.paths[wait.culprit].between(wait.begin, wait.end)
            waits = [barrier for barrier in self.team.waits[wait.culprit] if wait.begin < barrier.end <= wait.end]
            for barrier in waits:
                culprit_times[self.team.paths[wait.culprit].at(barrier.begin)] -= barrier.end - barrier.begin
            return +culprit_times, waits, sum(culprit_times.values()) + total_length(waits)
        return self.team.divide(wait)
