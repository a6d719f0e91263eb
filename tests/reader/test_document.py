"""Tests docs/FORMAT.md: its example has the bytes that libxtf writes, and its bounds are the bounds of libxtf and of the
independent reader.

    test_document.py WRITE-EXAMPLE DUMP-BOUNDS FORMAT.md
"""
import importlib
import pathlib
import re
import subprocess
import sys
import tempfile

from xtf_check import check
from xtf_reader import Trace

LINE = re.compile(r"    ([0-9a-f]{8})  ((?:[0-9a-f]{2} )*[0-9a-f]{2})(?: +(.*))?$")
VARIES = re.compile(r"random|CRC-32|nanoseconds")  # values that differ from file to file


def check_bounds(dump_bounds, text):
    output = subprocess.run([dump_bounds], check=True, capture_output=True, text=True).stdout.splitlines()
    section = text[text.index("\n## 11. Bounds\n"):].split("\n## ")[1].splitlines()
    rows = [line for line in section if line.startswith("|")][2:]
    if rows != [line for line in output if line.startswith("|")]:
        sys.exit(f"FAILED: the bounds of the document differ from those of the headers: {output}")
    for module, name, value in (line.split() for line in output if not line.startswith("|")):
        own = getattr(importlib.import_module(module), name)
        if own != int(value):
            sys.exit(f"FAILED: {module}.{name} is {own}, but {value} in the headers")


# FORMAT W6
# FORMAT W33
def main():
    write_example, dump_bounds, document = sys.argv[1:]
    text = pathlib.Path(document).read_text(encoding="utf-8")
    check_bounds(dump_bounds, text)
    section = text[text.index(". An example, byte by byte\n"):]
    lines = [match for match in map(LINE.match, section[:section.index("\n## ")].splitlines()) if match]
    with tempfile.TemporaryDirectory(prefix="xtf-document-") as folder:
        path = pathlib.Path(folder) / "example.xtf"
        subprocess.run([write_example, path], check=True)
        data = path.read_bytes()
        if check(Trace(path)) != 400:
            sys.exit("FAILED: the example does not have 400 rows")
    compared = 0
    for match in lines:
        at, shown = int(match[1], 16), bytes.fromhex(match[2])
        if VARIES.search(match[3] or ""):
            continue
        if data[at:at + len(shown)] != shown:
            sys.exit(f"FAILED: at {at:#x} the file has {data[at:at + len(shown)].hex(' ')}, the document says {match[2]}  {match[3]}")
        compared += 1
    if compared < 60:
        sys.exit(f"FAILED: only {compared} lines were compared")
    print(f"{compared} lines")


if __name__ == "__main__":
    main()
