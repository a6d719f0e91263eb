#!/usr/bin/env python3
"""The records of one process and of all, through the mount and by `xtf cat`, beside a file in memory that the same kind of mount gives,
and otf2-print on the archive.

usage: records.py [--build DIR] [--dir DIR] [--times N] [--archive ARCHIVE.otf2] TRACE.xtf
"""

import contextlib
import pathlib
import shutil
import subprocess
import sys
import time

import common


def busiest(where):
    """The number of the process with the most records."""
    return max((where / "proc").iterdir(), key=lambda process: int((process / "count").read_text()))


def read(where, path, command, times, arguments):
    """Seconds and bytes of first reads, each through a new mount, and of second reads. Memory for the kernel's copy of the file,
    and a quarter more, is touched before each first read."""
    first, second, requests = [], [], []
    for _ in range(times):
        with common.mounted(arguments.xtf, arguments.trace, where):
            file = where / path
            size = file.stat().st_size
            common.make_memory_ready(size + size // 4)
            first.append(common.Run([*command, file]).seconds)
            before = common.stats(where)
            second.append(common.Run([*command, file]).seconds)
            requests.append(common.stats(where)["requests"] - before["requests"])
    return common.median(first), common.median(second), size, requests, min(first)


def report(where, path, what, target, arguments, peers=""):
    lines = 0
    for command in (["cat"], ["wc", "-l"]):
        first, second, size, requests, fastest = read(where, path, command, arguments.times, arguments)
        if not lines:
            with common.mounted(arguments.xtf, arguments.trace, where):
                width = len((where / path).open("rb").readline())
            lines = size // width
        name = " ".join(command)
        common.row(f"{what}, {name}, first read, 1.25 times its size of free memory touched before",
                   f"{size / first / 1e9:.2f} GB/s, {lines / first / 1e6:.1f} M lines/s of {width} bytes "
                   f"({first:.3f} s for {size / 1e6:.0f} MB; at best {size / fastest / 1e9:.2f} GB/s)", target, peers)
        common.row(f"{what}, {name}, second read",
                   f"{size / second / 1e9:.2f} GB/s; {min(requests)} requests to the daemon (at most {max(requests)}: "
                   "the kernel may drop what it has cached)", "no request")
        target = peers = ""


@contextlib.contextmanager
def memory_mounted(size, where, arguments):
    """A file in memory, mounted with the options of `xtf mount`."""
    process = subprocess.Popen([arguments.bench / "memory-mount", str(size), where], stdout=subprocess.PIPE)
    try:
        if process.stdout.readline() != b"ready\n":
            sys.exit("memory-mount does not start")
        yield
    finally:
        subprocess.run(["fusermount3", "-u", where], check=False)
        process.wait()
        process.stdout.close()


def beside_memory(where, path, what, target, arguments):
    """First reads of a file, and of one of its size that lies in memory, by turns; and `xtf cat` of the same."""
    ours, theirs, catted = [], [], []
    for _ in range(arguments.times):
        with common.mounted(arguments.xtf, arguments.trace, where):
            file = where / path
            size = file.stat().st_size
            width = len(file.open("rb").readline())
        with common.mounted(arguments.xtf, arguments.trace, where):
            common.make_memory_ready(size + size // 4)
            ours.append(common.Run(["cat", file]).seconds)
        with memory_mounted(size, where, arguments):
            common.make_memory_ready(size + size // 4)
            theirs.append(common.Run(["cat", where / "file"]).seconds)
        catted.append(common.Run([arguments.xtf, "cat", arguments.trace, path]))
    seconds, memory, cat = common.median(ours), common.median(theirs), common.median([run.seconds for run in catted])
    lines = size / width / 1e6
    common.row(f"{what}, cat, first read, by turns with a file in memory through a mount of the same options",
               f"{lines / seconds:.1f} M lines/s, {100 * memory / seconds:.0f}% of the file in memory", target,
               f"the file in memory {lines / memory:.1f} M such lines/s, {size / memory / 1e9:.2f} GB/s")
    common.row(f"{what}, `xtf cat`", f"{lines / cat:.1f} M lines/s ({cat:.3f} s, "
               f"{common.median([run.cpu for run in catted]):.3f} s of processor)", "20 M lines/s")


def by_format(path, lines, arguments):
    """`xtf cat` as text, as CSV and as JSON Lines, by turns."""
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


def compare(where, path, folder, arguments):
    """Tools on a file of the mount that was read before, and on a plain copy of it."""
    plain = folder / "plain"
    with common.mounted(arguments.xtf, arguments.trace, where):
        shutil.copyfile(where / path, plain)
        for command in (["grep", "-c", "MPI_Send"], ["awk", "{s += $7} END {print s}"]):
            # Into a pipe: grep that writes to /dev/null stops at the first match.
            mounted, copied = (common.median([common.Run([*command, file], subprocess.PIPE).seconds
                                              for _ in range(arguments.times)])
                               for file in (where / path, plain))
            common.row(f"records of a process once read, {command[0]}",
                       f"{100 * copied / mounted:.0f}% of the speed of a plain file ({mounted:.3f} s, {copied:.3f} s)",
                       "at least 70%")
    plain.unlink()


def otf2_print(arguments):
    """Lines a second of otf2-print on the whole archive: a single location takes it the same time."""
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
        where = folder / "mount"
        with common.mounted(arguments.xtf, arguments.trace, where):
            process = busiest(where).relative_to(where)
            has_calls = (where / process / "enters_leaves").exists()
            count = int((where / "count").read_text())
        report(where, process / "records", "records of a process, all types", "2 GB/s, 20 M lines/s", arguments,
               otf2_print(arguments))
        beside_memory(where, process / "records", "records of a process, all types",
                      "24 M lines/s, 90% of the file in memory", arguments)
        beside_memory(where, "records", "records of the whole trace", "20 M lines/s", arguments)
        by_format("records", count, arguments)
        compare(where, process / "records", folder, arguments)
        if has_calls:
            report(where, process / "enters_leaves" / "records", "records of a process, calls alone", "", arguments)


if __name__ == "__main__":
    main()
