#!/usr/bin/env python3
"""Measures mounting, and `cat` of counts in new windows as whole processes, compared with `cat` on tmpfs.

usage: mount.py [--build DIR] [--dir DIR] [--times N] TRACE.xtf [SMALL.xtf]
"""

import pathlib
import random
import subprocess
import time

import common

WINDOWS = 500


def measure_mounting(arguments, trace, folder):
    def measure_once(prepare):
        seconds = []
        for _ in range(arguments.times):
            prepare()
            with common.mounted(arguments.xtf, trace, folder) as took:
                seconds.append(took)
        return common.median(seconds)

    cold = measure_once(lambda: common.make_cold(trace))
    warm = measure_once(lambda: None)
    common.row(f"xtf mount, {trace.stat().st_size / 1e6:.1f} MB, until the mount is usable",
               f"cold {common.duration(cold)}, warm {common.duration(warm)}", "at most 20 ms")


def measure_first_answer(arguments, trace, folder):
    """Measures mounting with a first answer, by turns with the start of `xtf` alone."""
    seconds, processor, start = [], [], []
    for _ in range(arguments.times):
        start.append(common.Run([arguments.xtf, "--version"]).cpu)
        folder.mkdir(exist_ok=True)
        before = time.monotonic()
        command = common.Run([arguments.xtf, "mount", "-q", trace, folder])
        (folder / "count").read_bytes()
        seconds.append(time.monotonic() - before)
        processor.append(command.cpu + common.processor_of_mount(folder))
        subprocess.run([arguments.xtf, "unmount", folder], check=True)
    common.row("xtf mount and its first count, warm",
               f"{common.duration(common.median(seconds))}, best {common.duration(min(seconds))}; "
               f"processor {common.duration(common.median(processor))}", "3 ms",
               f"xtf --version: processor {common.duration(common.median(start))}")


def windows(folder, n):
    """Yields different paths of counts, in windows of 0.01% to 50%."""
    rng = random.Random(1)
    processes = sorted(process.name for process in (folder / "proc").iterdir())
    for _ in range(n):
        width = 10 ** rng.uniform(-2, 1.7)
        begin = rng.uniform(0, 100 - width)
        yield folder / f"proc/{rng.choice(processes)}/time/{begin:.6f}%-{begin + width:.6f}%/count"


def spawn_times(arguments, paths):
    lines = "".join(f"{path}\n" for path in paths)
    command = [arguments.bench / "spawn-times", "cat"]
    result = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [float(line) for line in result.stdout.split()]


def measure_counting(arguments, folder, note, target):
    """Measures cat of windows and of files on tmpfs by turns, so that other programs affect both."""
    with common.mounted(arguments.xtf, arguments.trace, folder), common.folder("/dev/shm") as memory:
        new = list(windows(folder, WINDOWS))
        plain = [memory / str(i) for i in range(WINDOWS)]
        for i, path in enumerate(plain):
            path.write_text(f"{i:10}\n")
        before = common.stats(folder)
        seconds = spawn_times(arguments, [path for pair in zip(new, plain) for path in pair])
        after = common.stats(folder)
        again = spawn_times(arguments, new)
    counts, copies = sorted(seconds[0::2]), sorted(seconds[1::2])
    visits = (after["page_visits"] - before["page_visits"]) / WINDOWS
    requests = (after["requests"] - before["requests"]) / WINDOWS
    common.row(f"cat of a new window's count of a process, whole process{note}",
               f"{common.duration(common.median(counts))} (9 of 10 within {common.duration(counts[WINDOWS * 9 // 10])}); "
               f"{requests:.1f} requests, {visits:.1f} page visits; again {common.duration(common.median(again))}",
               target, f"cat on tmpfs {common.duration(common.median(copies))}")


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("trace", type=pathlib.Path)
    parser.add_argument("small", type=pathlib.Path, nargs="?")
    arguments = parser.parse_args()
    common.start(arguments)
    with common.folder(arguments.dir) as folder:
        for trace in filter(None, [arguments.trace, arguments.small]):
            measure_mounting(arguments, trace, folder / "mount")
            measure_first_answer(arguments, trace, folder / "mount")
        common.make_warm(arguments.trace)
        measure_counting(arguments, folder / "mount", "", "at most 1 ms")
        common.make_cold(arguments.trace)
        measure_counting(arguments, folder / "mount", ", the trace not in memory at first", "")


if __name__ == "__main__":
    main()
