#!/usr/bin/env python3
"""Jobs of MPI that end badly, under `xtf record`. Output and status must equal a run without xtf, and the trace must have each
process's records up to the last.

usage: test_jobs.py OPENMPI|MPICH PROGRAM MPIRUN...    (XTF_ROUNDS: instants at which a process is killed; more than the usual
number: only that test)
"""

import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from dying import ENVIRONMENT, TIMEOUT, XTF, Done, collectors_of, wait_for  # noqa: E402
from mpis import OPENMPI, launchers_statuses  # noqa: E402

MPI, PROGRAM, *MPIRUN = sys.argv[1:]
N = 500
USUAL = 4
ROUNDS = int(os.environ.get("XTF_ROUNDS", USUAL))


class Jobs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="xtf-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {**ENVIRONMENT, "XTF_TMPDIR": str(self.folder), **OPENMPI}

    def run_job(self, way, *before):
        for file in self.folder.glob("counts*"):
            file.unlink()
        done = subprocess.run([*before, *MPIRUN, "-n", "2", PROGRAM, "counts", str(N), way], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * TIMEOUT)
        return Done(done.returncode, sorted(done.stdout.splitlines()), done.stderr)

    def counted(self):
        return {int(file.suffix[1:]): int.from_bytes(file.read_bytes()[:8], "little") for file in self.folder.glob("counts.*")}

    def compare_ends(self, way, whole=True, own=frozenset()):
        """Compares a job with and without the recorder. `own`: exit statuses of the processes, which a launcher may pass on."""
        plain = self.run_job(way)
        done = self.run_job(way, XTF, "record", "-f", "-o", "run.xtf")
        self.assertIn(done.status, {plain.status} | own | (set() if whole else launchers_statuses(MPI)), done.err)
        if whole:
            self.assertEqual(done.out, plain.out)
        self.check(done.err)
        self.assertNotIn("left no part", done.err)
        self.assertEqual(set(self.counted()), {0, 1})
        if whole:
            self.assertEqual(set(self.counted().values()), {3 * N})

    def check(self, message):
        """Checks that the trace is sound, and has all regions that each process counted. The region that ended at the last
        instant may not have been counted."""
        check = subprocess.run([XTF, "check", "run.xtf"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr + message)
        records = subprocess.run([XTF, "cat", "run.xtf", "records"], cwd=self.folder, capture_output=True, text=True).stdout.splitlines()
        for rank, count in self.counted().items():
            left = sum(1 for line in records if line.split()[1] == str(rank) and line.split()[4] == "LEAVE" and
                       line.split()[-1] in ("outer", "middle", "inner"))
            self.assertIn(left - count, (0, 1), f"rank {rank} counted {count}: {message}")
        left = list(self.folder.glob("xtf-*"))
        self.assertEqual(bool(left), "left no part" in message, f"parts must stay exactly if a process is missing: {left} {message}")
        for folder in left:
            shutil.rmtree(folder)

    def processes(self):
        """Returns the job's processes that the launcher has started, without processes that these have started."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (process / "cmdline").read_bytes().split(b"\0")[0] != PROGRAM.encode() or os.readlink(process / "cwd") != str(self.folder):
                    continue
                parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
                if re.match("mpirun|mpiexec|hydra|orted|prte", pathlib.Path("/proc", parent, "comm").read_text()):
                    found.append(int(process.name))
            except OSError:
                pass
        return found

    def both_processes(self):
        found = self.processes()
        return found if len(found) == 2 else []

    def kill_one(self, draw, at_once):
        """Kills a process of an endless job at a random instant of its start or its work. Returns the output and the status."""
        for file in [*self.folder.glob("counts*"), *self.folder.glob("run.xtf")]:
            file.unlink()
        with subprocess.Popen([XTF, "record", "-o", "run.xtf", *MPIRUN, "-n", "2", PROGRAM, "counts", "0", "never"], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as job:
            try:
                processes = wait_for("process", self.both_processes)
                if not at_once:
                    wait_for("region", lambda: len(self.counted()) == 2 and all(self.counted().values()))
                time.sleep(draw.random() * 0.06)
                os.kill(draw.choice(processes), signal.SIGKILL)
                return job.communicate(timeout=2 * TIMEOUT)[0], job.returncode
            finally:
                if job.poll() is None:  # the job hangs, and may ignore SIGTERM
                    for process in self.processes():
                        os.kill(process, signal.SIGKILL)
                    job.kill()

    def test_random_instants(self):
        seed = random.randrange(1 << 32)
        draw = random.Random(seed)
        for i in range(ROUNDS):
            printed, status = self.kill_one(draw, i % 4 == 0)
            instant = f"seed {seed}, instant {i}: status {status}, {printed}"
            self.assertTrue(status != 0 or 0 in launchers_statuses(MPI), instant)
            if any(self.counted().values()) or (self.folder / "run.xtf").exists():
                self.check(instant)
            self.assertTrue(i % 4 == 0 or (all(self.counted().values()) and "left no part" not in printed), instant)

    def test_link_among_the_parts(self):
        """Checks that files through which processes communicate are not followed if they are symbolic links."""
        secret = self.folder / "secret"
        secret.write_text("more than forty bytes of another file\n")
        script = self.folder / "linked"
        script.write_text(f'#!/bin/sh\nln -s {secret} "$XTF_RECORD_FOLDER/worlds" 2>/dev/null\nexec {PROGRAM} "$@"\n')
        script.chmod(0o755)
        done = subprocess.run([XTF, "record", f"--mpi={MPI}", "-o", "run.xtf", *MPIRUN, "-n", "2", script, "counts", str(N), "finalize"], cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * TIMEOUT)
        self.assertEqual(set(self.counted().values()), {3 * N}, done.stderr)
        self.check(done.stderr)
        self.assertEqual(secret.read_text(), "more than forty bytes of another file\n")

    def kill_collectors(self, job):
        """Kills all collectors of this test as soon as they appear, until the job ends."""
        variable = f"XTF_TMPDIR={self.folder}".encode()
        while job.poll() is None:
            for process in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    if (process / "cmdline").read_bytes().split(b"\0")[1:2] == [b"collect"] and variable in (process / "environ").read_bytes().split(b"\0"):
                        os.kill(int(process.name), signal.SIGKILL)
                except OSError:
                    pass
            time.sleep(0.005)

    def test_collectors_killed(self):
        """Checks that messages say what happened, and name existing files."""
        with subprocess.Popen([XTF, "record", "-o", "run.xtf", *MPIRUN, "-n", "2", PROGRAM, "counts", "300000", "finalize"], cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as job:
            self.kill_collectors(job)
            printed = job.stderr.read()
        self.assertEqual(job.returncode, 1, printed)
        self.assertNotIn("MPI_Init", printed)
        self.assertIn("collector was killed", printed)
        logs = re.findall(r"/\S+\.log", printed)
        self.assertTrue(logs, printed)
        for log in logs:
            self.assertTrue(pathlib.Path(log).exists(), printed)

    def test_finalize(self):
        self.compare_ends("finalize")

    def test_no_finalize(self):
        # Launchers kill the other processes when one ends so, unless all have ended by then.
        self.compare_ends("_exit", whole=False, own={3})

    def test_abort(self):
        self.compare_ends("MPI_Abort", whole=False)

    def test_killed(self):
        self.compare_ends("kill", whole=False)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], defaultTest="Jobs.test_random_instants" if ROUNDS > USUAL else None, verbosity=2)
