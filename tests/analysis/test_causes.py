#!/usr/bin/env python3
"""The backward pass that finds the causes of waits. Points that the naive judge finds in archives are compared with the judge;
programs with known causes with these causes.

usage: test_causes.py CAUSES-SCRIPT
"""

import collections
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "match")]
# pylint: disable=wrong-import-position
import closed_forms
from closed_forms import AWAITED, LEAF, MEMBER, PAIR, ROOT, WAITS, WORLD
from naive_causes import INDIRECT, KINDS, METRICS, PROPAGATING, Causes
from naive_waits import Waits
from xtfrun import Failure, fewer_archives, need_programs, run_test, shared_traces

# Tolerance for rounding, of a sum and of a single value.
TICKS = 2
THREADS = (1, 3)  # the passes of the program under test


class Script:
    """The points of a judge, as a script for the program under test."""

    def __init__(self, waits):
        self.waits = waits
        self.contexts = {}
        self.numbers = {proc: i for i, proc in enumerate(sorted(waits.processes))}
        self.operations, self.n_operations = {}, 0
        self.lines = []
        for found in waits.collectives:
            self.operation(*found)
        for proc in sorted(waits.processes):
            self.location(waits.processes[proc])
        procs = " ".join(map(str, self.numbers.values()))
        self.lines.insert(0, f"locations {len(self.numbers)} {len(self.contexts)} {procs}")

    def context(self, path):
        return self.contexts.setdefault(path, len(self.contexts))

    def operation(self, kind, records, latest):
        members = " ".join(f"{self.numbers[r.proc.number]} {int(r.seq in r.proc.points)}" for r in records)
        self.lines.append(f"operation {self.numbers[latest.proc.number]} {latest.seq} {len(records)} {members}")
        synchronise = [record for record in records if record.seq in record.proc.points]
        for record in records:
            self.operations[id(record)] = (self.n_operations, kind, latest, synchronise)
        self.n_operations += 1

    def side(self, point):
        """Returns (side, kind, partner, instance)."""
        record = point.record
        if id(record) in self.operations:
            instance, kind, latest, synchronise = self.operations[id(record)]
            side = {"12n": ROOT if record is latest else LEAF, "n21": PAIR}.get(kind, MEMBER)
            partner = latest if record is not latest else next(r for r in synchronise if r is not latest) \
                if side == PAIR else None
            return side, kind, partner, instance
        if point.kind in ("init", "finalize"):
            return WORLD, "late_sender", None, 0
        if point.kind == "late_sender" or record.name in ("MPI_SEND", "MPI_ISEND") and not point.kind:
            return WAITS if point.kind else AWAITED, "late_sender", record.other, 0
        partner = record.start.other.start if point.kind else record.done.other.done
        return WAITS if point.kind else AWAITED, "late_receiver", partner, 0

    def location(self, process):
        charges = iter(process.charges + [(float("inf"), None, 0)])
        charge = next(charges)
        for seq in sorted(process.points):
            while charge[0] < seq:
                if charge[1]:
                    self.lines.append(f"charge {self.context(charge[1])} {charge[2]}")
                charge = next(charges)
            point = process.points[seq]
            side, kind, partner, instance = self.side(point)
            to = f"{self.numbers[partner.proc.number]} {partner.seq}" if partner else "-1 0"
            self.lines.append(f"point {seq} {side} {KINDS.index(kind)} {self.context(point.record.call.path)} {point.wait} "
                              f"{point.total} {point.completion} {to} {instance}")
        self.lines.append("end")


def play(program, lines, *more):
    """Runs causes-script with each number of threads, and returns the run of the last one. All must print the same."""
    runs = [subprocess.run([program, str(threads), *more], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=600,
                           check=False) for threads in THREADS]
    for threads, run in zip(THREADS, runs):
        if (run.returncode, run.stdout) != (runs[0].returncode, runs[0].stdout):
            raise Failure(f"{threads} threads print\n{run.stdout}{run.stderr}\none\n{runs[0].stdout}{runs[0].stderr}")
    return runs[-1]


def run_script(program, script, name):
    done = play(program, script.lines)
    if done.returncode:
        raise Failure(f"{name}: {done.stderr}")
    return [line.split() for line in done.stdout.splitlines()]


def sums_of(script, lines):
    """Returns {(metric, path, location): ticks}, as the judge has them."""
    waits, paths = script.waits, {number: path for path, number in script.contexts.items()}
    procs = {number: waits.processes[proc] for proc, number in script.numbers.items()}
    sums = collections.Counter()
    for word, *numbers in lines:
        values = list(map(int, numbers))
        if word == "delay":
            key = paths[values[2]], procs[values[0]].location
            metric = METRICS[KINDS[values[3]]]
            sums[(metric, *key)] += values[4]
            sums[(metric + "_longterm", *key)] += values[5]
        elif word == "wait":
            point = procs[values[0]].points[values[1]]
            key = point.record.call.path, procs[values[0]].location
            if point.kind in INDIRECT:
                sums[(INDIRECT[point.kind], *key)] += values[2]
                sums[(PROPAGATING[point.kind], *key)] += values[3]
    return sums


def check_invariants(script, lines, name):
    """Checks that the costs charged at points do not exceed the waits, and that no part of a wait exceeds the wait."""
    waits = script.waits
    procs = {number: waits.processes[proc] for proc, number in script.numbers.items()}
    for word, *numbers in lines:
        if word == "wait":
            location, seq, indirect, propagating = map(int, numbers[:4])
            wait = procs[location].points[seq].wait
            if indirect > wait or propagating > wait:
                raise Failure(f"{name}: {indirect} and {propagating} of {wait} ticks at {location}, {seq}")
    short = sum(int(numbers[4]) for word, *numbers in lines if word == "delay")
    waited = sum(p.wait for proc in procs.values() for p in proc.points.values() if p.kind in KINDS)
    if short > waited:
        raise Failure(f"{name}: {short} ticks of {waited} are charged")


def check_archive(program, waits, name):
    script = Script(waits)
    lines = run_script(program, script, name)
    causes = Causes(waits)
    found, expected = sums_of(script, lines), causes.sums
    wrong = [f"{key}: {found[key]}, should be {float(expected[key])}" for key in sorted(set(found) | set(expected))
             if abs(found[key] - expected[key]) > TICKS]
    if wrong:
        raise Failure("\n  ".join([f"{name}: {len(wrong)} differ", *wrong[:10]]))
    counts = list(map(int, lines[-1][1:]))
    if counts[1:] != [0, 0]:
        raise Failure(f"{name}: circles and lost ends: {counts[1:]}")
    check_invariants(script, lines, name)
    print(f"{name}: {sum(1 for v in expected.values() if v)} sums of {counts[0]} waits agree")
    return lines


MEETS, MET = 10, 11  # XtfPointSide


def check_many_waits_in_one_call(script):
    """Checks a call that waits for very many processes, each of which works 5 ticks longer. The number of examined points must
    grow linearly."""
    n, seq = 2000, 10
    lines = [f"locations {n + 1} 1 " + " ".join(map(str, range(n + 1)))]
    lines += [f"point {seq} {MEETS} 0 0 5 0 0 {i + 1} {i + 1} {i}" for i in range(n)] + ["end"]
    for i in range(n):
        lines += ["charge 0 5", f"point {i + 1} {MET} 0 0 0 0 0 0 {seq} {i}", "end"]
    printed = play(script, lines)
    delays = [list(map(int, line.split()[1:])) for line in printed.stdout.splitlines() if line.startswith("delay")]
    counts, looked = printed.stdout.splitlines()[-1], int(printed.stderr.split()[1])
    if counts != f"counts {n} 0 0" or sorted(delays) != [[i + 1, i + 1, 0, 0, 5, 0] for i in range(n)]:
        raise Failure(f"many waits of one call: {counts}; delays {delays[:3]}...")
    if looked > 10 * n:
        raise Failure(f"many waits of one call: {looked} points examined for {n} waits")
    print(f"{n} waits of one call: {looked} points examined")


def check_script(script, name, lines, expected):
    printed = play(script, lines).stdout
    found = [line for line in printed.splitlines() if not line.startswith("wait")]
    if found != expected:
        raise Failure(f"{name}: {found}, should be {expected}")


def check_circle(script):
    """Checks two locations whose last points were awaited by the first waits of each other. The pass continues at the lower one.
    Each is charged for the work of its second call, which the other has not done. If times cannot be read, the pass ends."""
    lines = ["locations 2 2 0 1"]
    for other, wait in ((1, 5), (0, 7)):
        lines += ["charge 0 10", f"point 1 {WAITS} 0 0 {wait} 8 0 {other} 2 0", "charge 1 20", f"point 2 {AWAITED} 0 1 0 8 0 {other} 1 0", "end"]
    check_script(script, "a circle", lines, ["delay 0 2 1 0 7 0", "delay 1 2 1 0 5 0", "counts 2 1 0"])
    broken = play(script, lines, "broken")
    if broken.returncode != 1 or "read" not in broken.stderr:
        raise Failure(f"a circle whose times cannot be read: {broken}")


def check_missing_wait(script):
    """Checks a point whose wait is not there: it is counted, and no other wait is affected."""
    lines = ["locations 2 2 0 1",
             "charge 0 10", f"point 1 {WAITS} 0 0 5 8 0 1 2 0", "charge 1 20", f"point 2 {AWAITED} 0 1 0 8 0 1 9 0", "end",
             "charge 0 30", f"point 2 {AWAITED} 0 1 0 8 0 0 1 0", "end"]
    check_script(script, "a missing wait", lines, ["delay 1 2 0 0 5 0", "counts 1 0 1"])


def check_many_questions(script):
    """Checks waits of one process for many others, each in a record of its own. The others ask for them, as the process is blocked by a
    missing wait. The number of examined points must grow linearly."""
    n = 2000
    lines = [f"locations {n + 1} 1 " + " ".join(map(str, range(n + 1)))]
    lines += [f"point {i} {MEETS} 0 0 5 0 0 {i} 1 {i}" for i in range(1, n + 1)] + [f"point {n + 1} {AWAITED} 0 0 0 0 0 1 99 0", "end"]
    for i in range(1, n + 1):
        lines += ["charge 0 5", f"point 1 {MET} 0 0 0 0 0 0 {i} {i}", "end"]
    printed = play(script, lines)
    counts, looked = printed.stdout.splitlines()[-1], int(printed.stderr.split()[1])
    if counts != f"counts {n} 0 1" or looked > 10 * n:
        raise Failure(f"many questions: {counts}; {looked} points examined for {n} waits")


def main():
    program = sys.argv[1]
    check_many_waits_in_one_call(program)
    check_many_questions(program)
    check_circle(program)
    check_missing_wait(program)
    closed_forms.check_programs(lambda script, what: run_script(program, script, what))
    need_programs("otf2-print")
    folder = shared_traces()
    for archive in fewer_archives(sorted(folder.glob("**/*.otf2"))) if folder else []:
        check_archive(program, Waits(str(archive)), archive.parent.name)
    return 0


if __name__ == "__main__":
    run_test(main)
