#!/usr/bin/env python3
"""Waits and their causes as `xtf analyze` adds them to imported traces. They are compared with Scalasca's own analyser where its
results are available, and with the naive judge for all archives and made-up programs.

The causes of single waits are compared with the judge's, exactly at the culprit, and with the delays that the analysis has
stored.

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
from naive_single import Single
from naive_waits import Waits
from random_programs import WITH_PROBES, Program
from test_judge import named
from test_path import make_archive
from xtfrun import Failure, Xtf, fewer_archives, need_programs, n_rounds, shared_traces, skip, temporary_folder

# Metrics of a kind and of its costs.
KINDS = {"late_sender": ("mpi_latesender", "delay_latesender"), "late_receiver": ("mpi_latereceiver", "delay_latereceiver"),
         "wait_barrier": ("mpi_barrier_wait", "delay_barrier"), "wait_nxn": ("mpi_wait_nxn", "delay_n2n"),
         "late_broadcast": ("mpi_latebroadcast", "delay_12n"), "early_reduce": ("mpi_earlyreduce", "delay_n21"),
         "early_scan": ("mpi_earlyscan", None), "finalize_wait": ("mpi_finalize_wait", None)}
PARTS = {"late_sender": ("mpi_wait_indirect_latesender", "mpi_wait_propagating_ls"),
         "late_receiver": ("mpi_wait_indirect_latereceiver", "mpi_wait_propagating_lr")}
METRICS = {metric for pair in KINDS.values() for metric in pair if metric} | {m for pair in PARTS.values() for m in pair}
SEEDS = 4
METRICS |= {metric + "_longterm" for _, metric in KINDS.values() if metric}
# Late senders in wrong order: a different sender, the same sender.
ORDER = ("mpi_lswo_different", "mpi_lswo_same")
# Tolerances in ticks: rounding of values that were rounded before, sums over many waits; relative tolerance of large sums.
ROUNDED, MANY, RELATIVE = 1, 3, 1e-9
# Seeds and numbers of processes of random programs.
RANDOM = ((1, 4), (2, 5), (3, 6))
# The same for programs that probe.
PROBING = ((11, 2), (12, 3), (13, 5))


def with_program(path, program):
    """Returns a path with the program around it, if the archive has its name, as scout prints it."""
    return ((program,) if program else ()) + (() if path == ("(outside)",) else path)


# Process 0 probes for a message that is sent at 140. From 150 it waits for a message that is sent at 160, and then receives the
# first one. In OUT_OF_ORDER the second message was sent at 105: it should have been received before the probe.
IN_ORDER = """
0 100 E 0\n0 110 E 1\n0 110 P 1\n0 145 L 1\n0 150 E 4\n0 170 R 1 0 8 8\n0 170 L 4\n0 180 E 2\n0 184 J 1 0 7 8 1\n0 185 L 2\n0 300 L 0
1 100 E 0\n1 140 E 3\n1 140 S 0 0 7 8\n1 141 L 3\n1 160 E 3\n1 160 S 0 0 8 8\n1 161 L 3\n1 300 L 0
clock 1000000000 0 400\nprocesses 2\nlocation 0 0 A\nlocation 1 1 B
region 0 main\nregion 1 MPI_Mprobe\nregion 2 MPI_Mrecv\nregion 3 MPI_Send\nregion 4 MPI_Recv
world 0 0 1\ngroup 1 0 1\ncomm 0 1 world"""
OUT_OF_ORDER = IN_ORDER.replace("1 140 E 3", "1 104 E 3\n1 105 S 0 0 8 8\n1 106 L 3\n1 140 E 3").replace("1 160 E 3\n1 160 S 0 0 8 8\n1 161 L 3\n", "")


class Output:
    """The output of trace-causes. `sums`, {(metric, path, location): ticks}; `singles`, a list of WaitCauses; `delays`,
    {(location, kind, seq, path): short-term cost}."""

    def __init__(self, program, trace, around):
        done = subprocess.run([program, trace], capture_output=True, text=True, timeout=240, check=False)
        if done.returncode:
            raise Failure(f"{trace}: {done.stderr}")
        self.sums, self.delays, self.singles = collections.Counter(), collections.Counter(), []
        for line in done.stdout.splitlines():
            head, *path = line.split("\t")
            word, kind, *numbers = head.split()
            getattr(self, word)(kind, list(map(int, numbers)), with_program(tuple(path), around))

    def add(self, metric, path, location, ticks):
        if metric:
            self.sums[metric, path, location] += ticks

    def wait(self, kind, numbers, path):
        location, _, *values = numbers
        self.waited = values[1]
        for metric, value in zip((KINDS.get(kind, (None,))[0], *PARTS.get(kind, ())), values):
            self.add(metric, path, location, value)

    def delay(self, kind, numbers, path):
        location, seq, short, long_term = numbers
        if short:
            self.delays[location, kind, seq, path] += short
        if kind in KINDS:
            self.add(KINDS[kind][1], path, location, short)
            self.add(KINDS[kind][1] + "_longterm", path, location, long_term)

    def causes(self, kind, numbers, _):
        self.singles.append(WaitCauses(kind, numbers, self.waited))

    def cause(self, _, numbers, path):
        location, steps, cost = numbers
        one = self.singles[-1]
        (one.further if steps else one.direct)[steps, path, location] = cost


class WaitCauses:
    """The causes of one wait; `stored` is the indirect part that the analysis has stored."""

    def __init__(self, kind, numbers, stored):
        self.kind, self.stored = kind, stored
        self.location, self.seq, self.amount, self.sum, self.indirect, self.unexplained, self.culprit, self.culprit_seq = numbers
        self.direct, self.further = {}, {}

    def __str__(self):
        return f"causes of {self.kind} {self.location} {self.seq}, {self.amount} ticks"


def wrong_parts(output, exact, passed):
    """Yields differences of direct costs. They must be the exact ones rounded down; costs with the largest remainders get one
    tick more. `exact`: {path: ticks}; `passed`: the indirect ticks."""
    parts = {**{path: (cost, output.direct.get((0, path, output.culprit), 0)) for path, cost in exact.items()}, None: (passed, output.indirect)}
    rounded_up, rounded_down = [], []
    for path, (cost, found) in parts.items():
        if found not in (int(cost), int(cost) + 1):
            yield f"{output}: {path} {found}, should be {float(cost)}"
        (rounded_up if found > int(cost) else rounded_down).append(cost - int(cost))
    if rounded_up and rounded_down and min(rounded_up) < max(rounded_down):
        yield f"{output}: {float(min(rounded_up))} is rounded up, and {float(max(rounded_down))} is not"
    if output.sum + output.indirect != sum(cost for cost, _ in parts.values()):
        yield f"{output}: {output.sum} and {output.indirect}, should be {float(sum(cost for cost, _ in parts.values()))}"
    if {(path, location) for _, path, location in output.direct} - {(path, output.culprit) for path in exact}:
        yield f"{output}: {sorted(output.direct)}, should be {sorted(exact)}"


def wrong_further(output, exact):
    for steps, path, location in sorted({*exact, *output.further}):
        a, b = exact[steps, path, location], output.further.get((steps, path, location), 0)
        if abs(a - b) > MANY + RELATIVE * a:
            yield f"{output}: {steps} steps back {path} {location} {b}, should be {a}"
    if sum(output.further.values()) > output.indirect:
        yield f"{output}: {sum(output.further.values())} ticks are explained of {output.indirect}"


def wrong_singles(output, judge):
    """Yields differences in the causes of single waits, and checks that there are causes for all waits."""
    for one in output.singles:
        record = judge.records.get((one.location, one.seq))
        if record is None:
            yield f"{one}: the judge knows no such wait"
            continue
        exact, passed = judge.direct(record)
        yield from wrong_parts(one, exact, passed)
        yield from wrong_further(one, judge.indirect(record) if passed else collections.Counter())
        if sum(one.direct.values()) + sum(one.further.values()) + one.unexplained != one.amount:
            yield f"{one}: costs do not add up to it"
        if abs(one.indirect - one.stored) > ROUNDED:
            yield f"{one}: {one.indirect} are indirect, and {one.stored} by the analysis"
    if len(output.singles) != len(judge.records):
        yield f"causes of {len(output.singles)} waits are printed, of {len(judge.records)}"


def wrong_delays(output):
    """Yields delays that differ from the direct costs of all waits for their record, where each cost is rounded by itself."""
    sums, parts = collections.Counter(), collections.Counter()
    for one in output.singles:
        for (_, path, location), cost in one.direct.items():
            sums[location, one.kind, one.culprit_seq, path] += cost
            parts[location, one.kind, one.culprit_seq, path] += 1
    for key in {*sums, *output.delays}:
        if abs(sums[key] - output.delays[key]) > ROUNDED + parts[key]:
            yield f"delays of {key}: {output.delays[key]} are stored, and {sums[key]} are said of single waits"


def differences(our_values, judged):
    return [f"{metric} {path} {location}: {b!r}, should be {a!r}" for metric in sorted(METRICS)
            for (path, location), a, b in scout.differences(judged.get(metric, {}), our_values.get(metric, {}))]


def excessive_costs(found):
    """Yields kinds of waits for messages whose costs and indirect parts exceed the waits."""
    for kind, (indirect, propagating) in PARTS.items():
        wait, short, part, propagated = (sum(found.get(metric, {}).values()) for metric in (*KINDS[kind], indirect, propagating))
        if short + part > wait + scout.ABSOLUTE or propagated > wait + scout.ABSOLUTE:
            yield f"{kind}: {short} and {part}, or {propagated}, of {wait}"


def wrong_order(xtf, trace, waits):
    """Returns differences in the times that processes waited for senders in wrong order."""
    numbers = {process.location: process.number for process in waits.processes.values()}
    judged, found = collections.Counter(), collections.Counter()
    for (metric, _, location), ticks in waits.sums.items():
        if metric in ORDER:
            judged[metric, numbers[location]] += ticks
    columns = [line.split()[0] for line in xtf.expect("cat", trace, "waits/columns").decode().splitlines()[1:]]
    for line in xtf.expect("cat", trace, "waits/records").decode().splitlines():
        row = dict(zip(columns, line.split()))
        if row["event"] == "late_sender" and row["part_kind"] != "-":
            found[ORDER[row["part_kind"] == "same_source"], int(row["proc"])] += int(row["part"])
    return [f"{key}: {found[key]}, should be {judged[key]}" for key in sorted({*found, *judged}) if found[key] != judged[key]]


def compare(xtf, program, archive, tsv, folder):
    trace = folder / "trace.xtf"
    xtf.import_archive(archive, trace, timeout=600)
    xtf.expect("analyze", trace, timeout=600)
    waits = Waits(str(archive))
    judged = {**named(waits.sums, waits.ticks), **named(Causes(waits).sums, waits.ticks)}
    output = Output(program, trace, waits.program)
    found = named(output.sums, waits.ticks)
    wrong = [*differences(found, judged), *wrong_singles(output, Single(waits)), *wrong_delays(output)]
    wrong += list(excessive_costs(found)) + wrong_order(xtf, trace, waits)
    if tsv.exists():
        wrong += differences(found, scout.read_times(tsv, archive))
    if wrong:
        raise Failure("\n  ".join([f"{archive}: {len(wrong)} differ", *wrong[:20]]))
    print(f"{archive.parent.name}/{archive.stem}: {sum(len(v) for k, v in judged.items() if k in METRICS)} sums agree, and causes of {len(output.singles)} waits"
          + (" with Scalasca, too" if tsv.exists() else ""))
    trace.unlink()


def check_coarse_clock(xtf, program, script, seed, folder):
    """Checks costs with a clock of microseconds, whose ticks are long. Costs are stored in whole ticks: no sum may be two ticks
    off, and some must be off, or the check would show nothing."""
    lines = Program(seed, 3 + seed % 3, 60).script(ticks_per_second=10**6)
    archive, trace = make_archive(script, folder, f"coarse-{seed}", lines), folder / "trace.xtf"
    xtf.import_archive(archive, trace)
    xtf.expect("analyze", trace)
    waits = Waits(str(archive))
    exact, found = Causes(waits).sums, Output(program, trace, waits.program).sums
    sums = [(key, float(exact[key]), found.get(key, 0)) for key in {*exact, *found} if key[0] in METRICS and "delay_" in key[0]]
    wrong = [entry for entry in sums if abs(entry[1] - entry[2]) >= 2]
    off = sum(abs(a - b) > 1e-8 * a for _, a, b in sums)
    if wrong or not 0 < off < len(sums):
        raise Failure(f"coarse clocks, {seed}: {len(wrong)} of {len(sums)} sums are off by two ticks: {wrong[:5]}; {off} are off at all")
    trace.unlink()
    return len(sums), off


def check_order(xtf, script, folder):
    """Checks that a probe which takes a message counts as the receive."""
    trace = folder / "order.xtf"
    for name, program, wanted in (("in-order", IN_ORDER, ["1 30 4 0 -", "4 10 9 0 -"]), ("out-of-order", OUT_OF_ORDER, ["1 30 4 30 same_source"])):
        xtf.import_archive(make_archive(script, folder, name, program.split("\n")[1:]), trace)
        xtf.expect("analyze", trace)
        rows = xtf.expect("cat", trace, "waits/late_sender/records").decode().splitlines()
        if [" ".join(row.split()[5:10]) for row in rows] != wanted:
            raise Failure(f"{name}: {rows}")


def archives(folder, script):
    """Yields (archive, Scalasca's results of it)."""
    if script:
        for seed, n in RANDOM:
            archive = make_archive(script, folder, f"random-{seed}", Program(seed, n).script())
            yield archive, archive.parent / "scout.tsv"
        for seed, n in PROBING:
            archive = make_archive(script, folder, f"probing-{seed}", Program(seed, n, kinds=WITH_PROBES).script())
            yield archive, archive.parent / "scout.tsv"
        for name, lines in meeting_programs.programs().items():
            archive = make_archive(script, folder, name, lines)
            yield archive, archive.parent / "scout.tsv"
    shared = shared_traces()
    for archive in fewer_archives(sorted(shared.glob("**/*.otf2"))) if shared else ():
        yield archive, shared / "scalasca" / archive.parent.name / "scout.tsv"


def main():
    xtf, program, script = Xtf(sys.argv[1]), sys.argv[2], (sys.argv + [None])[3]
    need_programs("otf2-print")
    if not script and not shared_traces():
        skip("there are no shared traces here; XTF_SHARED_TRACES may name their folder")
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
            check_order(xtf, script, folder)
            checked = [check_coarse_clock(xtf, program, script, seed, folder) for seed in range(n_rounds(SEEDS))]
            print(f"coarse clocks: {sum(n for n, _ in checked)} sums of costs, {sum(off for _, off in checked)} rounded, none by two ticks")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
