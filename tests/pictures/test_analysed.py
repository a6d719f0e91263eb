#!/usr/bin/env python3
"""Timelines of analysed traces, and the parts of exact timelines beside calls. Hatched areas are the waiting in `waits/profile`. Each
hatched call is a wait of `waits/records`. Bands are the collective operations that a few lines of Python compute, and strips are the
bytes of the sends. Labels of fields that are not valid XML are shown as their text.

usage: test_analysed.py XTF ASK-TREE GENERATE ARCHIVE...
"""

import collections
import decimal
import pathlib
import random
import re
import struct
import sys
import xml.etree.ElementTree

import svg
from asking import Refused
from tracepictures import Trace, check
from xtf_patch import File
from xtfrun import Xtf, shared_traces, temporary_folder

GAP, TILES = 6, 10


def window_of(trace, path):
    info = {line["what"]: line["value"] for line in trace.table(path, "info")}
    begin = decimal.Decimal(info["from"])
    return begin, begin + decimal.Decimal(info["duration"])


def columns_of(trace, table):
    """Returns the names of the columns of records with their places."""
    return [(line["column"], int(line["from"]) - 1, int(line["to"])) for line in trace.table(table, "columns")]


def records_of(trace, kind):
    """Yields all records of a type as dictionaries by the names of columns."""
    places = columns_of(trace, kind)
    for line in trace.text(f"{kind}/records").splitlines():
        yield {name: line[first:last].strip() for name, first, last in places}


def waiting(trace, path):
    return sum((decimal.Decimal(line["amount"]) for line in trace.table(f"{path}/waits", "profile")), decimal.Decimal(0))


def is_shown(path, record):
    """True if a path contains the process of a record."""
    found = re.search(r"proc/(\d+)(?:-(\d+))?", path)
    return not found or int(found[1]) <= int(record["proc"]) <= int(found[2] or found[1])


# ---- Stacked rows.

def hatched_area(path):
    return sum(float(width) * float(height)
               for width, height in re.findall(r"M[0-9]+ [0-9.]+V[0-9.]+h([0-9]+)v([0-9.]+)z", path.get("d")))


def check_stacked(trace, path, picture):
    begin, end = window_of(trace, path)
    labels = [text.text for link in picture.root.iter(svg.SVG + "a") for text in link.findall(svg.SVG + "text")
              if re.fullmatch(r"\d+(\.\d+)?", text.text)]
    stacks = picture.of_class("xt-stack")
    below = dict(zip(picture.root, list(picture.root)[1:]))
    tiles = [tile for tile in picture.tiles() if "xt-t" in tile[2].get("class", "")]
    height = float(tiles[0][2].get("height"))
    seen = 0
    for label, stack in zip(labels, stacks):
        proc, _, thread = label.partition(".")
        time = waiting(trace, f"{path}/proc/{proc}" + (f"/thread/{thread}" if thread else ""))
        hatch = below[stack] if below[stack].get("class") == "xt-wait" else None
        area = hatched_area(hatch) if hatch is not None else 0
        expected = float(time / (end - begin)) * svg.WIDTH * height
        _, columns = svg.areas_of(stack)
        slack = 0.5 * svg.WIDTH + 2 * height + 2 * columns
        check(abs(area - expected) <= slack, f"{path}: process {label}: {area:.0f} px are hatched, {expected:.0f} expected")
        seen += area > slack
    tips_with_waits = 0
    for link, title, _ in random.sample(tiles, min(TILES, len(tiles))):
        directory = svg.follow(path, link).rsplit("/", 1)[0]
        found = re.search(r"\nof this ([0-9.]+) s [0-9.]+ % was waiting for others$", title)
        time = decimal.Decimal(found[1]) if found else decimal.Decimal(0)
        check(abs(time - waiting(trace, directory)) <= trace.slack, f"{path}: {directory}: {time} s, its table has {waiting(trace, directory)} s")
        tips_with_waits += bool(found)
    return {"rows with hatches": seen, "tool tips with waits": tips_with_waits}


# ---- Calls one by one.

def check_marks(trace, path, picture, waits):
    """Compares marks: there is one for each wait with a part in the window, unless its call is nested too deeply."""
    begin, end = window_of(trace, path)
    expected = [wait for wait in waits if is_shown(path, wait) and wait["begin"] < end and wait["time"] > begin and wait["begin"] < wait["time"]]
    marks = [tile for tile in picture.tiles() if tile[2].get("class") == "xt-wait" and "/num/" in tile[0]]
    deep = any(text.endswith(" deeper") for text in picture.texts())
    check(len(marks) == len(expected) or (deep and len(marks) < len(expected)),
          f"{path}: {len(marks)} marks, {len(expected)} waits")
    for link, title, mark in random.sample(marks, min(TILES, len(marks))):
        directory = svg.follow(path, link)
        record = dict(line.split(None, 1) for line in trace.text(directory).splitlines())
        kind, proc, time = re.match(r"(\w+): process ([0-9.]+) waits ([0-9.]+) s in ", title).groups()
        culprit = re.search(r"\nfor process (\d+)", title)
        check(kind == record["event"] and proc.split(".")[0] == record["proc"], f"{path}: {directory}: {title}")
        check((culprit[1] if culprit else "-") == record["culprit"], f"{path}: {directory}: {title}")
        shown = next(wait for wait in expected if wait["time"] == decimal.Decimal(record["time"].split()[0]) and wait["proc"] == record["proc"]
                     and wait["seq"] == record["seq"])
        check(abs(decimal.Decimal(time) - (shown["time"] - shown["begin"])) <= trace.slack, f"{path}: {directory}: {title}")
        x = svg.LEFT + float((max(shown["begin"], begin) - begin) / (end - begin)) * svg.WIDTH
        check(abs(float(mark.get("x")) - x) < 0.2, f"{path}: {directory} is at {mark.get('x')}, {x:.1f} expected")
    return {"marks": len(marks)}


def operations_of(trace):
    """Returns (operation, first begin, last end, {process: its begin}) of blocking operations. The k-th one of a communicator has all its members."""
    found, open_ones, counts = collections.defaultdict(list), {}, collections.Counter()
    try:
        records = list(records_of(trace, "collectives"))
    except Refused:
        return []
    for record in records:
        location = record["proc"], record["thread"]
        if record["event"] == "MPI_COLLECTIVE_BEGIN":  # without a communicator
            open_ones[location] = decimal.Decimal(record["time"])
        elif record["event"] == "MPI_COLLECTIVE_END":
            member = *location, record["comm"]
            counts[member] += 1
            found[record["comm"], counts[member]].append(
                (record["operation"], open_ones.pop(location), decimal.Decimal(record["time"]), int(record["proc"])))
    return [(members[0][0], min(member[1] for member in members), max(member[2] for member in members), {member[3]: member[1] for member in members})
            for members in found.values()]


def area_of(rectangle):
    x, y, width, height = (float(rectangle.get(name)) for name in ("x", "y", "width", "height"))
    return x, x + width, y, y + height


def share_pixels(a, b):
    a, b = area_of(a), area_of(b)
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def check_outlines(path, picture):
    """Checks that no pixel is in two outlines, that operations without outline overlap another, and that bars are painted later."""
    bands, outlined = picture.of_class("xt-operation"), picture.of_class("xt-band")
    check(all("xt-none" in band.get("class").split() for band in bands), f"{path}: a band is filled")
    for band in bands:
        neighbours = [neighbour for neighbour in (outlined if band in outlined else bands) if neighbour is not band and share_pixels(band, neighbour)]
        check(not (band in outlined and neighbours), f"{path}: two outlines overlap: {area_of(band)}")
        # An operation that ends in the pixel in which another begins has no outline either.
        near = [neighbour for neighbour in bands if neighbour is not band and area_of(neighbour)[0] <= area_of(band)[1] + 1.2
                and area_of(band)[0] <= area_of(neighbour)[1] + 1.2]
        check(band in outlined or near, f"{path}: a band without an outline overlaps no other")
    order = [element.get("class", "") for element in picture.root.iter(svg.SVG + "rect")]
    last = max((i for i, name in enumerate(order) if "xt-band" in name), default=-1)
    check(all("xt-call" not in name for name in order[:last + 1]), f"{path}: an outline is painted over a bar")
    return {"outlines": len(outlined), "operations that overlap": len(bands) - len(outlined)}


def check_bands(trace, path, picture, operations):
    bands, seen = picture.of_class("xt-operation"), collections.Counter(check_outlines(path, picture))
    for band in bands:
        title = band.findtext(svg.SVG + "title")
        name, n, shown, begin, end, last = re.match(r"(\w+) of (\d+) processes(?:, (\d+) of them here)?, from the first begin to the last end\n"
                                                    r"([0-9.]+)-([0-9.]+)\nprocess (\d+)", title).groups()
        alike = [operation for operation in operations if operation[0] == name and operation[1] == decimal.Decimal(begin)
                 and abs(operation[2] - decimal.Decimal(end)) <= trace.slack]
        procs = [operation[3] for operation in alike if len(operation[3]) == int(n)]
        check(any(begins.get(int(last)) == max(begins.values()) for begins in procs), f"{path}: there is no operation like {title}")
        inside = [sum(is_shown(path, {"proc": proc}) for proc in begins) for begins in procs]
        check(int(shown or n) in inside and (not shown or int(shown) < int(n)), f"{path}: {inside} members are here: {title}")
        seen["bands of some members"] += bool(shown)
    seen["bands"] += len(bands)
    return seen


def check_missing_bands(trace, path, picture, operations):
    """Checks that each operation of all processes that ends in the window has a band. Traces have up to 30 processes of one thread, all drawn."""
    begin, end = window_of(trace, path)
    procs = len(trace.names("proc"))
    inside = [operation for operation in operations if len(operation[3]) == procs and begin <= operation[1] and operation[2] < end]
    check(len(picture.of_class("xt-operation")) >= len(inside), f"{path}: {len(inside)} operations, fewer bands")


def check_strips(trace, path, picture, sends):
    begin, end = window_of(trace, path)
    bytes_of, messages = collections.Counter(), collections.Counter()
    for send in sends:
        if is_shown(path, send) and begin <= send["time"] < end:
            messages[send["proc"]] += 1
            bytes_of[send["proc"]] += int(send["bytes"]) if send["bytes"] != "-" else 0
    strips = picture.of_class("xt-sent")
    for strip in strips:
        proc, n, number = re.match(r"process (\d+) sends (\d+) B in (\d+) message", strip.findtext(svg.SVG + "title")).groups()
        check(int(n) == bytes_of[proc] and int(number) == messages[proc], f"{path}: process {proc}: {n} B in {number} messages")
        heights = [float(height) for height in re.findall(r"v-([0-9.]+)h2", strip.get("d"))]
        check(all(0.5 <= height <= 4 for height in heights), f"{path}: heights {heights}")
    if strips:
        check(len(strips) == len(messages), f"{path}: {len(strips)} strips, {len(messages)} processes send")
        check(sum(messages.values()) > 400 or len(picture.of_class("xt-call")) == 0 or len(trace.names("proc")) > 32, f"{path}: strips of few messages")
    return {"strips": len(strips)}


# ---- Labels that are not valid XML.

HOSTILE = [b"<svg/onload=a>", b"</title><b>&", b"a<b>&\"'&", b"]]>-->\x01\xff", b"\xff\xfe\xef\xbf\xbf"]


def hostile_labels(path, output):
    """Copies a file and renames operations, and waits in some files. Returns {name: the begin of its text}."""
    file, given = File(path.read_bytes()), {}
    for schema, field in ("waits", "event"), ("collectives", "operation"):
        fields = file.schema(schema)[2]
        found = next(entry for entry in fields if bytes(file.data[entry.end:entry.end + entry.name_length]).decode() == field)
        at = found.end + found.name_length
        for i in range(found.labels):
            length, = struct.unpack_from("<H", file.data, at)
            old, new = bytes(file.data[at + 2:at + 2 + length]), (HOSTILE[i % len(HOSTILE)] * length)[:length]
            new = new if schema == "collectives" or old.startswith(b"wait_") else old
            file.data[at + 2:at + 2 + length] = new
            given[old.decode()] = re.match(rb"[ -~]*", new)[0].decode()  # without escaped characters
            at += 2 + length
    file.seal()
    output.write_bytes(file.data)
    return given


def check_hostile(xtf, ask_tree, path, window):
    """Checks that pictures have the same waits and bands with their new names, and that pages are valid XML."""
    def titles(trace):
        picture = trace.picture(window)
        bands = [band.findtext(svg.SVG + "title") for band in picture.of_class("xt-operation")]
        return bands + [title for link, title, mark in picture.tiles() if mark.get("class") == "xt-wait" and "/num/" in link]

    output = path.with_name("labels.xtf")
    given = hostile_labels(path, output)
    before, after = titles(Trace(xtf, ask_tree, path)), titles(Trace(xtf, ask_tree, output))
    check(len(before) == len(after) > 2, f"{len(before)} waits and bands, {len(after)} with other labels")
    for old, new in zip(before, after):
        label = re.match(r"\w+", old)[0]
        check(new.startswith(given.get(label, label)) and new.endswith(old[len(label):]), f"{old!r} became {new!r}")
    trace = Trace(xtf, ask_tree, output)
    for page in "timeline.html", "index.html":
        text = trace.bytes(f"{window}/{page}")
        check(b"<svg/onload" not in text and b"</title><b>" not in text, f"{window}/{page}: a label is markup")
        xml.etree.ElementTree.fromstring(re.sub(rb"^<!DOCTYPE[^>]*>", b"", text))


# ---- The whole test.

PATHS = ["", "time/20%-24%", "time/50%-50.5%", "proc/0", "proc/1/time/60%-70%", "time/99.8%-100%", "proc/0-3/time/30%-36%",
         "proc/0-1/time/20%-24%"]


def check_trace(trace, waits, operations, sends, seen):
    for path in PATHS:
        try:
            picture = trace.picture(path)
        except Refused as error:
            check("there are" in str(error) or "there is no" in str(error), str(error))
            continue
        if picture.of_class("xt-call"):
            seen.update(check_marks(trace, path, picture, waits))
            seen.update(check_bands(trace, path, picture, operations))
            seen.update(check_strips(trace, path, picture, sends))
            if path.startswith("time/") and len(trace.names("proc")) <= 30:
                check_missing_bands(trace, path, picture, operations)
        elif picture.of_class("xt-stack"):
            seen.update(check_stacked(trace, path, picture))


def load_trace(xtf, ask_tree, path):
    trace = Trace(xtf, ask_tree, path)
    ticks = decimal.Decimal(re.search(r"^clock +(\d+) ticks in 1 s$", xtf.expect("info", path).decode(), re.MULTILINE)[1])
    prints_all_digits = re.fullmatch("10*", str(ticks))
    trace.slack = decimal.Decimal(0) if prints_all_digits else decimal.Decimal(20) / ticks  # sum of times that are truncated
    waits = list(records_of(trace, "waits"))
    for wait in waits:
        wait["time"] = decimal.Decimal(wait["time"])
        wait["begin"] = wait["time"] - decimal.Decimal(wait["amount"]) / ticks
    sends = list(records_of(trace, "sends"))
    for send in sends:
        send["time"] = decimal.Decimal(send["time"])
    return trace, waits, operations_of(trace), sends


def main():
    random.seed(141)
    xtf, ask_tree, _, *archives = Xtf(sys.argv[1]), *sys.argv[2:]
    shared = shared_traces()
    archives += [shared / name for name in ("stencil4d-32", "pingpong-2", "comm-create-4")] if shared else []
    seen = collections.Counter()
    with temporary_folder() as folder:
        for i, archive in enumerate(archives):
            path = pathlib.Path(folder) / f"{i}.xtf"
            xtf.import_archive(archive, path)
            xtf.expect("analyze", path)
            check_trace(*load_trace(xtf, ask_tree, path), seen)
            if "heat-4" in str(archive):  # this window has both
                check_hostile(xtf, ask_tree, path, "time/20%-24%")
    for what in ("rows with hatches", "tool tips with waits", "marks", "bands", "bands of some members"):
        check(seen[what] > 0 or not archives, f"no {what} were drawn")
    print(", ".join(f"{n} {what}" for what, n in seen.items()))


if __name__ == "__main__":
    main()
