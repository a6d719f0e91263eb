"""The usual tools walk through one process's directory, end, and read every byte."""

import filecmp
import hashlib
import itertools
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest

import harness


class Tools(harness.TestCase):
    def setUp(self):
        self.mount = self.enterContext(harness.Mount(self.trace)) if hasattr(self, "enterContext") else self.enter()
        self.root = self.mount.path("proc", "1")

    def enter(self):  # Python before 3.11
        mount = harness.Mount(self.trace)
        mount.__enter__()
        self.addCleanup(mount.__exit__, None, None, None)
        return mount

    def files(self):
        found = [os.path.relpath(self.mount.path(path), self.root) for path in self.mount.files("proc/1")]
        self.assertIn("records", found)
        self.assertTrue(any(path.startswith("thread/0/") for path in found), found)
        self.assertEqual(len(found), len(set(found)))
        return found

    def content(self, path):
        with open(os.path.join(self.root, path), "rb") as file:
            return file.read()

    def assert_same_tree(self, copy):
        for path in self.files():
            copied = os.path.join(copy, path)
            self.assertTrue(filecmp.cmp(os.path.join(self.root, path), copied, shallow=False), path)
            self.assertEqual(os.path.getsize(os.path.join(self.root, path)), os.path.getsize(copied), path)

    def test_every_size_is_what_is_read(self):
        for path in self.files():
            attributes = os.stat(os.path.join(self.root, path))
            self.assertEqual(attributes.st_size, len(self.content(path)), path)
            self.assertGreaterEqual(attributes.st_blocks * 512, attributes.st_size, path)

    def test_tar(self):
        with tempfile.TemporaryFile() as archive:
            subprocess.run(["tar", "-C", self.root, "--sparse", "-cf", "-", "."], stdout=archive, check=True)
            archive.seek(0)
            with tarfile.open(fileobj=archive) as tar:
                members = {os.path.normpath(member.name): member for member in tar.getmembers() if member.isfile()}
                self.assertEqual(set(members), set(self.files()))
                for path, member in members.items():
                    self.assertEqual(tar.extractfile(member).read(), self.content(path), path)

    def walk_by_links(self, start, bound):
        """Counts the entries of a walk that follows links, up to a bound."""
        with subprocess.Popen(["find", "-L", self.mount.path(start)], stdout=subprocess.PIPE) as find:
            n = sum(1 for _ in itertools.islice(find.stdout, bound))
            find.kill()
        self.assertLess(n, bound, f"find -L {start} does not end")
        return n

    def test_walks_that_follow_links_end(self):
        once = len(harness.run("find", self.mount.dir).stdout.splitlines())
        self.assertGreater(self.walk_by_links(".", 20 * once), once)
        for start in "time/10%-20%", "time/10%-20%/proc/1", "time/10%-20%/zoom", "frames/25fps/0", "at/50%":
            self.walk_by_links(start, 20 * once)

    def test_cp(self):
        with tempfile.TemporaryDirectory() as copy:
            harness.run("cp", "-r", self.root + "/.", copy)
            self.assert_same_tree(copy)

    @unittest.skipUnless(shutil.which("rsync"), "there is no rsync")
    def test_rsync(self):
        with tempfile.TemporaryDirectory() as copy:
            harness.run("rsync", "-a", self.root + "/", copy)
            self.assert_same_tree(copy)
            again = harness.run("rsync", "-a", "--checksum", "--itemize-changes", self.root + "/", copy)
            self.assertEqual(again.stdout, "", "the second run found differences")

    def test_grep(self):
        found = harness.run("grep", "-rc", "MPI_SEND", self.root).stdout.splitlines()
        counts = {os.path.relpath(line.rpartition(":")[0], self.root): int(line.rpartition(":")[2]) for line in found}
        self.assertEqual(set(counts), set(self.files()))
        for path, count in counts.items():
            self.assertEqual(count, sum(b"MPI_SEND" in line for line in self.content(path).split(b"\n")), path)
        self.assertGreater(counts["records"], 0)

    def test_du(self):
        sizes = sum(len(self.content(path)) for path in self.files())
        shown = harness.run("du", "-s", "--apparent-size", "-B1", self.root).stdout.split()[0]
        links = harness.run("find", self.root, "-type", "l", "-printf", "%s\n").stdout.split()
        self.assertEqual(int(shown), sizes + sum(int(size) for size in links))

    def test_checksums_by_mmap(self):
        import mmap
        path = os.path.join(self.root, "records")
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
            self.assertEqual(hashlib.sha256(mapped).digest(), hashlib.sha256(self.content("records")).digest())


if __name__ == "__main__":
    harness.main()
