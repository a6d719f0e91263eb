"""The mounted tree compared with a recomputation of the trace, and with `xtf cat` and `xtf ls`."""

import os
import random
import subprocess
import unittest

import harness
import model


class Tree(harness.TestCase):
    procs, threads, records = 5, 2, 2000

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.mount = harness.Mount(cls.trace)
        cls.mount.__enter__()
        cls.all = model.all_records(cls.procs, cls.threads, cls.records)

    @classmethod
    def tearDownClass(cls):
        cls.mount.__exit__(None, None, None)
        super().tearDownClass()

    def expected(self, window=(0, float("inf")), procs=None, threads=None, only=None):
        return [r for r in self.all if window[0] <= r.time < window[1] and (procs is None or r.proc in procs)
                and (threads is None or r.thread in threads) and (only is None or r.type == only)]

    def test_counts(self):
        self.assertEqual(self.mount.count(), len(self.all))
        for proc in range(self.procs):
            self.assertEqual(self.mount.count("proc", str(proc)), len(self.expected(procs=[proc])))
            for thread in range(self.threads):
                self.assertEqual(self.mount.count("proc", str(proc), "thread", str(thread)),
                                 len(self.expected(procs=[proc], threads=[thread])))
        for only in "enters_leaves", "sends", "recvs":
            self.assertEqual(self.mount.count(only), len(self.expected(only=only)))
        self.assertEqual(self.mount.count("proc", "1-3"), len(self.expected(procs=[1, 2, 3])))
        self.assertEqual(self.mount.count("proc", "0,4"), len(self.expected(procs=[0, 4])))

    def test_random_windows(self):
        random.seed(1)
        last = max(r.time for r in self.all)
        for _ in range(300):
            a, b = sorted(random.sample(range(last + 2000), 2))
            proc, only = random.randrange(self.procs), random.choice(["enters_leaves", "sends", "recvs", None])
            parts = [["proc", str(proc)], ["time", f"{a}ns-{b}ns"]] + ([[only]] if only else [])
            random.shuffle(parts) # their order does not matter
            path = [part for pair in parts for part in pair]
            self.assertEqual(self.mount.count(*path), len(self.expected((a, b), [proc], only=only)), path)

    def test_nested_windows_intersect(self):
        self.assertEqual(self.mount.count("time", "100us-500us", "time", "300us-900us"),
                         len(self.expected((300000, 500000))))
        self.assertEqual(self.mount.count("time", "100us-200us", "time", "300us-900us"), 0)

    def test_fields_narrow_as_grep_does(self):
        """Tests that narrowing by a field shows exactly the lines of the whole that have the value, byte by byte, and that `count` agrees."""
        content = self.mount.read("proc", "1-3", "time", "100us-", "records").splitlines(True)
        peer, tag, comm, name = 5, 7, 8, 9
        for narrowing, column, values in (
                ("region/MPI_Send", name, {b"MPI_Send"}), ("region/MPI\\x5fRecv", name, {b"MPI_Recv"}),
                ("region/#3", name, {b"compute"}), ("region/main", name, {b"main"}), ("comm/MPI_COMM_WORLD", comm, {b"0"}),
                ("peer/0", peer, {b"0"}), ("peer/1-3,4", peer, {b"1", b"2", b"3", b"4"}), ("tag/1", tag, {b"1"}),
                ("tag/0,2-99", tag, {b"0", b"2", b"3", b"4"}), ("tag/7", tag, {b"7"})):
            expected = [line for line in content if line.split()[column] in values]
            for path in (f"proc/1-3/time/100us-/{narrowing}", f"{narrowing}/time/100us-/proc/1-3"):
                with self.subTest(path):
                    self.assertEqual(self.mount.count(path), len(expected))
                    self.assertEqual(self.mount.read(path, "records"), b"".join(expected))

    def test_walks_do_not_reach_fields(self):
        """Tests that region/ and comm/ list their names, but that a walk from the root does not reach them."""
        self.assertEqual(os.listdir(self.mount.path("region")), ["main", "MPI_Send", "MPI_Recv", "compute"])
        self.assertEqual(os.listdir(self.mount.path("proc", "1", "comm")), ["MPI_COMM_WORLD"])
        for path in ("peer", "tag", "time/0-1ms/peer"):
            self.assertEqual(os.listdir(self.mount.path(path)), [])
        for path in ("", "proc/1", "proc/1/thread/0/enters_leaves", "time/0-1ms", "region/main", "proc/0/tag/1"):
            self.assertFalse({"region", "comm", "peer", "tag"} & set(os.listdir(self.mount.path(path))), path)

    def test_records_in_order(self):
        """Compares each line's time, process, thread, seq and event, for the whole trace, in which many records have equal times."""
        lines = self.mount.read("records").decode().splitlines()
        found = []
        for line in lines:
            fields = line.split()
            found.append((round(float(fields[0]) * 1e9), int(fields[1]), int(fields[2]), int(fields[3]), fields[4]))
        self.assertEqual(found, [(r.time, r.proc, r.thread, r.seq, r.event) for r in self.all])
        self.assertEqual(len({len(line) for line in lines}), 1, "not of a fixed width")

    def test_any_offset(self):
        """Tests reads as tail, dd and a backwards less do them."""
        path = self.mount.path("time", "100us-", "records")
        with open(path, "rb") as file:
            content = file.read()
        self.assertEqual(harness.run("tail", "-n1", path).stdout.encode(), content.splitlines(True)[-1])
        self.assertEqual(harness.run("tail", "-c", "1000", path).stdout.encode(), content[-1000:])
        part = harness.run("dd", f"if={path}", "bs=100", "skip=77", "count=3").stdout
        self.assertEqual(part.encode(), content[7700:8000])

        fresh = self.mount.path("time", "100001ns-", "records") # not yet in the kernel's cache
        length = os.path.getsize(fresh)
        back = b""
        with open(fresh, "rb", buffering=0) as file:
            for offset in range(length // 3000 * 3000, -1, -3000):
                back = os.pread(file.fileno(), 3000, offset) + back
        self.assertEqual(back, self.mount.read("time", "100001ns-", "records"))

    def test_wrong_names(self):
        for path in ("nothing", "proc/99", "proc/x", "proc/3-1", "time/2-1", "time/1", "time/1-2x", "proc/0/num/5-2",
                     "proc/0/time/a-b", "thread/9", "region/none", "comm/#1", "peer/5", "tag/x", "proc/1/count/x", "proc/0/." * 2 + "/y", "count ", "x" * 255):
            with self.subTest(path), self.assertRaises((FileNotFoundError, NotADirectoryError)):
                os.stat(self.mount.path(path))
        # The kernel also caches that a name does not exist.
        self.mount.assert_cached(lambda: self.assertFalse(os.path.exists(self.mount.path("proc", "99"))))

    def test_same_bytes_without_a_mount(self):
        files = self.mount.files("proc/2") + self.mount.files("definitions") + ["README", "count", "info", "histogram"]
        self.assertGreater(len(files), 15)
        for path in files:
            shown = subprocess.run([harness.XTF, "cat", self.trace, path], stdout=subprocess.PIPE, check=True).stdout
            self.assertEqual(shown, self.mount.read(path), path)

    def test_same_listing_without_a_mount(self):
        for path in ("", "proc", "proc/2", "proc/2/thread/1", "time/0-1ms", "definitions", "region", "proc/2/comm", "tag"):
            shown = harness.run(harness.XTF, "ls", self.trace, "/" + path).stdout.splitlines()
            self.assertEqual(sorted(shown), sorted(os.listdir(self.mount.path(path))), path)

    def test_links_lead_somewhere(self):
        links = harness.run("find", ".", "-type", "l", cwd=self.mount.dir).stdout.splitlines()
        self.assertEqual(sorted(links), [f"./zoom/{i}" for i in range(10)])
        directory = self.mount.path("time", "100us-200us")
        self.assertEqual(os.path.realpath(os.path.join(directory, "next")),
                         os.path.realpath(os.path.join(directory, "next", "next", "prev")))
        self.assertEqual(self.mount.count("time", "100us-200us", "next"), len(self.expected((200000, 300000))))
        zoomed = sum(self.mount.count("time", "100us-200us", "zoom", str(i)) for i in range(10))
        self.assertEqual(zoomed, len(self.expected((100000, 200000))))

    def test_path_of_the_working_directory(self):
        """Tests that a directory's path is the one that the process followed, and that .. leads back."""
        for path in ("proc/1/time/0-1ms", "time/0-1ms/proc/1", "proc/1/sends/time/0-1ms/num/0-5"):
            shell = harness.run("sh", "-c", "/bin/pwd -P; cd ..; /bin/pwd -P; stat -c %i .", cwd=self.mount.path(path))
            directory, above, inode = shell.stdout.split()
            self.assertEqual(directory, self.mount.path(path))
            self.assertEqual(above, os.path.dirname(self.mount.path(path)))
            self.assertEqual(int(inode), os.stat(above).st_ino)

    def test_listed_inodes_are_those_of_stat(self):
        for path in ("proc", "proc/1", "."):
            with os.scandir(self.mount.path(path)) as entries:
                for entry in entries:
                    self.assertEqual(entry.inode(), os.stat(entry.path, follow_symlinks=False).st_ino, entry.path)


class Messages(harness.TestCase):
    """Tests of messages. Processes have one thread, so that the pairs of sends and receives are known."""
    procs, threads, records = 3, 1, 800

    def test_links_lead_from_end_to_end(self):
        with harness.Mount(self.trace) as mount:
            for process, n in ((0, 0), (1, 7), (2, 99), (2, 42)):
                second = (process + 1) % self.procs
                send, receive = (f"proc/{p}/thread/0/{kind}/num/{n}" for p, kind in ((process, "sends"), (second, "recvs")))
                self.assertEqual(os.path.realpath(mount.path(send, "match")), os.path.realpath(mount.path(receive)))
                self.assertEqual(os.path.realpath(mount.path(receive, "match")), os.path.realpath(mount.path(send)))
                # The same link leads to the same record from another path.
                path = f"time/0-1/sends/proc/{process}/num/{n}/match"
                self.assertEqual(os.path.realpath(mount.path(path)), os.path.realpath(mount.path(receive)))
                self.assertEqual(mount.read(send, "match", "match", "record"), mount.read(send, "record"))
                self.assertEqual(mount.read(send, "message"), mount.read(receive, "message"))
                self.assertIn(b"certain\n", mount.read(send, "message"))
            lines = mount.read("messages").splitlines()
            self.assertEqual(len(lines) - 1, mount.count("sends"))
            self.assertEqual({line.split()[8] for line in lines[1:]}, {b"certain"})


if __name__ == "__main__":
    harness.main()
