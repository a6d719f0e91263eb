"""Programs for compensation: a simulator of message passing with the costs of probes, independent of xtf.

A program is a list of steps for each process. simulate() runs it with the costs of a recorder and returns the records. Without
costs these are the truth. The rules:
- After each record the process spends the cost of the record's probe.
- A message leaves after the probe of its send, and arrives after a latency that depends on the pair and the bytes.
- A receive completes RECEIVE ticks after the message has arrived and the call has begun; Waitall after the last message.
- An operation ends a time T, of the step, after all members that the end needs have begun.
"""

import collections
import random

RECEIVE = 9
ANY = None
# OTF2's numbers of operations, and who waits for whom.
OPERATIONS = {"MPI_Barrier": (0, "all"), "MPI_Bcast": (1, "from root"), "MPI_Gather": (2, "to root"), "MPI_Allreduce": (11, "all"),
              "MPI_Reduce": (12, "to root"), "MPI_Scan": (14, "scan")}
REGIONS = ["main", "solve", "tiny", "MPI_Send", "MPI_Isend", "MPI_Recv", "MPI_Irecv", "MPI_Waitall", "MPI_Sendrecv", "MPI_Finalize",
           *OPERATIONS]
REGION = {name: i for i, name in enumerate(REGIONS)}
NO_ROOT = 2**32 - 1

Record = collections.namedtuple("Record", "time kind numbers")


class Costs:
    """Costs of records in ticks; `by_process` and `by_region` replace the costs of classes."""

    def __init__(self, enter=0, leave=0, mpi=0, by_process=None, by_region=None):
        self.classes = {"E": enter, "L": leave, "M": mpi}
        self.by_process = by_process or {}
        self.by_region = by_region or {}

    def of(self, proc, kind, numbers):
        """Returns the cost of a record of a kind of otf2-script."""
        if kind == "M":
            return 0
        if kind in "EL" and REGIONS[numbers[0]] in self.by_region:
            return self.by_region[REGIONS[numbers[0]]]
        name = kind if kind in "EL" else "M"
        return self.by_process.get(proc, self.classes)[name]

    def text(self):
        """Returns the arguments of xtf copy."""
        names = {"E": "ENTER", "L": "LEAVE", "M": "MPI"}
        items = [f"{names[kind]}={cost}ns" for kind, cost in self.classes.items()]
        items += [f"{proc}:{names[kind]}={cost}ns" for proc, of in self.by_process.items() for kind, cost in of.items()]
        items += [f"{name}={cost}ns" for name, cost in self.by_region.items()]
        return ["--probe", ",".join(items)]


class Process:
    def __init__(self, rank):
        self.rank = rank
        self.clock = 1000
        self.records = []
        self.at = 0             # step
        self.part = 0           # of the step
        self.posted = {}        # request: (source, tag)
        self.requests = 0
        self.n_operations = 0


class Simulation:
    def __init__(self, steps, costs, latency, matching=None):
        self.steps, self.costs, self.latency = steps, costs, latency
        self.processes = [Process(rank) for rank in range(len(steps))]
        self.sent = collections.defaultdict(collections.deque)  # (sender, receiver, tag): (arrival, bytes, number)
        self.matching = matching    # [(receiver, sender)] of receives from any source, in their order; None: by arrival
        self.chosen = collections.defaultdict(list)             # receiver: senders
        self.begun = collections.defaultdict(dict)              # number of the operation: {rank: done}
        self.sends = {}                                         # (sender, receiver, tag, k): time of the record
        self.received = []      # (receiver, sender, tag, record, time of the send)
        self.n_sent = collections.Counter()

    def record(self, process, kind, *numbers):
        process.records.append(Record(process.clock, kind, numbers))
        process.clock += self.costs.of(process.rank, kind, numbers)

    def work(self, process, ticks):
        process.clock += ticks

    def enter(self, process, name):
        self.record(process, "E", REGION[name])
        self.work(process, 2)

    def leave(self, process, name):
        self.work(process, 1)
        self.record(process, "L", REGION[name])
        self.work(process, 1)

    def launch(self, process, receiver, tag, n_bytes, request=None):
        key = (process.rank, receiver, tag)
        time = process.clock
        if request is None:
            self.record(process, "S", receiver, 0, tag, n_bytes)
        else:
            self.record(process, "I", receiver, 0, tag, n_bytes, request)
        self.sent[key].append((process.clock + self.latency(process.rank, receiver, n_bytes), n_bytes, time))

    def choose(self, process, tag):
        """Returns the sender of a receive from any source; None: none can be known yet."""
        if self.matching is not None:
            return self.matching[process.rank][len(self.chosen[process.rank])]
        ready = [(queue[0][0], key[0]) for key, queue in self.sent.items() if key[1] == process.rank and key[2] == tag and queue]
        return min(ready)[1] if ready and self.others_wait(process) else None

    def others_wait(self, process):
        return all(other is process or self.blocked[other.rank] for other in self.processes)

    def take(self, process, source, tag):
        arrival, n_bytes, time = self.sent[source, process.rank, tag].popleft()
        return arrival, n_bytes, source, tag, time

    def finish_receive(self, process, message, request=None):
        _, n_bytes, source, tag, time = message
        self.received.append((process.rank, source, tag, len(process.records), time))
        if request is None:
            self.record(process, "R", source, 0, tag, n_bytes)
        else:
            self.record(process, "J", source, 0, tag, n_bytes, request)

    # ---- Steps: each returns False if the process has to wait.

    def step_compute(self, process, ticks, name="solve"):
        self.enter(process, name)
        self.work(process, ticks)
        self.leave(process, name)
        return True

    def step_calls(self, process, n, ticks):
        for _ in range(n):
            self.enter(process, "tiny")
            self.work(process, ticks)
            self.leave(process, "tiny")
        return True

    def step_flush(self, process, ticks):
        """The recorder writes its buffer; a run without probes does not."""
        if any(self.costs.classes.values()):
            self.record(process, "M", process.clock + ticks)
            process.clock += ticks
        else:
            self.record(process, "M", process.clock)
        self.work(process, 3)
        return True

    def step_send(self, process, receiver, tag, n_bytes):
        self.enter(process, "MPI_Send")
        self.launch(process, receiver, tag, n_bytes)
        self.leave(process, "MPI_Send")
        return True

    def step_isend(self, process, receiver, tag, n_bytes, request):
        self.enter(process, "MPI_Isend")
        self.launch(process, receiver, tag, n_bytes, request)
        self.leave(process, "MPI_Isend")
        return True

    def step_irecv(self, process, source, tag, request):
        self.enter(process, "MPI_Irecv")
        self.record(process, "P", request)
        process.posted[request] = (source, tag)
        self.leave(process, "MPI_Irecv")
        return True

    def step_recv(self, process, source, tag):
        if process.part == 0:
            self.enter(process, "MPI_Recv")
            process.part = 1
        chosen = self.choose(process, tag) if source is ANY else source
        if chosen is None or not self.sent[chosen, process.rank, tag]:
            return False
        if source is ANY:
            self.chosen[process.rank].append(chosen)
        message = self.take(process, chosen, tag)
        process.clock = max(process.clock, message[0]) + RECEIVE
        self.finish_receive(process, message)
        self.leave(process, "MPI_Recv")
        return True

    def step_sendrecv(self, process, receiver, source, tag, n_bytes):
        if process.part == 0:
            self.enter(process, "MPI_Sendrecv")
            self.launch(process, receiver, tag, n_bytes)
            process.part = 1
        if not self.sent[source, process.rank, tag]:
            return False
        message = self.take(process, source, tag)
        process.clock = max(process.clock, message[0]) + RECEIVE
        self.finish_receive(process, message)
        self.leave(process, "MPI_Sendrecv")
        return True

    def step_waitall(self, process, receives, sends):
        if process.part == 0:
            self.enter(process, "MPI_Waitall")
            process.part = 1
        needed = collections.Counter(process.posted[request] for request in receives)
        if any(len(self.sent[source, process.rank, tag]) < n for (source, tag), n in needed.items()):
            return False
        messages = [(request, self.take(process, *process.posted.pop(request))) for request in receives]
        if messages:
            process.clock = max(process.clock, *(message[0] for _, message in messages)) + RECEIVE
        for request, message in messages:
            self.finish_receive(process, message, request)
            self.work(process, 1)
        for request in sends:
            self.record(process, "C", request)
            self.work(process, 1)
        self.leave(process, "MPI_Waitall")
        return True

    def step_operation(self, process, name, root, took):
        number, pattern = OPERATIONS[name]
        if process.part == 0:
            self.enter(process, name)
            self.record(process, "B")
            self.begun[process.n_operations][process.rank] = process.clock
            process.part = 1
        begun = self.begun[process.n_operations]
        ranks = range(len(self.processes))
        needed = {"all": ranks, "from root": [root], "to root": ranks if process.rank == root else [],
                  "scan": ranks[:process.rank]}[pattern]
        if any(rank not in begun for rank in needed):
            return False
        process.clock = max([process.clock, *(begun[rank] for rank in needed)]) + took
        process.n_operations += 1
        n_bytes = 0 if name == "MPI_Barrier" else 8
        sends = n_bytes if pattern != "from root" or process.rank == root else 0
        gets = n_bytes if pattern != "to root" or process.rank == root else 0
        self.record(process, "D", number, 0, root if "root" in pattern else NO_ROOT, sends, gets)
        self.leave(process, name)
        return True

    def step_finalize(self, process, took):
        if process.part == 0:
            self.record(process, "E", REGION["MPI_Finalize"])
            self.begun["finalize"][process.rank] = process.clock
            process.part = 1
        if len(self.begun["finalize"]) < len(self.processes):
            return False
        process.clock = max(self.begun["finalize"].values()) + took
        self.record(process, "L", REGION["MPI_Finalize"])
        return True

    def advance(self, process):
        """Runs a process until it waits. True if it did anything."""
        at, part = process.at, process.part
        while process.at < len(self.steps[process.rank]):
            kind, *arguments = self.steps[process.rank][process.at]
            if not getattr(self, f"step_{kind}")(process, *arguments):
                break
            process.at += 1
            process.part = 0
        self.blocked[process.rank] = True
        return (at, part) != (process.at, process.part)

    def run(self):
        self.blocked = [False] * len(self.processes)
        for process in self.processes:
            self.enter(process, "main")
        idle = 0  # rounds in which no process moved: after one, all are known to wait
        while idle < 2:
            moved = False
            for process in self.processes:
                if self.advance(process):
                    moved = True
                    self.blocked = [False] * len(self.processes)
                    self.blocked[process.rank] = True
            idle = 0 if moved else idle + 1
        for process in self.processes:
            if process.at < len(self.steps[process.rank]):
                raise AssertionError(f"process {process.rank} waits for ever in step {self.steps[process.rank][process.at]}")
            self.leave(process, "main")
        return self


def script(simulation):
    """Returns the script of otf2-script."""
    lines = []
    for process in simulation.processes:
        lines += [f"{process.rank} {record.time} {record.kind} {' '.join(map(str, record.numbers))}" for record in process.records]
    n = len(simulation.processes)
    lines += [f"clock 1000000000 0 {max(process.clock for process in simulation.processes) + 10}", f"processes {n}"]
    lines += [f"location {rank} {rank} process {rank}" for rank in range(n)]
    lines += [f"construct {i} {4 if name.startswith('MPI_') else 2} 1 {name}" for i, name in enumerate(REGIONS)]
    lines.append("world 0 " + " ".join(map(str, range(n))))
    return lines


# ---- Programs.

def latency_of(seed):
    """Returns the latency of a message, by sender, receiver and bytes: the same in each run."""
    def latency(sender, receiver, n_bytes):
        return 300 + random.Random(f"{seed} {sender} {receiver}").randrange(400) + n_bytes // 4
    return latency


def calibrated(pairs, sizes, n):
    """Returns steps in which each pair exchanges messages of each size: one for which the receiver waits, and one for which it does
    not. So the trace has figures for all messages."""
    steps = [[] for _ in range(n)]
    for sender, receiver in pairs:
        for size in sizes:
            for other in steps:
                other.append(("operation", "MPI_Barrier", 0, 50))
            steps[sender] += [("compute", 400000), ("send", receiver, 77, size), ("send", receiver, 77, size)]
            steps[receiver] += [("recv", sender, 77), ("compute", 900000), ("recv", sender, 77)]
    return steps


def add_finalize(steps):
    for own in steps:
        own.append(("finalize", 120))
    return steps


def halo(dice, n=4, rounds=12):
    """A ring: non-blocking messages to both neighbours."""
    pairs = [(rank, (rank + d) % n) for rank in range(n) for d in (1, n - 1)]
    steps = calibrated(sorted(set(pairs)), [800], n)
    for _ in range(rounds):
        for rank, own in enumerate(steps):
            left, right = (rank - 1) % n, (rank + 1) % n
            own += [("irecv", left, 1, 1), ("irecv", right, 2, 2), ("isend", right, 1, 800, 3), ("isend", left, 2, 800, 4)]
            own += [("calls", dice.randrange(20), dice.randrange(1, 300)), ("compute", dice.randrange(20000)),
                    ("waitall", (1, 2), (3, 4))]
    return add_finalize(steps)


def random_pairs(dice, n=5, messages=120):
    """Messages between random pairs, in an order without deadlock, with random computing in between."""
    sizes = [0, 64, 5000]
    steps = calibrated([(a, b) for a in range(n) for b in range(n) if a != b], sizes, n)
    for _ in range(messages):
        a, b = dice.sample(range(n), 2)
        size, tag = dice.choice(sizes), dice.randrange(3)
        for rank in (a, b):
            steps[rank].append(("calls", dice.randrange(8), dice.randrange(1, 200)))
            steps[rank].append(("compute", dice.randrange(1, 30000)))
        steps[a].append(("send", b, tag, size))
        steps[b].append(("recv", a, tag))
        if dice.random() < 0.1:
            steps[dice.randrange(n)].append(("flush", dice.randrange(1, 50000)))
    return add_finalize(steps)


def stencil(dice, width=6, rounds=6):
    """A stencil of width x width processes."""
    n = width * width

    def neighbours(rank):
        x, y = rank % width, rank // width
        near = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        return [b * width + a for a, b in near if 0 <= a < width and 0 <= b < width]

    pairs = [(rank, other) for rank in range(n) for other in neighbours(rank)]
    steps = calibrated(pairs, [256], n)
    for _ in range(rounds):
        for rank, own in enumerate(steps):
            near = neighbours(rank)
            own += [("irecv", other, 1, i) for i, other in enumerate(near)]
            own += [("isend", other, 1, 256, 10 + i) for i, other in enumerate(near)]
            own += [("compute", dice.randrange(1000, 40000)), ("waitall", range(len(near)), range(10, 10 + len(near)))]
    return add_finalize(steps)


def collectives(dice, n=5, rounds=40):
    steps = [[] for _ in range(n)]
    for _ in range(rounds):
        name, root = dice.choice(list(OPERATIONS)), dice.randrange(n)
        for own in steps:
            own += [("calls", dice.randrange(15), dice.randrange(1, 100)), ("compute", dice.randrange(1, 40000))]
            own.append(("operation", name, root, dice.randrange(1, 900)))
    return add_finalize(steps)


def wildcards(dice, n=5, rounds=15):
    """A master receives results from any source; workers then get the next job."""
    pairs = [(0, rank) for rank in range(1, n)] + [(rank, 0) for rank in range(1, n)]
    steps = calibrated(pairs, [400], n)
    for _ in range(rounds):
        for rank in range(1, n):
            steps[rank] += [("calls", dice.randrange(30), 50), ("compute", dice.randrange(1, 5000)), ("send", 0, 5, 400)]
            steps[0].append(("recv", ANY, 5))
        for rank in range(1, n):
            steps[0].append(("send", rank, 6, 400))
            steps[rank].append(("recv", 0, 6))
    return add_finalize(steps)


def ring(dice, n=4, rounds=20):
    """Sendrecv around a ring."""
    steps = calibrated([(rank, (rank + 1) % n) for rank in range(n)], [100], n)
    for _ in range(rounds):
        for rank, own in enumerate(steps):
            own += [("compute", dice.randrange(1, 9000)), ("sendrecv", (rank + 1) % n, (rank - 1) % n, 4, 100)]
    return add_finalize(steps)


PROGRAMS = {"halo": halo, "random_pairs": random_pairs, "stencil": stencil, "collectives": collectives, "wildcards": wildcards, "ring": ring}
