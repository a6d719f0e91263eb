#!/usr/bin/env python3
"""Ranks of a job exchange random batches, with each MPI that is installed and without one. exchange.c checks each batch
that it receives.

usage: test_exchange.py EXCHANGE NAME...   (of MPIs)
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "record"))

import mpis

EXCHANGE, NAMES = sys.argv[1], [name for name in sys.argv[2:] if shutil.which(f"mpirun.{name}")]
# Ranks, batches of each, most bytes: many small ones, and few that are longer than a piece.
SIZES = [(1, 200, 3000), (2, 300, 3000), (3, 20, 2500000), (5, 200, 70000), (8, 100, 3000)]


def run(command, **variables):
    return subprocess.run(command, env=mpis.outside(**variables), capture_output=True, text=True, timeout=170, check=False)


def launch(mpi, n, *arguments):
    return run(mpis.Mpi(mpi, "").launch(n, EXCHANGE, *arguments))


class Exchange(unittest.TestCase):
    def check(self, done, n, status=0):
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("FAULT", done.stdout)
        received = {int(rank): int(batches) for rank, batches in re.findall(rf"^rank (\d+) of {n}: (\d+) batches$", done.stdout, re.MULTILINE)}
        self.assertEqual(sorted(received), list(range(n)), done.stdout)
        return sum(received.values())

    def test_process_without_launcher_is_alone(self):
        self.assertGreater(self.check(run([EXCHANGE, "1", "100", "1000"]), 1), 200)

    def test_batches_arrive_once_and_in_order(self):
        for mpi in mpis.of_test(self, NAMES):
            for n, batches, most in SIZES:
                for seed in "12":
                    with self.subTest(mpi=mpi, n=n, seed=seed):
                        self.assertGreater(self.check(launch(mpi, n, seed, batches, most), n), 2 * n * batches)

    def test_failing_rank_ends_all_with_one_message(self):
        for mpi in mpis.of_test(self, NAMES):
            for rank in (0, 2):
                with self.subTest(mpi=mpi, rank=rank):
                    done = launch(mpi, 3, "1", "20", "1000", "fail", rank)
                    self.check(done, 3, 1)
                    self.assertEqual(re.findall("ERROR.*", done.stdout), [f"ERROR rank {rank} failed"])

    def test_killed_rank_ends_all(self):
        for mpi in mpis.of_test(self, NAMES):
            with self.subTest(mpi=mpi):
                done = launch(mpi, 3, "1", "20", "1000", "die", 1)
                self.assertNotEqual(done.returncode, 0)
                self.assertNotIn("FAULT", done.stdout)

    def test_other_mpi_than_the_launchers_is_recognised(self):
        if len(NAMES) < 2:
            self.skipTest("one MPI is installed")
        # Without the option, the launcher may end one process when the other has failed, before it prints the same. Each process has its own
        # folder: two processes of Open MPI, without its launcher, would create the same one in TMPDIR. One fails if both do so at once.
        command = mpis.Mpi("mpich", "").launch(2, "sh", "-c", 'TMPDIR=$(mktemp -d) exec "$0" "$@"', EXCHANGE, "1", "1", "1")
        done = run([command[0], "-disable-auto-cleanup", *command[1:]], XTF_MPI="openmpi")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(re.findall("ERROR 2 processes were started, but Open MPI finds one", done.stdout)), 2, done.stdout + done.stderr)

    def test_unknown_mpi_is_refused(self):
        done = run([EXCHANGE, "1", "1", "1"], XTF_MPI="OpenMPI")
        self.assertEqual((done.returncode, done.stdout), (1, "ERROR XTF_MPI=OpenMPI: it is openmpi, mpich or none\n"))

    def test_missing_module_is_named(self):
        done = run([EXCHANGE, "1", "1", "1"], XTF_MPI="mpich", XTF_WORLD_LIBDIR="/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ERROR /nowhere/libxtf-world-mpich.so: there is no such file", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
