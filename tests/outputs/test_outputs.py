#!/usr/bin/env python3
"""All outputs of all commands, on a disk that is full or fails at the n-th write, for each n. The status is not 0, a message gives the
reason and names no other file, and only the files from before remain.

usage: test_outputs.py XTF FAIL-WRITES PROGRAM ARCHIVE NETWORK [COMMAND...]

PROGRAM has instrumented functions; ARCHIVE is OTF2's, NETWORK a file of network_test. With names of commands only these run.
"""

import errno
import os
import pathlib
import re
import subprocess
import sys

from output_commands import fill_disk, make_inputs, outputs, printed
from xtfrun import Failure, run_test, skip, temporary_folder

XTF, FAIL = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
TIMEOUT = 120
# Greatest number of writes of a command that fail, evenly spread. The last four fail, too.
PLACES = 10**9 if "XTF_TEST_ALL" in os.environ else 1
WAYS = ((errno.ENOSPC, "on"), (errno.EIO, "once"))


class Harness:
    def __init__(self, folder):
        self.inputs, self.disk, self.count = folder / "inputs", folder / "disk", folder / "count"
        for made in (self.inputs, self.disk, folder / "tmp"):
            made.mkdir()
        self.environment = {**os.environ, "XTF_TMPDIR": str(folder / "tmp")}
        self.runs = 0

    def run(self, command, n, number, extent):
        fill_disk(self.disk, self.inputs, command)
        on_disk = lambda text: text.replace("@", str(self.disk))
        arguments = [on_disk(argument) for argument in command.arguments]
        environment = {**self.environment, **{name: on_disk(value) for name, value in command.environment.items()}}
        with open(self.disk / "stdout" if command.stdout else os.devnull, "wb") as stdout:
            done = subprocess.run([FAIL, self.disk, str(n), str(number), extent, self.count, XTF, *arguments], stdout=stdout,
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=TIMEOUT, check=False, cwd=self.inputs, env=environment)
        if done.returncode == 77:
            skip("a supervisor cannot answer system calls here")
        self.runs += 1
        return done

    def counted(self):
        """Returns [number of writes, inodes of files that were written after their last sync]."""
        return [int(number) for number in self.count.read_text().split()]

    def contents(self):
        """Returns {name below the disk: bytes} of all files except the standard output."""
        return {str(path.relative_to(self.disk)): path.read_bytes() for path in sorted(self.disk.rglob("*"))
                if path.is_file() and path.name != "stdout"}

    def faults(self, command, before, wanted, n, number, extent):
        done = self.run(command, n, number, extent)
        if self.counted()[0] < n:
            return  # fewer writes in this run
        left = self.contents()
        if done.returncode == 0 and command.answer and command.answer(self) == wanted:
            return
        if done.returncode == 0:
            yield "status 0"
        elif done.returncode < 0 or done.returncode >= 126:
            yield f"status {done.returncode}"
        if done.returncode != 0 and not done.stderr.strip():
            yield "no message"
        if re.search(rb"/proc/|out\.nc\.\w", done.stderr):
            yield f"another name than the output's: {done.stderr.decode()}"
        if command.in_place:
            yield from self.damage(command.in_place)
        elif left != before:
            yield "left " + ", ".join(f"{name} ({len(data)} bytes)" for name, data in left.items() if before.get(name) != data)

    @staticmethod
    def answers(trace):
        """Returns the checker's results on a trace and its number of records."""
        return [(done.returncode, done.stdout.split()[-1]) for done in
                (subprocess.run([XTF, command, trace, *path], capture_output=True, check=False, text=True)
                 for command, *path in (("check",), ("cat", "count")))]

    def damage(self, name):
        """Yields faults of a trace that the command was to change."""
        checked = subprocess.run([XTF, "check", self.disk / name], capture_output=True, check=False, text=True).stdout.splitlines()
        if not checked[-1].endswith(" 0 problems"):
            yield f"{name} is damaged: {checked}"
        if self.answers(self.disk / name)[1] != self.answers(self.inputs / name)[1]:
            yield f"{name} has other records"

    def check(self, command):
        done = self.run(command, 0, 0, "on")
        if done.returncode != 0:
            return [f"{command.name}: status {done.returncode}: {done.stderr.decode()}"]
        writes, *dirty = self.counted()
        unsynced = [path.name for path in self.disk.rglob("*") if path.is_file() and path.stat().st_ino in dirty and path.name != "stdout"]
        if unsynced and not command.answer:
            return [f"{command.name}: not synced: {unsynced}"]
        wanted = command.answer(self) if command.answer else None
        fill_disk(self.disk, self.inputs, command)
        before = self.contents()
        if writes == 0:
            return [f"{command.name}: no writes"]
        places = sorted({*range(1, writes + 1, max(1, -(-writes // PLACES))), *range(max(1, writes - 3), writes + 1)})
        found = [f"{command.name}, write {n} of {writes}, {errno.errorcode[number]} {extent}: {fault}"
                 for n in places for number, extent in WAYS for fault in self.faults(command, before, wanted, n, number, extent)]
        print(f"{command.name}: {len(places)} of {writes} writes fail", flush=True)
        return found


def full_device(harness):
    """Yields faults of commands that write to /dev/full, which accepts nothing."""
    for command in printed():
        with open("/dev/full", "wb") as full:
            done = subprocess.run([XTF, *command.arguments], stdout=full, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=harness.inputs,
                                  env=harness.environment, timeout=TIMEOUT, check=False)
        if done.returncode in (0, 77) or not done.stderr.strip():
            yield f"{command.name} > /dev/full: status {done.returncode}, {done.stderr.decode()!r}"


def main():
    program, archive, network = (str(pathlib.Path(path).resolve()) for path in sys.argv[3:6])
    chosen = sys.argv[6:]
    with temporary_folder() as temporary:
        harness = Harness(pathlib.Path(os.path.realpath(temporary)))
        make_inputs(XTF, harness.inputs, archive, network)
        faults = [fault for command in [*outputs(archive, network, program), *printed()]
                  if not chosen or any(command.name.startswith(name) for name in chosen) for fault in harness.check(command)]
        faults += full_device(harness)
    print(f"{harness.runs} runs")
    if faults:
        raise Failure("\n".join(["", *faults]))


if __name__ == "__main__":
    run_test(main)
