#!/usr/bin/env python3
"""Usual tools on a whole mount: each must end in a time, while the daemon stays below a memory, and must see every file.

Each folder must list the names that a process finds without a mount.

usage: tools.py --build FOLDER [--long] [--seed N] [--case N] [ROW...]

A row is a tool, and a case is a mount of one trace with one size of the page cache. Prints the time and the memory of each case.
"""
import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess
import tarfile
import time
import typing

import mounted
from mounted import MIB, Daemon
from torture import Torture, scratch_folder

# Seconds until a tool must end, by --long. A quick case takes less than a second of processor time, a long one up to half a minute.
SECONDS = {False: 120, True: 1800}
MOST = 96 * MIB  # bytes that a daemon may use beside its page cache
NEEDLE = "MPI_Send"


def generate_large(torture, folder):
    """Generates the trace of the long run."""
    return mounted.generate(torture, folder, 150000, 8)


# The cases of each tool: the maker of the trace, MiB of the page cache, and true if only the long run has the case.
MOUNTS = [
    (mounted.import_melt, 64, False),
    (mounted.generate_small, 1, False),
    (mounted.generate, 1, True),
    (generate_large, 64, True),
    (generate_large, 1, True),
]


def sizes_of(root):
    """Returns the size of each regular file below a folder, by path."""
    found = {}
    for folder, _, files in os.walk(root):
        for path in (os.path.join(folder, name) for name in files):
            if not os.path.islink(path):
                found[os.path.relpath(path, root)] = os.stat(path).st_size
    return found


def listed(output, root):
    """Returns the files that find printed, with their sizes."""
    found = {}
    for line in output.read_text().splitlines():
        size, path = line.split(" ", 1)
        found[os.path.relpath(path, root)] = int(size)
    return found


def listed_beyond_links(output, root):
    """Returns files that find printed, with their sizes, without paths that lead through a link."""
    found = listed(output, root)
    return {path: found[path] for path in sizes_of(root) if path in found}


def found_by_grep(output, root):
    """Returns the files whose matches grep counted, without sizes."""
    lines = [line.rpartition(":") for line in output.read_text().splitlines()]
    if not any(int(count) > 0 for _, _, count in lines):
        return {}
    return {os.path.relpath(path, root): None for path, _, _ in lines}


def counted_by_du(output, root):
    """Returns the files that du printed, with their sizes."""
    found = {}
    for line in output.read_text().splitlines():
        size, path = line.split("\t", 1)
        if os.path.isfile(path) and not os.path.islink(path):
            found[os.path.relpath(path, root)] = int(size)
    return found


def archived(output, root):
    """Returns the files of the tar archive, with their sizes."""
    with tarfile.open(output) as archive:
        return {os.path.normpath(member.name): member.size for member in archive if member.isfile()}


@dataclasses.dataclass
class Tool:
    """The arguments of a tool, by the mount and the path of its output; and the files that its output shows."""

    arguments: typing.Callable
    files: typing.Callable


ROWS = {
    "find": Tool(lambda root, out: ["find", root, "-type", "f", "-printf", "%s %p\n"], listed),
    "find-links": Tool(lambda root, out: ["find", "-L", root, "-type", "f", "-printf", "%s %p\n"], listed_beyond_links),
    "grep": Tool(lambda root, out: ["grep", "-rc", NEEDLE, root], found_by_grep),
    "du": Tool(lambda root, out: ["du", "-a", "--apparent-size", "-B1", root], counted_by_du),
    "tar": Tool(lambda root, out: ["tar", "-C", root, "-cf", "-", "."], archived),
    "cp": Tool(lambda root, out: ["cp", "-r", root + "/.", f"{out}.copy"], lambda out, root: sizes_of(f"{out}.copy")),
}


def folders_that_differ(torture, trace, root):
    """Returns the folders of which a mount lists other names than a process that reads the trace by itself."""
    import questions
    asked = questions.AskTree(torture.program("tests/roundtrip/ask-tree"), trace)
    try:
        return [folder for folder, folders, files in os.walk(root)
                if sorted([*folders, *files]) != sorted(asked.names(folder[len(root):] or "/"))]
    finally:
        asked.end()


class Run:
    """One tool on one mount."""

    def __init__(self, torture, name, number, mount, folder):
        self.torture, self.name, self.number, self.mount = torture, name, number, mount
        self.output, self.daemon = folder / f"{name}-{number}", Daemon(mount.daemon.pid)

    def check(self, condition, *words):
        return self.torture.check(condition, self.name, self.number, *words)

    def wait(self, process):
        """Waits for the tool, and samples the daemon. After the time, kills the tool and the daemon, and returns false."""
        end = time.monotonic() + SECONDS[self.torture.long]
        while process.poll() is None:
            self.daemon.sample()
            if time.monotonic() > end:
                self.check(False, f"no end after {SECONDS[self.torture.long]} s\n{self.daemon.stacks()}")
                process.kill()
                self.mount.daemon.kill()
                self.mount.status_at_end = -signal.SIGKILL
                process.wait()
                return False
            time.sleep(0.02)
        return True

    def run(self, most):
        """Runs the tool. Checks its end, the files that it saw, and the daemon's memory."""
        import harness
        tool, root = ROWS[self.name], self.mount.dir
        pathlib.Path(f"{self.output}.copy").mkdir()
        began = time.monotonic()
        with open(self.output, "wb") as output, open(f"{self.output}.errors", "wb") as errors:
            process = subprocess.Popen(tool.arguments(root, self.output), stdout=output, stderr=errors, env={**os.environ, "LC_ALL": "C"})
            if not self.wait(process):
                return
        seconds, (_, memory) = time.monotonic() - began, self.daemon.growth()
        complaints = pathlib.Path(f"{self.output}.errors").read_text()
        self.check(process.returncode == 0 and not complaints, f"status {process.returncode}: {complaints[:1000]}")
        wanted, found = sizes_of(root), tool.files(self.output, root)
        self.check(set(found) == set(wanted), f"files that differ: {sorted(set(found) ^ set(wanted))[:5]}")
        wrong = [path for path, size in found.items() if size is not None and size != wanted.get(path)]
        self.check(not wrong, f"sizes that differ: {wrong[:5]}")
        self.check(harness.SANITIZED or memory <= most, f"memory of {memory / MIB:.0f} MiB, and the bound is {most / MIB:.0f} MiB")
        print(f"{self.name} {self.number}: {len(found)} files, {sum(wanted.values()) / MIB:.0f} MiB in {seconds:.1f} s (bound "
              f"{SECONDS[self.torture.long]} s), of which the daemon computes {self.daemon.used():.1f} s; its memory {memory / MIB:.0f} MiB (bound {most / MIB:.0f} MiB)", flush=True)


def run_case(torture, name, number, traces, folder):
    """Runs a tool on a new mount of one of the traces."""
    import harness
    make, cache, _ = MOUNTS[number]
    try:
        trace = traces(make)
        with harness.Mount(str(trace), f"cache={cache}M", quiet_at_end=False) as mount:
            Run(torture, name, number, mount, folder).run(cache * MIB + MOST)
            differing = folders_that_differ(torture, trace, mount.dir)
            torture.check(not differing, name, number, f"folders that list other names: {differing[:5]}")
    except AssertionError as fault:
        torture.check(False, name, number, fault)
    torture.count()


def main():
    torture = Torture(__doc__.split("\n", 1)[0], list(ROWS))
    mounted.begin(torture)
    quick = sum(not only_long for _, _, only_long in MOUNTS)
    with scratch_folder("tools") as folder:
        traces = mounted.Traces(torture, pathlib.Path(folder))
        for name in torture.rows:
            for number in torture.numbers(quick, len(MOUNTS)):
                output = pathlib.Path(folder, "output")
                output.mkdir()
                run_case(torture, name, number, traces, output)
                shutil.rmtree(output)
    torture.finish()


if __name__ == "__main__":
    main()
