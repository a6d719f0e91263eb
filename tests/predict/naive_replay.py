"""The naive judge of a run on another network, without contention. It reads the output of otf2-print.

A rank computes as long as it did; calls of MPI take no time of their own. A message of b bytes arrives L + b / B after its send. A message
of `eager` or more bytes begins only when its receive is posted, and its sender waits until it arrives. Collective operations are messages
of their members.
"""

import collections

from collectives import ANY_PAIRS, BLOCKING
from judge import RECVS, SENDS
from naive_ideal import Outside
from naive_waits import ALL_TO_ONE, ONE_TO_ALL, PREFIX

# Seconds, bytes a second, bytes; `envelope`: bytes of each message in front of its data.
Network = collections.namedtuple("Network", "latency bandwidth eager envelope")
BUFFERED = ("MPI_Bsend", "MPI_Ibsend")


class Message:
    """Seconds at which the message was sent and its receive posted; None before."""

    __slots__ = ("bytes", "sent", "posted")

    def __init__(self, size):
        self.bytes, self.sent, self.posted = size, None, None

    def arrival(self, network):
        """Returns when the message arrives; None if this is not known yet."""
        waits = self.bytes >= network.eager
        if self.sent is None or (waits and self.posted is None):
            return None
        return (max(self.sent, self.posted) if waits else self.sent) + network.latency + (network.envelope + self.bytes) / network.bandwidth


# ---- Collective operations.


def power_below(n):
    power = 1
    while 2 * power < n:
        power *= 2
    return power


def tree(first, n):
    """Returns the edges (parent, child, members below) of a binomial tree, the greatest subtree of a member first."""
    if n < 2:
        return []
    half = power_below(n)
    return [(first, first + half, n - half), *tree(first, half), *tree(first + half, n - half)]


def distances(n):
    return [1 << k for k in range((n - 1).bit_length())]


def rounds(name, n, rank, root, sent):
    """Returns [(to, from, blocks)] of a member, and the bytes of a block. `sent`: what all members together send."""
    if name in ONE_TO_ALL + ALL_TO_ONE:
        own, found = (rank - root) % n, []
        for parent, child, below in tree(0, n):
            blocks = 1 if name in ("BCAST", "REDUCE") else below
            parent_rank, child_rank = (parent + root) % n, (child + root) % n
            if name in ONE_TO_ALL and own in (parent, child):
                found.append((child_rank, None, blocks) if own == parent else (None, parent_rank, blocks))
            elif own in (parent, child):
                found.insert(0, (parent_rank, None, blocks) if own == child else (None, child_rank, blocks))
        return found, round_half_up(sent, n)
    if name in PREFIX:
        return [(rank + d if rank + d < n else None, rank - d if rank >= d else None, 1) for d in distances(n)
                if rank + d < n or rank >= d], round_half_up(sent, n * (n + 1) // 2)
    if name.startswith("ALLTOALL"):
        steps = [(d, 1) for d in range(1, n)]
    else:
        steps = [(d, {"BARRIER": 0, "ALLREDUCE": 1}.get(name, min(d, n - d))) for d in distances(n)]
        steps = steps[::-1] if name.startswith("REDUCE_SCATTER") else steps
    return [((rank + d) % n, (rank - d) % n, blocks) for d, blocks in steps], round_half_up(sent, n * n)


def round_half_up(sent, blocks):
    return (sent + blocks // 2) // blocks


# ---- Actions.


class Recorded:
    """`ranks`: for each process [(action, value)]: compute SECONDS, send MESSAGE, sent, post and received. A rank waits in the actions
    sent and received."""

    def __init__(self, waits):
        self.waits, self.messages = waits, {}
        self.of_operations = collections.defaultdict(dict)
        self.ranks = [self.actions_of(process) for _, process in sorted(waits.processes.items())]

    def message(self, send):
        return self.messages.setdefault(send, Message(send.values["bytes"]))

    def actions_of(self, process):
        outside, before, actions, calls = Outside(process), 0, [], collections.defaultdict(list)
        for record in process.records:
            calls[record.call].append(record)
        n_ends = 0
        for record in process.records:
            own = self.actions_of_record(record, calls[record.call])
            if "COLLECTIVE" in record.name:
                own = self.actions_of_operation(process, n_ends) if record.name == BLOCKING else []
                n_ends += 1
            now = outside.until(record.time)
            if own:
                actions += [("compute", (now - before) / self.waits.ticks), *own]
                before = now
        return actions + [("compute", (outside.sums[-1] - before) / self.waits.ticks)]

    def actions_of_record(self, record, in_call):
        """Returns the actions of a record of a message. The last record of a call that sends and receives has all of them."""
        both = {"MPI_SEND", "MPI_RECV"} <= {other.name for other in in_call}
        if both and record.name in ("MPI_SEND", "MPI_RECV"):
            if record is not [other for other in in_call if other.name in ("MPI_SEND", "MPI_RECV")][-1]:
                return []
            found = [action for other in in_call for action in self.actions_of_record(other, [])]
            return sorted(found, key=lambda action: ["post", "send", "received", "sent"].index(action[0]))
        ends = {"MPI_ISEND_COMPLETE": record.start, "MPI_IRECV_REQUEST": record.done and record.done.other}
        send = record if record.name in SENDS else record.other if record.name in RECVS else ends.get(record.name)
        if not send or not send.other or send.other.proc is send.proc:
            return []
        names = {"MPI_SEND": ("send", "sent"), "MPI_ISEND": ("send",), "MPI_ISEND_COMPLETE": ("sent",), "MPI_IRECV_REQUEST": ("post",),
                 "MPI_RECV": ("post", "received"), "MPI_IRECV": ("received",) if record.start else ("post", "received")}[record.name]
        return [(name, self.message(send)) for name in names if name != "sent" or send.call.name not in BUFFERED]

    def actions_of_operation(self, process, row):
        """Returns the actions at the end of an operation, by the number of its record among the records of operations."""
        part = self.waits.operations.locations[process.location].parts.get(row)
        operation = part and self.waits.operations.operation(part)
        parts = operation.parts if operation else []
        if len(parts) < 2 or None in parts or operation.name in ANY_PAIRS or "HANDLE" in operation.name or "ALLOC" in operation.name:
            return []
        rank, actions, counts = parts.index(part), [], collections.Counter()
        root = [other.location.proc for other in parts].index(part.root) if operation.name in ONE_TO_ALL + ALL_TO_ONE else 0
        found, block = rounds(operation.name, len(parts), rank, root, sum(other.sent for other in parts))
        shared = self.of_operations[tuple((other.location.number, other.row) for other in parts)]
        for to, sender, blocks in found:
            ends = [(name, pair) for name, pair in (("post", (sender, rank)), ("send", (rank, to))) if None not in pair]
            counts.update(pair for _, pair in ends)
            ends = [(name, shared.setdefault((*pair, counts[pair]), Message(blocks * block))) for name, pair in ends]
            actions += ends + [({"post": "received", "send": "sent"}[name], message) for name, message in ends]
        return actions


def step(clocks, rank, action, value, network):
    """Does an action. Returns False if the rank has to wait until others have advanced."""
    if action == "compute":
        clocks[rank] += value
    elif action == "send":
        value.sent = clocks[rank]
    elif action == "post":
        value.posted = clocks[rank]
    else:
        arrival = value.arrival(network)
        if action == "sent" and value.bytes < network.eager:
            return True
        if arrival is None:
            return False
        clocks[rank] = max(clocks[rank], arrival)
    return True


def replay(ranks, network):
    """Returns the seconds at which each rank ends. `ranks`: the actions of each."""
    remaining = [collections.deque(actions) for actions in ranks]
    clocks, progressing = [0.0] * len(remaining), True
    while progressing:
        progressing = False
        for rank, actions in enumerate(remaining):
            while actions and step(clocks, rank, *actions[0], network):
                actions.popleft()
                progressing = True
    if any(remaining):
        raise ValueError("the program is stuck: some processes wait for each other")
    return clocks


# ---- Exported files.


class Exported:
    """`ranks`: the actions of each file of `xtf export ti --expand`. The k-th send and the k-th receive of a pair with one tag match, and
    so do the k-th wait and the k-th request."""

    def __init__(self, folder):
        self.messages, self.counts = collections.defaultdict(lambda: Message(None)), collections.Counter()
        names = (folder / "trace.ti").read_text(encoding="utf-8").split()
        self.ranks = [self.read(rank, (folder / name).read_text(encoding="utf-8").splitlines()) for rank, name in enumerate(names)]

    def next(self, name, rank, *key):
        self.counts[name, rank, key] += 1
        return self.messages[*key, self.counts[name, rank, key]]

    def read(self, rank, lines):
        actions, words = [], [line.split() for line in lines]
        if [words[0], words[-1]] != [[str(rank), "init"], [str(rank), "finalize"]]:
            raise ValueError(f"the file of rank {rank} begins with {words[0]} and ends with {words[-1]}")
        for own, name, *values in words[1:-1]:
            if own != str(rank):
                raise ValueError(f"the file of rank {rank} has an action of rank {own}")
            if name == "compute":
                actions.append(("compute", int(values[0]) / 1e9))
            elif name == "wait":
                sender, receiver, tag = map(int, values)
                end = "sent" if sender == rank else "received"
                actions.append((end, self.next(end, rank, sender, receiver, tag)))
            else:
                actions += self.messages_of(rank, name, *map(int, values))
        return actions

    def messages_of(self, rank, name, peer, tag, size, kind):
        """Returns the actions of send, isend, recv or irecv."""
        ends = ("send", "sent") if name.endswith("send") else ("post", "received")
        pair = (rank, peer) if name.endswith("send") else (peer, rank)
        message = self.next(ends[0], rank, *pair, tag)
        size *= {6: 1, 0: 8}[kind]
        if message.bytes not in (None, size):
            raise ValueError(f"a message of rank {rank} has {size} bytes at one end, and {message.bytes} at the other")
        message.bytes = size
        if name.startswith("i"):
            return [(ends[0], message)]
        return [(ends[0], message), (ends[1], self.next(ends[1], rank, *pair, tag))]
