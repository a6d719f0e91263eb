#!/usr/bin/env python3
"""Processes that a signal kills inside an MPI call: the records of the call, and the messages about the processes."""

import contextlib
import re
import subprocess

import recording


class DeathsInCalls(recording.Case):
    def record_dying(self, mpi, n, *command):
        """Records a program whose launcher fails. Returns the trace's path, and the error output."""
        path = self.folder / f"{mpi}.xtf"
        words = [recording.XTF, "record", "-f", "-o", path, *self.launch(mpi, n, *command)]
        done = subprocess.run([str(word) for word in words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=recording.TIMEOUT, check=False)
        self.assertNotEqual(done.returncode, 0)
        return path, done.stderr

    def test_send_to_oneself(self):
        """Checks that a send on MPI_COMM_SELF is recorded as on other communicators."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                path, _ = self.record_dying(mpi, 1, self.compile(mpi, "to_self"))
                with contextlib.closing(recording.Recorded(path)) as trace:
                    self.assertEqual([(record.event, record.tag, trace.comm_name(record.comm)) for record in trace.records[0] if record.event == "MPI_SEND"],
                                     [("MPI_SEND", 7, "MPI_COMM_SELF")])

    def test_init(self):
        """Checks that a process killed in MPI_Init is in the trace under its rank, or is reported as missing. No other process
        may be reported."""
        for mpi in self.mpis():
            program = self.compile(mpi, "in_init")
            for milliseconds in 1, 3, 6, 10, 30:
                with self.subTest(mpi, milliseconds=milliseconds):
                    path, printed = self.record_dying(mpi, 2, program, milliseconds)
                    self.assertTrue(path.exists(), printed)
                    with contextlib.closing(recording.Recorded(path)) as trace:
                        present = {row["proc"] for row in trace.tables["processes"]}
                    missing = {int(number) for number in re.findall(r"process (\d+) of 2 left no part", printed)}
                    self.assertEqual((present | missing, present & missing), ({0, 1}, set()), printed)
                    self.assertLessEqual({int(number) for number in re.findall(r"process (\d+): killed", printed)}, present, printed)


if __name__ == "__main__":
    recording.main()
