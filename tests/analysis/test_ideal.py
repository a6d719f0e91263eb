#!/usr/bin/env python3
"""The ideal run as the tree shows it. Programs with a known ideal run are compared with it, and all traces with the naive judge,
row by row, to the tick. Also the times of derived rows where clocks are corrected.

usage: test_ideal.py XTF OTF2-SCRIPT ARCHIVE...
"""

import pathlib
import random
import re
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "match")]
# pylint: disable=wrong-import-position
import path_programs
import random_programs
from naive_ideal import Ideal, Row
from naive_waits import Waits
from path_programs import BARRIER, BCAST, NO_ROOT
from shown import ticks_of
from xtfrun import Failure, Xtf, fewer_archives, need_programs, n_rounds, run_test, shared_traces, temporary_folder

# The known ideal runs of path_programs: {process: [(waited, ideal)]}, and the length of the run.
KNOWN = {
    "chain": ({1: [(949, 1010)], 2: [(1478, 1510)]}, 1810),
    "arrivals": ({0: [(601, 711)], 2: [(399, 711)]}, 1111),
    "late_root": ({2: [(68, 140)]}, 411),
    "ring": ({0: [(15, 1025)], 1: [(989, 1010)], 2: [(993, 1015)], 3: [(997, 1020)]}, 1075),
}
RUN = re.compile(r"^ideal run +(\S+) s", re.M)
N_RANDOM = 8
N_PROBING = 4


def make_archive(script, folder, name, lines):
    done = subprocess.run([script, folder, name], input="\n".join(lines) + "\n", text=True, capture_output=True, check=False)
    if done.returncode:
        raise Failure(f"otf2-script: {done.stderr}")
    return folder / f"{name}.otf2"


def table(text):
    return [line.split() for line in text.splitlines() if not line.startswith("#")]


def records(xtf, trace, path):
    """Returns the rows of one type, split into cells."""
    return table(xtf.expect("cat", trace, path).decode())


def check_equal(found, expected, name):
    if found != expected:
        first = next((pair for pair in zip(found, expected) if pair[0] != pair[1]), None) if isinstance(found, list) else None
        raise Failure(f"{name}: {first or found}, should be {'the second' if first else expected}")


def ideal_of(xtf, trace, proc):
    """Returns the rows of a process; columns are time proc thread seq event region waited ideal name."""
    return [Row(int(row[3]), int(row[6]), int(row[7])) for row in records(xtf, trace, f"proc/{proc}/ideal/records")]


def compare(xtf, archive, trace, known=None):
    xtf.import_archive(archive, trace)
    printed = xtf.expect("analyze", trace).decode()
    waits = Waits(str(archive))
    ideal = Ideal(waits)
    n = 0
    for process, rows in ideal.rows.items():
        check_equal(ideal_of(xtf, trace, process.number) if rows else [], rows, f"{archive}: proc/{process.number}/ideal/records")
        n += len(rows)
    if int(xtf.expect("cat", trace, "ideal/count")) != n:
        raise Failure(f"{archive}: processes that the judge has no rows of have rows of ideal")
    check_equal(ticks_of(RUN.search(printed)[1], waits.ticks, 0), ideal.length, f"{archive}: the length of the ideal run")
    if known:
        found = {process.number: [row[1:] for row in rows] for process, rows in ideal.rows.items() if rows}
        check_equal((found, ideal.length), known, f"{archive}: the judge differs from the known run")
    print(f"{archive}: {n} rows")


# ---- Random programs. They are consistent: every message is received after it is sent.


def play_message(timelines, dice):
    sender, receiver = dice.sample(timelines, 2)
    tag = dice.randrange(3)
    sender.call("MPI_Send", sender.time + dice.randint(2, 40), ("S", receiver.rank, 0, tag, 8))
    until = max(sender.time, receiver.time + 1) + dice.randint(1, 40)
    receiver.call("MPI_Recv", until, ("R", sender.rank, 0, tag, 8))


def play_barrier(timelines, dice):
    last = max(timeline.time for timeline in timelines)
    for timeline in timelines:
        timeline.call("MPI_Barrier", last + dice.randint(2, 40), ("D", BARRIER, 0, NO_ROOT, 0, 0))


def play_broadcast(timelines, dice):
    root = dice.choice(timelines)
    for timeline in timelines:
        until = max(timeline.time, root.time) + dice.randint(2, 40)
        sent, received = (8, 0) if timeline is root else (0, 8)
        timeline.call("MPI_Bcast", until if timeline is not root else root.time + 2, ("D", BCAST, 0, root.rank, sent, received))


def random_timelines(seed):
    dice = random.Random(seed)
    timelines = path_programs.begin_timelines(dice.randint(2, 6))
    for _ in range(80):
        for timeline in timelines:
            timeline.work(dice.choice((1, 5, 30, 200)))
        dice.choice((play_message, play_message, play_message, play_barrier, play_broadcast))(timelines, dice)
    for timeline in timelines:
        timeline.call("MPI_Finalize", 10**6)
        timeline.note("L", "main")
    return timelines


# ---- Clocks. A derived row has the corrected time of its record.


def wrong_clocks(n, n_rounds):
    """Returns barriers without any calls, on clocks that are off by a million ticks from process to process."""
    lines = []
    for rank in range(n):
        for i in range(n_rounds):
            begin, offset = 1000 * i + 37 * (rank + i) % 11 * 20, 10**6 * rank
            lines += [f"{rank} {offset + begin + 100} B",
                      f"{rank} {offset + 1000 * i + 500 + rank} D {BARRIER} 0 {NO_ROOT} 0 0"]
    lines += ["clock 1000000000 0 100000000", f"processes {n}"]
    lines += [f"location {rank} {rank} P{rank}" for rank in range(n)]
    members = " ".join(map(str, range(n)))
    return [*lines, "region 0 main", f"world 0 {members}", f"group 1 {members}", "comm 0 1 world"]


def check_clocks(xtf, script, folder):
    n, n_rounds = 4, 30
    archive = make_archive(script, folder, "clocks", wrong_clocks(n, n_rounds))
    trace = folder / "clocks.xtf"
    xtf.import_archive(archive, trace)
    xtf.expect("align", "--quiet", trace)
    xtf.expect("analyze", "--quiet", trace)
    n_waits = 0
    for proc in range(n):
        own = {row[3]: row[0] for row in records(xtf, trace, f"proc/{proc}/collectives/records")}
        shifted = abs(float(own["0"]) - float(records(xtf, trace, "proc/0/collectives/records")[0][0]))
        if shifted > 1e-5:
            raise Failure(f"the clocks of {proc} and 0 are still {shifted} s apart")
        for row in records(xtf, trace, f"proc/{proc}/ideal/records") if proc_has(xtf, trace, proc, "ideal") else []:
            check_equal(row[0], own[row[3]], f"proc/{proc}/ideal: record {row[3]}")
        for row in records(xtf, trace, f"proc/{proc}/waits/records") if proc_has(xtf, trace, proc, "waits") else []:
            end = float(own[row[3]])
            if not end - 1e-6 <= float(row[0]) <= end:
                raise Failure(f"proc/{proc}/waits: record {row[3]} ends at {end}, its wait at {row[0]}")
            n_waits += 1
    if n_waits < n_rounds:
        raise Failure(f"only {n_waits} waits in {n_rounds} barriers")
    print(f"clocks: the times of {n_waits} waits")


def proc_has(xtf, trace, proc, kind):
    return int(xtf.expect("cat", trace, f"proc/{proc}/{kind}/count")) > 0


# ---- Threads.

# Thread 0 of process 0 is in a probe from 110 to 200. Process 1 sends the probed message only after thread 1 has sent to it.
THREADS = """
0 100 E 0\n0 110 E 1\n0 110 P 1\n0 200 L 1\n0 210 E 2\n0 214 J 1 0 8 8 1\n0 215 L 2\n0 300 L 0
1 100 E 0\n1 120 E 3\n1 120 S 1 0 7 8\n1 130 L 3\n1 300 L 0
2 100 E 0\n2 105 E 4\n2 140 R 0 0 7 8\n2 141 L 4\n2 160 E 3\n2 160 S 0 0 8 8\n2 170 L 3\n2 300 L 0
clock 1000000000 0 400\nprocesses 2\nlocation 0 0 A\nlocation 1 0 B\nlocation 2 1 C
region 0 main\nregion 1 MPI_Mprobe\nregion 2 MPI_Mrecv\nregion 3 MPI_Send\nregion 4 MPI_Recv
world 0 0 2\ngroup 1 0 1\ncomm 0 1 world"""


def check_threads(xtf, script, folder):
    """Checks a thread that waits in a probe for a message that another thread of its process causes. The replay must end and
    leave nothing out."""
    trace = folder / "threads.xtf"
    xtf.import_archive(make_archive(script, folder, "threads", THREADS.split("\n")[1:]), trace)
    printed = xtf.expect("analyze", trace).decode()
    if not re.search("^messages +2  matched; left out 0 sends, 0 receives", printed, re.M):
        raise Failure(f"threads: {printed}")
    check_equal([(int(row[6]), row[-1]) for row in records(xtf, trace, "waits/late_sender/records")], [(15, "MPI_Recv"), (50, "MPI_Mprobe")], "threads")


def main():
    need_programs("otf2-print")
    xtf, script = Xtf(sys.argv[1]), sys.argv[2]
    shared = shared_traces()
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        trace = folder / "trace.xtf"
        for what, play in path_programs.PROGRAMS.items():
            compare(xtf, make_archive(script, folder, what, path_programs.script(play()[0])), trace, KNOWN[what])
        for seed in range(n_rounds(N_RANDOM)):
            compare(xtf, make_archive(script, folder, f"chance-{seed}", path_programs.script(random_timelines(seed))), trace)
        for seed in range(n_rounds(N_PROBING)):
            lines = random_programs.Program(seed, 2 + seed, kinds=random_programs.WITH_PROBES).script()
            compare(xtf, make_archive(script, folder, f"probing-{seed}", lines), trace)
        check_clocks(xtf, script, folder)
        check_threads(xtf, script, folder)
        for archive in fewer_archives([*map(pathlib.Path, sys.argv[3:]), *(sorted(shared.glob("**/traces.otf2")) if shared else [])]):
            compare(xtf, archive, trace)
    return 0


if __name__ == "__main__":
    run_test(main)
