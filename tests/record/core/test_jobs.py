#!/usr/bin/env python3
"""Jobs of MPI that end badly, under `xtf record`: output and status are those of the job alone, and each process's records are there up to
the last.

usage: test_jobs.py OPENMPI|MPICH PROGRAM MPIRUN...    (XTF_ROUNDS: instants at which a process is killed; more than the usual ones: those alone)
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

from dying import ENVIRONMENT, PATIENCE, XTF, Done, collectors_of, wait_for  # noqa: E402
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

    def run_job(self, how, *before):
        for file in self.folder.glob("counts*"):
            file.unlink()
        done = subprocess.run([*before, *MPIRUN, "-n", "2", PROGRAM, "counts", str(N), how], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * PATIENCE)
        return Done(done.returncode, sorted(done.stdout.splitlines()), done.stderr)

    def counted(self):
        return {int(file.suffix[1:]): int.from_bytes(file.read_bytes()[:8], "little") for file in self.folder.glob("counts.*")}

    def ends(self, how, whole=True, own=frozenset()):
        """`own`: the statuses of the processes, which a launcher may pass on."""
        alone = self.run_job(how)
        done = self.run_job(how, XTF, "record", "-f", "-o", "run.xtf")
        self.assertIn(done.status, {alone.status} | own | (set() if whole else launchers_statuses(MPI)), done.err)
        if whole:
            self.assertEqual(done.out, alone.out)
        self.check(done.err)
        self.assertNotIn("left no part", done.err)
        self.assertEqual(set(self.counted()), {0, 1})
        if whole:
            self.assertEqual(set(self.counted().values()), {3 * N})

    def check(self, what):
        """The trace is sound, and has what each process counted: the region that ended at its last instant may not have been."""
        check = subprocess.run([XTF, "check", "run.xtf"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr + what)
        records = subprocess.run([XTF, "cat", "run.xtf", "records"], cwd=self.folder, capture_output=True, text=True).stdout.splitlines()
        for rank, count in self.counted().items():
            left = sum(1 for line in records if line.split()[1] == str(rank) and line.split()[4] == "LEAVE" and
                       line.split()[-1] in ("outer", "middle", "inner"))
            self.assertIn(left - count, (0, 1), f"rank {rank} counted {count}: {what}")
        left = list(self.folder.glob("xtf-*"))
        self.assertEqual(bool(left), "left no part" in what, f"parts stay where a process is missing, and nowhere else: {left} {what}")
        for folder in left:
            shutil.rmtree(folder)

    def processes(self):
        """The processes of the job, which the launcher has started, not they themselves."""
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

    def both(self):
        found = self.processes()
        return found if len(found) == 2 else []

    def kill_one(self, draw, at_once):
        """Kills a process of a job that would go on for ever, at a random instant: of its start, or of its work. What was said, and the status."""
        for file in [*self.folder.glob("counts*"), *self.folder.glob("run.xtf")]:
            file.unlink()
        with subprocess.Popen([XTF, "record", "-o", "run.xtf", *MPIRUN, "-n", "2", PROGRAM, "counts", "0", "never"], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as job:
            try:
                processes = wait_for("process", self.both)
                if not at_once:
                    wait_for("region", lambda: len(self.counted()) == 2 and all(self.counted().values()))
                time.sleep(draw.random() * 0.06)
                os.kill(draw.choice(processes), signal.SIGKILL)
                return job.communicate(timeout=2 * PATIENCE)[0], job.returncode
            finally:
                if job.poll() is None:  # it hangs, and may not heed being terminated
                    for process in self.processes():
                        os.kill(process, signal.SIGKILL)
                    job.kill()

    def test_random_instants(self):
        seed = random.randrange(1 << 32)
        draw = random.Random(seed)
        for i in range(ROUNDS):
            said, status = self.kill_one(draw, i % 4 == 0)
            what = f"seed {seed}, instant {i}: status {status}, {said}"
            self.assertTrue(status != 0 or 0 in launchers_statuses(MPI), what)
            if any(self.counted().values()) or (self.folder / "run.xtf").exists():
                self.check(what)
            self.assertTrue(i % 4 == 0 or (all(self.counted().values()) and "left no part" not in said), what)

    def test_link_among_the_parts(self):
        """What processes tell one another by files goes through no symbolic link."""
        secret = self.folder / "secret"
        secret.write_text("forty bytes and more that belong to somebody\n")
        script = self.folder / "linked"
        script.write_text(f'#!/bin/sh\nln -s {secret} "$XTF_RECORD_FOLDER/worlds" 2>/dev/null\nexec {PROGRAM} "$@"\n')
        script.chmod(0o755)
        done = subprocess.run([XTF, "record", f"--mpi={MPI}", "-o", "run.xtf", *MPIRUN, "-n", "2", script, "counts", str(N), "finalize"], cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * PATIENCE)
        self.assertEqual(set(self.counted().values()), {3 * N}, done.stderr)
        self.check(done.stderr)
        self.assertEqual(secret.read_text(), "forty bytes and more that belong to somebody\n")

    def kill_collectors(self, job):
        """Of this test alone, as soon as they are there, until the job ends."""
        ours = f"XTF_TMPDIR={self.folder}".encode()
        while job.poll() is None:
            for process in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    if (process / "cmdline").read_bytes().split(b"\0")[1:2] == [b"collect"] and ours in (process / "environ").read_bytes().split(b"\0"):
                        os.kill(int(process.name), signal.SIGKILL)
                except OSError:
                    pass
            time.sleep(0.005)

    def test_collectors_killed(self):
        """What is said is what happened, and what is named is there."""
        with subprocess.Popen([XTF, "record", "-o", "run.xtf", *MPIRUN, "-n", "2", PROGRAM, "counts", "300000", "finalize"], cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as job:
            self.kill_collectors(job)
            said = job.stderr.read()
        self.assertEqual(job.returncode, 1, said)
        self.assertNotIn("MPI_Init", said)
        self.assertIn("collector was killed", said)
        logs = re.findall(r"/\S+\.log", said)
        self.assertTrue(logs, said)
        for log in logs:
            self.assertTrue(pathlib.Path(log).exists(), said)

    def test_finalize(self):
        self.ends("finalize")

    def test_no_finalize(self):
        # Launchers kill the others when one ends so, unless all have ended by then.
        self.ends("_exit", whole=False, own={3})

    def test_abort(self):
        self.ends("MPI_Abort", whole=False)

    def test_killed(self):
        self.ends("kill", whole=False)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], defaultTest="Jobs.test_random_instants" if ROUNDS > USUAL else None, verbosity=2)
