#!/usr/bin/env python3
"""Programs that crash or deadlock: the records of the calls in which their processes ended, and the findings about them."""

import contextlib
import itertools
import random
import re
import shutil
import sys

import recording

SIZE = 4
SEED = random.randrange(1 << 32)
TIME = r"\d+(\.\d+)?"
STUCK = "deadlock", "requests", "tags"  # ways to end in which the test ends the launcher
CALLED = r", called (by main\+0x[0-9a-f]+|from 0x[0-9a-f]+@\S+)"  # the call site of a program without debug information
WRAPPER = """#!{python}
import pathlib, signal, subprocess, sys
with subprocess.Popen(["{launcher}", *sys.argv[1:]]) as run:
    signal.signal(signal.SIGTERM, lambda *_: run.terminate())
    status = run.wait()
status = 128 - status if status < 0 else status
pathlib.Path("{status}").write_text(str(status), encoding="ascii")
sys.exit(status)
"""


def listed(numbers):
    """Returns a list such as "processes 0, 2 and 3"."""
    words = [str(number) for number in numbers]
    return "process " + words[0] if len(words) == 1 else "processes " + ", ".join(words[:-1]) + " and " + words[-1]


class Ends(recording.Case):
    def setUp(self):
        super().setUp()
        draw = random.Random(f"{SEED} {self.id()}")
        self.culprit, self.tag = draw.randrange(SIZE), draw.randrange(1, 30000)
        self.peers = [rank for rank in range(SIZE) if rank != self.culprit]

    def record_ending(self, mpi, way, options=()):
        """Records a program that fails. Returns the trace's path."""
        path = self.folder / f"{way}-{mpi}.xtf"
        program = self.compile(mpi, "ends_in_calls", *options)
        launcher, *arguments = self.launch(mpi, SIZE, program, way, self.culprit, self.tag)
        status = self.record_until_stuck(SIZE, recording.XTF, "record", "-o", path, self.wrap_launcher(launcher), *arguments)
        self.assertEqual(status, int((self.folder / "status").read_text(encoding="ascii")))
        if mpi != "mpich" or way not in STUCK:  # ended by a signal, MPICH's launcher loses the statuses of its processes once in a hundred runs
            self.assertNotEqual(status, 0)
        self.xtf("check", path)
        return path

    def wrap_launcher(self, launcher):
        """Makes a launcher of the same name, which writes the exit status of the real one to the file "status". Returns the path."""
        path = self.folder / launcher
        path.write_text(WRAPPER.format(python=sys.executable, launcher=shutil.which(launcher), status=self.folder / "status"), encoding="ascii")
        path.chmod(0o755)
        return path

    def check_pending(self, path, waiting):
        """Checks the PENDING records. `waiting`: {rank that ended in an MPI call: (call, peer, tag)}."""
        with contextlib.closing(recording.Recorded(path)) as trace:
            found = {}
            for location, records in trace.records.items():
                pending = [record for record in records if record.event == "PENDING"]
                if not pending:
                    continue
                [record] = pending
                requests = ["PENDING_RECEIVE"] if record.region == "MPI_Wait" else []
                self.assertEqual([entry.event for entry in records if entry.seq > record.seq], requests + ["PROGRAM_END"])
                self.assertEqual(record.requests, 1 if requests else None)
                self.assertEqual(trace.comm_name(record.comm), "MPI_COMM_WORLD")
                enters = [entry.time for entry in records if entry.event == "ENTER" and entry.region == record.region]
                self.assertLess(abs(record.since - enters[-1]), 1000)
                self.assertGreater(record.time, record.since)
                found[location >> 32] = record.region, record.peer, record.tag
        self.assertEqual(found, waiting)

    def check_findings(self, path, sentence, ended_in):
        """Checks the first finding, the calls in `stack`, and the analysis's sentence on the path."""
        lines = [line for line in self.xtf("cat", path, "findings").splitlines() if not line.startswith("#")]
        score, rule, text = lines[0].split(None, 2)
        self.assertEqual([score, rule], ["100.00", "crash"])
        for line in itertools.takewhile(lambda line: line.startswith(10 * " "), lines[1:]):  # a sentence continues in lines without a score
            text += " " + line
        self.assertRegex(" ".join(text.split()), f"^{sentence} pending/records$")
        stack = [line.split() for line in self.xtf("cat", path, "stack").splitlines()[1:]]
        self.assertEqual({int(line[0]): line[5] for line in stack if line[1] == "0" and line[5] != "-"}, ended_in)
        self.assertRegex(self.xtf("analyze", path), r"(?m)^critical path +\S+ s  to the last record, since no MPI_Finalize is recorded$")
        self.assertNotIn(" path ", self.xtf("cat", path, "findings"))

    def test_crash(self):
        """Checks a crash in MPI_Send, and one outside of calls, while the other processes wait for it."""
        for mpi in self.mpis():
            for way, call in ("crash", "MPI_Send"), ("outside", None):
                with self.subTest(mpi, way=way, culprit=self.culprit, tag=self.tag):
                    path = self.record_ending(mpi, way)
                    waiting = {rank: ("MPI_Recv", self.culprit, self.tag) for rank in self.peers}
                    if call:
                        waiting[self.culprit] = call, (self.culprit + 1) % SIZE, self.tag + 1
                    self.check_pending(path, waiting)
                    where = f"in {call}{CALLED}" if call else "outside of all recorded calls"
                    self.check_findings(path, f"process {self.culprit} was killed by signal 11 {where}; {listed(self.peers)} had been waiting in MPI_Recv{CALLED}, "
                                          f"from process {self.culprit} since {TIME} s", {rank: call[0] for rank, call in waiting.items()})

    def test_exit(self):
        """Checks an exit in a function of the program, with its place in the source, while the other processes wait."""
        lines = (recording.PROGRAMS / "ends_in_calls.c").read_text().splitlines()
        line, receive = (next(i for i, text in enumerate(lines, 1) if code in text) for code in ("give_up(void)", "MPI_Recv(&value"))
        for mpi in self.mpis():
            with self.subTest(mpi, culprit=self.culprit, tag=self.tag):
                path = self.record_ending(mpi, "exit", options=("-g", "-finstrument-functions"))
                self.check_pending(path, {rank: ("MPI_Recv", self.culprit, self.tag) for rank in self.peers})
                ended_in = {rank: "give_up" if rank == self.culprit else "MPI_Recv" for rank in range(SIZE)}
                self.check_findings(path, f"process {self.culprit} ended with status 3 in give_up \\(ends_in_calls.c:({line}|{line + 1})\\); {listed(self.peers)} "
                                      f"had been waiting in MPI_Recv, called by main \\(ends_in_calls.c:{receive}\\), from process {self.culprit} since {TIME} s",
                                    ended_in)

    def test_thread(self):
        """Checks that a crash in another thread is not blamed on the call in which one thread waits."""
        for mpi in self.mpis():
            with self.subTest(mpi, culprit=self.culprit, tag=self.tag):
                path = self.record_ending(mpi, "thread", options=("-pthread",))
                self.check_findings(path, f"process {self.culprit} was killed by signal 11; {listed(self.peers)} had been waiting in MPI_Recv{CALLED}, from process {self.culprit} "
                                      f"since {TIME} s", dict.fromkeys(range(SIZE), "MPI_Recv"))

    def test_refused(self):
        """Checks a call that MPI refuses, so that the process ends. MPICH's launcher may kill all processes in the same way, so
        the first one is unknown."""
        for mpi in self.mpis():
            with self.subTest(mpi, culprit=self.culprit, tag=self.tag):
                path = self.record_ending(mpi, "refused")
                cause = f"process {self.culprit} ended with status \\d+ in MPI_Send{CALLED}"
                if mpi != "openmpi":
                    cause = f"({cause}|{listed(range(SIZE))} were killed by signal 9)"
                self.check_findings(path, f"{cause}; {listed(self.peers)} had been waiting in MPI_Recv{CALLED}, from process {self.culprit} since {TIME} s.*",
                                {rank: "MPI_Send" if rank == self.culprit else "MPI_Recv" for rank in range(SIZE)})

    def test_deadlock(self):
        """Checks a deadlock, which the test ends after a second."""
        for mpi, (way, call, word) in itertools.product(self.mpis(), (("deadlock", "MPI_Recv", "from"), ("requests", "MPI_Wait", "for"))):
            with self.subTest(mpi, way=way, culprit=self.culprit, tag=self.tag):
                path = self.record_ending(mpi, way)
                sources = {rank: (rank + 1) % SIZE if rank == self.culprit else self.culprit for rank in range(SIZE)}
                self.check_pending(path, {rank: (call, source, self.tag) for rank, source in sources.items()})
                all_processes, circle = listed(range(SIZE)), listed(sorted((self.culprit, sources[self.culprit])))
                self.check_findings(path, f"{all_processes} [a-z ]+ \\d+; {all_processes} had been waiting in {call}{CALLED}, {word} {listed(sources.values())} "
                                      f"since {TIME} s; {circle} wait for each other", {rank: call for rank in range(SIZE)})
                self.check_copies(path)

    def test_tags(self):
        """Checks messages with another tag than their receivers expect."""
        for mpi in self.mpis():
            with self.subTest(mpi, culprit=self.culprit, tag=self.tag):
                path = self.record_ending(mpi, "tags")
                found = re.sub(r"\s+", " ", self.xtf("cat", path, "findings"))
                first = self.peers[0]
                self.assertIn(f"; process {first} waits in MPI_Recv for tag {self.tag} from process {self.culprit}; process {self.culprit} sent it tag {self.tag + 1}, "
                              "which nobody received unmatched", found)

    def check_copies(self, path):
        """Checks that a copy has the same rows."""
        copy = self.folder / "copy.xtf"
        self.xtf("copy", "-f", path, copy)
        self.xtf("check", copy)
        rows = [re.sub(" +", " ", self.xtf("cat", trace, "pending/records")) for trace in (path, copy)]
        self.assertEqual(rows[0].count("PENDING "), SIZE)
        self.assertEqual(rows[0], rows[1])


if __name__ == "__main__":
    print(f"seed {SEED}", file=sys.stderr)
    recording.main()
