"""The naive judge of late progress: who waited for the other side of a message to enter MPI again, though both had posted
before. docs/ANALYSIS.md has the rule. All completions of a trace are held in memory, and gone through as often as needed."""

import collections

from naive_waits import BLOCKING_SENDS, RECVS, SENDS, WAIT_MANY

# The least gaps of a second; the greatest bound in least gaps.
PER_SECOND, LEASTS_MOST = 50000, 250
KNOWN_LEAST, SHOWS, BOUND_BITS = 4, 4, 4
COMPLETING = BLOCKING_SENDS + ("MPI_Wait", "MPI_Waitany") + WAIT_MANY

# `record` waited until `end` for process `culprit`, which entered by the record `entered`.
Late = collections.namedtuple("Late", "record wait end culprit entered")
# A side of a message that completes at `record`; `enter` and `done`: of the calls in which the process `other` had posted its
# side, and in which that completes.
Side = collections.namedtuple("Side", "record other enter done kind")


def sides_of(waits):
    """Both sides of all messages. `kind`: what such messages have in common."""
    for process in waits.processes.values():
        for send in process.records:
            receive = send.other if send.name in SENDS else None
            if not receive or not send.done or not receive.start or receive.proc is process:
                continue
            start, size = receive.start, int(send.values["bytes"]).bit_length()
            if receive.end is receive and not receive.call.name.startswith("MPI_Test"):
                yield Side(receive, process, send.call.enter, send.done.call.enter, (True, start.call.enter > send.call.enter, size))
            if send.done.call.name in COMPLETING:
                yield Side(send.done, receive.proc, start.call.enter, receive.call.enter, (False, send.call.enter > start.call.enter, size))


def quarter_of(times):
    """Bits of the time that a quarter of all does not exceed."""
    return sorted(ticks.bit_length() for ticks in times)[(len(times) + 3) // 4 - 1] if times else 0


class Class:
    """Of messages of one kind: how long completions take; how long some waited that ended just behind the enter of the other side;
    and how long others took that ended while it was outside of MPI."""

    def __init__(self):
        self.taken, self.entered, self.without = [], [], []

    def bound(self, least, most):
        """The bits of the bound; None: these messages do not depend on the other side."""
        shortest = quarter_of(self.entered)
        without = sum(ticks.bit_length() >= shortest for ticks in self.without)
        if min(len(self.taken), len(self.entered)) < KNOWN_LEAST or len(self.entered) // 2 <= without:
            return None
        return max(min(quarter_of(self.taken) + BOUND_BITS, most), least)


class Progress:
    """`late`: of type Late."""

    def __init__(self, waits):
        self.least = waits.ticks // PER_SECOND
        self.most = (self.least * LEASTS_MOST).bit_length() - 1
        self.classes = collections.defaultdict(Class)
        self.candidates = collections.defaultdict(list)  # {call: [(side, gap, wait)]}
        for side in sides_of(waits):
            self.look(side)
        bounds = {kind: found.bound(self.least.bit_length(), self.most) for kind, found in self.classes.items()}
        self.late = [late for call in self.candidates if (late := self.judge(call, bounds))]

    def look(self, side):
        call, found = side.record.call, self.classes[side.kind]
        begin = max(call.enter, side.enter)
        taken = max(0, call.leave - begin)
        found.taken.append(taken)
        if taken < self.least:
            return
        gaps = [gap for gap in side.other.gaps if gap[1] - gap[0] >= self.least and gap[0] < call.leave]
        if gaps and gaps[-1][1] > call.leave:
            since = gaps.pop()[0]
            if call.leave - since >= self.least and (not gaps or gaps[-1][1] <= side.enter):
                found.without.append(taken)
        best = max(((end - max(since, begin), end, seq) for since, end, seq in gaps
                    if begin < end <= side.done and call.leave - end < 1 << self.most), default=None)
        if best and best[0] >= max(self.least, taken - best[0]):
            if call.leave - best[1] <= best[0] // SHOWS:
                found.entered.append(best[0])
            self.candidates[call].append((side, best))

    def judge(self, call, bounds):
        """The longest wait of a call, without its other waits."""
        found = self.candidates[call]
        process = found[0][0].record.proc
        others = [point for point in process.points.values() if point.wait and point.record.call is call]
        last = max([side.record for side, _ in found] + [point.record for point in others], key=lambda record: record.seq)
        over = max((call.enter + point.wait for point in others), default=0)
        good = [(wait, end, side.kind[:2], -side.record.seq, side.other, seq) for side, (wait, end, seq) in found
                if bounds[side.kind] and (call.leave - end).bit_length() <= bounds[side.kind]]
        if not good:
            return None
        wait, end, _, _, culprit, seq = max(good, key=lambda one: one[:4])
        wait = end - max(end - wait, over)
        return Late(last, wait, end, culprit, seq) if wait >= self.least else None
