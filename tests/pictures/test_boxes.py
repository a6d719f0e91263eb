#!/usr/bin/env python3
"""Layout of pictures and front pages in a browser, of traces with any number of rows and with difficult contents. No text overlaps another
or leaves its picture, and names stay in their bars. All text is legible in light and dark colours, and pages in wide and narrow windows.

usage: test_boxes.py XTF ASK-TREE GENERATE MAKE-RUN [ARCHIVE...]
"""

import html
import pathlib
import re
import sys

from asking import Refused
from browser import Browser, need_browser
from madeup import Maker
from tracepictures import Trace, check
from xtfrun import Xtf, shared_traces, some_of, temporary_folder, tests_all

HERE = pathlib.Path(__file__).parent
WINDOWS = ["", "time/40%-60%", "time/50%-50.02%", "time/99%-99.2%", "proc/0/time/30%-31%"]
FRAMES = ["frames/25fps/first/state.svg", "frames/10us/20/state.svg"]
PAGES = ["", "time/40%-60%", "proc/0/time/30%-31%"]
WIDTHS = 900, 1600
CONTRAST = 4.5  # WCAG 2.1, 1.4.3


def pictures_of(trace):
    """Yields (name, text) of all pictures of some windows."""
    names = [name for name in trace.names("") if name.endswith(".svg")]
    check(len(names) >= 4, f"only {names} are listed")
    for path in FRAMES + [f"{window}/{name}".lstrip("/") for window in WINDOWS for name in names]:
        try:
            yield f"{trace.path.stem} {path}", trace.text(path)
        except Refused as error:
            check(path in FRAMES or "there are" in str(error) or "there is no" in str(error), str(error))


def write_page(path, pictures):
    """Writes a page of pictures, without the blanks at their ends."""
    with open(path, "w", encoding="utf-8") as page:
        page.write("<!DOCTYPE html><meta charset='utf-8'><style>body{margin:0;background:#fff;color-scheme:light dark}svg{display:block}</style>\n")
        for name, text in pictures:
            page.write(f"<div id=\"{html.escape(name)}\">{re.sub(' {20,}', '', text)}</div>\n")


def luminance(colour):
    channels = [int(channel) / 255 for channel in re.findall(r"\d+", colour)[:3]]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def check_contrasts(browser, dark, pairs="pairs()"):
    """Checks that each pair of colours is legible. Returns the number of pairs."""
    pairs = browser.run(pairs)
    for pair, text in pairs.items():
        low, high = sorted(luminance(colour) for colour in pair.split(" on "))
        check((high + 0.05) / (low + 0.05) >= CONTRAST, f"{'dark' if dark else 'light'}: {text}: {pair}")
    return len(pairs)


def texts_of(label, found):
    """Checks that a picture or page has no fault. Returns its number of texts."""
    check(not found["problems"], f"{label}: {len(found['problems'])} faults: {found['problems'][:5]}")
    return found["texts"]


def show_page(browser, path, width):
    """Shows a page and returns its height."""
    browser.view(width, 1000)
    browser.go(path.as_uri())
    browser.run((HERE / "boxes.js").read_text() + ";0")
    return browser.run("document.documentElement.scrollHeight")


def check_pictures(browser, path):
    """Checks a page of pictures. Returns (texts, pairs of colours)."""
    height = show_page(browser, path, 1600)
    texts = sum(texts_of(name, found) for name, found in browser.run("problems()").items())
    n_pairs = 0
    for dark in False, True:
        browser.view(1600, height, dark=dark)
        n_pairs += check_contrasts(browser, dark)
    return texts, n_pairs


def check_pages(browser, trace, path):
    """Checks a trace's front pages, unchanged from a file. Returns (pages, texts, pairs of colours)."""
    pages = texts = n_pairs = 0
    for window in PAGES:
        try:
            path.write_bytes(trace.bytes(f"{window}/index.html".lstrip("/")))
        except Refused as error:
            check(window, str(error))
            continue
        pages += 1
        for width in WIDTHS:
            label = f"{trace.path.stem} {window}/index.html, {width} pixels wide"
            height = show_page(browser, path, width)
            texts += texts_of(label, browser.run("pageProblems()"))
            texts += sum(texts_of(f"{label}: {part}", found) for part, found in browser.run("problems()").items())
        for dark in False, True:  # the wide window shows the whole page
            browser.view(WIDTHS[-1], height, dark=dark)
            n_pairs += check_contrasts(browser, dark) + check_contrasts(browser, dark, "pagePairs()")
    return pages, texts, n_pairs


def traces_of(maker, xtf, archives):
    """Yields traces: without XTF_TEST_ALL fewer numbers of rows and one archive, but each shape."""
    rows = [(4, 40000), (1, 100), (1, 20000), (65, 6500), (4, 200), (8, 8000), (1000, 60000), (64, 1200), (64, 64000), (10000, 200000)]
    for processes, records in some_of(rows, 2):
        yield maker.rows(processes, records)
    yield from (maker.empty(), maker.one_event(), maker.one_long_call(), maker.hostile(), maker.deep())
    for i, archive in enumerate(some_of(archives, 1)):
        path = maker.folder / f"archive-{i}.xtf"
        xtf.import_archive(archive, path)
        xtf.expect("analyze", "--quiet", path)
        yield path


def main():
    need_browser()
    xtf, ask_tree, generate, make_run, *archives = Xtf(sys.argv[1]), *sys.argv[2:]
    shared = shared_traces()
    archives += [shared / name for name in ("coverage-10", "stencil4d-32", "pingpong-2")] if shared else []
    n = texts = pairs = states = pages = 0
    with temporary_folder() as folder, Browser() as browser:
        for path in traces_of(Maker(generate, make_run, folder), xtf, archives):
            trace = Trace(xtf, ask_tree, path)
            pictures = list(pictures_of(trace))
            page = pathlib.Path(folder) / "page.html"
            write_page(page, pictures)
            seen = check_pictures(browser, page)
            states += sum(name.endswith("state.svg") for name, _ in pictures)
            n, texts, pairs = n + len(pictures), texts + seen[0], pairs + seen[1]
            seen = check_pages(browser, trace, pathlib.Path(folder) / "index.html")
            pages, texts, pairs = pages + seen[0], texts + seen[1], pairs + seen[2]
    check(pages > (40 if tests_all() else 20), f"only {pages} front pages were looked at")
    check(n > 100 and states > 5 and texts > 2000, f"only {n} pictures, {states} states, with {texts} texts were looked at")
    print(f"{n} pictures, {pages} front pages, {texts} texts, {pairs} pairs of colours")


if __name__ == "__main__":
    main()
