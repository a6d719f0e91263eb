#!/usr/bin/env python3
"""`xtf record` with real launchers, in both forms. The program's output and exit status must stay the same, and the trace must
have all processes. The trace's calls and messages must agree with the program's arithmetic.

usage: test_forms.py
"""

import fcntl
import os
import struct
import sys

import fewer
from launching import XTF
from mpis import launchers_statuses
from ring import MPIS, SKIP, Ring


def kernel_keeps_statuses():
    """Returns True if a process's descriptor gives its status after another process waited for it, as from Linux 6.15 on."""
    pid = os.posix_spawn("/bin/false", ["false"], {})
    pidfd = os.pidfd_open(pid)
    os.waitpid(pid, 0)
    try:
        info = fcntl.ioctl(pidfd, 0xC040FF0B, struct.pack("<Q56x", 8))  # PIDFD_GET_INFO, PIDFD_INFO_EXIT
        mask, status = struct.unpack("<Q52xi", info)
        return bool(mask & 8) and os.waitstatus_to_exitcode(status) == 1
    except OSError:
        return False
    finally:
        os.close(pidfd)


class Forms(Ring):
    def test_outside(self):
        for mpi in self.mpis():
            app = self.compiled(mpi)
            plain = self.run_with_input("mpirun." + mpi, "-n", "3", app)
            done = self.run_with_input(XTF, "record", "-o", mpi + ".xtf", "mpirun." + mpi, "-n", "3", app)
            self.assertEqual((done.returncode, done.stdout), (0, plain.stdout), done.stderr)
            self.assertIn("read a line\n3 processes, the last message was 49\n", done.stdout)
            self.assertIn("processes 0-2: finalized", done.stderr)
            self.assertEqual(self.left(), [], "parts and other temporary files of a job")
            self.xtf("check", mpi + ".xtf")
            self.check_counts(mpi + ".xtf", 3)

    def test_inside(self):
        for mpi in self.mpis():
            app = self.compiled(mpi)
            done = self.run_with_input("mpirun." + mpi, "-n", "3", XTF, "record", "-o", mpi + ".xtf", app)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("read a line\n3 processes, the last message was 49\n", done.stdout)
            self.assertEqual(done.stderr.count("the parts of the trace go to"), 1, done.stderr)
            self.xtf("merge", "-o", mpi + ".xtf", mpi + ".xtf.d")
            self.xtf("check", mpi + ".xtf")
            for trace in (mpi + ".xtf", mpi + ".xtf.d"):
                self.check_counts(trace, 3)
            self.refuse_again(mpi, app)
            again = self.run_with_input("mpirun." + mpi, "-n", "2", XTF, "record", "--force", "-o", mpi + ".xtf", app)
            self.assertEqual(again.returncode, 0, again.stderr)
            self.xtf("merge", "--force", "-o", mpi + ".xtf", mpi + ".xtf.d")
            self.check_counts(mpi + ".xtf", 2)

    def refuse_again(self, mpi, app):
        """A job does not replace the trace of another one without --force."""
        again = self.run_with_input("mpirun." + mpi, "-n", "3", XTF, "record", "-o", mpi + ".xtf", app)
        self.assertNotEqual(again.returncode, 0)
        if mpi == "openmpi":  # Hydra loses output of processes that end at once
            self.assertIn("--force", again.stderr)

    def test_again(self):
        for mpi in MPIS:
            app = self.compiled(mpi)
            self.assertEqual(self.run_with_input("mpirun." + mpi, "-n", "3", XTF, "record", "-o", mpi + ".xtf", app).returncode, 0)
            self.refuse_again(mpi, app)

    def run_plain(self, mpi, *command):
        """Runs a command without xtf, and repeats it if the launcher itself crashed. The launcher of Open MPI 4.1 rarely does
        while it ends an aborted job."""
        for _ in range(3):
            done = self.run_with_input("mpirun." + mpi, "-n", "2", *command)
            if done.returncode >= 0:
                break
        return done

    def test_statuses(self):
        for mpi in self.mpis():
            app = self.compiled(mpi)
            killed = "killed by signal 9" if kernel_keeps_statuses() else "(killed by signal 9|end not seen)"
            for way, end in (("7", "status 7"), ("abort", ""), ("kill", killed)):
                plain = self.run_plain(mpi, app, way)
                done = self.run_with_input(XTF, "record", "-f", "-o", "run.xtf", "mpirun." + mpi, "-n", "2", app, way)
                allowed = {"abort": {1, 5} if mpi == "mpich" else set(), "kill": launchers_statuses(mpi)}.get(way, set())
                self.assertIn(done.returncode, {plain.returncode} | allowed, done.stderr)
                if way == "7":  # launchers lose output that precedes a violent end
                    self.assertEqual(done.stdout, plain.stdout)
                self.assertTrue(done.returncode != 0 or 0 in allowed, (mpi, way, done.stderr))
                self.assertRegex(done.stderr, f"process(es .*-| )1: .*{end}")
                self.assertEqual(done.stderr.count("not recorded: MPI_Comm_rank, MPI_Comm_size ("), 1)
                self.xtf("check", "run.xtf")
                self.check_counts("run.xtf", 2)
                self.assertEqual(self.left(), [])

    def test_without_launcher(self):
        """Checks MPI's singletons, and scripts that start the program."""
        for mpi in self.mpis():
            app = self.compiled(mpi)
            done = self.run_with_input(XTF, "record", "-o", mpi + "-1.xtf", app)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.check_counts(mpi + "-1.xtf", 1)
            script = self.script("job-" + mpi, f"mpirun.{mpi} -n 2 sh -c '{app}' </dev/null\n")
            done = self.run_with_input(XTF, "record", "--mpi", mpi, "-o", mpi + "-2.xtf", script)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.check_counts(mpi + "-2.xtf", 2)


if __name__ == "__main__":
    if not MPIS:
        print("skipped: no MPI with a compiler is installed, or xtf was built without it")
        sys.exit(SKIP)
    sys.exit(fewer.main(verbosity=1))
