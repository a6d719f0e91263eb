#!/usr/bin/env python3
"""Jobs of MPI that end badly, under `xtf record`: output and status are those of the job alone, and each process's records are there up to
the last.

usage: test_jobs.py OPENMPI|MPICH PROGRAM MPIRUN...
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from dying import ENVIRONMENT, PATIENCE, XTF, Done, collectors_of, wait_for

MPI, PROGRAM, *MPIRUN = sys.argv[1:]
N = 500


class Jobs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="xtf-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {**ENVIRONMENT, "XTF_TMPDIR": str(self.folder), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def run_job(self, how, *before):
        for file in self.folder.glob("counts*"):
            file.unlink()
        done = subprocess.run([*before, *MPIRUN, "-n", "2", PROGRAM, "counts", str(N), how], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * PATIENCE)
        return Done(done.returncode, sorted(done.stdout.splitlines()), done.stderr)

    def counted(self):
        return {int(file.suffix[1:]): int.from_bytes(file.read_bytes()[:8], "little") for file in self.folder.glob("counts.*")}

    def ends(self, how, whole=True):
        alone = self.run_job(how)
        done = self.run_job(how, XTF, "record", "-f", "-o", "run.xtf")
        # On a busy machine Hydra's status of a recorded job that is killed was seen to be 1, and 9 else; why is not known.
        self.assertIn(done.status, {alone.status} if whole or MPI == "openmpi" else {alone.status, 1}, done.err)
        if whole:
            self.assertEqual(done.out, alone.out)
        check = subprocess.run([XTF, "check", "run.xtf"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr + done.err)
        records = subprocess.run([XTF, "cat", "run.xtf", "records"], cwd=self.folder, capture_output=True, text=True).stdout.splitlines()
        counted = self.counted()
        self.assertEqual(set(counted), {0, 1})
        for rank, count in counted.items():
            left = sum(1 for line in records if line.split()[1] == str(rank) and line.split()[4] == "LEAVE" and
                       line.split()[-1] in ("outer", "middle", "inner"))
            self.assertIn(left - count, (0, 1), f"rank {rank} counted {count}: {done.err}")
            if whole:
                self.assertEqual(count, 3 * N)
        self.assertEqual([path.name for path in self.folder.glob("xtf-*")], [], "parts are left behind")

    def test_finalize(self):
        self.ends("finalize")

    def test_no_finalize(self):
        # Launchers kill the others when one ends so.
        self.ends("_exit", whole=False)

    def test_abort(self):
        self.ends("MPI_Abort", whole=False)

    def test_killed(self):
        self.ends("kill", whole=False)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
