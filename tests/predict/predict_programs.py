"""Programs for runs on another network: the records of a recorder, as a script for otf2-script. Times in calls of MPI do not matter
there, so the clocks of the processes are independent."""

from random_processes import COMPILER, Dice, FUNCTION, MPI, NO_ROOT, OF_MPI, OPERATIONS, POINT2POINT

REGIONS = ["main", *MPI]
KB = 1000


class Rank:
    """A process: its clock in nanoseconds, and the lines that it writes."""

    def __init__(self, rank):
        self.rank, self.time, self.lines, self.n_requests, self.open = rank, 100 * rank, [], 0, []
        self.note("E", "main")
        self.call("MPI_Init")

    def note(self, kind, *numbers):
        numbers = [REGIONS.index(number) if isinstance(number, str) else number for number in numbers]
        self.lines.append(f"{self.rank} {self.time} {kind} {' '.join(map(str, numbers))}")

    def compute(self, ticks):
        self.time += ticks

    def call(self, name, *records):
        self.note("E", name)
        for record in records:
            self.time += 10
            self.note(*record)
        self.time += 10
        self.note("L", name)

    def send(self, peer, size, tag=0, comm=0, name="MPI_Send"):
        self.call(name, ("S", peer, comm, tag, size))

    def recv(self, peer, size, tag=0, comm=0):
        self.call("MPI_Recv", ("R", peer, comm, tag, size))

    def isend(self, peer, size, tag=0):
        self.n_requests += 1
        self.open.append(("C", self.n_requests))
        self.call("MPI_Isend", ("I", peer, 0, tag, size, self.n_requests))

    def irecv(self, peer, size, tag=0):
        self.n_requests += 1
        self.open.append(("J", peer, 0, tag, size, self.n_requests))
        self.call("MPI_Irecv", ("P", self.n_requests))

    def waitall(self):
        self.call("MPI_Waitall", *self.open)
        self.open = []

    def operate(self, name, comm, n, rank, root, size):
        """Takes part in a collective operation as member `rank` of n. `size`: bytes of a member for another one."""
        code, shape = OPERATIONS[name]
        moved = {"barrier": (0, 0), "12n": (n * size if rank == root else 0, size), "n21": (size, n * size if rank == root else 0),
                 "scan": ((n - rank) * size, (rank + 1) * size)}.get(shape, (n * size, n * size))  # yapf: disable
        self.call(name, ("B",), ("D", code, comm, root if shape in ("12n", "n21") else NO_ROOT, *moved))

    def end(self):
        self.call("MPI_Finalize")
        self.compute(500)
        self.note("L", "main")


def ring(n=8, size=10 * KB):
    """A token goes round ten times; each process computes while it has it."""
    ranks = [Rank(i) for i in range(n)]
    for _ in range(10):
        for i, rank in enumerate(ranks):
            if i:
                rank.recv(i - 1, size)
            rank.compute(100 * KB)
            rank.send((i + 1) % n, size)
        ranks[0].recv(n - 1, size)
    return ranks, {}


def halo(n=8, size=100 * KB):
    """Each process exchanges its border with both neighbours."""
    dice, ranks = Dice(1), [Rank(i) for i in range(n)]
    for _ in range(20):
        for i, rank in enumerate(ranks):
            for peer in ((i - 1) % n, (i + 1) % n):
                rank.irecv(peer, size)
            for peer in ((i - 1) % n, (i + 1) % n):
                rank.isend(peer, size)
            rank.compute(dice.randrange(400 * KB))
            rank.waitall()
    return ranks, {}


def pairs(seed, n=16):
    """Random blocking messages, in an order in which no process waits for ever."""
    dice, ranks = Dice(seed), [Rank(i) for i in range(n)]
    for _ in range(300):
        sender, receiver = dice.sample(ranks, 2)
        size, tag = dice.choice([0, 8, KB, 100 * KB, KB * KB]), dice.randrange(3)
        for rank in (sender, receiver):
            rank.compute(dice.randrange(200 * KB))
        sender.send(receiver.rank, size, tag)
        receiver.recv(sender.rank, size, tag)
    return ranks, {}


def stencil(side=6, size=20 * KB):
    """A square of processes, each with four neighbours."""
    dice, ranks = Dice(2), [Rank(i) for i in range(side * side)]
    for _ in range(5):
        for i, rank in enumerate(ranks):
            row, column = divmod(i, side)
            peers = [(row - 1) % side * side + column, (row + 1) % side * side + column, row * side + (column - 1) % side,
                     row * side + (column + 1) % side]
            for k, peer in enumerate(peers):
                rank.irecv(peer, size, tag=k ^ 1)
            for k, peer in enumerate(peers):
                rank.isend(peer, size, tag=k)
            rank.compute(300 * KB + dice.randrange(100 * KB))
            rank.waitall()
    return ranks, {}


def exchanges(n=6, size=50 * KB):
    """Calls that send and receive at once, also to the process itself."""
    dice, ranks = Dice(3), [Rank(i) for i in range(n)]
    for shift in [1, 2, 5, 3, 0]:
        for i, rank in enumerate(ranks):
            rank.compute(dice.randrange(100 * KB))
            rank.call("MPI_Sendrecv", ("S", (i + shift) % n, 0, 7, size), ("R", (i - shift) % n, 0, 7, size))
    return ranks, {}


def buffered(n=6, size=50 * KB):
    """Sends that MPI buffers. The receives are late."""
    dice, ranks = Dice(5), [Rank(i) for i in range(n)]
    for i, rank in enumerate(ranks):
        rank.send((i + 1) % n, size, tag=1, name="MPI_Bsend")
        rank.compute(dice.randrange(100 * KB))
    for i, rank in enumerate(ranks):
        rank.recv((i - 1) % n, size, tag=1)
    return ranks, {}


def operations(n=7):
    """All blocking collective operations, of the world and of two other communicators, and a message between them."""
    dice, ranks = Dice(4), [Rank(i) for i in range(n)]
    comms = {0: list(range(n)), 1: [5, 3, 0, 1], 2: list(range(n))[::-1]}
    for name in OPERATIONS:
        for comm, members in comms.items():
            size, root = dice.choice([8, 3 * KB, 40 * KB]), dice.randrange(len(members))
            for k, member in enumerate(members):
                ranks[member].compute(dice.randrange(50 * KB))
                ranks[member].operate(name, comm, len(members), k, root, size)
            sender, receiver = members[0], members[1]
            ranks[sender].send(1, 5 * KB, comm=comm)
            ranks[receiver].recv(0, 5 * KB, comm=comm)
    return ranks, {number: members for number, members in comms.items() if number}


PROGRAMS = {"ring": ring, "halo": halo, "pairs-1": lambda: pairs(1), "pairs-2": lambda: pairs(2), "stencil": stencil, "exchanges": exchanges, "buffered": buffered,
            "operations": operations}  # yapf: disable


def script(ranks, comms):
    """Returns the lines of a program for otf2-script. `comms`: {number: members}, without the world."""
    for rank in ranks:
        rank.end()
    lines = [line for rank in ranks for line in rank.lines]
    lines += [f"clock 1000000000 0 {max(rank.time for rank in ranks) + 1}", f"processes {len(ranks)}"]
    lines += [f"location {rank.rank} {rank.rank} Master thread" for rank in ranks]
    lines += [f"construct {i} {COMPILER if name == 'main' else OF_MPI} {FUNCTION if name == 'main' else POINT2POINT} {name}"
              for i, name in enumerate(REGIONS)]  # yapf: disable
    lines.append("world 0 " + " ".join(str(rank.rank) for rank in ranks))
    for number, members in comms.items():
        lines += [f"group {10 + number} {' '.join(map(str, members))}", f"comm {number} {10 + number} comm {number}"]
    return lines
