"""The cost of reading: requests, page visits, page loads, memory."""

import os
import subprocess
import time
import unittest

import harness
import model

PAGE = 4096
MIB = 1 << 20
# Number of windows that the memory test visits. The target is a million, which takes some minutes.
WINDOWS = int(os.environ.get("XTF_TEST_WINDOWS", "60000"))


class Caching(harness.TestCase):
    procs, threads, records = 4, 2, 20000

    def test_second_read_costs_no_request(self):
        with harness.Mount(self.trace) as mount:
            files = mount.files("proc/1") + ["time/5ms-8ms/count", "time/5ms-8ms/records"]
            first = [mount.read(path) for path in files]
            before = mount.requests()
            self.assertGreater(before["requests.read"], len(files) - 1)

            def again():
                for path, content in zip(files, first):
                    self.assertEqual(mount.read(path), content)
                    os.stat(mount.path(path))
            mount.assert_cached(again)
            self.assertLessEqual(before["requests.open"], 1)

    def test_second_listing_costs_no_request(self):
        with harness.Mount(self.trace) as mount:
            listed = harness.run("find", "proc/2", "-ls", cwd=mount.dir).stdout
            before = mount.requests()
            self.assertGreater(before["requests.readdir"], 0)
            mount.assert_cached(
                lambda: self.assertEqual(harness.run("find", "proc/2", "-ls", cwd=mount.dir).stdout, listed))
            self.assertLessEqual(before["requests.opendir"], 1)

    def test_second_readlink_costs_no_request(self):
        with harness.Mount(self.trace) as mount:
            link = mount.path("time", "1ms-2ms", "next")
            target = os.readlink(link)
            self.assertEqual(mount.stats()["requests.readlink"], 1)
            mount.assert_cached(lambda: self.assertEqual(os.readlink(link), target))


class Visits(harness.TestCase):
    """Counts of page visits. Pages of 4 KiB hold about 119 calls (34 bytes), 82 sends (49 bytes), 70 receives (57 bytes), or 168 index
    entries (24 bytes). So the tree of 75 000 calls has 3 levels, of 12 500 sends 2, and of 12 500 receives 3. The counts hold for page
    headers of 50 to 100 bytes."""

    procs, threads, records = 2, 2, 100000
    plain = True
    LEVELS = {"enters_leaves": 3, "sends": 2, "recvs": 3}

    def visits(self, mount, *path):
        before = mount.stats()["page_visits"]
        count = mount.count(*path)
        return mount.stats()["page_visits"] - before, count

    def test_count_in_a_window(self):
        with harness.Mount(self.trace) as mount:
            mount.count("proc", "1", "time", "1ms-2ms") # loads the definitions
            for window in (11000000, 12000000), (100000, 49000000), (20000000, 20000500), (0, 60000000):
                name = f"{window[0]}ns-{window[1]}ns"
                visits, count = self.visits(mount, "proc", "1", "time", name)
                self.assertEqual(count, model.count([1], self.records, window, self.threads))
                self.assertLessEqual(visits, self.threads * sum(2 * levels for levels in self.LEVELS.values()), name)
                visits, count = self.visits(mount, "proc", "1", "time", name, "enters_leaves")
                self.assertEqual(count, model.count([1], self.records, window, self.threads, only="enters_leaves"))
                self.assertLessEqual(visits, self.threads * 2 * self.LEVELS["enters_leaves"], name)
            self.assertGreater(mount.stats()["page_visits"], 0)

    def test_listing_sizes_nothing(self):
        with harness.Mount(self.trace) as mount:
            mount.count("proc", "1", "time", "1ms-2ms")
            os.stat(mount.path("proc", "1", "time", "3ms-7ms"))
            before = mount.stats()["page_visits"]
            os.listdir(mount.path("proc", "1", "time", "3ms-7ms"))
            self.assertEqual(mount.stats()["page_visits"], before)
            before = mount.stats()["page_visits"]
            harness.run("ls", "-l", mount.path("proc", "1", "time", "3ms-7ms"))
            visits = mount.stats()["page_visits"] - before
            bound = self.threads * sum(2 * levels for levels in self.LEVELS.values())
            self.assertLessEqual(visits, 3 * bound, "more than a few descents") # the sizes of count, records, histogram


class Streaming(harness.TestCase):
    procs, threads, records = 1, 1, 400000
    plain = True
    CACHE = 64 * PAGE  # the right edges with their totals take twenty
    GROWTH = 4 * MIB

    def stream(self, options):
        """Reads the records of a process with a small cache. Returns loads and pages of the trace."""
        pages = self.pages()
        with harness.Mount(self.trace, f"cache={self.CACHE}" + options) as mount:
            mount.read("README")
            before = mount.stats()
            expected = os.path.getsize(mount.path("proc", "0", "records"))
            read = 0
            memory = []
            with open(mount.path("proc", "0", "records"), "rb", buffering=0) as file:
                while block := file.read(1 << 20):
                    read += len(block)
                    memory.append(mount.resident())
            after = mount.stats()
            loads = after["cache.loads"] - before["cache.loads"]
            early = memory[len(memory) // 4]
            print(f"\n  {read >> 20} MiB of lines from {pages} pages: {loads} loads, "
                  f"memory {early / MIB:.1f} MiB after a quarter, {memory[-1] / MIB:.1f} MiB at the end")
            self.assertEqual(read, expected)
            self.assertEqual(after["cache.limit"], self.CACHE)
            self.assertGreater(loads, pages // 2, "nothing was loaded: nothing is tested")
            if not harness.SANITIZED:
                self.assertLess(max(memory) - early, self.GROWTH)
        return loads, pages

    def test_each_leaf_is_loaded_once(self):
        loads, pages = self.stream(",threads=1")
        self.assertLessEqual(loads, pages)

    def test_many_threads(self):
        """Tests several readers. The kernel reads ahead with several requests at once, so a leaf that two of them share may be evicted in between."""
        loads, pages = self.stream("")
        self.assertLessEqual(loads, pages * 1.05)

    def pages(self):
        for line in harness.run(harness.XTF, "info", self.trace).stdout.splitlines():
            if line.startswith("pages"):
                return int(line.split()[1])
        raise AssertionError("xtf info does not say how many pages there are")


class StreamingPacked(Streaming):
    """Streaming of packed leaves. For a leaf the daemon loads its page, its times and its rows: 16 Ki rows are half a mebibyte, and it
    merges three types."""

    plain = False
    CACHE = 4 * MIB
    GROWTH = 8 * MIB  # decoded rows leave gaps of another size

    def test_each_leaf_is_loaded_once(self):
        loads, pages = self.stream(",threads=1")
        self.assertLessEqual(loads, 3 * pages)

    def test_many_threads(self):
        loads, pages = self.stream("")
        self.assertLessEqual(loads, 3 * pages * 1.05)


class ManyProcesses(harness.TestCase):
    procs, threads, records = 10000, 1, 8

    def test_long_listing(self):
        """Tests that a long listing is one pass of READDIRPLUS without lookups, and costs nothing the second time."""
        with harness.Mount(self.trace) as mount:
            os.stat(mount.path("proc"))
            before = mount.requests()
            listed = harness.run("ls", "-l", mount.path("proc")).stdout.splitlines()
            after = mount.requests()
            self.assertEqual(len(listed), self.procs + 1)
            self.assertEqual(after["requests.lookup"], before["requests.lookup"])
            self.assertLess(after["requests.readdir"] - before["requests.readdir"], 100)
            # ls of coreutils 9.5 asks for the names of each file's attributes, which the kernel does not cache.
            mount.assert_cached(lambda: harness.run("find", mount.path("proc"), "-maxdepth", "1", "-ls"))

    def test_listing_beyond_the_bound(self):
        """Tests that a listing of more names than the kernel may hold looks few of them up, and stays cached while they are looked up."""
        with harness.Mount(self.trace, "max_nodes=1000") as mount:
            listed = harness.run("ls", mount.path("proc")).stdout.split()
            stats = mount.stats()
            self.assertEqual(sorted(listed, key=int), [str(proc) for proc in range(self.procs)])
            self.assertLess(stats["nodes"], 600)
            self.assertLess(stats["requests.forget"], 100)
            for proc in range(0, self.procs, 5):
                os.stat(mount.path("proc", str(proc)))
            harness.wait_until(lambda: mount.stats()["nodes"] <= 1000, "the kernel to let go")
            mount.assert_cached(lambda: self.assertEqual(harness.run("ls", mount.path("proc")).stdout.split(), listed))


class Idle(harness.TestCase):
    """An idle mount frees its page cache down to KEPT, and fills it again."""

    procs, threads, records = 4, 2, 400000
    KEPT = 16 * MIB

    def fill(self, mount):
        """Reads windows of all processes twice, so that their pages stay in the cache. Returns the files' contents."""
        names = [f"proc/{proc}/time/{i}%-{i + 2}%/{name}" for proc in range(self.procs) for i in range(0, 98, 2) for name in ("profile", "stack")]
        for name in names:
            mount.read(name.replace("%-", ".1%-"))
        return [mount.read(name) for name in names]

    def rest(self, mount):
        """Makes no request for longer than two intervals of the daemon's watch. Returns the counters."""
        time.sleep(2.5)
        return mount.stats()

    def test_an_idle_mount_frees_its_cache(self):
        with harness.Mount(self.trace, "idle=1") as mount:
            contents = self.fill(mount)
            full, memory = mount.stats(), mount.resident()
            self.assertGreater(full["cache.bytes"], 2 * self.KEPT)
            harness.wait_until(lambda: self.rest(mount)["cache.bytes"] <= self.KEPT, "the idle mount to free its cache")
            if not harness.SANITIZED:
                self.assertLess(mount.resident(), memory - (full["cache.bytes"] - self.KEPT) // 2)
            self.assertEqual(mount.stats()["cache.limit"], full["cache.limit"])
            self.assertEqual(self.fill(mount), contents)

    def test_a_mount_with_idle_0_keeps_its_cache(self):
        with harness.Mount(self.trace, "idle=0") as mount:
            self.fill(mount)
            full = mount.stats()["cache.bytes"]
            self.assertGreaterEqual(self.rest(mount)["cache.bytes"], full)


class Memory(harness.TestCase):
    records = 20000

    def slabs(self):
        """Returns the bytes of the kernel's inodes and names of all filesystems."""
        found = {}
        try:
            with open("/proc/slabinfo") as slabs:
                for line in slabs:
                    fields = line.split()
                    if fields[0] in ("fuse_inode", "dentry"):
                        found[fields[0]] = int(fields[2]) * int(fields[3])
        except OSError:
            pass
        return found

    def test_many_windows(self):
        with harness.Mount(self.trace) as mount:
            before = self.slabs()
            for i in range(WINDOWS):
                os.stat(mount.path("proc", "0", "time", f"{i}ns-{i + 1000}ns", "count"))
            harness.wait_until(lambda: mount.stats()["nodes"] <= mount.stats()["nodes.limit"], "the kernel to let go")
            stats, memory, after = mount.stats(), mount.resident(), self.slabs()
            share = ", ".join(f"{name} {(after[name] - before[name]) / MIB:+.1f} MiB" for name in after) or "unknown"
            print(f"\n  {WINDOWS} windows: the daemon has {memory / MIB:.1f} MiB and {stats['nodes']} nodes; "
                  f"the kernel: {share}")
            self.assertGreater(stats["requests.lookup"], 2 * WINDOWS)
            if not harness.SANITIZED:
                self.assertLess(memory, 128 * MIB)
            if "fuse_inode" in before:
                self.assertLess(after["fuse_inode"] - before["fuse_inode"], 64 * MIB)

    def test_names_in_use_stay(self):
        """Tests that a working directory, an open file and their paths survive when the daemon drops names."""
        with harness.Mount(self.trace, "max_nodes=256") as mount:
            directory = mount.path("proc", "1", "time", "1ms-2ms")
            with open(os.path.join(directory, "count")) as file, subprocess.Popen(["sleep", "1000"], cwd=directory) as sleeper:
                try:
                    for i in range(3000):
                        os.stat(mount.path("proc", "0", "time", f"{i}ns-{i + 1000}ns", "count"))
                    harness.wait_until(lambda: mount.stats()["nodes"] < 600, "the kernel to let go")
                    self.assertEqual(int(file.read()), model.count([1], self.records, (1000000, 2000000), self.threads))
                    if tuple(map(int, os.uname().release.split(".")[:2])) >= (6, 18):  # see src/fs/reaper.c
                        self.assertEqual(os.readlink(f"/proc/{sleeper.pid}/cwd"), directory)
                    self.assertTrue(os.path.samefile(f"/proc/{sleeper.pid}/cwd", directory))
                finally:
                    sleeper.kill()


if __name__ == "__main__":
    harness.main()
