#!/usr/bin/env python3
"""Tests `xtf representative` on made-up runs, by the numbers of calls that they were made with.

usage: test_representative.py XTF
"""

import collections
import itertools
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import madeup

XTF = ""


def largest_alike(profiles, delta):
    """Returns the size of the largest set of profiles less than delta apart, by trying all sets."""
    near = {(i, j) for i, j in itertools.combinations(range(len(profiles)), 2) if madeup.distance(profiles[i], profiles[j]) < delta}
    for size in range(len(profiles), 1, -1):
        if any(all(pair in near for pair in itertools.combinations(chosen, 2)) for chosen in itertools.combinations(range(len(profiles)), size)):
            return size
    return 1


class Representative(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xtf-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def ask(self, *arguments, status=0):
        done = subprocess.run([XTF, "representative", *map(str, arguments)], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status in (0, 3) else done.stderr

    def runs(self, counts):
        """Makes a run of two processes for each {region: calls}; process 1 makes one call of each region."""
        traces = []
        for number, calls in enumerate(counts):
            first = [(region, 0.001) for region, n in calls.items() for _ in range(n - 1)]
            traces.append(madeup.make_run(XTF, self.folder, f"run{number}", [first, [(region, 0.001) for region in calls]]))
        return traces

    def test_random_runs(self):
        draw = random.Random(3)
        for delta in (0.02, 0.05, 0.2):
            counts = [{f"r{k}": 20 + k + draw.choice((0, 0, 1, 4, 20)) for k in range(4)} for _ in range(7)]
            traces = self.runs(counts)
            largest = largest_alike(counts, delta)
            for share in (0.2, 0.5, 0.8, 1):
                expected = largest >= share * 7
                text = self.ask("--delta", delta, "--share", share, *traces, status=0 if expected else 3)
                self.assertIn(f"Representative: {'yes' if expected else 'no'}.", text)
                self.assertIn(f"has {largest} of 7;", text)
                rows = madeup.read_table(text.rpartition("#")[0])
                self.assertEqual([int(row["calls"]) for row in rows], [sum(calls.values()) for calls in counts])
                alike = [calls for row, calls in zip(rows, counts) if row["alike"] == "yes"]
                self.assertEqual(len(alike), largest)
                self.assertTrue(all(madeup.distance(a, b) < delta for a, b in itertools.combinations(alike, 2)))

    def test_the_region_that_differs_is_named(self):
        counts = [{"solve": 100, "halo": 50}] * 4 + [{"solve": 100, "halo": 80}]
        text = self.ask(*self.runs(counts))
        row = madeup.read_table(text.rpartition("#")[0])[-1]
        self.assertEqual((row["alike"], row["differs_by"], row["region"].strip()), ("no", "30", "halo"))
        self.assertAlmostEqual(float(row["distance"]), 30 / 330, places=4)
        self.assertIn("has 4 of 5; 4 are needed, and 5 in all", text)

    def test_processes(self):
        def calls(process):
            return [("solve", 0.01)] * 20 + [("MPI_Send", 0.001)] * (10 if process in (0, 9) else 20)
        trace = madeup.make_run(XTF, self.folder, "one", [calls(process) for process in range(10)])
        text = self.ask("--processes", trace)
        rows = madeup.read_table(text.rpartition("#")[0])
        self.assertEqual(collections.Counter(row["alike"] for row in rows), {"yes": 8, "no": 2})
        self.assertEqual([row["proc"] for row in rows if row["alike"] == "no"], ["0", "9"])
        self.ask("--processes", "--share", "0.9", trace, status=3)

    def test_windows_and_refusals(self):
        traces = [madeup.make_run(XTF, self.folder, f"half{i}", [[("a", 1.0)] * 10 + [("b", 1.0)] * (i * 10)]) for i in range(1, 6)]
        self.ask(*traces, status=3)
        self.ask("--path", "time/-10", *traces)
        self.ask("--min", 6, "--path", "time/-10", *traces, status=3)
        self.assertIn("not a directory of records", self.ask("--path", "definitions", *traces, status=1))
        for options in (["--delta", "0"], ["--share", "1.1"], ["--min", "0"]):
            self.assertIn("xtf: representative: ", self.ask(*options, *traces, status=2))


if __name__ == "__main__":
    XTF = sys.argv.pop()
    unittest.main()
