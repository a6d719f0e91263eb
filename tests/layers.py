#!/usr/bin/env python3
"""Tests the order of the house: a room uses itself, the rooms below it, and no other rooms.

- Each file includes only headers of rooms that it may use.
- Each file uses only symbols of such rooms, by its object file. Includes do not show this for the public headers of libxtf.
- No files use one another in a circle of symbols, except the circles in CIRCLES.
- No headers use one another in a circle of definitions, except the circles in HEADER_CIRCLES.
- Each file that asks for an option of the build includes the header that defines it. Without it, the option would be off there.
- No room has more files than FILES_IN_A_ROOM.
- Fewer than half of the sources include the header of traces, directly or by other headers. So a change of it compiles less than
  half of the sources.

usage: layers.py PROJECT BUILD
"""

import os
import pathlib
import re
import subprocess
import sys

# The storeys, lowest first, each with its rooms, lowest first. A room uses itself, the rooms before it in its storey, and the storeys below.
# The room of a file is the longest name that its path begins with; "" is the folder of the storey itself.
STOREYS = [
    # The files of the room "" are the public headers of libxtf, which all its rooms and the storeys above may use.
    ("libxtf", ["", "base", "schema", "pack", "disk", "disk/lists", "cache", "tree", "totals", "totals/tables", "aggregate", "records", "write/aggregates", "write/pages", "write", "write/parts", "write/transfer", "check", "merge"]),
    ("src/files", [""]),
    ("src/world", ["", "mpi"]),
    ("src/model", [""]),
    ("src/trace", ["text", "typed", "context", "select", "calls"]),
    ("src/analysis", ["formulas", "steps", "replay/logs", "replay/lossy", "replay/mail", "replay", "synchronous", "align", "kinds", "rows", "waits", "ranks", "causes/intervals", "causes", "path", "ideal", "compensate", "predict", "analyze"]),
    ("src/tables", ["format", "totals", "alike", "iterations", "match/order", "match", "collectives", "clocks", "waiting", "views"]),
    ("src/pictures", ["images", "drawing", "timeline/rows", "timeline", "charts", "frames", "findings", "page", "registry"]),
    ("src/tree", ["records", "node", "entries", "paths", "diff"]),
    ("src/fs", [""]),
    ("src/cli", ["ui", "copy", "trace", "mount", "play", "watch", "predict", "commands", "commands/record", "commands/studies", ""]),
]

# The storeys beside, each with its rooms, lowest first. For each room: the highest storey that it uses, or None, and the other rooms that it
# uses.
BESIDE = [
    ("src/import", [("definitions", "src/model", []), ("share", "src/model", []), ("", "src/model", []), ("ranks", "src/model", []), ("otf2", "src/model", []), ("opents", "src/model", []), ("chrome", "src/model", [])]),
    ("src/record", [
        ("", "src/model", []), ("stack", None, []), ("core", None, []), ("regions", None, ["libxtf/base"]), ("gasp", None, []),
        ("mpi/library", None, []), ("mpi/comms", None, ["libxtf/base"]), ("mpi/messages", None, []), ("mpi/windows", None, ["libxtf/base"]),
        ("mpi/creation", None, ["libxtf/base"]), ("mpi/fortran", None, []), ("mpi", None, []),
        ("names", "src/model", []), ("collect/rows", "src/model", ["src/import"]), ("collect", "src/model", ["src/import"]),
        ("launch/program", "src/model", []), ("launch", "src/model", []),
    ]),
    ("src/network", [("cluster", "libxtf", []), ("results", "src/files", []), ("import", "src/model", ["src/import"]), ("tables", "src/pictures", []),
                     ("export", "src/tree", ["src/export"])]),
    ("src/studies", [("fit", None, ["libxtf/base"]), ("model", "src/tree", []), ("place", "src/tree", []), ("scaling", "src/tree", []), ("representative", "src/tree", [])]),
    ("src/export", [("", "src/tree", ["src/import"]), ("otf2", "src/tree", ["src/import"]), ("cube", "src/tree", ["src/import"]), ("csv", "src/tree", ["src/import"]), ("html", "src/tree", ["src/import"]), ("opents", "src/tree", ["src/import"]),
                    ("chrome", "src/tree", ["src/import"]), ("ti", "src/tree", ["src/import"])]),
]  # yapf: disable

# The rooms beside that storeys use. A storey may also use the rooms beside that the storeys below it use.
USED_BY_STOREYS = {"src/tree": ["src/network/tables"], "src/cli": ["src/import", "src/record", "src/network", "src/studies", "src/export"]}

# A table of importers or exporters names the rooms that are registered in it. No other file uses rooms above it.
TABLES = {"src/import/importers.c": ["src/import/otf2", "src/import/opents", "src/import/chrome", "src/network/import"],
          "src/export/exporters.c": ["src/export/otf2", "src/export/cube", "src/export/csv", "src/export/html", "src/export/opents", "src/export/chrome", "src/export/ti", "src/network/export"]}  # yapf: disable

# Libraries that only these rooms may include.
LIBRARIES = {"elfutils": {"src/record/names"}, "fuse": {"src/fs"}, "otf2": {"src/import/otf2", "src/export/otf2"}, "netcdf": {"src/network/results"}}

# The most files of a room: sources and headers.
FILES_IN_A_ROOM = 25

# Circles of files that their room needs, each with the reason.
CIRCLES = {
    # A schema is valid if its aggregates are, whose keys are its fields, and if its bytes fit the catalog, whose decoder validates.
    frozenset({"libxtf/schema/schema.c", "libxtf/schema/schema-aggregates.c", "libxtf/schema/schema-codec.c"}),
    # The digest of a leaf begins with the stack before it, and the stack at a row is read from the digest of its leaf.
    frozenset({"libxtf/aggregate/digest.c", "libxtf/aggregate/frames.c"}),
    # A writer makes arrays. Their edges widen the writer's limits, at a commit or when an array is closed before a commit.
    frozenset({"libxtf/write/writer.c", "libxtf/write/array-writer.c", "libxtf/write/commit.c"}),
}

# Circles of types, macros and inline functions of headers, which nm does not list, each with the reason. A source, its header and its private
# header count as one file. The test fails for a circle that is not in the list.
HEADER_CIRCLES = {
    # A digest begins with the frames around its leaf, and frames are found chunk by chunk of a digest.
    frozenset({"libxtf/aggregate/digest", "libxtf/aggregate/frames"}),
    # The class of a region of MPI is a column of the table of MPI's functions, which is searched for it.
    frozenset({"src/model/region-class", "src/model/mpi-functions"}),
    # Fields and rows of one reader: kind-fields.c has the functions of fields that kind-rows.h declares.
    frozenset({"src/analysis/kinds/kind-rows", "src/analysis/kinds/kind-fields"}),
    # A cell is a type of the format, and the format has programs of cells.
    frozenset({"src/tables/format/format", "src/tables/format/cells", "src/tables/format/call-cells"}),
    # A view has a subject and is in the registry. The headers of both have pointers to views.
    frozenset({"src/tables/views/registry", "src/tables/views/view", "src/tables/views/subject"}),
    # The public header of operations, and the part of it that finds their members.
    frozenset({"src/tables/collectives/collective", "src/tables/collectives/collective-members"}),
    # node.h has the functions of a node for other rooms; node-class.h has its internals, which node.c implements.
    frozenset({"src/tree/node/node-class", "src/tree/node/node"}),
    # findings.c has the table of rules, and a rule reads the types of findings.h.
    frozenset({"src/pictures/findings/finding-rule", "src/pictures/findings/findings"}),
    # A job has its options and its report, which are types of the header for callers.
    frozenset({"src/export/export", "src/export/job"}),
    frozenset({"src/record/collect/run", "src/record/collect/session"}),
    # A result is in a file, and the file has a pointer to it.
    frozenset({"src/network/results/network", "src/network/results/file"}),
}

# Classes of symbols, as nm names them.
UNDEFINED, WEAK = {"U", "v", "w"}, {"V", "W"}

# Names that xtf-options.h defines for options of the build.
OPTION = re.compile(r"^\s*#\s*if.*\bXTF_WITH_", re.MULTILINE)

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# The definitions in a header: macros, types, inline functions, and constants of enums.
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

    def rooms_up_to(storey):
        """Returns the rooms of a storey and of the storeys below it, and the rooms beside that they use."""
        lower = storeys[:storeys.index(storey) + 1] if storey else []
        return expand(lower) | expand(name for house in lower for name in USED_BY_STOREYS.get(house, []))

    allowed = {}
    for below, (house, _) in zip([None, *storeys], STOREYS):
        for number, room in enumerate(rooms_of[house], 1):
            allowed[room] = rooms_up_to(below) | expand(USED_BY_STOREYS.get(house, [])) | set(rooms_of[house][:number])
    for house, rooms in BESIDE:
        for number, (room, (_, storey, beside)) in enumerate(zip(rooms_of[house], rooms), 1):
            allowed[room] = rooms_up_to(storey) | expand(beside) | set(rooms_of[house][:number])
    return allowed


ROOMS = list_rooms()


def room_of(path):
    """Returns the room of a path relative to the project, or None."""
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
        return None if not rooms or room_of(path) in rooms else f"only {', '.join(sorted(rooms))} may include <{other}>"
    room = room_of(own)
    if room is None:
        return f'"{own}" is in no room'
    return None if may_use(path, room) else f'"{own}" is in {room}, which {room_of(path)} may not use'


def check_includes(project, files):
    for path in files:
        for number, own, other in includes_of(project / path):
            problem = include_problem(path, own, other)
            if problem:
                yield f"{path}:{number}: {problem}"


def check_options(project, files):
    for path in files:
        if OPTION.search((project / path).read_text()) and "xtf-options.h" not in (other for _, _, other in includes_of(project / path)):
            yield f"{path}: the file asks for an option, and does not include <xtf-options.h>"


def objects_of(project, build, files):
    """Returns an object file for each source, any if a source was built several times: {path of the source: object file}."""
    sources, objects = [path for path in files if path.endswith(".c")], {}
    for folder in sorted(build.glob("**/*.p")):
        target = folder.relative_to(build).parent.as_posix()
        if (project / target).is_dir():
            # Meson names an object after the path of its source, relative to the folder of its target.
            named = {os.path.relpath(path, target).replace("/", "_") + ".o": path for path in sources}
            objects |= {named[file.name]: file for file in folder.glob("*.o") if file.name in named}
    return objects


def symbols_of(objects):
    """Returns the symbols of object files, as nm lists them: {object file: [(symbol, class)]}.

    One nm reads all files, as starting an nm takes longer than its work."""
    symbols = {str(file): [] for file in objects}
    for line in subprocess.run(["nm", "-A", "-P", "-g", *symbols], check=True, capture_output=True, text=True).stdout.splitlines():
        file, _, fields = line.partition(": ")
        symbols[file].append(tuple(fields.split()[:2]))
    return symbols


def find_definitions(symbols):
    """Returns the source that defines each symbol, and complaints of symbols that several sources define. Programs each have a main.

    A use of such a symbol would not identify its source. A source uses its own weak symbol, although another source defines it, too."""
    defined_in, problems = {}, []
    for path in sorted(symbols):
        for symbol, kind in symbols[path]:
            if symbol != "main" and kind not in UNDEFINED and kind not in WEAK and defined_in.setdefault(symbol, path) != path:
                problems.append(f"{path}: {symbol} is defined in {defined_in[symbol]}, too")
    return defined_in | {symbol: path for path in symbols for symbol, kind in symbols[path] if kind in WEAK}, problems


def uses_of(project, build, files):
    """Returns for each source the other sources whose symbols it uses, {path: {path: symbol}}, and the complaints of find_definitions."""
    objects = objects_of(project, build, files)
    symbols = symbols_of(objects.values())
    symbols = {path: symbols[str(file)] for path, file in objects.items()}
    defined_in, problems = find_definitions(symbols)
    uses = {path: {} for path in symbols}
    for path in symbols:
        for symbol in sorted(symbol for symbol, kind in symbols[path] if kind in UNDEFINED):
            if symbol in defined_in:
                uses[path][defined_in[symbol]] = symbol
    return uses, problems


def check_uses(uses):
    for path, used in sorted(uses.items()):
        for other, symbol in used.items():
            if not may_use(path, room_of(other)):
                yield f"{path}: {symbol} is in {room_of(other)}, which {room_of(path)} may not use"


def find_circles(uses):
    """Returns the circles of files: strongly connected components, by Tarjan's algorithm."""
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


def check_circles(uses, declared, kind):
    circles = find_circles(uses)
    for circle in circles:
        if circle not in declared:
            yield f"a circle of {kind} is not declared: {', '.join(sorted(circle))}"
    for circle in declared:
        if circle not in circles:
            yield f"a declared circle of {kind} does not exist: {', '.join(sorted(circle))}"


def names_defined(text):
    """Returns the names that the text of a header defines without a symbol."""
    constants = {name for enum in ENUM.finditer(text) for name in re.findall(r"\b[A-Z][A-Z0-9_]+\b", enum[1])}
    return {name for match in DEFINED.finditer(text) for name in match.groups() if name} | constants


def header_uses_of(project, files):
    """Returns for each file, without its ending, the other files whose headers it uses, and one name used: {path: {path: name}}."""

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
            yield f"{room} has {n} files, more than {FILES_IN_A_ROOM}"


def check_includers(project, files, header):
    """Checks that fewer than half of the sources include a header. Headers use libxtf/handles.h for the types of a trace."""
    includes = {path: [own for _, own, _ in includes_of(project / path)] for path in files}

    def headers_of(path):
        headers, pending = set(), [path]
        while pending:
            new = set(includes.get(pending.pop(), [])) - headers
            headers |= new
            pending += new
        return headers

    sources = [path for path in files if path.endswith(".c")]
    n = sum(header in headers_of(path) for path in sources)
    if not 0 < n < len(sources) / 2:
        yield f"{header}: {n} of {len(sources)} sources include it; headers should include libxtf/handles.h for its types"


def main():
    project, build = (pathlib.Path(argument) for argument in sys.argv[1:3])
    files = [f.relative_to(project).as_posix() for top in ("libxtf", "src") for f in sorted((project / top).rglob("*.[ch]"))]
    roomless = [f"{path}: the file is in no room" for path in files if room_of(path) is None]
    uses, ambiguous = uses_of(project, build, files)
    problems = roomless or [*ambiguous, *check_includes(project, files), *check_options(project, files), *check_uses(uses), *check_circles(uses, CIRCLES, "files"),
                            *check_circles(header_uses_of(project, files), HEADER_CIRCLES, "headers"), *check_sizes(files),
                            *check_includers(project, files, "libxtf/trace.h")]
    n_sources = sum(path.endswith(".c") for path in files)
    if len(uses) < n_sources // 2:
        problems.append(f"{build} has objects of only {len(uses)} of {n_sources} sources")
    print("\n".join(problems))
    print(f"{len(files)} files in {len(ROOMS)} rooms, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
