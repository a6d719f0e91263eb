#!/usr/bin/env python3
"""The twelve patterns of the UPC paper. Each has a program, in which `xtf analyze` finds this pattern and no other, and the amount
that the program's text says. In random programs, the naive judge finds the same waits.

usage: test_patterns.py
"""

import collections
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "export"))
# pylint: disable=wrong-import-position
from cube_reader import Cube
from gasp_case import DIALECTS, GaspCase, Recorded, fewer
from naive_upc import Replay

MS = 1000000  # ticks
THREADS = 6
TESTS_ALL = bool(os.environ.get("XTF_TEST_ALL"))
SEEDS = 12 if TESTS_ALL else 4
AHEAD = THREADS * (THREADS - 1) // 2 * MS  # of threads of which each begins a millisecond after the one before

# The program of each pattern, its kind, and the sum of its waits in 6 threads.
PATTERNS = {
    "lock_contention": ("lock_competition", sum(t * MS + 195000 - (100 + t) * 1000 for t in range(1, THREADS))),
    "wait_at_barrier": ("wait_barrier", AHEAD),
    "barrier_completion": ("barrier_completion", AHEAD),
    "late_broadcast": ("late_broadcast", sum(4 * MS - t * 1000 for t in range(1, THREADS))),
    "early_gather": ("early_reduce", THREADS * MS - 500000),
    "wait_nxn": ("wait_nxn", AHEAD),
    "nxn_completion": ("nxn_completion", AHEAD),
    "wait_at_entry": ("wait_entry", AHEAD),
    "wait_at_exit": ("wait_exit", AHEAD),
    "early_prefix": ("early_scan", sum(4 * MS - t * 1000 for t in range(1, THREADS))),
    "wait_inside": ("wait_inside", (THREADS - 2) * 1000 + 4 * MS - (THREADS - 1) * 1000),
    "wait_in_allocation": ("wait_alloc", sum(4 * MS - t * 1000 for t in range(1, THREADS))),
}

METRICS = {"lock_competition": "rma_lock_competition", "wait_barrier": "mpi_barrier_wait", "barrier_completion": "mpi_barrier_completion",
           "late_broadcast": "mpi_latebroadcast", "early_reduce": "mpi_earlyreduce", "wait_nxn": "mpi_wait_nxn", "nxn_completion": "mpi_nxn_completion",
           "wait_entry": "upc_wait_entry", "wait_exit": "upc_wait_exit", "early_scan": "mpi_earlyscan", "wait_inside": "upc_wait_inside",
           "wait_alloc": "upc_wait_alloc"}


def rows_of(trace, name):
    """Yields (process, kind, fields) of each row of a type that an analysis makes."""
    for array in trace.trace.arrays():
        if array.schema.name == name:
            names = [field.name for field in array.schema.fields]
            kinds = array.schema.fields[names.index("event")].labels
            for row in array.read():
                values = dict(zip(names, array.schema.values(row)))
                yield array.location >> 32, kinds[values["event"]], values


def waits_of(trace):
    """Returns the waits in a trace that was analysed, as the judge has them."""
    return sorted(((process, kind, wait["time"] - wait["amount"], wait["time"], wait["culprit"])
                   for process, kind, wait in rows_of(trace, "waits") if wait["amount"] > 0), key=repr)


def costs_of(trace):
    """Returns the costs of delays by kind of the waits that they caused."""
    costs = collections.Counter()
    for _, kind, delay in rows_of(trace, "delays"):
        costs[kind] += delay["short_term"] + delay["long_term"]
    return costs


def metric_sums(path):
    """Returns the sum of each metric over all call paths and locations, by its unique name."""
    cube = Cube(path)
    return {metric: sum(cube.values(metric).values()) for metric in cube.metrics}


def runs_with(dialect, number):
    """True if a test runs program `number` with a dialect: without XTF_TEST_ALL the dialects take turns."""
    return TESTS_ALL or list(DIALECTS)[number % len(DIALECTS)] == dialect


class Patterns(GaspCase):
    def analysed(self, *command):
        """Records and analyses a program. Returns its waits, and the judge's."""
        self.record_threads(*command)
        self.xtf("analyze", self.folder / "run.xtf")
        self.xtf("check", self.folder / "run.xtf")
        trace = Recorded(self.folder / "run.xtf")
        self.addCleanup(trace.close)
        return waits_of(trace), sorted(Replay(trace).waits, key=repr)

    def test_patterns(self):
        for dialect in DIALECTS:
            program = self.build("patterns", dialect)
            for number, (name, (kind, amount)) in enumerate(PATTERNS.items()):
                if not runs_with(dialect, number):
                    continue
                with self.subTest(f"{dialect} {name}"):
                    found, judged = self.analysed(program, name, str(THREADS))
                    self.assertEqual({wait[1] for wait in found}, {kind})
                    self.assertEqual(found, judged)
                    self.assertEqual(sum(wait[3] - wait[2] for wait in found), amount)

    def test_cube(self):
        """The profile for Cube has the kinds' metrics, with the sums of the waits."""
        program = self.build("patterns", "bupc")
        for name, (kind, amount) in PATTERNS.items():
            with self.subTest(name):
                self.analysed(program, name, str(THREADS))
                self.xtf("export", "cube", "--force", "-o", self.folder / "run.cubex", self.folder / "run.xtf")
                sums = metric_sums(self.folder / "run.cubex")
                self.assertAlmostEqual(sums[METRICS[kind]], amount / 1e9, places=12)
                self.assertEqual([other for other in METRICS.values() if sums[other] and other != METRICS[kind]], [])

    def test_profile(self):
        """The profile, and the imbalance, of a program have UPC's functions, with the times of the program's text."""
        self.analysed(self.build("patterns", "gupc"), "wait_at_barrier", str(THREADS))
        rows = {line.split()[-1]: line.split() for line in self.xtf("cat", self.folder / "run.xtf", "profile").splitlines()}
        self.assertEqual((rows["upc_barrier"][1], float(rows["upc_barrier"][3])), (str(THREADS), (AHEAD + THREADS * 10000) / 1e9))
        rows = {line.split()[-1]: line.split() for line in self.xtf("cat", self.folder / "run.xtf", "imbalance").splitlines()}
        self.assertEqual([float(cell) for cell in rows["upc_barrier"][1:4]], [(AHEAD / THREADS + 10000) / 1e9, 10000 / 1e9, ((THREADS - 1) * MS + 10000) / 1e9])

    def test_otf2(self):
        """The mode of an operation survives in OTF2: an import of the export has the same waits."""
        found, _ = self.analysed(self.build("random", "gupc"), "1", "5")
        self.xtf("export", "otf2", "-o", self.folder / "archive", self.folder / "run.xtf")
        anchor = next((self.folder / "archive").glob("*.otf2"))
        self.xtf("import", "-q", "-o", self.folder / "again.xtf", anchor)
        self.xtf("analyze", self.folder / "again.xtf")
        again = Recorded(self.folder / "again.xtf")
        self.addCleanup(again.close)
        first, other = min(wait[2] for wait in found), waits_of(again)
        since = min(wait[2] for wait in other)
        self.assertEqual([(wait[0], wait[1], wait[2] - since, wait[3] - since, wait[4]) for wait in other],
                         [(wait[0], wait[1], wait[2] - first, wait[3] - first, wait[4]) for wait in found])

    def test_random_programs(self):
        kinds = collections.Counter()
        for dialect in DIALECTS:
            program = self.build("random", dialect)
            for seed in range(SEEDS):
                if not runs_with(dialect, seed):
                    continue
                with self.subTest(f"{dialect} {seed}"):
                    found, judged = self.analysed(program, str(seed), str((4, 5, 8, 32)[seed % 4]))
                    self.assertEqual([wait for wait in found if wait not in judged], [])
                    self.assertEqual([wait for wait in judged if wait not in found], [])
                    kinds.update(wait[1] for wait in found)
                    amounts = collections.Counter()
                    for _, kind, begin, end, _ in found:
                        amounts[kind] += end - begin
                    costs = costs_of(Recorded(self.folder / "run.xtf"))
                    self.assertEqual([kind for kind in costs if costs[kind] > amounts[kind]], [], "delays cost more than the waits")
                    self.assertGreater(costs["wait_entry"] + costs["wait_exit"], 0)
        self.assertEqual(set(kinds), {kind for kind, _ in PATTERNS.values()}, "a kind does not occur")


if __name__ == "__main__":
    fewer.main()
