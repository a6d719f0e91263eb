#!/usr/bin/env python3
"""Measures frames of a film through a mount with its default cache. Reads them in order, as a player does, and at random places
whose leaves are not unpacked. Compares frames in the first and the last tenth of the trace.

usage: frames.py [--build DIR] [--dir DIR] [--times N] [--frames N] [--locations L,L...] [TRACE.xtf...]

With --locations, traces with these numbers of locations and ten million records are generated. A trace has 1000 frames.
"""

import pathlib
import random
import subprocess

import common
from pictures import Mount

FRAMES = 1000
RECORDS = 10_000_000


def read_frames(mount, rate, name, numbers):
    """Returns the medians of (seconds, processor time) of frames that were not read before."""
    runs = [mount.read(f"frames/{rate}/{k}/{name}")[:2] for k in numbers]
    return [common.median(values) for values in zip(*runs)]


def measure_trace(arguments, trace, folder):
    duration = subprocess.run([arguments.xtf, "cat", trace, "info"], check=True, capture_output=True, text=True).stdout.split("duration")[1]
    rate = f"{int(float(duration.split()[0]) * 1e9 / FRAMES) + 1}ns"
    with Mount(arguments.xtf, trace, folder) as mount:
        n = int((folder / f"frames/{rate}/count").read_text())
        processes = len(list((folder / "proc").iterdir()))
        for name in ("state", "total", "state.svg"):
            seconds, processor = read_frames(mount, rate, name, range(n // 2, n // 2 + arguments.frames))
            anywhere = read_frames(mount, rate, name, random.sample(range(n // 10, n // 2), arguments.frames))[1]
            first, last = (read_frames(mount, rate, name, random.sample(part, arguments.frames // 4))[1]
                           for part in (range(n // 10), range(n - n // 10, n)))
            common.row(f"`{name}` of {trace.name}, {processes} processes, in turn",
                       f"{common.duration(seconds)}, {common.duration(processor)} of processor: {1e6 * processor / processes:.1f} us a process",
                       "5 us a process" if name == "state" else "")
            common.row("the same at random; in the first tenth, in the last",
                       f"{common.duration(anywhere)}; {common.duration(first)}, {common.duration(last)} of processor")


def main():
    parser = common.parser(__doc__)
    parser.add_argument("--frames", type=int, default=100, help="number of frames read")
    parser.add_argument("--locations", default="", help="numbers of locations of generated traces, separated by commas")
    parser.add_argument("trace", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    common.start(arguments)
    random.seed(1)
    with common.folder(arguments.dir) as folder:
        for locations in filter(None, arguments.locations.split(",")):
            generated = folder / f"made-{locations}.xtf"
            subprocess.run([arguments.bench / "generate", "-n", str(RECORDS), "-l", locations, generated], check=True, capture_output=True)
            arguments.trace.append(generated)
        for trace in arguments.trace:
            measure_trace(arguments, trace, folder / "mount")


if __name__ == "__main__":
    main()
