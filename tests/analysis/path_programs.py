"""Programs whose critical path is known in closed form: the records that a recorder would write, and the path, tick for tick."""

# Regions of the script, by number.
REGIONS = ["main", "work", "MPI_Init", "MPI_Finalize", "MPI_Send", "MPI_Recv", "MPI_Barrier", "MPI_Bcast", "MPI_Ssend", "MPI_Reduce",
           "MPI_Allreduce", "pack", "read"]
BARRIER, BCAST, ALLREDUCE, REDUCE, NO_ROOT = 0, 1, 11, 12, 2**32 - 1


class Timeline:
    """A process: its clock, and the lines that it writes. The caller says how long each call of MPI takes."""

    def __init__(self, rank):
        self.rank, self.time, self.lines = rank, 100, []
        self.note("E", "main")

    def note(self, kind, *numbers):
        numbers = [REGIONS.index(number) if isinstance(number, str) else number for number in numbers]
        self.lines.append(f"{self.rank} {self.time} {kind} {' '.join(map(str, numbers))}")

    def work(self, ticks, region="work"):
        self.note("E", region)
        self.time += ticks
        self.note("L", region)

    def call(self, region, until, *records):
        """Adds a call that ends at `until`; its records are written 1 tick before."""
        self.note("E", region)
        if region in ("MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce"):
            self.note("B")
        self.time = until - 1
        for record in records:
            self.note(*record)
        self.time = until
        self.note("L", region)

    def to(self, time):
        """Advances the clock to a time in main."""
        self.time = time


def script(timelines):
    n = len(timelines)
    lines = [line for timeline in timelines for line in timeline.lines]
    lines += ["clock 1000000000 0 1000000", f"processes {n}"]
    lines += [f"location {rank} {rank} P{rank}" for rank in range(n)]
    lines += [f"region {number} {name}" for number, name in enumerate(REGIONS)]
    lines += [f"world 0 {' '.join(map(str, range(n)))}", f"group 1 {' '.join(map(str, range(n)))}", "comm 0 1 world"]
    return lines


def begin_timelines(n):
    """Begins a program: all processes enter MPI_Init at 110 + rank and leave it at 200."""
    timelines = [Timeline(rank) for rank in range(n)]
    for timeline in timelines:
        timeline.to(110 + timeline.rank)
        timeline.call("MPI_Init", 200)
    return timelines


def end_timelines(timelines):
    for timeline in timelines:
        timeline.call("MPI_Finalize", 10000)
        timeline.note("L", "main")


def chain():
    """Returns a chain of three processes: 0 works long and sends to 1, which then works and sends to 2. The path goes through all
    of them."""
    zero, one, two = timelines = begin_timelines(3)
    zero.work(1000)
    zero.call("MPI_Send", 1250, ("S", 1, 0, 0, 8))        # entered at 1200
    one.work(50)
    one.call("MPI_Recv", 1260, ("R", 0, 0, 0, 8))         # waits from 250 to 1200
    one.work(500)
    one.call("MPI_Send", 1800, ("S", 2, 0, 0, 8))         # entered at 1760
    two.work(20)
    two.call("MPI_Recv", 1810, ("R", 1, 0, 0, 8))         # waits until 1760
    two.work(300)
    end_timelines(timelines)
    return timelines, [(110, 1200, 0), (1200, 1760, 1), (1760, 2110, 2)]


def arrivals():
    """Returns a program with a barrier that 1 enters last; afterwards 0 works longest."""
    zero, one, two = timelines = begin_timelines(3)
    for timeline, ticks in zip(timelines, (100, 700, 300)):
        timeline.work(ticks)
        timeline.call("MPI_Barrier", 950 + timeline.rank, ("D", BARRIER, 0, NO_ROOT, 0, 0))
    zero.work(400)
    one.work(10)
    two.work(30)
    end_timelines(timelines)
    return timelines, [(111, 900, 1), (900, 1350, 0)]


def late_root():
    """Returns a program with a late root of a broadcast. The root waited in a synchronous send for a late receiver."""
    zero, one, two = timelines = begin_timelines(3)
    zero.work(30)
    zero.call("MPI_Ssend", 660, ("S", 1, 0, 7, 8))        # entered at 230, waits for 1 until 600
    one.work(400)
    one.call("MPI_Recv", 670, ("R", 0, 0, 7, 8))          # entered at 600
    zero.work(100)                                        # until 760
    two.work(60)
    for timeline, until in ((zero, 770), (one, 780), (two, 790)):
        sent, received = (16, 0) if timeline is zero else (0, 16)
        timeline.call("MPI_Bcast", until, ("D", BCAST, 0, 0, sent, received))
    two.work(200)                                         # the last one to end
    end_timelines(timelines)
    return timelines, [(111, 600, 1), (600, 760, 0), (760, 990, 2)]


def ring():
    """Returns a ring of receives and sends with one late rank. All other ranks wait for it, one after the other; then it waits
    for the last one."""
    timelines = begin_timelines(4)
    sent = []
    for timeline in timelines:
        timeline.work(10 if timeline.rank else 1000)
        if timeline.rank:
            timeline.call("MPI_Recv", sent[-1] + 20, ("R", timeline.rank - 1, 0, 1, 8))
            timeline.work(5)
        sent.append(timeline.time)
        timeline.call("MPI_Send", sent[-1] + 10, ("S", (timeline.rank + 1) % 4, 0, 1, 8))
    timelines[0].call("MPI_Recv", sent[-1] + 20, ("R", 3, 0, 1, 8))
    timelines[0].work(50)
    last = timelines[0].time
    end_timelines(timelines)
    return timelines, list(zip([110, *sent], [*sent, last], [0, 1, 2, 3, 0]))


PROGRAMS = {"chain": chain, "arrivals": arrivals, "late_root": late_root, "ring": ring}
