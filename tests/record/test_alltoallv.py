#!/usr/bin/env python3
"""Exchanges with counts that a test has drawn: which of them are recorded as of all with all; who waits for whom in them, against the naive
judges, who are told the counts; and what findings say of them.

usage: test_alltoallv.py
"""

import collections
import csv
import io
import itertools
import pathlib
import random
import re
import sys

import recording

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / folder) for folder in ("roundtrip", "match", "analysis")]
# pylint: disable=wrong-import-position
from collectives import ANY_PAIRS, CollectiveJudge
from members import parse, path_of
from naive_ideal import Ideal
from naive_waits import Waits

P, STEPS, LATE = 4, 10, 30  # LATE: milliseconds
SEED = random.randrange(1 << 32)
IN_PLACE, NON_BLOCKING, WITH_TYPES, UNKNOWN = "pq", "ijs", "wqj", "x"
EMPTY = -1  # one element of a type of size 0
FUNCTIONS = {"v": "MPI_Alltoallv", "p": "MPI_Alltoallv", "w": "MPI_Alltoallw", "q": "MPI_Alltoallw", "x": "MPI_Alltoallv"} # those that block


class Exchange:
    """`counts[i][j]`: of i for j."""

    def __init__(self, how, counts):
        self.how, self.counts = how, counts

    def line(self):
        return " ".join([self.how, *(str(count) for row in self.counts for count in row)])

    def n_to_n(self, rank):
        """What is recorded of it in a process."""
        if self.how in UNKNOWN:
            return None
        others = [other for other in range(P) if other != rank]
        return int(all(self.counts[rank][other] > 0 and self.counts[other][rank] > 0 for other in others))

    def is_judged(self):
        return self.how in FUNCTIONS and all(self.n_to_n(rank) for rank in range(P))


def full(draw):
    """What goes from a process to itself may be nothing."""
    return [[draw.choice([0, 3]) if i == j else draw.randrange(1, 60) for j in range(P)] for i in range(P)]


def mirrored(counts):
    """In place a process sends as much as it receives."""
    return [[counts[min(i, j)][max(i, j)] for j in range(P)] for i in range(P)]


def some(draw, how):
    """Counts, some of which are 0, but none of process 0: the members of such an exchange disagree."""
    counts = full(draw)
    for i, j in draw.sample(list(itertools.combinations(range(1, P), 2)), draw.randrange(1, 3)):
        counts[i][j] = draw.choice([0, EMPTY]) if how in WITH_TYPES else 0
    return counts


def drawn(draw, how, is_full):
    counts = full(draw) if is_full else some(draw, how)
    return Exchange(how, mirrored(counts) if how in IN_PLACE else counts)


class Alltoallv(recording.Case):
    def findings(self, trace, path=""):
        return list(csv.DictReader(io.StringIO(self.xtf("cat", "--csv", trace, path + "findings"))))

    def played(self, mpi, plan, late):
        """The trace of a plan, analysed."""
        (self.folder / "plan").write_text("".join(exchange.line() + "\n" for exchange in plan))
        program = self.compile(mpi, "alltoallv")
        trace, _ = self.record(mpi, P, program, self.folder / "plan", late, LATE, options=["--force"])
        self.xtf("analyze", "--quiet", trace)
        return trace

    def check_records(self, trace, plan):
        """Each end has what the counts say. When the first and the last exchange end."""
        recorded = recording.Recorded(trace)
        self.addCleanup(recorded.close)
        times = []
        for rank in range(P):
            ends = [record for record in recorded.records[rank << 32] if getattr(record, "operation", None)]
            exchanges = [record for record in ends if record.operation in ANY_PAIRS]
            self.assertEqual([record.n_to_n for record in exchanges], [exchange.n_to_n(rank) for exchange in plan])
            self.assertEqual({record.n_to_n for record in ends if record.operation not in ANY_PAIRS}, {None})
            times += [record.time for record in exchanges]
        return min(times), max(times)

    def judge(self, trace, plan):
        """What the naive judges find out, who are told the plan: they have an archive, which does not say it."""
        archive = self.folder / "archive"
        self.xtf("export", "otf2", "--force", "--quiet", "-o", archive, trace)
        n_to_n = {rank: [exchange.n_to_n(rank) for exchange in plan if exchange.how not in NON_BLOCKING] for rank in range(P)}
        return Waits(str(archive / "traces.otf2"), n_to_n), CollectiveJudge(str(archive / "traces.otf2"), n_to_n)

    def check_waits(self, trace, waits):
        wanted = set()
        for kind, records, latest in waits.collectives:
            for record in records if kind == "n2n" else []:
                point = record.proc.points[record.seq]
                if point.wait > 0:
                    wanted.add((record.proc.number, record.seq, point.wait, latest.proc.number))
        columns = [line.split()[0] for line in self.xtf("cat", trace, "waits/columns").splitlines()[1:]]
        rows = [dict(zip(columns, line.split())) for line in self.xtf("cat", trace, "waits/wait_nxn/records").splitlines() if line[0] != "#"]
        found = {tuple(int(row[name]) for name in ("proc", "seq", "amount", "culprit")) for row in rows if int(row["amount"]) > 0}
        self.assertEqual(found, wanted)
        return found

    def check_ideal(self, trace, waits):
        for process, rows in Ideal(waits).rows.items():
            lines = [line.split() for line in self.xtf("cat", trace, f"proc/{process.number}/ideal/records").splitlines() if line[0] != "#"]
            self.assertEqual([(int(line[3]), int(line[6])) for line in lines], [(row.seq, row.waited) for row in rows])

    def check_members(self, trace, judge):
        """`members` of each exchange: with waits, or without any."""
        n = collections.Counter()
        parts = [part for part in judge.locations[0].parts.values() if part.operation in ANY_PAIRS]
        shown = self.xtf("cat", trace, *(path_of(part) + "/members" for part in parts)).splitlines()
        files = [lines for begins, lines in ((begins, list(lines)) for begins, lines in itertools.groupby(shown, lambda line: line[0] == "#")) if not begins]
        for part, lines in zip(parts, files, strict=True):
            found, wanted = [parse(judge, line) for line in lines], list(judge.lines(judge.operation(part)))
            self.assertEqual([line[:-1] for line in found], [line[:-1] for line in wanted])  # but the state, which hangs on clocks
            n[found[0].wait is not None] += 1
        return n

    def check_unjudged(self, trace, plan, window):
        """Of the functions that take a twentieth of the time those are not judged of which one exchange is not."""
        profile = csv.DictReader(io.StringIO(self.xtf("cat", "--csv", trace, window + "profile")))
        large = {line["region"] for line in profile if float(line["exclusive%"]) >= 5}
        wanted = {FUNCTIONS[exchange.how] for exchange in plan if exchange.how in FUNCTIONS and not exchange.is_judged()} & large
        said = {found["finding"].split()[0] for found in self.findings(trace, window) if found["rule"] == "unjudged"}
        self.assertEqual(said, wanted)
        return sorted(said)

    def check_plan(self, mpi, plan, late):
        what = f"{mpi}, seed {SEED}, {late} is late"
        with self.subTest(what):
            trace = self.played(mpi, plan, late)
            begin, end = self.check_records(trace, plan)
            waits, judge = self.judge(trace, plan)
            found = self.check_waits(trace, waits)
            self.check_ideal(trace, waits)
            n = self.check_members(trace, judge)
            self.assertEqual(n[True], sum(exchange.is_judged() for exchange in plan))
            begin, end = ((time - judge.origin) / judge.ticks for time in (begin, end + 1))
            unjudged = self.check_unjudged(trace, plan, f"time/{begin:.9f}-{end:.9f}/")
            print(f"{what}: {len(found)} waits, {n[True]} exchanges judged, {n[False]} not; unjudged: {unjudged}")
            return trace, found

    def test_all_with_all(self):
        """The process that is late is named first, and nothing is left unjudged."""
        for mpi in recording.mpis():
            draw = random.Random(f"{SEED} {mpi}")
            late = draw.randrange(P)
            trace, found = self.check_plan(mpi, [drawn(draw, "v", True) for _ in range(STEPS)], late)
            waited = collections.Counter()
            for _, _, amount, culprit in found:
                waited[culprit] += amount
            self.assertEqual(waited.most_common(1)[0][0], late, waited)
            said = self.findings(trace)
            self.assertTrue(re.match(rf"process {late} causes ", said[0]["finding"]), said)

    def test_some_with_some(self):
        for mpi in recording.mpis():
            draw = random.Random(f"{SEED} {mpi} some")
            plan = [drawn(draw, how, is_full) for how in "vpwqijs" for is_full in (True, False)] + [Exchange("x", full(draw))]
            draw.shuffle(plan)
            self.check_plan(mpi, plan, draw.randrange(P))


if __name__ == "__main__":
    recording.main()
