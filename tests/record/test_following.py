#!/usr/bin/env python3
"""Follows a job of MPI while its processes wait (programs/waiting.c). A receive that stays posted must delay nothing. Calls that
wait must be shown, open, with the operations that they began. The finished trace must be the same as without waits across
commits.

usage: test_following.py XTF SOURCE SECONDS NAME MODULE COMPILER... [-- NAME ...]...

The job waits for at least SECONDS. How far the mount lags behind is printed, but not checked. As the collector is tested, the
first installed MPI suffices.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

import mpis
from recorded_trace import Recorded

XTF, PROGRAM, SECONDS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]) / "tests/record/programs/waiting.c", float(sys.argv[3])
# Records that each waiting process shows last, without records of process 0's barriers.
WAITING = {1: ("MPI_Ssend", ["ENTER", "MPI_SEND"]), 2: ("MPI_Recv", ["ENTER"]), 3: ("MPI_Barrier", ["ENTER", "MPI_COLLECTIVE_BEGIN"])}


def wait_until(condition, name, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s in vain for {name}"
        time.sleep(0.02)


def is_mounted(folder):
    return any(line.split()[1] == folder for line in open("/proc/self/mounts"))


class Mount:
    """A followed mount of a folder of parts."""

    def __init__(self, parts, folder):
        self.folder = folder
        self.daemon = subprocess.Popen([XTF, "mount", "-f", "--follow", parts, folder], stderr=subprocess.DEVNULL)

    def records(self, process):
        """Returns the lines of a process, up to the time at which all processes are complete."""
        try:
            return open(f"{self.folder}/proc/{process}/records").read().splitlines()
        except OSError:
            return []

    def end(self):
        self.daemon.terminate()
        self.daemon.wait(60)
        if is_mounted(self.folder):
            subprocess.run(["umount", "-l", self.folder], check=False)


def is_waiting(mount, process):
    call, events = WAITING[process]
    events = events + ["PENDING"]  # after a second in the call
    last = [line.split() for line in mount.records(process)[-len(events):]]
    return len(last) == len(events) and all(event in words and call in words for event, words in zip(events, last))


class Lag:
    """The delay between the actions of process 0 and their display."""

    def __init__(self, mount, log):
        self.mount, self.log, self.most, self.last, self.updates = mount, log, 0, 0, 0

    def update(self):
        shown = sum("ENTER" in line and "MPI_Barrier" in line for line in self.mount.records(0))
        now = time.monotonic_ns()
        entered = [int(line) for line in open(self.log).read().splitlines()] if os.path.exists(self.log) else []
        self.last = shown
        if shown > 0:
            self.updates += 1
            self.most = max(self.most, now - entered[shown]) if shown < len(entered) else self.most
        return shown


def check_trace(path):
    """Checks that sends and collective operations begin with their calls, and that the receive was posted before all its waits."""
    trace = Recorded(path)
    for process, (name, events) in WAITING.items():
        call = next(call for call in trace.calls(process) if call.name == name)
        begun = [record for record in call.records if record.event in events]
        assert [record.event for record in begun] == events[1:] and all(record.time == call.enter.time for record in begun), (name, begun, call.enter)
    postings = next(array for array in trace.trace.arrays() if array.schema.name == "postings" and array.location >> 32 == 0)
    rows = [postings.schema.values(row) for row in postings.read()]
    posted = next(record for record in trace.records[0] if record.event == "MPI_IRECV_REQUEST")
    assert len(rows) == 2 and tuple(rows[0][:2]) == (posted.time, posted.seq), (rows, posted)
    trace.close()


def follow(mpi, folder):
    binary, go_file, log, run = (os.path.join(folder, name) for name in ("waiting", "go", "log", "run.xtf"))
    mount_point = os.path.join(folder, "mount")
    os.mkdir(mount_point)
    mpi.compile(str(PROGRAM), binary)
    job = subprocess.Popen(mpi.launch(4, XTF, "record", "--mpi", mpi.name, "-o", run, binary, go_file, log), env=mpis.ENVIRONMENT, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    mount = None
    try:
        wait_until(lambda: os.path.isdir(run + ".d"), "the folder of parts")
        mount = Mount(run + ".d", mount_point)
        lag, begin = Lag(mount, log), time.monotonic()
        wait_until(lambda: lag.update() > 100, "progress of process 0 while a receive is open")
        wait_until(lambda: lag.update() and all(is_waiting(mount, process) for process in WAITING), "the waiting calls")
        wait_until(lambda: lag.update() and time.monotonic() - begin > SECONDS, "the requested time", 60 + SECONDS)
        pathlib.Path(go_file).touch()
        _, printed = job.communicate(timeout=60)
        assert job.returncode == 0, printed
        wait_until(lambda: "PROGRAM_END" in (mount.records(0) or [""])[-1], "the end of process 0")
    finally:
        pathlib.Path(go_file).touch()
        if job.poll() is None:
            job.wait(60)
        if mount:
            mount.end()
    mpis.run([XTF, "merge", "-o", run, run + ".d"])
    assert ": 0 problems" in mpis.run([XTF, "check", run])
    check_trace(run)
    print(f"{mpi}: {lag.last} barriers; at most {lag.most * 1e-9:.2f} s behind, in {lag.updates} updates")


def main():
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        print("skipped: no /dev/fuse")
        sys.exit(mpis.SKIPPED)
    with tempfile.TemporaryDirectory(prefix="xtf-following-") as folder:
        follow(mpis.all_of(sys.argv[4:])[0], folder)


if __name__ == "__main__":
    main()
