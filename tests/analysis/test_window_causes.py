#!/usr/bin/env python3
"""Causes of waits in one-sided communication. Random programs are compared with the naive judge, for each wait, and with the
delays that the analysis has stored. Programs with known causes are compared with them, to the tick.

usage: test_window_causes.py XTF TRACE-CAUSES OTF2-SCRIPT
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
import window_programs
from naive_kinds import Kinds
from naive_windows import WindowSingle
from test_trace_causes import Output, wrong_delays, wrong_singles
from xtfrun import Failure, Xtf, need_programs, n_rounds, run_test, temporary_folder

PROGRAMS = (kind_programs.fences, kind_programs.shared_memory, kind_programs.epochs, kind_programs.window_locks)
SEEDS = 3


def analysed(xtf, script, folder, name, text):
    subprocess.run([script, folder, name], input=text, text=True, check=True, timeout=60)
    xtf.expect("import", "-q", "-o", f"{folder}/{name}.xtf", f"{folder}/{name}.otf2")
    xtf.expect("analyze", "-q", f"{folder}/{name}.xtf")
    return f"{folder}/{name}.xtf"


def check_random_program(xtf, options, make, seed, folder):
    name = f"{make.__name__}-{seed}"
    trace = analysed(xtf, options[2], folder, name, make(random.Random(seed)).script())
    output, judge = Output(options[1], trace, None), WindowSingle(Kinds(f"{folder}/{name}.otf2"))
    wrong = [*wrong_singles(output, judge), *wrong_delays(output)]
    unexplained = [str(one) for one in output.singles if one.unexplained and one.sum]
    if wrong or not output.singles:
        raise Failure("\n  ".join([f"{name}: {len(wrong)} differ of {len(output.singles)}", *wrong[:20]]))
    return len(output.singles), sum(one.indirect > 0 for one in output.singles), len(unexplained)


def check_known(xtf, options, name, text, wanted, folder):
    """Checks causes against `wanted`, {(kind, location): [{(steps, path, location): ticks} of each wait]}; none may be
    unexplained."""
    output = Output(options[1], analysed(xtf, options[2], folder, name, text), None)
    found = collections.defaultdict(list)
    for one in output.singles:
        found[one.kind, one.location].append({(steps, "/".join(path), location): cost
                                              for (steps, path, location), cost in {**one.direct, **one.further}.items()})
    if found != wanted or any(one.unexplained for one in output.singles):
        raise Failure(f"{name}: causes are {found}, should be {wanted}; not explained: {[one.unexplained for one in output.singles]}")


def main():
    need_programs("otf2-print")
    options = sys.argv[1:]
    xtf = Xtf(options[0])
    with temporary_folder() as folder:
        for name, (text, wanted) in window_programs.programs().items():
            check_known(xtf, options, name, text, wanted, folder)
        print(f"{len(window_programs.programs())} programs whose causes are known")
        for make in PROGRAMS:
            counts = [check_random_program(xtf, options, make, seed, folder) for seed in range(n_rounds(SEEDS))]
            waits, indirect, unexplained = (sum(column) for column in zip(*counts))
            if not indirect and make != kind_programs.fences:  # all processes meet in each fence, so no wait lies in between
                raise Failure(f"{make.__name__}: no wait is indirect, so little is checked")
            print(f"{make.__name__}: causes of {waits} waits, {indirect} of them indirect, {unexplained} not explained in full")
    return 0


if __name__ == "__main__":
    run_test(main)
