"""The base of tests of programs' ends. A program counts its actions and ends as its argument says. It runs with the recorder
loaded into it, and its collector leaves a trace."""

import collections
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile
import time
import unittest

XTF = os.environ["XTF"]
DIE = os.environ["DIE"]
MODULE = os.environ["MODULE"]
TIMEOUT = 120  # seconds; on a busy machine everything takes several times as long
# Variables of a launcher that runs the tests, and of the user.
FOREIGN = re.compile("^(OMPI_|PMIX|PMI_|SLURM_|LD_PRELOAD|XTF_|HYDI_)")
ENVIRONMENT = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}

Done = collections.namedtuple("Done", "status out err")


def collectors_of(folder):
    """Returns the numbers of the processes that collect for a folder."""
    found = []
    for process in pathlib.Path("/proc").iterdir():
        try:
            if process.name.isdigit() and (process / "cmdline").read_bytes().split(b"\0")[1:2] == [b"collect"] and \
                    f"XTF_RECORD_FOLDER={folder}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
        except OSError:
            pass
    return found


def wait_for(name, condition):
    """Waits until the condition holds, and returns its value."""
    until = time.monotonic() + TIMEOUT
    while not (value := condition()):
        if time.monotonic() > until:
            raise AssertionError(f"no {name} within {TIMEOUT} s")
        time.sleep(0.005)
    return value


class Case(unittest.TestCase):
    """A test in a folder of its own, with a folder of parts in it. No collector outlives the test."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="xtf-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.parts = self.folder / "parts"
        self.parts.mkdir(mode=0o700)
        self.counts = self.folder / "counts"
        self.addCleanup(self.kill_collectors)

    def kill_collectors(self):
        for process in collectors_of(self.parts):
            os.kill(process, 9)

    def environment(self, **options):
        """Returns the environment of a program with the recorder in it, which also records frequent calls."""
        return {**ENVIRONMENT, "LD_PRELOAD": MODULE, "XTF_RECORD_FOLDER": str(self.parts), "XTF_RECORD_XTF": XTF, "XTF_RECORD_BRAKE": "0",
                **{f"XTF_RECORD_{name}": str(value) for name, value in options.items()}}

    def start(self, n, way, environment, limits=(), before=None):
        def prepare():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for name, value in limits:
                resource.setrlimit(name, (value, value))
            if before:
                before()
        return subprocess.Popen([DIE, self.counts, str(n), way], env=environment, cwd=self.folder, preexec_fn=prepare, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, process):
        out, err = process.communicate(timeout=TIMEOUT)
        return Done(process.returncode, out, err)

    def run_plain(self, n, way, **start):
        """Runs the program without the recorder."""
        done = self.finish(self.start(n, way, ENVIRONMENT, **start))
        self.counts.unlink(missing_ok=True)
        return done

    def run_recorded(self, n, way, start=None, **options):
        """Runs the program with the recorder, and waits for the end of its collector."""
        done = self.finish(self.start(n, way, self.environment(**options), **(start or {})))
        self.wait_for_collector()
        return done

    def wait_for_collector(self):
        """Waits until no collector runs or is about to run. A file announces a collector before its process has its name."""
        wait_for("end of the collector", lambda: not list(self.parts.glob("*.starting")) and not collectors_of(self.parts))

    def counted(self, path=None):
        """Returns the number of ends of regions that the program counted."""
        path = path or self.counts
        return int.from_bytes(path.read_bytes()[:8], "little") if path.exists() else 0

    def files(self):
        return sorted(self.parts.glob("*.xtf"))

    def xtf(self, *arguments):
        done = subprocess.run([XTF, *map(str, arguments)], env=ENVIRONMENT, capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, f"xtf {arguments}\n{done.stdout[-2000:]}{done.stderr}")
        return done.stdout

    def check(self, part):
        """Checks a part and the nesting of its frames. Returns the counts of its kinds of records, and the depth at the end."""
        self.assertIn(" 0 problems", self.xtf("check", part))
        kinds, stack = collections.Counter(), []
        for line in self.xtf("cat", part, "records").splitlines():
            kind = line.split()[4]
            kinds[kind] += 1
            if kind == "ENTER":
                stack.append(line.split()[-1])
            elif kind == "LEAVE":
                self.assertEqual(stack.pop(), line.split()[-1], line)
        return kinds, len(stack)
