#!/usr/bin/env python3
"""Includes go only down the layers: a room includes itself and the rooms above it in ROOMS, and no other.

usage: layers.py PROJECT
"""

import pathlib
import re
import sys

# From the bottom of the house up. A room may include those before it.
ROOMS = ["libxtf", "src/model", "src/import", "src/query", "src/fs", "src/cli"]

# Libraries that belong to certain rooms alone.
LIBRARIES = {"fuse": {"src/fs"}, "otf2": {"src/import"}}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"(?P<own>[^"]+)"|<(?P<other>[^>]+)>)')


def room_of(path):
    """The room that a path relative to the project lies in, or None."""
    return next((room for room in ROOMS if path.startswith(room + "/")), None)


def included_room(room, name, project):
    """The room of an include in quotes; None if it is in none. Files that the build makes are not there to look at."""
    if "/" in name and not (project / room / name).is_file():
        return room_of(name)
    return room


def problem_of(room, line, project):
    match = INCLUDE.match(line)
    if not match:
        return None
    if match["other"]:
        rooms = next((rooms for library, rooms in LIBRARIES.items() if match["other"].startswith(library)), {room})
        return None if room in rooms else f"<{match['other']}> is for {', '.join(sorted(rooms))}"
    target = included_room(room, match["own"], project)
    if target is None:
        return f'"{match["own"]}" is in no room'
    if ROOMS.index(target) > ROOMS.index(room):
        return f'"{match["own"]}" is of {target}, which is above {room}'
    return None


def main():
    project = pathlib.Path(sys.argv[1])
    files = [f for room in ROOMS for f in sorted((project / room).rglob("*.[ch]"))]
    problems = 0
    for file in files:
        relative = file.relative_to(project).as_posix()
        for number, line in enumerate(file.read_text().splitlines(), 1):
            problem = problem_of(room_of(relative), line, project)
            if problem:
                print(f"{relative}:{number}: {problem}")
                problems += 1
    print(f"{len(files)} files, {problems} includes against the layers")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
