"""The naive judge of late progress: which process waited for the other side of a message to enter MPI again, though both had
posted before. The rule is in docs/ANALYSIS.md, its bounds are in src/analysis/waits/find-progress.c. The judge holds all completions
of a trace in memory."""

import collections

from naive_waits import BLOCKING_SENDS, RECVS, SENDS, WAIT_MANY

# Number of least gaps in a second; greatest bound, in least gaps.
PER_SECOND, LEASTS_MOST = 50000, 250
KNOWN_LEAST, SHOWS, BOUND_BITS = 4, 4, 4
COMPLETING = BLOCKING_SENDS + ("MPI_Wait", "MPI_Waitany") + WAIT_MANY

# A wait: `record` waited until `end` for process `culprit`, which entered by the record `entered`.
Late = collections.namedtuple("Late", "record wait end culprit entered")
# A side of a message that completes at `record`. Process `other` posted its side in the call that began at `enter`. Its side
# completes in the call that began at `done`.
Side = collections.namedtuple("Side", "record other enter done kind")


def sides_of(waits):
    """Yields both sides of all messages. `kind`: the key of the class of such messages."""
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
    """Returns the bits of the time that a quarter of all times does not exceed."""
    return sorted(ticks.bit_length() for ticks in times)[(len(times) + 3) // 4 - 1] if times else 0


class Class:
    """Messages of one kind. `taken`: times of completions. `entered`: waits that ended soon after the other side entered MPI.
    `without`: times of completions that ended while the other side was outside of MPI."""

    def __init__(self):
        self.taken, self.entered, self.without = [], [], []

    def bound(self, least, most):
        """Returns the bits of the bound; None if these messages do not depend on the other side."""
        shortest = quarter_of(self.entered)
        without = sum(ticks.bit_length() >= shortest for ticks in self.without)
        if min(len(self.taken), len(self.entered)) < KNOWN_LEAST or len(self.entered) // 2 <= without:
            return None
        return max(min(quarter_of(self.taken) + BOUND_BITS, most), least)


class Progress:
    """`late`: a list of Late."""

    def __init__(self, waits):
        self.least = waits.ticks // PER_SECOND
        self.most = (self.least * LEASTS_MOST).bit_length() - 1
        self.classes = collections.defaultdict(Class)
        self.candidates = collections.defaultdict(list)  # {call: [(side, gap, wait)]}
        for side in sides_of(waits):
            self.add_side(side)
        bounds = {kind: found.bound(self.least.bit_length(), self.most) for kind, found in self.classes.items()}
        self.late = [late for call in self.candidates if (late := self.judge(call, bounds))]

    def add_side(self, side):
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
        """Returns the longest wait for progress in a call, without the call's other waits."""
        found = self.candidates[call]
        process = found[0][0].record.proc
        other_waits = [point for point in process.points.values() if point.wait and point.record.call is call]
        last = max([side.record for side, _ in found] + [point.record for point in other_waits], key=lambda record: record.seq)
        waited_until = max((call.enter + point.wait for point in other_waits), default=0)
        accepted = [(wait, end, side.kind[:2], -side.record.seq, side.other, seq) for side, (wait, end, seq) in found
                if bounds[side.kind] and (call.leave - end).bit_length() <= bounds[side.kind]]
        if not accepted:
            return None
        wait, end, _, _, culprit, seq = max(accepted, key=lambda one: one[:4])
        wait = end - max(end - wait, waited_until)
        return Late(last, wait, end, culprit, seq) if wait >= self.least else None
