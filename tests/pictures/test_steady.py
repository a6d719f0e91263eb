#!/usr/bin/env python3
"""Properties that pictures share: a region has one colour in all windows, also when the program grows. The messages of a timeline are the
lines of the table.

usage: test_steady.py XTF ASK-TREE GENERATE MAKE-RUN [ARCHIVE...]
"""

import collections
import pathlib
import random
import re
import sys

import svg
from asking import Refused
from madeup import Maker
from tracepictures import Trace, check
from xtfrun import Xtf, shared_traces, temporary_folder

WINDOWS = 100
MANY = {"rows": 32, "messages": 400}  # a picture draws no more as lines


def window_of(trace):
    """Returns a random window of any size."""
    width = 10 ** random.uniform(-4, 2)
    begin = random.uniform(0, 100 - width)
    return f"time/{begin:.6f}%-{begin + width:.6f}%"


def named_colours(picture):
    """Yields (name, colour) of the swatches, bars and boxes with a whole name."""
    elements = list(picture.root)
    for swatch, text in zip(elements, elements[1:]):
        named = text.tag == svg.SVG + "text" and text.text and re.fullmatch(r"(.*) [0-9.]+ %", text.text)
        if named and swatch.tag == svg.SVG + "rect" and swatch.get("width") == "12" and swatch.get("fill"):
            yield named.group(1), swatch.get("fill")
    for bar in picture.of_class("xt-call") + picture.of_class("xt-box"):
        yield re.sub(r", process [0-9.]+$", "", bar.findtext(svg.SVG + "title").split("\n")[0]), bar.get("fill")


def check_windows(trace):
    """Checks in random windows that each region has the colour of its name in definitions/colours."""
    seen = collections.Counter()
    for i in range(WINDOWS):
        directory = window_of(trace)
        try:
            picture = svg.Picture(trace.bytes(f"{directory}/{'profile' if i % 4 == 0 else 'timeline'}.svg"))
        except Refused as error:
            check("there are" in str(error) or "there is no" in str(error), str(error))
            continue
        for name, colour in named_colours(picture):
            if "\u2026" in name:
                continue
            check(trace.colours.get(name) == colour, f"{trace.path}: {directory}: {name} is {colour}, not {trace.colours.get(name)}")
            seen[name] += 1
    return len(seen)


def calls_of(processes, shares):
    """Returns events of calls of regions below main, one after the other, as long as their shares."""
    events = []
    for proc in range(processes):
        time = 10
        events.append((proc, 0, "enter", 0))
        for region, share in enumerate(shares, 1):
            events += [(proc, time, "enter", region), (proc, time + share, "leave", region)]
            time += share + 1
        events.append((proc, time, "leave", 0))
    return events


def slot_of(name):
    """Returns the preferred one of the program's twelve colours for a name, by FNV-1a and a final mixing."""
    value = 2166136261
    for byte in name.encode():
        value = (value ^ byte) * 16777619 & 0xffffffff
    value = (value ^ value >> 16) * 0x45d9f3b & 0xffffffff
    return (value ^ value >> 16) % 12


def names_of_slots(n):
    """Returns names that prefer different colours."""
    by_slot = {}
    for i in range(200):
        by_slot.setdefault(slot_of(f"kernel_{i}"), f"kernel_{i}")
    return list(by_slot.values())[:n]


def check_growth(maker, xtf, ask_tree):
    """Checks that another process or region, or other shares of the time, change no colour unless two names prefer the same one."""
    *kernels, another = names_of_slots(9)
    names = ["main", *kernels, "MPI_Send", "MPI_Barrier"]
    shares = [100 * (i + 1) for i in range(len(names) - 1)]
    base = Trace(xtf, ask_tree, maker.run("base", 2, names, calls_of(2, shares)))
    check(len(set(base.colours.values())) == len(base.colours), f"regions share colours: {base.colours}")
    larger = {"a process": maker.run("process", 3, names, calls_of(3, shares)),
              "another order": maker.run("order", 2, names, calls_of(2, shares[::-1])),
              "a region": maker.run("region", 2, [*names, another], calls_of(2, [*shares, 50])),
              "a large region": maker.run("large", 2, [*names, another], calls_of(2, [*shares, 5000])),
              "a function of MPI": maker.run("function", 2, [*names, "MPI_Bcast"], calls_of(2, [*shares, 5000]))}
    for change, path in larger.items():
        colours = Trace(xtf, ask_tree, path).colours
        changed = [name for name in base.colours if colours[name] != base.colours[name]]
        check(not changed, f"{change}: changes the colours of {changed}")


def shapes_of(picture, lines, shown, directory):
    """Checks that the footer names the shapes of the table's messages. Returns the shapes."""
    footer = next(text for text in picture.texts() if "nested in" in text or text.startswith("There are no calls"))
    shapes = {"Rings:" if line["received"] == "-" or line["receiver"] not in shown else
              "Brackets:" if line["receiver"] == line["sender"] else "Lines:" for line in lines}
    named = {name for name in ("Rings:", "Brackets:", "Lines:") if name in footer}
    check(named == shapes, f"{directory}: of {shapes} the footer says {footer!r}")
    return shapes


def check_messages(trace, window, procs):
    """Checks that lines, brackets and rings of an exact timeline are the table's messages sent in the window, each at its time. Returns
    their number and the shapes."""
    directory = f"{window}/proc/{','.join(procs)}" if procs else window
    picture = svg.Picture(trace.bytes(f"{directory}/timeline.svg"))
    if not picture.of_class("xt-call") or len(picture.of_class("xt-row")) > MANY["rows"]:
        return 0, set()
    lines = trace.table(f"{directory}/sends", "messages")
    if not 0 < len(lines) <= MANY["messages"]:
        return 0, set()
    info = {line["what"]: line["value"] for line in trace.table(directory, "info")}
    begin, width = float(info["from"]), float(info["duration"])
    drawn = collections.Counter()
    for shape in picture.of_class("xt-m") + picture.of_class("xt-open"):
        title = shape.findtext(svg.SVG + "title")
        if title:
            x = shape.get("cx") or re.match(r"M([0-9.]+) ", shape.get("d")).group(1)
            drawn[title, round(float(x) * 2)] += 1
    check(sum(drawn.values()) == len(lines), f"{trace.path}: {directory}: {sum(drawn.values())} messages are drawn, of {len(lines)}")
    for line in lines:
        title = f"{line['sender']} to {line['receiver'].replace('-', '?')}: {line['bytes']} B, tag {line['tag']}, {line['state'].replace('_', ' ')}"
        x = round(2 * (svg.LEFT + (float(line["sent"]) - begin) / width * svg.WIDTH))
        key = next(((title, near) for near in (x, x - 1, x + 1) if drawn[title, near]), None)
        check(key, f"{trace.path}: {directory}: no line \"{title}\" at {x / 2}")
        drawn[key] -= 1
    if any(re.fullmatch(r"\d+\.\d+", text) for text in picture.texts()):  # a message to another thread is a line
        return len(lines), set()
    return len(lines), shapes_of(picture, lines, procs or trace.names("proc"), f"{trace.path}: {directory}")


def messages_of(trace):
    n, shapes, procs = 0, set(), trace.names("proc")
    for i in range(40):
        try:
            more, more_shapes = check_messages(trace, window_of(trace), procs[:2] if i % 4 == 0 and len(procs) > 2 else [])
            n, shapes = n + more, shapes | more_shapes
        except Refused as error:
            check("there are" in str(error) or "there is no" in str(error), str(error))
    return n, shapes


def main():
    random.seed(8)
    xtf, ask_tree, generate, make_run, *archives = Xtf(sys.argv[1]), *sys.argv[2:]
    shared = shared_traces()
    more = [shared / name for name in ("coverage-10", "stencil4d-32", "pingpong-2")] if shared else []
    with temporary_folder() as folder:
        maker = Maker(generate, make_run, folder)
        check_growth(maker, xtf, ask_tree)
        names = check_windows(Trace(xtf, ask_tree, maker.rows(8, 80000)))
        seen = [messages_of(Trace(xtf, ask_tree, path)) for path in (maker.deep(), maker.rows(4, 4000))]
        for i, archive in enumerate(archives + more):
            path = pathlib.Path(folder) / f"archive-{i}.xtf"
            xtf.import_archive(archive, path)
            trace = Trace(xtf, ask_tree, path)
            if archive in archives:
                names += check_windows(trace)
            seen.append(messages_of(trace))
    messages, shapes = sum(n for n, _ in seen), set().union(*(some for _, some in seen))
    check({"Rings:", "Lines:"} <= shapes, f"only {shapes} were seen")
    check(names > 20 and messages > 100, f"only {names} names and {messages} messages were seen")
    print(f"{names} names of regions, {messages} messages")


if __name__ == "__main__":
    main()
