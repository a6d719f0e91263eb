#!/usr/bin/env python3
"""The order of the house: a room uses itself and the rooms above it in ROOMS, and no other.

Three things are checked: includes; uses, by the symbols of the object files, since a public header of libxtf may be included from
anywhere; and that no files use one another in a circle, but those in CIRCLES.

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
    "libxtf/base", "libxtf/schema", "libxtf/pack", "libxtf/disk", "libxtf/cache", "libxtf/tree", "libxtf/totals", "libxtf/aggregate",
    "libxtf/records", "libxtf/write/aggregates", "libxtf/write", "libxtf/check", "libxtf/merge",
    "src/files", "src/model",
    "src/nettest/cluster", "src/nettest",
    "src/import/definitions", "src/import", "src/import/otf2", "src/import/nettest", "src/import/opents",
    "src/record", "src/record/core", "src/record/regions", "src/record/mpi", "src/record/names", "src/record/collect", "src/record/launch",
    "src/analysis/formulas", "src/analysis/steps",
    "src/query/text", "src/query/images", "src/query/context", "src/query/select",
    "src/analysis/replay", "src/analysis/align", "src/analysis/kinds", "src/analysis/waits", "src/analysis/causes", "src/analysis/path", "src/analysis/network", "src/analysis/analyze",
    "src/query/format", "src/query/network", "src/query/totals", "src/query/match", "src/query/collectives", "src/query/views", "src/query/drawing", "src/query/timeline", "src/query/charts", "src/query/frames", "src/query/findings", "src/query/page", "src/query/pictures", "src/query/records", "src/query/node", "src/query/entries", "src/query/tree", "src/query/diff",
    "src/export", "src/export/otf2", "src/export/network", "src/export/cube", "src/export/opents",
    "src/fs",
    "src/cli/ui", "src/cli/trace", "src/cli/mount", "src/cli/play", "src/cli/commands", "src/cli",
]

# A table of importers, formats or commands names what is registered in it: the only way up.
TABLES = {"src/import/importers.c": "src/import/opents", "src/export/exporters.c": "src/export/opents"}

# Libraries that belong to certain rooms alone.
LIBRARIES = {"png": {"src/query/images"}, "fuse": {"src/fs"}, "otf2": {"src/import/otf2", "src/export/otf2"}, "netcdf": {"src/nettest"}}

# Circles of files that their room truly needs, and why.
CIRCLES = {
    # A schema is valid if its aggregates are, whose keys are its fields, and if its bytes fit the catalog, whose decoder validates.
    frozenset({"libxtf/schema/schema.c", "libxtf/schema/schema-aggregates.c", "libxtf/schema/schema-codec.c"}),
    # The digest of a leaf begins with the stack before it, and the stack at a row comes from the digest of its leaf.
    frozenset({"libxtf/aggregate/digest.c", "libxtf/aggregate/frames.c"}),
    # A writer makes arrays; their edges widen its limits, at a commit or when an array is closed before it.
    frozenset({"libxtf/write/writer.c", "libxtf/write/array-writer.c", "libxtf/write/commit.c"}),
}

# Classes of symbols, as nm names them.
UNDEFINED, WEAK = {"U", "v", "w"}, {"V", "W"}

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


def symbols_of(objects):
    """The symbols of object files, as nm lists them: {object file: [(symbol, class)]}. One nm for all, as starting one takes longer than its work."""
    symbols = {str(file): [] for file in objects}
    for line in subprocess.run(["nm", "-A", "-P", "-g", *symbols], check=True, capture_output=True, text=True).stdout.splitlines():
        file, _, rest = line.partition(": ")
        symbols[file].append(tuple(rest.split()[:2]))
    return symbols


def uses_of(project, build, files):
    """For each source the other sources whose symbols it uses: {path: {path: symbol}}."""
    objects = objects_of(project, build, files)
    symbols = symbols_of(objects.values())
    symbols = {path: symbols[str(file)] for path, file in objects.items()}
    defined_in = {symbol: path for path in symbols for symbol, kind in symbols[path] if kind not in UNDEFINED}
    # What a room defines weakly is its own, though rooms above may say it better.
    defined_in |= {symbol: path for path in symbols for symbol, kind in symbols[path] if kind in WEAK}
    uses = {path: {} for path in symbols}
    for path in symbols:
        for symbol in sorted(symbol for symbol, kind in symbols[path] if kind in UNDEFINED):
            if symbol in defined_in:
                uses[path][defined_in[symbol]] = symbol
    return uses


def check_uses(uses):
    for path, used in sorted(uses.items()):
        for other, symbol in used.items():
            if not may_use(path, room_of(other)):
                yield f"{path}: {symbol} is of {room_of(other)}, which is above {room_of(path)}"


def find_circles(uses):
    """The circles of files, by Tarjan's strongly connected components."""
    index, low, stack, circles = {}, {}, [], []

    def visit(path):
        index[path] = low[path] = len(index)
        stack.append(path)
        for other in sorted(uses[path]):
            if other not in index:
                visit(other)
            if other in stack:
                low[path] = min(low[path], low[other])
        if low[path] == index[path]:
            circle = stack[stack.index(path):]
            del stack[stack.index(path):]
            if len(circle) > 1:
                circles.append(frozenset(circle))

    for path in sorted(uses):
        if path not in index:
            visit(path)
    return circles


def check_circles(uses):
    circles = find_circles(uses)
    for circle in circles:
        if circle not in CIRCLES:
            yield f"a circle of files: {', '.join(sorted(circle))}"
    for circle in CIRCLES:
        if circle not in circles:
            yield f"no circle any more: {', '.join(sorted(circle))}"


def main():
    project, build = (pathlib.Path(argument) for argument in sys.argv[1:3])
    files = [f.relative_to(project).as_posix() for top in ("libxtf", "src") for f in sorted((project / top).rglob("*.[ch]"))]
    homeless = [f"{path}: it is in no room" for path in files if room_of(path) is None]
    uses = uses_of(project, build, files)
    problems = homeless or [*check_includes(project, files), *check_uses(uses), *check_circles(uses)]
    n_sources = sum(path.endswith(".c") for path in files)
    if len(uses) < n_sources // 2:
        problems.append(f"{build} has objects of {len(uses)} files only, of {n_sources}")
    print("\n".join(problems))
    print(f"{len(files)} files in {len(ROOMS)} rooms, {len(problems)} things against the order")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
