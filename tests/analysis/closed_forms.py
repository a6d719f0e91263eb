"""Programs whose waits and delays are known in closed form, and points that no program has. A test gives both to the backward
pass, point by point."""

from xtfrun import Failure

# Sides of points.
WAITS, AWAITED, MEMBER, ROOT, LEAF, PAIR, WORLD, ALONE = range(8)
MESSAGE, RECEIVER, BARRIER, ALL_TO_ALL, ONE_TO_ALL, ALL_TO_ONE = range(6)
# Call paths.
WORK, CALL, OTHER = range(3)


class Program:
    """Points and times by location. Every location begins with a point at which all locations synchronise."""

    def __init__(self, n):
        self.n = n
        self.operations = []
        self.lines_of = [[] for _ in range(n)]  # [(seq, line)], by location
        for location in range(n):
            self.point(location, 1, WORLD, wait=0, total=0)

    def point(self, location, seq, kind, *, wait, total, completion=0, other=-1, other_seq=0, cost=MESSAGE, operation=0):
        line = f"point {seq} {kind} {cost} {CALL} {wait} {total} {completion} {other} {other_seq} {operation}"
        self.lines_of[location].append((seq, line))

    def work(self, location, seq, ticks, context=WORK):
        self.lines_of[location].append((seq, f"charge {context} {ticks}"))

    def operation(self, late, late_seq, members):
        pairs = " ".join(f"{location} {int(synchronises)}" for location, synchronises in members)
        self.operations.append(f"operation {late} {late_seq} {len(members)} {pairs}")
        return len(self.operations) - 1

    @property
    def lines(self):
        """The script for causes-script."""
        points = [line for lines in self.lines_of for line in [*(line for _, line in sorted(lines)), "end"]]
        return [f"locations {self.n} 3 {' '.join(map(str, range(self.n)))}", *self.operations, *points]


def chain(n):
    """Returns a chain of messages. Rank 0 works for 100 ticks and sends. Each later rank works for 10, receives from the rank
    before, works for 20, and sends to the next. Calls take one tick more than their wait."""
    program, sent, expected, waits = Program(n), 100, [], {}
    program.work(0, 2, 100)
    program.point(0, 3, AWAITED, wait=0, total=1, other=1, other_seq=3)
    for rank in range(1, n):
        wait = sent - 10
        program.work(rank, 2, 10)
        program.point(rank, 3, WAITS, wait=wait, total=wait + 1, other=rank - 1, other_seq=3 if rank == 1 else 5)
        program.work(rank, 4, wait + 1, CALL)
        program.work(rank, 4, 20)
        if rank < n - 1:
            program.point(rank, 5, AWAITED, wait=0, total=1, other=rank + 1, other_seq=3)
        n_later = n - 1 - rank  # number of ranks that wait because this rank does
        if rank == 1:
            expected.append(("delay", 0, 3, WORK, MESSAGE, 90, 90 * n_later))
        else:
            expected += [("delay", rank - 1, 5, WORK, MESSAGE, 20, 20 * n_later), ("delay", rank - 1, 5, CALL, MESSAGE, 1, n_later)]
        indirect = 0 if rank == 1 else waits[rank - 1]
        waits[rank] = wait
        expected.append(("wait", rank, 3, indirect, wait if n_later else 0, wait * n_later, -1 if rank == 1 else 3))
        sent += 21
    return program, expected + [("counts", n - 1, 0, 0)]


def arrivals(times, cost):
    """Returns a program whose ranks enter an operation of all after `times` ticks. The last rank is charged with all waits. Each
    rank works in two call paths."""
    program, last = Program(len(times)), max(times)
    late = times.index(last)
    number = program.operation(late, 4, [(rank, True) for rank in range(len(times))])
    expected = []
    for rank, ticks in enumerate(times):
        program.work(rank, 2, ticks - 3)
        program.work(rank, 3, 3, OTHER)
        program.point(rank, 4, MEMBER, wait=last - ticks, total=last - ticks + 5, completion=5, other=late, other_seq=4, cost=cost,
                      operation=number)
        if ticks < last:
            expected.append(("wait", rank, 4, 0, 0, 0, -1))
    waited = sum(last - ticks for ticks in times)
    expected.append(("delay", late, 4, WORK, cost, waited, 0))
    return program, expected + [("counts", sum(ticks < last for ticks in times), 0, 0)]


def late_root():
    """Returns a program with a late root of a broadcast. Rank 0 waits for 40 ticks to receive from rank 1. Then its broadcast
    makes rank 2 wait for 70 ticks and rank 1 for 5. Rank 3 arrives after the root. The wait of rank 0 for rank 1 does not
    cause the later wait of rank 1."""
    program = Program(4)
    program.work(1, 2, 50)
    program.point(1, 3, AWAITED, wait=0, total=2, other=0, other_seq=3)
    program.work(1, 4, 2, CALL)
    program.work(1, 4, 23)
    program.work(0, 2, 10)
    program.point(0, 3, WAITS, wait=40, total=40, other=1, other_seq=3)
    program.work(0, 4, 40, CALL)
    program.work(0, 4, 30)
    program.work(2, 2, 10)
    program.work(3, 2, 90)
    number = program.operation(0, 5, [(0, True), (1, True), (2, True), (3, False)])
    program.point(0, 5, ROOT, wait=0, total=1, completion=1, cost=ONE_TO_ALL, operation=number)
    for rank, wait in ((1, 5), (2, 70)):
        program.point(rank, 5, LEAF, wait=wait, total=wait + 1, completion=1, other=0, other_seq=5, cost=ONE_TO_ALL, operation=number)
    # Rank 2: 70 = 30 ticks of more work, and the wait of 40 that rank 1 caused. Rank 1: 30 - 23 = 7 ticks of more work.
    return program, [("delay", 0, 5, WORK, ONE_TO_ALL, 30 + 5, 0), ("delay", 1, 3, WORK, MESSAGE, 40, 0),
                     ("delay", 1, 3, WORK, ONE_TO_ALL, 0, 40), ("wait", 0, 3, 0, 0, 40, -1), ("wait", 1, 5, 0, 0, 0, -1),
                     ("wait", 2, 5, 40, 0, 0, 3), ("counts", 3, 0, 0)]


def circle():
    """Returns two ranks that each wait for a record that the other one writes after its own wait."""
    program = Program(2)
    for rank in range(2):
        program.work(rank, 2, 10)
        program.point(rank, 3, WAITS, wait=5, total=5, other=1 - rank, other_seq=4)
        program.point(rank, 4, AWAITED, wait=0, total=1, other=1 - rank, other_seq=3)
    return program


def strangers():
    """Returns points whose other ends are no location, no record, and a record that did not wait."""
    program = Program(2)
    program.point(0, 3, AWAITED, wait=0, total=1, other=7, other_seq=3)
    program.point(0, 4, AWAITED, wait=0, total=1, other=1, other_seq=99)
    program.point(0, 5, AWAITED, wait=0, total=1, other=1, other_seq=1)
    return program, [("counts", 0, 0, 3)]


def check_answer(play, program, expected, name):
    found = sorted((word, *map(int, numbers)) for word, *numbers in play(program, name))
    if found != sorted(expected):
        differing = sorted(set(found) ^ set(expected))
        raise Failure(f"{name}: these lines differ: {differing}")


def check_programs(play):
    """Checks the answers of `play`, which passes a script to causes-script and returns the printed lines."""
    for n in (2, 4, 9):
        check_answer(play, *chain(n), f"a chain of {n}")
    for cost in (BARRIER, ALL_TO_ALL):
        check_answer(play, *arrivals([20, 90, 30, 90, 7], cost), f"arrivals, {cost}")
    check_answer(play, *late_root(), "a late root")
    check_answer(play, *strangers(), "other ends that are none")
    counts = play(circle(), "a circle")[-1]
    if counts != ["counts", "2", "1", "0"]:
        raise Failure(f"a circle: {counts}")
    wrong = Program(1)
    wrong.point(0, 3, MEMBER, wait=7, total=9, cost=BARRIER, operation=5)
    check_answer(play, wrong, [("wait", 0, 3, 0, 0, 0, -1), ("counts", 0, 0, 1)], "an operation that is none")
