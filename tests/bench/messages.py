#!/usr/bin/env python3
"""Measures `messages`: the processor time of a line and the memory, and a read in the middle and at the end through a mount.

usage: messages.py [--build DIR] [--dir DIR] [--times N] [--records N] [TRACE.xtf...]

Measures the traces, and two that it generates: one that is cut off after N records (default: 4 million), and one of whole iterations. In
the first not all messages are received. All times are processor time.
"""

import pathlib
import subprocess

import common
from pictures import Mount

PART = 128 << 10
RECORDS_OF_ITERATION = 200


def measure_lines(arguments, trace):
    lines = int(subprocess.run([arguments.xtf, "cat", trace, "sends/count"], check=True, capture_output=True).stdout)
    for path in ("messages", "time/45%-55%/messages"):
        runs = [common.Run([arguments.xtf, "cat", trace, path]) for _ in range(arguments.times)]
        cpu = common.median([run.cpu for run in runs])
        note = f", {cpu / lines * 1e6:.2f} us a line of {lines}" if path == "messages" else ""
        common.row(f"`xtf cat {trace.name} {path}`", f"{common.duration(cpu)}{note}, {max(run.mebibytes for run in runs):.0f} MiB",
                   "3 us a line, 200 MiB" if note else "")


def measure_parts(arguments, trace, folder):
    """Measures first reads of a new mount: each mount is asked once."""
    for name, place in (("middle", lambda size: size // 2), ("end", lambda size: max(size - PART, 0))):
        seconds = []
        for _ in range(arguments.times):
            with Mount(arguments.xtf, trace, folder) as mount:
                with open(folder / "messages", "rb", buffering=0) as file:
                    size = file.seek(0, 2)
                    before = mount.processor()
                    file.seek(place(size))
                    file.read(PART)
                    seconds.append(mount.processor() - before)
        common.row(f"first read of 128 KiB of `messages` of {trace.name}, at the {name}, the daemon's time",
                   common.duration(common.median(seconds)))


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=4000000, help="records of the generated traces, about")
    parser.add_argument("traces", type=pathlib.Path, nargs="*")
    arguments = parser.parse_args()
    common.start(arguments)
    with common.folder(arguments.dir) as folder:
        cut, whole = folder / "cut.xtf", folder / "whole.xtf"
        subprocess.run([arguments.bench / "generate", "-n", str(arguments.records), cut], check=True, stdout=subprocess.DEVNULL)
        iterations = arguments.records // RECORDS_OF_ITERATION // 8 + 1
        subprocess.run([arguments.bench / "generate", "-i", str(iterations), whole], check=True, stdout=subprocess.DEVNULL)
        for trace in [*arguments.traces, cut, whole]:
            measure_lines(arguments, trace)
            measure_parts(arguments, trace, folder / "mount")


if __name__ == "__main__":
    main()
