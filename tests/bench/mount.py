#!/usr/bin/env python3
"""Mounting, and `cat` of counts in new windows as whole processes, beside `cat` on tmpfs.

usage: mount.py [--build DIR] [--dir DIR] [--times N] TRACE.xtf [SMALL.xtf]
"""

import pathlib
import random
import subprocess

import common

WINDOWS = 500


def mounting(arguments, trace, where):
    def once(prepare):
        seconds = []
        for _ in range(arguments.times):
            prepare()
            with common.mounted(arguments.xtf, trace, where) as took:
                seconds.append(took)
        return common.median(seconds)

    cold = once(lambda: common.make_cold(trace))
    warm = once(lambda: None)
    common.row(f"xtf mount, {trace.stat().st_size / 1e6:.1f} MB, until the mount is usable",
               f"cold {common.duration(cold)}, warm {common.duration(warm)}", "at most 20 ms")


def windows(where, n):
    """Different paths of counts, of widths from 0.01% to 50%."""
    rng = random.Random(1)
    processes = sorted(process.name for process in (where / "proc").iterdir())
    for _ in range(n):
        width = 10 ** rng.uniform(-2, 1.7)
        begin = rng.uniform(0, 100 - width)
        yield where / f"proc/{rng.choice(processes)}/time/{begin:.6f}%-{begin + width:.6f}%/count"


def spawn_times(arguments, paths):
    lines = "".join(f"{path}\n" for path in paths)
    command = [arguments.bench / "spawn-times", "cat"]
    result = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [float(line) for line in result.stdout.split()]


def counting(arguments, where, what, target):
    """cat of windows and of files on tmpfs in turn, so that other work of the machine hits both."""
    with common.mounted(arguments.xtf, arguments.trace, where), common.folder("/dev/shm") as memory:
        new = list(windows(where, WINDOWS))
        plain = [memory / str(i) for i in range(WINDOWS)]
        for i, path in enumerate(plain):
            path.write_text(f"{i:10}\n")
        before = common.stats(where)
        seconds = spawn_times(arguments, [path for pair in zip(new, plain) for path in pair])
        after = common.stats(where)
        again = spawn_times(arguments, new)
    ours, theirs = sorted(seconds[0::2]), sorted(seconds[1::2])
    visits = (after["page_visits"] - before["page_visits"]) / WINDOWS
    requests = (after["requests"] - before["requests"]) / WINDOWS
    common.row(f"cat of a new window's count of a process, whole process{what}",
               f"{common.duration(common.median(ours))} (9 of 10 within {common.duration(ours[WINDOWS * 9 // 10])}); "
               f"{requests:.1f} requests, {visits:.1f} page visits; again {common.duration(common.median(again))}",
               target, f"cat on tmpfs {common.duration(common.median(theirs))}")


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("trace", type=pathlib.Path)
    parser.add_argument("small", type=pathlib.Path, nargs="?")
    arguments = parser.parse_args()
    common.start(arguments)
    with common.folder(arguments.dir) as folder:
        for trace in filter(None, [arguments.trace, arguments.small]):
            mounting(arguments, trace, folder / "mount")
        common.make_warm(arguments.trace)
        counting(arguments, folder / "mount", "", "at most 1 ms")
        common.make_cold(arguments.trace)
        counting(arguments, folder / "mount", ", the trace not in memory at first", "")


if __name__ == "__main__":
    main()
