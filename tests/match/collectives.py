"""The naive judge of collective operations: replays the whole trace, as otf2-print prints it. It finds the members of each
operation, and which process waited for which.

The k-th operation of a communicator on one member is the k-th on every other member. Blocking operations are ordered by their
ends, non-blocking ones by their requests.
"""

import collections

import otf2print
from judge import Comms, Judge

BLOCKING, NON_BLOCKING = "MPI_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE"
EVENTS = ("MPI_COLLECTIVE_BEGIN", BLOCKING, "NON_BLOCKING_COLLECTIVE_REQUEST", NON_BLOCKING)
SELF, THIS_GROUP = 2**32 - 2, 2**32 - 3
UNKNOWN = "unknown"
ANY_PAIRS = ("ALLTOALLV", "ALLTOALLW")  # no waits are computed for these, unless all members send to all
ALL_TO_ALL = ["ALLREDUCE", "ALLGATHER", "ALLGATHERV", "ALLTOALL", "REDUCE_SCATTER",
              "REDUCE_SCATTER_BLOCK", "CREATE_HANDLE", "DESTROY_HANDLE", "ALLOCATE", "DEALLOCATE",
              "CREATE_HANDLE_AND_ALLOCATE", "DESTROY_HANDLE_AND_DEALLOCATE"]


class Part:
    """The part of one process in one operation."""

    __slots__ = ("location", "row", "begin", "end", "kind", "operation", "comm", "root", "sent", "received", "requested",
                 "sure", "n_to_n")


Member = collections.namedtuple("Member", "proc thread begin end wait completion sent received state")


class Location:
    def __init__(self, number, proc, thread):
        self.number, self.proc, self.thread = number, proc, thread
        self.time = self.rows = 0
        self.begin = None
        self.parts = {}       # {row: Part}
        self.run = []         # completions since no request was open
        self.posted = {}      # {id: (row, time)}, since the same time
        self.balance = 0
        self.operation_of = {}  # {row of any event: row of the END or COMPLETE}
        self.begin_row = None
        self.any_pairs = 0  # number of blocking operations of ANY_PAIRS so far

    def part(self, judge, kind, values, begin):
        part = Part()
        part.kind = kind
        part.location, part.row, part.begin, part.end = self, self.rows, begin, self.time
        part.operation, part.comm = values["operation"], values["comm"]
        part.sent, part.received = values["bytes"], values["received"]
        part.root = judge.root(part.comm, self.proc, values["root"])
        part.requested, part.sure = self.rows, True
        part.n_to_n = kind == BLOCKING and part.operation in ANY_PAIRS and self.exchanges_with_all(judge)
        self.parts[self.rows] = part
        self.operation_of[self.rows] = self.rows
        return part

    def exchanges_with_all(self, judge):
        known = judge.n_to_n.get(self.proc, [])
        self.any_pairs += 1
        return self.any_pairs <= len(known) and known[self.any_pairs - 1]

    def complete(self, judge, values):
        posted = self.posted.pop(values["request"], None)
        part = self.part(judge, NON_BLOCKING, values, posted[1] if posted else None)
        part.requested = posted[0] if posted else None
        if posted:
            self.operation_of[posted[0]] = self.rows
        self.run.append(part)
        self.balance -= 1

    def end_run(self):
        """Ends a run of completions. If one of them has no request, the completions give the order, and are not sure."""
        if any(part.requested is None for part in self.run):
            for part in self.run:
                part.requested, part.sure = part.row, False
        self.run, self.posted = [], {}

    def add_event(self, judge, event):
        self.time = max(self.time, event.time)
        if event.name not in EVENTS:
            return
        values = event.values()
        if event.name == EVENTS[0]:
            self.begin, self.begin_row = self.time, self.rows
        elif event.name == BLOCKING:
            self.part(judge, BLOCKING, values, self.begin)
            if self.begin is not None:
                self.operation_of[self.begin_row] = self.rows
            self.begin = None
        elif event.name == EVENTS[2]:
            self.posted[values["request"]] = self.rows, self.time
            self.balance += 1
        else:
            self.complete(judge, values)
        if event.name in EVENTS[2:] and self.balance == 0:
            self.end_run()
        self.rows += 1


class Operation:
    """`parts` has one Part, or None, for each of `members`, which are processes. `name` is the operation as which it is judged."""

    def __init__(self, members, parts, same_counts):
        self.members, self.parts = members, parts
        present = [part for part in parts if part]
        self.agreed = len({part.operation for part in present}) == 1 and len({part.root for part in present} - {UNKNOWN}) <= 1
        self.name = present[0].operation if present else None
        if self.name in ANY_PAIRS and all(part and part.n_to_n for part in parts):
            self.name = "ALLTOALL"
        self.certain = same_counts and self.agreed and len(present) == len(parts) and all(part.sure for part in present)


def waits(operation):
    """Returns [(wait, completion)] of the parts, by the formulas of Scalasca's patterns."""
    parts = [part for part in operation.parts if part and part.begin is not None]
    name = operation.name
    senders = [part for part in parts if part.sent]
    last = max((part.begin for part in parts), default=0)
    through = min((part.end for part in parts), default=0)
    result = {}
    for part in parts:
        wait = completion = 0
        if name == "BARRIER" or (name in ALL_TO_ALL and through > last):
            wait, completion = all_wait(part, last, through)
        elif name in ALL_TO_ALL and senders:
            sender = max(senders, key=lambda sender: sender.begin)
            participants = [member for member in parts if member is sender or (member.received and member.begin < sender.begin)]
            if part in participants:
                wait, completion = all_wait(part, sender.begin, min(member.end for member in participants))
        elif name in ("BCAST", "SCATTER", "SCATTERV") and part.received:
            begin = [member.begin for member in parts if member.root == member.location.proc]
            wait = max(0, min(begin[0], part.end) - part.begin) if begin else 0
        elif name in ("REDUCE", "GATHER", "GATHERV") and part.root == part.location.proc and senders:
            wait = max(0, min(max(member.begin for member in senders), part.end) - part.begin)
        elif name in ("SCAN", "EXSCAN"):
            earlier = [member.begin for member in parts[:parts.index(part) + 1] if member.sent]
            wait = max(0, min(max(earlier), part.end) - part.begin) if earlier else 0
        result[part] = wait, completion
    return [result.get(part) for part in operation.parts]


def all_wait(part, last, through):
    return max(0, min(last, part.end) - part.begin), part.end - max(through, min(last, part.end))


class CollectiveJudge:
    """`operation(part)` returns the Operation of a Part; None if the communicator's members are unknown.

    An archive does not say which members of ANY_PAIRS send to which. `n_to_n`, {process: [bool]}, says so for the blocking
    operations, in their order. True: the process sends something to each other member, and receives something from each."""

    def __init__(self, archive, n_to_n=None):
        self.n_to_n = n_to_n or {}
        definitions = otf2print.definitions(archive)
        self.ticks, self.offset = otf2print.clock(definitions)
        self.comms = Comms(definitions)
        self.processes = Judge.ranks_of(definitions)
        self.locations = {}
        threads = collections.Counter()
        masters = Judge.world_of(definitions)
        for number, proc in sorted(self.processes.items(), key=lambda item: item[0] not in masters):
            self.locations[number] = Location(number, proc, threads[proc])
            threads[proc] += 1
        self.first = None
        for event in otf2print.events(archive):
            self.first = event.time if self.first is None else self.first
            self.locations[event.location].add_event(self, event)
        for location in self.locations.values():
            location.end_run()
        self.origin = min(self.offset, self.first) if self.first is not None else self.offset
        self.orders = self.order_parts()

    def root(self, comm, proc, rank):
        """Returns the process of the root; None if there is none."""
        if rank is None:
            return None
        if rank == SELF:
            return proc
        if rank == THIS_GROUP:
            return UNKNOWN
        root = self.comms.process(comm, proc, rank)
        return UNKNOWN if root is None else root

    def order_parts(self):
        """Returns {(event, comm, process): [Part]}, in the order of the operations."""
        orders = collections.defaultdict(list)
        for location in self.locations.values():
            for part in location.parts.values():
                orders[part.kind, part.comm, location.proc].append(part)
        for (event, _, _), parts in orders.items():
            several = len({part.location for part in parts}) > 1
            if event == NON_BLOCKING and several:
                for part in parts:
                    part.sure, part.requested = False, part.row
            if several:
                parts.sort(key=lambda part: (part.end, part.location.number, part.row))
            else:
                parts.sort(key=lambda part: part.requested)
        return orders

    def members(self, comm, proc):
        """Returns the processes of a communicator, by rank; None if they are unknown."""
        groups = self.comms.comms.get(comm)
        if groups is None:
            return None
        return [proc] if groups[0] is None else [member for group in groups for member in group]

    def operation(self, part):
        members = self.members(part.comm, part.location.proc)
        if not members:
            return None
        orders = [self.orders.get((part.kind, part.comm, member), []) for member in members]
        k = self.orders[part.kind, part.comm, part.location.proc].index(part)
        parts = [order[k] if k < len(order) else None for order in orders]
        return Operation(members, parts, len({len(order) for order in orders}) == 1)

    def lines(self, operation):
        """Yields the lines that the trace must show for an operation."""
        times = waits(operation)
        state = "certain" if operation.certain else "uncertain"
        for member, part, wait in zip(operation.members, operation.parts, times):
            if not part:
                yield Member(member, None, None, None, None, None, None, None, state)
                continue
            judged = operation.agreed and part.kind == BLOCKING and operation.name not in ANY_PAIRS
            wait = wait if judged and wait else (None, None)
            begin = None if part.begin is None else part.begin - self.origin
            yield Member(member, part.location.thread, begin, part.end - self.origin, *wait, part.sent, part.received, state)
