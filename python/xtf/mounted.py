"""Reads a trace through a mount, or through a directory in one. The command xtf is not needed."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from .errors import XtfError
from .values import TEXTS, parse_cell

SAMPLE = "num/0-64/records.json"
BLOCK = 1 << 20  # bytes that are read at once


def is_mounted(path: str) -> bool:
    """True if a path is a directory of records in a mount."""
    return all(os.path.isfile(os.path.join(path, name)) for name in ("count", "columns", "records"))


class MountedSource:
    """A directory of records in a mount. Paths are relative to it."""

    def __init__(self, command: Optional[str], source: str) -> None:
        self.command = command
        self.source = source

    def whole(self, path: str) -> str:
        return os.path.join(self.source, path.strip("/"))

    def failure(self, path: str, error: OSError) -> XtfError:
        """Returns the exception for a path that cannot be read, in the words of `xtf why` if there is the command."""
        whole = self.whole(path)
        if self.command:
            done = subprocess.run([self.command, "why", whole], stdin=subprocess.DEVNULL, capture_output=True, check=False)
            words = done.stderr.decode(errors="replace").strip()
            if done.returncode != 0 and words:
                return XtfError(words[len("xtf: "):] if words.startswith("xtf: ") else words)
        return XtfError(f"{path}: {error.strerror}")

    def read(self, path: str) -> bytes:
        """Returns the bytes of a file."""
        try:
            with open(self.whole(path), "rb") as file:
                return file.read()
        except OSError as error:
            raise self.failure(path, error) from None

    def names(self, path: str) -> List[str]:
        """Returns the names in a directory."""
        try:
            return os.listdir(self.whole(path))
        except OSError as error:
            raise self.failure(path, error) from None

    def objects(self, path: str) -> Iterator[Dict[str, Any]]:
        """Yields the lines of a table, or of `records`, as they are in JSON. A mount has the JSON of at most 1 MiB; of a longer
        file this reads the text, in which names may be cut."""
        if os.path.isfile(self.whole(path + ".json")):
            return iter([json.loads(line) for line in self.read(path + ".json").splitlines()])
        if os.path.basename(path) == "records" and os.path.isfile(self.whole(path)):
            return self.text_records(path)
        if os.path.isfile(self.whole(path)):
            return self.text_table(path)
        self.read(path + ".json" if os.path.exists(self.whole(path)) else path)
        raise XtfError(f"{path}: it is no table")

    def text_table(self, path: str) -> Iterator[Dict[str, Any]]:
        """Yields the lines of a text table. Only the last column has blanks."""
        heading, *lines = self.read(path).decode("utf-8", "surrogateescape").splitlines() or [""]
        if not heading.startswith("# "):
            raise XtfError(f"{path}: it is no table")
        names = heading[2:].split()
        return ({name: parse_cell(cell, name in TEXTS) for name, cell in zip(names, line.split(None, len(names) - 1))} for line in lines)

    def text_records(self, path: str) -> Iterator[Dict[str, Any]]:
        """Yields the lines of `records`, cut where `columns` says."""
        directory = os.path.dirname(path)
        places: List[Tuple[str, slice]] = []
        for line in self.read(os.path.join(directory, "columns")).decode().splitlines()[1:]:
            name, first, last = line.split()[:3]
            places.append((name, slice(int(first) - 1, int(last))))
        texts = self.text_columns(directory)
        try:
            with open(self.whole(path), "rb", buffering=BLOCK) as file:
                for raw in file:
                    yield {name: parse_cell(raw[place].decode("utf-8", "surrogateescape").strip(), name in texts)
                           for name, place in places}
        except OSError as error:
            raise self.failure(path, error) from None

    def text_columns(self, directory: str) -> Set[str]:
        """Returns the columns that have texts in the first records."""
        texts = {"event", "name"}
        try:
            with open(self.whole(os.path.join(directory, SAMPLE)), "rb") as file:
                for line in file:
                    texts |= {name for name, value in json.loads(line).items() if isinstance(value, str) and not value[:1].isdigit()}
        except OSError:
            pass
        return texts

    def __str__(self) -> str:
        return os.fspath(self.source)
