#!/usr/bin/env python3
"""What page size the plain codec should have by default: import, size, counts and records with each.

usage: page-size.py [--build DIR] [--dir DIR] [--times N] ARCHIVE.otf2
"""

import pathlib
import subprocess

import common
import records

SIZES = ["4K", "8K", "16K", "32K", "64K"]
COUNTS = {"0.01%, warm": "count 0.01%", "50%, warm": "50%", "random windows": "random", "nothing in memory": "cold"}


def counts(arguments, trace):
    """The first word or so of count-window's rows: the times."""
    command = [arguments.bench / "count-window", "--no-peers", "--rows", trace]
    rows = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    cells = [line.split("|")[1:3] for line in rows]
    return [f"{short} {ours.split(';')[0].strip()}"
            for key, short in COUNTS.items() for figure, ours in cells if key in figure]


def first_read(arguments, trace, where):
    seconds = []
    for _ in range(arguments.times):
        with common.mounted(arguments.xtf, trace, where):
            file = records.busiest(where) / "records"
            size = file.stat().st_size
            seconds.append(common.Run(["cat", file]).seconds)
    return size / common.median(seconds)


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("archive", type=pathlib.Path)
    arguments = parser.parse_args()
    common.start(arguments)
    common.make_warm(arguments.archive.parent)
    with common.folder(arguments.dir) as folder:
        trace = folder / "trace.xtf"
        for size in SIZES:
            command = [arguments.xtf, "import", "-q", "--jobs", 1, "--page-size", size, "-o", trace, arguments.archive]
            run, _ = common.median_run(arguments.times, command)
            rate = first_read(arguments, trace, folder / "mount")
            common.row(f"pages of {size}", f"{trace.stat().st_size / 1e6:.0f} MB, imported in {run.seconds:.2f} s "
                       f"({run.cpu:.2f} s of processor); {', '.join(counts(arguments, trace))}; "
                       f"records {rate / 1e9:.2f} GB/s")


if __name__ == "__main__":
    main()
