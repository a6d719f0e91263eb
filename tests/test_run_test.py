#!/usr/bin/env python3
"""Tests that run-test leaves nothing of a test behind.

The test may end by itself or by signals. It may leave something mounted, or processes in sessions of their own.

usage: test_run_test.py RUN-TEST
"""

import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

RUN_TEST = ""
SECONDS = 20
# Prints the folder of the test, with a file in it; then does what the test names.
SCRIPT = """
import os, pathlib, subprocess, sys, tempfile, time
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "file").write_text("kept")
print(os.environ["TMPDIR"], flush=True)
"""
WAIT = "time.sleep(100)\n"


def processes_with(variable):
    """Returns the processes that have a variable with its value."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if variable in (process / "environ").read_bytes().split(b"\0"):
                found.append(process.name)
        except OSError:
            continue
    return found


class RunTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xtf-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, rest):
        """Starts a test; returns it and its folder, which has a file."""
        script = self.folder / "script.py"
        script.write_text(SCRIPT + rest)
        test = subprocess.Popen([RUN_TEST, sys.executable, script], env={**os.environ, "TMPDIR": str(self.folder)}, stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(test.stdout.close)
        folder = pathlib.Path(test.stdout.readline().strip())
        self.assertEqual(folder.parent, self.folder)
        return test, folder

    def await_removal(self, folder):
        until = time.monotonic() + SECONDS
        while folder.exists() and time.monotonic() < until:
            time.sleep(0.02)
        self.assertFalse(folder.exists(), f"{folder} has {list(folder.rglob('*'))}")

    def await_end(self, folder):
        """Waits until no process has the folder as TMPDIR."""
        variable, until = os.fsencode(f"TMPDIR={folder}"), time.monotonic() + SECONDS
        while processes_with(variable) and time.monotonic() < until:
            time.sleep(0.02)
        self.assertEqual(processes_with(variable), [])

    def test_ended_by_itself(self):
        for status in (0, 3):
            test, folder = self.start(f"sys.exit({status})\n")
            self.assertEqual(test.wait(SECONDS), status)
            self.await_removal(folder)

    def test_ended_by_signals(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            test, folder = self.start(WAIT)
            self.assertTrue(any(folder.rglob("file")))
            os.killpg(test.pid, number)
            self.assertEqual(test.wait(SECONDS), -number)
            self.await_removal(folder)

    def test_left_processes(self):
        """A process in another session ends, also if it ignores SIGTERM, and one that it starts meanwhile."""
        starts = ('"sleep 100"', '"trap : TERM; while :; do sleep 100; done"', '"trap \'sleep 100\' TERM; sleep 100; sleep 100"')
        tests = []
        for start in starts:
            test, folder = self.start(f'left = subprocess.Popen(["sh", "-c", {start}], start_new_session=True, stderr=subprocess.DEVNULL)\n'
                                      "print(left.pid, flush=True)\n" + WAIT)
            tests.append((folder, os.pidfd_open(int(test.stdout.readline())), start))
            self.addCleanup(os.close, tests[-1][1])
            os.killpg(test.pid, signal.SIGTERM)
            self.assertEqual(test.wait(SECONDS), -signal.SIGTERM)
        for folder, left, start in tests:
            self.assertTrue(select.select([left], [], [], SECONDS)[0], f"{start} goes on")
            self.await_removal(folder)
            self.await_end(folder)

    def test_left_while_it_executes(self):
        """A process that has no variables when the test ends, as in the moment of exec, ends too."""
        test, folder = self.start('left = subprocess.Popen(["sh", "-c", f"sleep 1; TMPDIR={os.environ[\'TMPDIR\']} exec sleep 100"], env={}, start_new_session=True)\n'
                                  "print(left.pid, flush=True)\n" + WAIT)
        left = os.pidfd_open(int(test.stdout.readline()))
        self.addCleanup(os.close, left)
        os.killpg(test.pid, signal.SIGTERM)
        self.assertEqual(test.wait(SECONDS), -signal.SIGTERM)
        self.assertTrue(select.select([left], [], [], SECONDS)[0], "the process goes on")
        self.await_removal(folder)

    @unittest.skipUnless(os.geteuid() == 0, "only root may mount a tmpfs")
    def test_mounted(self):
        test, folder = self.start('subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=True)\nprint("mounted", flush=True)\n' + WAIT)
        if test.stdout.readline() != "mounted\n":
            self.skipTest("nothing can be mounted here")
        os.killpg(test.pid, signal.SIGKILL)
        test.wait(SECONDS)
        self.await_removal(folder)
        self.assertNotIn(str(folder), pathlib.Path("/proc/self/mounts").read_text())

    def test_has_no_children_of_others(self):
        test, _ = self.start("try:\n    os.wait()\nexcept ChildProcessError:\n    sys.exit(5)\n")
        self.assertEqual(test.wait(SECONDS), 5)


if __name__ == "__main__":
    RUN_TEST = sys.argv.pop()
    unittest.main()
