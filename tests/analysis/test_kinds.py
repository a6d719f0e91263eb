#!/usr/bin/env python3
"""Waits that need no messages, of programs whose waits are known. The waits that the analysis finds are compared with the truth,
and with the naive judge, which reads only the output of otf2-print. `xtf analyze` must write the same waits. naive_teams.py
judges the costs of delays before barriers of teams and of idle threads.

usage: test_kinds.py XTF OTF2-SCRIPT FIND-KINDS
"""

import collections
import pathlib
import random
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "match")]
# pylint: disable=wrong-import-position
import kind_programs
import programs
from naive_kinds import Kinds, Wait
from naive_teams import TeamDelays
from random_teams import Team
from shown import ticks_of
from xtfrun import Failure, Xtf, need_programs, n_rounds, temporary_folder

PROGRAMS = (kind_programs.locks, kind_programs.joins, kind_programs.files, kind_programs.teams, kind_programs.fences,
            kind_programs.shared_memory, kind_programs.epochs, kind_programs.window_locks)
SEEDS = 4
# Kinds of waits through which the critical path moves; tested in programs without other kinds.
MOVING = ("wait_fence", "early_fence", "late_post", "early_wait", "lock_competition", "wait_alloc", "wait_barrier", "wait_nxn", "late_broadcast",
          "early_reduce", "wait_create", "wait_destroy")
WITH_PATH = (kind_programs.locks, kind_programs.joins, kind_programs.fences, kind_programs.shared_memory, kind_programs.epochs, kind_programs.window_locks)
# Kinds whose seq is that of the previous record of the location; the judge has no seq for them.
WITHOUT_SEQ = ("omp_idle", "omp_limited")
# Types of the records to which `match` leads: docs/VOCABULARY.md, section 9.
MATCHES = {"lock_contention": "locks", "io_lock": "io_locks", "omp_barrier_wait": "enters_leaves", "omp_fork": "threads", "thread_join": "threads",
           "omp_idle": "threads", "omp_limited": "threads", "wait_fence": "rma_collectives", "early_fence": "rma_operations",
           "late_post": "rma_syncs", "early_wait": "rma_syncs", "lock_competition": "rma_locks", "wait_alloc": "rma_collectives",
           "wait_create": "rma_collectives", "wait_barrier": "rma_collectives", "late_broadcast": "rma_collectives",
           "wait_nxn": "rma_collectives", "wait_destroy": "rma_collectives", "early_reduce": "rma_collectives",
           "early_scan": "rma_collectives"}


def found_by(find_kinds, trace):
    lines = subprocess.run([find_kinds, trace], check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout.splitlines()
    for line in lines:
        cells = [None if cell == "-" else cell for cell in line.split()]
        numbers = [None if cell is None else int(cell) for cell in cells[:2] + cells[3:10]]
        seq = None if cells[2] in WITHOUT_SEQ else numbers[1]
        yield Wait(numbers[0], seq, cells[2], *numbers[2:], cells[10] or "-")


def differences(name, found, expected):
    """Yields a message for each line that is in only one of two lists."""
    for title, lines in (("too much", [x for x in found if x not in expected]), ("missing", [x for x in expected if x not in found])):
        for line in lines[:5]:
            yield f"{name}: {title}: {line}"


def check_program(xtf, options, make, seed, folder):
    program = make(random.Random(seed))
    name = f"{make.__name__}-{seed}"
    subprocess.run([options[1], folder, name], input=program.script(), text=True, check=True, timeout=60)
    trace = f"{folder}/{name}.xtf"
    xtf.expect("import", "-q", "-o", trace, f"{folder}/{name}.otf2")
    found = sorted(found_by(options[2], trace), key=repr)
    kinds = Kinds(f"{folder}/{name}.otf2")
    judged = sorted(kinds.waits, key=repr)
    truth = sorted(program.truth, key=repr)
    short = sorted((kind_programs.Truth(w.location, w.kind, w.begin, w.end, w.culprit) for w in found if w.end > w.begin),
                   key=repr)
    problems = [*differences("truth", short, truth), *differences("judge", found, judged)]
    if problems or len(short) != len(truth) or len(found) != len(judged) or not found:
        raise Failure("\n".join([f"{name}: {len(found)} waits, {len(truth)} in truth, {len(judged)} by the judge", *problems]))
    check_overlap(name, found)
    xtf.expect("analyze", "-q", trace)
    written, expected = sorted(shown_waits(xtf, trace), key=repr), sorted(map(row_of, truth), key=repr)
    if written != expected:
        raise Failure("\n".join([f"{name}: {len(written)} rows of waits", *differences("rows", written, expected)]))
    check_links(xtf, trace, name)
    check_delays(xtf, trace, kinds)
    return len(found), check_path(xtf, trace, kinds) if make in WITH_PATH else None


def path_of(kinds):
    """Returns [(begin, end, location, next)] of the critical path, the latest first. The path leads back to the end of the latest
    wait. There it moves, at the same time, to the culprit, before the record that was waited for."""
    moving = collections.defaultdict(list)
    for wait in kinds.waits:
        moves = wait.kind in MOVING or (wait.location, wait.seq) in kinds.leading
        if moves and wait.end > wait.begin and wait.culprit != wait.location:
            moving[wait.location].append(wait)
    for location, (begin, create) in kinds.created.items():
        moving[location].append(Wait(location, begin.seq, None, None, create.time, create.location, create.seq, *[None] * 4))
    location = max(sorted(kinds.bounds), key=lambda location: kinds.bounds[location][1])
    time, seq, next_location, found = kinds.bounds[location][1], float("inf"), None, []
    while True:
        behind = [wait for wait in moving[location] if wait.end <= time and wait.seq < seq]
        last = max(behind, key=lambda wait: (wait.end, wait.seq), default=None)
        begin = last.end if last else min(kinds.bounds[location][0], time)
        if begin < time:
            found.append((begin, time, location, next_location))
        if not last:
            return found
        next_location = location if last.end < time else next_location
        location, time, seq = last.culprit, last.end, last.culprit_seq


def check_path(xtf, trace, kinds):
    """Checks that the path moves at waits of one-sided communication and of POSIX threads as at waits for messages."""
    threads = kind_programs.THREADS
    lines = [line.split() for line in xtf.expect("cat", trace, "critical/segments").decode().splitlines()[1:]]
    found = [(ticks_of(begin, programs.TICKS, 0), ticks_of(end, programs.TICKS, 0), int(proc) * threads + int(thread),
              None if late == "-" else int(late) * threads + int(of)) for begin, end, proc, thread, late, of in lines]
    expected = path_of(kinds)[::-1]
    if found != expected:
        raise Failure("\n".join([f"{trace}: {len(found)} segments, should be {len(expected)}", *differences("path", found, expected)]))
    return len(expected) - 1


def costs_of(xtf, trace, locations):
    """Returns {(kind, call path, location): [direct costs, long-term costs]} in ticks."""
    found = {}
    for location in locations:
        proc, thread = divmod(location, kind_programs.THREADS)
        shown_here = xtf.expect("cat", trace, f"proc/{proc}/thread/{thread}/delays/callpaths").decode().splitlines()
        for kind, _, direct, long_term, _, _, path in (line.split(None, 6) for line in shown_here[1:]):
            found[kind, path.rstrip(), location] = [ticks_of(cell, programs.TICKS, 0) for cell in (direct, long_term)]
    return found


def check_delays(xtf, trace, kinds):
    """Checks costs by kind, call path and thread. They are stored in whole ticks, so a sum is off by less than two. Costs of
    one-sided communication have their own test, test_window_causes.py."""
    expected, found = TeamDelays(kinds).sums, costs_of(xtf, trace, kinds.calls)
    for key in {*expected, *(key for key in found if key[0].startswith("omp_"))}:
        judged, shown_here = expected.get(key, (0, 0)), found.get(key, (0, 0))
        if any(abs(a - b) >= 2 for a, b in zip(judged, shown_here)):
            raise Failure(f"{trace}: {key} costs {shown_here} ticks, {list(map(float, judged))} by the judge")
    if kinds.entries and {kind for kind, _, _ in expected} != {"omp_barrier_wait", "omp_idle"}:
        raise Failure(f"{trace}: costs only of {sorted(expected)}")
    for kind in {kind for kind, _, _ in found}:
        cost = sum(ticks for (cost_kind, _, _), (ticks, _) in found.items() if cost_kind == kind)
        waited = sum(wait.end - wait.begin for wait in kinds.waits if wait.kind == kind)
        if cost > waited:
            raise Failure(f"{trace}: {kind} costs {cost} ticks, of {waited} that were waited")


def check_team(xtf, script, seed, folder):
    """Checks a team of one process that shares work: all threads call the same region, and there are critical regions."""
    name = f"team-{seed}"
    lines = "\n".join(Team(seed, 2 + seed % 4).script()) + "\n"
    subprocess.run([script, folder, name], input=lines, text=True, check=True, timeout=60)
    xtf.expect("import", "-q", "-o", f"{folder}/{name}.xtf", f"{folder}/{name}.otf2")
    xtf.expect("analyze", "-q", f"{folder}/{name}.xtf")
    check_delays(xtf, f"{folder}/{name}.xtf", Kinds(f"{folder}/{name}.otf2"))


def check_hybrid(xtf, script, folder):
    """Checks costs that move from threads to processes, to the tick."""
    lines, expected, indirect = kind_programs.hybrid()
    trace = f"{folder}/hybrid.xtf"
    subprocess.run([script, folder, "hybrid"], input=lines, text=True, check=True, timeout=60)
    xtf.expect("import", "-q", "-o", trace, f"{folder}/hybrid.otf2")
    xtf.expect("analyze", "-q", trace)
    found = {key: costs for key, costs in costs_of(xtf, trace, (0, 1, kind_programs.THREADS)).items() if any(costs)}
    if found != expected:
        raise Failure(f"a hybrid program costs {found}, should cost {expected}")
    columns = [line.split()[0] for line in xtf.expect("cat", trace, "waits/columns").decode().splitlines()[1:]]
    rows = [dict(zip(columns, line.split())) for line in xtf.expect("cat", trace, "waits/records").decode().splitlines()]
    shown_here = {row["event"]: int(row["indirect"]) for row in rows if int(row["indirect"])}
    if shown_here != indirect:
        raise Failure(f"a hybrid program: indirect are {shown_here}, should be {indirect}")


def check_links(xtf, trace, name):
    """Checks that the first wait of each kind links to the record of the other side."""
    columns = [line.split()[0] for line in xtf.expect("cat", trace, "waits/columns").decode().splitlines()[1:]]
    seen = set()
    for number, line in enumerate(xtf.expect("cat", trace, "waits/records").decode().splitlines()):
        row = dict(zip(columns, line.split()))
        if row["event"] in seen or row["match"] == "-" or row["culprit"] == "-":
            continue
        seen.add(row["event"])
        expected = f"proc/{row['culprit']}/thread/{row['culprit_thread']}/{MATCHES[row['event']]}/num/{row['match']}"
        found, right = (xtf.expect("cat", trace, path) for path in (f"waits/num/{number}/match/record", f"{expected}/record"))
        if found != right:
            raise Failure(f"{name}: {row['event']} leads to\n{found.decode()}, should lead to\n{right.decode()}")


def row_of(wait):
    """Returns (process, thread, kind, begin, end, (process, thread) of the culprit). The culprit is None for a wait for the
    waiter itself."""
    waiter, late = (divmod(location, kind_programs.THREADS) for location in (wait.location, wait.culprit))
    return (*waiter, wait.kind, wait.begin, wait.end, late if late != waiter else None)


def shown_waits(xtf, trace):
    """Yields the waits that the tree shows, without completions, which are no waits."""
    for line in xtf.expect("cat", trace, "waits/records").decode().splitlines():
        cells = line.split()
        end, amount, late = ticks_of(cells[0], programs.TICKS, 0), int(cells[6]), cells[13:15]
        if not cells[4].endswith("_completion"):
            yield (int(cells[1]), int(cells[2]), cells[4], end - amount, end,
                   None if late == ["-", "-"] else tuple(map(int, late)))


def check_overlap(name, found):
    """Checks that waits of a location do not overlap."""
    last = {}
    for wait in sorted(found, key=lambda wait: (wait.location, wait.begin)):
        before = last.get(wait.location)
        if before and before.end > wait.begin:
            raise Failure(f"{name}: {before} and {wait} overlap")
        last[wait.location] = wait


def main():
    need_programs("otf2-print")
    options = sys.argv[1:]
    with temporary_folder() as folder:
        xtf = Xtf(options[0])
        for make in PROGRAMS:
            checked = [check_program(xtf, options, make, seed, folder) for seed in range(n_rounds(SEEDS))]
            print(f"{make.__name__}: {sum(n for n, _ in checked)} waits")
            if make in WITH_PATH and not sum(moves for _, moves in checked):
                raise Failure(f"{make.__name__}: the path stays where it ends")
        for seed in range(n_rounds(SEEDS)):
            check_team(xtf, options[1], seed, folder)
        check_hybrid(xtf, options[1], folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
