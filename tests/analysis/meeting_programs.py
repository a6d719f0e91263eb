"""Random programs for the judges of causes. Their processes meet in pairs, in parts or all together, often or seldom."""

import random

import path_programs
from path_programs import ALLREDUCE, BARRIER, BCAST, NO_ROOT, REDUCE

TICKS = 10**11
WORK = ("work", "pack", "read")


class Program:
    """Processes whose calls are made in one order; a communicator of all, one of the even ranks, and one of the upper half."""

    def __init__(self, n, seed):
        self.random = random.Random(seed)
        self.timelines = path_programs.begin_timelines(n)
        self.comms = [list(range(n)), list(range(0, n, 2)), list(range(n // 2, n))]

    def draw(self, most=9):
        return self.random.randint(1, most)

    def work(self):
        for timeline in self.random.sample(self.timelines, 2):
            timeline.work(self.draw(200), self.random.choice(WORK))

    def message(self):
        """Sends a message, in most cases to a neighbour. A synchronous send waits for its receive."""
        a, b = self.random.sample(range(len(self.timelines)), 2)
        if self.draw() < 7:
            b = (a + 1) % len(self.timelines)
        sender, receiver = self.timelines[a], self.timelines[b]
        begin, posted, tag = sender.time, receiver.time, self.random.randrange(2)
        synchronous = self.draw() < 3
        sent = (max(begin, posted) if synchronous else begin) + 1 + self.draw()
        sender.call("MPI_Ssend" if synchronous else "MPI_Send", sent, ("S", b, 0, tag, 8))
        receiver.call("MPI_Recv", max(begin, posted) + 2 + self.draw(), ("R", a, 0, tag, 8))

    def operation(self, region, number, rooted=False):
        comm = self.random.randrange(len(self.comms))
        members = [self.timelines[rank] for rank in self.comms[comm]]
        last, root = max(timeline.time for timeline in members), self.random.randrange(len(members))
        begin = members[root].time
        # A member without data takes part in the operation, too; it may be the last one.
        idle = self.random.choice(members) if number == ALLREDUCE and self.draw() < 5 else None
        for rank, timeline in enumerate(members):
            until = {REDUCE: last if rank == root else timeline.time, BCAST: max(begin, timeline.time)}.get(number, last)
            sent, received = {REDUCE: (8, 8 * (rank == root)), BCAST: (8 * (rank == root), 8), BARRIER: (0, 0)}.get(number, (8, 8))
            if timeline is idle:
                sent = received = 0
            timeline.call(region, until + 2 + self.draw(),
                          ("D", number, comm, root if rooted else NO_ROOT, sent, received))

    def play(self, steps, meetings):
        """Plays steps; `meetings` of ten steps on average are operations in which all wait for all."""
        for _ in range(steps):
            self.work()
            step_kind = self.random.randrange(10)
            if step_kind < meetings:
                self.operation(*self.random.choice([("MPI_Barrier", BARRIER), ("MPI_Allreduce", ALLREDUCE)]))
            elif step_kind < 7:
                self.message()
            else:
                self.operation(*self.random.choice([("MPI_Reduce", REDUCE, True), ("MPI_Bcast", BCAST, True)]))

    @property
    def lines(self):
        """The script. All processes end with MPI_Finalize."""
        last = max(timeline.time for timeline in self.timelines)
        for timeline in self.timelines:
            timeline.call("MPI_Finalize", last + 50)
            timeline.note("L", "main")
        # Ticks are short, so that rounding stays within the judge's tolerance.
        lines = [line if not line.startswith("clock") else f"clock {TICKS} 0 1000000" for line in path_programs.script(self.timelines)]
        for comm, members in list(enumerate(self.comms))[1:]:
            lines += [f"group {comm + 1} {' '.join(map(str, members))}", f"comm {comm} {comm + 1} part{comm}"]
        return lines


def programs():
    """Returns {name: script}."""
    found = {}
    for seed, (n, steps, meetings) in enumerate([(4, 300, 3), (5, 500, 0), (8, 300, 1), (3, 400, 1)]):
        program = Program(n, seed)
        program.play(steps, meetings)
        found[f"meetings-{seed}"] = program.lines
    return found
