"""Programs with OpenMP teams whose waits' causes are known in whole ticks. `programs()` has the form of window_programs.py."""

from kind_programs import OPENMP, THREADS, Program, hybrid

ONE = THREADS


def team():
    """Returns a program of three threads. The second one is in a function for 100 ticks, the third one for 40, the first one
    never. They wait for 90 and for 50 ticks at the barrier. Before the fork and after the join `main` takes 10 and 20 ticks."""
    program = Program(None, 1, 3)
    for location in program.clocks:
        program.clocks[location] = 1010
    program.clocks[0] = 1000
    program.enter(0, "main")
    program.clocks[0] = 1010
    program.record(0, "F", OPENMP, 3)
    for location, work, barrier in ((0, 0, 1040), (1, 100, 1130), (2, 40, 1080)):
        program.clocks[location] = 1020
        program.record(location, "t", 1)
        program.enter(location, "!$omp parallel")
        if work:
            program.enter(location, "shmem")
            program.clocks[location] += work
            program.leave(location, "shmem")
        program.clocks[location] = barrier
        program.enter(location, "!$omp implicit barrier")
        program.clocks[location] = 1140
        program.leave(location, "!$omp implicit barrier")
        program.leave(location, "!$omp parallel")
        program.record(location, "u", 1)
    program.record(0, "f", OPENMP)
    program.clocks[0] = 1160
    program.leave(0, "main")
    program.definitions = ["team 1 0 1 2"]
    work = "!$omp parallel/shmem"
    idle = [{(0, "main", 0): 10}, {(0, "main", 0): 20}]
    return program.script(), {("omp_barrier_wait", 0): [{(0, work, 1): 90}], ("omp_barrier_wait", 2): [{(0, work, 1): 50}],
                              ("omp_idle", 1): idle, ("omp_idle", 2): idle}


def mixed():
    """Returns kind_programs.hybrid(): costs move from threads to another process."""
    lines, _, _ = hybrid()
    parallel = "main/!$omp parallel"
    late = {("late_sender", 0): [{(0, "main", ONE): 90}, {(0, "main", ONE): 70}]}
    return lines, {**late, ("omp_barrier_wait", 1): [{(1, "main", ONE): 70, (0, parallel, 0): 18, (0, parallel + "/MPI_Recv", 0): 2}],
                   ("omp_idle", 1): [{(1, "main", ONE): 90, (0, "main", 0): 28, (0, "main/MPI_Recv", 0): 2}, {(0, "main", 0): 57}]}


def programs():
    return {make.__name__: make() for make in (team, mixed)}
