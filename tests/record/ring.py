"""A program with known numbers of calls for the tests of `xtf record` with real launchers, and their test case."""

import os
import shutil
import subprocess

from launching import XTF, Case
from mpis import OPENMPI, of_test

SKIP = 77
ROOT = {**OPENMPI, "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
MODULES = os.environ["RECORD_MODULES"]
MPIS = [name for name in ("openmpi", "mpich") if shutil.which("mpicc." + name) and shutil.which("mpirun." + name) and
        os.path.exists(f"{MODULES}/libxtf-record-{name}.so")]

# Each process sends ROUNDS messages to the next one; the last process ends as the argument says.
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


class Ring(Case):
    def setUp(self):
        super().setUp()
        self.environment.update(ROOT)
        del self.environment["XTF_RECORD_LIBDIR"]
        (self.folder / "ring.c").write_text(PROGRAM)

    def mpis(self):
        """Returns the MPIs with which this test runs."""
        return of_test(self, MPIS)

    def compiled(self, mpi):
        done = self.run_in("mpicc." + mpi, "-O1", "ring.c", "-o", "ring-" + mpi)
        self.assertEqual(done.returncode, 0, done.stderr)
        return "./ring-" + mpi

    def run_with_input(self, *arguments):
        """Runs a command with a line on standard input."""
        return subprocess.run([str(argument) for argument in arguments], cwd=self.folder, env=self.environment, input="a line\n",
                              capture_output=True, text=True, timeout=180, check=False)

    def check_counts(self, trace, processes):
        """Checks the trace against the program's arithmetic."""
        count = {path: int(self.xtf("cat", trace, path)) for path in ("/region/MPI_Sendrecv/calls/count", "/sends/count", "/recvs/count",
                                                                      "/region/MPI_Barrier/calls/count")}
        self.assertEqual(list(count.values()), [50 * processes, 50 * processes, 50 * processes, 2 * processes])
        sent = [line.split() for line in self.xtf("cat", trace, "/matrix").splitlines()]
        self.assertGreater(len(sent), processes)
        self.assertEqual(sorted(self.xtf("ls", trace, "/proc").split(), key=int), [str(p) for p in range(processes)])
        self.assertEqual(self.xtf("cat", trace, "/unmatched").splitlines()[1].split()[:3], ["0", "0", "0"])
