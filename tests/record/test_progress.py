#!/usr/bin/env python3
"""Late progress in recorded programs. The naive judge must find the same waits in the exported archive. A process that computes
longer than the others must cause the longest waits, and have most of the critical path.

usage: test_progress.py
"""

import collections
import pathlib
import sys

from recording import Case, main

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / folder) for folder in ("roundtrip", "match", "analysis")]
# pylint: disable=wrong-import-position
from naive_progress import Progress
from naive_waits import Waits

PROCESSES, SLOW, SIZES = 3, 1, (16384, 100000)


class LateProgress(Case):
    def cells(self, trace, path):
        return [line.split() for line in self.xtf("cat", trace, path).splitlines() if not line.startswith("#")]

    def rows(self, trace):
        columns = [line[0] for line in self.cells(trace, "waits/columns")]
        for cells in self.cells(trace, "waits/late_progress/records"):
            row = dict(zip(columns, cells))
            yield tuple(int(row[name]) for name in ("proc", "seq", "amount", "culprit"))

    def check_judge(self, trace):
        archive = self.folder / "archive"
        self.xtf("export", "otf2", "--force", "--quiet", "-o", archive, trace)
        late = Progress(Waits(str(archive / "traces.otf2"))).late
        wanted = sorted((one.record.proc.number, one.record.seq, one.wait, one.culprit.number) for one in late)
        self.assertEqual(sorted(self.rows(trace)), wanted)
        return len(wanted)

    def check_slow(self, trace):
        """Checks that the slow process causes the longest waits, and is on the path longest outside of MPI."""
        waited, path = collections.Counter(), {}
        for _, culprit, _, amount in self.cells(trace, "waits/late_sender,late_receiver,late_progress/matrix"):
            waited[int(culprit)] += float(amount)
        for rank in range(PROCESSES):
            cells = self.cells(trace, f"proc/{rank}/critical/profile")
            path[rank] = sum(float(line[1]) for line in cells if line[0] == "-")
        self.assertEqual(waited.most_common(1)[0][0], SLOW, waited)
        self.assertEqual(max(path, key=path.get), SLOW, path)

    def test_exchange(self):
        for mpi in self.mpis():
            program = self.compile(mpi, "exchange")
            for size in SIZES:
                with self.subTest(f"{mpi}, {size} bytes"):
                    trace, _ = self.record(mpi, PROCESSES, program, size, options=["--force"])
                    self.xtf("analyze", "--quiet", trace)
                    self.check_slow(trace)
                    print(f"{mpi}, {size} bytes: {self.check_judge(trace)} waits for late progress")


if __name__ == "__main__":
    main()
