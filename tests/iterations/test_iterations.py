#!/usr/bin/env python3
"""Tests the main loop: the table `iterations`, and iter/ against sums over the calls of made-up runs.

usage: test_iterations.py XTF
"""

import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import madeup

XTF = ""
MICRO = 10**6


class Process:
    """The calls of a process: (region, begin, end, depth), in microseconds."""

    def __init__(self, start=0):
        self.now, self.calls, self.events, self.depth = start, [], [], 0

    def call(self, region, micros, inner=()):
        begin, place = self.now, len(self.calls)
        self.calls.append(None)
        self.events.append({"ph": "B", "name": region, "ts": begin})
        self.depth += 1
        for call in inner:
            self.call(*call)
        self.depth -= 1
        self.now += micros
        self.events.append({"ph": "E", "ts": self.now})
        self.calls[place] = (region, begin, self.now)

    def exclusive(self, begin, end):
        """Returns the microseconds of each region within [begin, end), by the innermost call at each time."""
        spent, stack, last = collections.Counter(), [], None
        for event in self.events:
            if stack and last is not None:
                spent[stack[-1]] += max(min(event["ts"], end) - max(last, begin), 0)
            last = event["ts"]
            if event["ph"] == "B":
                stack.append(event["name"])
            else:
                stack.pop()
        return +spent


class Iterations(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xtf-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, processes):
        source = self.folder / f"{name}.json"
        events = [{**event, "pid": number, "tid": 0} for number, process in enumerate(processes) for event in process.events]
        source.write_text(json.dumps({"traceEvents": events}))
        trace = source.with_suffix(".xtf")
        subprocess.run([XTF, "import", "-q", "-f", "-o", trace, source], check=True, capture_output=True, timeout=60)
        return str(trace)

    def cat(self, trace, path, status=0):
        done = subprocess.run([XTF, "cat", trace, path], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr if status else done.stdout

    def table(self, trace, path):
        return madeup.read_table(self.cat(trace, path))

    def check_iterations(self, trace, processes, marker, is_call):
        """Compares all with the calls of the marker. Returns the windows: [iteration][process]."""
        calls = [[call for call in process.calls if call[0] == marker] for process in processes]
        n = len(calls[0]) - (not is_call)
        ends = [[later[1] for later in mine[1:]] + [mine[-1][2]] for mine in calls]
        windows = [[(mine[k][1], end[k]) for mine, end in zip(calls, ends)] for k in range(n)]
        rows = self.table(trace, "iterations")
        self.assertEqual([int(row["iteration"]) for row in rows], list(range(n)))
        for row, window in zip(rows, windows):
            lengths = [end - begin for begin, end in window]
            self.assertAlmostEqual(float(row["begin"]) * MICRO, min(begin for begin, _ in window), delta=0.01)
            self.assertAlmostEqual(float(row["max"]) * MICRO, max(lengths), delta=0.01)
            self.assertAlmostEqual(float(row["min"]) * MICRO, min(lengths), delta=0.01)
            self.assertAlmostEqual(float(row["mean"]) * MICRO, sum(lengths) / len(lengths), delta=0.01)
            self.assertEqual(row["region"].strip(), marker)
        return windows

    def check_profile(self, trace, processes, path, windows):
        """Compares exclusive times of iter/K/profile with sums over the processes' own windows."""
        wanted = collections.Counter()
        for process, (begin, end) in zip(processes, windows):
            wanted += process.exclusive(begin, end)
        shown = {row["region"].strip(): float(row["exclusive"]) * MICRO for row in self.table(trace, f"{path}/profile")}
        for region, micros in shown.items():
            self.assertAlmostEqual(micros, wanted.get(region, 0), delta=0.02 * len(processes), msg=f"{path} {region}")
        self.assertLessEqual(set(wanted), set(shown))

    def stencil(self, seed=0):
        draw, processes = random.Random(seed), []
        for number in range(5):
            process = Process(start=draw.randrange(1000))
            process.call("MPI_Init", 500 + 100 * number)
            for k in range(12):
                slow = 3 if (k, number) == (7, 3) else 1
                process.call("step", draw.randrange(50), [("solve", slow * (1000 + draw.randrange(100))), ("MPI_Sendrecv", 10 + draw.randrange(200)),
                                                          *([("norm", 5, [("MPI_Allreduce", 20)])] if k % 4 == 0 else [])])
            process.call("MPI_Finalize", 50)
            processes.append(process)
        return processes

    def test_a_region_of_the_program(self):
        for seed in range(3):
            processes = self.stencil(seed)
            trace = self.write(f"stencil{seed}", processes)
            windows = self.check_iterations(trace, processes, "step", True)
            for k in (0, 7, 11):
                self.check_profile(trace, processes, f"iter/{k}", windows[k])
                self.check_profile(trace, processes[3:4], f"proc/3/iter/{k}", windows[k][3:4])
                self.check_profile(trace, processes[3:4], f"iter/{k}/proc/3", windows[k][3:4])
            some = [(first[0], last[1]) for first, last in zip(windows[2], windows[5])]
            self.check_profile(trace, processes, "iter/2-6", some)
            self.check_profile(trace, processes, "iter/1-7/iter/2-6/iter/0-6", some)
            self.assertEqual(int(self.cat(trace, "iter/2/iter/7/count")), 0)

    def test_a_recursion_is_no_loop(self):

        def tree(depth):
            return ("tree", 5, [tree(depth - 1), tree(depth - 1)] if depth else [])

        processes = [Process(), Process(3)]
        for process in processes:
            for _ in range(4):
                process.call("step", 1, [tree(3)])
        self.check_iterations(self.write("steps", processes), processes, "step", True)
        for process in processes:
            process.calls, process.events = [], []
            process.call("main", 1, [tree(5)])
        self.assertIn("no main loop", self.cat(self.write("recursion", processes), "iter/0/profile", 1))

    def test_the_slow_step_is_named(self):
        trace = self.write("slow", self.stencil())
        text = self.cat(trace, "findings")
        self.assertIn("iteration 7 of 0 to 11 takes", text)
        self.assertIn("in process 3", " ".join(text.split()))
        self.assertIn("iter/7/profile", text)
        slowest = self.table(trace, "iter/7/imbalance")[0]
        self.assertEqual((slowest["region"].strip(), slowest["max_proc"]), ("solve", "3"))

    def test_records_are_of_each_process_in_its_own_window(self):
        processes = self.stencil(9)
        trace = self.write("records", processes)
        windows = self.check_iterations(trace, processes, "step", True)
        for path, chosen in (("iter/4", windows[4]), ("iter/4/proc/1-2", windows[4][1:3]), ("iter/4/calls", windows[4])):
            of = processes[1:3] if "proc" in path else processes
            begins = sum(begin <= call[1] < end for process, (begin, end) in zip(of, chosen) for call in process.calls)
            ends = sum(begin <= call[2] < end for process, (begin, end) in zip(of, chosen) for call in process.calls)
            self.assertEqual(int(self.cat(trace, f"{path}/count")), begins + (0 if "calls" in path else ends), path)
            lines = self.cat(trace, f"{path}/records").splitlines()
            self.assertEqual(len(lines), int(self.cat(trace, f"{path}/count")))
        solves = int(self.cat(trace, "iter/0-/region/solve/calls/count"))
        self.assertEqual(solves, 5 * 12)
        self.assertEqual(int(self.cat(trace, "iter/4/num/0-3/count")), 3)

    def test_marked_iterations_precede_others(self):
        processes = self.stencil(2)
        for process in processes:
            process.call("outer", 10, [("iteration", 10)] * 6)
        trace = self.write("marked", processes)
        self.check_iterations(trace, processes, "iteration", True)

    def test_only_mpi_is_recorded(self):
        processes = []
        for number in range(3):
            process = Process(start=50 * number)
            for k in range(9):
                process.call("MPI_Irecv", 2)
                process.call("MPI_Isend", 2)
                process.now += 900 + 10 * k
                process.call("MPI_Allreduce", 30)
            processes.append(process)
        trace = self.write("mpi", processes)
        markers = {row["region"].strip() for row in self.table(trace, "iterations")}
        self.assertEqual(len(markers), 1)
        windows = self.check_iterations(trace, processes, markers.pop(), False)
        self.assertEqual(len(windows), 8)
        self.check_profile(trace, processes, "iter/5", windows[5])

    def test_iterations_without_time(self):
        """An iteration that takes less than a tick of the clock in every process is empty, and within the trace."""
        processes = [Process(start=10) for _ in range(3)]
        for process in processes:
            for k in range(9):
                process.call("iteration", 0 if k == 3 else 100)
        trace = self.write("short", processes)
        windows = self.check_iterations(trace, processes, "iteration", True)
        self.check_profile(trace, processes, "iter/3", windows[3])
        done = subprocess.run([XTF, "cat", trace, "iter/3/count", "iter/3/profile"], capture_output=True, text=True, check=True, timeout=60)
        self.assertEqual(done.stderr, "")
        rows = self.table(trace, "iter/3/by/time:2/profile")
        self.assertEqual({float(row[end]) for row in rows for end in ("from", "to")}, {310 / MICRO})

    def test_refusals(self):
        trace = self.write("refused", self.stencil())
        self.assertIn("there are iterations 0 to 11", self.cat(trace, "iter/12/count", status=1))
        self.assertIn("not a range of iteration numbers: write K for iteration K", self.cat(trace, "iter/-/count", status=1))
        self.assertIn("needs one window for all processes", self.cat(trace, "iter/3/histogram", status=1))
        self.assertIn("needs one window for all processes", self.cat(trace, "iter/3/timeline.svg", status=1))
        self.cat(trace, "proc/1/iter/3/histogram")
        self.cat(trace, "iter/3/by/proc/profile")
        uneven = [Process() for _ in range(3)]
        for number, process in enumerate(uneven):
            for _ in range(4 + number):
                process.call("step", 100)
        trace = self.write("uneven", uneven)
        self.assertEqual(self.table(trace, "iterations"), [])
        self.assertIn("no main loop was found", self.cat(trace, "iter/0/count", status=1))


if __name__ == "__main__":
    XTF = sys.argv.pop()
    unittest.main()
