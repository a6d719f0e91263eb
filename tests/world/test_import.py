#!/usr/bin/env python3
"""Compares imports by the ranks of a job with an import by one process. Every directory and file of both trees is the same. So are the printed
counts and remarks.

usage: test_import.py XTF ASK_TREE OTF2_ARCHIVES WRITE_LOCATIONS long|short MELT NAME...   (of MPIs)
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PLACE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(PLACE.parent / name) for name in ("record", "merge", "roundtrip")]

import mpis
from trees import compare_trees
from xtfrun import Xtf, shared_traces, some_of

XTF, ASK_TREE, ARCHIVES, WRITE_LOCATIONS = map(os.path.abspath, sys.argv[1:5])
LENGTH, MELT = sys.argv[5:7]
NAMES = [name for name in sys.argv[7:] if shutil.which(f"mpirun.{name}")]
IS_LONG = LENGTH == "long"
# Sites, late rows of several tables, ids of locations, metrics, and faults with remarks.
GENERATED = ["contexts", "odd-contexts", "late-definitions", "mapped-ids", "sums-growth", "truncated-events"]
# Each event, clocks, RMA, I/O, requests.
ALL_GENERATED = GENERATED + ["all-events", "clock-offsets", "sums-hybrid", "sums-metrics", "sums-messages", "sums-deep", "sums-plain",
                             "missing-events", "backward-times", "requests", "duplicate-definitions", "rank-high-ids", "region-per-process",
                             "missing-definitions", "random-requests", "open-receives", "samples-alone", "another name.v2"]
# The line of the report that describes the output.
OF_OUTPUT = re.compile(r"^(\S+): \d+ bytes, .*$", re.M)


class Case(unittest.TestCase):
    """A test in a folder of its own."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="xtf-world-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def mpis(self):
        """Returns the MPIs with which this test runs."""
        return NAMES if IS_LONG else mpis.of_test(self, NAMES)

    def run_in(self, command, status=0, timeout=170, **variables):
        done = subprocess.run([str(word) for word in command], cwd=self.folder, env=mpis.outside(**variables), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=timeout, check=False)
        if status is not None:
            self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def launch(self, mpi, n, *command, **options):
        return self.run_in(mpis.Mpi(mpi, "").launch(n, *command), **options)

    def compare(self, one, many):
        """Compares the trees of an import by one process and of a folder of parts, and checks the folder."""
        self.run_in([XTF, "check", "-q", many])
        return compare_trees(Xtf(XTF), ASK_TREE, self.folder / one, self.folder / many / "anchor.xtf")

    def compare_imports(self, archive, counts, *options, names=None):
        """Imports an archive by one process, and by N ranks of each MPI."""
        one = self.run_in([XTF, "import", "-f", "-j1", *options, "-o", "one.xtf", archive])
        for mpi in names or self.mpis():
            for n in counts:
                with self.subTest(archive=str(archive), mpi=mpi, n=n):
                    done = self.launch(mpi, n, XTF, "import", "-f", *options, "-o", "many.xtf.d", archive)
                    directories, files = self.compare("one.xtf", "many.xtf.d")
                    self.assertGreater(files, 400)
                    self.assertGreater(directories, 100)
                    for first, second in ((one.stdout, done.stdout), (one.stderr, done.stderr)):
                        self.assertEqual(OF_OUTPUT.sub("", first).replace("one.xtf", "many.xtf.d"), OF_OUTPUT.sub("", second))
                    self.assertEqual(os.listdir(self.folder).count("many.xtf.d"), 1)
                    self.assertEqual([name for name in os.listdir(self.folder) if "many.xtf.d." in name], [])
                    shutil.rmtree(self.folder / "many.xtf.d")


class Imports(Case):
    def test_example(self):
        self.compare_imports(MELT, (1, 3, 8) if IS_LONG else (3,), names=NAMES if IS_LONG else NAMES[:1])

    def test_generated_archives(self):
        subprocess.run([ARCHIVES, self.folder, *(ALL_GENERATED if IS_LONG else some_of(GENERATED, 2))], check=True)
        for i, archive in enumerate(sorted(self.folder.glob("*.otf2"))):
            names = NAMES if IS_LONG else [NAMES[i % len(NAMES)]]
            self.compare_imports(archive, (1, 3, 8) if IS_LONG else (1 + i % 3,), "-k", names=names)

    @unittest.skipUnless(IS_LONG and shared_traces(), "takes minutes, and needs the shared traces")
    def test_traces_of_others(self):
        for archive in sorted(shared_traces().glob("**/*.otf2")):
            self.compare_imports(archive, (3, 8))

    def test_many_locations(self):
        """10 000 locations: the counts of each, and all arrays."""
        self.run_in([WRITE_LOCATIONS, "many", 10000, 20])
        self.run_in([XTF, "import", "-q", "-o", "one.xtf", "many/traces.otf2"])
        for mpi in self.mpis():
            for n in (3, 8) if IS_LONG else (3,):
                self.launch(mpi, n, XTF, "import", "-q", "-f", "-o", "many.xtf.d", "many/traces.otf2")
                self.run_in([XTF, "check", "-q", "many.xtf.d"])
                for path in ("profile", "by/proc/count", "definitions/locations", "sends/count", "proc/9999/records", "proc/0-9/records"):
                    answers = [self.run_in([XTF, "cat", trace, path]).stdout for trace in ("one.xtf", "many.xtf.d")]
                    self.assertEqual(*answers, path)
                    self.assertGreater(len(answers[0]), 5)
                parts = sorted((self.folder / "many.xtf.d").glob("0*.xtf"), key=lambda part: part.stat().st_size)
                self.assertEqual(len(parts), n)
                self.assertLess(parts[-1].stat().st_size, 1.2 * parts[0].stat().st_size, "shares of very different sizes")

    def test_parts_of_ranks_are_traces(self):
        self.launch(NAMES[0], 2, XTF, "import", "-q", "-o", "many.xtf.d", MELT)
        for part in ("000000.xtf", "000001.xtf"):
            self.run_in([XTF, "check", "-q", f"many.xtf.d/{part}"])

    def test_copy_is_one_file(self):
        self.run_in([XTF, "import", "-q", "-o", "one.xtf", MELT])
        self.launch(NAMES[0], 3, XTF, "import", "-q", "-o", "many.xtf.d", MELT)
        self.run_in([XTF, "copy", "-q", "many.xtf.d", "copy.xtf"])
        self.run_in([XTF, "check", "-q", "copy.xtf"])
        for path in ("profile", "records", "messages"):
            self.assertEqual(*(self.run_in([XTF, "cat", trace, path]).stdout for trace in ("one.xtf", "copy.xtf")), path)


if __name__ == "__main__":
    if not NAMES:
        print("skipped: no launcher of an MPI is installed")
        sys.exit(mpis.SKIPPED)
    unittest.main(argv=sys.argv[:1])
