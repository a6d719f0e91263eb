#!/usr/bin/env python3
"""`xtf record` with real launchers, in both forms: what the program prints and how it ends stay what they are, and the trace has all its
processes. The trace's calls and messages are those of the program, by its own arithmetic.

usage: test_forms.py
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

from launching import XTF, Case

SKIP = 77
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
MODULES = os.environ["RECORD_MODULES"]
MPIS = [name for name in ("openmpi", "mpich") if shutil.which("mpicc." + name) and shutil.which("mpirun." + name) and
        os.path.exists(f"{MODULES}/libxtf-record-{name}.so")]

# Each process sends ROUNDS messages to the next one; the last ends as the argument says.
PROGRAM = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, size, got;
    char line[100] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 50; i++)
        MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, i, &got, 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && fgets(line, sizeof line, stdin))
        printf("read %s", line);
    if (rank == 0)
        printf("%d processes, the last message was %d\n", size, got);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && strcmp(argv[1], "abort") == 0 && rank == size - 1)
        MPI_Abort(MPI_COMM_WORLD, 5);
    if (argc > 1 && strcmp(argv[1], "kill") == 0 && rank == size - 1)
        raise(SIGKILL);
    MPI_Finalize();
    return argc > 1 && rank == size - 1 ? atoi(argv[1]) : 0;
}
"""


class Forms(Case):
    def setUp(self):
        super().setUp()
        self.environment.update(ROOT)
        del self.environment["XTF_RECORD_LIBDIR"]
        (self.folder / "ring.c").write_text(PROGRAM)

    def compiled(self, mpi):
        done = self.run_in("mpicc." + mpi, "-O1", "ring.c", "-o", "ring-" + mpi)
        self.assertEqual(done.returncode, 0, done.stderr)
        return "./ring-" + mpi

    def given(self, *arguments):
        """Runs a command with a line on standard input."""
        return subprocess.run([str(argument) for argument in arguments], cwd=self.folder, env=self.environment, input="a line\n",
                              capture_output=True, text=True, timeout=60, check=False)

    def judge(self, trace, processes):
        """The program's arithmetic against the trace."""
        count = {path: int(self.xtf("cat", trace, path)) for path in ("/region/MPI_Sendrecv/calls/count", "/sends/count", "/recvs/count",
                                                                      "/region/MPI_Barrier/calls/count")}
        self.assertEqual(list(count.values()), [50 * processes, 50 * processes, 50 * processes, 2 * processes])
        sent = [line.split() for line in self.xtf("cat", trace, "/matrix").splitlines()]
        self.assertGreater(len(sent), processes)
        self.assertEqual(sorted(self.xtf("ls", trace, "/proc").split(), key=int), [str(p) for p in range(processes)])
        self.assertEqual(self.xtf("cat", trace, "/unmatched").splitlines()[1].split()[:3], ["0", "0", "0"])

    def test_outside(self):
        for mpi in MPIS:
            app = self.compiled(mpi)
            plain = self.given("mpirun." + mpi, "-n", "3", app)
            done = self.given(XTF, "record", "-o", mpi + ".xtf", "mpirun." + mpi, "-n", "3", app)
            self.assertEqual((done.returncode, done.stdout), (0, plain.stdout), done.stderr)
            self.assertIn("read a line\n3 processes, the last message was 49\n", done.stdout)
            self.assertIn("processes 0-2: finalized", done.stderr)
            self.assertEqual(self.left(), [], "parts, and all else that a job leaves")
            self.xtf("check", mpi + ".xtf")
            self.judge(mpi + ".xtf", 3)

    def test_inside(self):
        for mpi in MPIS:
            app = self.compiled(mpi)
            done = self.given("mpirun." + mpi, "-n", "3", XTF, "record", "-o", mpi + ".xtf", app)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("read a line\n3 processes, the last message was 49\n", done.stdout)
            self.assertEqual(done.stderr.count("the parts of the trace go to"), 1, done.stderr)
            self.xtf("merge", "-o", mpi + ".xtf", mpi + ".xtf.d")
            self.xtf("check", mpi + ".xtf")
            for trace in (mpi + ".xtf", mpi + ".xtf.d"):
                self.judge(trace, 3)
            again = self.given("mpirun." + mpi, "-n", "3", XTF, "record", "-o", mpi + ".xtf", app)
            self.assertNotEqual(again.returncode, 0)
            if mpi == "openmpi":  # Hydra loses what is said when processes end at once
                self.assertIn("--force", again.stderr)
            again = self.given("mpirun." + mpi, "-n", "2", XTF, "record", "--force", "-o", mpi + ".xtf", app)
            self.assertEqual(again.returncode, 0, again.stderr)
            self.xtf("merge", "--force", "-o", mpi + ".xtf", mpi + ".xtf.d")
            self.judge(mpi + ".xtf", 2)

    def test_statuses(self):
        for mpi in MPIS:
            app = self.compiled(mpi)
            for word, end in (("7", "status 7"), ("abort", ""), ("kill", "(killed by signal 9|end not seen)")):
                plain = self.given("mpirun." + mpi, "-n", "2", app, word)
                done = self.given(XTF, "record", "-f", "-o", "run.xtf", "mpirun." + mpi, "-n", "2", app, word)
                self.assertEqual(done.returncode, plain.returncode, done.stderr)
                if word == "7":  # launchers lose what was said right before a violent end
                    self.assertEqual(done.stdout, plain.stdout)
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, f"process(es .*-| )1: .*{end}")
                self.xtf("check", "run.xtf")
                self.judge("run.xtf", 2)
                self.assertEqual(self.left(), [])

    def test_without_launcher(self):
        """MPI's singletons, and scripts that start the program."""
        for mpi in MPIS:
            app = self.compiled(mpi)
            done = self.given(XTF, "record", "-o", mpi + "-1.xtf", app)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.judge(mpi + "-1.xtf", 1)
            script = self.script("job-" + mpi, f"mpirun.{mpi} -n 2 sh -c '{app}' </dev/null\n")
            done = self.given(XTF, "record", "--mpi", mpi, "-o", mpi + "-2.xtf", script)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.judge(mpi + "-2.xtf", 2)


if __name__ == "__main__":
    if not MPIS:
        print("skipped: no MPI with its compiler is here, or xtf was built without it")
        sys.exit(SKIP)
    sys.exit(unittest.main(verbosity=1))
