#!/usr/bin/env python3
"""xtf export network: a result is exported bit by bit, and a clustered one within the errors that its file states. ncdump reads both.

usage: test_network_export.py XTF
"""

import array
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import cdf
import networks
from xtfrun import PROJECT, Xtf, shared_traces

COMMAND = Xtf(sys.argv.pop(1))
TRACES = shared_traces()
N_PROCS, LENGTHS = 16, range(500, 6000, 500)


def run_xtf(*arguments, status=0):
    done = COMMAND.completed(*arguments)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout if status == 0 else done.stderr


def values_of(path):
    return cdf.read_file(path).variables["data"].values


class NetworkExport(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="xtf-network-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = self.folder / "out.nc"

    def source(self):
        values = array.array("d", (v for m in networks.matrices("torus", N_PROCS, LENGTHS, outliers=0.02) for v in m))
        networks.write_file(self.folder / "net_median.nc", N_PROCS, LENGTHS, values)
        return self.folder / "net_median.nc"

    def numbers(self, path):
        return {name: v.values[0] for name, v in cdf.read_file(path).variables.items() if not v.dimensions}

    def test_a_result_is_exported_unchanged(self):
        source = self.source()
        text = run_xtf("export", "network", "-o", self.out, source)
        self.assertEqual(values_of(self.out), values_of(source))
        before, after = self.numbers(source), self.numbers(self.out)
        self.assertEqual({name: before[name] for name in after}, after)
        self.assertEqual(cdf.read_file(self.out).variables["test_type"].text(), "one_to_one")
        n = len(LENGTHS) * N_PROCS * (N_PROCS - 1)
        self.assertEqual(text, f"{self.out}: {n} records of {N_PROCS} locations\nmedian values of {len(LENGTHS)} lengths\n")

    def test_clustered(self):
        """Tests the exported matrices: they have the greatest and the mean error that the file states."""
        source, clusters = self.source(), self.folder / "clusters.nc"
        run_xtf("cluster", "-q", "-o", clusters, source)
        run_xtf("export", "network", "-q", "-o", self.out, clusters)
        stated = cdf.read_file(clusters).attributes
        errors, differences = [], []
        for before, after in zip(values_of(source), values_of(self.out), strict=True):
            differences.append(abs(before - after))
            errors.append(differences[-1] / before if before > 0 else float(differences[-1] > 0))
        self.assertGreater(max(errors), 0)
        self.assertEqual([max(errors)], stated["greatest_error"])
        self.assertEqual([max(differences)], stated["greatest_difference"])
        self.assertAlmostEqual(sum(errors) / len(errors), stated["mean_error"][0], delta=1e-12)
        self.assertLess(len(set(values_of(self.out))), len(set(values_of(source))) / 10)

    def test_lengths(self):
        source = self.source()
        run_xtf("export", "network", "-q", "-o", self.out, source, "length/1000-2400")
        size = N_PROCS ** 2
        self.assertEqual(values_of(self.out), values_of(source)[size:4 * size])
        self.assertEqual([self.numbers(self.out)[f"{name}_length"] for name in ("begin_mes", "step", "end_mes")], [1000, 500, 2500])
        run_xtf("export", "network", "-q", "-f", "-o", self.out, source, "median/at/1200")
        self.assertEqual(len(values_of(self.out)), 0)

    def test_unmeasured_values(self):
        values = array.array("d", [0, 1e-6, -1, 0, 0, math.nan, 2e-6, 0])
        networks.write_file(self.folder / "net.nc", 2, [100, 200], values)
        run_xtf("export", "network", "-q", "-o", self.out, self.folder / "net.nc")
        self.assertEqual([repr(v) for v in values_of(self.out)], ["0.0", "1e-06", "nan", "0.0", "0.0", "nan", "2e-06", "0.0"])

    def test_lengths_beyond_31_bits(self):
        """Tests lengths beyond 31 bits: the last portion may exist with its end cut. Portions that begin or end beyond are refused."""
        source = self.source()
        file = cdf.read_file(source)
        for begin, good in (2147483646 - 10 * 500, True), (2147483647, False):
            file.variables["begin_mes_length"].values = [begin]
            cdf.write_file(source, file)
            text = run_xtf("export", "network", "-f", "-o", self.out, source, status=0 if good else 1)
            if good:
                self.assertEqual(self.numbers(self.out)["end_mes_length"], 2147483647)
            else:
                self.assertIn("its end_mes_length would be 2147489147; the format stores numbers up to 2147483647", text)

    def test_refusals(self):
        source = self.source()
        run_xtf("import", "-q", "-o", self.folder / "net.xtf", source)
        def refused(*arguments):
            message = run_xtf("export", "network", "-o", self.out, *arguments, status=1)
            self.assertFalse(self.out.exists(), arguments)
            return message
        self.assertIn("a matrix has all processes", refused(source, "proc/1"))
        self.assertIn("a matrix has all processes", refused(source, "peer/1"))
        self.assertIn("a matrix has all processes", refused(source, "num/0-10"))
        self.assertIn("no matrix", refused(source, "repeat"))
        self.assertIn("no matrix", refused(source, "length/10000-"))
        self.assertIn("the trace is not a measured network", refused(PROJECT / "examples/melt-4/eztrace_log.otf2"))
        self.out.write_text("mine")
        self.assertIn("is not a result of network_test: it is not replaced", run_xtf("export", "network", "-f", "-o", self.out, source, status=1))
        self.assertEqual(self.out.read_text(), "mine")

    @unittest.skipUnless(TRACES and (TRACES / "network-4x4").is_dir(), "there is no ../shared/traces/network-4x4")
    def test_real_network(self):
        for statistic in ("average", "median", "deviation", "min"):
            source = TRACES / "network-4x4" / f"delays-MSK-2024-05-16_{statistic}.nc"
            run_xtf("export", "network", "-q", "-f", "-o", self.out, source, statistic)
            self.assertEqual(values_of(self.out), values_of(source))
            self.assertEqual(self.numbers(self.out)["data_type"], self.numbers(source)["data_type"])

    @unittest.skipUnless(shutil.which("ncdump"), "no ncdump here")
    def test_ncdump(self):
        source = self.source()
        run_xtf("export", "network", "-q", "-o", self.out, source)
        def dumped(path):
            text = subprocess.run(["ncdump", "-p", "17,17", "-v", "data", path], check=True, capture_output=True, text=True).stdout
            return text.split("\n data =")[1]
        self.assertEqual(dumped(self.out), dumped(source))


if __name__ == "__main__":
    unittest.main()
