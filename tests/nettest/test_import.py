#!/usr/bin/env python3
"""xtf import of network_test's results, compared with ncdump: every value becomes one row with the right sender, receiver, length and event.

usage: test_import.py XTF
"""

import math
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import unittest

import cdf
import measured

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "roundtrip"))
from xtfrun import Xtf, is_sanitized, need_programs, shared_traces  # noqa: E402

XTF = COMMAND = None


def run_xtf(*arguments):
    return COMMAND.completed(*arguments)


def cat(trace, *paths):
    done = run_xtf("cat", trace, *paths)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


def expected_rows(results, sender):
    """Returns (length, event, receiver, value) in the expected order."""
    rows = []
    lengths = next(iter(results.values())).lengths()
    for i, length in enumerate(lengths):
        for receiver in range(len(next(iter(results.values())).data[0])):
            for kind, event in measured.EVENTS.items():
                if kind not in results:
                    continue
                cell = results[kind].data[i][receiver][sender]
                for value in cell if isinstance(cell, list) else [cell]:
                    if not math.isnan(value) and value != -1 and (sender != receiver or value):
                        rows.append((length, event, receiver, value))
    return rows


def shown_rows(trace, sender):
    rows = []
    for line in cat(trace, f"proc/{sender}/links/records").splitlines():
        time, proc, _, _, event, _, peer, value = line.split()
        assert int(proc) == sender
        rows.append((int(time), event, int(peer), float(value)))
    return rows


class Import(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xtf-nettest-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compare(self, source, results):
        trace = self.folder / "net.xtf"
        done = run_xtf("import", "-q", "--force", "-o", trace, source)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for sender in range(len(next(iter(results.values())).data[0])):
            self.assertEqual(shown_rows(trace, sender), expected_rows(results, sender))
        return trace

    def test_shared_results(self):
        folder = shared_traces()
        if not folder or not (folder / "network-4x4").is_dir():
            self.skipTest("no network-4x4 here")
        results = {path.stem.split("_", 1)[1]: measured.read(path) for path in (folder / "network-4x4").glob("delays*.nc")}
        self.assertEqual(len(results), 6)
        self.compare(folder / "network-4x4" / "delays-MSK-2024-05-16_min.nc", results)

    def test_generated_results_with_hosts_and_from_their_folder(self):
        paths = measured.make(self.folder, "two", 6, 5)
        results = {kind: measured.read(path) for kind, path in paths.items()}
        trace = self.compare(self.folder, results)
        self.assertEqual(len(shown_rows(trace, 0)), 5 * 5 * 5)
        self.assertIn("node1", cat(trace, "definitions/system_tree"))
        self.assertEqual(int(cat(trace, "proc/3/peer/4-5/links/count")), 2 * 5 * 5)

    def test_unmeasured_values_are_left_out(self):
        nan = math.nan
        data = [[[0.0, -1.0, 1e-6], [nan, 0.0, 2e-6], [3e-6, 9.9692099683868690e+36, 0.0]]]
        path = self.folder / "gaps.nc"
        measured.write(path, "median", 0, 8, data)
        trace = self.folder / "gaps.xtf"
        done = run_xtf("import", "-o", trace, path)
        self.assertIn("not measured (NaN, -1 or nothing): 3", done.stdout)
        self.assertEqual(cat(trace, "links/count"), "3\n")

    def test_a_fill_value_is_one_number(self):
        """Tests files whose fill value is not a single number: then no value is a fill value, and -7 is an invalid value."""
        path, trace = self.folder / "fill.nc", self.folder / "fill.xtf"
        measured.write(path, "median", 0, 8, [[[0.0, -7.0], [1e-6, 0.0]]])
        file = cdf.read_file(path)
        for fill, good in ([-7.0], True), ([-7.0] * 5000, False), ("-7", False):
            file.variables["data"].attributes = {"_FillValue": fill}
            cdf.write_file(path, file)
            done = run_xtf("import", "--force", "-o", trace, path)
            self.assertEqual(done.returncode, 0 if good else 1, done.stderr)
            self.assertIn("(NaN, -1 or nothing): 1" if good else "the median value from 1 to 0 at 0 bytes is -7", done.stdout if good else done.stderr)

    def test_files_of_different_lengths_and_repeats(self):
        """Tests many lengths without repeats beside many repeats of one length: memory is for the values of each file, not for their product."""
        n, repeats = 3000, 40000
        dice = random.Random(6)
        medians = [[[0.0, 1e-6 * dice.random()], [1e-6 * dice.random(), 0.0]] for _ in range(n)]
        measured.write(self.folder / "mix_median.nc", "median", 0, 1, medians)
        each = [[[[1e-6 * dice.random() for _ in range(repeats)] for _ in range(2)] for _ in range(2)]]
        measured.write_repeats(self.folder / "mix_all.nc", 0, 1, each)
        trace = self.folder / "mix.xtf"
        limit = 1 << 30  # bytes; the product is twice that
        done = subprocess.run([XTF, "import", "-o", trace, self.folder / "mix_median.nc"], capture_output=True, text=True, timeout=120, check=False,
                              preexec_fn=lambda: is_sanitized(XTF) or resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"not measured (NaN, -1 or nothing): {4 * repeats * (n - 1)}", done.stdout)
        self.assertEqual([float(line.split()[-1]) for line in cat(trace, "pair/1/0/repeat/links/records").splitlines()], each[0][0][1])
        self.assertEqual([float(line.split()[-1]) for line in cat(trace, "pair/1/0/median/links/records").splitlines()],
                         [matrix[0][1] for matrix in medians])

    def test_wrong_files_are_refused_by_name(self):
        data = [[[0.0, 1.0], [1.0, 0.0]]]
        path = self.folder / "x.nc"
        measured.write(path, "median", 0, 8, data)
        content = path.read_bytes()
        path.write_bytes(content[:-1])
        done = run_xtf("import", "-o", self.folder / "x.xtf", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{path}: is cut short: it has {len(content) - 1} of {len(content)} bytes", done.stderr)
        measured.write(path, "median", 0, 8, [[[0.0, -3.0], [1.0, 0.0]]])
        done = run_xtf("import", "-o", self.folder / "x.xtf", path)
        self.assertIn(f"{path}: the median value from 1 to 0 at 0 bytes is -3", done.stderr)
        self.assertFalse((self.folder / "x.xtf").exists())

    def test_another_import_is_not_replaced(self):
        first, second = self.folder / "a.nc", self.folder / "b.nc"
        measured.write(first, "median", 0, 8, [[[0.0, 1.0], [1.0, 0.0]]])
        measured.write(second, "median", 0, 8, [[[0.0, 1.0], [2.0, 0.0]]])
        trace = self.folder / "x.xtf"
        self.assertEqual(run_xtf("import", "-q", "-o", trace, first).returncode, 0)
        self.assertEqual(run_xtf("import", "-q", "-o", trace, first).returncode, 0)
        done = run_xtf("import", "-q", "-o", trace, second)
        self.assertEqual(done.returncode, 1)
        self.assertIn("holds another trace", done.stderr)


if __name__ == "__main__":
    XTF = sys.argv.pop(1)
    COMMAND = Xtf(XTF)
    need_programs("ncdump", "ncgen")
    unittest.main()
