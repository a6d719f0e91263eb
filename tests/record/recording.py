"""Records MPI programs in tests: compiles them, runs them under `xtf record`, and reads the traces."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import fewer
from mpis import OPENMPI, of_test
from recorded_trace import Recorded

XTF = os.environ["XTF"]
TABLE = pathlib.Path(__file__).resolve().parents[2] / "src/record/mpi/functions.tbl"
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpirun.mpich"]}
# Variables of a launcher that runs the tests, and of the user.
FOREIGN = re.compile("^(OMPI_|PMIX|PMI_|SLURM_|LD_PRELOAD|XTF_|HYDI_)")
TIMEOUT = 180


def module_of(mpi):
    """Returns where `xtf record` of a build finds the module for an MPI."""
    folder = os.environ.get("XTF_RECORD_LIBDIR") or pathlib.Path(XTF).resolve().parents[1] / "record"
    return pathlib.Path(folder) / f"libxtf-record-{mpi}.so"


def mpis():
    """Returns the MPIs for which programs can be compiled, run and recorded."""
    return [mpi for mpi, launcher in LAUNCHERS.items() if shutil.which(f"mpicc.{mpi}") and shutil.which(launcher[0]) and module_of(mpi).exists()]


class Case(unittest.TestCase):
    """A test in a folder of its own."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="xtf-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "tmp").mkdir()
        kept = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
        if "XTF_RECORD_LIBDIR" in os.environ:
            kept["XTF_RECORD_LIBDIR"] = os.environ["XTF_RECORD_LIBDIR"]
        self.environment = {**kept, "XTF_TMPDIR": str(self.folder / "tmp"), **OPENMPI}

    def mpis(self, tool="mpicc"):
        """Returns the MPIs with which this test runs. They have the compiler; skips the test if none has."""
        found = [mpi for mpi in mpis() if shutil.which(f"{tool}.{mpi}")]
        if not found:
            self.skipTest(f"no installed MPI has {tool}")
        return of_test(self, found)

    def run_in(self, *command, status=0, **environment):
        """Runs a command in the test's folder, and checks its exit status. Returns its output."""
        done = subprocess.run([str(part) for part in command], cwd=self.folder, env={**self.environment, **environment}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def xtf(self, *arguments, status=0):
        return self.run_in(XTF, *arguments, status=status)

    def compile(self, mpi, program, *options):
        """Compiles programs/PROGRAM.c, and returns the executable."""
        path = self.folder / f"{program}-{mpi}"
        self.run_in(f"mpicc.{mpi}", "-w", "-O1", "-o", path, PROGRAMS / f"{program}.c", *options)
        return path

    def compile_large(self, mpi, program, group):
        """Compiles as compile() does, with the functions for large counts of a group of functions.tbl. Returns the executable and
        the functions' names. Only MPICH has these functions."""
        small = re.findall(rf"^(MPI_\w+)_c +{group} ", TABLE.read_text(), re.MULTILINE)
        header = self.folder / f"large-{group}.h"
        header.write_text("\n".join(["#include <mpi.h>", *(f"#define {name} {name}_c" for name in small)]) + "\n")
        return self.compile(mpi, program, "-include", header), set(small)

    def launch(self, mpi, n, *command):
        return [*LAUNCHERS[mpi], "-n", n, *command]

    def record(self, mpi, n, *command, options=(), **environment):
        """Records a program of n processes, and checks the trace. Returns the trace's path and the program's output."""
        path = self.folder / f"{pathlib.Path(str(command[0])).name}.xtf"
        output = self.run_in(XTF, "record", *options, "-o", path, *self.launch(mpi, n, *command), **environment)
        self.xtf("check", path)
        return path, output

    def record_until_stuck(self, n, *words):
        """Runs xtf record of a launcher whose n processes make a file at-RANK each, and then hang or end. Ends the launcher a
        second after the last file. Returns the exit status of the run."""
        for old in self.folder.glob("at-*"):
            old.unlink()
        with subprocess.Popen([str(word) for word in words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            deadline = time.monotonic() + TIMEOUT
            while run.poll() is None and len(list(self.folder.glob("at-*"))) < n and time.monotonic() < deadline:
                time.sleep(0.05)
            with contextlib.suppress(subprocess.TimeoutExpired):
                run.wait(1)
            if run.poll() is None:  # it hangs, or the launcher has ended and xtf merges the parts
                children = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text(encoding="ascii").split()
                for child in children:
                    if b"mpi" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes():
                        os.kill(int(child), signal.SIGTERM)
            return run.wait(TIMEOUT)

    def recorded(self, mpi, n, *command, **environment):
        """Records a program as record() does, and reads the trace."""
        path, output = self.record(mpi, n, *command, **environment)
        trace = Recorded(path)
        self.addCleanup(trace.close)
        return trace, output


def with_large(line, large):
    """Returns a line "FUNCTION: records", with the function for large counts if FUNCTION is one of `large`."""
    function, _, records = line.partition(":")
    return f"{function}_c:{records}" if function in large else line


def main():
    """Runs the tests of the calling module, or skips them if no MPI is installed."""
    if not mpis():
        print("skipped: no installed MPI can compile, run and record programs")
        sys.exit(77)
    fewer.main()
