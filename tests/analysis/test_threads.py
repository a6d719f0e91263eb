#!/usr/bin/env python3
"""The analysis of random programs with several numbers of threads: all must find the same, and write the same file.

Some traces lack records, or have records that contradict each other, so that the replay is stuck. A generated trace has more call
paths than an analysis keeps.

usage: test_threads.py XTF OTF2-SCRIPT GENERATE MAKE-CALLPATHS [PROGRAMS [SEED]]
"""

import pathlib
import random
import shutil
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(TESTS / "roundtrip"))
# pylint: disable=wrong-import-position
import lossy_programs
import random_programs
from xtfrun import Failure, Xtf, n_rounds, need_programs, run_test, temporary_folder

THREADS = (1, 2, 3, 8)
TABLES = [f"{kind}/records" for kind in ("waits", "delays", "critical", "activity", "ideal")] + ["definitions/contexts"]
N_PROGRAMS = 24
CALLPATHS_MANY = 1 << 14
COMMIT_BYTES = 64  # most bytes that differ by the time of a commit and the checksums over it


def write_random(dice, script, folder, name):
    """Writes a random program whose records are complete."""
    program = random_programs.Program(dice.randrange(10 ** 6), n_procs=dice.choice([2, 4, 9]), steps=dice.choice([60, 300]),
                                      kinds=dice.choice([None, random_programs.WITH_PROBES]), overtake=dice.random() < 0.5)
    subprocess.run([script, folder, name], input="\n".join(program.script()) + "\n", text=True, check=True)
    return folder / f"{name}.otf2"


def contradict(dice, records):
    """Changes some records: the sizes of messages, their receivers' order, and operations."""
    records = list(records)
    for place in dice.sample(range(len(records)), max(1, len(records) // 40)):
        proc, time, kind, numbers, message = records[place]
        numbers = list(numbers)
        if kind in "SIRJ":
            numbers[3] += dice.choice([0, 8])
            numbers[0] = dice.choice([numbers[0], (numbers[0] + 2) % 4])
        elif kind == "D":
            numbers[0] = dice.choice([lossy_programs.BARRIER, lossy_programs.ALLREDUCE])
        records[place] = (proc, time, kind, tuple(numbers), message)
    return records


def write_lossy(dice, script, folder, name):
    """Writes a program that lacks records, or whose records contradict each other."""
    program = lossy_programs.Program(dice, steps=dice.choice([20, 60]), each=dice.choice([1, 3]), between=dice.choice([1, 5, 10 ** 9]),
                                     sizes=dice.choice([1, 4]), blocking=dice.random() < 0.5)
    records = program.records
    for side in dice.choice(["R", "S", "RS", "RRSS", ""]):
        kinds = lossy_programs.RECEIVES if side == "R" else lossy_programs.SENDS
        records = lossy_programs.without(dice, records, kinds, 10 ** 9)
    if dice.random() < 0.7:
        records = contradict(dice, records)
    return program.write(script, folder, name, records)


def analysis_of(xtf, trace, threads):
    """Returns the report and the tables of the analysis with a number of threads, and the size of its file."""
    companion = trace.with_suffix(".xtf.analysis")
    report = xtf.expect("analyze", "-f", "-j", str(threads), "-o", companion, trace)
    tables = [xtf.expect("cat", trace, path) for path in TABLES]
    return report, tables, companion.stat().st_size


def analysed_copy(xtf, trace, threads):
    """Returns the bytes of a copy of the trace that was analysed in place."""
    copy = trace.with_suffix(".copy.xtf")
    shutil.copyfile(trace, copy)
    xtf.expect("analyze", "-j", str(threads), copy)
    return copy.read_bytes()


def check_bytes(xtf, trace, threads):
    """Checks that the files of one thread and of several differ in the time of their commit alone."""
    one, several = analysed_copy(xtf, trace, 1), analysed_copy(xtf, trace, threads)
    differing = [i for i in range(0, len(one), 256) if one[i:i + 256] != several[i:i + 256]]
    n_bytes = sum(a != b for i in differing for a, b in zip(one[i:i + 256], several[i:i + 256]))
    if len(one) != len(several) or n_bytes > COMMIT_BYTES:
        raise Failure(f"{trace}: {n_bytes} bytes of {threads} threads' file differ; {len(one)} and {len(several)} bytes")


def compare(xtf, archive):
    """Compares the analyses. Returns the number of uncertain ends in the report."""
    trace = archive.with_suffix(".xtf")
    xtf.import_archive(archive, trace)
    first = analysis_of(xtf, trace, THREADS[0])
    for threads in THREADS[1:]:
        other = analysis_of(xtf, trace, threads)
        if other[0] != first[0]:
            raise Failure(f"{archive}: the report of {threads} threads is\n{other[0]}\nof one:\n{first[0]}")
        for path, text, of_one in zip(TABLES, other[1], first[1]):
            if text != of_one:
                raise Failure(f"{archive}: {path} of {threads} threads differs")
        if other[2] != first[2]:
            raise Failure(f"{archive}: the file of {threads} threads has {other[2]} bytes, that of one {first[2]}")
    check_bytes(xtf, trace, THREADS[-1])
    text = first[0].decode() if isinstance(first[0], bytes) else first[0]
    line = next(line for line in text.splitlines() if line.split()[0] == "uncertain")
    return int(line.split()[1])


def rows_of(xtf, trace, path):
    """Returns the rows of a table, as cells."""
    return [line.split() for line in xtf.expect("cat", trace, path).splitlines()[1:]]


def callpaths_of(xtf, trace):
    """Returns the number of different stacks of a trace by level, from its records."""
    stacks, found = {}, set()
    for line in xtf.expect("cat", trace, "enters_leaves/records").splitlines():
        cells = line.split()
        stack = stacks.setdefault(cells[1], [])
        if b"ENTER" in cells or "ENTER" in cells:
            stack.append(cells[-1])
            found.add(tuple(stack))
        else:
            stack.pop()
    levels = {}
    for stack in found:
        levels[len(stack)] = levels.get(len(stack), 0) + 1
    return [levels[level] for level in sorted(levels)]


def check_cut(xtf, generate, folder):
    """Checks the analysis of a trace with very many call paths: the levels that it has, and its size."""
    trace = folder / "many.xtf"
    subprocess.run([generate, "-n", "1200000", "-l", "4", trace], check=True, capture_output=True)
    first = analysis_of(xtf, trace, 1)
    for threads in THREADS[1:]:
        if analysis_of(xtf, trace, threads) != first:
            raise Failure(f"{trace}: the analysis of {threads} threads differs")
    check_bytes(xtf, trace, 2)
    by_level, left = callpaths_of(xtf, trace), []
    while by_level and sum(left) + by_level[0] <= CALLPATHS_MANY:
        left.append(by_level.pop(0))
    n = len(rows_of(xtf, trace, "definitions/contexts"))
    if not by_level or n != sum(left):
        raise Failure(f"{n} call paths are left of {left} and {by_level} by level")
    share = 100 * first[2] / trace.stat().st_size
    if share > 5:
        raise Failure(f"the companion takes {share:.1f} % of the trace")


def check_roots(xtf, make_callpaths, folder):
    """Checks the analysis of a trace with very many outermost functions. The functions with the lowest numbers are left."""
    trace = folder / "roots.xtf"
    subprocess.run([make_callpaths, "roots", "40000", "4", trace], check=True)
    first = analysis_of(xtf, trace, 1)
    if f"outer functions {CALLPATHS_MANY:>15}" not in str(first):
        raise Failure("the report does not say that outermost functions are left out")
    for threads in THREADS[1:]:
        if analysis_of(xtf, trace, threads) != first:
            raise Failure(f"{trace}: the analysis of {threads} threads differs")
    called = sorted(int(row[0]) for row in rows_of(xtf, trace, "profile") if row[0].isdigit() and int(row[1]) > 0)
    left = [int(row[-1]) for row in rows_of(xtf, trace, "definitions/contexts")]
    if left != called[:CALLPATHS_MANY]:
        raise Failure(f"{len(left)} call paths are left, and not those of the functions with the lowest numbers")
    if not rows_of(xtf, trace, "waits/profile"):
        raise Failure("the program does not wait")


def main():
    xtf, script, generate, make_callpaths = Xtf(sys.argv[1]), *sys.argv[2:5]
    n = int(sys.argv[5]) if len(sys.argv) > 5 else n_rounds(N_PROGRAMS)
    seed = int(sys.argv[6]) if len(sys.argv) > 6 else 1
    need_programs("otf2-print")
    uncertain = 0
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        check_cut(xtf, generate, folder)
        check_roots(xtf, make_callpaths, folder)
        for number in range(n):
            dice = random.Random(seed * 1000003 + number)
            write = write_lossy if number % 2 else write_random
            archive = write(dice, script, folder, f"p{number}")
            uncertain += compare(xtf, archive)
    if n > 10 and uncertain < 100:
        raise Failure(f"only {uncertain} ends are uncertain: the programs hardly contradict themselves")
    print(f"{n} programs, {uncertain} uncertain sends")
    return 0


if __name__ == "__main__":
    run_test(main)
