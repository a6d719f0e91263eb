#!/usr/bin/env python3
"""Pictures of a whole trace, read through a mount: elapsed time, the daemon's processor time, columns' edges that were asked of the
index, and blocks that were read or unpacked.

cold: the file is in no cache, and the mount is new. first: the mount is new. again: the same picture is drawn once more, with
everything that it needs in memory: as timeline.html, which is kept apart from timeline.svg.

usage: pictures.py [--build DIR] [--dir DIR] [--times N] [--locations L,L...] [TRACE.xtf...]

With --locations, traces of so many locations are made up, of 100 records each.
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
    """A mount whose daemon's processor time is known."""

    def __init__(self, xtf, trace, where):
        self.xtf, self.where = xtf, where
        where.mkdir(exist_ok=True)
        self.daemon = subprocess.Popen([xtf, "mount", "-f", trace, where])
        while not os.path.ismount(where):
            if self.daemon.poll() is not None:
                raise SystemExit(f"{trace} was not mounted")
            time.sleep(0.01)

    def processor(self):
        """In seconds; the kernel's nanoseconds where it has them."""
        total = 0
        for thread in pathlib.Path(f"/proc/{self.daemon.pid}/task").iterdir():
            with contextlib.suppress(OSError):
                total += int((thread / "schedstat").read_text().split()[0])
        if total:
            return total / 1e9
        fields = pathlib.Path(f"/proc/{self.daemon.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def read(self, path):
        """(seconds, of processor, blocks, edges)"""
        before, loads, begin = self.processor(), common.stats(self.where)["cache.loads"], time.monotonic()
        text = (self.where / path).read_bytes()
        seconds = time.monotonic() - begin
        found = re.search(rb"<!-- (\d+) edges of columns", text)
        return seconds, self.processor() - before, common.stats(self.where)["cache.loads"] - loads, int(found[1]) if found else None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        subprocess.run([self.xtf, "unmount", self.where], check=True)
        self.daemon.wait()


def show(trace, picture, how, runs, target):
    """Medians; and the least processor time, since other work of the machine adds to it."""
    seconds, cpu, loads, edges = zip(*runs)
    text = f"{common.duration(common.median(seconds))}, {common.duration(min(cpu))} of processor at least, {common.median(loads):.0f} blocks"
    if edges[0] is not None:
        text += f", {edges[0]} edges"
    common.row(f"`{picture}` of {trace.name}, {how}", text, target)


def measure(arguments, trace, where):
    name = trace.stem
    cold, first, again = [], [], []
    for prepare, runs in ((common.make_cold, cold), (common.make_warm, first)):
        for _ in range(arguments.times):
            prepare(trace)
            with Mount(arguments.xtf, trace, where) as mount:
                runs.append(mount.read("timeline.svg"))
                if runs is first:
                    again.append(mount.read("timeline.html"))
    targets = TARGETS.get(name, TARGET_MANY if name.startswith("locations-") else {})
    for how, runs in (("cold", cold), ("first", first), ("again", again)):
        show(trace, "timeline.svg", how, runs, targets.get(how, ""))
    for picture in ("profile.svg", "matrix.svg", "histogram.svg", "findings", "index.html"):
        runs = []
        for _ in range(arguments.times):
            with Mount(arguments.xtf, trace, where) as mount:
                if (where / picture).exists():
                    runs.append(mount.read(picture))
        if runs:
            show(trace, picture, "first", runs, "")


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("--locations", default="", help="of made-up traces, separated by commas")
    parser.add_argument("traces", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    common.start(arguments)
    with common.folder(arguments.dir) as folder:
        for trace in arguments.traces:
            measure(arguments, trace, folder / "mount")
        for locations in filter(None, arguments.locations.split(",")):
            trace = folder / f"locations-{locations}.xtf"
            subprocess.run([arguments.bench / "generate", "-n", str(100 * int(locations)), "-l", locations, trace], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            measure(arguments, trace, folder / "mount")
            trace.unlink()


if __name__ == "__main__":
    main()
