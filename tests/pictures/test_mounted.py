"""Pictures as files of a mount: their sizes, their links, and the pages that a browser reaches through them.

usage: test_mounted.py ARCHIVE
"""

import filecmp
import mmap
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import urllib.parse

import harness
import svg
from browser import Browser

ARCHIVE = None
FOLDERS = ["", "time/40%-60%", "proc/0/time/20%-20.1%", "time/10%-30%/proc/1,2/class/mpi"]
LINKS = 60  # of a picture, which the test follows
WIDE = 1600


class Mounted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="xtf-test-")
        cls.trace = os.path.join(cls.folder.name, "trace.xtf")
        harness.run(harness.XTF, "import", "--quiet", "-o", cls.trace, ARCHIVE)
        cls.mount = harness.Mount(cls.trace)
        cls.mount.__enter__()
        random.seed(31)

    @classmethod
    def tearDownClass(cls):
        cls.mount.__exit__(None, None, None)
        cls.folder.cleanup()


class Pictures(Mounted):
    def paths(self, *endings):
        """Yields the paths of all pictures of some selections. Pictures that the root lists exist everywhere."""
        names = sorted(name for name in os.listdir(self.mount.dir) if name.endswith(endings))
        self.assertTrue(names)
        return [os.path.join(folder, name) for folder in FOLDERS for name in names if os.path.exists(self.mount.path(folder, name))]

    def test_all_readers_agree_on_sizes(self):
        copies = pathlib.Path(self.folder.name) / "copies"
        for path in self.paths(".svg", ".html"):
            file, copy = self.mount.path(path), copies / path
            size = os.stat(file).st_size
            copy.parent.mkdir(parents=True, exist_ok=True)
            harness.run("cp", file, copy)
            self.assertEqual(copy.stat().st_size, size, path)
            with open(file, "rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                self.assertEqual(mapped[:], copy.read_bytes(), path)
            self.assertEqual(subprocess.run(["cat", file], stdout=subprocess.PIPE, check=True).stdout, copy.read_bytes(), path)
            self.assertEqual(int(harness.run("wc", "-c", file).stdout.split()[0]), size, path)
            if path.endswith(".svg") and shutil.which("xmllint"):
                harness.run("xmllint", "--noout", "--huge", file)
        archive = copies / "archive.tar"
        harness.run("tar", "-C", self.mount.dir, "-cf", str(archive), *self.paths(".svg", ".html"))
        with tarfile.open(archive) as tar:
            tar.extractall(copies / "unpacked")
        for path in self.paths(".svg", ".html"):
            self.assertTrue(filecmp.cmp(copies / path, copies / "unpacked" / path, shallow=False), path)

    def test_links_lead_to_files(self):
        n = 0
        for path in self.paths(".svg", ".html"):
            text = self.mount.read(path).decode()
            links = sorted(set(re.findall(r'<a [^>]*href="([^"]*)"', text)))
            for link in random.sample(links, min(LINKS, len(links))):
                file = os.path.join(os.path.dirname(path), urllib.parse.unquote(urllib.parse.urlsplit(link).path))
                self.assertTrue(os.path.exists(self.mount.path(file)), f"{path} links {link}")
                self.assertLessEqual(os.path.normpath(file).count("time/"), 1, f"{path} links {link}")
                n += 1
        self.assertGreater(n, 200)


class Browsing(Mounted):
    """Targets of clicks, drags and keys."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser()
        cls.browser.__enter__()
        cls.browser.view(WIDE, 1000)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__(None, None, None)
        super().tearDownClass()

    def show(self, *parts):
        self.browser.go(pathlib.Path(self.mount.path(*parts)).as_uri())

    def shown_path(self):
        """Returns the path in the mount of the page that is shown."""
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.browser.run("location.href")).path)
        return os.path.relpath(path, self.mount.dir)

    def mouse(self, kind, x, y, buttons=0):
        self.browser.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if kind != "mouseMoved" else "none",
                         buttons=buttons, clickCount=1 if kind != "mouseMoved" else 0)

    def after(self, action):
        """Performs an action that leads to another page, and returns the path of that page."""
        self.browser.follow(action)
        return self.shown_path()

    def click(self, x, y):
        self.mouse("mousePressed", x, y, 1)
        self.mouse("mouseReleased", x, y)

    def drag(self, x, to, y):
        self.mouse("mousePressed", x, y, 1)
        for i in range(1, 5):
            self.mouse("mouseMoved", x + (to - x) * i / 4, y, 1)
        self.mouse("mouseReleased", to, y)

    def press(self, key):
        for kind in "keyDown", "keyUp":
            self.browser.ask("Input.dispatchKeyEvent", type=kind, key=key, **({"text": key} if len(key) == 1 else {}))

    def window(self, path):
        begin, end = re.search(r"time/([0-9.]+)-([0-9.]+)/", path).groups()
        return float(begin), float(end)

    def info(self, folder):
        values = {line["what"]: line["value"] for line in svg.table(self.mount.read(folder, "info"))}
        return float(values["from"]), float(values["duration"])

    def test_a_click_opens_the_tiles_target(self):
        for folder, name in ("", "timeline.svg"), ("time/40%-60%", "timeline.html"), ("time/40%-60%", "histogram.svg"), ("", "matrix.svg"):
            self.show(folder, name)
            tiles = self.browser.run("""[...document.querySelectorAll('a[href] > rect')].map(rect => {
                const box = rect.getBoundingClientRect()
                return [rect.parentElement.getAttribute('href'), box.x + box.width / 2, box.y + box.height / 2, box.width]})""")
            href, x, y, _ = random.choice([tile for tile in tiles if tile[3] > 2 and tile[2] < 900])
            wanted = os.path.normpath(os.path.join(folder, urllib.parse.unquote(href)))
            self.assertEqual(os.path.normpath(self.after(lambda: self.click(x, y))), wanted, f"{folder}/{name}")

    def test_a_drag_selects_the_window(self):
        self.show("timeline.html")
        begin, width = self.info("")
        a, b = (begin + (x - svg.LEFT) / svg.WIDTH * width for x in (400, 900))
        path = self.after(lambda: self.drag(900, 400, 120))
        self.assertEqual(os.path.basename(path), "timeline.html")
        seen = self.window(path)
        for time, wanted in zip(seen, (a, b)):
            self.assertAlmostEqual(time, wanted, delta=1.5 * width / svg.WIDTH)
        title = self.browser.run("document.querySelector('svg > title').textContent")
        self.assertIn(f"{seen[0]}".rstrip("0"), title)
        # Once more in the window, then back twice.
        deeper = self.window(self.after(lambda: self.drag(500, 600, 120)))
        self.assertTrue(seen[0] < deeper[0] < deeper[1] < seen[1], f"{deeper} in {seen}")
        self.assertEqual(self.after(self.browser.go_back), path)
        self.assertEqual(self.after(self.browser.go_back), "timeline.html")

    def test_keys(self):
        self.show("time/40%-60%", "timeline.html")
        begin, width = self.info("time/40%-60%")
        tick = 2 * 10 ** -6 * width
        for key, wanted in ("ArrowRight", (begin + width, begin + 2 * width)), ("ArrowLeft", (begin, begin + width)), \
                           ("+", (begin + 0.45 * width, begin + 0.55 * width)), ("-", (begin, begin + width)):
            path = self.after(lambda key=key: self.press(key))
            for time, expected in zip(self.window(path), wanted):
                self.assertAlmostEqual(time, expected, delta=tick, msg=f"{key}: {path}")
        self.assertEqual(os.path.normpath(self.after(lambda: self.press("p"))), os.path.join(os.path.dirname(path), "profile.svg"))
        self.after(self.browser.go_back)
        self.assertEqual(os.path.normpath(self.after(lambda: self.press("0"))), "timeline.html")


if __name__ == "__main__":
    ARCHIVE = sys.argv.pop(1)
    harness.require_fuse()
    if not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        print("no chromium here: what a browser does is not looked at")
        del Browsing
    unittest.main(verbosity=2)
