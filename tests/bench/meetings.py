#!/usr/bin/env python3
"""Measures processor time and memory of `xtf analyze` for programs whose processes rarely meet, with n, 2n and 4n operations.

usage: meetings.py [--build BUILD] [--dir DIR] [--times N] [--rows] [--operations N] [--messages N]

The programs are repeated MPI_Reduces to one root, and a master with thousands of workers.
"""

import os
import shutil

import common

# Name, processes, unit that is counted.
PROGRAMS = [("reduce", 16, "operations"), ("reduce", 64, "operations"), ("master", 3001, "messages")]


def measure_program(arguments, folder, program, processes, number, unit):
    original, trace = folder / "made.xtf", folder / "trace.xtf"
    common.Run([arguments.bench / "make-meetings", program, processes, number, original])
    runs = []
    for _ in range(arguments.times):
        shutil.copy(original, trace)
        runs.append(common.Run([arguments.xtf, "analyze", trace]))
    shown = f"{common.median(run.cpu for run in runs):.2f} s of processor, {max(run.mebibytes for run in runs):.0f} MiB"
    common.row(f"analyze: {program}, {processes} processes, {number} {unit}", shown)


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("--operations", type=int, default=20000)
    parser.add_argument("--messages", type=int, default=24000)
    arguments = parser.parse_args()
    common.start(arguments)
    with common.folder(arguments.dir) as folder:
        os.environ["TMPDIR"] = str(folder)
        for program, processes, unit in PROGRAMS:
            for times in (1, 2, 4):
                measure_program(arguments, folder, program, processes, times * getattr(arguments, unit), unit)


if __name__ == "__main__":
    main()
