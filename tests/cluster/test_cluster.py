#!/usr/bin/env python3
"""xtf cluster: its output equals naive_cluster.py's result, label by label. The test reads it with its own reader and with ncdump.

usage: test_cluster.py XTF
"""

import array
import math
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import cdf
import naive_cluster
import networks
from xtfrun import Xtf, shared_traces

XTF = sys.argv.pop(1)
COMMAND = Xtf(XTF)
TRACES = shared_traces()
FILL = 9.9692099683868690e+36
ROUNDS = 40


def run_cluster(*arguments, status=0):
    done = COMMAND.completed("cluster", *arguments)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout if status == 0 else done.stderr


def portions_of(info_file, data_file=None):
    """Returns [(left, right, places, data)] of a file by docs/NETWORK.md."""
    info = cdf.read_file(info_file)
    data = (cdf.read_file(data_file) if data_file else info).variables["data"].values
    begin, step = (info.variables[name].values[0] for name in ("begin_mes_length", "step_length"))
    borders = [(length - begin) // step for length in info.variables["length"].values] + info.attributes["matrices"]
    n_pairs = info.dimensions["x"] ** 2
    return [(left, right, info.variables["info"].values[k * n_pairs:(k + 1) * n_pairs], data)
            for k, (left, right) in enumerate(zip(borders, borders[1:]))]


def as_clusters(portions):
    """Returns portions in the form of naive_cluster.cluster."""
    found = []
    for left, right, places, data in portions:
        starts = sorted(set(places))
        number = {start: i for i, start in enumerate(starts)}
        found.append((left, right, [number[place] for place in places], [list(data[s:s + right - left]) for s in starts]))
    return found


def value_at(portions, matrix, pair):
    """Returns the value of a pair by the rule of the paper."""
    left, _, places, data = next(p for p in portions if p[0] <= matrix < p[1])
    return data[places[pair] + matrix - left]


class Clusters(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="xtf-cluster-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, matrices, n_procs, name="net.nc", **more):
        path = self.folder / name
        lengths = range(100, 100 + 100 * len(matrices), 100)
        networks.write_file(path, n_procs, lengths, array.array("d", (v for m in matrices for v in m)), **more)
        return path

    def cluster(self, matrices, n_procs, *options):
        out = self.folder / "out.nc"
        run_cluster("-q", "-f", "-o", out, self.write(matrices, n_procs), *options)
        return portions_of(out)

    def test_equals_the_naive_result(self):
        """Compares labels and values in networks of all kinds."""
        rng = random.Random(20)
        n_portions = 0
        for seed in range(ROUNDS):
            kind, n_procs = rng.choice(["torus", "fat tree", "two levels"]), rng.choice([1, 2, 8, 16] if seed else [32])
            n = rng.randrange(1, 24)
            matrices = [list(m) for m in networks.matrices(kind, n_procs, range(n), noise=rng.choice([0, 0.01, 0.05, 0.3]),
                                                           outliers=rng.choice([0, 0.01]), seed=seed)]
            self.disturb(matrices, rng)
            option, threshold = rng.choice([
                (["--threshold=15%"], ("relative", 0.15)), (["-t", "0.05"], ("relative", 0.05)), (["-t0"], ("relative", 0)),
                (["--threshold", "200ns"], ("absolute", 200 * 1e-9)), (["-t", "1us"], ("absolute", 1e-6)),
                (["--precision=0.1"], ("precision", 0.1)), (["-p", "0.02"], ("precision", 0.02))])
            first, other, drop = rng.randrange(1, 7), rng.randrange(1, 6), rng.choice([0, 0.05, 0.3, 1])
            average = threshold[0] != "absolute" and rng.random() < 0.3
            found = self.cluster(matrices, n_procs, *option, f"--first={first}", f"--other={other}", f"--drop={drop}",
                                 *(["--average"] if average else []))
            wanted = naive_cluster.cluster(matrices, n_procs, naive_cluster.Threshold(*threshold), first, other, drop, average)
            self.assertEqual(repr(as_clusters(found)), repr(wanted), (seed, kind, n_procs, n, option, average))
            n_portions += len(wanted)
        self.assertGreater(n_portions, ROUNDS * 1.2)

    @staticmethod
    def disturb(matrices, rng):
        """Adds gaps, ties, noise, or another network from the middle on."""
        disturbance = rng.randrange(5)
        order = list(range(len(matrices[0])))
        rng.shuffle(order)
        for i, matrix in enumerate(matrices):
            for pair, value in enumerate(matrix):
                if disturbance == 0 and rng.random() < 0.1:
                    matrix[pair] = rng.choice([math.nan, -1, FILL])
                elif disturbance == 1:
                    matrix[pair] = round(value * 1e6) * 1e-6
                elif disturbance == 2:
                    matrix[pair] = rng.random() * 1e-5
            if disturbance == 3 and i >= len(matrices) // 2:
                matrices[i] = [matrix[pair] for pair in order]

    def test_default_threshold(self):
        """Tests the default threshold: ten times the noise. The noise is a robust deviation of a pair's changes from the other pairs' changes."""
        matrices = [list(m) for m in networks.matrices("fat tree", 16, range(100, 1300, 100), noise=0.03)]
        steps = []
        for i in (0, 2, 4, 6, 8):
            changes = [math.log(b / a) for a, b in zip(matrices[i], matrices[i + 1]) if a > 0 and b > 0]
            off = sorted(abs(c - self.median(changes)) for c in changes)
            steps.append(1.4826 * self.median(off) / math.sqrt(2))
        out = self.folder / "out.nc"
        text = run_cluster("-o", out, self.write(matrices, 16))
        self.assertAlmostEqual(cdf.read_file(out).attributes["threshold"][0], 10 * self.median(steps), delta=1e-12)
        self.assertRegex(text, r"(?m)^threshold +%.2f %%, chosen for a noise of %.2f %%$" % (
            1000 * self.median(steps), 100 * self.median(steps)))
        self.assertEqual(cdf.read_file(out).attributes["threshold_kind"], "relative")
        run_cluster("-q", "-f", "-o", out, self.write(matrices, 16), "--average")
        self.assertAlmostEqual(cdf.read_file(out).attributes["threshold"][0], max(0.08, 10 * self.median(steps) / math.sqrt(12)), delta=1e-12)
        run_cluster("-q", "-f", "-o", out, self.write(matrices[:1], 16))
        self.assertEqual(cdf.read_file(out).attributes["threshold"], [0.15])

    @staticmethod
    def median(values):
        values = sorted(values)
        return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2

    def test_errors_are_as_stated(self):
        """Tests that every value is within the stated errors of its cluster's value, and that some value has the greatest error."""
        matrices = [list(m) for m in networks.matrices("torus", 16, range(11), noise=0.05, outliers=0.02)]
        out = self.folder / "out.nc"
        text = run_cluster("-o", out, self.write(matrices, 16))
        portions, attributes = portions_of(out), cdf.read_file(out).attributes
        errors, differences = [], []
        for i, matrix in enumerate(matrices):
            for pair, value in enumerate(matrix):
                differences.append(abs(value - value_at(portions, i, pair)))
                errors.append(differences[-1] / value if value > 0 else float(differences[-1] > 0))
        self.assertAlmostEqual(attributes["mean_error"][0], sum(errors) / len(errors), delta=1e-12)
        self.assertEqual(attributes["greatest_error"], [max(errors)])
        self.assertEqual(attributes["greatest_difference"], [max(differences)])
        self.assertRegex(text, r"(?m)^error +%.2f %% on average, %.2f %% at most; %.2f %% of the values are more than 10 %% off$" % (
            100 * sum(errors) / len(errors), 100 * max(errors), 100 * sum(e > 0.1 for e in errors) / len(errors)))
        self.assertRegex(text, r"(?m)^clusters +%d, %d values for %d$" % (
            sum(len(c[3]) for c in as_clusters(portions)), len(portions[0][3]), len(errors)))

    @unittest.skipUnless(shutil.which("ncdump"), "no ncdump here")
    def test_ncdump(self):
        """Tests that another reader finds the same values and all facts of the source."""
        source = self.write([list(m) for m in networks.matrices("two levels", 8, range(7), noise=0.1)], 8)
        out = self.folder / "out.nc"
        run_cluster("-q", "-o", out, source, "-t", "5%")
        text = subprocess.run(["ncdump", "-p", "17,17", out], check=True, capture_output=True, text=True).stdout
        self.assertEqual(subprocess.run(["ncdump", "-k", out], check=True, capture_output=True, text=True).stdout, "64-bit offset\n")
        def values(name):
            return text.split(f"\n {name} =")[1].split(";")[0].replace("\n", " ").split(",")
        file = cdf.read_file(out)
        for name in ("info", "length", "proc_num", "data_type", "begin_mes_length", "end_mes_length", "step_length", "test_type",
                     "noise_mes_length", "num_noise_mes", "num_noise_proc", "num_repeates"):
            self.assertEqual([int(v) for v in values(name)], list(file.variables[name].values), name)
        self.assertEqual([float(v) for v in values("data")], list(file.variables["data"].values))
        before = cdf.read_file(source)
        for name in set(before.variables) - {"data"}:
            self.assertEqual(before.variables[name].values, file.variables[name].values, name)
        self.assertIn(f":right_border = {100 + 7 * 100} ;", text)
        self.assertIn(":matrices = 7 ;", text)

    def test_two_files(self):
        source = self.write([list(m) for m in networks.matrices("two levels", 8, range(7), noise=0.1)], 8)
        run_cluster("-q", "-o", self.folder / "one.nc", source)
        run_cluster("-q", "-o", self.folder / "two.nc", "--two-files", source)
        one = portions_of(self.folder / "one.nc")
        two = portions_of(self.folder / "two_info.nc", self.folder / "two_data.nc")
        self.assertEqual(as_clusters(one), as_clusters(two))
        self.assertFalse((self.folder / "two.nc").exists())
        self.assertEqual(cdf.read_file(self.folder / "two_data.nc").dimensions, {"n": None})
        self.assertIn("'%s' exists already" % (self.folder / "two_info.nc"),
                      run_cluster("-o", self.folder / "two.nc", "--two-files", source, status=1))

    def test_clustering_a_clustered_result(self):
        """Tests that clustering a clustered result changes nothing, because it has no noise."""
        source = self.write([list(m) for m in networks.matrices("fat tree", 16, range(20))], 16)
        run_cluster("-q", "-o", self.folder / "a.nc", source, "--average")
        text = run_cluster("-o", self.folder / "b.nc", self.folder / "a.nc", "-t", "0.000001%")
        self.assertRegex(text, r"(?m)^error +0\.00 % on average, 0\.00 % at most")
        self.assertEqual([c[:3] for c in as_clusters(portions_of(self.folder / "a.nc"))],
                         [c[:3] for c in as_clusters(portions_of(self.folder / "b.nc"))])

    def test_permuted_processors(self):
        n_procs, rng = 16, random.Random(3)
        matrices = [list(m) for m in networks.matrices("torus", n_procs, range(9), noise=0.03)]
        order = list(range(n_procs))
        rng.shuffle(order)
        permuted = [[m[order[a] * n_procs + order[b]] for a in range(n_procs) for b in range(n_procs)] for m in matrices]
        def sets(portions, order):
            found = []
            for left, right, clusters, values in as_clusters(portions):
                members = [set() for _ in values]
                for pair, number in enumerate(clusters):
                    members[number].add((order[pair // n_procs], order[pair % n_procs]))
                found.append((left, right, sorted(map(sorted, members))))
            return found
        self.assertEqual(sets(self.cluster(permuted, n_procs), order), sets(self.cluster(matrices, n_procs), range(n_procs)))

    def test_all_equal_and_all_different(self):
        equal = [[0 if a == b else 3e-6 for a in range(6) for b in range(6)] for _ in range(8)]
        (left, right, clusters, values), = as_clusters(self.cluster(equal, 6))
        self.assertEqual((left, right, clusters), (0, 8, [int(a != b) for a in range(6) for b in range(6)]))
        self.assertEqual(values, [[0.0] * 8, [3e-6] * 8])
        different = [[1.5 ** (a * 6 + b) * 1e-9 for a in range(6) for b in range(6)] for _ in range(8)]
        found = self.cluster(different, 6, "-t", "15%")
        self.assertEqual(as_clusters(found)[0][2], list(range(36)))
        self.assertEqual([[value_at(found, i, pair) for pair in range(36)] for i in range(8)], different)

    def test_unmeasured_values(self):
        """Tests that pairs without any measurement have NaN and their own cluster, and that a single gap is filled and counted."""
        matrices = [[5e-6] * 9 for _ in range(9)]
        for matrix in matrices:
            matrix[0], matrix[4], matrix[8] = -1, math.nan, FILL
        matrices[3][1] = -1
        out = self.folder / "out.nc"
        text = run_cluster("-o", out, self.write(matrices, 3))
        portions = portions_of(out)
        self.assertRegex(text, r"(?m)^filled +1 values")
        self.assertEqual(as_clusters(portions)[0][2], [1, 0, 0, 0, 1, 0, 0, 0, 1])
        self.assertEqual(value_at(portions, 3, 1), 5e-6)
        self.assertTrue(all(math.isnan(value_at(portions, i, 4)) for i in range(9)))
        self.assertRegex(run_cluster(self.write([[-1.0] * 9] * 3, 3)), r"(?m)^clusters +1, 3 values for 0$")

    def test_nothing(self):
        out = self.folder / "out.nc"
        self.assertRegex(run_cluster("-o", out, self.write([], 4)), r"(?m)^portions +0$")
        self.assertEqual(portions_of(out), [])

    def test_usage_and_errors(self):
        source, out = self.write([[0.0, 1e-6, 1e-6, 0.0]] * 3, 2), self.folder / "out.nc"
        for options, message in (
                (["-t", "x"], "--threshold is"), (["-t", "-1"], "--threshold is"), (["-t", "5m"], "--threshold is"),
                (["-t", "1%", "-p", "1"], "exclude each other"), (["-p", "-2"], "--precision"), (["--first=0"], "--first and --other"),
                (["--drop", "101%"], "--drop"), (["-t", "5ns", "-a"], "no absolute threshold"), (["-f"], "need -o"),
                (["--two-files", "-o", self.folder / "x"], "NAME.nc")):
            self.assertIn(message, run_cluster(source, *options, status=2))
        self.assertIn("unknown values 'mode'", run_cluster(source, "--of", "mode", status=1))
        self.assertIn("has no deviation values", run_cluster(source, "--of", "deviation", status=1))
        out.write_text("mine")
        self.assertIn(f"'{out}' exists already: --force replaces it", run_cluster(source, "-o", out, status=1))
        self.assertEqual(out.read_text(), "mine")
        self.assertIn("is the file to be read", run_cluster(source, "-f", "-o", source, status=1))
        run_cluster(source, "-q", "-f", "-o", out)
        self.assertEqual(len(portions_of(out)), 1)
        (self.folder / "cut.nc").write_bytes(source.read_bytes()[:-100])
        run_cluster(self.folder / "cut.nc", "-o", self.folder / "no.nc", status=1)
        run_cluster(self.folder / "none.nc", status=1)
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"net.nc", "out.nc", "cut.nc"})

    def test_interrupted(self):
        """Tests that an interrupted command leaves a complete file or none."""
        source = self.write([list(m) for m in networks.matrices("torus", 64, range(30), noise=0.05)], 64)
        for delay in (0, 0.01, 0.02, 0.03, 0.05, 0.1):
            out = self.folder / f"{delay}.nc"
            process = subprocess.Popen([XTF, "cluster", "-q", "-a", "-o", out, source], stderr=subprocess.PIPE, text=True)
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            message = process.communicate()[1]
            if out.exists(): # the signal may arrive after the end
                self.assertEqual(portions_of(out)[-1][1], 30)
                out.unlink()
            else:
                self.assertTrue(process.returncode == -signal.SIGINT or message == "xtf: interrupted\n", (process.returncode, message))
            self.assertEqual({p.name for p in self.folder.iterdir()}, {"net.nc"})

    @unittest.skipUnless(TRACES and (TRACES / "network-4x4").is_dir(), "there is no ../shared/traces/network-4x4")
    def test_real_network(self):
        folder, out = TRACES / "network-4x4", self.folder / "out.nc"
        for of in ("median", "average", "min"):
            source = folder / f"delays-MSK-2024-05-16_{of}.nc"
            values = cdf.read_file(source).variables["data"].values
            matrices = [list(values[i:i + 16]) for i in range(0, len(values), 16)]
            for value in (20, 50, 200):
                text = run_cluster("-f", "-o", out, source, "-t", f"{value}ns")
                self.assertRegex(text, rf"(?m)^processors +4, {of} values$")
                self.assertEqual(as_clusters(portions_of(out)),
                                 naive_cluster.cluster(matrices, 4, naive_cluster.Threshold("absolute", value * 1e-9)))
            self.assertEqual(cdf.read_file(out).variables["test_type"].text(), "one_to_one")
            run_cluster("-q", "-f", "-o", self.folder / "of.nc", folder / "delays-MSK-2024-05-16_all.nc", "--of", of, "-t", "200ns")
            self.assertEqual((self.folder / "of.nc").read_bytes(), out.read_bytes())


if __name__ == "__main__":
    unittest.main()
