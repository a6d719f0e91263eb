#!/usr/bin/env python3
"""Measures the import from OTF2: events a second and memory.

usage: import.py [--build DIR] [--dir DIR] [--times N] ARCHIVE.otf2

Compares it with OTF2's reader with empty callbacks, and with otf2-print.
"""

import pathlib
import shutil
import subprocess

import common


def rates(events, run, fastest):
    return (f"{events / run.seconds / 1e6:.1f} M events/s ({run.seconds:.2f} s, {run.cpu:.2f} s of processor; at best "
            f"{events / fastest.seconds / 1e6:.1f}), {run.mebibytes:.0f} MiB")


def peers(arguments, events, times):
    drain, _ = common.median_run(times, [arguments.bench / "drain-otf2", arguments.archive])
    result = f"OTF2's reader doing nothing {events / drain.seconds / 1e6:.1f} M/s, {drain.mebibytes:.0f} MiB"
    if shutil.which("otf2-print"):
        run = common.Run(["otf2-print", arguments.archive])
        result += f"; otf2-print > /dev/null {events / run.seconds / 1e6:.1f} M/s, {run.mebibytes:.0f} MiB"
    return result


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("archive", type=pathlib.Path)
    arguments = parser.parse_args()
    common.start(arguments)
    drain = [arguments.bench / "drain-otf2", arguments.archive]
    events = int(subprocess.run(drain, check=True, capture_output=True, text=True).stdout)
    common.make_warm(arguments.archive.parent)

    with common.folder(arguments.dir) as folder:
        output = folder / "imported.xtf"
        command = [arguments.xtf, "import", "-qf", "-o", output]
        one, best_one = common.median_run(arguments.times, [*command, "--jobs", 1, arguments.archive])
        every, best_every = common.median_run(arguments.times, [*command, arguments.archive])
        size = output.stat().st_size
    source = sum(file.stat().st_size for file in arguments.archive.parent.rglob("*") if file.is_file())
    common.row(f"import of {events / 1e6:.1f} M events, --jobs 1", rates(events, one, best_one),
               "16 M events/s, 100 MiB", peers(arguments, events, arguments.times))
    common.row("the same, all cores", rates(events, every, best_every), "30 M events/s, 100 MiB")
    common.row("size, bytes an event", f"{size / events:.2f}, indexes and totals included", "at most 1.2",
               f"the OTF2 archive {source / events:.2f}")


if __name__ == "__main__":
    main()
