#!/usr/bin/env python3
"""Properties of exports to all formats: they do not replace existing files, and leave nothing if they fail. Traces by other programs than
importers are exported, or refused with a message.

usage: test_exporting.py XTF WRITE-NAMES MELT
"""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

from xtfrun import Xtf, need_programs, temporary_folder

MELT = pathlib.Path(sys.argv.pop())
WRITE_NAMES = sys.argv.pop()
XTF = Xtf(sys.argv.pop())
LIMIT = 4096  # bytes of a file
INTERRUPTED = 5


class Exporting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = temporary_folder()
        cls.root = pathlib.Path(cls.temporary.name)
        cls.trace = cls.root / "melt.xtf"
        XTF.expect("import", "--quiet", "-o", cls.trace, MELT)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def setUp(self):
        self.folder = self.root / "work"
        self.folder.mkdir()
        self.out = self.folder / "out"

    def tearDown(self):
        shutil.rmtree(self.folder)

    def export(self, *arguments, format="otf2"):
        return XTF.run("export", format, "-o", self.out, *arguments)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def assert_refused(self, result, words, status=1):
        self.assertEqual(result.status, status, result)
        self.assertRegex(result.errors.decode(errors="replace"), words)

    def test_usage(self):
        self.assert_refused(XTF.run("export", "otf2", self.trace), "-o OUT", 2)
        self.assert_refused(self.export(self.trace, format="otf3"), "no format 'otf3'.*otf2", 2)
        self.assert_refused(self.export(self.trace, "proc/0", "proc/1"), "too many", 2)
        self.assertEqual(self.names(), [])

    def test_only_records(self):
        for path in ("info", "records", "definitions", "proc", "time/0.1-0.2/count", "proc/0/thread/0/sends/num/3"):
            self.assert_refused(self.export(self.trace, path), "^xtf: " + path + ": .*only records are exported")
        self.assert_refused(self.export(self.trace, "proc/77"), "proc/77")
        self.assertEqual(self.names(), [])

    def test_existing_files_stay(self):
        self.export("--quiet", self.trace, "proc/0")
        before = sorted((p.name, p.stat().st_mtime_ns) for p in self.out.rglob("*"))
        self.assert_refused(self.export(self.trace), "exists already: --force")
        self.assertEqual(sorted((p.name, p.stat().st_mtime_ns) for p in self.out.rglob("*")), before)
        self.assertEqual(self.export("--force", self.trace).status, 0)
        self.assertGreater(sum(p.stat().st_size for p in self.out.rglob("*.evt")), 100000)
        (self.out / "thesis.tex").write_text("ten years")
        self.assert_refused(self.export("--force", self.trace), "contains more than an OTF2 archive")
        self.assertTrue((self.out / "thesis.tex").exists())
        self.assertEqual(self.names(), ["out"])

    def test_the_source_stays(self):
        trace = self.folder / "exported.xtf"
        shutil.copy(self.trace, trace)
        before = trace.read_bytes()
        result = XTF.run("export", "cube", "--force", "-o", trace, trace)
        self.assert_refused(result, "contains, the trace to export")
        self.assertEqual(trace.read_bytes(), before)
        self.assertEqual(self.export(self.trace).status, 0)
        before = sorted(self.out.rglob("*"))
        self.assert_refused(self.export("--force", self.out / "traces.otf2", "proc/0"), "contains, the trace to export")
        self.assertEqual(sorted(self.out.rglob("*")), before)
        self.assertEqual(len(list(self.out.rglob("*.evt"))), 4)
        trace.unlink()

    def test_only_a_profile_is_replaced_by_one(self):
        self.out.write_text("a thesis")
        self.assert_refused(self.export("--force", self.trace, format="cube"), "is not a profile for Cube")
        self.assertEqual(self.out.read_text(), "a thesis")
        self.out.unlink()
        for force in ([], ["--force"]):
            self.assertEqual(self.export(*force, self.trace, "proc/0", format="cube").status, 0)

    def limited(self, *arguments, format="otf2"):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))
        command = [XTF.program, "export", format, "-o", self.out, *arguments]
        done = subprocess.run(command, preexec_fn=limit, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, b"cannot be written: .*too large|cannot write: .*too large|File too large")

    def test_a_full_disk(self):
        self.limited(self.trace)
        self.assertEqual(self.names(), [])
        self.export("--quiet", self.trace, "proc/0")
        before = sorted((p.name, p.stat().st_size) for p in self.out.rglob("*"))
        self.limited("--force", self.trace)
        self.assertEqual(sorted((p.name, p.stat().st_size) for p in self.out.rglob("*")), before)
        self.assertEqual(self.names(), ["out"])

    def test_a_full_disk_for_a_file(self):
        self.limited(self.trace, format="cube")
        self.assertEqual(self.names(), [])
        self.assertEqual(self.export(self.trace, format="cube").status, 0)
        before = self.out.read_bytes()
        self.assert_refused(self.export(self.trace, "proc/0", format="cube"), "exists already: --force")
        self.limited("--force", self.trace, format="cube")
        self.assertEqual(self.out.read_bytes(), before)
        self.assertEqual(self.names(), ["out"])
        self.assert_refused(self.export("--force", self.trace), "contains more than an OTF2 archive")

    def test_an_invalid_mount_point(self):
        self.out = self.folder / "nowhere" / "out"
        self.assert_refused(self.export(self.trace), "nowhere/out: No such file or directory")

    def test_interrupted(self):
        """Tests that an export interrupted at any time is complete or does not exist."""
        for _ in range(INTERRUPTED):
            process = subprocess.Popen([XTF.program, "export", "otf2", "-q", "-o", self.out, self.trace],
                                       stderr=subprocess.DEVNULL)
            while process.poll() is None and not self.names():
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            status = process.wait(timeout=60)
            self.assertEqual(self.names(), ["out"] if status == 0 else [])
            shutil.rmtree(self.out, ignore_errors=True)

    def test_invalid_traces(self):
        """Tests invalid texts, tables and rows: exports write what OTF2 accepts, and refuse other traces with a message."""
        trace = self.folder / "names.xtf"
        for kind in ("nasty", "long"):
            subprocess.run([WRITE_NAMES, trace, kind], check=True)
            for path in ("/", "time/0%-50%", "proc/0", "enters_leaves") if kind == "nasty" else ("parameters",):
                result = self.export("--force", trace, path)
                if result.status != 0:
                    self.assertRegex(result.errors.decode(errors="replace"), "^xtf: .+")
                    self.assertFalse(self.out.exists())
                    continue
                XTF.run("import", "--keep-going", "--quiet", "--force", "-o", self.folder / "back.xtf", self.out)
                shutil.rmtree(self.out)
            (self.folder / "back.xtf").unlink(missing_ok=True)
        self.assertEqual(self.names(), ["names.xtf"])


if __name__ == "__main__":
    need_programs("otf2-print")
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    unittest.main()
