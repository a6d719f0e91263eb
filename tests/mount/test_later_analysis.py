"""An analysis that is made while its trace is mounted: the mount shows it, and open files keep their contents."""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import harness
from harness import XTF, run, wait_until

SHOWN = "was analysed after it was mounted: the mount shows the analysis from now on"


class LaterAnalysis(harness.TestCase):
    procs, threads, records = 2, 2, 600

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="xtf-test-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.copy = os.path.join(self.dir, "t.xtf")
        self.beside = self.copy + ".analysis"
        shutil.copy(self.trace, self.copy)

    def log(self, mount):
        return mount.read("log").decode()

    @contextlib.contextmanager
    def held(self, mount, path):
        """Opens a file and reads its first page, so that a test can read the second part later."""
        content = mount.read(path)
        with open(mount.path(path), "rb") as file:
            file.read(1)
            yield
            self.assertEqual(os.fstat(file.fileno()).st_size, len(content))
            file.seek(0)
            self.assertEqual(file.read(), content, f"{path}, which was open")
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            file.seek(0)
            self.assertEqual(file.read(), content, f"{path}, which was open, without the kernel's pages")

    def assert_as_mounted_anew(self, mount, trace):
        """Asserts that names, sizes and bytes in the root and of a process equal the ones of a new mount. Files without padding also equal
        `xtf cat`."""
        with harness.Mount(trace) as anew:
            for folder in ".", "proc/1", "waits", "proc/1/waits", "delays", "critical", "definitions":
                names = sorted(os.listdir(anew.path(folder)))
                self.assertEqual(sorted(os.listdir(mount.path(folder))), names, folder)
                for path in (os.path.join(folder, name) for name in names):
                    if os.path.isfile(anew.path(path)) and not path.endswith("columns"):
                        content = mount.read(path)
                        self.assertEqual(content, anew.read(path), path)
                        self.assertEqual(os.stat(mount.path(path)).st_size, len(content), path)
        for path in "waits/profile", "proc/1/waits/records", "info":
            self.assertEqual(mount.read(path).decode(), run(XTF, "cat", trace, path).stdout, path)

    def check(self, trace, analyze, seen=True):
        with harness.Mount(trace) as mount, contextlib.ExitStack() as open_files:
            for path in "waits", "proc/1/waits/records", "waits/profile":
                self.assertFalse(os.path.exists(mount.path(path)))
            for listed in mount.dir, mount.path("proc/0"):  # of proc/0 the kernel has only the listing
                self.assertNotIn("waits", os.listdir(listed))
            for path in "index.html", "findings", "proc/1/records":
                open_files.enter_context(self.held(mount, path))
            folder = os.open(mount.path("proc/1"), os.O_RDONLY)
            open_files.callback(os.close, folder)
            os.listdir(folder)
            before = mount.read("findings")
            analyze()
            wait_until(lambda: os.path.exists(mount.path("waits/profile")), "the analysis")
            for listed in mount.dir, mount.path("proc/0"):
                wait_until(lambda: "waits" in os.listdir(listed), f"its name in the listing of {listed}")
            wait_until(lambda: mount.read("findings") != before, "other findings")
            self.assert_as_mounted_anew(mount, trace)
            self.assertIn("waits", os.listdir(folder))
            self.assertEqual(os.readlink(f"/proc/self/fd/{folder}"), mount.path("proc/1"))
            mount.assert_cached(lambda: (mount.read("waits/profile"), mount.read("index.html"), os.listdir(mount.dir)))
            self.assertEqual(self.log(mount).count(SHOWN), 1)
            self.assertNotIn("does not show it", run(XTF, "why", mount.path("waits/profile")).stdout)
            if os.path.exists(self.beside):
                shown = mount.read("waits/profile")
                os.unlink(self.beside)
                self.assertEqual(mount.read("waits/profile"), shown)
                self.assertNotEqual(mount.read("proc/1/waits/totals"), b"")

    def test_analysis_beside_the_trace(self):
        self.check(self.copy, lambda: run(XTF, "analyze", "-q", "-o", self.beside, self.copy))

    def test_analysis_in_the_trace(self):
        self.check(self.copy, lambda: run(XTF, "analyze", "-q", self.copy))

    def test_analysis_in_another_file(self):
        """Tests an analysis in another folder than the watched one: requests make the mount look for it."""
        for link in os.link, os.symlink:
            folder = os.path.join(self.dir, link.__name__)
            os.mkdir(folder)
            target, linked = os.path.join(folder, "target.xtf"), os.path.join(self.dir, link.__name__ + ".xtf")
            shutil.copy(self.trace, target)
            link(target, linked)
            self.check(linked, lambda: run(XTF, "analyze", "-q", target))

    def test_analysis_of_a_followed_trace(self):
        grown = os.path.join(self.dir, "grown.xtf")
        writer = subprocess.Popen([os.environ["GROW"], grown, "5", "20", "0"])
        wait_until(lambda: run(XTF, "info", grown, check=False).returncode == 0, "the first commit")
        with harness.Mount(grown, "follow", quiet_at_end=False) as mount:
            self.assertEqual(writer.wait(harness.TIMEOUT), 0)
            wait_until(lambda: mount.stats()["follow.final"] == 1, "the end")
            self.assertFalse(os.path.exists(mount.path("waits")))
            with self.held(mount, "records"), self.held(mount, "index.html"):
                run(XTF, "analyze", "-q", "-o", grown + ".analysis", grown)
                wait_until(lambda: os.path.exists(mount.path("waits/count")), "the analysis")
                self.assertIn("waits", os.listdir(mount.dir))
                self.assertEqual(mount.read("waits/count").decode(), run(XTF, "cat", grown, "waits/count").stdout)
            self.assertEqual(self.log(mount).count(SHOWN), 1)

    def damage(self, path):
        """Replaces a file by a copy without superblocks."""
        copy = path + ".copy"
        shutil.copy(path, copy)
        with open(copy, "r+b") as file:
            file.write(bytes(8192))
        os.rename(copy, path)

    def test_a_damaged_analysis(self):
        """Tests that the mount ignores a damaged analysis, as the log and `xtf why` say, and shows a sound one that replaces it."""
        made, damaged = os.path.join(self.dir, "made"), os.path.join(self.dir, "damaged")
        run(XTF, "analyze", "-q", "-o", made, self.copy)
        shutil.copy(made, damaged)
        self.damage(damaged)
        with harness.Mount(self.copy) as mount:
            os.rename(damaged, self.beside)
            wait_until(lambda: "has an analysis beside it that is not used: " in self.log(mount), "the reason")
            self.assertFalse(os.path.exists(mount.path("waits")))
            self.assertRegex(run(XTF, "why", mount.path("waits"), check=False).stderr, "an analysis beside the trace is not used: ")
            os.rename(made, self.beside)
            wait_until(lambda: os.path.exists(mount.path("waits/profile")), "the analysis")
            self.assertEqual(len(re.findall("not used|shows the analysis", self.log(mount))), 2)
            shown = mount.read("waits/profile")
            self.damage(self.beside)
            wait_until(lambda: len(re.findall("not used", self.log(mount))) == 2, "the reason again")
            self.assertEqual(mount.read("waits/profile"), shown)
            self.assertNotIn("was written to", self.log(mount))

    def test_an_analysis_of_another_trace(self):
        """Tests that the mount ignores an analysis of another trace, and another trace in the place of its own."""
        second = harness.make_trace(os.path.join(self.dir, "other.xtf"), 3, 1, 2000)
        run(XTF, "analyze", "-q", "-o", second + ".analysis", second)
        with harness.Mount(self.copy) as mount:
            shown = mount.read("info")
            os.rename(second + ".analysis", self.beside)
            wait_until(lambda: "has an analysis beside it that is not used: " in self.log(mount), "the reason")
            os.rename(second, self.copy)
            line = (f"'{self.copy}' was written to, or replaced, after it was mounted: "
                    f"xtf unmount '{mount.dir}' && xtf mount '{self.copy}' '{mount.dir}' shows the change\n")
            wait_until(lambda: line in self.log(mount), "that the trace is another one")
            self.assertFalse(os.path.exists(mount.path("waits")))
            self.assertEqual(mount.read("info"), shown)
            self.assertIn(f"was analysed after it was mounted; xtf unmount '{mount.dir}'", run(XTF, "why", mount.path("waits/count")).stdout)

    def test_an_analysis_named_by_the_user(self):
        """Tests that an analysis named by the user stays when another one appears beside the trace."""
        chosen = os.path.join(self.dir, "chosen")
        run(XTF, "analyze", "-q", "-o", chosen, self.copy)
        with harness.Mount(self.copy, f"analysis={chosen}") as mount:
            shutil.copy(chosen, self.beside)
            wait_until(lambda: "was analysed after it was mounted: xtf unmount" in self.log(mount), "that there is another one")
            self.assertNotIn(SHOWN, self.log(mount))


if __name__ == "__main__":
    harness.main()
