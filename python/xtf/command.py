"""Reads a trace by the command xtf, without a mount."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import warnings
from typing import IO, Any, Dict, Iterator, List, Optional

from .errors import XtfError, XtfWarning

LINES = 4096  # lines of JSON that are parsed at once
PREFIX, WARNING = "xtf: ", "xtf: warning: "


def find_command(command: Optional[str]) -> Optional[str]:
    """Returns the path of the command, by default of `xtf` in PATH; None if there is none."""
    return shutil.which(command or "xtf")


def report(errors: str, failed: bool) -> None:
    """Turns the messages of a command into warnings and, if the command failed, an exception."""
    complaints = []
    for line in errors.splitlines():
        if line.startswith(WARNING):
            warnings.warn(line[len(WARNING):], XtfWarning, stacklevel=5)
        else:
            complaints.append(line[len(PREFIX):] if line.startswith(PREFIX) else line)
    if failed:
        raise XtfError("\n".join(complaints) or "xtf failed without a message")


def objects_of(lines: IO[bytes]) -> Iterator[Dict[str, Any]]:
    """Yields the objects of JSON Lines."""
    while True:
        batch = [line for _, line in zip(range(LINES), lines)]
        if not batch:
            return
        yield from json.loads(b"[" + b",".join(batch) + b"]")


class CommandSource:
    """A trace that the command reads: an .xtf file, a folder of a recording, or an archive that the command imports."""

    def __init__(self, command: str, source: str) -> None:
        self.command = command
        self.source = source

    def run(self, *arguments: str) -> bytes:
        """Returns the output of a command."""
        done = subprocess.run([self.command, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        report(done.stderr.decode(errors="replace"), done.returncode != 0)
        return done.stdout

    def read(self, path: str) -> bytes:
        """Returns the bytes of a file."""
        return self.run("cat", self.source, path or "/")

    def names(self, path: str) -> List[str]:
        """Returns the names in a directory."""
        names = self.run("ls", self.source, path or "/").decode("utf-8", "surrogateescape").splitlines()
        return [name.rstrip("/@") for name in names]

    def objects(self, path: str) -> Iterator[Dict[str, Any]]:
        """Yields the lines of a table, or of `records`, as they are in JSON. Memory does not grow with their number."""
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen([self.command, "cat", "--json", self.source, path], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=errors)
            assert process.stdout is not None
            try:
                yield from objects_of(process.stdout)
            except GeneratorExit:  # the caller stops early
                process.kill()
                process.stdout.close()
                process.wait()
                raise
            process.stdout.close()
            status = process.wait()
            errors.seek(0)
            report(errors.read().decode(errors="replace"), status != 0)

    def __str__(self) -> str:
        return os.fspath(self.source)
