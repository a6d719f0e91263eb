#!/usr/bin/env python3
"""Tests `xtf scale` on runs whose truth is known, and compares its models with a naive fit in Python.

The runs are event files of Chrome's format, which xtf imports.

usage: test_scale.py XTF
"""

import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

XTF = ""
EXPONENTS = [(n, d) for n, d in [(0, 1), (1, 1), (1, 2), (2, 1), (3, 2), (3, 1), (1, 3), (2, 3), (1, 4), (3, 4), (4, 3), (5, 3), (5, 4), (7, 4), (5, 2), (4, 5),
                                 (7, 3), (8, 3), (9, 4), (11, 4)]]


def naive_terms(falls):
    """Returns the functions of all terms, as {name of the exponents: function}."""
    found = {}
    for n, d in EXPONENTS:
        for log in range(3):
            if n or log:
                found[n, d, log] = lambda p, n=n, d=d, log=log: p**(n / d) * math.log2(p)**log
        if n and falls:
            found[-n, d, 0] = lambda p, n=n, d=d: p**(-n / d)
    return found


def naive_line(points, function):
    """Fits y = a + b f(p), a and b at least 0, to points with relative errors. Returns a and b."""
    rows = [(1 / y**2, function(p), y) for p, y in points]
    w, wf, wy = sum(r[0] for r in rows), sum(r[0] * r[1] for r in rows), sum(r[0] * r[2] for r in rows)
    wff, wfy = sum(r[0] * r[1]**2 for r in rows), sum(r[0] * r[1] * r[2] for r in rows)
    det = w * wff - wf**2
    b = (w * wfy - wf * wy) / det if det > 1e-12 * w * wff else 0
    if b <= 0:
        return wy / w, 0
    a = (wy - b * wf) / w
    return (a, b) if a > 0 else (0, wfy / wff)


def naive_error(points, function):
    """Returns the SMAPE of points that are left out one at a time."""
    total = 0
    for i, (p, y) in enumerate(points):
        a, b = naive_line(points[:i] + points[i + 1:], function)
        predicted = a + b * function(p)
        total += 2 * abs(predicted - y) / (predicted + y)
    return total / len(points)


def naive_best_error(points, falls):
    """Returns the least error of all terms, and that of a constant."""
    constant = naive_error(points, lambda p: 0)
    return min(naive_error(points, function) for function in naive_terms(falls).values()), constant


class Scale(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xtf-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def make_run(self, processes, calls, name=None):
        """Writes a run in which each process makes the calls, as (name, seconds) or (name, seconds by process), within main."""
        events = []
        for process in range(processes):
            now, common = 0.0, {"pid": process, "tid": 0}
            events.append({"ph": "B", "name": "main", "ts": 0, **common})
            for region, seconds in calls:
                events.append({"ph": "B", "name": region, "ts": now * 1e6, **common})
                now += seconds(process) if callable(seconds) else seconds
                events.append({"ph": "E", "ts": now * 1e6, **common})
            events.append({"ph": "E", "ts": now * 1e6, **common})
        source = self.folder / f"{name or processes}.json"
        source.write_text(json.dumps({"traceEvents": events}))
        trace = source.with_suffix(".xtf")
        subprocess.run([XTF, "import", "-o", trace, source], check=True, capture_output=True, timeout=60)
        return str(trace)

    def scale(self, *arguments, status=0):
        done = subprocess.run([XTF, "scale", *map(str, arguments)], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def models(self, text):
        """Returns the lines of the table of models: {region: {column: text}}."""
        table = text.split("\n\n")[1].splitlines()
        names = table[1][1:].split()
        lines = [dict(zip(names, line.split(None, len(names) - 1))) for line in table[2:]]
        return {line[names[-1]].strip(): line for line in lines}

    def strong_calls(self, p, noise=0.0, seed=0):
        draw = random.Random(seed + p)
        return [(name, seconds * (1 + noise * draw.gauss(0, 1))) for name, seconds in [("solve", 100 / p), ("MPI_Allreduce", 0.05 * math.log2(p)), ("halo", 0.2),
                                                                                       ("linear", 0.001 * p)]]

    def strong_runs(self, noise=0.0):
        return [self.make_run(p, self.strong_calls(p, noise)) for p in (4, 8, 16, 32, 64)]

    def test_a_run_that_slows_down_from_the_first_on(self):
        text = self.scale("--strong", *[self.make_run(p, [("solve", 1 / p), ("slow", 2.0 * p)]) for p in (2, 4, 8, 16, 32)])
        self.assertRegex(text, r"# Limit: the run is fastest with 2 processes ")
        self.assertRegex(text, r"# slow limits the scaling first: it grows as p, from 88\.9 % of the time with 2 processes on\.\n")

    def test_known_functions_come_back(self):
        text = self.scale("--at", 512, *self.strong_runs())
        models = self.models(text)
        truth = {"solve": 100 / 512, "MPI_Allreduce": 0.45, "halo": 0.2, "linear": 0.512}
        self.assertEqual(set(models), set(truth))
        for region, seconds in truth.items():
            for column in ("predicted", "low", "high"):
                self.assertAlmostEqual(float(models[region][column]), seconds, delta=1e-4 * seconds, msg=f"{region} {column}")
        formulas = {region: model["model"] for region, model in models.items()}
        self.assertEqual(formulas, {"solve": "100*p^-1", "MPI_Allreduce": "0.05*log2(p)", "halo": "0.2", "linear": "0.001*p"})
        times = {p: 100 / p + 0.05 * math.log2(p) + 0.2 + 0.001 * p for p in range(4, 2000)}
        fastest = min(times, key=times.get)
        self.assertIn(f"fastest with {fastest} processes ({fastest} to {fastest}), in {times[fastest]:.4g} s", text)
        inefficient = min(p for p in times if times[4] * 4 / (times[p] * p) < 0.5)
        self.assertIn(f"falls below 50 % with {inefficient} processes", text)
        self.assertIn("# Strong scaling", text)
        self.assertIn("# linear limits the scaling first: it grows as p,", text)

    def test_runs_are_measured_as_by_the_table_imbalance(self):
        traces = [self.make_run(p, [("a", lambda i: 0.5 + 0.1 * i), ("b", 1), ("MPI_Send", lambda i: 0.3 / (i + 1))]) for p in (2, 3, 5)]
        table = subprocess.run([XTF, "cat", traces[-1], "imbalance"], capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
        names = table[0][1:].split()
        rows = {line.split()[-1]: dict(zip(names, line.split())) for line in table[1:]}
        for of, column in (("slowest", "max"), ("mean", "mean")):
            models = self.models(self.scale("--of", of, *traces))
            for region in ("a", "b", "MPI_Send"):
                self.assertAlmostEqual(float(models[region]["measured"]), float(rows[region][column]), places=5, msg=f"{region} {of}")
        calls = self.models(self.scale("--of", "calls", *traces))
        self.assertEqual({region: float(model["measured"]) for region, model in calls.items()}, {"main": 5, "a": 5, "b": 5, "MPI_Send": 5})

    def test_errors_are_those_of_a_naive_fit(self):
        draw = random.Random(5)
        numbers = (4, 8, 16, 32, 64, 128)
        noisy = {p: [(f"r{k}", (0.3 + 0.1 * p**(k / 4)) * (1 + 0.05 * draw.gauss(0, 1))) for k in range(6)] for p in numbers}
        models = self.models(self.scale("--weak", *[self.make_run(p, noisy[p]) for p in numbers]))
        for k in range(6):
            points = [(p, noisy[p][k][1]) for p in numbers]
            best, constant = naive_best_error(points, False)
            chosen = best if best < 0.7 * constant else constant
            self.assertAlmostEqual(float(models[f"r{k}"]["error"]), 100 * chosen, delta=0.06 + chosen, msg=f"r{k}")

    def test_noise_moves_the_limit_little(self):
        truth = min(range(4, 2000), key=lambda p: sum(seconds for _, seconds in self.strong_calls(p)))
        text = self.scale(*self.strong_runs(noise=0.01))
        fastest = int(text.split("fastest with ")[1].split()[0])
        self.assertLess(abs(fastest - truth) / truth, 0.3)

    def test_weak_scaling_is_found(self):
        traces = [self.make_run(p, [("work", 1.0), ("MPI_Alltoall", 0.01 * p)]) for p in (2, 4, 8, 16, 32)]
        text = self.scale(*traces)
        self.assertIn("# Weak scaling: a process spends 1 s in the program itself with 2 processes, 1 s with 32", text)
        self.assertIn("# MPI_Alltoall limits the scaling first: it grows as p,", text)
        # 1.02 / (1 + 0.01 p) < 0.5 from 104 on, and at 0.8 from 28 on
        self.assertIn("falls below 50 % with 105 processes", text)
        self.assertIn("falls below 80 % with 28 processes", self.scale("--efficiency", 80, *traces))
        self.assertIn("# Strong scaling", self.scale("--strong", *traces))

    def test_runs_with_the_same_processes_count_by_their_median(self):
        traces = [self.make_run(p, [("work", 8 / p), ("MPI_Barrier", 0.1)]) for p in (2, 4, 8)]
        odd = [self.make_run(4, [("work", seconds), ("MPI_Barrier", 0.1)], name) for name, seconds in (("slow", 100), ("fast", 0.5))]
        models = self.models(self.scale(*traces, *odd))
        self.assertEqual(models["work"]["model"], "8*p^-1")
        self.assertIn("Few points: the models use 3 numbers of processes; good ones need 5", self.scale(*traces))

    def test_classes_and_windows(self):
        traces = [self.make_run(p, [("first", 8 / p), ("MPI_Send", 1.0), ("MPI_Bcast", 0.25)]) for p in (2, 4, 8)]
        models = self.models(self.scale("--by", "class", "--at", 16, *traces))
        self.assertEqual({name: float(model["predicted"]) for name, model in models.items()}, {"program": 0.5, "p2p": 1.0, "collective": 0.25})
        of_mpi = self.models(self.scale("--path", "class/mpi", "--at", 16, *traces))
        self.assertEqual({name: float(model["predicted"]) for name, model in of_mpi.items()}, {"MPI_Send": 1.0, "MPI_Bcast": 0.25})
        alone = self.make_run(1, [("first", 8.0)])
        names, without_mpi = (line.strip("#").split() for line in self.scale("--path", "class/mpi", alone, *traces).splitlines()[:2])
        without_mpi = dict(zip(names, without_mpi))
        self.assertEqual({name: without_mpi[name] for name in ("processes", "time", "speedup")}, {"processes": "1", "time": "0", "speedup": "-"})
        windows = self.models(self.scale("--path", "time/-1", "--at", 16, *traces))
        self.assertEqual({name: float(model["measured"]) for name, model in windows.items()}, {"first": 1.0})

    def test_picture(self):
        picture = self.folder / "scale.svg"
        runs = [self.make_run(p, [("a<&>\"", 8 / p), ("MPI_Send", 1.0)]) for p in (2, 4, 8)]
        self.scale("--svg", picture, *runs)
        root = xml.etree.ElementTree.parse(picture).getroot()
        name = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(root.findall(f".//{name}circle")), 3 * 3)
        self.assertIn("a<&>\"", [element.text for element in root.iter(f"{name}text")])
        self.assertIn("No such file or directory", self.scale("--svg", self.folder / "none" / "scale.svg", *runs, status=1))
        self.assertFalse((self.folder / "none").exists())

    def test_refusals(self):
        runs = [self.make_run(p, [("a", 1.0)]) for p in (2, 4)]
        self.assertIn("2 different numbers of processes; a model needs 3, and a good one 5", self.scale(*runs, runs[0], status=1))
        self.assertIn("arguments are missing", self.scale(*runs, status=2))
        for options in (["--of", "bytes"], ["--by", "site"], ["--efficiency", "100"], ["--at", "-1"], ["--at", "0"], ["--strong", "--weak"], ["--top", "-1"]):
            self.assertIn("xtf: scale: ", self.scale(*options, *runs, *runs, status=2))
        self.assertIn("no-such", self.scale("--path", "no-such", *runs, *runs, status=1))
        self.assertIn("it is not a directory of records", self.scale("--path", "definitions", *runs, *runs, status=1))


if __name__ == "__main__":
    XTF = sys.argv.pop()
    unittest.main()
