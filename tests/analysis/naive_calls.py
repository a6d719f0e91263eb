"""Causes of waits that need no messages, as far as they are judged in one way: a wait, which naive_kinds.py found, is divided among what the
late one did by call path and its own waits, in exact fractions of a tick, and these again.
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
        """The innermost call from a time on; () outside of all calls."""
        return next((path for first, last, path in self.pieces if first <= time < last), ())


def names(path):
    """A call path as its regions' names."""
    return tuple(name for name, _, _ in path)


def length(waits):
    return sum(wait.end - wait.begin for wait in waits)


class Divided:
    """Costs of single waits. A subclass has division(wait): {path: ticks of the late one}, its waits, and the sum of both."""

    LEAST = Fraction(0)  # costs of a wait up to this are not followed further

    def division(self, wait):
        raise NotImplementedError

    def direct(self, wait):
        """({names of a path: ticks}, ticks of the late one's waits)"""
        delays, waits, whole = self.division(wait)
        if not whole:
            return {}, Fraction(0)
        scale = Fraction(wait.end - wait.begin, whole)
        return {names(path): scale * ticks for path, ticks in delays.items()}, scale * length(waits)

    def indirect(self, wait):
        """{(steps, names of a path, location): ticks}"""
        found = collections.Counter()
        self.further(wait, Fraction(wait.end - wait.begin), 1, found)
        return found

    def further(self, wait, cost, steps, found):
        _, before, whole = self.division(wait)
        for other in before:
            passed = cost * (other.end - other.begin) / whole
            delays, _, all_of_it = self.division(other)
            for path, ticks in delays.items():
                found[steps, names(path), other.culprit] += float(passed * ticks / all_of_it)
            if passed > self.LEAST:
                self.further(other, passed, steps + 1, found)
