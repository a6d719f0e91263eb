#!/usr/bin/env python3
"""The order of the house: a room uses itself, the rooms below it, and no other.

Checked are includes; uses, by the symbols of the object files, since a public header of libxtf may be included from anywhere; that no files
use one another in a circle, by symbols but those in CIRCLES, by what headers define but those in HEADER_CIRCLES; that no room has more
files than FILES_IN_A_ROOM; and that fewer than half of the sources see the header of traces, however they come to it, so that a change of
it compiles no more than that.

usage: layers.py PROJECT BUILD
"""

import os
import pathlib
import re
import subprocess
import sys

# The storeys, from the bottom of the house up, each with its rooms, lowest first. A room uses itself, the rooms before it in its storey, and
# the storeys below. A file belongs to the longest name that its path begins with; "" is the folder of the storey itself.
STOREYS = [
    # The public headers of libxtf are the files of the room "": the face, which all rooms see.
    ("libxtf", ["", "base", "schema", "pack", "disk", "cache", "tree", "totals", "aggregate", "records", "write/aggregates", "write/pages", "write", "check", "merge"]),
    ("src/files", [""]),
    ("src/model", [""]),
    ("src/trace", ["text", "context", "select"]),
    ("src/analysis", ["formulas", "steps", "replay/logs", "replay/lossy", "replay", "align", "kinds", "waits", "causes", "path", "ideal", "analyze"]),
    ("src/tables", ["format", "totals", "match/order", "match", "collectives", "clocks", "views"]),
    ("src/pictures", ["images", "drawing", "timeline/rows", "timeline", "charts", "frames", "findings", "page", "registry"]),
    ("src/tree", ["records", "node", "entries", "paths", "diff"]),
    ("src/fs", [""]),
    ("src/cli", ["ui", "trace", "mount", "play", "commands", ""]),
]

# What stands beside the storeys: each house with its rooms, lowest first; for each room the storey on which the room stands, None if it uses
# no storey, and what else it uses.
BESIDE = [
    ("src/import", [("definitions", "src/model", []), ("", "src/model", []), ("otf2", "src/model", []), ("opents", "src/model", [])]),
    ("src/record", [
        ("", "src/model", []), ("core", None, []), ("regions", None, ["libxtf/base"]),
        ("mpi/library", None, []), ("mpi/comms", None, ["libxtf/base"]), ("mpi/messages", None, []), ("mpi/windows", None, ["libxtf/base"]),
        ("mpi/creation", None, ["libxtf/base"]), ("mpi/fortran", None, []), ("mpi", None, []),
        ("names", "src/model", []), ("collect/rows", "src/model", ["src/import"]), ("collect", "src/model", ["src/import"]),
        ("launch/program", "src/model", []), ("launch", "src/model", []),
    ]),
    ("src/network", [("cluster", "libxtf", []), ("results", "libxtf", []), ("import", "src/model", ["src/import"]), ("tables", "src/pictures", []),
                     ("export", "src/tree", ["src/export"])]),
    ("src/export", [("", "src/tree", ["src/import"]), ("otf2", "src/tree", ["src/import"]), ("cube", "src/tree", ["src/import"]), ("opents", "src/tree", ["src/import"])]),
]  # yapf: disable

# What the storeys use of the houses beside them; each storey uses what those below it use.
USED_BY_STOREYS = {"src/tree": ["src/network/tables"], "src/cli": ["src/import", "src/record", "src/network", "src/export"]}

# A table of importers or exporters names what is registered in it: the only way up.
TABLES = {"src/import/importers.c": ["src/import/otf2", "src/import/opents", "src/network/import"],
          "src/export/exporters.c": ["src/export/otf2", "src/export/cube", "src/export/opents", "src/network/export"]}  # yapf: disable

# Libraries that belong to certain rooms alone.
LIBRARIES = {"png": {"src/pictures/images"}, "fuse": {"src/fs"}, "otf2": {"src/import/otf2", "src/export/otf2"}, "netcdf": {"src/network/results"}}

# The most files of a room; sources and headers are counted alike.
FILES_IN_A_ROOM = 25

# Circles of files that their room truly needs, and why.
CIRCLES = {
    # A schema is valid if its aggregates are, whose keys are its fields, and if its bytes fit the catalog, whose decoder validates.
    frozenset({"libxtf/schema/schema.c", "libxtf/schema/schema-aggregates.c", "libxtf/schema/schema-codec.c"}),
    # The digest of a leaf begins with the stack before it, and the stack at a row comes from the digest of its leaf.
    frozenset({"libxtf/aggregate/digest.c", "libxtf/aggregate/frames.c"}),
    # A writer makes arrays; their edges widen its limits, at a commit or when an array is closed before it.
    frozenset({"libxtf/write/writer.c", "libxtf/write/array-writer.c", "libxtf/write/commit.c"}),
}

# Circles that run through types, macros and inline functions of headers, which nm does not see. A source, its header and its private header
# count as one file. Each with a reason; a new one is refused.
HEADER_CIRCLES = {
    # A digest begins with the frames around its leaf, and frames are found chunk by chunk of a digest.
    frozenset({"libxtf/aggregate/digest", "libxtf/aggregate/frames"}),
    # The class of a region of MPI is a column of the table of MPI's functions, which is looked up for it.
    frozenset({"src/model/region-class", "src/model/mpi-functions"}),
    # Fields and rows of one reader: kind-fields.c has the functions of fields that kind-rows.h declares.
    frozenset({"src/analysis/kinds/kind-rows", "src/analysis/kinds/kind-fields"}),
    # A cell is a type of the format, which is made of programs of cells.
    frozenset({"src/tables/format/format", "src/tables/format/cells", "src/tables/format/call-cells"}),
    # A view has a subject and stands in the registry; both are pointers to views in their headers.
    frozenset({"src/tables/views/registry", "src/tables/views/view", "src/tables/views/subject"}),
    # The public header of operations, and the part of it that finds their members.
    frozenset({"src/tables/collectives/collective", "src/tables/collectives/collective-members"}),
    # node.h is what others see of a node; node-class.h is the inside, which node.c implements.
    frozenset({"src/tree/node/node-class", "src/tree/node/node"}),
    # findings.c has the table of rules, and a rule looks at what findings.h describes.
    frozenset({"src/pictures/findings/finding-rule", "src/pictures/findings/findings"}),
    # A job carries its options and its report, which the header for callers describes.
    frozenset({"src/export/export", "src/export/job"}),
    frozenset({"src/record/collect/run", "src/record/collect/session"}),
    # A result lies in a file, and is known to that only by a pointer.
    frozenset({"src/network/results/network", "src/network/results/file"}),
}

# Classes of symbols, as nm names them.
UNDEFINED, WEAK = {"U", "v", "w"}, {"V", "W"}

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# What a header defines: macros, types and inline functions; and the constants of its enums.
DEFINED = re.compile(r"^#\s*define\s+(\w+)|^(?:typedef\s+)?(?:struct|enum|union)\s+(\w+)\s*\{|\}\s*(\w+);|typedef[^;{]*?\b(\w+);|typedef[^;]*\(\*(\w+)\)|"
                     r"^static inline[^(]*?\b(\w+)\(", re.MULTILINE)
ENUM = re.compile(r"enum\s*\w*\s*\{([^}]*)\}")

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"(?P<own>[^"]+)"|<(?P<other>[^>]+)>)')


def names_of(house, rooms):
    return [f"{house}/{room}" if room else house for room in rooms]


def list_rooms():
    """Returns the rooms that each room may use: {room: {room}}."""
    storeys = [house for house, _ in STOREYS]
    rooms_of = {house: names_of(house, rooms) for house, rooms in STOREYS}
    rooms_of |= {house: names_of(house, [room for room, _, _ in rooms]) for house, rooms in BESIDE}

    def expand(names):
        """Returns the rooms of houses and rooms."""
        return {room for name in names for room in rooms_of.get(name, [name])}

    def up_to(storey):
        """Returns the rooms of a storey and of those below it, and what these use beside them."""
        column = storeys[:storeys.index(storey) + 1] if storey else []
        return expand(column) | expand(name for house in column for name in USED_BY_STOREYS.get(house, []))

    may = {}
    for below, (house, _) in zip([None, *storeys], STOREYS):
        for number, room in enumerate(rooms_of[house], 1):
            may[room] = up_to(below) | expand(USED_BY_STOREYS.get(house, [])) | set(rooms_of[house][:number])
    for house, rooms in BESIDE:
        for number, (room, (_, on, others)) in enumerate(zip(rooms_of[house], rooms), 1):
            may[room] = up_to(on) | expand(others) | set(rooms_of[house][:number])
    return may


ROOMS = list_rooms()


def room_of(path):
    """Returns the room that a path relative to the project lies in, or None."""
    return max((room for room in ROOMS if path.startswith(room + "/")), key=len, default=None)


def may_use(path, room):
    """True if a file may use a room."""
    return room in ROOMS[room_of(path)] or room in TABLES.get(path, [])


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
    return None if may_use(path, room) else f'"{own}" is of {room}, which {room_of(path)} may not use'


def check_includes(project, files):
    for path in files:
        for number, own, other in includes_of(project / path):
            problem = include_problem(path, own, other)
            if problem:
                yield f"{path}:{number}: {problem}"


def objects_of(project, build, files):
    """Returns the object file of each source; of several builds of one source, any: {path of the source: object file}."""
    sources, objects = [path for path in files if path.endswith(".c")], {}
    for folder in sorted(build.glob("**/*.p")):
        target = folder.relative_to(build).parent.as_posix()
        if (project / target).is_dir():
            # Meson names an object by the path of its source from the folder of its target.
            named = {os.path.relpath(path, target).replace("/", "_") + ".o": path for path in sources}
            objects |= {named[file.name]: file for file in folder.glob("*.o") if file.name in named}
    return objects


def symbols_of(objects):
    """The symbols of object files, as nm lists them: {object file: [(symbol, class)]}. One nm for all, as starting one takes longer than its work."""
    symbols = {str(file): [] for file in objects}
    for line in subprocess.run(["nm", "-A", "-P", "-g", *symbols], check=True, capture_output=True, text=True).stdout.splitlines():
        file, _, rest = line.partition(": ")
        symbols[file].append(tuple(rest.split()[:2]))
    return symbols


def find_homes(symbols):
    """Returns the source that defines each symbol, and complaints of symbols that several define, as a use of one could not be told from
    a use of the other. What a source defines weakly is its own, though another one defines it too."""
    homes, problems = {}, []
    for path in sorted(symbols):
        for symbol, kind in symbols[path]:
            if kind not in UNDEFINED and kind not in WEAK and homes.setdefault(symbol, path) != path:
                problems.append(f"{path}: {symbol} is defined in {homes[symbol]}, too")
    return homes | {symbol: path for path in symbols for symbol, kind in symbols[path] if kind in WEAK}, problems


def uses_of(project, build, files):
    """Returns for each source the other sources whose symbols it uses, {path: {path: symbol}}, and complaints of symbols."""
    objects = objects_of(project, build, files)
    symbols = symbols_of(objects.values())
    symbols = {path: symbols[str(file)] for path, file in objects.items()}
    homes, problems = find_homes(symbols)
    uses = {path: {} for path in symbols}
    for path in symbols:
        for symbol in sorted(symbol for symbol, kind in symbols[path] if kind in UNDEFINED):
            if symbol in homes:
                uses[path][homes[symbol]] = symbol
    return uses, problems


def check_uses(uses):
    for path, used in sorted(uses.items()):
        for other, symbol in used.items():
            if not may_use(path, room_of(other)):
                yield f"{path}: {symbol} is of {room_of(other)}, which {room_of(path)} may not use"


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


def check_circles(uses, declared, what):
    circles = find_circles(uses)
    for circle in circles:
        if circle not in declared:
            yield f"a circle of {what}: {', '.join(sorted(circle))}"
    for circle in declared:
        if circle not in circles:
            yield f"no circle of {what} any more: {', '.join(sorted(circle))}"


def names_defined(text):
    """The names that the text of a header defines without a symbol."""
    constants = {name for enum in ENUM.finditer(text) for name in re.findall(r"\b[A-Z][A-Z0-9_]+\b", enum[1])}
    return {name for match in DEFINED.finditer(text) for name in match.groups() if name} | constants


def header_uses_of(project, files):
    """Returns for each file without its ending the others of whose headers it uses something: {path: {path: name}}."""

    def stem(path):
        return re.sub(r"(-private)?\.[ch]$", "", path)

    texts = {path: COMMENT.sub("", (project / path).read_text()) for path in files}
    defined = {path: names_defined(text) for path, text in texts.items() if path.endswith(".h")}
    uses = {stem(path): {} for path in files}
    for path, text in texts.items():
        words = set(re.findall(r"\w+", text))
        for _, own, _ in includes_of(project / path):
            used = defined.get(own, set()) & words
            if used and stem(own) != stem(path):
                uses[stem(path)][stem(own)] = min(used)
    return uses


def check_sizes(files):
    for room in ROOMS:
        n = sum(str(pathlib.PurePosixPath(path).parent) == room for path in files)
        if n > FILES_IN_A_ROOM:
            yield f"{room}: {n} files are more than {FILES_IN_A_ROOM}"


def check_reach(project, files, header):
    """Headers name a trace by libxtf/handles.h, so only sources that ask one see its header."""
    includes = {path: [own for _, own, _ in includes_of(project / path)] for path in files}

    def seen_by(path):
        seen, left = set(), [path]
        while left:
            new = set(includes.get(left.pop(), [])) - seen
            seen |= new
            left += new
        return seen

    sources = [path for path in files if path.endswith(".c")]
    n = sum(header in seen_by(path) for path in sources)
    if not 0 < n < len(sources) / 2:
        yield f"{header}: {n} of {len(sources)} sources see it: headers name its types by libxtf/handles.h"


def main():
    project, build = (pathlib.Path(argument) for argument in sys.argv[1:3])
    files = [f.relative_to(project).as_posix() for top in ("libxtf", "src") for f in sorted((project / top).rglob("*.[ch]"))]
    homeless = [f"{path}: it is in no room" for path in files if room_of(path) is None]
    uses, ambiguous = uses_of(project, build, files)
    problems = homeless or [*ambiguous, *check_includes(project, files), *check_uses(uses), *check_circles(uses, CIRCLES, "files"),
                            *check_circles(header_uses_of(project, files), HEADER_CIRCLES, "headers"), *check_sizes(files),
                            *check_reach(project, files, "libxtf/trace.h")]
    n_sources = sum(path.endswith(".c") for path in files)
    if len(uses) < n_sources // 2:
        problems.append(f"{build} has objects of {len(uses)} files only, of {n_sources}")
    print("\n".join(problems))
    print(f"{len(files)} files in {len(ROOMS)} rooms, {len(problems)} things against the order")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
