#!/usr/bin/env python3
"""Compares two builds of XTF: import, size, counts, totals, opening and streaming, by turns on one machine.

usage: compare.py --before BUILD [--build BUILD] [--dir DIR] [--times N] ARCHIVE.otf2

Each round measures both builds, so that a machine that gets slower slows both. The table has the medians of the rounds, and the
median of the ratios of each round.
Import and streaming are in seconds of processor time, which other programs change least.
"""

import pathlib
import re
import subprocess

import common

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "M records/s": None}
VALUE = re.compile(r"^([0-9.]+) (ns|us|ms|s|M records/s)\b")


def figures(output):
    """Returns {figure: seconds} of the rows that a bench prints; for a rate, the seconds for a million."""
    result = {}
    for line in output.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        match = VALUE.match(cells[2]) if len(cells) > 2 else None
        if match:
            value, scale = float(match[1]), UNITS[match[2]]
            result[cells[1]] = 1 / value if scale is None else value * scale
    return result


def run_bench(build, name, *arguments):
    command = [build / "tests/bench" / name, "--rows", *arguments]
    return figures(subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout)


def measure_build(build, archive, folder):
    """Returns all figures of one build, in seconds, and the size of its import."""
    xtf, trace = build / "src/cli/xtf", folder / "trace.xtf"
    trace.unlink(missing_ok=True)
    imported = common.Run([xtf, "import", "-qf", "--jobs", 1, "-o", trace, archive])
    result = {"import, one core, processor": imported.cpu}
    result.update({"size of the import, MB": trace.stat().st_size / 1e6})
    result.update(run_bench(build, "count-window", "--dir", folder, trace))
    totals = "totals" if (build / "tests/bench/totals").exists() else "sums"  # the bench had this name in older builds
    result.update(run_bench(build, totals, "--dir", folder, trace))
    result.update(run_bench(build, "read-rows", trace))
    result["records of a process as text, processor"] = common.Run([xtf, "cat", trace, "/proc/2/records"]).cpu
    result["records of all, merged, processor"] = common.Run([xtf, "cat", trace, "/time/40%-50%/records"]).cpu
    return result


def format_value(figure, value):
    return f"{value:.3f}" if "MB" in figure else common.duration(value)


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("--before", type=pathlib.Path, required=True, help="the other build folder")
    parser.add_argument("archive", type=pathlib.Path)
    arguments = parser.parse_args()
    common.make_warm(arguments.archive.parent)
    before, after = [], []
    with common.folder(arguments.dir) as folder:
        for turn in range(arguments.times):
            builds = [(arguments.before, before), (arguments.build, after)]
            for build, results in builds if turn % 2 == 0 else reversed(builds):
                results.append(measure_build(build, arguments.archive, folder))
    print("| figure | before | after | after / before |\n|---|---|---|---|")
    for figure in after[0]:
        if figure in before[0]:
            ratio = common.median([b[figure] / a[figure] for a, b in zip(before, after)])
            print(f"| {figure} | {format_value(figure, common.median([run[figure] for run in before]))} | "
                  f"{format_value(figure, common.median([run[figure] for run in after]))} | {ratio:.3f} |", flush=True)


if __name__ == "__main__":
    main()
