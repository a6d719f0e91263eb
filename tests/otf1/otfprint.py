"""Reads what otfprint, a tool of OTF1, prints of an archive: each line as a kind, a time, and fields."""

import re
import subprocess
from typing import NamedTuple

# A name, then a value: a text, or all up to the next comma.
FIELD = re.compile(r'(?:, )?((?:file|handle|matching) ID|[A-Za-z_]+) ("[^"]*"|[^,]*)(?=, |$)')


class Line(NamedTuple):
    kind: str
    time: int | None
    fields: dict
    rest: str
    values: dict  # of keys


def read_values(text):
    """Returns the values of keys as text: 12:61746578, 1:C."""
    return {int(key): value for key, value in re.findall(r"(\d+):(.*?)(?:, (?=\d+:)|$)", text)}


def read_line(text):
    text, _, values = text.partition(", KeyValue: ")
    found = re.fullmatch(r"(?:\s*(\d+) )?([A-Za-z]+): (.*)", text, re.DOTALL)
    time, kind, rest = found.groups()
    fields = {name.strip(): value[1:-1] if value[:1] == '"' else value for name, value in FIELD.findall(rest)}
    return Line(kind, int(time) if time else None, fields, rest, read_values(values))


def read_archive(path):
    """Returns the lines of an archive, in otfprint's order. The lines of one process are in the order of their file."""
    printed = subprocess.run(["otfprint", "--fullkeyvalue", path], capture_output=True, check=True).stdout.decode()
    return [read_line(line.partition(")")[2].strip()) for line in printed.splitlines() if line.startswith("(#")]
