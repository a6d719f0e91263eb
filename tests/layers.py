#!/usr/bin/env python3
"""The order of the house: a room uses itself and the rooms above it in ROOMS, and no other.

Three things are checked: includes; calls, by the symbols of the object files, since a public header of libxtf may be included from
anywhere; and that no files go round in a circle of includes, but those in CIRCLES.

usage: layers.py PROJECT BUILD
"""

import pathlib
import re
import subprocess
import sys

# From the bottom of the house up. A file belongs to the longest name that its path begins with. The public headers of libxtf are the
# files of the room "libxtf" itself: the face, which all rooms see.
ROOMS = [
    "libxtf",
    "libxtf/base", "libxtf/schema", "libxtf/pack", "libxtf/disk", "libxtf/cache", "libxtf/tree", "libxtf/aggregate",
    "libxtf/records", "libxtf/write", "libxtf/check",
    "src/model",
    "src/import", "src/import/otf2",
    "src/query/text", "src/query/select", "src/query/format", "src/query/views", "src/query/tree",
    "src/fs",
    "src/cli/ui", "src/cli/trace", "src/cli/mount", "src/cli/commands", "src/cli",
]

# A table of importers, formats or commands names what is registered in it: the only way up.
TABLES = {"src/import/importers.c": "src/import/otf2"}

# Libraries that belong to certain rooms alone.
LIBRARIES = {"fuse": {"src/fs"}, "otf2": {"src/import/otf2"}}

# Circles of files that their room truly needs, and why.
CIRCLES = {}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"(?P<own>[^"]+)"|<(?P<other>[^>]+)>)')


def room_of(path):
    """The room that a path relative to the project lies in, or None."""
    return max((room for room in ROOMS if path.startswith(room + "/")), key=len, default=None)


def may_use(path, room):
    """Whether a file may use a room."""
    return ROOMS.index(room) <= ROOMS.index(TABLES.get(path, room_of(path)))


def includes_of(file):
    for number, line in enumerate(file.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match["own"], match["other"]


def include_problem(path, own, other):
    if other:
        rooms = next((rooms for library, rooms in LIBRARIES.items() if other.startswith(library)), None)
        return None if not rooms or room_of(path) in rooms else f"<{other}> is for {', '.join(sorted(rooms))}"
    room = room_of(own)
    if room is None:
        return f'"{own}" is in no room'
    return None if may_use(path, room) else f'"{own}" is of {room}, which is above {room_of(path)}'


def check_includes(project, files):
    for path in files:
        for number, own, other in includes_of(project / path):
            problem = include_problem(path, own, other)
            if problem:
                yield f"{path}:{number}: {problem}"


def unit_of(path):
    """A .c file and its header are one."""
    return path.rsplit(".", 1)[0]


def find_circles(project, files):
    """The circles of units, by Tarjan's strongly connected components."""
    edges = {unit_of(path): set() for path in files}
    for path in files:
        edges[unit_of(path)] |= {unit_of(own) for _, own, _ in includes_of(project / path) if own and unit_of(own) in edges}
    index, low, stack, circles = {}, {}, [], []

    def visit(unit):
        index[unit] = low[unit] = len(index)
        stack.append(unit)
        for next_unit in sorted(edges[unit] - {unit}):
            if next_unit not in index:
                visit(next_unit)
            if next_unit in stack:
                low[unit] = min(low[unit], low[next_unit])
        if low[unit] == index[unit]:
            circle = stack[stack.index(unit):]
            del stack[stack.index(unit):]
            if len(circle) > 1:
                circles.append(frozenset(circle))

    for unit in sorted(edges):
        if unit not in index:
            visit(unit)
    return circles


def check_circles(project, files):
    circles = find_circles(project, files)
    for circle in circles:
        if circle not in CIRCLES:
            yield f"a circle of files: {', '.join(sorted(circle))}"
    for circle in CIRCLES:
        if circle not in circles:
            yield f"no circle any more: {', '.join(sorted(circle))}"


def objects_of(project, build, files):
    """(path of a source, its object file); of several builds of one source, any."""
    sources = {path.replace("/", "_") + ".o": path for path in files if path.endswith(".c")}
    objects = {}
    for folder in sorted(build.glob("**/*.p")):
        if (project / folder.relative_to(build).parent).is_dir():
            prefix = folder.relative_to(build).parent.as_posix().replace("/", "_") + "_"
            for file in folder.glob("*.o"):
                if prefix + file.name in sources:
                    objects[sources[prefix + file.name]] = file
    return objects


def symbols_of(file, *options):
    lines = subprocess.run(["nm", "-P", "-g", *options, file], check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[0] for line in lines if line.strip()}


def check_calls(project, build, files):
    objects = objects_of(project, build, files)
    if len(objects) < len([path for path in files if path.startswith("libxtf/") and path.endswith(".c")]) // 2:
        yield f"{build}: too few object files to look at"
    defined_in = {symbol: path for path, file in objects.items() for symbol in symbols_of(file, "--defined-only")}
    for path, file in sorted(objects.items()):
        for symbol in sorted(symbols_of(file, "--undefined-only")):
            room = room_of(defined_in[symbol]) if symbol in defined_in else None
            if room and not may_use(path, room):
                yield f"{path}: {symbol} is of {room}, which is above {room_of(path)}"


def main():
    project, build = (pathlib.Path(argument) for argument in sys.argv[1:3])
    files = [f.relative_to(project).as_posix() for top in ("libxtf", "src") for f in sorted((project / top).rglob("*.[ch]"))]
    homeless = [f"{path}: it is in no room" for path in files if room_of(path) is None]
    problems = homeless or [*check_includes(project, files), *check_circles(project, files), *check_calls(project, build, files)]
    print("\n".join(problems))
    print(f"{len(files)} files in {len(ROOMS)} rooms, {len(problems)} things against the order")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
