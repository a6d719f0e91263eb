"""A running job, mounted with --follow. Its records must appear at most two commits later, and all of them in the end.

Commits take place once a second. Two of them are therefore the two seconds by which a follower may lag, by the job's own clock. A
receive that stays posted all the time may delay only the order of later postings.
"""

import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

from wire import NONE, OWN, RUNNING, Traced, define, define_region, record

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "reader"))
from xtf_reader import Trace  # noqa: E402

XTF = os.environ["XTF"]
SKIP = 77
BASE = 10**18


def wait_until(condition, name, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s in vain for {name}"
        time.sleep(0.05)


def is_mounted(folder):
    return any(line.split()[1] == folder for line in open("/proc/self/mounts"))


def commits(part):
    done = subprocess.run([XTF, "info", part], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    found = re.search(r"^commit\s+(\d+)", done.stdout, re.M)
    return int(found[1]) if found else 0


class Job:
    """Two processes. Each calls its region from time to time; the second one stops doing so. The first one has a receive open all
    the time, and completes another one that was posted later."""

    def __init__(self, folder):
        clock = (1, 0, 0, BASE, 1)
        self.folder, self.written, self.silent = folder, 0, False
        self.traced = [Traced(XTF, folder, rank=rank, world=2, phase=RUNNING, clock=clock) for rank in range(2)]
        for traced in self.traced:
            now = time.monotonic_ns()
            world = define("GROUP", now, 0, struct.pack("<4I", 2, 0, 0, 1)) + define("COMM", now, 0, struct.pack("<5I", 0, NONE, NONE, 0, 0))
            traced.memory.append(0, record("OWNER", now, 0, 0, 1) + define_region(now, OWN, "work") + world)
            self.written += 1  # PROGRAM_BEGIN
        self.write(1, record("SEND", time.monotonic_ns(), 0, 0, 7 << 32, 100), record("SEND", time.monotonic_ns(), 0, 0, 7 << 32, 200))
        now = time.monotonic_ns()
        self.write(0, record("IRECV_REQUEST", now, 0, 1, 1, 7 << 32), record("IRECV_REQUEST", now + 1, 0, 1, 2, 7 << 32), record("IRECV", now + 2, 0, 1, 7 << 32, 200, 2))
        self.parts = [pathlib.Path(folder) / f"{rank:06}.xtf" for rank in range(2)]

    def write(self, rank, *records):
        self.traced[rank].memory.append(0, b"".join(records))
        self.written += len(records)

    def work(self):
        for rank in range(1 if self.silent else 2):
            now = time.monotonic_ns()
            self.write(rank, record("ENTER", now, OWN), record("LEAVE", now + 1, OWN))

    def work_for_two_commits(self):
        before = [commits(part) for part in self.parts]
        wait_until(lambda: self.work() or all(commits(part) >= n + 2 for part, n in zip(self.parts, before)), "two commits of each part")

    def receive(self):
        """Completes the receive that was posted first."""
        self.write(0, record("IRECV", time.monotonic_ns(), 0, 1, 7 << 32, 100, 1))

    def end(self):
        for traced in self.traced:
            assert traced.end() == (0, ""), "the collector complains"
            traced.__exit__()
            self.written += 1  # PROGRAM_END


def values_of(message):
    """Returns a file of names and values as a dictionary."""
    return dict(line.rstrip("\n").split(None, 1) for line in open(message))


def check_messages(mount):
    """Checks two receives that complete in another order than they were posted."""
    for n, (number, size) in enumerate([("1", "200 B"), ("0", "100 B")]):
        printed = values_of(f"{mount}/proc/0/recvs/num/{n}/message")
        assert [printed[name] for name in ("state", "number", "bytes_sent", "bytes_received")] == ["certain", number, size, size], printed
        assert values_of(f"{mount}/proc/0/recvs/num/{n}/match/message") == printed


def check_job(job, mount):
    def shown():
        return len(open(f"{mount}/records").readlines())

    wait_until(lambda: is_mounted(mount), "mounting")
    seen = []
    for step in range(3):
        job.silent = step == 2
        job.work()
        written = job.written
        job.work_for_two_commits()
        # The mount looks for commits eight times a second.
        wait_until(lambda: shown() >= written, f"{written} records; {shown()} are shown")
        seen.append(written)
        assert shown() <= job.written
    assert seen == sorted(set(seen)), seen
    printed = values_of(f"{mount}/proc/0/recvs/num/0/message")
    assert (printed["state"], printed["why"]) == ("uncertain", "a receive that was posted before this one was still open at the last commit"), printed
    job.receive()
    job.end()
    wait_until(lambda: shown() == job.written, f"all {job.written} records; {shown()} are shown")
    check_messages(mount)
    assert len(open(f"{mount}/proc/1/records").readlines()) < job.written
    for part in job.parts:
        done = subprocess.run([XTF, "check", part], stdout=subprocess.PIPE, text=True)
        assert done.returncode == 0 and ": 0 problems" in done.stdout, done.stdout
        assert not [array for array in Trace(part).arrays() if array.schema.name == "backward_times"], "some times ran backwards"
    print(f"{job.written} records; after {', '.join(map(str, seen))} of them all were shown two commits later")


def main():
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as error:
        print(f"skipped: /dev/fuse: {error.strerror}")
        return SKIP
    with tempfile.TemporaryDirectory(prefix="xtf-follow-") as folder, tempfile.TemporaryDirectory(prefix="xtf-mount-") as mount:
        job = Job(folder)
        daemon = None
        try:
            wait_until(lambda: all(commits(part) > 0 for part in job.parts), "a commit of each part")
            daemon = subprocess.Popen([XTF, "mount", "-f", "--follow", folder, mount])
            check_job(job, mount)
        finally:
            if daemon:
                daemon.send_signal(signal.SIGTERM)
                daemon.wait(60)
            if is_mounted(mount):
                subprocess.run(["umount", "-l", mount], check=False)
            for traced in job.traced:
                if traced.process.poll() is None:
                    traced.__exit__()
    return 0


if __name__ == "__main__":
    sys.exit(main())
