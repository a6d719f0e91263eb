#!/usr/bin/env python3
"""Waits for late progress of made-up programs whose waits are known. The analysis is compared with the truth, and with the naive
judge, which reads only the output of otf2-print. Also the critical path and the causes through such waits.

usage: test_progress.py XTF OTF2-SCRIPT TRACE-CAUSES
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
from progress_programs import BYTES, Alternating, Program, Truth
from test_path import NOWHERE, Shown, check_unexplained, cut_segments, make_archive, since_origin, table
from test_trace_causes import ROUNDED, Output, wrong_delays
from xtfrun import Failure, Xtf, need_programs, n_rounds, run_test, temporary_folder

SEEDS = 1
Row = collections.namedtuple("Row", "process seq end wait culprit")
MPI = "MPI_Waitall"


def check_equal(found, expected, name):
    if found == expected:
        return
    extra, missing = [x for x in found if x not in expected], [x for x in expected if x not in found]
    raise Failure(f"{name}: {len(found)}, should be {len(expected)}; too much {extra[:4]}, missing {missing[:4]}")


def shown_rows(shown, judge):
    """Yields the rows of late progress that the tree shows, in their order."""
    columns = [line.split()[0] for line in shown.read("waits/columns").splitlines()[1:]]
    for line in shown.read("waits/late_progress/records").splitlines():
        row = dict(zip(columns, line.split(None, len(columns) - 1)))
        yield Row(int(row["proc"]), int(row["seq"]), shown.time(row["time"]) + judge.matches.origin, int(row["amount"]), int(row["culprit"]))


def check_path(shown, judge, late, name):
    path = Path(judge, late)
    processes = [process for process in judge.processes.values() if process.spans]
    first, last = min(process.spans[0][0] for process in processes), max(process.time for process in processes)
    wanted = since_origin(cut_segments(path.segments, first, last + 1), judge.matches.origin)
    check_equal(shown.segments(""), wanted, f"{name}: critical/segments")
    return shown.profile("").get(MPI, 0), sum(shown.profile("").values())


def check_causes(output, rows_of, program, name):
    """Checks that causes of single waits agree with the analysis, add up, and are the known ones."""
    wrong = list(wrong_delays(output))
    for one in output.singles:
        found = sum(one.direct.values()) + sum(one.further.values()) + one.unexplained
        if found != one.amount or abs(one.indirect - one.stored) > ROUNDED:
            wrong.append(f"{one}: {found} are explained, {one.indirect} are indirect, {one.stored} by the analysis")
        end = rows_of.get((one.location, one.seq))
        causes = [(location, "/".join(path), cost) for (_, path, location), cost in one.direct.items()]
        if hasattr(program, "causes") and causes != program.causes.get((one.location, end)):
            wrong.append(f"{one}: {causes}, should be {program.causes.get((one.location, end))}")
    n_explained = sum(one.kind == "late_progress" for one in output.singles)
    if wrong or n_explained != len(rows_of):
        raise Failure("\n  ".join([f"{name}: causes of {n_explained} waits for late progress are explained, of {len(rows_of)}", *wrong[:10]]))


def check_program(xtf, options, folder, program, name):
    archive, trace = make_archive(options[1], folder, name, program.script()), folder / f"{name}.xtf"
    xtf.import_archive(archive, trace)
    xtf.expect("analyze", "--quiet", trace)
    judge = Waits(str(archive))
    shown = Shown(xtf, trace, judge)
    found, late = list(shown_rows(shown, judge)), Progress(judge).late
    judged = [Row(one.record.proc.number, one.record.seq, one.end, one.wait, one.culprit.number) for one in late]
    check_equal(sorted(found), sorted(judged), f"{name}: by the judge")
    check_equal(sorted(Truth(row.process, row.culprit, row.end, row.wait) for row in found), sorted(program.truth), f"{name}: truth")
    if bool(found) != (program.model in ("rendezvous", "fetch")):
        raise Failure(f"{name}: {len(found)} waits")
    figures = {line["figure"]: float(line["value"]) for line in table(shown.read("efficiency"))[1:] if line["value"] != NOWHERE}
    check_unexplained(figures, judge, late)
    check_causes(Output(options[2], trace, None), {(row.process, row.seq): row.end for row in found}, program, name)
    inside, whole = check_path(shown, judge, late, name)
    print(f"{name}: {len(found)} waits, {inside / whole:.4f} of the path in {MPI}")


def main():
    need_programs("otf2-print")
    options = sys.argv[1:]
    xtf = Xtf(options[0])
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        check_program(xtf, options, folder, Alternating(), "alternating")
        for model in BYTES:
            for seed in range(n_rounds(SEEDS)):
                check_program(xtf, options, folder, Program(model, seed), f"{model}-{seed}")
    return 0


if __name__ == "__main__":
    run_test(main)
