#!/usr/bin/env python3
"""Tests optional parts of a build. Without one, xtf names it and the option that builds it, and writes no file. All else works.

usage: optional.py XTF NAME=yes|no ...
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"
XTF, BUILT = None, {}


def run_xtf(*arguments):
    return subprocess.run([XTF, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120)


class Optional(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xtf-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check_part(self, feature, option, output, *arguments):
        """Runs a command that needs a feature. Checks that it writes its output, or fails and names the option."""
        done = run_xtf(*arguments)
        if BUILT[feature]:
            self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        else:
            self.assertIn(done.returncode, (1, 2), arguments)
            self.assertIn("this xtf was built without", done.stderr)
            self.assertIn(option, done.stderr)
        self.assertEqual(output.exists(), BUILT[feature], arguments)

    def test_importers(self):
        for feature, archive in (("otf2", "heat-4/eztrace_log.otf2"), ("netcdf", "network-8")):
            output = self.folder / f"{feature}.xtf"
            self.check_part(feature, f"-D{feature}=enabled", output, "import", "-q", "-o", output, EXAMPLES / archive)

    def test_importer_of_otf1(self):
        files = {"run.otf": "1:1\n", "run.0.def": 'DTR3b9aca00\nDP1NM"one"\nDF1G0NM"main"\n', "run.1.events": "64\n*1\nE1\n1f4\n*1\nL1\n"}
        for name, text in files.items():
            (self.folder / name).write_text(text)
        output = self.folder / "otf1.xtf"
        self.check_part("otf1", "-Dotf1=enabled", output, "import", "-q", "-o", output, self.folder / "run.otf")

    def test_exporters(self):
        output = self.folder / "archive"
        self.check_part("otf2", "-Dotf2=enabled", output, "export", "otf2", "-q", "-o", output, EXAMPLES / "rod-4/rod.xtf")

    def test_clusters(self):
        output = self.folder / "clusters.nc"
        self.check_part("netcdf", "-Dnetcdf=enabled", output, "cluster", "-q", "-o", output, EXAMPLES / "network-8/net_median.nc")

    def test_player(self):
        """Without ncurses xtf names the reason instead of opening a screen. It prints a frame in each build."""
        done = run_xtf("top", EXAMPLES / "rod-4/rod.xtf")
        self.assertEqual("this xtf was built without ncurses" in done.stderr, not BUILT["ncurses"], done.stderr)
        done = run_xtf("play", "--frame", "0", EXAMPLES / "rod-4/rod.xtf")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("4 processes", done.stdout)

    def test_help(self):
        """The help of import and export marks the missing parts and no other parts."""
        n_marked = run_xtf("import", "--help").stdout.count("built without"), run_xtf("export", "--help").stdout.count("not in this build")
        n_missing = (not BUILT["otf2"]) + (not BUILT["netcdf"])
        self.assertEqual(n_marked, (n_missing + (not BUILT["otf1"]), n_missing))

    def test_compressed_pages(self):
        """zlib and libdeflate pack differently, but each unpacks the pages of the other. The example was packed by libdeflate."""
        output = self.folder / "copy.xtf"
        self.assertEqual(run_xtf("copy", "-q", "--level=9", EXAMPLES / "rod-4/rod.xtf", output).returncode, 0)
        self.assertEqual(run_xtf("check", "-q", output).returncode, 0)
        records = [run_xtf("cat", trace, "records").stdout for trace in (EXAMPLES / "rod-4/rod.xtf", output)]
        self.assertGreater(records[0].count("\n"), 1000)
        self.assertEqual(*records)


if __name__ == "__main__":
    XTF = sys.argv[1]
    BUILT = {name: value == "yes" for name, value in (argument.split("=") for argument in sys.argv[2:])}
    unittest.main(argv=sys.argv[:1])
