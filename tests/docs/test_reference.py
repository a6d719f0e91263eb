#!/usr/bin/env python3
"""Checks that the reference of all tables in docs/TREE.md equals the declarations of their columns: `xtf help --markdown`.

usage: test_reference.py XTF TREE.md [--write]
"""

import pathlib
import subprocess
import sys

MARK = "<!-- made by: xtf help --markdown -->\n"
LINE = 100


def main():
    xtf, path = sys.argv[1], pathlib.Path(sys.argv[2])
    made = subprocess.run([xtf, "help", "--markdown"], check=True, capture_output=True, text=True, timeout=60).stdout
    before, mark, reference = path.read_text().partition(MARK)
    if not mark:
        sys.exit(f"FAILED: {path} has no line {MARK}")
    if "--write" in sys.argv:
        path.write_text(before + mark + made)
        return 0
    long = [line for line in made.splitlines() if len(line) > LINE]
    if long:
        sys.exit(f"FAILED: {len(long)} lines are longer than {LINE} columns: {long[0]}")
    if made.count("**`") < 40:
        sys.exit(f"FAILED: only {made.count('**`')} tables are declared")
    if made != reference:
        sys.exit(f"FAILED: {path} has another reference of tables: run {sys.argv[0]} {xtf} {path} --write")
    return 0


sys.exit(main())
