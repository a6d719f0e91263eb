#!/usr/bin/env python3
"""Waits for late progress, of made-up programs whose waits are known: against the truth, and against the naive judge, which has
nothing but what otf2-print prints; and the critical path through them.

usage: test_progress.py XTF OTF2-SCRIPT
"""

import collections
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "match")]
# pylint: disable=wrong-import-position
from naive_path import Path
from naive_progress import Progress
from naive_waits import Waits
from progress_programs import BYTES, Program, Truth
from test_path import NOWHERE, Shown, check_unexplained, cut, make_archive, since_origin, table
from xtfrun import Failure, Xtf, need, rounds, run_test, temporary_folder

SEEDS = 1
Row = collections.namedtuple("Row", "process seq end wait culprit")
MPI = "MPI_Waitall"


def check(found, wanted, what):
    if found == wanted:
        return
    more, less = [x for x in found if x not in wanted], [x for x in wanted if x not in found]
    raise Failure(f"{what}: {len(found)}, should be {len(wanted)}; too much {more[:4]}, missing {less[:4]}")


def rows(shown, judge):
    """The rows of late progress that the tree has, in their order."""
    columns = [line.split()[0] for line in shown.read("waits/columns").splitlines()[1:]]
    for line in shown.read("waits/late_progress/records").splitlines():
        row = dict(zip(columns, line.split(None, len(columns) - 1)))
        yield Row(int(row["proc"]), int(row["seq"]), shown.time(row["time"]) + judge.matches.origin, int(row["amount"]), int(row["culprit"]))


def check_path(shown, judge, late, name):
    path = Path(judge, late)
    processes = [process for process in judge.processes.values() if process.spans]
    first, last = min(process.spans[0][0] for process in processes), max(process.time for process in processes)
    wanted = since_origin(cut(path.segments, first, last + 1), judge.matches.origin)
    check(shown.segments(""), wanted, f"{name}: critical/segments")
    return shown.profile("").get(MPI, 0), sum(shown.profile("").values())


def check_program(xtf, script, folder, model, seed):
    program, name = Program(model, seed), f"{model}-{seed}"
    archive, trace = make_archive(script, folder, name, program.script()), folder / f"{name}.xtf"
    xtf.import_archive(archive, trace)
    xtf.expect("analyze", "--quiet", trace)
    judge = Waits(str(archive))
    shown = Shown(xtf, trace, judge)
    found, late = list(rows(shown, judge)), Progress(judge).late
    judged = [Row(one.record.proc.number, one.record.seq, one.end, one.wait, one.culprit.number) for one in late]
    check(sorted(found), sorted(judged), f"{name}: by the judge")
    check(sorted(Truth(row.process, row.culprit, row.end, row.wait) for row in found), sorted(program.truth), f"{name}: truth")
    if bool(found) != (model in ("rendezvous", "fetch")):
        raise Failure(f"{name}: {len(found)} waits")
    figures = {line["figure"]: float(line["value"]) for line in table(shown.read("efficiency"))[1:] if line["value"] != NOWHERE}
    check_unexplained(figures, judge, late)
    inside, whole = check_path(shown, judge, late, name)
    print(f"{name}: {len(found)} waits, {inside / whole:.4f} of the path in {MPI}")


def main():
    need("otf2-print")
    xtf, script = Xtf(sys.argv[1]), sys.argv[2]
    with temporary_folder() as name:
        for model in BYTES:
            for seed in range(rounds(sys.argv[1], SEEDS)):
                check_program(xtf, script, pathlib.Path(name), model, seed)
    return 0


if __name__ == "__main__":
    run_test(main)
