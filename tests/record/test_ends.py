#!/usr/bin/env python3
"""Programs that crash, or lock each other out for ever: what the trace has of the calls in which their processes ended, and what is said of it."""

import contextlib
import itertools
import random
import re
import sys

import recording

SIZE = 4
SEED = random.randrange(1 << 32)
TIME = r"\d+(\.\d+)?"


def listed(numbers):
    """"processes 0, 2 and 3"."""
    words = [str(number) for number in numbers]
    return "process " + words[0] if len(words) == 1 else "processes " + ", ".join(words[:-1]) + " and " + words[-1]


class Ends(recording.Case):
    def setUp(self):
        super().setUp()
        draw = random.Random(f"{SEED} {self.id()}")
        self.one, self.tag = draw.randrange(SIZE), draw.randrange(1, 30000)
        self.others = [rank for rank in range(SIZE) if rank != self.one]

    def record_ending(self, mpi, how, options=()):
        """Records a program that does not end well; the trace's path."""
        path = self.folder / f"{how}-{mpi}.xtf"
        program = self.compile(mpi, "ends_in_calls", *options)
        status = self.record_until_stuck(SIZE, recording.XTF, "record", "-o", path, *self.launch(mpi, SIZE, program, how, self.one, self.tag))
        self.assertNotEqual(status, 0)
        self.xtf("check", path)
        return path

    def check_pending(self, path, waiting):
        """`waiting`: of each rank that ended in a call of MPI the call, peer and tag."""
        with contextlib.closing(recording.Recorded(path)) as trace:
            found = {}
            for location, records in trace.records.items():
                pending = [record for record in records if record.event == "PENDING"]
                if not pending:
                    continue
                [record] = pending
                self.assertEqual([other.event for other in records if other.seq > record.seq], ["PROGRAM_END"])
                self.assertEqual(trace.comm_name(record.comm), "MPI_COMM_WORLD")
                enters = [other.time for other in records if other.event == "ENTER" and other.region == record.region]
                self.assertLess(abs(record.since - enters[-1]), 1000)
                self.assertGreater(record.time, record.since)
                found[location >> 32] = record.region, record.peer, record.tag
        self.assertEqual(found, waiting)

    def check_said(self, path, sentence, ended_in):
        """The first finding, the calls in `stack`, and what an analysis says of the path."""
        lines = [line for line in self.xtf("cat", path, "findings").splitlines() if not line.startswith("#")]
        score, rule, text = lines[0].split(None, 2)
        self.assertEqual([score, rule], ["100.00", "crash"])
        for line in itertools.takewhile(lambda line: line.startswith(10 * " "), lines[1:]):  # a sentence goes on in lines without a score
            text += " " + line
        self.assertRegex(" ".join(text.split()), f"^{sentence} pending/records$")
        stack = [line.split() for line in self.xtf("cat", path, "stack").splitlines()[1:]]
        self.assertEqual({int(line[0]): line[5] for line in stack if line[1] == "0" and line[5] != "-"}, ended_in)
        self.assertRegex(self.xtf("analyze", path), r"(?m)^critical path +\S+ s  to the last record, since no MPI_Finalize is recorded$")
        self.assertNotIn(" path ", self.xtf("cat", path, "findings"))

    def test_crash(self):
        """In MPI_Send, while the others wait for it; in no call."""
        for mpi in recording.mpis():
            for how, call in ("crash", "MPI_Send"), ("outside", None):
                with self.subTest(mpi, how=how, one=self.one, tag=self.tag):
                    path = self.record_ending(mpi, how)
                    waiting = {rank: ("MPI_Recv", self.one, self.tag) for rank in self.others}
                    if call:
                        waiting[self.one] = call, (self.one + 1) % SIZE, self.tag + 1
                    self.check_pending(path, waiting)
                    where = f"in {call}" if call else "outside of all recorded calls"
                    self.check_said(path, f"process {self.one} was killed by signal 11 {where}; {listed(self.others)} had been waiting in MPI_Recv "
                                          f"from process {self.one} since {TIME} s", {rank: call[0] for rank, call in waiting.items()})

    def test_exit(self):
        """In a function of the program, whose place in its source is known, while the others wait."""
        lines = (recording.PROGRAMS / "ends_in_calls.c").read_text().splitlines()
        line = next(i for i, text in enumerate(lines, 1) if "give_up(void)" in text)
        for mpi in recording.mpis():
            with self.subTest(mpi, one=self.one, tag=self.tag):
                path = self.record_ending(mpi, "exit", options=("-g", "-finstrument-functions"))
                self.check_pending(path, {rank: ("MPI_Recv", self.one, self.tag) for rank in self.others})
                ended_in = {rank: "give_up" if rank == self.one else "MPI_Recv" for rank in range(SIZE)}
                self.check_said(path, f"process {self.one} ended with status 3 in give_up \\(ends_in_calls.c:({line}|{line + 1})\\); {listed(self.others)} "
                                      f"had been waiting in MPI_Recv from process {self.one} since {TIME} s", ended_in)

    def test_thread(self):
        """What another thread did is not blamed on the call in which one waits."""
        for mpi in recording.mpis():
            with self.subTest(mpi, one=self.one, tag=self.tag):
                path = self.record_ending(mpi, "thread", options=("-pthread",))
                self.check_said(path, f"process {self.one} was killed by signal 11; {listed(self.others)} had been waiting in MPI_Recv from process {self.one} "
                                      f"since {TIME} s", dict.fromkeys(range(SIZE), "MPI_Recv"))

    def test_refused(self):
        """MPI ends a process whose call it refuses. MPICH's launcher may kill all in the same way, so that who began is not known."""
        for mpi in recording.mpis():
            with self.subTest(mpi, one=self.one, tag=self.tag):
                path = self.record_ending(mpi, "refused")
                who = f"process {self.one} ended with status \\d+ in MPI_Send"
                if mpi != "openmpi":
                    who = f"({who}|{listed(range(SIZE))} were killed by signal 9)"
                self.check_said(path, f"{who}; {listed(self.others)} had been waiting in MPI_Recv from process {self.one} since {TIME} s.*",
                                {rank: "MPI_Send" if rank == self.one else "MPI_Recv" for rank in range(SIZE)})

    def test_deadlock(self):
        """Somebody ends it after a second."""
        for mpi, (how, call, word) in itertools.product(recording.mpis(), (("deadlock", "MPI_Recv", "from"), ("requests", "MPI_Wait", "for"))):
            with self.subTest(mpi, how=how, one=self.one, tag=self.tag):
                path = self.record_ending(mpi, how)
                sources = {rank: (rank + 1) % SIZE if rank == self.one else self.one for rank in range(SIZE)}
                self.check_pending(path, {rank: (call, source, self.tag) for rank, source in sources.items()})
                everybody, circle = listed(range(SIZE)), listed(sorted((self.one, sources[self.one])))
                self.check_said(path, f"{everybody} [a-z ]+ \\d+; {everybody} had been waiting in {call} {word} {listed(sources.values())} "
                                      f"since {TIME} s; {circle} wait for each other", {rank: call for rank in range(SIZE)})
                self.check_copies(path)

    def test_tags(self):
        """Messages of another tag than their receivers wait for."""
        for mpi in recording.mpis():
            with self.subTest(mpi, one=self.one, tag=self.tag):
                path = self.record_ending(mpi, "tags")
                found = re.sub(r"\s+", " ", self.xtf("cat", path, "findings"))
                first = self.others[0]
                self.assertIn(f"; process {first} waits in MPI_Recv for tag {self.tag} from process {self.one}; process {self.one} sent it tag {self.tag + 1}, "
                              "which nobody received unmatched", found)

    def check_copies(self, path):
        """A copy has the same rows."""
        copy = self.folder / "copy.xtf"
        self.xtf("copy", "-f", path, copy)
        self.xtf("check", copy)
        rows = [re.sub(" +", " ", self.xtf("cat", trace, "pending/records")) for trace in (path, copy)]
        self.assertEqual(rows[0].count("PENDING"), SIZE)
        self.assertEqual(rows[0], rows[1])


if __name__ == "__main__":
    print(f"seed {SEED}", file=sys.stderr)
    recording.main()
