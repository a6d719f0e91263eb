#!/usr/bin/env python3
"""Exchanges with random counts. The test checks which are recorded as exchanges of all with all, and the findings about them. It
compares their waits with the naive judges, which get the counts.

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
FUNCTIONS = {"v": "MPI_Alltoallv", "p": "MPI_Alltoallv", "w": "MPI_Alltoallw", "q": "MPI_Alltoallw", "x": "MPI_Alltoallv"} # blocking functions


class Exchange:
    """One exchange; `counts[i][j]`: elements that process i sends to process j."""

    def __init__(self, kind, counts):
        self.kind, self.counts = kind, counts

    def line(self):
        return " ".join([self.kind, *(str(count) for row in self.counts for count in row)])

    def n_to_n(self, rank):
        """Returns the expected `n_to_n` in a process's record."""
        if self.kind in UNKNOWN:
            return None
        peers = [peer for peer in range(P) if peer != rank]
        return int(all(self.counts[rank][peer] > 0 and self.counts[peer][rank] > 0 for peer in peers))

    def is_judged(self):
        return self.kind in FUNCTIONS and all(self.n_to_n(rank) for rank in range(P))


def full_counts(draw):
    """Returns counts that are 0 at most from a process to itself."""
    return [[draw.choice([0, 3]) if i == j else draw.randrange(1, 60) for j in range(P)] for i in range(P)]


def symmetric(counts):
    """Returns symmetric counts, as in place a process sends as much as it receives."""
    return [[counts[min(i, j)][max(i, j)] for j in range(P)] for i in range(P)]


def partial_counts(draw, kind):
    """Returns counts of which some are 0, but none of process 0. The members of such an exchange record different values."""
    counts = full_counts(draw)
    for i, j in draw.sample(list(itertools.combinations(range(1, P), 2)), draw.randrange(1, 3)):
        counts[i][j] = draw.choice([0, EMPTY]) if kind in WITH_TYPES else 0
    return counts


def draw_exchange(draw, kind, is_full):
    counts = full_counts(draw) if is_full else partial_counts(draw, kind)
    return Exchange(kind, symmetric(counts) if kind in IN_PLACE else counts)


class Alltoallv(recording.Case):
    def findings(self, trace, path=""):
        """Returns the findings, without the rule `cpus`: the machine of the test may have fewer CPUs than processes."""
        return [line for line in csv.DictReader(io.StringIO(self.xtf("cat", "--csv", trace, path + "findings"))) if line["rule"] != "cpus"]

    def record_plan(self, mpi, plan, late):
        """Records and analyses a plan, and returns the trace."""
        (self.folder / "plan").write_text("".join(exchange.line() + "\n" for exchange in plan))
        program = self.compile(mpi, "alltoallv")
        trace, _ = self.record(mpi, P, program, self.folder / "plan", late, LATE, options=["--force"])
        self.xtf("analyze", "--quiet", trace)
        return trace

    def check_records(self, trace, plan):
        """Checks each end against the counts. Returns when the first and the last exchange end."""
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

    def make_judges(self, trace, plan):
        """Returns the naive judges of the trace's archive. They get the plan, as the archive lacks the counts."""
        archive = self.folder / "archive"
        self.xtf("export", "otf2", "--force", "--quiet", "-o", archive, trace)
        n_to_n = {rank: [exchange.n_to_n(rank) for exchange in plan if exchange.kind not in NON_BLOCKING] for rank in range(P)}
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
        """Checks `members` of each exchange, with waits or without. Returns the numbers of both."""
        n = collections.Counter()
        parts = [part for part in judge.locations[0].parts.values() if part.operation in ANY_PAIRS]
        shown = self.xtf("cat", trace, *(path_of(part) + "/members" for part in parts)).splitlines()
        files = [lines for begins, lines in ((begins, list(lines)) for begins, lines in itertools.groupby(shown, lambda line: line[0] == "#")) if not begins]
        for part, lines in zip(parts, files, strict=True):
            found, wanted = [parse(judge, line) for line in lines], list(judge.lines(judge.operation(part)))
            self.assertEqual([line[:-1] for line in found], [line[:-1] for line in wanted])  # except the state, which depends on clocks
            n[found[0].wait is not None] += 1
        return n

    def check_unjudged(self, trace, plan, window):
        """Checks which functions are reported as unjudged. They must take at least a twentieth of the time, and have an exchange
        that is not judged."""
        profile = csv.DictReader(io.StringIO(self.xtf("cat", "--csv", trace, window + "profile")))
        large = {line["region"] for line in profile if float(line["exclusive%"]) >= 5}
        wanted = {FUNCTIONS[exchange.kind] for exchange in plan if exchange.kind in FUNCTIONS and not exchange.is_judged()} & large
        printed = {found["finding"].split()[0].rstrip(",") for found in self.findings(trace, window) if found["rule"] == "unjudged"}
        self.assertEqual(printed, wanted)
        return sorted(printed)

    def check_plan(self, mpi, plan, late):
        name = f"{mpi}, seed {SEED}, {late} is late"
        with self.subTest(name):
            trace = self.record_plan(mpi, plan, late)
            begin, end = self.check_records(trace, plan)
            waits, judge = self.make_judges(trace, plan)
            found = self.check_waits(trace, waits)
            self.check_ideal(trace, waits)
            n = self.check_members(trace, judge)
            self.assertEqual(n[True], sum(exchange.is_judged() for exchange in plan))
            begin, end = ((time - judge.origin) / judge.ticks for time in (begin, end + 1))
            unjudged = self.check_unjudged(trace, plan, f"time/{begin:.9f}-{end:.9f}/")
            print(f"{name}: {len(found)} waits, {n[True]} exchanges judged, {n[False]} not; unjudged: {unjudged}")
            return trace, found

    def test_all_with_all(self):
        """Checks that the first finding names the late process, and that nothing is left unjudged."""
        for mpi in self.mpis():
            draw = random.Random(f"{SEED} {mpi}")
            late = draw.randrange(P)
            trace, found = self.check_plan(mpi, [draw_exchange(draw, "v", True) for _ in range(STEPS)], late)
            waited = collections.Counter()
            for _, _, amount, culprit in found:
                waited[culprit] += amount
            self.assertEqual(waited.most_common(1)[0][0], late, waited)
            printed = self.findings(trace)
            self.assertTrue(re.match(rf"process {late} causes ", printed[0]["finding"]), printed)

    def test_some_with_some(self):
        for mpi in self.mpis():
            draw = random.Random(f"{SEED} {mpi} some")
            plan = [draw_exchange(draw, kind, is_full) for kind in "vpwqijs" for is_full in (True, False)] + [Exchange("x", full_counts(draw))]
            draw.shuffle(plan)
            self.check_plan(mpi, plan, draw.randrange(P))


if __name__ == "__main__":
    recording.main()
