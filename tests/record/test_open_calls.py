#!/usr/bin/env python3
"""Calls that stay open: their rows of `pending` while the program runs, and after all processes and collectors were killed.
Calls that take long and then return have rows, too."""

import contextlib
import csv
import os
import pathlib
import signal
import subprocess
import time

import recording

SIZE = 4
NAMES = ("event", "name", "peer", "tag", "requests")
HANDLES = ("MPI_Comm_dup", "MPI_Win_create", "MPI_File_open", "MPI_Finalize")
# {way: {process: rows of its call, as NAMES has them}}. All rows have a communicator, except that of MPI_Waitall.
ROWS = {
    "ring": {rank: [("PENDING", "MPI_Recv", str((rank + 1) % SIZE), "5", "")] for rank in range(SIZE)},
    "mixed": {
        0: [("PENDING", "MPI_Waitall", "", "", "2"), ("PENDING_RECEIVE", "MPI_Waitall", "1", "5", ""), ("PENDING_RECEIVE", "MPI_Waitall", "", "6", "")],
        1: [("PENDING", "MPI_Sendrecv", "3", "8", ""), ("PENDING_SEND", "MPI_Sendrecv", "2", "7", "")],
        2: [("PENDING", "MPI_Ssend", "3", "9", "")],
        3: [("PENDING", "MPI_Barrier", "", "", "")],
    },
    "handles": {rank: [("PENDING", name, "", "", "")] for rank, name in enumerate(HANDLES)},
    "slow": {rank: [("PENDING", "MPI_Recv", "0", "5", "")] for rank in range(1, SIZE)},
}


def processes_with(variable):
    """Returns the ids of the processes that have a variable, NAME=value, in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if variable.encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                found.append(int(pid))
    return found


class OpenCalls(recording.Case):
    def setUp(self):
        super().setUp()
        self.variable = f"XTF_TMPDIR={self.folder}/tmp"
        self.addCleanup(self.kill_all)

    def kill_all(self):
        """Kills all processes of the test: launcher, program and collectors. They are stopped before, so that no collector writes
        that another process was killed."""
        for number in signal.SIGSTOP, signal.SIGKILL:
            for pid in processes_with(self.variable):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
        while processes_with(self.variable):
            time.sleep(0.02)

    def wait_for(self, condition, name):
        end = time.monotonic() + recording.TIMEOUT / 2
        while not condition():
            self.assertLess(time.monotonic(), end, f"waited in vain for {name}")
            time.sleep(0.1)

    def parts(self):
        [folder] = [path for path in (self.folder / "tmp").iterdir() if path.name.startswith("xtf-")]
        return folder

    def rows(self, trace):
        """Returns {process: rows of its open calls}."""
        done = subprocess.run([recording.XTF, "cat", "--csv", trace, "pending/records"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        found = {}
        for row in csv.DictReader(done.stdout.splitlines()):
            self.assertEqual(row["comm"] == "", (row["event"], row["name"]) == ("PENDING", "MPI_Waitall"))
            found.setdefault(int(row["proc"]), []).append(tuple(row[name] for name in NAMES))
        return found

    @contextlib.contextmanager
    def running(self, mpi, way, path):
        """Records a program that waits, until all processes have rows of their open calls."""
        program = self.compile(mpi, "open_calls")
        with subprocess.Popen([str(word) for word in (recording.XTF, "record", "-o", path, *self.launch(mpi, SIZE, program, way, "go"))], cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            try:
                self.wait_for(lambda: len(list(self.folder.glob("at-*"))) == SIZE, "the program's calls")
                self.wait_for(lambda: len(self.rows(self.parts())) == len(ROWS[way]), "rows of open calls")
                yield run
            finally:
                self.kill_all()
        for file in self.folder.glob("at-*"):
            file.unlink()

    def check_times(self, path):
        """Checks the rows against the ENTERs of their calls, and their communicators."""
        with contextlib.closing(recording.Recorded(path)) as trace:
            for records in trace.records.values():
                for record in (record for record in records if record.event.startswith("PENDING")):
                    entered = [other for other in records if other.event == "ENTER" and other.region == record.region and other.seq < record.seq][-1]
                    own_comm = record.region in HANDLES[:3]
                    if record.comm is not None:
                        self.assertEqual(trace.comm_name(record.comm), f"of {record.region}" if own_comm else "MPI_COMM_WORLD")
                    self.assertLess(abs(record.since - entered.time), 1000)
                    self.assertGreaterEqual(record.time - record.since, 10**9)
                    self.assertFalse([other for other in records if entered.seq < other.seq < record.seq and other.event in ("ENTER", "LEAVE")])

    def check_hanging(self, mpi, way):
        path, parts = self.folder / f"{way}-{mpi}.xtf", None
        with self.running(mpi, way, path):
            parts = self.parts()
            self.assertEqual(self.rows(parts), ROWS[way])
        self.assertEqual(self.rows(parts), ROWS[way])
        self.xtf("check", parts)
        self.xtf("merge", "-o", path, parts)
        self.xtf("check", path)
        self.assertEqual(self.rows(path), ROWS[way])
        self.check_times(path)
        finding = " ".join(self.xtf("cat", path, "findings").split())
        self.assertIn("crash the run did not come to MPI_Finalize; ", finding)
        if way == "ring":
            self.assertIn("processes 0, 1, 2 and 3 wait for each other", finding)
        subprocess.run(["rm", "-r", parts], check=True)

    def test_hanging(self):
        for mpi in self.mpis():
            for way in "ring", "mixed", "handles":
                with self.subTest(mpi, way=way):
                    self.check_hanging(mpi, way)

    def test_slow(self):
        """Checks that the rows of calls that return stay, and are no end."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                path = self.folder / f"slow-{mpi}.xtf"
                with self.running(mpi, "slow", path) as run:
                    (self.folder / "go").touch()
                    self.assertEqual(run.wait(recording.TIMEOUT), 0)
                (self.folder / "go").unlink()
                self.xtf("check", path)
                self.assertEqual(self.rows(path), ROWS["slow"])
                self.check_times(path)
                findings = self.xtf("cat", path, "findings")
                self.assertNotIn("crash", findings)
                self.assertNotIn("mismatch", findings)


if __name__ == "__main__":
    recording.main()
