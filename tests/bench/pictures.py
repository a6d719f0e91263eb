#!/usr/bin/env python3
"""Measures pictures of a whole trace through a mount: elapsed time, and the daemon's processor time.

Counts the edges of columns that the index was searched for, and the blocks that were read or unpacked.

cold: the file is not in the system's cache, and the mount is new. first: the mount is new. again: the same picture is drawn
again with all data in memory. It is timeline.html then, which the mount keeps apart from timeline.svg.

usage: pictures.py [--build DIR] [--dir DIR] [--times N] [--locations L,L...] [TRACE.xtf...]

With --locations, traces with these numbers of locations are generated, of 100 records each.
"""

import contextlib
import os
import pathlib
import re
import subprocess
import time

import common

TICKS = os.sysconf("SC_CLK_TCK")
TARGETS = {"hpcc": {"cold": "150 ms", "first": "", "again": "60 ms"}}
TARGET_MANY = {"first": "600 ms"}


class Mount:
    """A mount with the processor time of its daemon."""

    def __init__(self, xtf, trace, folder):
        self.xtf, self.folder = xtf, folder
        folder.mkdir(exist_ok=True)
        self.daemon = subprocess.Popen([xtf, "mount", "-f", trace, folder])
        while not os.path.ismount(folder):
            if self.daemon.poll() is not None:
                raise SystemExit(f"{trace} was not mounted")
            time.sleep(0.01)

    def processor(self):
        """Returns the processor time in seconds, from the kernel's nanoseconds if it has them."""
        total = 0
        for thread in pathlib.Path(f"/proc/{self.daemon.pid}/task").iterdir():
            with contextlib.suppress(OSError):
                total += int((thread / "schedstat").read_text().split()[0])
        if total:
            return total / 1e9
        fields = pathlib.Path(f"/proc/{self.daemon.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def read(self, path):
        """Returns (seconds, seconds of processor time, blocks, edges) of reading a file."""
        before, loads, begin = self.processor(), common.stats(self.folder)["cache.loads"], time.monotonic()
        text = (self.folder / path).read_bytes()
        seconds = time.monotonic() - begin
        edges = re.search(rb"<!-- (\d+) edges of columns", text)
        return seconds, self.processor() - before, common.stats(self.folder)["cache.loads"] - loads, int(edges[1]) if edges else None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        subprocess.run([self.xtf, "unmount", self.folder], check=True)
        self.daemon.wait()


def print_row(trace, picture, state, runs, target):
    """Prints medians, and the least processor time, since other programs add to it."""
    seconds, cpu, loads, edges = zip(*runs)
    text = f"{common.duration(common.median(seconds))}, {common.duration(min(cpu))} of processor at least, {common.median(loads):.0f} blocks"
    if edges[0] is not None:
        text += f", {edges[0]} edges"
    common.row(f"`{picture}` of {trace.name}, {state}", text, target)


def measure_trace(arguments, trace, folder):
    name = trace.stem
    cold, first, again = [], [], []
    for prepare, runs in ((common.make_cold, cold), (common.make_warm, first)):
        for _ in range(arguments.times):
            prepare(trace)
            with Mount(arguments.xtf, trace, folder) as mount:
                runs.append(mount.read("timeline.svg"))
                if runs is first:
                    again.append(mount.read("timeline.html"))
    targets = TARGETS.get(name, TARGET_MANY if name.startswith("locations-") else {})
    for state, runs in (("cold", cold), ("first", first), ("again", again)):
        print_row(trace, "timeline.svg", state, runs, targets.get(state, ""))
    for picture in ("profile.svg", "matrix.svg", "histogram.svg", "findings", "index.html"):
        runs = []
        for _ in range(arguments.times):
            with Mount(arguments.xtf, trace, folder) as mount:
                if (folder / picture).exists():
                    runs.append(mount.read(picture))
        if runs:
            print_row(trace, picture, "first", runs, "")


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("--locations", default="", help="numbers of locations of generated traces, separated by commas")
    parser.add_argument("traces", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    common.start(arguments)
    with common.folder(arguments.dir) as folder:
        for trace in arguments.traces:
            measure_trace(arguments, trace, folder / "mount")
        for locations in filter(None, arguments.locations.split(",")):
            trace = folder / f"locations-{locations}.xtf"
            subprocess.run([arguments.bench / "generate", "-n", str(100 * int(locations)), "-l", locations, trace], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            measure_trace(arguments, trace, folder / "mount")
            trace.unlink()


if __name__ == "__main__":
    main()
