#!/usr/bin/env python3
"""`xtf export html`: every link of every page leads to a file. Tables have the text of `xtf cat`. A browser shows the pages.

The test exports whole traces, windows and processes. It counts links in the tree's own pages, too. In a browser, if there is one, it clicks
and drags.

usage: test_html.py XTF ARCHIVE...
"""

import functools
import html.parser
import http.server
import pathlib
import shutil
import sys
import threading
import urllib.parse

from browser import Browser
from xtfrun import Xtf, check, run_test, some_of, temporary_folder

FILES_MAX = 200
LEVELS = {0: 1, 1: 10, 2: 100}  # windows of each level
LEAST_LINKS = 1000  # links with a target in the pages of a whole trace
PATHS = ["time/20%-70%", "proc/0-1", "proc/2/time/30%-60%"]


class Page(html.parser.HTMLParser):
    """Collects the targets of links, and the number of links without one."""

    def __init__(self, path):
        super().__init__()
        self.links, self.dead, self.title = [], 0, False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        if tag == "a":
            links = [value for name, value in attrs if name == "href"]
            self.links += links
            self.dead += not links


def pages_of(folder):
    return [path for path in sorted(folder.rglob("*")) if path.suffix in (".html", ".svg")]


def check_links(folder):
    """Checks that each link leads to a file of the folder. Returns the numbers of links with and without a target."""
    files = {path.resolve() for path in folder.rglob("*") if path.is_file()}
    check(0 < len(files) <= FILES_MAX, f"{folder}: {len(files)} files")
    live = dead = 0
    reached = {(folder / "index.html").resolve()}
    for path in pages_of(folder):
        page = Page(path)
        dead += page.dead
        for link in page.links:
            if link.startswith(("http://", "https://", "#")):
                continue
            target = (path.parent / urllib.parse.unquote(link)).resolve()
            check(target in files, f"{path}: the link {link} leads to no file")
            reached.add(target)
            live += 1
    check(reached == files, f"{folder}: no page links {sorted(files - reached)[:5]}")
    return live, dead


def check_windows(folder):
    """Checks that the windows of each level tile the window above: the names of their folders are decimal numbers."""
    names = sorted((path.parent.name for path in folder.glob("time/*/index.html")), key=lambda name: [float(end) for end in name.split("-")])
    windows = [tuple(float(end) for end in name.split("-")) for name in names]
    longest = max(to - since for since, to in windows)
    tenths = [window for window in windows if window[1] - window[0] > longest / 2]
    check(len(tenths) == LEVELS[1], f"{folder}: {len(tenths)} windows of the first level")
    check(len(windows) == LEVELS[1] + LEVELS[2], f"{folder}: {len(windows)} windows below time/")
    for level in tenths, [window for window in windows if window not in tenths]:
        for (_, end), (begin, _) in zip(level, level[1:]):
            check(end == begin, f"{folder}: a window ends at {end}, the next one begins at {begin}")


def check_tables(xtf, trace, folder, root):
    """Checks that tables have the text of `xtf cat`. Returns their number."""
    tables = [path for path in sorted(folder.rglob("*.txt")) if path.name != "README.txt"]
    for path in some_of(tables, len(tables) // 12 + 1):
        name = path.relative_to(folder).with_suffix("").as_posix()
        wanted = xtf.expect("cat", trace, name if name.startswith("time/") else root + name)
        check(path.read_bytes() == wanted, f"{name}: differs from xtf cat")
    return len(tables)


def check_whole(xtf, trace, folder):
    printed = xtf.expect("export", "html", "-o", folder, trace).decode()
    live, dead = check_links(folder)
    check(live >= LEAST_LINKS, f"only {live} links have a target")
    source = xtf.expect("cat", trace, *(path.relative_to(folder) for path in pages_of(folder)))
    dropped = source.count(b' href="') - live
    check(dead == dropped + source.count(b"<a>"), f"{dead} links have no target, but {dropped} should have lost theirs")
    check(f"{dropped} links lead to no file" in printed, f"the report does not count {dropped} links: {printed}")
    check_windows(folder)
    n_tables = check_tables(xtf, trace, folder, "")
    check(n_tables >= 10 and (folder / "profile.txt").exists() and (folder / "timeline.svg").exists(), f"{n_tables} tables")
    return live


def check_parts(xtf, trace, scratch):
    for number, path in enumerate(some_of(PATHS, 2)):
        folder = scratch / f"part{number}"
        xtf.expect("export", "html", "-o", folder, trace, path)
        check_links(folder)
        # A window in % has a name in seconds below time/; its tables lie beside the first page.
        if "time" not in path:
            check_tables(xtf, trace, folder, path + "/")
        check((folder / "profile.txt").read_bytes() == xtf.expect("cat", trace, path + "/profile"), f"{path}: another profile")


def complaint_of(xtf, *arguments):
    """Returns the errors of an export that must fail."""
    result = xtf.run("export", "html", *arguments)
    check(result.status == 1, str(result))
    return result.errors.decode()


def check_refusals(xtf, trace, scratch):
    folder = scratch / "refused"
    xtf.expect("export", "html", "-o", folder, trace, "time/0%-10%")
    first = sorted(path.relative_to(folder) for path in folder.rglob("*"))
    check("exists already" in complaint_of(xtf, "-o", folder, trace), "an export was replaced without --force")
    (folder / "mine.c").write_text("int x;\n")
    check("contains more than" in complaint_of(xtf, "--force", "-o", folder, trace), "a folder with a source file was replaced")
    (folder / "mine.c").rename(folder / "mine.txt")
    check("contains more than" in complaint_of(xtf, "--force", "-o", folder, trace), "a folder with notes was replaced")
    (folder / "mine.txt").unlink()
    (folder / "index.html").write_text("<html>\n")
    check("contains more than" in complaint_of(xtf, "--force", "-o", folder, trace), "a folder of other pages was replaced")
    xtf.expect("export", "html", "-o", scratch / "again", trace, "time/0%-10%")
    xtf.expect("export", "html", "--force", "-o", scratch / "again", trace)
    check(sorted(path.relative_to(scratch / "again") for path in (scratch / "again").rglob("*")) != first, "--force replaced nothing")
    check("no windows" in complaint_of(xtf, "-o", scratch / "numbers", trace, "num/0-9"), "records by number were exported")
    check(not (scratch / "numbers").exists(), "a refused export left its folder")


# ---- In a browser.

DRAG = """(function(from, to) {
  var picture = document.querySelector('svg.xt'), box = picture.getBoundingClientRect(), w = JSON.parse(document.getElementById('xt-window').textContent);
  function event(name, share) {
    var x = box.left + (w.left + share * w.width) * box.width / 1600, target = name === 'mousedown' ? picture : window;
    target.dispatchEvent(new MouseEvent(name, {clientX: x, clientY: box.top + 80, button: 0, bubbles: true}));
  }
  event('mousedown', from); event('mousemove', to); event('mouseup', to);
})"""


def serve(folder):
    """Starts a web server of a folder on a free port."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def check_in_browser(folder):
    """Clicks a tenth of a tenth, drags over the timeline, returns to the first page by a key, and opens a table."""
    server = serve(folder)
    base = f"http://127.0.0.1:{server.server_port}/"
    try:
        with Browser() as browser:
            browser.go(base + "index.html")
            browser.follow(lambda: browser.run("[...document.querySelectorAll('#links a')].find(a => a.textContent === '4').click()"))
            first = browser.run("location.pathname")
            browser.follow(lambda: browser.run("[...document.querySelectorAll('#links a')].find(a => a.textContent === '7').click()"))
            second = browser.run("location.pathname")
            check(first != second and "/time/" in second, f"tenths lead to {first} and {second}")
            window = browser.run("JSON.parse(document.getElementById('xt-window').textContent)")
            begin, end = (float(time) for time in second.split("/")[2].split("-"))
            check(window["from"] == begin and window["to"] == end, f"{second} shows {window['from']} to {window['to']}")
            browser.follow(lambda: browser.run("window.dispatchEvent(new KeyboardEvent('keydown', {key: '0'}))"))
            check(browser.run("location.pathname") == "/index.html", "the key 0 does not lead to the first page")
            browser.follow(lambda: browser.run(DRAG + "(0.31, 0.38)"))
            check(browser.run("location.pathname") == first, f"dragging over a part of {first} leads to {browser.run('location.pathname')}")
            browser.go(base + "index.html")
            browser.follow(lambda: browser.run("document.querySelector('#profile a').click()"))
            check(browser.run("document.body.innerText.includes('MPI_')"), "the profile is not shown as text")
            for path in pages_of(folder):
                browser.go(base + urllib.parse.quote(path.relative_to(folder).as_posix()))
                check(browser.run("document.querySelector('svg, section') !== null"), f"{path} shows nothing")
    finally:
        server.shutdown()
        server.server_close()


def check_archive(xtf, archive):
    with temporary_folder() as name:
        scratch = pathlib.Path(name)
        trace, folder = scratch / "run.xtf", scratch / "site"
        xtf.import_archive(archive, trace)
        xtf.expect("analyze", trace)
        live = check_whole(xtf, trace, folder)
        check_parts(xtf, trace, scratch)
        check_refusals(xtf, trace, scratch)
        print(f"{archive}: {live} links have a target")
        if shutil.which("chromium"):
            check_in_browser(folder)


def main():
    for archive in some_of(sys.argv[2:], 1):
        check_archive(Xtf(sys.argv[1]), archive)
    return 0


run_test(main)
