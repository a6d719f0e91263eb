#!/usr/bin/env python3
"""Draws docs/images/{house,path,event}.svg of docs/ARCHITECTURE.md: the house from the lists of tests/layers.py, the two flows from the
steps below, whose files and functions must exist.

usage: draw-architecture.py [FOLDER]    writes into FOLDER instead
"""

import html
import pathlib
import re
import sys
import textwrap

PROJECT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT / "tests"))
import layers  # noqa: E402

PURPOSES = {
    "libxtf": "the container: pages, trees, totals, commits",
    "src/files": "large temporary tables, names of files",
    "src/world": "ranks of an MPI job",
    "src/model": "record types, tables, region classes",
    "src/trace": "processes, names, selections of records",
    "src/analysis": "waits, root causes, the critical path",
    "src/tables": "profile, matrix, histogram, ...",
    "src/pictures": "timelines, charts, findings",
    "src/tree": "names: directories, files, links",
    "src/fs": "FUSE: inodes, requests",
    "src/cli": "the command xtf",
    "src/import": "foreign formats in",
    "src/record": "programs of MPI and OpenMP in",
    "src/studies": "several runs of a program",
    "src/network": "measured networks",
    "src/export": "foreign formats out",
}

# A step: file, what it defines and the step uses, what happens.
LOOKUP = ("LOOKUP, once for each name of the path", [
    ("src/fs/file.c", ["handle_lookup"], "receives parent inode and name"),
    ("src/fs/inodes.c", ["xtf_inodes_lookup"], "finds the parent's node, adds an entry for the child"),
    ("src/tree/node/node-values.c", ["xtf_node_lookup"], "asks the class of the directory"),
    ("src/tree/paths/selection-dir.c", [], "finds what the name is: proc, time, records, ..."),
    ("src/tree/paths/narrowing-dirs.c", [], "parses 2 or 1-2, makes the directory's node"),
    ("src/trace/select/selection.c", ["xtf_selection_in_procs", "xtf_selection_in_window"], "narrows the selection"),
    ("src/tree/records/records-file.c", ["xtf_records_size"], "of a file: rows times the width of a line"),
    ("src/trace/select/resolver.c", ["xtf_resolver_count"], "counts the rows by two descents an array"),
    ("src/fs/reply.c", ["xtf_fs_enter"], "replies: inode, kind, size, how long to keep them"),
])
READ = ("READ, for each part of the file", [
    ("src/fs/file.c", ["handle_read"], "receives inode, offset and length"),
    ("src/tree/node/node.c", ["xtf_node_read"], "asks the class of the file"),
    ("src/tree/records/records-file.c", ["xtf_records_read"], "turns the offset into a row, keeps streams"),
    ("src/trace/select/resolver.c", ["xtf_resolver_spans"], "the selection as spans: rows of arrays"),
    ("libxtf/records/reader.c", ["xtf_record_reader_next"], "merges the arrays in the order of time"),
    ("libxtf/tree/descent.c", ["xtf_leaf_find"], "descends from the right edge to a leaf"),
    ("libxtf/cache/cache.c", ["xtf_cache_get"], "finds the page, or reads it and checks it"),
    ("libxtf/base/source.c", ["pread"], "reads bytes of the file"),
    ("libxtf/pack/unpack.c", ["xtf_unpack_rows"], "unpacks the leaf's rows, into the cache too"),
    ("src/tree/records/row-batch.c", ["xtf_row_batch_render"], "renders rows as lines, on all cores"),
    ("src/tables/format/cells.c", [], "writes each cell: times, names, numbers"),
    ("src/fs/file.c", ["fuse_reply_buf"], "replies with the bytes"),
])
PROCESS = ("the traced process: one ring a thread", [
    ("src/record/mpi/functions.tbl", ["MPI_Send"], "says what the wrapper of a function records"),
    ("src/record/mpi/generate/wrappers.py", ["wrapper_of"], "makes its wrapper when XTF is built"),
    ("src/record/core/claim.c", ["xtf_core_claim_ring"], "gives a thread its ring at its first call"),
    ("src/record/core/core.h", ["xtf_core_enter"], "reads the clock, writes 16 bytes: ENTER"),
    ("src/record/core/core.h", ["xtf_core_put"], "writes the message, then LEAVE"),
    ("src/record/core/core.h", ["xtf_core_publish"], "stores the ring's head, with release"),
    ("src/record/core/room.c", ["xtf_core_find_room"], "if the ring is full: wakes the collector and waits"),
])
COLLECTOR = ("the collector: one a process", [
    ("src/record/collect/run.c", ["xtf_collect_run"], "works in rounds, 1 to 100 ms apart"),
    ("src/record/collect/round.c", ["xtf_collect_round"], "takes what each ring has, stores its tail"),
    ("src/record/collect/rows/decode.c", ["xtf_collect_decode"], "decodes records by their kind"),
    ("src/record/collect/rows/rows-messages.c", [], "makes the row of a record type"),
    ("src/import/stream.h", ["xtf_stream_append"], "adds region, seq and the call stack"),
    ("libxtf/write/array-writer.c", ["xtf_array_writer_append"], "appends the row to the open leaf"),
    ("libxtf/write/pages/leaf-writer.c", [], "a full leaf: seals it"),
    ("libxtf/pack/pack.c", ["xtf_pack"], "packs its rows"),
    ("libxtf/totals/accumulate.c", ["xtf_accumulate_rows"], "adds them to the totals of the index page"),
    ("libxtf/disk/page.c", ["xtf_page_checksum"], "head and checksum: a page in the part"),
    ("libxtf/write/commit.c", ["xtf_writer_commit"], "once a second: right edges, P index, superblock"),
    ("src/record/collect/deliver.c", ["xtf_collect_deliver"], "at the end: brings the part to its place"),
    ("src/record/launch/parts.c", ["xtf_parts_merge"], "xtf record: merges the parts into one trace"),
])
FLOWS = {"path": ("How cat /mnt/t/proc/2/time/1-2/records becomes bytes", [LOOKUP, READ], []),
         "event": ("How an MPI_Send becomes a page", [PROCESS, COLLECTOR], [(5, 1)])}  # yapf: disable

COLOURS = {
    "libxtf": "#dbe7f5", "src/files": "#e8e8e8", "src/world": "#e8e8e8", "src/model": "#e8e8e8", "src/trace": "#e2f0dc", "src/analysis": "#f6e3d3", "src/tables": "#efe6f7",
    "src/pictures": "#f9e2ea", "src/tree": "#fbf1cf", "src/fs": "#d9efef", "src/cli": "#e6e6f2", "src/import": "#eeeeee", "src/record": "#eeeeee",
    "src/studies": "#eeeeee", "src/network": "#eeeeee", "src/export": "#eeeeee",
}  # yapf: disable

STYLE = """text { font-family: 'DejaVu Sans', Verdana, sans-serif; font-size: 13px; fill: #222 }
.title { font-size: 17px; font-weight: bold } .name { font-weight: bold } .small { font-size: 12px; fill: #444 }
.file { font-family: 'DejaVu Sans Mono', monospace; font-size: 12px; font-weight: bold } .function { font-family: 'DejaVu Sans Mono', monospace; font-size: 11px; fill: #444 }
rect { stroke: #888; stroke-width: 1 } .line { stroke: #555; stroke-width: 1.4; fill: none; marker-end: url(#arrow) }"""


class Drawing:
    """The parts of an SVG."""

    def __init__(self):
        self.parts = []

    def box(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="4" fill="{colour}"/>')

    def text(self, x, y, text, style="", anchor="start"):
        self.parts.append(f'<text x="{x}" y="{y}" class="{style}" text-anchor="{anchor}">{html.escape(text)}</text>')

    def arrow(self, *points):
        self.parts.append(f'<path class="line" d="M{" L".join(f"{x} {y}" for x, y in points)}"/>')

    def svg(self, width, height, title):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">\n'
                f"<!-- made by scripts/draw-architecture.py -->\n<title>{html.escape(title)}</title>\n<style>{STYLE}</style>\n"
                '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
                '<path d="M0 0 L8 4 L0 8 z" fill="#555"/></marker></defs>\n<rect width="100%" height="100%" fill="#fff" style="stroke: none"/>\n')
        return head + "\n".join(self.parts) + "\n</svg>\n"


# ---- The house.

CENTRE, CENTRE_WIDTH, SIDE_WIDTH, GAP, LINE = 320, 440, 270, 12, 17


def storey_lines(rooms):
    """Returns the names of a storey's rooms in lines."""
    return textwrap.wrap(", ".join(room for room in rooms if room), 64, break_on_hyphens=False)


def draw_storeys(drawing, top):
    """Draws the column, its top storey first; returns {storey: (top, bottom)} and the column's end."""
    places, y = {}, top
    for storey, rooms in reversed(layers.STOREYS):
        lines = storey_lines(rooms)
        height = 26 + LINE * len(lines) + (4 if lines else 0)
        drawing.box(CENTRE, y, CENTRE_WIDTH, height, COLOURS[storey])
        drawing.text(CENTRE + 10, y + 18, storey, "name")
        drawing.text(CENTRE + CENTRE_WIDTH - 10, y + 18, PURPOSES[storey], "small", "end")
        for number, line in enumerate(lines):
            drawing.text(CENTRE + 18, y + 37 + LINE * number, line, "small")
        places[storey] = (y, y + height)
        y += height + GAP
    return places, y - GAP


def users_of(house):
    """Returns the storeys that use a house beside them, or rooms of it; those above them use it, too."""
    return [storey for storey, used in layers.USED_BY_STOREYS.items() if any(name == house or name.startswith(house + "/") for name in used)]


def draw_house_beside(drawing, house, rooms, x, y, places):
    """Draws a house from y on; returns its end. The rooms that stand on the same storey share a line; an arrow leads to the lowest one."""
    on = {}
    for room, storey, others in rooms:
        on.setdefault(storey or " and ".join(["libc", *others]), []).append(room or house.rpartition("/")[2])
    lines = [line for storey, names in on.items()
             for line in textwrap.wrap(f"on {storey}: " + ", ".join(names), 38, subsequent_indent="    ")]
    users = ", ".join(users_of(house))
    height = 46 + LINE * len(lines) + LINE
    drawing.box(x, y, SIDE_WIDTH, height, COLOURS[house])
    drawing.text(x + 10, y + 18, house, "name")
    drawing.text(x + 10, y + 36, PURPOSES[house], "small")
    for number, line in enumerate(lines + [f"used by {users}"]):
        drawing.text(x + 10 + (14 if line.startswith("    ") else 0), y + 55 + LINE * number, line.strip(), "small")
    lowest = next(storey for storey, _ in layers.STOREYS if storey in on)
    target = (places[lowest][0] + places[lowest][1]) / 2
    left = x < CENTRE
    edge, centre_edge = (x + SIDE_WIDTH, CENTRE) if left else (x, CENTRE + CENTRE_WIDTH)
    if not y < target < y + height:
        middle = x + SIDE_WIDTH / 2
        drawing.arrow((middle, y + height if y < target else y), (middle, target), (centre_edge, target))
    else:
        drawing.arrow((edge, target), (centre_edge, target))
    return y + height


def draw_house():
    drawing = Drawing()
    drawing.text(20, 28, "The house: a room uses only itself and what is below it", "title")
    places, end = draw_storeys(drawing, 48)
    beside = dict(layers.BESIDE)
    right = CENTRE + CENTRE_WIDTH + 30
    draw_house_beside(drawing, "src/export", beside["src/export"], 20, places["src/cli"][0], places)
    draw_house_beside(drawing, "src/studies", beside["src/studies"], 20, places["src/pictures"][0] + GAP, places)
    below = draw_house_beside(drawing, "src/import", beside["src/import"], 20, places["src/analysis"][0], places)
    draw_house_beside(drawing, "src/record", beside["src/record"], right, places["src/cli"][0], places)
    end = max(end, draw_house_beside(drawing, "src/network", beside["src/network"], 20, max(below, places["src/model"][1]) + GAP, places))
    drawing.text(20, end + 26, "Rooms: lowest first. Arrow: the lowest storey that the rooms beside need. Made from tests/layers.py", "small")
    return drawing.svg(right + SIDE_WIDTH + 20, end + 40, "The house and its storeys")


# ---- The flows.

STEP_WIDTH, STEP_HEIGHT, STEP_GAP, LANE_GAP = 410, 50, 18, 50


def storey_of(path):
    return max((storey for storey in COLOURS if path.startswith(storey + "/")), key=len)


def check_step(path, names):
    """Raises an error if a file or what it defines does not exist."""
    text = (PROJECT / path).read_text()
    for name in names:
        if not re.search(rf"\b{name}\b", text):
            raise SystemExit(f"FAILED: {path} has no {name}: scripts/draw-architecture.py")


def draw_lane(drawing, x, top, title, steps):
    """Draws the steps of a lane from the top down; returns its end."""
    drawing.text(x, top, title, "name")
    y = top + 14
    for number, (path, names, text) in enumerate(steps):
        check_step(path, names)
        drawing.box(x, y, STEP_WIDTH, STEP_HEIGHT, COLOURS[storey_of(path)])
        drawing.text(x + 8, y + 16, path, "file")
        drawing.text(x + 8, y + 30, ", ".join(names), "function")
        drawing.text(x + 8, y + (44 if names else 34), text, "small")
        if number + 1 < len(steps):
            drawing.arrow((x + STEP_WIDTH / 2, y + STEP_HEIGHT), (x + STEP_WIDTH / 2, y + STEP_HEIGHT + STEP_GAP - 1))
        y += STEP_HEIGHT + STEP_GAP
    return y - STEP_GAP


def draw_flow(title, lanes, links):
    """Draws lanes side by side, with arrows from steps of the first one to steps of the second one."""
    drawing = Drawing()
    drawing.text(20, 28, title, "title")
    for left, right in links:
        start, stop, middle = 20 + STEP_WIDTH, 20 + STEP_WIDTH + LANE_GAP, 20 + STEP_WIDTH + LANE_GAP / 2
        from_y, to_y = (72 + (STEP_HEIGHT + STEP_GAP) * number + STEP_HEIGHT / 2 for number in (left, right))
        drawing.arrow((start, from_y), (middle, from_y), (middle, to_y), (stop, to_y))
    ends = [draw_lane(drawing, 20 + number * (STEP_WIDTH + LANE_GAP), 58, *lane) for number, lane in enumerate(lanes)]
    width, height = 20 + len(lanes) * (STEP_WIDTH + LANE_GAP) - 30, max(ends) + 20
    return drawing.svg(width, height, title)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT / "docs" / "images"
    (folder / "house.svg").write_text(draw_house())
    for name, flow in FLOWS.items():
        (folder / f"{name}.svg").write_text(draw_flow(*flow))


if __name__ == "__main__":
    main()
