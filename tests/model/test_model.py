#!/usr/bin/env python3
"""Tests `xtf model` on made-up runs whose loops and branches are known, and evaluates its formulas in Python.

usage: test_model.py XTF
"""

import collections
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from xtfrun import shared_traces

XTF = ""
STENCIL = (shared_traces() or pathlib.Path()) / "stencil4d-32" / "traces.otf2"


def expand(program, process):
    """Yields the calls of a program: a list of (name, seconds, program inside) and of (turns, program)."""
    for part in program:
        if isinstance(part[0], int):
            for _ in range(part[0]):
                yield from expand(part[1], process)
        else:
            yield part


def write_calls(program, process, now, events):
    """Adds the events of a program's calls from a time on, in microseconds. Returns the time of their end."""
    for name, own, *inside in expand(program, process):
        common = {"pid": process, "tid": 0, "name": name}
        events.append({"ph": "B", "ts": now, **common})
        now = write_calls(inside[0] if inside else [], process, now + own, events)
        events.append({"ph": "E", "ts": now, **common})
    return now


def random_program(draw, depth=0):
    """Returns a program of random loops, with calls of few names."""
    parts = []
    for _ in range(draw.randint(1, 4)):
        if draw.random() < 0.4 and depth < 4:
            parts.append((draw.randint(1, 6), random_program(draw, depth + 1)))
        else:
            inside = random_program(draw, depth + 1) if draw.random() < 0.3 and depth < 4 else []
            parts.append((f"f{draw.randint(0, 5)}", draw.randint(1, 50), inside))
    return parts


class Model(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xtf-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.n_runs = 0

    def make_run(self, programs):
        """Writes a run with a program for each process. Returns the trace and its events."""
        events = []
        for process, program in enumerate(programs):
            write_calls(program, process, 0, events)
        source = self.folder / f"{self.n_runs}.json"
        self.n_runs += 1
        source.write_text(json.dumps({"traceEvents": events}))
        trace = source.with_suffix(".xtf")
        subprocess.run([XTF, "import", "-q", "-o", trace, source], check=True, capture_output=True, timeout=60)
        return trace, events

    def model(self, trace, *options, status=0):
        done = subprocess.run([XTF, "model", "--least", "0", *map(str, options), str(trace)], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def tables(self, text):
        """Returns the lines of each table: [[{column: text}]]."""
        found = []
        for table in text.split("\n\n")[:-1]:
            heading, *lines = table.splitlines()
            names = heading[1:].split()
            begin = heading.index(" " + names[-1]) + 1
            found.append([dict(zip(names, [*line[:begin].split(), line[begin:].rstrip()])) for line in lines])
        return found

    def shape(self, text):
        """Returns the calls as [(depth, text, turns)]."""
        return [((len(row["call"]) - len(row["call"].lstrip())) // 2, row["call"].strip(), float(row["turns"])) for row in self.tables(text)[0]]

    def evaluate(self, text, **size):
        """Returns the value of the formula in the text, from the times of the terms."""
        formula = re.search("^# T = (.*)$", text, re.MULTILINE)[1]
        for row in sorted(self.tables(text)[1], key=lambda row: -len(row["term"])):
            formula = re.sub(rf"(?<![\w.]){re.escape(row['term'])}(?!\w)", f"({row['time']})", formula)
        return eval(formula.replace("^", "**"), {}, size)  # numbers, names of parameters and operators

    def recorded(self, text):
        return float(re.search("^# Recorded: T = ([^ ]+) s", text, re.MULTILINE)[1])

    def test_loops_are_found(self):
        body = [("a", 10), ("b", 5), (3, [("c", 2), ("d", 4)])]
        trace, _ = self.make_run([[("main", 7, [("init", 100), (20, body), ("end", 1)])]] * 4)
        text = self.model(trace)
        self.assertEqual(self.shape(text), [(0, "process", 1), (1, "main", 1), (2, "init", 1), (2, "loop", 20), (3, "a", 1), (3, "b", 1),
                                            (3, "loop", 3), (4, "c", 1), (4, "d", 1), (2, "end", 1)])  # yapf: disable
        self.assertAlmostEqual(self.recorded(text), (7 + 100 + 20 * (15 + 3 * 6) + 1) * 1e-6, delta=1e-9)
        self.assertAlmostEqual(self.evaluate(text, P=4), self.recorded(text), delta=1e-9)

    def test_the_turns_of_a_loop_may_differ(self):
        for turns in ([1, 5, 2, 9], [3, 3, 3, 4]):
            program = [("main", 1, [part for n in turns for part in (("a", 1), (n, [("b", 1)]), ("c", 1))])]
            shape = self.shape(self.model(self.make_run([program])[0]))
            self.assertEqual(shape[2:], [(2, "loop", 4), (3, "a", 1), (3, "b", float(f"{sum(turns) / 4:.4g}")), (3, "c", 1)])

    def test_a_branch_has_the_measured_frequency(self):
        draw = random.Random(3)
        taken = [draw.random() < 0.3 for _ in range(300)]
        program = [("main", 1, [("step", 1, [("a", 2), *([("often", 30)] if not t else [("rare", 90)]), ("z", 2)]) for t in taken])]
        trace, _ = self.make_run([program])
        text = self.model(trace)
        rows = {row["call"].strip(): row for row in self.tables(text)[0]}
        self.assertEqual(float(rows["rare"]["executions"]), sum(taken))
        self.assertIn(f"{100 * sum(taken) / 300:.4g} %", rows)
        self.assertAlmostEqual(self.evaluate(text, P=1), self.recorded(text), delta=1e-8)
        worst = self.model(trace, "--worst", "--at", "P=1")
        self.assertAlmostEqual(float(self.tables(worst)[2][0]["time"]), (1 + 300 * (1 + 2 + 90 + 2)) * 1e-6, delta=1e-9)
        self.assertAlmostEqual(float(rows["rare"]["fold_error"]), 0)
        self.assertAlmostEqual(float(rows["step"]["fold_error"]), 300 * 60e-6, delta=1e-7)

    def test_turns_that_differ_without_a_call_around_them(self):
        draw = random.Random(4)
        calls = [part for _ in range(200) for part in (("a", 1), *([("x", 5)] if draw.random() < 0.5 else [("y", 7), ("y2", 1)]), ("z", 1))]
        shape = self.shape(self.model(self.make_run([[("main", 1, [("init", 1), *calls, ("end", 1)])]])[0]))
        names = [name for _, name, _ in shape]
        self.assertEqual(names[:5], ["process", "main", "init", "loop", "a"])
        self.assertEqual((shape[3][2], names.count("branch"), names[-2:]), (200, 1, ["z", "end"]))

    def test_no_time_and_no_call_is_lost(self):
        draw = random.Random(5)
        for number in range(60):
            programs = [random_program(draw)] * 3 if number % 2 else [random_program(draw) for _ in range(3)]
            trace, events = self.make_run(programs)
            text = self.model(trace)
            calls = collections.Counter(event["name"] for event in events if event["ph"] == "B")
            found = collections.Counter()
            for row in self.tables(text)[0]:
                name = row["call"].strip().removesuffix(" (calls in any order)")
                if name in calls:
                    found[name] += float(row["executions"]) * 3
            for name, n in calls.items():
                self.assertAlmostEqual(found[name], n, delta=1e-4 * n, msg=f"run {number}: {name}")
            self.assertAlmostEqual(self.evaluate(text, P=3), self.recorded(text), delta=1e-4 * self.recorded(text) + 1e-9, msg=f"run {number}")

    def test_calls_without_any_order_stay_few(self):
        draw = random.Random(6)
        program = [("main", 1, [(f"f{draw.randint(0, 9)}", draw.randint(1, 9)) for _ in range(20000)])]
        trace, events = self.make_run([program])
        text = self.model(trace)
        self.assertLess(len(self.tables(text)[0]), 400)
        self.assertAlmostEqual(self.evaluate(text, P=1), self.recorded(text), delta=1e-4 * self.recorded(text))
        self.assertAlmostEqual(self.recorded(text), max(event["ts"] for event in events) * 1e-6, delta=1e-8)

    def test_very_many_call_paths_are_cut(self):
        draw = random.Random(8)

        def any_calls(depth):
            return [(f"g{draw.randint(0, 39)}", draw.randint(1, 9), any_calls(depth - 1) if depth else []) for _ in range(draw.randint(1, 4))]

        trace, events = self.make_run([[("main", 1, [("step", 1, any_calls(4)) for _ in range(800)])]] * 2)
        self.assertGreater(len(events), 100000)
        text = self.model(trace)
        self.assertIn("(calls left out)", text)
        self.assertLess(len(self.tables(text)[0]), 40000)
        self.assertAlmostEqual(self.evaluate(text, P=2), self.recorded(text), delta=1e-3 * self.recorded(text))
        first = [float(row["executions"]) for row in self.tables(text)[0] if row["call"].strip().startswith("step")]
        self.assertAlmostEqual(sum(first), 800, delta=0.1)

    def test_a_deep_recursion_ends(self):
        program = []
        for _ in range(400):
            program = [("f", 1, program)]
        text = self.model(self.make_run([program])[0])
        self.assertAlmostEqual(self.evaluate(text, P=1), 400e-6, delta=1e-9)
        self.assertLess(len(self.tables(text)[0]), 200)
        self.assertIn("# Left out: 273 calls deeper than 127, ", text)

    def test_what_is_left_out_is_said(self):
        text = self.model(self.make_run([[("f", 1)], [("f", 1)]])[0])
        self.assertNotIn("Left out", text)
        source, trace = self.folder / "threads.json", self.folder / "threads.xtf"
        call = [{"ph": "X", "pid": pid, "tid": tid, "name": "f", "ts": 1, "dur": 3} for pid, tid in ((0, 0), (0, 1), (1, 0))]
        counters = [{"ph": "C", "pid": 2, "tid": 0, "name": "c", "ts": 2, "args": {"c": 1}}]
        source.write_text(json.dumps({"traceEvents": call + counters}))
        subprocess.run([XTF, "import", "-q", "-o", trace, source], check=True, capture_output=True, timeout=60)
        text = self.model(trace)
        self.assertIn("# Left out: 1 thread, which is not the first of its process.\n", text)
        self.assertIn("# Left out: 1 process without calls in the first thread.\n", text)

    def test_a_run_without_time(self):
        text = self.model(self.make_run([[("f", 0)]])[0])
        self.assertIn("# T = 0\n", text)
        self.assertIn(" 1 call.\n", text)

    def test_hidden_rows_do_not_widen_the_table(self):
        program = []
        for _ in range(100):
            program = [("f", 0, program)]
        heading = self.model(self.make_run([[("main", 1000, program)]])[0], "--least", "50").splitlines()[0]
        self.assertLess(len(heading), 100)

    def jacobi(self, n, p, k):
        """Returns the paper's Jacobi program: the formula gives its times in microseconds."""
        exchange = [(2, [("MPI_Send", n * 3), ("MPI_Recv", n * 2)])]
        step = ("step", 0, [("pack", 4 * n), *exchange, (n // p, [("relax", 5 * n), ("compare", 2 * n)])])
        return [("main", 0, [("init", 1000), (k, [step])])]

    def test_the_formula_of_the_paper(self):
        n, p, k = 96, 4, 10
        trace, _ = self.make_run([self.jacobi(n, p, k)] * p)
        options = ["--parameter", f"N={n}", "--parameter", f"K={k}", *(word for name in ("relax", "compare", "pack") for word in ("--work", f"{name}=N"))]
        text = self.model(trace, *options, "--at", "P=8", "--at", "P=2,N=192,K=30", "--at", f"P={p}")
        self.assertRegex(text, r"# T = t1 \+ N\*K\*t2 \+ 2\*K\*\(MPI_Send\(\) \+ MPI_Recv\(\)\) \+ N\^2\*K/P\*\(t3 \+ t4\)\n")
        terms = {row["call"]: float(row["time"]) for row in self.tables(text)[1]}
        self.assertAlmostEqual(terms["relax"], 5e-6, delta=1e-10)
        self.assertAlmostEqual(terms["compare"], 2e-6, delta=1e-10)
        for row, size in zip(self.tables(text)[2], ({"P": 8, "N": n, "K": k}, {"P": 2, "N": 192, "K": 30}, {"P": p, "N": n, "K": k})):
            truth = (1000 + size["K"] * (4 * size["N"] + 2 * 5 * n + size["N"]**2 / size["P"] * 7)) * 1e-6
            self.assertAlmostEqual(float(row["time"]), truth, delta=1e-5 * truth, msg=size)
            self.assertAlmostEqual(self.evaluate(text, **size), truth, delta=1e-5 * truth, msg=size)
            self.assertAlmostEqual(float(row["mpi"]), size["K"] * 2 * 5 * n * 1e-6, delta=1e-8)
        self.assertAlmostEqual(float(self.tables(text)[2][2]["ratio"]), 1, delta=1e-4)

    def test_settings(self):
        trace, _ = self.make_run([self.jacobi(64, 4, 5)] * 4)
        text = self.model(trace, "--set", "relax=64/P", "--at", "P=16")
        self.assertAlmostEqual(float(self.tables(text)[2][0]["time"]), (1000 + 5 * (256 + 640 + 4 * 7 * 64)) * 1e-6, delta=1e-8)
        by_label = next(row["loop"] for row in self.tables(text)[0] if row["call"].strip().startswith("loop, turns 64/P"))
        self.assertEqual(self.model(trace, "--set", f"{by_label}=64/P", "--at", "P=16"), text)
        offset = self.model(trace, "--set", "relax=(66-2)/P", "--at", "P=16")
        self.assertEqual(self.tables(offset)[2], self.tables(text)[2])
        sums = self.model(trace, "--parameter", "N=64", "--set", "relax=(N-2)/P", "--at", "N=128")
        self.assertAlmostEqual(float(self.tables(sums)[2][0]["time"]), (1000 + 5 * (256 + 640 + 16 * 126 / 62 * 7 * 64)) * 1e-6, delta=1e-7)
        self.assertIn("*((N-2)/P)", sums)
        blanks = self.model(trace, "--parameter", "N=64", "--set", "relax=(N - 2) / P", "--at", "N=128")
        self.assertEqual(self.tables(blanks)[1:], self.tables(sums)[1:])

    def test_a_region_names_the_innermost_loop_that_it_begins(self):
        trace, _ = self.make_run([[("main", 0, [(6, [(4, [("row", 10)]), ("end", 5)])])]] * 4)
        for name, seconds in (("row", 6 * (4 * 10 * 2 + 5) * 1e-6), ("L1", 2 * 6 * (4 * 10 + 5) * 1e-6), ("L2", 6 * (4 * 10 * 2 + 5) * 1e-6)):
            table = self.tables(self.model(trace, "--set", f"{name}=P", "--at", "P=8"))[2]
            self.assertAlmostEqual(float(table[0]["time"]), seconds, delta=1e-9, msg=name)

    def test_no_two_terms_have_the_same_name(self):
        part = ("part", 0, [("b", 2), ("MPI_Recv", 30)])
        program = [("main", 0, [("init", 0, [("MPI_Recv", 100)]), (8, [("step", 0, [("a", 1), ("MPI_Recv", 7), (5, [part])])])])]
        text = self.model(self.make_run([program] * 2)[0], "--parameter", "N=8", "--parameter", "K=5", "--at", "P=2,N=20,K=3")
        names = [row["term"] for row in self.tables(text)[1]]
        self.assertEqual(sorted(name for name in names if name.startswith("MPI")), ["MPI_Recv()", "MPI_Recv_2()", "MPI_Recv_3()"])
        for n, k, seconds in ((8, 5, self.recorded(text)), (20, 3, float(self.tables(text)[2][0]["time"]))):
            truth = (100 + n * (8 + k * 32)) * 1e-6
            self.assertAlmostEqual(self.evaluate(text, P=2, N=n, K=k), truth, delta=1e-8)
            self.assertAlmostEqual(seconds, truth, delta=1e-8)

    def test_no_time_below_zero_is_predicted(self):
        trace, _ = self.make_run([self.jacobi(16, 4, 5)] * 4)
        for size in ("P=2", "P=1"):
            self.assertRegex(self.model(trace, "--set", "relax=P-3", "--at", size, status=1), rf"no prediction for {size}: .*P-3.* are -")
        self.assertIn("are inf", self.model(trace, "--set", "relax=P^P^P", "--at", "P=9", status=1))
        none = self.model(trace, "--set", "relax=P-3", "--at", "P=3")
        self.assertAlmostEqual(float(self.tables(none)[2][0]["time"]), (1000 + 5 * (64 + 160)) * 1e-6, delta=1e-8)

    def test_huge_and_tiny_numbers_fit_their_columns(self):
        trace, _ = self.make_run([self.jacobi(16, 4, 5)] * 4)
        for size in ("1.23456e-300", "1.23456e300"):
            text = self.model(trace, "--parameter", f"N={size}", "--work", "relax=N", "--at", f"N={size}")
            self.assertAlmostEqual(float(self.tables(text)[2][0]["time"]), self.recorded(text), delta=1e-8)

    def test_a_region_is_modelled_wherever_it_is_called(self):
        k, p = 7, 4
        leaf = [("leaf", 5)]
        inner = [("f", 3, leaf), ("f", 2, [("f", 4)])]
        program = [("main", 1, [("f", 100), (k, [("step", 2, [*inner, ("other", 9)])]), ("g", 1, [("f", 10, leaf)])])]
        trace, _ = self.make_run([program] * (p - 1) + [[("main", 1)]])
        text = self.model(trace, "--region", "f", "--parameter", f"K={k}", "--at", f"P={p}", "--at", "K=14")
        truth = [(p - 1) / p * (100 + n * 14 + 15) * 1e-6 for n in (k, 14)]
        self.assertAlmostEqual(self.recorded(text), truth[0], delta=1e-9)
        self.assertAlmostEqual(self.evaluate(text, P=p, K=k), truth[0], delta=1e-9)
        self.assertEqual([round(float(row["time"]) * 1e9) for row in self.tables(text)[2]], [round(time * 1e9) for time in truth])
        self.assertNotIn("other", text)
        self.assertEqual({depth: name for depth, name, _ in self.shape(text)}[0], "f")

    @unittest.skipUnless(STENCIL.is_file() and shutil.which("otf2-print"), "there is no ../shared/traces/stencil4d-32, or no otf2-print")
    def test_a_call_moves_all_its_messages(self):
        text = subprocess.run(["otf2-print", STENCIL], check=True, capture_output=True, text=True, timeout=60).stdout
        lengths = re.findall(r"^MPI_(?:SEND|IRECV) .*Length: (\d+)", text, re.MULTILINE)
        processes, bandwidth = 32, 1e9
        seconds = sum(map(int, lengths)) / processes / bandwidth
        trace = self.folder / "stencil.xtf"
        subprocess.run([XTF, "import", "-q", "-o", trace, STENCIL], check=True, capture_output=True, timeout=60)
        table = self.tables(self.model(trace, "--network", f"0,{bandwidth}", "--at", f"P={processes}"))[2]
        self.assertAlmostEqual(float(table[0]["mpi"]), seconds, delta=1e-5 * seconds)

    def test_any_name_is_printed(self):
        names = ["MPI_a b", "MPI_\n", "x\ty", "=", "\u20ac", "MPI_" + "long" * 200, "%s", "*"]
        text = self.model(self.make_run([[("main", 1, [(name, 1) for name in names] * 3)]])[0])
        self.assertEqual(len(self.tables(text)[1][0]), 6)
        self.assertEqual(len({len(line.encode()) for line in text.split("\n\n")[1].splitlines()}), 1)
        self.assertAlmostEqual(self.recorded(text), 25e-6, delta=1e-9)

    def test_wrong_arguments(self):
        trace, _ = self.make_run([self.jacobi(8, 2, 3)] * 2)
        for options in (["--parameter", "N"], ["--parameter", "N=0"], ["--parameter", "P=3"], ["--parameter", "N=1x"], ["--network", "1"], ["--set", "x"],
                        ["--network", "1,0"], ["--least", "-1"], ["--parameter", "a" * 40 + "=1"], *[[f"--parameter=n{i}=1" for i in range(9)]]):
            self.assertIn("xtf: model: ", self.model(trace, *options, status=2), options)
        for options, message in ((["--set", "nothing=P"], "no loop"), (["--set", "relax=Q"], "unknown name"), (["--set", "relax=P+"], "missing"),
                                 (["--set", "relax=" + "(" * 500], "not an expression"), (["--work", "other=P"], "no region"), (["--at", "N=3"], "no parameter"),
                                 (["--set", "relax=P-2"], "not above 0"), (["--path", "time/10%-90%"], "whole processes"), (["--set", "relax=P)"], "behind")):
            with self.subTest(options=options):
                self.assertIn(message, self.model(trace, *options, status=1))
        for name in ("log2", "ceil", "N#", "N;", "N\n", "\u00fc", "1N", ""):
            self.assertIn("no name for expressions", self.model(trace, "--parameter", f"{name}=8", status=2), name)
        for options, message in ((["--set", "relax=1/0"], "no finite number"), (["--set", "relax=P^P^P^P^P^P"], "no finite number"), (["--at", ""], "a size"),
                                 (["--at", "P=0.5"], "whole number"), (["--at", "P=2.5"], "whole number"), (["--set", "relax=P-1", "--at", "P=1e400"], "above 0")):
            with self.subTest(options=options):
                self.assertIn(message, self.model(trace, *options, status=1))
        self.assertIn("the mean of 1 process", self.model(trace, "--path", "proc/1"))


if __name__ == "__main__":
    XTF = sys.argv.pop(1)
    unittest.main()
