"""Programs with one-sided communication whose waits' causes are known in whole ticks. `programs()` returns {name: (script,
causes)}. `causes` is {(kind, location): [{(steps, call path, charged location): ticks} of each wait]}. `shmem` is a function
that works."""

from kind_programs import BARRIER_OP, NO_ROOT, THREADS, WINDOW, Program

GROUP = 200
ONE, TWO = THREADS, 2 * THREADS


class Timed(Program):
    """Records at given times; all processes are in `main` from 1000 on."""

    def __init__(self, n):
        super().__init__(None, n, 1)
        self.definitions = [f"window {WINDOW} 0 window"]
        for location in self.clocks:
            self.at(location, 1000)
            self.enter(location, "main")

    def at(self, location, time, *record):
        self.clocks[location] = time
        if record:
            self.record(location, *record)

    def call(self, location, begin, end, name, *record, late=False):
        """Adds a call with a record at its begin or, with `late`, at its end."""
        self.at(location, begin)
        self.enter(location, name)
        self.at(location, end if late else begin, *record)
        self.at(location, end)
        self.leave(location, name)

    def fence(self, begins, end):
        for location, begin in zip(self.clocks, begins):
            self.at(location, begin)
            self.enter(location, "MPI_Win_fence")
            self.at(location, begin, "W")
            self.at(location, end, "w", BARRIER_OP, 2, WINDOW, NO_ROOT, 0, 0)
            self.leave(location, "MPI_Win_fence")

    def group(self, number, *procs):
        self.definitions.append(f"group {number} " + " ".join(map(str, procs)))
        return number

    def done(self, end):
        for location in self.clocks:
            self.at(location, end)
            self.leave(location, "main")
        return self.script()


def fence():
    """Returns a program with fences. Process 1 works for 200 ticks more than the others, and puts for 50, so it arrives last.
    Process 0 waits for the put, then for process 1. Process 2 has 50 ticks more in `main`, and no process waits for it."""
    program = Timed(3)
    program.fence((1100, 1100, 1100), 1110)
    program.call(ONE, 1200, 1400, "shmem")
    program.call(ONE, 1400, 1450, "MPI_Put", "O", WINDOW, 0, 8, 1)
    program.fence((1200, 1500, 1300), 1510)
    work, put = "main/shmem", "main/MPI_Put"
    return program.done(1600), {("early_fence", 0): [{(0, work, ONE): 200, (0, put, ONE): 50}], ("wait_fence", 0): [{(0, "main", ONE): 50}],
                                ("wait_fence", TWO): [{(0, work, ONE): 160, (0, put, ONE): 40}]}


def post():
    """Returns a program with a late target. It works 150 ticks, and 50 more in `main` than the origin, which waits for 180 in its
    completion."""
    program = Timed(2)
    program.call(0, 1100, 1250, "shmem")
    program.call(0, 1300, 1305, "MPI_Win_post", "Y", 2, WINDOW, program.group(GROUP, 1))
    program.call(0, 1320, 1325, "MPI_Win_wait", "Y", 2, WINDOW, GROUP)
    program.call(ONE, 1100, 1110, "MPI_Win_start", "Y", 2, WINDOW, program.group(GROUP + 1, 0))
    program.call(ONE, 1110, 1120, "MPI_Put", "O", WINDOW, 0, 8, 1)
    program.call(ONE, 1120, 1310, "MPI_Win_complete", "Y", 2, WINDOW, GROUP + 1)
    return program.done(1400), {("late_post", ONE): [{(0, "main/shmem", 0): 135, (0, "main", 0): 45}]}


def complete():
    """Returns a program whose target waits for 360 ticks. The origin worked for 300, and had 20 more in each of `main`, its start
    and its put."""
    program = Timed(2)
    program.call(0, 1010, 1010, "MPI_Win_post", "Y", 2, WINDOW, program.group(GROUP, 1))
    program.call(0, 1040, 1410, "MPI_Win_wait", "Y", 2, WINDOW, GROUP)
    program.call(ONE, 1010, 1030, "MPI_Win_start", "Y", 2, WINDOW, program.group(GROUP + 1, 0))
    program.call(ONE, 1030, 1330, "shmem")
    program.call(ONE, 1330, 1350, "MPI_Put", "O", WINDOW, 0, 8, 1)
    program.call(ONE, 1400, 1410, "MPI_Win_complete", "Y", 2, WINDOW, GROUP + 1)
    return program.done(1500), {("early_wait", 0): [{(0, "main/shmem", ONE): 300, (0, "main", ONE): 20, (0, "main/MPI_Win_start", ONE): 20,
                                                     (0, "main/MPI_Put", ONE): 20}]}


def lock():
    """Returns a program with a contended lock. Process 1 holds it while it works for 400 ticks; process 2 waits for it, then
    process 0 for process 2. The wait of process 0 takes 430 ticks; 415 of them are due to the wait of process 2."""
    program = Timed(3)
    program.call(ONE, 1090, 1095, "MPI_Win_lock", "K", WINDOW, 0, 0, 0)
    program.call(ONE, 1105, 1505, "shmem")
    program.call(ONE, 1505, 1515, "MPI_Win_unlock", "l", WINDOW, 0, 0)
    program.call(TWO, 1100, 1520, "MPI_Win_lock", "K", WINDOW, 0, 0, 0, late=True)
    program.call(TWO, 1620, 1630, "MPI_Win_unlock", "l", WINDOW, 0, 0)
    program.call(0, 1200, 1640, "MPI_Win_lock", "K", WINDOW, 0, 0, 0, late=True)
    program.call(0, 1650, 1655, "MPI_Win_unlock", "l", WINDOW, 0, 0)
    held = {"main/shmem": 400, "main/MPI_Win_lock": 5, "main/MPI_Win_unlock": 10}
    return program.done(1700), {("lock_competition", TWO): [{(0, path, ONE): ticks for path, ticks in held.items()}],
                                ("lock_competition", 0): [{**{(1, path, ONE): ticks for path, ticks in held.items()},
                                                           (0, "main/MPI_Win_lock", TWO): 5, (0, "main/MPI_Win_unlock", TWO): 10}]}


def programs():
    return {make.__name__: make() for make in (fence, post, complete, lock)}
