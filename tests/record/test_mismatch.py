#!/usr/bin/env python3
"""Programs in which one process calls a collective operation more often or less often than the others, hung or not: findings name it."""

import os
import random
import sys

import recording
from asking import Asker
from naive_findings import Tables, mismatch
from shown import findings_of
from xtfrun import Xtf

SIZE = 4
SEED = random.randrange(1 << 32)


class Mismatch(recording.Case):
    def said(self, mpi, how, one, calls):
        """What findings say of a run, which a naive rule finds too."""
        program, path = self.compile(mpi, "uneven"), self.folder / f"{how}-{mpi}.xtf"
        self.record_until_stuck(SIZE, recording.XTF, "record", "-o", path, *self.launch(mpi, SIZE, program, how, one, calls))
        self.xtf("check", path)
        asker = Asker(Xtf(recording.XTF), os.environ["ASK_TREE"], path)
        for selection in "", "proc/0", "time/10%-90%":
            found = [line for line in findings_of(asker.ask(f"cat {selection}/findings".replace("cat /", "cat ")).decode()) if line[1] == "mismatch"]
            expected = list(mismatch(Tables(asker, selection, None)))
            self.assertEqual([(text, table) for _, _, text, table in found], [(one.sentence, one.table) for one in expected], f"{how} {selection}")
            for (score, *_), finding in zip(found, expected):
                self.assertAlmostEqual(float(score), float(finding.score), delta=0.0101)
        return [text for _, rule, text, _ in findings_of(asker.ask("cat findings").decode()) if rule == "mismatch"]

    def test_programs(self):
        draw = random.Random(f"{SEED} {self.id()}")
        for mpi in recording.mpis():
            one, calls = draw.randrange(SIZE), draw.randrange(2, 9)
            others, times = f"the other {SIZE - 1} processes", {1: "once"}
            def said_of(n):
                return times.get(n, f"{n} times")
            expected = {
                "hung": [f"process {one} calls MPI_Allreduce on communicator uneven {said_of(calls + 1)}, {others} {said_of(calls)}"],
                "luck": [f"process {one} calls MPI_Bcast on communicator uneven once, {others} never"],
                "early": [f"process {one} calls MPI_Allreduce on communicator uneven {said_of(calls - 1)}, {others} {said_of(calls)}"],
                "order": [f"process {one} calls MPI_Barrier on communicator uneven once, {others} never; and MPI_Allreduce {said_of(calls - 1)}, "
                          f"{others} {said_of(calls)}"],
                "crash": [], "even": [],
            }
            for how, sentences in expected.items():
                with self.subTest(mpi, how=how, one=one, calls=calls):
                    self.assertEqual(self.said(mpi, how, one, calls), sentences)


if __name__ == "__main__":
    print(f"seed {SEED}", file=sys.stderr)
    recording.main()
