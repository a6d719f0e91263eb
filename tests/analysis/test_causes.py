#!/usr/bin/env python3
"""The backward pass that finds the causes of waits, against the naive judge, on the points that the judge finds in archives; and on
programs whose causes are known.

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
from closed_forms import ALL, LATE_RECEIVER, LATE_SENDER, MEMBER, NONE, POSTING, SEND
from naive_causes import INDIRECT, KINDS, METRICS, PROPAGATING, Causes
from naive_waits import Waits
from xtfrun import Failure, need, shared_traces

# Rounding: of a sum of many parts, and of one.
TICKS = 2


class Script:
    """The points of a judge, told to the program under test."""

    def __init__(self, waits):
        self.waits = waits
        self.contexts = {}
        self.numbers = {proc: i for i, proc in enumerate(sorted(waits.processes))}
        self.operations, self.n_operations = {}, 0
        self.lines = []
        for kind, records, latest in waits.collectives:
            self.operation(kind, records, latest)
        for process in waits.processes.values():
            for point in process.points.values():
                self.point(process, point)
        self.lines.append("calls")
        for proc in sorted(waits.processes):
            self.calls(waits.processes[proc])
        procs = " ".join(map(str, self.numbers.values()))
        self.lines.insert(0, f"locations {len(self.numbers)} {len(self.contexts)} {procs}")

    def context(self, path):
        return self.contexts.setdefault(path, len(self.contexts))

    def operation(self, kind, records, latest):
        members = " ".join(f"{self.numbers[r.proc.number]} {int(r.seq in r.proc.points)}" for r in records)
        self.lines.append(f"operation {KINDS.index(kind)} {self.numbers[latest.proc.number]} {latest.seq} "
                          f"{len(records)} {members}")
        self.operations.update({id(record): self.n_operations for record in records})
        self.n_operations += 1

    def point(self, process, point):
        record, kind, other, operation = point.record, NONE, None, 0
        cost = KINDS.index(point.kind) if point.kind in KINDS else 0
        if id(record) in self.operations:
            kind, operation = MEMBER, self.operations[id(record)]
        elif point.kind in ("init", "finalize"):
            kind = ALL
        elif point.kind == "late_sender":
            kind, other = LATE_SENDER, record.other
        elif point.kind == "late_receiver":
            kind, other = LATE_RECEIVER, record.start.other.start
        elif "SEND" in record.name:
            kind, other = SEND, record.other
        else:
            kind, other = POSTING, record.done.other.done
        to = f"{self.numbers[other.proc.number]} {other.seq}" if other else "-1 0"
        self.lines.append(f"point {self.numbers[process.number]} {record.seq} {kind} {cost} {self.context(record.call.path)} "
                          f"{point.wait} {point.total} {point.completion} {to} {operation}")

    def calls(self, process):
        self.lines.append("location")
        charges = iter(process.charges + [(float("inf"), None, 0)])
        charge = next(charges)
        for seq in sorted(process.points):
            while charge[0] < seq:
                self.lines.append(f"charge {self.context(charge[1])} {charge[2]}")
                charge = next(charges)
            self.lines.append("here")


def play(program, script, what):
    done = subprocess.run([program], input="\n".join(script.lines) + "\n", capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise Failure(f"{what}: {done.stderr}")
    return [line.split() for line in done.stdout.splitlines()]


def sums_of(script, lines):
    """{(metric, path, location): ticks}, as the judge has them."""
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


def check_invariants(script, lines, what):
    """What is charged at a point is no more than what was waited for it, and nothing of a wait is more than the wait."""
    waits = script.waits
    procs = {number: waits.processes[proc] for proc, number in script.numbers.items()}
    for word, *numbers in lines:
        if word == "wait":
            location, seq, indirect, propagating = map(int, numbers[:4])
            wait = procs[location].points[seq].wait
            if indirect > wait or propagating > wait:
                raise Failure(f"{what}: {indirect} and {propagating} of {wait} ticks at {location}, {seq}")
    short = sum(int(numbers[4]) for word, *numbers in lines if word == "delay")
    waited = sum(p.wait for proc in procs.values() for p in proc.points.values() if p.kind in KINDS)
    if short > waited:
        raise Failure(f"{what}: {short} ticks of {waited} are charged")


def compare(program, waits, what):
    script = Script(waits)
    lines = play(program, script, what)
    causes = Causes(waits)
    found, wanted = sums_of(script, lines), causes.sums
    wrong = [f"{key}: {found[key]}, should be {float(wanted[key])}" for key in sorted(set(found) | set(wanted))
             if abs(found[key] - wanted[key]) > TICKS]
    if wrong:
        raise Failure("\n  ".join([f"{what}: {len(wrong)} differ", *wrong[:10]]))
    counts = list(map(int, lines[-1][1:]))
    if counts[1:] != [0, 0]:
        raise Failure(f"{what}: circles and lost ends: {counts[1:]}")
    check_invariants(script, lines, what)
    print(f"{what}: {sum(1 for v in wanted.values() if v)} sums of {counts[0]} waits agree")
    return lines


def main():
    program = sys.argv[1]
    closed_forms.check(lambda script, what: play(program, script, what))
    need("otf2-print")
    folder = shared_traces()
    for archive in sorted(folder.glob("**/*.otf2")) if folder else []:
        compare(program, Waits(str(archive)), archive.parent.name)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(failure)
        sys.exit(1)
