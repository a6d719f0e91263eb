#!/usr/bin/env python3
"""Timelines compared with the tables of the same windows. Areas are times, tool tips are lines of `profile`, and every call of an exact
picture is a line of `calls`. Links have the right targets, and sizes are as stated.

usage: test_timeline.py XTF ASK-TREE GENERATE [ARCHIVE...]
"""

import collections
import pathlib
import random
import re
import subprocess
import sys

import svg
from asking import Refused
from tracepictures import Trace, check
from xtfrun import Xtf, shared_traces, temporary_folder

TILES = 20


def check_tiles(trace, path, picture):
    """Compares each region of a tool tip, to the digit, with the profile of the window that the tile links to."""
    tiles = [tile for tile in picture.tiles() if "xt-t" in tile[2].get("class")]
    for link, title, _ in random.sample(tiles, min(TILES, len(tiles))):
        directory = svg.follow(path, link)
        profile = trace.profile(directory.rsplit("/", 1)[0])
        rows = {(line["exclusive"], int(line["calls"])) for line in profile}
        for line in title.splitlines()[1:]:
            time, calls = re.match(r"([0-9.]+) s [0-9.]+ % .*, (\d+) calls?$", line).groups()
            check((time, int(calls)) in rows, f"{path}: {directory}: \"{line}\" is no line of its profile")


def check_links(trace, path, picture):
    links = set(picture.links())
    for link in random.sample(sorted(links), min(TILES, len(links))):
        directory = svg.follow(path, link)
        check(directory.count("time/") <= 1, f"{path}: {directory} has two windows")
        check(trace.bytes(directory).rstrip().endswith(b"</svg>"), f"{path}: {directory} is no picture")


def times_of_row(trace, path, row):
    """Returns exclusive seconds by colour of a process or a thread."""
    proc, _, thread = row.partition(".")
    directory = f"{path}/proc/{proc}" + (f"/thread/{thread}" if thread else "")
    times = collections.Counter()
    for line in trace.profile(directory):
        times[trace.colours.get(line["region"].rstrip(), "?")] += float(line["exclusive"])
    return times


def check_areas(trace, path, picture):
    """Checks a stacked row: the area of each colour is its time, within half a pixel a column."""
    info = {line["what"]: line["value"] for line in svg.table(trace.bytes(f"{path}/info".lstrip("/")))}
    width = float(info["duration"])
    labels = [text.text for link in picture.root.iter(svg.SVG + "a") for text in link.findall(svg.SVG + "text")
              if re.fullmatch(r"\d+(\.\d+)?", text.text)]
    stacks = picture.of_class("xt-stack")
    heights = {float(tile[2].get("height")) for tile in picture.tiles() if "xt-t" in tile[2].get("class")}
    check(len(labels) == len(stacks) > 0, f"{path}: {len(labels)} labels, {len(stacks)} rows")
    check(len(heights) == 1, f"{path}: rows of heights {heights}")
    height = heights.pop()
    for label, stack in zip(labels, stacks):
        areas, columns = svg.areas_of(stack)
        times = times_of_row(trace, path, label)
        # Half of half a pixel above and below each column of 2 pixels, and columns of whole pixels where ticks do not divide.
        slack = 0.5 * svg.WIDTH + 2 * height + columns  # columns begin at whole pixels
        for colour, area in areas.items():
            if colour in ("row", svg.OTHERS):
                continue
            expected = times[colour] / width * svg.WIDTH * height
            check(area <= expected + slack, f"{path}: process {label}: {colour} has {area:.0f} px, {expected:.0f} expected")
            if svg.OTHERS not in areas:
                check(area >= expected - slack, f"{path}: process {label}: {colour} has {area:.0f} px, {expected:.0f} expected")
        # Regions may share a colour with others.
        total = sum(times.values()) / width * svg.WIDTH * height
        drawn = sum(area for colour, area in areas.items() if colour != "row")
        check(abs(drawn - total) <= slack, f"{path}: process {label}: all regions have {drawn:.0f} px, {total:.0f} expected")


def n_open(trace, path, otherwise):
    """Counts calls that are open when the window begins. Selected regions have no `stack`, and that of the whole run is at its end."""
    if "class/" in path:
        return max(otherwise, 0)
    if "time/" not in path:
        return 0
    return sum(1 for line in trace.text(f"{path}/stack".lstrip("/")).splitlines()[1:] if line.split()[3] != "-")


def check_calls(trace, path, picture):
    """Checks an exact picture: it has a bar for each call at its place."""
    info = {line["what"]: line["value"] for line in svg.table(trace.bytes(f"{path}/info".lstrip("/")))}
    start, width = float(info["from"]), float(info["duration"])
    calls = [line.split() for line in trace.text(f"{path}/calls/records".lstrip("/")).splitlines()]
    bars = collections.Counter((float(bar.get("x")), float(bar.get("width"))) for bar in picture.of_class("xt-call"))
    opened = n_open(trace, path, sum(bars.values()) - len(calls))
    deep = sum(int(text[1:].split()[0]) for text in picture.texts() if text.endswith(" deeper"))
    check(sum(bars.values()) + deep == len(calls) + opened, f"{path}: {sum(bars.values())} bars and {deep}, {len(calls)} calls and {opened} open")
    for call in calls:
        begin, end = float(call[0]), float(call[3])
        x = svg.LEFT + (begin - start) / width * svg.WIDTH
        wide = (min(end, start + width) - begin) / width * svg.WIDTH
        near = any(abs(bar[0] - x) < 0.11 and abs(bar[1] - max(wide, 0.5)) < 0.21 for bar in bars)
        check(near or deep, f"{path}: no bar of {' '.join(call)} at {x:.1f}, {wide:.1f}")


def check_colours(trace, path, picture):
    """Checks that all colours are of regions."""
    known = set(trace.colours.values()) | {svg.OTHERS}
    for element in picture.root.iter():
        fill = element.get("fill")
        check(fill is None or fill in known, f"{path}: {fill} is no region's colour")


def check_edges(trace, path, picture_text):
    """Checks the number of edges of a picture, a measure of its cost, against its number of rows."""
    edges = int(re.search(rb"<!-- (\d+) edges of columns", picture_text).group(1))
    locations = len(trace.names("proc"))
    most = 6000 if locations <= 64 else 110 * locations
    check(edges <= most, f"{path}: {edges} edges, of {locations} locations")
    return edges


def check_many_leaves(xtf, ask_tree, generate, folder):
    """Checks the rows of 64 processes, in which every column would be divided without a bound on the cost."""
    path = pathlib.Path(folder) / "long-64.xtf"
    subprocess.run([generate, "-n", "640000", "-l", "64", path], check=True, capture_output=True)
    trace = Trace(xtf, ask_tree, path)
    picture = trace.picture("")
    check(len(picture.of_class("xt-stack")) == 64, "64 processes have no stacked rows")
    check(check_edges(trace, "", trace.bytes("timeline.svg")) > 5000, "64 rows cost less than expected, so nothing is tested")


def narrowest(picture):
    """Returns the least distance of two edges of columns of a row in pixels."""
    rows = [{int(x) for path in stack for x in re.findall(r"[MH](\d+)", path.get("d"))} for stack in picture.of_class("xt-stack")]
    return min(b - a for row in rows for a, b in zip(sorted(row), sorted(row)[1:]))


def check_wide_columns(xtf, ask_tree, generate, folder):
    """Checks columns: they have 4 pixels where columns of 2 would unpack more than 2000 leaves. A part of such a trace has columns of 2."""
    path, rows = pathlib.Path(folder) / "hard-8.xtf", 8
    subprocess.run([generate, "--hard", "-n", "2000000", "-l", str(rows), path], check=True, capture_output=True)
    trace = Trace(xtf, ask_tree, path)
    check(path.stat().st_size // 4096 > 2000, "too few pages, so nothing is tested")
    for directory, pixels in ("", 4), ("time/40%-50%", 2):
        picture = trace.picture(directory)
        footers = [text for text in picture.texts() if f"Columns: {pixels} pixels or more." in text]
        check(footers and narrowest(picture) == pixels, f"{directory}: columns of {narrowest(picture)} pixels, not {pixels}; {footers}")
        check_areas(trace, directory, picture)
    check(2000 < check_edges(trace, "", trace.bytes("timeline.svg")) <= rows * (1480 // 4 + 1), "too many columns")
    # A mount states the size before it draws; `xtf cat` writes the same picture with few blanks.
    padded, fitted = trace.bytes("timeline.svg"), xtf.expect("cat", path, "timeline.svg")
    check(len(padded) == 256 + 16 * rows << 10 and len(fitted) % 4096 == 0, f"{len(padded)} and {len(fitted)} bytes")
    bodies = [text.removesuffix(b"</svg>\n").rstrip() for text in (padded, fitted)]
    check(bodies[0] == bodies[1] and len(fitted) - len(bodies[1]) <= 4096 + 7 < len(padded) - len(bodies[0]), "blanks of a picture that is printed")


def check_picture(trace, path):
    picture = trace.picture(path)
    page = trace.bytes(f"{path}/timeline.html".lstrip("/"))
    check(page.endswith(b"</body></html>\n") and page.count(b"<script>") == 1, f"{path}: a broken page")
    if not path:
        check_edges(trace, path, page)
    check_tiles(trace, path, picture)
    check_links(trace, path, picture)
    check_colours(trace, path, picture)
    if picture.of_class("xt-stack") and not list(picture.root.iter(svg.SVG + "image")):
        check_areas(trace, path, picture)
        return "stacked"
    if picture.of_class("xt-call"):
        check_calls(trace, path, picture)
        return "exact"
    return "dense" if list(picture.root.iter(svg.SVG + "image")) else "empty"


PATHS = ["", "time/40%-60%", "time/50%-50.2%", "proc/0", "proc/0/time/20%-30%", "time/99.99%-", "time/0-0.000000001", "time/10%-10.01%/proc/1-",
         "class/mpi", "class/mpi/time/30%-31%"]


def check_trace(xtf, ask_tree, path, seen):
    trace = Trace(xtf, ask_tree, path)
    for directory in PATHS:
        try:
            seen[check_picture(trace, directory)] += 1
        except Refused as error:
            check("there are" in str(error) or "there is no" in str(error), str(error))


def main():
    random.seed(14)
    xtf, ask_tree, generate, *archives = Xtf(sys.argv[1]), sys.argv[2], sys.argv[3], *sys.argv[4:]
    shared = shared_traces()
    archives += [shared / name for name in ("coverage-10", "stencil4d-32", "pingpong-2", "comm-create-4")] if shared else []
    seen = collections.Counter()
    with temporary_folder() as folder:
        for i, archive in enumerate(archives):
            xtf.import_archive(archive, pathlib.Path(folder) / f"{i}.xtf")
            check_trace(xtf, ask_tree, pathlib.Path(folder) / f"{i}.xtf", seen)
        for locations in (1, 65, 1100):
            path = pathlib.Path(folder) / f"many-{locations}.xtf"
            subprocess.run([generate, "-n", str(40 * locations + 2000), "-l", str(locations), path], check=True, capture_output=True)
            check_trace(xtf, ask_tree, path, seen)
        check_many_leaves(xtf, ask_tree, generate, folder)
        check_wide_columns(xtf, ask_tree, generate, folder)
    for kind in ("stacked", "exact", "dense"):
        check(seen[kind] > 0 or not archives, f"no {kind} picture was drawn")
    print(", ".join(f"{n} {kind}" for kind, n in seen.items()))


if __name__ == "__main__":
    main()
