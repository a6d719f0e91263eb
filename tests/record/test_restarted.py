#!/usr/bin/env python3
"""A job that is killed and starts again: its runs joined by xtf merge --runs, against each run alone."""

import collections
import contextlib
import subprocess

import recording

N = 3


class Restarted(recording.Case):

    def record_runs(self, mpi):
        """Records a run that is killed, and two that are not. Returns the paths of their traces."""
        program, paths = self.compile(mpi, "restarted"), []
        for words in ([3, 2], [4], [5]):
            paths.append(self.folder / f"{mpi}-{len(paths)}.xtf")
            command = [recording.XTF, "record", "-f", "-o", paths[-1], *self.launch(mpi, N, program, *words)]
            done = subprocess.run([str(word) for word in command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=recording.TIMEOUT, check=False)
            self.assertEqual(done.returncode != 0, len(words) > 1, done.stderr)
        return paths

    def sums(self, path, name, keys, numbers):
        """Returns sums of columns of a table by the texts of other columns."""
        header, *lines = self.xtf("cat", path, name).splitlines()
        columns = header.lstrip("# ").split()
        sums = collections.Counter()
        for line in lines:
            values = dict(zip(columns, line.split(None, len(columns) - 1)))
            for number in numbers:
                sums[(*(values[key].strip() for key in keys), number)] += round(float(values[number].replace("-", "0")) * 1e9)
        return +sums

    def test_runs(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                paths = self.record_runs(mpi)
                joined = self.folder / f"{mpi}.xtf"
                self.xtf("merge", "--runs", "-q", "-f", "-o", joined, *paths)
                self.check_killed(paths[0], joined)
                for path in [*paths, joined]:
                    self.xtf("analyze", "-q", path)
                    self.xtf("check", "-q", path)
                for table in (("profile", ["region"], ["calls", "exclusive"]), ("matrix", ["sender", "receiver"], ["messages", "bytes"]),
                              ("unmatched", ["sender", "receiver", "tag"], ["sends"]), ("waits/profile", ["kind", "region"], ["waits", "amount"]),
                              ("delays/profile", ["kind", "region"], ["delays", "total"])):  # yapf: disable
                    expected = sum((self.sums(path, *table) for path in paths), collections.Counter())
                    self.assertEqual(self.sums(joined, *table), expected, table[0])

    def check_killed(self, killed, joined):
        """Checks that the call in which a process waited for the killed one ends with the run, and no later."""
        with contextlib.closing(recording.Recorded(killed)) as alone, contextlib.closing(recording.Recorded(joined)) as whole:
            for rank in range(N - 1):
                own, rows = alone.records[rank << 32], whole.records[rank << 32]
                events = [record.event for record in rows[:len(own) + 2]]
                self.assertEqual(events[:len(own)], [record.event for record in own])
                self.assertIn("PENDING", events)
                self.assertEqual(events[len(own):], ["LEAVE", "PROGRAM_BEGIN"], f"process {rank}")
                self.assertEqual(rows[len(own)].time, own[-1].time)


if __name__ == "__main__":
    recording.main()
