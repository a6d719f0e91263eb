#!/usr/bin/env python3
"""Watches programs that hang, each in another way (hang.c), while they hang and after they were killed. A slow program is never said
to be in a deadlock.

usage: test_watch.py XTF SOURCE NAME MODULE COMPILER... [-- NAME ...]...

The second MPI runs the cases in which the recorder's MPI matters, and the slow program: verdicts come from the trace.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1])]
import mpis  # noqa: E402
from naive_monitor import check_monitor  # noqa: E402

XTF, PROGRAM = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]) / "tests/record/watch/hang.c"
# By case: the processes of the deadlock, the processes that wait for them, and the function that process 0 is in.
CASES = {
    "ring": ({0, 1, 2}, set(), "MPI_Recv"),
    "sends": ({0, 1}, {2}, "MPI_Ssend"),
    "barrier": ({0, 1}, {2}, "MPI_Recv"),
    "any": ({0, 1, 2}, set(), "MPI_Recv"),
    "finalize": ({0, 1}, {2}, "MPI_Recv"),
    "requests": ({0, 1, 2}, set(), "MPI_Waitall"),
    "lists": ({0, 1, 2}, set(), "MPI_Waitall"),
    "bcast": ({0, 1}, {2}, "MPI_Recv"),
    "reduce": ({0, 1}, {2}, "MPI_Reduce"),
    "funneled": ({0, 1, 2}, set(), "MPI_Recv"),
    "serialized": ({0, 1, 2}, set(), "MPI_Recv"),
}
# By case: a verdict that is not certain, of all processes; the program's case, and options of xtf record.
OPEN_CASES = {
    "multiple": ("waits", "multiple", ()),
    "partial": ("possible", "ring", ("--from", "100ms")),
}
SECONDS = 60  # that a verdict may take on a busy machine


def ask(command, run):
    """Returns the object that a command prints of a run; None: there is no commit yet."""
    done = subprocess.run([XTF, *command, "--json", run], capture_output=True, text=True, timeout=60, check=False)
    return json.loads(done.stdout) if done.stdout else None


def by_verdict(waits, verdict):
    return {row["proc"] for row in waits["waiting"] if row["verdict"] == verdict}


def check_deadlock(name, waits):
    deadlocked, behind, function = CASES[name]
    assert waits["verdict"] == "deadlock", (name, waits)
    assert by_verdict(waits, "deadlock") == deadlocked and by_verdict(waits, "behind") == behind, (name, waits)
    cycle = waits["cycles"][0]
    assert len(waits["cycles"]) == 1 and cycle[0] == cycle[-1] and set(cycle) <= deadlocked and len(cycle) > 1, (name, waits)
    first = next(row for row in waits["waiting"] if row["proc"] == 0)
    assert first["region"] == function and ("site" not in first or "hang.c:" in first["site"]), (name, first)
    following = {row["proc"]: row["waits_for"] for row in waits["waiting"]}
    assert all(following[a] == b for a, b in zip(cycle, cycle[1:])), (name, waits)


class Job:
    """A recorded job of three processes, in a session of its own, which is killed at the end."""

    def __init__(self, mpi, folder, name, case=None, options=()):
        self.binary, self.run = os.path.join(folder, f"hang-{mpi}"), os.path.join(folder, f"{mpi}-{name}.xtf")
        self.parts = self.run + ".d"
        self.errors = self.run + ".errors"
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(mpi.launch(3, XTF, "record", "--mpi", mpi.name, *options, "-o", self.run, self.binary, case or name),
                                            env=mpis.ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True)

    def programs(self):
        """Returns the pids of the program's processes, whose path no other process has."""
        found = []
        for entry in os.listdir("/proc"):
            try:
                if entry.isdigit() and os.readlink(f"/proc/{entry}/exe") == self.binary:
                    found.append(int(entry))
            except OSError:
                continue
        return found

    def kill(self):
        for pid in self.programs():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(30)


def wait_for_verdict(job, name, verdict="deadlock"):
    end = time.monotonic() + SECONDS
    while True:
        watched = ask(["watch", "--once"], job.parts) if os.path.isdir(job.parts) else None
        if watched and watched["waits"]["verdict"] == verdict and len(watched["waits"]["waiting"]) == 3:
            return watched
        assert time.monotonic() < end, f"{name}: no {verdict} found in {SECONDS} s: {watched}"
        time.sleep(0.3)


def watch_hang(mpi, folder, name):
    job, began = Job(mpi, folder, name), time.time()
    try:
        watched = wait_for_verdict(job, name)
        assert os.stat(job.parts).st_atime >= began + 2, "the folder does not say that it is watched"
        assert watched["growing"] and watched["waiting"] == 3 and {p["colour"] for p in watched["processes"]} == {"red"}, (name, watched)
        check_deadlock(name, watched["waits"])
        assert subprocess.run([XTF, "deadlock", job.parts], stdout=subprocess.DEVNULL, check=False).returncode == 3
    finally:
        job.kill()
    mpis.run([XTF, "merge", "-o", job.run, job.parts])
    check_deadlock(name, ask(["deadlock"], job.run))
    check_monitor(XTF, job.run, 3)
    assert ": 0 problems" in mpis.run([XTF, "check", job.run])


def check_mismatch(waits):
    assert waits["verdict"] == "mismatch" and not waits["cycles"], waits
    functions = {row["proc"]: row["region"] for row in waits["waiting"] if row["verdict"] == "mismatch"}
    assert functions == {0: "MPI_Barrier", 1: "MPI_Barrier", 2: "MPI_Scan"}, waits
    assert len({(row["comm"], row["operation"]) for row in waits["waiting"]}) == 1, waits


def watch_mismatch(mpi, folder):
    """Process 2 is in MPI_Scan, the others are in MPI_Barrier."""
    job = Job(mpi, folder, "mismatch")
    try:
        check_mismatch(wait_for_verdict(job, "mismatch", "mismatch")["waits"])
        said = subprocess.run([XTF, "deadlock", job.parts], capture_output=True, text=True, check=False)
        assert said.returncode == 3 and "processes 0, 1 in MPI_Barrier, process 2 in MPI_Scan" in said.stdout, said
    finally:
        job.kill()
    mpis.run([XTF, "merge", "-o", job.run, job.parts])
    check_mismatch(ask(["deadlock"], job.run))


def check_awaited(waits):
    """The slow process 2 has left the barrier of main(), and has called nothing since."""
    for row in waits["awaited"]:
        assert row["proc"] == 2 and row["activity"] == "computing" and row["last_region"] == "MPI_Barrier" and "hang.c:" in row["last_site"], waits
    return len(waits["awaited"])


def watch_open(mpi, folder, name):
    """Watches a program that hangs, but might go on as far as the trace says."""
    verdict, case, options = OPEN_CASES[name]
    job = Job(mpi, folder, name, case, options)
    try:
        end, watched = time.monotonic() + SECONDS, None
        while time.monotonic() < end and not (watched and len(watched["waits"]["waiting"]) == 3):
            watched = ask(["watch", "--once"], job.parts) if os.path.isdir(job.parts) else None
            time.sleep(0.3)
        assert watched and by_verdict(watched["waits"], verdict) == {0, 1, 2}, (name, watched)
    finally:
        job.kill()
    mpis.run([XTF, "merge", "-o", job.run, job.parts])
    assert by_verdict(ask(["deadlock"], job.run), verdict) == {0, 1, 2}, name


def watch_slow(mpi, folder, name):
    job = Job(mpi, folder, name)
    looks, red, awaited = 0, 0, 0
    try:
        end = time.monotonic() + 2 * SECONDS
        while job.process.poll() is None and time.monotonic() < end:
            watched = ask(["watch", "--once"], job.parts) if os.path.isdir(job.parts) else None
            if watched:
                looks += 1
                red += watched["waiting"] >= 1 and watched["waits"]["verdict"] == "waits"
                assert watched["waits"]["verdict"] in ("none", "waits"), watched
                awaited += check_awaited(watched["waits"]) if name == "slow" else 0
            time.sleep(0.3)
        assert job.process.poll() == 0, f"{name} ended with {job.process.poll()}"
    finally:
        job.kill()
    mpis.run([XTF, "merge", "-o", job.run, job.parts])
    assert ask(["deadlock"], job.run)["verdict"] == "none"
    check_monitor(XTF, job.run, 3)
    assert name != "slow" or awaited > 0, f"none of {looks} looks named the last call of process 2"
    assert red > 0, f"{name}: none of {looks} looks showed that the others wait"


def watch_merged(mpi, folder):
    """Watches a folder of parts until `xtf record` has merged and removed them. The last state is that of the merged file."""
    place, run = os.path.join(folder, "place"), os.path.join(folder, "merged.xtf")
    os.mkdir(place)
    record = subprocess.Popen([XTF, "record", "-q", "-o", run, *mpi.launch(3, os.path.join(folder, f"hang-{mpi}"), "border")],
                              env=dict(mpis.ENVIRONMENT, XTF_TMPDIR=place), stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        end, watched = time.monotonic() + SECONDS, None
        while not watched and time.monotonic() < end:
            parts = [os.path.join(place, name) for name in os.listdir(place)]
            watched = ask(["watch", "--once"], parts[0]) if parts else None
        watching = subprocess.run([XTF, "watch", "--json", parts[0]], capture_output=True, text=True, timeout=2 * SECONDS, check=False)
        assert record.wait(SECONDS) == 0 and not os.listdir(place), os.listdir(place)
    finally:
        if record.poll() is None:
            os.killpg(record.pid, signal.SIGKILL)
            record.wait()
    assert watching.returncode == 0, watching.stderr
    states = [json.loads(line) for line in watching.stdout.splitlines()]
    assert states[0]["growing"] and len(states) > 1, watching.stdout
    assert states[-1] == ask(["watch", "--once"], run), watching.stdout


def main():
    with tempfile.TemporaryDirectory(prefix="xtf-watch-") as folder:
        for i, mpi in enumerate(mpis.some_of(sys.argv[3:], "openmpi")):
            mpi.compile(str(PROGRAM), os.path.join(folder, f"hang-{mpi}"))
            names = (list(CASES) if os.environ.get("XTF_TEST_ALL") else ["ring", "requests"]) if i == 0 else ["ring", "lists", "bcast", "reduce", "funneled", "serialized"]
            for name in names:
                watch_hang(mpi, folder, name)
            if i == 0:
                watch_mismatch(mpi, folder)
                watch_merged(mpi, folder)
            for name in OPEN_CASES if i == 0 else []:
                watch_open(mpi, folder, name)
            for name in ("slow", "border") if os.environ.get("XTF_TEST_ALL") else ("slow",):
                watch_slow(mpi, folder, name)
            print(f"{mpi}: {len(names)} deadlocks, and slow programs")


if __name__ == "__main__":
    main()
