#!/usr/bin/env python3
"""Measures the records of one process and of all, through the mount and by `xtf cat`.

Compares them with a file in memory in a similar mount, and with otf2-print on the archive.

usage: records.py [--build DIR] [--dir DIR] [--times N] [--archive ARCHIVE.otf2] TRACE.xtf
"""

import contextlib
import pathlib
import shutil
import subprocess
import sys
import time

import common


def busiest_process(mount):
    """Returns the folder of the process with the most records."""
    return max((mount / "proc").iterdir(), key=lambda process: int((process / "count").read_text()))


def measure_reads(mount, path, command, times, arguments):
    """Returns seconds and bytes of first reads, each through a new mount, and seconds of second reads. Before each first read,
    touches memory for the kernel's copy of the file, and a quarter more."""
    first, second, requests = [], [], []
    for _ in range(times):
        with common.mounted(arguments.xtf, arguments.trace, mount):
            file = mount / path
            size = file.stat().st_size
            common.make_memory_ready(size + size // 4)
            first.append(common.Run([*command, file]).seconds)
            before = common.stats(mount)
            second.append(common.Run([*command, file]).seconds)
            requests.append(common.stats(mount)["requests"] - before["requests"])
    return common.median(first), common.median(second), size, requests, min(first)


def print_reads(mount, path, label, target, arguments, peers=""):
    lines = 0
    for command in (["cat"], ["wc", "-l"]):
        first, second, size, requests, fastest = measure_reads(mount, path, command, arguments.times, arguments)
        if not lines:
            with common.mounted(arguments.xtf, arguments.trace, mount):
                width = len((mount / path).open("rb").readline())
            lines = size // width
        name = " ".join(command)
        common.row(f"{label}, {name}, first read, 1.25 times its size of free memory touched before",
                   f"{size / first / 1e9:.2f} GB/s, {lines / first / 1e6:.1f} M lines/s of {width} bytes "
                   f"({first:.3f} s for {size / 1e6:.0f} MB; at best {size / fastest / 1e9:.2f} GB/s)", target, peers)
        common.row(f"{label}, {name}, second read",
                   f"{size / second / 1e9:.2f} GB/s; {min(requests)} requests to the daemon (at most {max(requests)}: "
                   "the kernel may drop what it has cached)", "no request")
        target = peers = ""


@contextlib.contextmanager
def memory_mounted(size, mount, arguments):
    """Mounts a file in memory with the options of `xtf mount`."""
    process = subprocess.Popen([arguments.bench / "memory-mount", str(size), mount], stdout=subprocess.PIPE)
    try:
        if process.stdout.readline() != b"ready\n":
            sys.exit("memory-mount does not start")
        yield
    finally:
        subprocess.run(["fusermount3", "-u", mount], check=False)
        process.wait()
        process.stdout.close()


def compare_with_memory(mount, path, label, target, arguments):
    """Compares first reads of a file with first reads of a file in memory of the same size, by turns. Measures `xtf cat` of the same
    file."""
    mounted, in_memory, runs_of_cat = [], [], []
    for _ in range(arguments.times):
        with common.mounted(arguments.xtf, arguments.trace, mount):
            file = mount / path
            size = file.stat().st_size
            width = len(file.open("rb").readline())
        with common.mounted(arguments.xtf, arguments.trace, mount):
            common.make_memory_ready(size + size // 4)
            mounted.append(common.Run(["cat", file]).seconds)
        with memory_mounted(size, mount, arguments):
            common.make_memory_ready(size + size // 4)
            in_memory.append(common.Run(["cat", mount / "file"]).seconds)
        runs_of_cat.append(common.Run([arguments.xtf, "cat", arguments.trace, path]))
    seconds, memory, cat = common.median(mounted), common.median(in_memory), common.median([run.seconds for run in runs_of_cat])
    lines = size / width / 1e6
    common.row(f"{label}, cat, first read, by turns with a file in memory through a mount of the same options",
               f"{lines / seconds:.1f} M lines/s, {100 * memory / seconds:.0f}% of the file in memory", target,
               f"the file in memory {lines / memory:.1f} M such lines/s, {size / memory / 1e9:.2f} GB/s")
    common.row(f"{label}, `xtf cat`", f"{lines / cat:.1f} M lines/s ({cat:.3f} s, "
               f"{common.median([run.cpu for run in runs_of_cat]):.3f} s of processor)", "20 M lines/s")


def compare_formats(path, lines, arguments):
    """Measures `xtf cat` as text, as CSV and as JSON Lines, by turns."""
    formats = {"text": [], "CSV": ["--csv"], "JSON Lines": ["--json"]}
    runs = {name: [] for name in formats}
    for _ in range(arguments.times):
        for name, options in formats.items():
            runs[name].append(common.Run([arguments.xtf, "cat", *options, arguments.trace, path]))
    targets = {"CSV": "10 M lines/s"}
    for name, done in runs.items():
        seconds, cpu = (common.median([getattr(run, what) for run in done]) for what in ("seconds", "cpu"))
        common.row(f"records of the whole trace, `xtf cat`, as {name}",
                   f"{lines / seconds / 1e6:.1f} M lines/s ({seconds:.3f} s, {cpu:.3f} s of processor)", targets.get(name, ""))


def compare_with_plain(mount, path, folder, arguments):
    """Compares tools on a file of the mount that was read before, and on a plain copy."""
    plain = folder / "plain"
    with common.mounted(arguments.xtf, arguments.trace, mount):
        shutil.copyfile(mount / path, plain)
        for command in (["grep", "-c", "MPI_Send"], ["awk", "{s += $7} END {print s}"]):
            # A pipe, since grep that writes to /dev/null stops at the first match.
            mounted, copied = (common.median([common.Run([*command, file], subprocess.PIPE).seconds
                                              for _ in range(arguments.times)])
                               for file in (mount / path, plain))
            common.row(f"records of a process once read, {command[0]}",
                       f"{100 * copied / mounted:.0f}% of the speed of a plain file ({mounted:.3f} s, {copied:.3f} s)",
                       "at least 70%")
    plain.unlink()


def otf2_print(arguments):
    """Returns the lines a second of otf2-print on the whole archive. A single location takes the same time."""
    if not arguments.archive or not shutil.which("otf2-print"):
        return ""
    before = time.monotonic()
    process = subprocess.Popen(["otf2-print", arguments.archive], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    lines = sum(chunk.count(b"\n") for chunk in iter(lambda: process.stdout.read(1 << 20), b""))
    process.wait()
    return f"otf2-print {lines / (time.monotonic() - before) / 1e6:.2f} M lines/s"


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("--archive", type=pathlib.Path)
    parser.add_argument("trace", type=pathlib.Path)
    arguments = parser.parse_args()
    common.start(arguments)
    common.make_warm(arguments.trace)
    with common.folder(arguments.dir) as folder:
        mount = folder / "mount"
        with common.mounted(arguments.xtf, arguments.trace, mount):
            process = busiest_process(mount).relative_to(mount)
            has_calls = (mount / process / "enters_leaves").exists()
            count = int((mount / "count").read_text())
        print_reads(mount, process / "records", "records of a process, all types", "2 GB/s, 20 M lines/s", arguments,
               otf2_print(arguments))
        compare_with_memory(mount, process / "records", "records of a process, all types",
                      "24 M lines/s, 90% of the file in memory", arguments)
        compare_with_memory(mount, "records", "records of the whole trace", "20 M lines/s", arguments)
        compare_formats("records", count, arguments)
        compare_with_plain(mount, process / "records", folder, arguments)
        if has_calls:
            print_reads(mount, process / "enters_leaves" / "records", "records of a process, calls alone", "", arguments)


if __name__ == "__main__":
    main()
