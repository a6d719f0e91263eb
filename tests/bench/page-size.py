#!/usr/bin/env python3
"""Measures size, import, counts and reading for page sizes, codecs and levels, to choose the defaults.

usage: page-size.py [--build DIR] [--dir DIR] [--times N] [--hard RECORDS] [--sizes LIST] [--levels LIST] ARCHIVE.otf2

Besides the archive, a generated trace that packs badly (generate --hard) is stored in each way.
"""

import pathlib
import subprocess

import common

SIZES = "4K,8K,16K,32K,64K"
LEVELS = "1,6,9"
COUNTS = {" 1%, warm": "count 1%", " 50%, warm": "50%", "random windows of 1%, a cache of 64 MiB": "random, 64 MiB",
          "nothing in memory": "cold"}


def ways(sizes, levels):
    """Yields the options of each way to store a trace. All sizes are plain and at the first level; the smaller sizes are at the other levels,
    too."""
    for size in sizes:
        yield ["--codec", "plain", "--page-size", size]
        for level in levels:
            if level == levels[0] or size in sizes[:3]:
                yield ["--codec", "compact", "--level", level, "--page-size", size]


def cells(command):
    """Returns the rows of a bench: the name and the value of each figure."""
    lines = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout.splitlines()
    return [tuple(cell.strip() for cell in line.split("|")[1:3]) for line in lines]


def measure_trace(arguments, trace):
    rows = cells([arguments.bench / "count-window", "--rows", trace])
    counts = [f"{short} {value.split(';')[0]}" for key, short in COUNTS.items() for figure, value in rows if key in figure]
    (_, rate), = cells([arguments.bench / "read-rows", "--rows", trace])
    return f"{', '.join(counts)}; read {rate.split(';')[0]}", int(rate.split()[-3])


def store_in_all_ways(arguments, name, command, trace):
    """Stores the trace in each way, and measures it."""
    for options in ways(arguments.sizes.split(","), arguments.levels.split(",")):
        run, _ = common.median_run(arguments.times, [*command(trace), *options])
        figures, records = measure_trace(arguments, trace)
        common.row(f"{name}: {' '.join(options[1::2])}",
                   f"{trace.stat().st_size / records:.2f} B/record; written at {records / run.cpu / 1e6:.1f} M/s a core, "
                   f"{run.mebibytes:.0f} MiB; {figures}")
        trace.unlink()


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("--hard", type=int, default=10_000_000, help="records of the generated trace; 0: none")
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--levels", default=LEVELS)
    parser.add_argument("archive", type=pathlib.Path)
    arguments = parser.parse_args()
    common.start(arguments)
    common.make_warm(arguments.archive.parent)
    with common.folder(arguments.dir) as folder:
        store_in_all_ways(arguments, arguments.archive.stem,
              lambda trace: [arguments.xtf, "import", "-qf", "--jobs", 1, "-o", trace, arguments.archive], folder / "trace.xtf")
        if arguments.hard == 0:
            return
        hard = folder / "hard.xtf"
        common.Run([arguments.bench / "generate", "--hard", "--plain", "--records", arguments.hard, hard])
        store_in_all_ways(arguments, "hard", lambda trace: [arguments.xtf, "copy", "-qf", hard, trace], folder / "trace.xtf")


if __name__ == "__main__":
    main()
