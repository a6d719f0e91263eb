#!/usr/bin/env python3
"""Programs in which one process calls a collective operation more or less often than the others, hanging or not: findings name
it."""

import os
import random
import sys

import recording
from asking import Asker
from naive_findings import Tables, find_mismatch
from shown import findings_of
from xtfrun import Xtf

SIZE = 4
SEED = random.randrange(1 << 32)


class Mismatch(recording.Case):
    def mismatch_findings(self, mpi, way, rank, calls):
        """Records a run, and compares its findings with a naive rule. Returns the findings on mismatches."""
        program, path = self.compile(mpi, "uneven"), self.folder / f"{way}-{mpi}.xtf"
        self.record_until_stuck(SIZE, recording.XTF, "record", "-o", path, *self.launch(mpi, SIZE, program, way, rank, calls))
        self.xtf("check", path)
        asker = Asker(Xtf(recording.XTF), os.environ["ASK_TREE"], path)
        for selection in "", "proc/0", "time/10%-90%":
            found = [line for line in findings_of(asker.ask(f"cat {selection}/findings".replace("cat /", "cat ")).decode()) if line[1] == "mismatch"]
            expected = list(find_mismatch(Tables(asker, selection, None)))
            self.assertEqual([(text, table) for _, _, text, table in found], [(finding.sentence, finding.table) for finding in expected], f"{way} {selection}")
            for (score, *_), finding in zip(found, expected):
                self.assertAlmostEqual(float(score), float(finding.score), delta=0.0101)
        return [text for _, rule, text, _ in findings_of(asker.ask("cat findings").decode()) if rule == "mismatch"]

    def test_programs(self):
        draw = random.Random(f"{SEED} {self.id()}")
        for mpi in self.mpis():
            rank, calls = draw.randrange(SIZE), draw.randrange(2, 9)
            other_processes, times = f"the other {SIZE - 1} processes", {1: "once"}
            def times_of(n):
                return times.get(n, f"{n} times")
            expected = {
                "hung": [f"process {rank} calls MPI_Allreduce on communicator uneven {times_of(calls + 1)}, {other_processes} {times_of(calls)}"],
                "luck": [f"process {rank} calls MPI_Bcast on communicator uneven once, {other_processes} never"],
                "early": [f"process {rank} calls MPI_Allreduce on communicator uneven {times_of(calls - 1)}, {other_processes} {times_of(calls)}"],
                "order": [f"process {rank} calls MPI_Barrier on communicator uneven once, {other_processes} never; and MPI_Allreduce {times_of(calls - 1)}, "
                          f"{other_processes} {times_of(calls)}"],
                "crash": [], "even": [],
            }
            for way, sentences in expected.items():
                with self.subTest(mpi, way=way, rank=rank, calls=calls):
                    self.assertEqual(self.mismatch_findings(mpi, way, rank, calls), sentences)


if __name__ == "__main__":
    print(f"seed {SEED}", file=sys.stderr)
    recording.main()
