"""Random programs of one process with an OpenMP team, by a seed: the records of a recorder, as a script for otf2-script."""

from random_processes import Dice

OPENMP, COMPILER, TEAM = 3, 2, 20
PARALLEL, BARRIER, LAST_BARRIER, CRITICAL = 2, 3, 4, 5
# (name, paradigm, role)
REGIONS = [("main", COMPILER, 1), ("foo", COMPILER, 1), ("!$omp parallel @a.c:1", OPENMP, 5), ("!$omp barrier @a.c:3", OPENMP, 15),
           ("!$omp implicit barrier @a.c:9", OPENMP, 16), ("!$omp critical @a.c:5", OPENMP, 12), ("bar", COMPILER, 1)]


class Team:
    """Threads with a clock each; the earliest thread gets the lock."""

    def __init__(self, seed, n_threads=3, n_regions=5):
        self.dice, self.n = Dice(seed), n_threads
        self.times, self.lines = [1000] * n_threads, [[] for _ in range(n_threads)]
        self.order = self.free = 0
        self.note(0, "E 0")
        for _ in range(n_regions):
            self.spend(0, 3000)
            self.fork()
            for _ in range(self.dice.randrange(3)):
                self.share()
            self.meet(LAST_BARRIER)
            self.join()
        self.spend(0, 100)
        self.note(0, "L 0")

    def note(self, thread, event):
        self.lines[thread].append(f"{thread} {self.times[thread]} {event}")

    def spend(self, thread, most):
        self.times[thread] += 1 + self.dice.randrange(most)

    def call(self, thread, region, most):
        self.note(thread, f"E {region}")
        self.spend(thread, most)
        self.note(thread, f"L {region}")

    def fork(self):
        self.note(0, f"F {OPENMP} {self.n}")
        begin = self.times[0]
        for thread in range(self.n):
            self.times[thread] = max(self.times[thread], begin)
            self.spend(thread, 50)
            self.note(thread, f"t {TEAM}")
            self.note(thread, f"E {PARALLEL}")

    def share(self):
        for thread in range(self.n):
            self.spend(thread, 500)
            self.call(thread, self.dice.choice([1, 6]), 3000)
        for thread in sorted(range(self.n), key=lambda thread: self.times[thread]):
            if self.dice.random() < 0.7:
                self.critical(thread)
        self.meet(BARRIER)

    def critical(self, thread):
        self.spend(thread, 2)
        self.note(thread, f"E {CRITICAL}")
        self.times[thread] = max(self.times[thread] + 1, self.free)
        self.order += 1
        self.note(thread, f"A {OPENMP} 7 {self.order}")
        self.spend(thread, 2500)
        self.note(thread, f"a {OPENMP} 7 {self.order}")
        self.free = self.times[thread] + 1
        self.spend(thread, 2)
        self.note(thread, f"L {CRITICAL}")

    def meet(self, region):
        for thread in range(self.n):
            self.spend(thread, 2000)
            self.note(thread, f"E {region}")
        last = max(self.times)
        for thread in range(self.n):
            self.times[thread] = last
            self.spend(thread, 10)
            self.note(thread, f"L {region}")

    def join(self):
        for thread in range(self.n):
            self.note(thread, f"L {PARALLEL}")
            self.note(thread, f"u {TEAM}")
        self.times[0] = max(self.times)
        self.spend(0, 20)
        self.note(0, f"f {OPENMP}")

    def script(self):
        lines = [line for lines in self.lines for line in lines]
        lines += [f"clock 1000000000 0 {max(self.times) + 1}", "processes 1"]
        lines += [f"location {thread} 0 thread {thread}" for thread in range(self.n)]
        lines += [f"construct {i} {paradigm} {role} {name}" for i, (name, paradigm, role) in enumerate(REGIONS)]
        return lines + [f"team {TEAM} {' '.join(map(str, range(self.n)))}"]
