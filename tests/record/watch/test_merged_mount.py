#!/usr/bin/env python3
"""Follows the parts of a job until `xtf record` has merged and removed them. The mount must then show the merged file: also files that were
never read before, and files that were open meanwhile. Another job's file under that name must not be shown.

usage: test_merged_mount.py XTF SOURCE NAME MODULE COMPILER... [-- NAME ...]...
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import mpis  # noqa: E402

XTF, PROGRAM = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]) / "tests/record/watch/hang.c"
SECONDS = 90  # that a step may take on a busy machine


def wait_until(condition, name):
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, f"waited {SECONDS} s in vain for {name}"
        time.sleep(0.05)


def is_mounted(folder):
    return any(line.split()[1] == folder for line in open("/proc/self/mounts", encoding="utf-8"))


def read(folder, path):
    with open(os.path.join(folder, path), encoding="utf-8") as file:
        return file.read()


class Job:
    """A recorded job whose `xtf record` merges the parts, and a mount that follows them."""

    def __init__(self, mpi, binary, folder):
        self.run, self.mount, self.place = os.path.join(folder, "run.xtf"), os.path.join(folder, "mount"), os.path.join(folder, "parts")
        for path in (self.mount, self.place):
            os.mkdir(path)
        self.record = subprocess.Popen([XTF, "record", "-o", self.run, *mpi.launch(3, binary, "border")],
                                       env=dict(mpis.ENVIRONMENT, XTF_TMPDIR=self.place), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       text=True, start_new_session=True)
        wait_until(self.parts, "the parts")
        self.daemon = subprocess.Popen([XTF, "mount", "-f", "--follow", self.parts()[0], self.mount], stderr=subprocess.DEVNULL)
        wait_until(lambda: is_mounted(self.mount) or self.daemon.poll() is not None, "the mount")
        wait_until(lambda: all(os.path.exists(os.path.join(self.mount, f"proc/{rank}/records")) for rank in range(3)), "the processes")

    def parts(self):
        return [os.path.join(self.place, name) for name in os.listdir(self.place) if name.startswith("xtf-")]

    def end(self):
        if self.record.poll() is None:
            os.killpg(self.record.pid, signal.SIGKILL)
            self.record.wait(SECONDS)
        self.record.stderr.close()
        self.daemon.terminate()
        self.daemon.wait(SECONDS)
        if is_mounted(self.mount):
            subprocess.run(["umount", "-l", self.mount], check=False)


def same_lines(first, second):
    """True if two tables have the same cells: the columns of a followed mount are wider."""
    return [line.split() for line in first.splitlines()] == [line.split() for line in second.splitlines()]


def check_merged(job):
    """Compares files of the mount with the files of the merged trace."""
    for path in ("proc/1/records", "proc/2/calls/records", "time/10%-60%/profile", "messages", "info", "definitions/regions", "monitor"):
        shown = mpis.run([XTF, "cat", job.run, path])
        assert same_lines(read(job.mount, path), shown), f"{path} differs from that of the merged file"
    assert "merged into" in read(job.mount, "log"), read(job.mount, "log")


def follow_merge(mpi, binary):
    with tempfile.TemporaryDirectory(prefix="xtf-merged-") as folder:
        job = Job(mpi, binary, folder)
        try:
            with open(os.path.join(job.mount, "proc/0/records"), encoding="utf-8") as opened:
                first = opened.readline()
                said = job.record.communicate(timeout=SECONDS)[1]
                assert job.record.returncode == 0 and not job.parts(), said
                rest = opened.read()
            assert first + rest in read(job.mount, "proc/0/records"), "the open file differs"
            check_merged(job)
        finally:
            job.end()


def follow_replaced(mpi, binary):
    """Removes the parts of a job, whose output is a file of another job."""
    with tempfile.TemporaryDirectory(prefix="xtf-merged-") as folder:
        other = os.path.join(folder, "other.xtf")
        mpis.run([XTF, "record", "-q", "-o", other, *mpi.launch(3, binary, "none")])
        job = Job(mpi, binary, folder)
        try:
            os.rename(other, job.run)
            parts = job.parts()[0]
            subprocess.run(["rm", "-r", parts], check=True)
            wait_until(lambda: "is not its merged file" in read(job.mount, "log"), "the remark")
            assert "merged into" not in read(job.mount, "log")
        finally:
            job.end()


def main():
    if not os.path.exists("/dev/fuse"):
        sys.exit(mpis.SKIPPED)
    mpi = next(iter(mpis.all_of(sys.argv[3:])))
    with tempfile.TemporaryDirectory(prefix="xtf-merged-") as folder:
        binary = os.path.join(folder, "hang")
        mpi.compile(str(PROGRAM), binary)
        follow_merge(mpi, binary)
        follow_replaced(mpi, binary)
    print(f"{mpi}: a mount goes on with the merged file")


if __name__ == "__main__":
    main()
