#!/usr/bin/env python3
"""Idle waves. In some programs one process is late once, so the speed is known. The waves in the tree are also compared with
chains that a naive judge joins, in several selections.

usage: test_waves.py XTF OTF2-SCRIPT ARCHIVE...
"""

import collections
import pathlib
import random
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "match")]
# pylint: disable=wrong-import-position
import path_programs
from shown import ticks_of
from test_path import analyze, make_archive, table
from xtfrun import Failure, Xtf, fewer_archives, need_programs, run_test, shared_traces, temporary_folder

MOST, PROCESSES_LEAST = 100, 3
WORK, SEND, RECEIVE = 100, 4, 6  # ticks of each call
NONE = "-"

Wait = collections.namedtuple("Wait", "location row begin end amount cause kind region")
Wave = collections.namedtuple("Wave", "begin end proc wait waits processes amount ranks speed kind region")


# ---- Programs.


def exchange(timelines, neighbour):
    """Lets each process send to the rank `neighbour` higher, without waiting, and receive from the rank `neighbour` lower."""
    n = len(timelines)
    sent = {}
    for timeline in timelines:
        sent[timeline.rank] = timeline.time
        if timeline.rank + neighbour < n:
            timeline.call("MPI_Send", timeline.time + SEND, ("S", timeline.rank + neighbour, 0, 0, 8))
        else:
            timeline.work(SEND)
    for timeline in timelines:
        source = timeline.rank - neighbour
        if source >= 0:
            timeline.call("MPI_Recv", max(timeline.time, sent[source]) + RECEIVE, ("R", source, 0, 0, 8))
        else:
            timeline.work(RECEIVE)


def late_once(n, neighbour, late, delay):
    """Returns a program in which rank `late` works longer in one iteration. Ranks above it, in steps of `neighbour`, wait one
    after the other. Each waits shorter than the one before by the time of a send, since it receives after its own send."""
    timelines = path_programs.begin_timelines(n)
    begin = path_programs.begin_timelines(1)[0].time
    iterations, late_iteration = n + 4, 2
    for i in range(iterations):
        for timeline in timelines:
            timeline.work(WORK + (delay if i == late_iteration and timeline.rank == late else 0))
        exchange(timelines, neighbour)
    path_programs.end_timelines(timelines)
    iteration = WORK + SEND + RECEIVE
    ranks = list(range(late + neighbour, n, neighbour))
    amounts = [delay - SEND * (i + 1) for i in range(len(ranks))]
    begins = [begin + iteration * (late_iteration + i) + WORK + SEND for i in range(len(ranks))]
    return timelines, Wave(begins[0], begins[-1] + amounts[-1], ranks[0], 0, len(ranks), len(ranks), sum(amounts),
                           ranks[-1] - ranks[0], neighbour / iteration, "late_sender", "MPI_Recv")


# ---- The judge.


def continues_wave(row, cause):
    """Returns True if `row` continues the wave of `cause`."""
    return cause is not None and cause.end <= row.end


class Naive:
    """Chains of waits, joined in memory."""

    def __init__(self, waits, n_procs):
        self.n_procs = n_procs
        self.waits = {(wait.location, wait.row): wait for wait in waits}
        self.following = {}
        for wait in sorted(waits, key=lambda wait: (-wait.amount, wait.end, wait.location, wait.row)):
            if continues_wave(wait, self.waits.get(wait.cause)):
                self.following.setdefault(wait.cause, wait)

    def chains(self):
        behind = {(wait.location, wait.row) for wait in self.following.values()}
        for key, wait in self.waits.items():
            if key not in behind:
                chain = [wait]
                while (chain[-1].location, chain[-1].row) in self.following:
                    chain.append(self.following[chain[-1].location, chain[-1].row])
                yield chain

    def step(self, wait, next_wait):
        """Returns the step from one process to another, the shorter way around."""
        step = next_wait.location[0] - wait.location[0]
        if 2 * step > self.n_procs and step > self.n_procs // 2:
            return step - self.n_procs
        return step + self.n_procs if 2 * step < -self.n_procs else step

    def waves(self, ticks):
        found = []
        for chain in self.chains():
            processes = {wait.location[0] for wait in chain}
            if len(processes) < PROCESSES_LEAST:
                continue
            first, last = chain[0], chain[-1]
            ranks = abs(sum(self.step(wait, next_wait) for wait, next_wait in zip(chain, chain[1:])))
            speed = ranks * ticks / (last.begin - first.begin) if last.begin > first.begin else None
            found.append(Wave(first.begin, last.end, first.location[0], first.row, len(chain), len(processes),
                              sum(wait.amount for wait in chain), ranks, speed, first.kind, first.region))
        return sorted(found, key=lambda wave: (-wave.amount, wave.begin, wave.proc, wave.wait))[:MOST]


class Shown:
    def __init__(self, xtf, trace):
        self.xtf, self.trace = xtf, trace
        clock = next(line for line in xtf.expect("info", trace).decode().splitlines() if line.startswith("clock"))
        self.ticks = int(clock.split()[1])
        self.locations = sorted((int(line["proc"]), int(line["thread"])) for line in self.table("definitions/locations")
                                if line["proc"] != NONE)
        self.n_procs = max(proc for proc, _ in self.locations) + 1

    def read(self, path):
        return self.xtf.expect("cat", self.trace, path).decode()

    def table(self, path):
        return table(self.read(path))

    def time(self, cell):
        return ticks_of(cell, self.ticks, 0)

    def waits(self):
        columns = [line.split()[0] for line in self.read("waits/columns").splitlines()[1:]]
        rows = collections.Counter()
        for line in self.read("waits/records").splitlines():
            row = dict(zip(columns, line.split(None, len(columns) - 1)))
            location = int(row["proc"]), int(row["thread"])
            end, amount = self.time(row["time"]), int(row["amount"])
            cause = None
            if row["cause"] != NONE and 2 * int(row["indirect"]) >= amount:
                cause = (int(row["culprit"]), int(row["culprit_thread"])), int(row["cause"])
            yield Wait(location, rows[location], end - amount, end, amount, cause, row["event"], row["name"].strip())
            rows[location] += 1

    def waves(self, path):
        """Returns (wave, expected speed) for each line that has one."""
        found = []
        for line in self.table(path + "waves"):
            if line["begin"] == NONE:
                continue
            speed = None if line["speed"] == NONE else float(line["speed"])
            wave = Wave(self.time(line["begin"]), self.time(line["end"]), int(line["proc"]), int(line["wait"]), int(line["waits"]),
                        int(line["processes"]), self.time(line["amount"]), int(line["ranks"]), speed, line["kind"],
                        line["region"].strip())
            found.append((wave, None if line["expected"] == NONE else float(line["expected"])))
        return found


def is_near(found, wanted):
    return found == wanted or (found is not None and wanted is not None and abs(found - wanted) <= 1e-5 * wanted)


def check_waves(found, wanted, name):
    if len(found) != len(wanted):
        raise Failure(f"{name}: {len(found)} waves, should be {len(wanted)}")
    for wave, wanted_wave in zip(found, wanted):
        if wave._replace(speed=None) != wanted_wave._replace(speed=None) or not is_near(wave.speed, wanted_wave.speed):
            raise Failure(f"{name}:\n  {wave}, should be\n  {wanted_wave}")


# ----


def check_program(xtf, script, folder, n, neighbour, late, delay):
    timelines, wave = late_once(n, neighbour, late, delay)
    archive = make_archive(script, folder, f"wave-{n}-{neighbour}", path_programs.script(timelines))
    trace = folder / "wave.xtf"
    analyze(xtf, archive, trace)
    shown = Shown(xtf, trace)
    (found, expected), = shown.waves("waits/")
    origin = wave.begin - found.begin
    wave = wave._replace(begin=found.begin, end=wave.end - origin, speed=wave.speed * shown.ticks)
    check_waves([found], [wave], f"{n} processes, {late} late")
    if not is_near(expected, wave.speed):
        raise Failure(f"{n} processes: {expected} ranks/s expected, should be {wave.speed}")
    return trace


def selections(shown, waits, dice):
    """Yields (path, waits) of some selections."""
    yield "waits/", waits
    kinds = sorted({wait.kind for wait in waits})
    for _ in range(3):
        procs = sorted(dice.sample(range(shown.n_procs), k=min(shown.n_procs, dice.randint(3, 6))))
        yield f"proc/{','.join(map(str, procs))}/waits/", [wait for wait in waits if wait.location[0] in procs]
        if kinds:
            kind = dice.choice(kinds)
            yield f"waits/{kind}/", [wait for wait in waits if wait.kind == kind]
        end = dice.choice(waits).end if waits else 1
        digits = len(str(shown.ticks)) + 1
        text = str(end * 10**digits // shown.ticks).rjust(digits + 1, "0")
        yield f"time/0-{text[:-digits]}.{text[-digits:]}/waits/", [wait for wait in waits if wait.end < end]


def compare(xtf, trace, name):
    """Checks that the tree shows the judge's waves; only messages have an expected speed."""
    shown, dice, n = Shown(xtf, trace), random.Random(5), 0
    waits = list(shown.waits())
    for path, selected in selections(shown, waits, dice):
        found = shown.waves(path)
        check_waves([wave for wave, _ in found], Naive(selected, shown.n_procs).waves(shown.ticks), f"{name}: {path}waves")
        n += len(found)
    print(f"{name}: {len(waits)} waits, {n} waves in selections")


def main():
    need_programs("otf2-print")
    program, script = sys.argv[1:3]
    xtf, shared = Xtf(program), shared_traces()
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        for n, neighbour, late, delay in ((8, 1, 2, 1000), (12, 2, 1, 700), (30, 1, 0, 500), (5, 1, 1, 300)):
            compare(xtf, check_program(xtf, script, folder, n, neighbour, late, delay), f"{n} processes")
        for archive in fewer_archives([*map(pathlib.Path, sys.argv[3:]), *(sorted(shared.glob("**/traces.otf2")) if shared else [])]):
            trace = folder / "trace.xtf"
            analyze(xtf, archive, trace)
            compare(xtf, trace, archive)
    return 0


if __name__ == "__main__":
    run_test(main)
