"""The processes of random_programs.py: their clocks, open calls and requests, and the messages between them."""

import random

USER = ["solve", "step", "halo", "update", "norm", "recurse"]
SENDS, ISENDS = ["MPI_Send", "MPI_Bsend", "MPI_Rsend"], ["MPI_Isend", "MPI_Ibsend", "MPI_Issend", "MPI_Start"]
WAIT_ONE, WAIT_MANY = ["MPI_Wait", "MPI_Waitany", "MPI_Test", "MPI_Testany"], ["MPI_Waitall", "MPI_Waitsome", "MPI_Testall", "MPI_Testsome"]
# Collective operations: OTF2's number, and which members send to which.
OPERATIONS = {"MPI_Barrier": (0, "barrier"), "MPI_Bcast": (1, "12n"), "MPI_Gather": (2, "n21"), "MPI_Gatherv": (3, "n21"),
              "MPI_Scatter": (4, "12n"), "MPI_Scatterv": (5, "12n"), "MPI_Allgather": (6, "n2n"), "MPI_Allgatherv": (7, "n2n"),
              "MPI_Alltoall": (8, "n2n"), "MPI_Alltoallv": (9, "any"), "MPI_Alltoallw": (10, "any"), "MPI_Allreduce": (11, "n2n"),
              "MPI_Reduce": (12, "n21"), "MPI_Reduce_scatter": (13, "n2n"), "MPI_Scan": (14, "scan"), "MPI_Exscan": (15, "scan"),
              "MPI_Reduce_scatter_block": (16, "n2n")}
OTHERS = ["MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Ssend", "MPI_Recv", "MPI_Irecv", "MPI_Sendrecv", "MPI_Sendrecv_replace",
          "MPI_Comm_rank"]
MPI = [*SENDS, *ISENDS, *WAIT_ONE, *WAIT_MANY, *OPERATIONS, *OTHERS]
REGIONS = ["main", *USER, *MPI]
PROBES = ["MPI_Mprobe", "MPI_Mrecv", "MPI_Imrecv"] # only in programs that probe, so that the scripts of other programs stay the same
# OTF2's numbers of paradigms and roles.
COMPILER, OF_MPI, FUNCTION, POINT2POINT = 2, 4, 1, 28
ROLES = {"barrier": 15, "12n": 23, "n21": 24, "n2n": 25, "any": 25, "scan": 26}
NO_ROOT = 2**32 - 1


class Dice(random.Random):
    """A random generator that gives the same numbers in every version of Python, which promises that only for random()."""

    def randrange(self, *bounds): # pylint: disable=signature-differs
        begin, end = (0, *bounds) if len(bounds) == 1 else bounds
        return begin + int(self.random() * (end - begin))

    def choice(self, items):
        return items[self.randrange(len(items))]

    def sample(self, items, k): # pylint: disable=arguments-differ
        remaining = list(items)
        return [remaining.pop(self.randrange(len(remaining))) for _ in range(k)]


class Message:
    """A send and a receive of a channel; either may be missing yet."""

    def __init__(self):
        self.sent = self.posted = None  # when the calls were entered
        self.bytes = 0
        self.synchronous = False


class Channel:
    def __init__(self):
        self.messages, self.n_sent, self.n_posted = [], 0, 0

    def at(self, k):
        while len(self.messages) <= k:
            self.messages.append(Message())
        return self.messages[k]


class Request:
    def __init__(self, number, key, message, is_send):
        self.number, self.key, self.message, self.is_send = number, key, message, is_send

    @property
    def is_done(self):
        if self.is_send:
            return not self.message.synchronous or self.message.posted is not None
        return self.message.sent is not None


class Process:
    """A process: its clock, the lines that it writes, its open calls and requests."""

    def __init__(self, rank, dice, scale):
        self.rank, self.dice, self.scale = rank, dice, scale
        self.time = 1000 + dice.randrange(20 * scale)
        self.lines, self.stack, self.requests, self.next_request = [], [], [], 1

    def note(self, kind, *numbers):
        self.lines.append(f"{self.rank} {self.time} {kind} {' '.join(map(str, numbers))}")

    def tick(self, least=0):
        """Advances the clock by the short time of a call itself."""
        self.time += least + self.dice.randrange(1 + self.scale // 100)

    def enter(self, region):
        self.note("E", [*REGIONS, *PROBES].index(region))
        self.stack.append(region)

    def leave(self):
        self.note("L", [*REGIONS, *PROBES].index(self.stack.pop()))

    def until(self, time):
        self.time = max(self.time, time)

    def begin(self, region):
        """Enters a call; returns when."""
        self.tick()
        self.enter(region)
        since = self.time
        self.tick()
        return since

    def end(self):
        self.tick()
        self.leave()

    def compute(self):
        """Computes; sometimes very much longer than usual."""
        self.time += self.dice.randrange(self.scale) * self.dice.choice([0, 1, 1, 2, 2, 5, 30])

    def wander(self):
        """Enters and leaves functions."""
        for _ in range(self.dice.randrange(3)):
            if len(self.stack) > 1 and self.dice.random() < 0.45:
                self.end()
            elif len(self.stack) < 7:
                self.tick()
                self.enter(self.dice.choice(USER))
            if self.dice.random() < 0.7:
                self.compute()
