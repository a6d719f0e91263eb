#!/usr/bin/env python3
"""Colours on the screen: the colours at known times are in the legend, there are no seams, and all ways to draw a timeline agree.

usage: test_pixels.py XTF ASK-TREE GENERATE MAKE-RUN [ARCHIVE...]
"""

import base64
import json
import pathlib
import random
import re
import sys

import svg
from browser import Browser, need_browser
from madeup import Maker
from tracepictures import Trace, check
from xtfrun import Xtf, some_of, temporary_folder, tests_all

HERE = pathlib.Path(__file__).parent
WIDTH = 10**6  # of the made-up runs, in ns
TOLERANCE = 2
POINTS = 50


def is_near(a, b):
    return all(abs(int(a[i:i + 2], 16) - int(b[i:i + 2], 16)) <= TOLERANCE for i in (1, 3, 5))


class Screen:
    """Pictures in a browser."""

    def __init__(self, browser, folder):
        self.browser, self.folder = browser, pathlib.Path(folder)

    def show(self, text, scale=1, dark=False):
        """Returns a screenshot of an SVG as base64."""
        path = self.folder / "picture.svg"
        path.write_bytes(text)
        self.browser.view(1600, 900, scale, dark)
        self.browser.go(path.as_uri())
        height = self.browser.run("document.documentElement.viewBox.baseVal.height")
        self.browser.view(1600, height, scale, dark)
        return base64.b64encode(self.browser.screenshot(full_page=False)).decode()

    def colours(self, text, points, scale=1, dark=False):
        """Returns the colours of points, given in pixels of the picture."""
        png = self.show(text, scale, dark)
        points = [(int((x + 0.5) * scale), int((y + 0.5) * scale)) for x, y in points]
        self.browser.go("about:blank")
        self.browser.run((HERE / "pixels.js").read_text() + ";0")
        return self.browser.run(f"colours({json.dumps(png)}, {json.dumps(points)})")


def rows_of(picture):
    """Returns the top and the height of each row of tool tips."""
    return sorted({(float(tile[2].get("y")), float(tile[2].get("height"))) for tile in picture.tiles() if "xt-t" in tile[2].get("class")})


def x_of(time, width=WIDTH):
    return svg.LEFT + svg.WIDTH * time / width


def check_points(screen, text, expected, label):
    """Checks the colours of points at two scales, in light and dark colours. A pair gives both colours where they differ."""
    for scale, dark in (1, False), (2, False), (1, True):
        seen = screen.colours(text, list(expected), scale, dark)
        for (point, colour), found in zip(expected.items(), seen):
            colour = colour if isinstance(colour, str) else colour[dark]
            check(is_near(colour, found), f"{label}, scale {scale}{', dark' if dark else ''}: {found} at {point}, {colour} expected")


def check_legend(screen, trace):
    """Checks that swatches have the colours of their names in definitions/colours."""
    text = trace.bytes("timeline.svg")
    elements = list(svg.Picture(text).root)
    expected = {}
    for swatch, name in zip(elements, elements[1:]):
        if swatch.tag == svg.SVG + "rect" and name.tag == svg.SVG + "text" and swatch.get("width") == "12":
            name = re.fullmatch(r"(.*) [0-9.]+ %", name.text).group(1)
            if "\u2026" not in name:
                expected[float(swatch.get("x")) + 5, float(swatch.get("y")) + 5] = trace.colours[name]
    check(len(expected) > 3, f"{trace.path}: a legend of {len(expected)} regions")
    check_points(screen, text, expected, f"{trace.path}: legend")


def check_halves(screen, maker, xtf, ask_tree, processes):
    """Checks a run in which each process computes until a known time and then waits: each point of a row has a known colour."""
    path, times = maker.halves(processes, WIDTH)
    trace = Trace(xtf, ask_tree, path)
    text = trace.bytes("timeline.svg")
    picture = svg.Picture(text)
    image = next(picture.root.iter(svg.SVG + "image"), None)
    if image is not None:
        pitch = float(image.get("height")) / processes
        middles = [float(image.get("y")) + (proc + 0.5) * pitch - 0.5 for proc in range(processes)]
    else:
        bars = sorted({float(bar.get("y")) for bar in picture.of_class("xt-call")})
        middles = [y + 6 for y in bars] if bars else [y + height / 2 for y, height in rows_of(picture)]
    check(len(middles) == processes, f"{path}: {len(middles)} rows")
    expected = {}
    while len(expected) < POINTS:
        proc, time = random.randrange(processes), random.randrange(WIDTH)
        if abs(x_of(time) - x_of(times[proc])) > 20:  # a column of a dense picture has 16 pixels
            expected[int(x_of(time)), int(middles[proc])] = trace.colours["compute" if time < times[proc] else "MPI_Barrier"]
    check_points(screen, text, expected, f"{processes} processes")


def check_seams(screen, maker, xtf, ask_tree):
    """Checks that a row of one region has one colour, also where pixels of the screen are parts of pixels of the picture."""
    events = []
    for proc in range(9):
        events.append((proc, 0, "enter", 0))
        for i in range(400):  # too many to be drawn one by one
            events += [(proc, 10 + i * 2000, "enter", 0), (proc, 1000 + i * 2000, "leave", 0)]
        events.append((proc, WIDTH, "leave", 0))
    trace = Trace(xtf, ask_tree, maker.run("seams", 9, ["main"], events))
    text = trace.bytes("timeline.svg")
    rows = rows_of(svg.Picture(text))
    check(len(rows) == 9, f"{len(rows)} rows are stacked")
    for scale in 1, 1.25, 2:
        points = [(x / scale, y + height / 2) for y, height in rows for x in range(int(svg.LEFT * scale) + 2, int(1584 * scale) - 2)]
        seen = set(screen.colours(text, points, scale))
        check(len(seen) == 1 and is_near(seen.pop(), trace.colours["main"]), f"scale {scale}: seams in a row of one region: {sorted(seen)[:4]}")


def check_ways(screen, maker, xtf, ask_tree):
    """Compares the same calls drawn one by one and, with many later calls, stacked: they agree except for 2 % of the pixels."""
    ends = sorted(random.sample(range(1, 98), 12)) + [98]
    calls, begin = [(0, 0, "enter", 0)], 10
    for i, end in enumerate(ends):
        calls += [(0, begin, "enter", 1 + i % 3), (0, end * WIDTH // 100 - 10, "leave", 1 + i % 3)]
        begin = end * WIDTH // 100
    later_calls = [(0, begin + 4 * i + 2 * j, event, 2) for i in range(4000) for j, event in enumerate(("enter", "leave"))]
    end = [(0, WIDTH, "leave", 0)]
    regions = ["main", "MPI_Bcast", "solve", "MPI_Wait"]
    seen = []
    for name, events in ("few", calls + end), ("many", calls + later_calls + end):
        trace = Trace(xtf, ask_tree, maker.run(name, 1, regions, events))
        text = trace.bytes("timeline.svg")
        picture = svg.Picture(text)
        exact = picture.of_class("xt-call")
        check(bool(exact) == (name == "few"), f"{name} calls are drawn in the other way")
        # Where calls are drawn one by one, main has its own lane above the others. Names do not reach the top of a lane.
        y = max(float(bar.get("y")) for bar in exact) if exact else sum(rows_of(picture)[0]) - 20
        seen.append(screen.colours(text, [(x, y) for x in range(svg.LEFT, int(x_of(0.98 * WIDTH)))]))
    different = sum(not is_near(a, b) for a, b in zip(*seen))
    check(different <= 0.02 * len(seen[0]), f"{different} of {len(seen[0])} pixels differ between calls drawn one by one and stacked ones")


# Names, messages and waits overlap bars on purpose.
NOTHING_OVER_BARS = b"<style>.xt .xt-name,.xt .xt-m,.xt .xt-halo,.xt .xt-dot,.xt .xt-open,.xt .xt-wait{display:none}</style></svg>\n"


GROUND = "#eef1f4", "#262b32"  # of rows, in light and dark colours


def box_of(rectangle):
    x, y, width, height = (float(rectangle.get(name)) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def is_in(x, y, box, margin):
    return box[0] - margin <= x < box[2] + margin and box[1] - margin <= y < box[3] + margin


def grounds_in_bands(picture):
    """Yields points of rows inside operations, in no bar and at no edge of an operation. All rectangles except operations are opaque."""
    rows, bars, bands = ([box_of(shape) for shape in picture.of_class(name)] for name in ("xt-row", "xt-call", "xt-operation"))
    for _ in range(100 * POINTS):
        row = random.choice([row for row in rows if row[2] - row[0] > 3])
        x, y = random.randrange(int(row[0]) + 1, int(row[2]) - 1), random.randrange(int(row[1]) + 1, int(row[3]))
        inside = [band for band in bands if is_in(x, y, band, -3)]
        if inside and not any(is_in(x, y, bar, 2) for bar in bars) and all(band in inside or not is_in(x, y, band, 3) for band in bands):
            yield x, y


def check_bars(screen, trace, path):
    """Checks that the middles of bars have the colours of their regions, and points between bars the colour of rows, for all operations.
    Returns the number of overlapping operations and of the points of rows."""
    text = trace.bytes(f"{path}/timeline.svg")
    picture = svg.Picture(text)
    expected = {}
    for bar in picture.of_class("xt-call"):
        x, width = float(bar.get("x")), float(bar.get("width"))
        if width >= 3:  # pixels, so that one is not shared
            expected[int(x + width / 2), int(bar.get("y")) + 6] = trace.colours[re.match(r"(.*), process ", bar.findtext(svg.SVG + "title"))[1]]
    check(len(expected) > 3, f"{trace.path}: {path}: {len(expected)} bars")
    expected = dict(random.sample(sorted(expected.items()), min(POINTS, len(expected))))
    grounds = list(grounds_in_bands(picture))[:POINTS]
    expected |= {point: GROUND for point in grounds}
    check_points(screen, text.replace(b"</svg>\n", NOTHING_OVER_BARS), expected, f"{trace.path}: {path}: bars")
    return sum("xt-band" not in band.get("class") for band in picture.of_class("xt-operation")), len(grounds)


# Links in sentences that look like the text around them, and parts that a narrow window hides.
ASK_PAGE = """(() => {
    const light = c => c.match(/[0-9.]+/g).slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0)
    const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05)
    const unseen = [...document.querySelectorAll('li a, p a')].filter(a => {
        const style = getComputedStyle(a)
        return !style.textDecorationLine.includes('underline') && contrast(style.color, getComputedStyle(a.parentElement).color) < 3})
    const scroller = document.querySelector('.xt-scroller')
    return {links: document.querySelectorAll('li a, p a').length, unseen: unseen.map(a => a.textContent),
        h1: document.querySelectorAll('h1').length, main: document.querySelectorAll('main').length,
        empty: [...document.querySelectorAll('th')].filter(th => !th.textContent.trim()).length,
        images: [...document.querySelectorAll('[role=img]')].filter(image => image.querySelector('a, [tabindex]')).length,
        hidden: scroller.scrollWidth - scroller.clientWidth, scrolls: getComputedStyle(scroller).overflowX, reached: scroller.tabIndex === 0,
        hint_shown: getComputedStyle(document.querySelector('.xt-narrow')).display !== 'none',
        ground: getComputedStyle(document.body).backgroundColor, text: getComputedStyle(document.querySelector('.xt-narrow')).color,
        broken: [...document.querySelectorAll('td.xi-name')].filter(name => name.clientHeight > 50).map(name => name.textContent),
        wide: document.documentElement.scrollWidth}})()"""
# Dark colours of a page and its text. A picture alone has no text around it.
NIGHT = "rgb(21, 24, 28)", "rgb(230, 237, 243)"


def check_access(browser, trace, folder):
    """Checks what readers with a keyboard, a telephone or a screen reader need of pages."""
    for name in "index.html", "timeline.html":
        path = pathlib.Path(folder) / name
        path.write_bytes(trace.bytes(name))
        for width, dark in (1280, False), (390, False), (390, True):
            browser.view(width, 800, 1, dark)
            browser.go(path.as_uri())
            seen = browser.run(ASK_PAGE)
            place = f"{name} of {width} pixels: {seen}"
            check(((seen["ground"], seen["text"]) == NIGHT) == dark, place)
            check(seen["h1"] == seen["main"] == 1 and not seen["empty"] and not seen["images"], place)
            check(not seen["unseen"] and not seen["broken"] and (seen["links"] > 3 or name == "timeline.html"), place)
            check(seen["wide"] <= width and seen["reached"] and seen["scrolls"] == "auto", place)
            check((seen["hidden"] > 0) == seen["hint_shown"] == (width < 1200), place)
    path = pathlib.Path(folder) / "alone.svg"
    path.write_bytes(trace.bytes("matrix.svg"))
    browser.view(390, 800, 1, True)
    browser.go(path.as_uri())
    ground = browser.run("getComputedStyle(document.documentElement).backgroundColor")
    check(ground == NIGHT[0], f"around a picture alone is {ground}, by night")


def main():
    need_browser()
    random.seed(23)
    xtf, ask_tree, generate, make_run, *archives = Xtf(sys.argv[1]), *sys.argv[2:]
    with temporary_folder() as folder, Browser() as browser:
        screen, maker = Screen(browser, folder), Maker(generate, make_run, folder)
        for processes in some_of((3, 100, 1000), 2):
            check_halves(screen, maker, xtf, ask_tree, processes)
        check_seams(screen, maker, xtf, ask_tree)
        check_ways(screen, maker, xtf, ask_tree)
        for i, archive in enumerate(archives if tests_all() else archives[-1:]):
            path = pathlib.Path(folder) / f"archive-{i}.xtf"
            xtf.import_archive(archive, path)
            trace = Trace(xtf, ask_tree, path)
            check_legend(screen, trace)
            if "heat-4" in archive:  # its clocks disagree, so its operations overlap
                seen = [check_bars(screen, trace, f"time/{window}") for window in ("0.02-0.05", "50%-60%", "60%-70%")]
                overlapping, grounds = map(sum, zip(*seen))
                check(overlapping > 1 and grounds > POINTS, f"{overlapping} operations overlap others, {grounds} points of rows")
                check_access(browser, trace, folder)


if __name__ == "__main__":
    main()
