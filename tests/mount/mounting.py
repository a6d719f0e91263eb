"""Functions for tests of mounts that end: finds the processes that serve a directory, and checks that the directory is left as before."""

import contextlib
import os
import signal
import tempfile

import harness
from harness import is_mounted, run, wait_until

ROOT = os.geteuid() == 0


def processes(directory):
    """Yields the number and the name of each xtf process that serves a directory: its unique name ends one of their arguments."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                arguments = file.read().split(b"\0")
            with open(f"/proc/{pid}/comm") as file:
                name = file.read().strip()
        except OSError:
            continue
        served = any(argument.endswith(os.path.basename(directory).encode()) for argument in arguments)
        if served and os.path.basename(arguments[0]) in (b"xtf", b"mount.xtf"):
            yield int(pid), name


def daemons(directory):
    """Returns the processes that serve a directory."""
    return [pid for pid, name in processes(directory) if name != "xtf-unmounter"]


def unmounter(directory):
    """Returns the processes that will unmount a directory, at most one."""
    return [pid for pid, name in processes(directory) if name == "xtf-unmounter"]


class Case(harness.TestCase):
    records = 20000

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="xtf-test-")
        self.addCleanup(self.clean)

    def clean(self):
        while is_mounted(self.dir):
            run("umount", "-l", self.dir)
        wait_until(lambda: not daemons(self.dir) and not unmounter(self.dir), "the daemon's end")
        os.rmdir(self.dir)

    def count(self):
        with open(os.path.join(self.dir, "count")) as file:
            return int(file.read())


def heed_hangups():
    """Restores SIGHUP in a child: nohup makes all its children ignore SIGHUP, and an ignored signal stays ignored."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
