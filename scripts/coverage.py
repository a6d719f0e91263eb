#!/usr/bin/env python3
"""Prints what gcov knows of a build: lines and branches that were reached, by room of the product.

usage: coverage.py BUILD
"""

import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]


def read(data):
    """What gcov says of one object file."""
    text = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", data], capture_output=True, cwd=data.parent, timeout=300).stdout
    text = gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text
    return [file for line in text.splitlines() if line.strip() for file in json.loads(line)["files"]]


def room_of(build, name):
    """The folder of a source file; None: it is no part of the product, or made by the build."""
    path = pathlib.Path(os.path.normpath(build / name))
    if not path.is_relative_to(TOP) or path.is_relative_to(build):
        return None
    path = path.relative_to(TOP)
    return str(path.parent) if path.parts[0] in ("libxtf", "src") else None


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    # By room; and by file, line and number of the branch: whether some object reached it.
    lines, branches = collections.defaultdict(dict), collections.defaultdict(dict)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for files in pool.map(read, sorted(build.rglob("*.gcda"))):
            for file in files:
                room = room_of(build, file["file"])
                for line in file["lines"] if room else []:
                    key = (file["file"], line["line_number"])
                    lines[room][key] = lines[room].get(key, False) or line["count"] > 0
                    for i, branch in enumerate(line["branches"]):
                        branches[room][key, i] = branches[room].get((key, i), False) or branch["count"] > 0
    if not lines:
        sys.exit(f"coverage: {build} has no results of gcov")
    rooms = sorted(lines)
    storeys = {}
    for room in rooms:
        storeys.setdefault("/".join(room.split("/")[: 2 if room.startswith("src") else 1]), []).append(room)
    print("| room | lines | of | branches | of |\n|---|--:|--:|--:|--:|")
    for name, members in [*((room, [room]) for room in rooms), *((f"all of {storey}", members) for storey, members in storeys.items()), ("all", rooms)]:
        row = [name]
        for table in (lines, branches):
            values = [reached for room in members for reached in table[room].values()]
            row += [f"{100 * sum(values) / max(len(values), 1):.0f} %", str(len(values))]
        print("| " + " | ".join(row) + " |")


main()
