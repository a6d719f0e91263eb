#!/usr/bin/env python3
"""Processor time and memory of `xtf analyze` on programs whose processes seldom all meet, of n, 2n and 4n operations: MPI_Reduce to one
root, again and again, and a master with thousands of workers.

usage: meetings.py [--build BUILD] [--dir DIR] [--times N] [--rows] [--operations N] [--messages N]
"""

import os
import shutil

import common

# Name, processes, what is counted.
PROGRAMS = [("reduce", 16, "operations"), ("reduce", 64, "operations"), ("master", 3001, "messages")]


def measure(arguments, folder, program, processes, number, what):
    made, trace = folder / "made.xtf", folder / "trace.xtf"
    common.Run([arguments.bench / "make-meetings", program, processes, number, made])
    runs = []
    for _ in range(arguments.times):
        shutil.copy(made, trace)
        runs.append(common.Run([arguments.xtf, "analyze", trace]))
    shown = f"{common.median(run.cpu for run in runs):.2f} s of processor, {max(run.mebibytes for run in runs):.0f} MiB"
    common.row(f"analyze: {program}, {processes} processes, {number} {what}", shown)


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("--operations", type=int, default=20000)
    parser.add_argument("--messages", type=int, default=24000)
    arguments = parser.parse_args()
    common.start(arguments)
    with common.folder(arguments.dir) as folder:
        os.environ["TMPDIR"] = str(folder)
        for program, processes, what in PROGRAMS:
            for times in (1, 2, 4):
                measure(arguments, folder, program, processes, times * getattr(arguments, what), what)


if __name__ == "__main__":
    main()
