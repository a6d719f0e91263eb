#!/usr/bin/env python3
"""Measures the cost of recording UPC programs: for a notification, and the paper's table of overheads by the size of buffers.

usage: gasp.py [--reads N] [--work STEPS] [--threads N] [options of all benches]

The program is a storm of reads of shared data, as CG of NPB, with --work (400) steps of computing between two reads. Synchronous:
a thread whose buffer is full waits until all of it is written (--when-full=flush). Asynchronous: the collector writes while the
thread fills the rest. The time of a notification is the least of many short slices, so that other programs do not matter. Other
figures are the least of --times rounds, of which each runs all recorders. They leave out time in which other programs ran.
"""

import subprocess
import sys

import common

BUFFERS = ("256K", "1M", "2M", "4M", "8M", "16M", "32M")
# Percent of the run, synchronous and asynchronous: Andreev and Afanasyev, CG class C, 32 threads.
PAPER = {"1M": (26.09, 26.27), "2M": (25.82, 23.51), "4M": (24.33, 17.67), "8M": (17.16, 11.06), "16M": (13.27, 1.80), "32M": (10.26, 0.88)}
WAYS = {"synchronous": "flush", "asynchronous": "wait"}


def run_storm(command, *numbers):
    """Returns the least time of a notification in ns, and the seconds of the reads."""
    done = subprocess.run([str(word) for word in (*command, *numbers)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: ended with {done.returncode}\n{done.stderr}")
    return [float(number) for number in done.stdout.split()]


def main():
    parser = common.parser(__doc__)
    parser.add_argument("--reads", type=int, default=600000)
    parser.add_argument("--work", type=int, default=400)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    common.start(arguments)
    storm = arguments.bench / "gasp-storm"
    with common.folder(arguments.dir) as folder:
        def recorded(*options):
            return [arguments.xtf, "record", "--force", *options, "-o", folder / "run.xtf", storm]

        for title, work, target in (("alone", 0, ""), ("between 100 steps of computing", 100, "15 ns")):
            plain, cost = (min(run_storm(command, 1, 200000, work)[0] for _ in range(arguments.times)) for command in ([storm], recorded()))
            common.row(f"a notification, {title}", f"{cost - plain:.1f} ns", target)
        numbers = arguments.threads, arguments.reads, arguments.work
        commands = {(size, way): recorded("--buffer", size, "--when-full", full) for size in BUFFERS for way, full in WAYS.items()}
        seconds = {name: [] for name in [None, *commands]}
        for _ in range(arguments.times):
            for name in seconds:
                seconds[name].append(run_storm(commands.get(name, [storm]), *numbers)[1])
        nothing = min(seconds[None])
        for size, way in commands:
            taken = min(seconds[size, way])
            paper = f"paper: {PAPER[size][list(WAYS).index(way)]:.2f} %" if size in PAPER else ""
            common.row(f"{way}, buffer {size}", f"{taken - nothing:.3f} s of {taken:.3f} s, {100 * (taken - nothing) / taken:.2f} %", peers=paper)


main()
