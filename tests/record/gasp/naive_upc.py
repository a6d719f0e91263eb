"""The naive judge of waits in UPC programs. It replays the records of a trace, with the formulas of docs/UPC.md over the times of
calls. A wait is (process, kind, begin, end, culprit)."""

import collections

IN_ALL, IN_OWN, IN_NONE, OUT_ALL = 1, 2, 4, 8
FROM_ROOT, TO_ROOT, ALL_TO_ALL = ("BCAST", "SCATTER"), ("GATHER", "REDUCE"), ("ALLGATHER", "ALLTOALL")


class Call:
    def __init__(self, region, enter):
        self.region, self.enter, self.leave = region, enter, None


class Member:
    """A thread in a collective operation."""

    def __init__(self, process, record, begin, begin_call, call, accesses):
        self.process, self.record, self.begin, self.begin_call, self.call = process, record, begin, begin_call, call
        self.end, self.operation, self.root, self.mode = record.time, record.operation, record.root, record.sync_level // 256
        self.accesses = accesses if begin_call is call else []


class Replay:
    def __init__(self, trace):
        self.waits, self.operations = [], collections.defaultdict(list)
        self.requests, self.releases = [], []
        for process in trace.processes():
            self.read(process, trace.records[process << 32])
        for number in sorted(self.operations):
            self.judge(self.operations[number])
        for process, lock, call, acquired in self.requests:
            self.lockptr(process, lock, call, acquired)

    def read(self, process, records):
        stack, begin, accesses, n = [], None, [], 0
        for record in records:
            if record.event == "ENTER":
                stack.append(Call(record.region, record.time))
            elif record.event == "LEAVE":
                stack.pop().leave = record.time
            elif record.event == "RMA_COLLECTIVE_BEGIN":
                begin, accesses = (record.time, stack[-1]), []
            elif record.event == "RMA_COLLECTIVE_END":
                self.operations[n].append(Member(process, record, *begin, stack[-1], accesses))
                n += 1
            elif record.event in ("RMA_GET", "RMA_PUT"):
                accesses.append((stack[-1], record.peer))
            elif record.event == "RMA_ACQUIRE_LOCK":
                self.requests.append((process, (record.peer, record.lock), stack[-1], record.time))
            elif record.event == "RMA_RELEASE_LOCK":
                self.releases.append((process, (record.peer, record.lock), stack[-1]))

    def add(self, process, kind, begin, end, culprit):
        if end > begin:
            self.waits.append((process, kind, begin, end, culprit))

    def lockptr(self, process, lock, call, acquired):
        """The lockptr of an acquisition is the last release of the lock before. The wait lasts until the call that releases ends."""
        before = [(release.leave, holder) for holder, name, release in self.releases if name == lock and release.leave <= acquired]
        if before and max(before)[1] != process:
            self.add(process, "lock_competition", call.enter, max(before)[0], max(before)[1])

    def judge(self, members):
        name = members[0].operation
        if name == "ALLOCATE":
            root = members[0]
            for m in members:
                self.add(m.process, "wait_alloc", m.begin, min(root.begin, m.end), root.process)
        elif name == "BARRIER":
            self.all_with_all(members, "wait_barrier", "barrier_completion")
        else:
            self.exchange(name, members)

    def all_with_all(self, members, kind, completion):
        last = max(members, key=lambda m: (m.begin, -m.process))
        first_end = min(m.end for m in members)
        if kind == "wait_nxn" and first_end <= last.begin:
            members = [m for m in members if m is last or m.begin < last.begin]
            first_end = min(m.end for m in members)
        for m in members:
            released = min(last.begin, m.end)
            self.add(m.process, kind, max(m.begin, m.call.enter), released, last.process)
            self.add(m.process, completion, max(first_end, released, m.call.enter), m.end, None)

    def exchange(self, name, members):
        last = max(members, key=lambda m: (m.begin, -m.process))
        if name in ALL_TO_ALL and not members[0].mode & IN_NONE:
            self.all_with_all(members, "wait_nxn", "nxn_completion")
        done = []
        for rank, m in enumerate(members):
            at = max(m.begin, self.data(name, members, rank, last))
            if m.mode & IN_ALL and last.begin > at:
                until = min(last.begin, m.end)
                self.add(m.process, "wait_entry", at, until, last.process)
                at = until
            for call, peer in m.accesses:
                until = min(members[peer].begin, call.enter)
                if m.mode & IN_OWN:
                    self.add(m.process, "wait_inside", at, until, peer)
                at = max(at, call.leave)
            done.append(min(at, m.end))
        latest, first_end = max(done), min(m.end for m in members)
        for rank, m in enumerate(members):
            if m.mode & OUT_ALL:
                self.add(m.process, "wait_exit", done[rank], min(latest, first_end, m.end), done.index(latest))

    def data(self, name, members, rank, last):
        """Returns when the member's data are there. Adds the wait, unless all wait for all."""
        m, sender, kind = members[rank], None, None
        if m.mode & IN_NONE:
            return m.begin
        if name in FROM_ROOT:
            sender, kind = members[m.root], "late_broadcast"
        elif name in TO_ROOT and rank == m.root:
            sender, kind = last, "early_reduce"
        elif name == "SCAN":
            sender, kind = max(members[:rank + 1], key=lambda x: (x.begin, -x.process)), "early_scan"
        elif name in ALL_TO_ALL:
            return min(last.begin, m.end)
        if not sender:
            return m.begin
        until = min(sender.begin, m.end)
        self.add(m.process, kind, m.begin, until, sender.process)
        return until
