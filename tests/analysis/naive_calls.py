"""A base for the naive judges of teams and windows: causes of waits that need no messages, in exact fractions of a tick.

naive_kinds.py finds the waits. The judge divides a wait among the culprit's work, by call path, and the culprit's own waits. Then
it divides the culprit's waits in the same way.
"""

import collections
from fractions import Fraction


class Path:
    """The calls of a location, as pieces of time: (begin, end, call path)."""

    def __init__(self, kinds, location):
        self.kinds, self.pieces = kinds, []
        stack, last = [], None
        moments = [(call.enter, call.enter_seq, True, call) for call in kinds.calls[location]]
        moments += [(call.leave, call.seq if call.seq is not None else 1 << 62, False, call) for call in kinds.calls[location]]
        for time, _, enters, call in sorted(moments, key=lambda moment: moment[:2]):
            if stack and time > last:
                self.pieces.append((last, time, tuple(stack)))
            last = time
            if enters:
                stack.append(call.region)
            else:
                stack.pop()

    def between(self, begin, end):
        times = collections.Counter()
        for first, last, path in self.pieces:
            times[path] += max(min(last, end) - max(first, begin), 0)
        return times

    def at(self, time):
        """Returns the call path at a time; () outside of all calls."""
        return next((path for first, last, path in self.pieces if first <= time < last), ())


def region_names(path):
    """Returns the names of a call path's regions."""
    return tuple(name for name, _, _ in path)


def total_length(waits):
    return sum(wait.end - wait.begin for wait in waits)


class Divided:
    """Costs of single waits. Subclasses define division(wait), which returns {path: ticks of the culprit}, the culprit's waits,
    and the sum of both."""

    LEAST = Fraction(0)  # the judge does not follow smaller costs further

    def division(self, wait):
        raise NotImplementedError

    def direct(self, wait):
        """Returns ({names of a path: ticks}, ticks of the culprit's waits)."""
        delays, waits, whole = self.division(wait)
        if not whole:
            return {}, Fraction(0)
        scale = Fraction(wait.end - wait.begin, whole)
        return {region_names(path): scale * ticks for path, ticks in delays.items()}, scale * total_length(waits)

    def indirect(self, wait):
        """Returns {(steps, names of a path, location): ticks}."""
        costs = collections.Counter()
        self.add_indirect(wait, Fraction(wait.end - wait.begin), 1, costs)
        return costs

    def add_indirect(self, wait, cost, steps, costs):
        _, before, whole = self.division(wait)
        for earlier in before:
            share = cost * (earlier.end - earlier.begin) / whole
            delays, _, earlier_whole = self.division(earlier)
            for path, ticks in delays.items():
                costs[steps, region_names(path), earlier.culprit] += float(share * ticks / earlier_whole)
            if share > self.LEAST:
                self.add_indirect(earlier, share, steps + 1, costs)
