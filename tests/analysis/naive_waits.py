"""The naive judge of waits: replays a whole trace, as otf2-print prints it. It finds which process waited for which, and the
points at which processes synchronised. All in memory, in exact ticks.

The judge uses the rules of Scalasca 2.6's patterns, which its analyser `scout` applies in passes over the trace. The judge
applies them to all messages and operations at once, in the order of these passes.
"""

import bisect
import collections

import otf2print
from collectives import ALL_TO_ALL, BLOCKING, CollectiveJudge
from judge import RECVS, REFERENCE, SENDS, Judge

ONE_TO_ALL, ALL_TO_ONE = ("BCAST", "SCATTER", "SCATTERV"), ("REDUCE", "GATHER", "GATHERV")
PREFIX = ("SCAN", "EXSCAN")
# These operations may move data between any pairs, and scout skips them. If all members send to all, they are judged as ALLTOALL.
ANY_PAIRS = ("ALLTOALLV", "ALLTOALLW")
WAIT_MANY = ("MPI_Waitall", "MPI_Waitsome")
BLOCKING_PROBE = "MPI_Mprobe"
BLOCKING_SENDS = ("MPI_Send", "MPI_Ssend")
# Number of late senders that are remembered, to find messages that were received in the wrong order.
REMEMBERED = 100
METRICS = {"late_sender": "mpi_latesender", "late_receiver": "mpi_latereceiver", "barrier": "mpi_barrier_wait",
           "n2n": "mpi_wait_nxn", "12n": "mpi_latebroadcast", "n21": "mpi_earlyreduce", "scan": "mpi_earlyscan",
           "finalize": "mpi_finalize_wait"}
COMPLETIONS = {"barrier": "mpi_barrier_completion", "n2n": "mpi_nxn_completion", "init": "mpi_init_completion"}


class Call:
    """A call: the path of its region from the outermost call, and its time."""

    __slots__ = ("path", "enter", "leave", "seq", "left")

    def __init__(self, path, enter, seq):
        self.path, self.enter, self.leave, self.seq, self.left = path, enter, None, seq, None

    @property
    def name(self):
        return self.path[-1]


class Record:
    """A record that may be a point, its place and its call. `other` is the other side of a message. `start` is the posting of a
    receive, or the send of a completion; `done` refers back from there."""

    __slots__ = ("proc", "seq", "name", "time", "call", "values", "other", "start", "done")

    def __init__(self, proc, seq, name, time, call):
        self.proc, self.seq, self.name, self.time, self.call = proc, seq, name, time, call
        self.values = self.other = self.start = self.done = None

    @property
    def end(self):
        """For a receive: the record at which the process waited for the message. A blocking probe that took the message counts as
        the posting."""
        return self.start if self.start and self.start.call.name == BLOCKING_PROBE else self


class Point:
    """A synchronisation of `record` with the processes `ranks`. `wait` is a part of `total`, the length of the call; `completion`
    is the call's work. `kind` is the kind of the wait; None at a point where other processes waited."""

    __slots__ = ("record", "kind", "wait", "total", "completion", "ranks", "operation", "latest")

    def __init__(self, record, kind, wait, completion, ranks, total=None):
        self.record, self.kind, self.wait, self.completion, self.ranks = record, kind, wait, completion, ranks
        self.total = record.call.leave - record.call.enter if total is None else total
        self.operation = self.latest = None


class Process:
    """The calls and records of a process; only one of its locations has messages."""

    def __init__(self, number, location):
        self.number, self.location = number, location
        self.stack, self.records = [], []
        self.charges = []  # (seq, path, ticks), by seq
        self.spans = []    # (begin, end, path), by time; the path outside of calls is empty
        self.points = {}   # {seq: Point}
        self.gaps = []     # (begin, end, seq of the ENTER at the end): times outside of MPI, by time
        self.left = None   # time of the last LEAVE of MPI
        self.last = self.program = None
        self.time = 0
        self.seq, self.program = 0, None

    def charge(self, path):
        if path:
            self.charges.append((self.seq, path, self.time - self.last))
        if self.time > self.last:
            self.spans.append((self.last, self.time, path))
        self.last = self.time

    def add_event(self, event, regions):
        self.time = event.time
        if self.last is None:
            self.last = self.time
        if event.name == "ENTER":
            outer = self.stack[-1].path if self.stack else ()
            self.charge(outer)
            name = regions[int(REFERENCE.search(event.text.rstrip())[1])]
            if name.startswith("MPI_") and not self.in_mpi() and self.left is not None:
                self.gaps.append((self.left, self.time, self.seq))
            self.stack.append(Call(outer + (name,), self.time, self.seq))
        elif event.name == "PROGRAM_BEGIN":
            self.charge(())
            # The program is a call, named after the last part of its path.
            self.program = event.values()["program"].rsplit("/", 1)[-1]
            self.stack.append(Call((self.program,), self.time, self.seq))
        elif event.name in ("LEAVE", "PROGRAM_END") and self.stack:
            self.charge(self.stack[-1].path)
            self.leave(event, regions)
        elif self.stack:
            self.records.append(Record(self, self.seq, event.name, self.time, self.stack[-1]))
            self.records[-1].values = event.values()
        self.seq += 1

    def leave(self, event, regions):
        """Ends the innermost call of the region, and the calls in it that lack a LEAVE."""
        name = self.program if event.name == "PROGRAM_END" else regions[int(REFERENCE.search(event.text.rstrip())[1])]
        if name not in [call.name for call in self.stack]:
            return
        call, before = None, self.in_mpi()
        while call is None or call.name != name:
            call = self.stack.pop()
            call.leave, call.left = self.time, self.seq
        if before and not self.in_mpi():
            self.left = self.time
        self.records.append(Record(self, self.seq, "LEAVE", self.time, call))

    def in_mpi(self):
        return any(call.name.startswith("MPI_") for call in self.stack)

    def end(self):
        if self.last is not None and self.time > self.last:
            self.spans.append((self.last, self.time, self.stack[-1].path if self.stack else ()))
        for call in self.stack:
            call.leave, call.left = self.time, self.seq

    def add_point(self, point):
        """Adds a point; an earlier point of the same record stays."""
        self.points.setdefault(point.record.seq, point)

    def is_wait(self, record):
        return record.seq in self.points and self.points[record.seq].wait > 0

    def times(self, start, end):
        """Returns {path: ticks} between two points; if `start` is None, from the beginning."""
        times = collections.Counter()
        begin = 0 if start is None else start.record.seq
        first = bisect.bisect_left(self.charges, (begin,))
        for _, path, ticks in self.charges[first:bisect.bisect_left(self.charges, (end.record.seq,))]:
            times[path] += ticks
        return times

    def times_within(self, begin, end):
        """Returns {path: ticks} of a window of time; the path outside of calls is empty."""
        times = collections.Counter()
        for i in range(max(bisect.bisect_right(self.spans, (begin,)) - 1, 0), len(self.spans)):
            since, until, path = self.spans[i]
            if since >= end:
                break
            times[path] += max(0, min(until, end) - max(since, begin))
        return +times

    def between(self, start, end):
        """Returns the points after one and before another, in order."""
        begin = -1 if start is None else start.record.seq
        return [self.points[seq] for seq in sorted(self.points) if begin < seq < end.record.seq]

    def previous(self, point, proc):
        """Returns the last point before `point` at which the process synchronised with `proc`."""
        found = [seq for seq in self.points if seq < point.record.seq and proc in self.points[seq].ranks]
        return self.points[max(found)] if found else None


class Waits:
    """`processes`, by number; `sums`, {(metric, path, location): ticks}; `collectives`, [(kind, records, latest record)].
    CollectiveJudge explains `n_to_n`."""

    def __init__(self, archive, n_to_n=None):
        definitions = otf2print.definitions(archive)
        self.ticks, _ = otf2print.clock(definitions)
        regions = otf2print.named_definitions(definitions, "REGION")
        self.matches, self.operations = Judge(archive), CollectiveJudge(archive, n_to_n)
        ranks = Judge.ranks_of(definitions)
        self.processes = {}
        for location, proc in ranks.items():
            self.processes.setdefault(proc, Process(proc, location))
        for event in otf2print.events(archive):
            process = self.processes[ranks[event.location]]
            if process.location == event.location:
                process.add_event(event, regions)
        for process in self.processes.values():
            process.end()
        self.sums = collections.Counter()
        self.pair_messages()
        self.add_late_senders()
        self.add_bounds()
        self.collectives = list(self.all_collectives())
        self.add_late_receivers()
        self.add_postings()

    @property
    def program(self):
        """Returns the name of the program, whose call is around all others; None if the archive lacks it."""
        return next((process.program for process in self.processes.values() if process.program), None)

    def add(self, metric, record, ticks):
        if ticks:
            self.sums[metric, record.call.path, record.proc.location] += ticks

    # ---- Messages.

    def pair_messages(self):
        rows = {}
        for process in self.processes.values():
            counts, opened = collections.Counter(), {}
            for record in process.records:
                kind = "send" if record.name in SENDS else "receive" if record.name in RECVS else None
                if kind:
                    rows[process.location, kind, counts[kind]] = record
                    counts[kind] += 1
                self.link(record, opened)
        for send, receive in self.matches.pairs():
            if send and receive:
                a = rows.get((send.location.number, "send", send.row))
                b = rows.get((receive.location.number, "receive", receive.row))
                if a and b:
                    a.other, b.other = b, a
                    b.end.other = a

    @staticmethod
    def link(record, opened):
        request = record.values.get("request") if record.values else None
        if record.name in ("MPI_SEND", "MPI_RECV"):
            record.start = record.done = record
        elif record.name == "MPI_ISEND":
            opened["send", request] = record
        elif record.name == "MPI_IRECV_REQUEST":
            opened["receive", request] = record
        elif record.name in ("MPI_ISEND_COMPLETE", "MPI_IRECV"):
            record.start = opened.pop(("send" if record.name == "MPI_ISEND_COMPLETE" else "receive", request), None)
            if record.start:
                record.start.done = record

    def late_sender(self, receive, wait):
        send = receive.other
        self.add("mpi_latesender", receive, wait)
        completion = max(0, receive.call.leave - send.call.leave)
        receive.proc.add_point(Point(receive, "late_sender", wait, completion, {send.proc.number}))

    def add_late_senders(self):
        self.candidates = set()
        for process in self.processes.values():
            most, remembered, taken = (0, None), collections.deque(maxlen=REMEMBERED), []
            for record in process.records:
                if record.name == "LEAVE":
                    if most[0] and record.call.name in WAIT_MANY:
                        self.late_sender(most[1], most[0])
                        remembered.append(most[::-1])
                    most = (0, None)
                if record.name not in RECVS or not record.other or not record.call.name.startswith("MPI_"):
                    continue
                end = record.end
                wait = min(record.other.call.enter, end.call.leave) - end.call.enter
                if wait > 0 and end.call.name in WAIT_MANY:
                    self.candidates.add(end.call)
                    most = max(most, (wait, end), key=lambda item: item[0])
                elif wait > 0 and not end.call.name.startswith("MPI_Test"):
                    self.late_sender(end, wait)
                    if not self.overtaken(end, wait, taken):
                        remembered.append((end, wait))
                self.wrong_order(record, remembered)
                taken.append((end.seq, record))

    def overtaken(self, end, wait, taken):
        """Returns True if the probe took a message that had been sent after another message, which was received later. The first
        of these messages counts."""
        late = [item for item in taken if item[0] > end.seq and item[1].other.time < end.other.time]
        if late:
            self.add_wrong_order(end, wait, min(late, key=lambda item: item[0])[1])
        return bool(late)

    def add_wrong_order(self, end, wait, receive):
        self.add("mpi_latesender_wo", end, wait)
        self.add("mpi_lswo_same" if end.other.proc is receive.other.proc else "mpi_lswo_different", end, wait)

    def wrong_order(self, receive, remembered):
        """Adds waits in the wrong order: the process waited for their messages before `receive`, but they were sent after it."""
        for late in [late for late in remembered if late[0].other.time > receive.other.time and late[0].seq <= receive.end.seq]:
            remembered.remove(late)
            self.add_wrong_order(*late, receive)

    def add_late_receivers(self):
        """Finds late receivers, in the reverse order of the sends. A send for which a process waited is a point of the sender,
        too."""
        for process in self.processes.values():
            many = collections.Counter(record.call for record in process.records if record.name == "MPI_ISEND_COMPLETE"
                                       and record.call.name in WAIT_MANY and record.call not in self.candidates)
            most = {}
            for send in reversed(process.records):
                if send.name not in SENDS or not send.other:
                    continue
                receive = send.other
                if receive.proc.is_wait(receive.end):
                    completion = max(0, send.call.leave - receive.end.call.leave)
                    process.add_point(Point(send, None, 0, completion, {receive.proc.number}))
                if not send.done or not receive.start:
                    continue
                call, posting = send.done.call, receive.start.call
                wait = posting.enter - call.enter if call.leave > posting.enter else 0
                if call.name in BLOCKING_SENDS + ("MPI_Wait", "MPI_Waitany"):
                    if wait > 0:
                        self.late_receiver(send, wait)
                elif call in many:
                    if wait > most.get(call, (0,))[0]:
                        most[call] = wait, send
                    many[call] -= 1
                    if many[call] == 0 and call in most:
                        self.late_receiver(most[call][1], most[call][0])

    def late_receiver(self, send, wait):
        self.add("mpi_latereceiver", send.done, wait)
        # scout uses the smaller value here, but the greater one everywhere else.
        completion = min(0, send.done.call.leave - send.other.start.call.leave)
        send.proc.add_point(Point(send.done, "late_receiver", wait, completion, {send.other.proc.number}))

    def add_postings(self):
        """Adds the posting of a receive as a point of the receiver if a sender waited for it."""
        for process in self.processes.values():
            for receive in process.records:
                send = receive.other if receive.name in RECVS else None
                if send and send.done and receive.start and send.proc.is_wait(send.done):
                    completion = max(0, receive.start.call.leave - send.done.call.leave)
                    process.add_point(Point(receive.start, None, 0, completion, {send.proc.number}))

    # ---- Operations of many.

    def add_bounds(self):
        """Adds the ends of MPI_Init and MPI_Finalize: all processes synchronise there."""
        for names, kind in ((("MPI_Init", "MPI_Init_thread"), "init"), (("MPI_Finalize",), "finalize")):
            ends = [next((r for r in p.records if r.name == "LEAVE" and r.call.name in names), None)
                    for p in self.processes.values()]
            ends = [end for end in ends if end]
            if not ends:
                continue
            last, through = max(end.call.enter for end in ends), min(end.time for end in ends)
            for end in ends:
                wait, completion = all_wait(end.call.enter, end.time, last, through)
                # The judge finds no cause of waits in MPI_Init.
                wait = wait if kind == "finalize" else 0
                self.add_collective_point(end, kind, wait, completion, set(self.processes))

    def add_collective_point(self, record, kind, wait, completion, ranks):
        record.proc.add_point(Point(record, kind, wait, completion, ranks))
        if kind in METRICS:
            self.add(METRICS[kind], record, wait)
        if kind in COMPLETIONS:
            self.add(COMPLETIONS[kind], record, completion)

    def all_collectives(self):
        """Yields (kind, [record of each process], record of the late process) for each operation with points."""
        rows = {}
        for process in self.processes.values():
            ends = [r for r in process.records if "COLLECTIVE" in r.name]
            rows.update({(process.location, i): record for i, record in enumerate(ends)})
        seen = set()
        for location in self.operations.locations.values():
            for part in location.parts.values():
                operation = self.operations.operation(part)
                parts = [p for p in operation.parts if p] if operation else []
                key = frozenset(map(id, parts))
                if part.kind != BLOCKING or len(parts) < 2 or key in seen or operation.name in ANY_PAIRS:
                    continue
                seen.add(key)
                found = self.collective(operation.name, parts, {p: rows[p.location.number, p.row] for p in parts})
                if found:
                    yield found

    def collective(self, name, parts, records):
        last, through = max(p.begin for p in parts), min(p.end for p in parts)
        senders = [p for p in parts if p.sent]
        latest = max(parts, key=lambda p: p.begin)
        procs = {p.location.proc for p in parts}
        root = next((p for p in parts if p.root == p.location.proc), None)
        if name == "BARRIER" or (name in ALL_TO_ALL and through > last and any(p.sent or p.received for p in parts)):
            kind, members, ranks = "barrier" if name == "BARRIER" else "n2n", parts, lambda p: procs
        elif name in ALL_TO_ALL and senders:
            kind, latest = "n2n", max(senders, key=lambda p: p.begin)
            members = [p for p in parts if p is latest or (p.received and p.begin < latest.begin)]
            ranks = lambda p: {q.location.proc for q in members}
        elif name in ONE_TO_ALL and root and root.sent:
            kind, latest = "12n", root
            members = [p for p in parts if p.received and p.begin < root.begin]
            waiters = {p.location.proc for p in members} - {root.location.proc}
            through = min((p.end for p in members), default=0)
            members = members + [root] if members else []
            ranks = lambda p: waiters if p is root else {root.location.proc}
        elif name in ALL_TO_ONE and root and root.received and senders:
            kind, latest = "n21", max(senders, key=lambda p: p.begin)
            members = [root, latest] if root.begin < latest.begin else []
            ranks = lambda p: {(latest if p is root else root).location.proc}
        elif name in PREFIX:
            for i, p in enumerate(parts):
                earlier = max((q.begin for q in parts[:i + 1] if q.sent), default=0)
                self.add("mpi_earlyscan", records[p], max(0, min(earlier, p.end) - p.begin))
            return None
        else:
            return None
        if kind in ("n2n", "n21"):
            through = min((p.end for p in members), default=0)
        for p in members:
            wait, completion = all_wait(p.begin, p.end, latest.begin, through)
            self.add_collective_point(records[p], kind, wait, completion, ranks(p))
        return kind, [records[p] for p in parts], records[latest]


def all_wait(begin, end, last, through):
    """Returns (wait, completion) of a member of an operation from `begin` to `end`, which the last member enters at `last`."""
    last = min(last, end)
    return max(0, last - begin), max(0, end - max(through, last))
