"""The contents of a trace as XTF shows them by `xtf cat` and `xtf ls`, or through a mount."""

import os
import pathlib
import re

from asking import Asker
from xtfrun import Failure

ESCAPE = re.compile(r"\\x([0-9a-f]{2})")
CUT = re.compile(r"(.*)~\d+$", re.S)


class Cat:
    """Reads a trace without a mount. If the environment's ASK_TREE names that program, it answers most questions. The first and every tenth
    question also go to `xtf cat` and `xtf ls`, which must give the same answer."""

    EVERY = 10

    def __init__(self, xtf, trace):
        self.xtf = xtf
        self.trace = trace
        self.asker = Asker(xtf, os.environ["ASK_TREE"], trace) if "ASK_TREE" in os.environ else None
        self.asked = 0

    def ask(self, command, path):
        self.asked += 1
        if not self.asker:
            return self.xtf.expect(command, self.trace, path)
        answer = self.asker.ask(f"{command} {path}")
        if self.asked % self.EVERY == 1 and self.xtf.expect(command, self.trace, path) != answer:
            raise Failure(f"xtf {command} {path} says something else than ask-tree")
        return answer

    def read(self, path):
        return self.ask("cat", path).decode("utf-8", "surrogateescape")

    def list(self, path):
        return self.ask("ls", path).decode().split()


class Mounted:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def read(self, path):
        # pathlib.read_bytes() would not do: st_size must be the number of bytes that can be read.
        with open(self.folder / path.lstrip("/"), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read()
        assert len(data) == size, f"{path}: st_size is {size}, but it has {len(data)} bytes"
        return data.decode("utf-8", "surrogateescape")

    def list(self, path):
        return sorted(os.listdir(self.folder / path.lstrip("/")))


def plain(text):
    """Returns the text that a cell shows. A text that was cut ends before its ~NUMBER."""
    if text == '""':
        return ""
    data = ESCAPE.sub(lambda match: f"\\x{match[1]}", text)
    if "\\x" not in data:
        return data
    raw = bytearray()
    encoded = text.encode("utf-8", "surrogateescape")
    i = 0
    while i < len(encoded):
        if encoded[i:i + 2] == b"\\x":
            raw.append(int(encoded[i + 2:i + 4], 16))
            i += 4
        else:
            raw.append(encoded[i])
            i += 1
    return raw.decode("utf-8", "surrogateescape")


def shows(cell, text):
    """True if the cell shows the text, whole or cut."""
    if plain(cell) == text:
        return True
    cut = CUT.match(cell)
    return bool(cut) and text.startswith(plain(cut[1]).rstrip("\\")[:len(text)]) and len(text) > 4


FINDING_AT = 23  # column of the sentence in `findings`


def findings_of(text):
    """Returns the findings of a file: [score, rule, sentence, table], with continued lines joined."""
    findings = []
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line[:FINDING_AT].strip():
            findings.append([*line[:FINDING_AT].split(), line[FINDING_AT:]])
        else:
            findings[-1][2] += " " + line[FINDING_AT:]
    return [[score, rule, sentence.rstrip(), table] for score, rule, text_and_table in findings for sentence, _, table in [text_and_table.rpartition(" ")]]


class Shown:
    """A trace with any reader."""

    def __init__(self, reader):
        self.reader = reader
        self.columns_of = {}
        self.tables = {}

    def count(self, path):
        return int(self.reader.read(path.rstrip("/") + "/count"))

    def columns(self, path):
        """Returns the names of the columns of a selection's records."""
        lines = self.reader.read(path.rstrip("/") + "/columns").splitlines()
        return [line.split()[0] for line in lines if line and not line.startswith("#")]

    def records(self, path, key=None):
        """Returns lists of cells. All selections of a type have the same columns, which the object caches by `key`."""
        if key not in self.columns_of:
            self.columns_of[key] = self.columns(path)
        splits = len(self.columns_of[key]) - 1
        for line in self.reader.read(path.rstrip("/") + "/records").split("\n"):
            if line:
                yield line.rstrip(" ").split(None, splits)

    def table(self, name):
        """Returns the rows of a table in /definitions."""
        if name not in self.tables:
            self.tables[name] = self.rows("/definitions/" + name)
        return self.tables[name]

    def rows(self, path):
        """Returns the rows of a table whose first line names its columns, as dictionaries."""
        lines = self.reader.read(path).split("\n")
        columns = lines[0].lstrip("#").split()
        return [dict(zip(columns, line.rstrip(" ").split(None, len(columns) - 1))) for line in lines[1:] if line]


def ticks_of(cell, ticks_a_second, origin):
    """Returns the first tick at or after a printed time."""
    integer, _, digits = cell.partition(".")
    return origin + -(-int(integer + digits) * ticks_a_second // 10 ** len(digits))
