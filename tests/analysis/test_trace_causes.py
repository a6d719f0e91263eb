#!/usr/bin/env python3
"""Waits and their causes as `xtf analyze` adds them to imported traces: against Scalasca's own analyser where its results are there, and against the naive
judge for all archives and for made-up programs.

usage: test_trace_causes.py XTF TRACE-CAUSES [OTF2-SCRIPT]
"""

import collections
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "match")]
# pylint: disable=wrong-import-position
import meeting_programs
import scout
from naive_causes import Causes
from naive_waits import Waits
from random_programs import Program
from test_judge import named
from test_path import make_archive
from xtfrun import Failure, Xtf, need, shared_traces, skip, temporary_folder

# The metric of a kind, and of its costs.
KINDS = {"late_sender": ("mpi_latesender", "delay_latesender"), "late_receiver": ("mpi_latereceiver", "delay_latereceiver"),
         "wait_barrier": ("mpi_barrier_wait", "delay_barrier"), "wait_nxn": ("mpi_wait_nxn", "delay_n2n"),
         "late_broadcast": ("mpi_latebroadcast", "delay_12n"), "early_reduce": ("mpi_earlyreduce", "delay_n21"),
         "early_scan": ("mpi_earlyscan", None), "finalize_wait": ("mpi_finalize_wait", None)}
PARTS = {"late_sender": ("mpi_wait_indirect_latesender", "mpi_wait_propagating_ls"),
         "late_receiver": ("mpi_wait_indirect_latereceiver", "mpi_wait_propagating_lr")}
METRICS = {metric for pair in KINDS.values() for metric in pair if metric} | {m for pair in PARTS.values() for m in pair}
SEEDS = 4
METRICS |= {metric + "_longterm" for _, metric in KINDS.values() if metric}


def shown(program, trace, archive):
    """{(metric, path, location): ticks} of what the program prints. Time outside of all calls is the program's."""
    done = subprocess.run([program, trace], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise Failure(f"{trace}: {done.stderr}")
    sums = collections.Counter()
    for line in done.stdout.splitlines():
        head, *path = line.split("\t")
        word, kind, *numbers = head.split()
        location, *values = map(int, numbers)
        metrics = METRICS_OF[word](kind)
        for metric, value in zip(metrics, values):
            if metric:
                sums[metric, tuple(path), location] += value
    return sums


METRICS_OF = {
    "wait": lambda kind: (KINDS.get(kind, (None,))[0], *PARTS.get(kind, ())),
    # What is said of single waits for messages adds up to the delays.
    "cause": lambda kind: ("single " + KINDS[kind][1],) if kind in PARTS else (),
    "delay": lambda kind: (KINDS[kind][1], KINDS[kind][1] + "_longterm") if kind in KINDS else (),
}


def with_program(sums, program):
    """With the program around all paths, if the archive tells it: so scout has it."""
    return {(metric, ((program,) if program else ()) + (() if path == ("(outside)",) else path), location): value
            for (metric, path, location), value in sums.items()}


def differences(ours, theirs):
    return [f"{metric} {path} {location}: {b!r}, should be {a!r}" for metric in sorted(METRICS)
            for (path, location), a, b in scout.differences(theirs.get(metric, {}), ours.get(metric, {}))]


def too_much(ours):
    """Of a kind of wait for messages, what is charged and what is indirect is no more than the waits."""
    for kind, (indirect, propagating) in PARTS.items():
        wait, short, part, gone = (sum(ours.get(metric, {}).values()) for metric in (*KINDS[kind], indirect, propagating))
        if short + part > wait + scout.ABSOLUTE or gone > wait + scout.ABSOLUTE:
            yield f"{kind}: {short} and {part}, or {gone}, of {wait}"


def compare(xtf, program, archive, tsv, folder):
    trace = folder / "trace.xtf"
    xtf.import_archive(archive, trace, timeout=600)
    xtf.expect("analyze", trace, timeout=600)
    waits = Waits(str(archive))
    judged = {**named(waits.sums, waits.ticks), **named(Causes(waits).sums, waits.ticks)}
    ours = named(with_program(shown(program, trace, archive), waits.program), waits.ticks)
    wrong = differences(ours, judged)
    wrong += [f"causes of single waits: {metric} {key}: {b!r}, should be {a!r}" for metric in ("delay_latesender", "delay_latereceiver")
              for key, a, b in scout.differences(ours.get(metric, {}), ours.get("single " + metric, {}))]
    wrong += too_much(ours)
    if tsv.exists():
        wrong += differences(ours, scout.read(tsv, archive))
    if wrong:
        raise Failure("\n  ".join([f"{archive}: {len(wrong)} differ", *wrong[:20]]))
    print(f"{archive.parent.name}/{archive.stem}: {sum(len(v) for k, v in judged.items() if k in METRICS)} sums agree"
          + (" with Scalasca, too" if tsv.exists() else ""))
    trace.unlink()


def coarse(xtf, program, script, seed, folder):
    """Costs and parts of waits are stored in whole ticks. With a clock of microseconds these are long: no sum is two of them off, and some
    are off at all, else this says nothing."""
    lines = Program(seed, 3 + seed % 3, 60).script(ticks_per_second=10**6)
    archive, trace = make_archive(script, folder, f"coarse-{seed}", lines), folder / "trace.xtf"
    xtf.import_archive(archive, trace)
    xtf.expect("analyze", trace)
    waits = Waits(str(archive))
    exact, ours = Causes(waits).sums, with_program(shown(program, trace, archive), waits.program)
    sums = [(key, float(exact[key]), ours.get(key, 0)) for key in {*exact, *ours} if key[0] in METRICS and "delay_" in key[0]]
    wrong = [entry for entry in sums if abs(entry[1] - entry[2]) >= 2]
    off = sum(abs(a - b) > 1e-8 * a for _, a, b in sums)
    if wrong or not 0 < off < len(sums):
        raise Failure(f"coarse clocks, {seed}: {len(wrong)} of {len(sums)} sums are off by two ticks: {wrong[:5]}; {off} are off at all")
    trace.unlink()
    return len(sums), off


def archives(folder, script):
    """(archive, Scalasca's results of it)"""
    if script:
        for name, lines in meeting_programs.programs().items():
            archive = make_archive(script, folder, name, lines)
            yield archive, archive.parent / "scout.tsv"
    shared = shared_traces()
    for archive in sorted(shared.glob("**/*.otf2")) if shared else ():
        yield archive, shared / "scalasca" / archive.parent.name / "scout.tsv"


def main():
    xtf, program, script = Xtf(sys.argv[1]), sys.argv[2], (sys.argv + [None])[3]
    need("otf2-print")
    if not script and not shared_traces():
        skip("no traces of others here; XTF_SHARED_TRACES may name their folder")
    failures = 0
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        for archive, tsv in archives(folder, script):
            try:
                compare(xtf, program, archive, tsv, folder)
            except Failure as failure:
                print(failure)
                failures += 1
        if script:
            checked = [coarse(xtf, program, script, seed, folder) for seed in range(SEEDS)]
            print(f"coarse clocks: {sum(n for n, _ in checked)} sums of costs, {sum(off for _, off in checked)} rounded, none by two ticks")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
