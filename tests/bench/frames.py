#!/usr/bin/env python3
"""Frames of a film, read through a mount with its default cache: in turn, as a player does, and at random places, whose leaves nobody has
unpacked before. Whether a frame costs more towards the end of the trace is asked of its first and its last tenth.

usage: frames.py [--build DIR] [--dir DIR] [--times N] [--frames N] [--locations L,L...] [TRACE.xtf...]

With --locations, traces of so many locations and ten million records are made up. A trace has 1000 frames.
"""

import pathlib
import random
import subprocess

import common
from pictures import Mount

FRAMES = 1000
RECORDS = 10_000_000


def ask(mount, rate, name, numbers):
    """Medians of (seconds, processor time) of frames that nobody has asked for."""
    runs = [mount.read(f"frames/{rate}/{k}/{name}")[:2] for k in numbers]
    return [common.median(values) for values in zip(*runs)]


def measure(arguments, trace, where):
    duration = subprocess.run([arguments.xtf, "cat", trace, "info"], check=True, capture_output=True, text=True).stdout.split("duration")[1]
    rate = f"{int(float(duration.split()[0]) * 1e9 / FRAMES) + 1}ns"
    with Mount(arguments.xtf, trace, where) as mount:
        n = int((where / f"frames/{rate}/count").read_text())
        processes = len(list((where / "proc").iterdir()))
        for name in ("state", "total", "state.svg"):
            seconds, processor = ask(mount, rate, name, range(n // 2, n // 2 + arguments.frames))
            anywhere = ask(mount, rate, name, random.sample(range(n // 10, n // 2), arguments.frames))[1]
            first, last = (ask(mount, rate, name, random.sample(part, arguments.frames // 4))[1]
                           for part in (range(n // 10), range(n - n // 10, n)))
            common.row(f"`{name}` of {trace.name}, {processes} processes, in turn",
                       f"{common.duration(seconds)}, {common.duration(processor)} of processor: {1e6 * processor / processes:.1f} us a process",
                       "5 us a process" if name == "state" else "")
            common.row("the same at random; in the first tenth, in the last",
                       f"{common.duration(anywhere)}; {common.duration(first)}, {common.duration(last)} of processor")


def main():
    parser = common.parser(__doc__)
    parser.add_argument("--frames", type=int, default=100, help="how many are read")
    parser.add_argument("--locations", default="", help="made-up traces, by commas")
    parser.add_argument("trace", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    common.start(arguments)
    random.seed(1)
    with common.folder(arguments.dir) as folder:
        for locations in filter(None, arguments.locations.split(",")):
            made = folder / f"made-{locations}.xtf"
            subprocess.run([arguments.bench / "generate", "-n", str(RECORDS), "-l", locations, made], check=True, capture_output=True)
            arguments.trace.append(made)
        for trace in arguments.trace:
            measure(arguments, trace, folder / "mount")


if __name__ == "__main__":
    main()
