"""A growing trace, mounted with --follow: eight readers compare each answer with the records of the writer (grow.c)."""

import bisect
import contextlib
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import harness
from growing import COMMITS, EXPECTED, PROCS, parse_records, read_until
from harness import TIMEOUT, XTF, Mount, has_landlock, is_mounted, run, wait_until

GROW = os.environ["GROW"]
READERS, MILLISECONDS = 8, 10
KEPT = 10  # commits that a fast writer keeps: a tenth of a second, before the daemon looks for the next one


@contextlib.contextmanager
def stopped(writer):
    """Stops a writer, so that it writes nothing for a while even if the other processes are slow."""
    writer.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        writer.send_signal(signal.SIGCONT)


class Following(harness.unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="xtf-test-")
        self.addCleanup(self.folder.cleanup)
        self.trace = os.path.join(self.folder.name, "growing.xtf")

    def grow(self, milliseconds=MILLISECONDS, commits=COMMITS, kept=0, volume=0, kept_volumes=0):
        """Starts the writer of the whole trace. `volume` is the number of commits in a volume; 0: one volume. The writer keeps the last
        `kept_volumes` old volumes; 0: all."""
        return subprocess.Popen([GROW, self.trace, str(milliseconds), str(commits), str(kept), str((1 << PROCS) - 1), str(volume), str(kept_volumes)])

    def grow_part(self, name, procs, milliseconds=MILLISECONDS, kept=0):
        """Starts the writer of a part of the trace with these processes."""
        mask = sum(1 << proc for proc in procs)
        return subprocess.Popen([GROW, os.path.join(self.parts, name), str(milliseconds), str(COMMITS), str(kept), str(mask)])

    def make_parts(self, *names):
        """Creates the folder, with files that have no commit yet."""
        self.parts = self.trace = os.path.join(self.folder.name, "growing.xtf.d")
        os.mkdir(self.parts)
        for name in names:
            open(os.path.join(self.parts, name), "x").close()

    @contextlib.contextmanager
    def waiting(self, what):
        """Yields a daemon that has printed what it waits for and has mounted nothing yet, and the directory."""
        directory = tempfile.mkdtemp(prefix="xtf-test-")
        self.addCleanup(os.rmdir, directory)
        path = os.path.join(self.folder.name, "said")
        with open(path, "wb") as log, subprocess.Popen([XTF, "mount", "-f", "--follow", self.trace, directory], stderr=log) as daemon:
            def says():
                with open(path) as said:
                    return what in said.read()
            try:
                wait_until(lambda: says() or daemon.poll() is not None, f"'{what}'")
                self.assertTrue(says() and daemon.poll() is None and not is_mounted(directory))
                yield daemon, directory
            finally:
                daemon.kill()
                daemon.wait()
                if is_mounted(directory):
                    run("umount", "-l", directory)

    def wait_for_trace(self):
        wait_until(lambda: run(XTF, "info", self.trace, check=False).returncode == 0, "the first commit")

    def test_readers(self):
        self.check_readers([self.grow()])

    def test_readers_of_a_fast_writer(self):
        self.check_readers([self.grow(kept=KEPT)])

    # FORMAT R84
    def test_readers_of_volumes(self):
        """Tests that the mount of a single file follows the trace into the next volumes. Nothing is left out or shown twice."""
        self.check_readers([self.grow(kept=KEPT, volume=20)])
        self.assertEqual(len(os.listdir(self.folder.name)), 1 + (COMMITS - 1) // 20 + 1)  # one of them is the output of `tail`

    def check_kept(self, mount):
        """Checks that the records of a mount are the expected ones of a time, without a gap. Returns the places of the first and the last."""
        found = parse_records(mount.read("records"))
        self.assertNotEqual(found, [])
        first = bisect.bisect_left(EXPECTED, found[0])
        self.assertEqual(found, EXPECTED[first:first + len(found)])
        return first, first + len(found)

    # FORMAT R84, R86
    def test_removed_volumes(self):
        """Tests a mount below which the writer removes old volumes. Records end where they are removed, and the others are shown."""
        writer = self.grow(kept=KEPT, volume=15, kept_volumes=2)
        self.wait_for_trace()
        firsts, last = [], 0
        with Mount(self.trace, "follow", quiet_at_end=False) as mount:
            wait_until(lambda: mount.count() > 0, "records")
            while writer.poll() is None:
                first, end = self.check_kept(mount)
                self.assertGreaterEqual(first, firsts[-1] if firsts else 0, "removed records are shown again")
                self.assertGreaterEqual(end, last, "records disappeared")
                self.assertEqual(int(mount.read("proc/1/sends/count")) > 0, True)
                firsts, last = firsts + [first], end
            self.assertEqual(writer.returncode, 0)
            wait_until(lambda: self.check_kept(mount)[1] == len(EXPECTED), "the last records")
            shown = parse_records(mount.read("records"))
        self.assertGreater(len(set(firsts)), 3, "no volume was removed while the trace was mounted")
        printed = subprocess.run([XTF, "cat", self.trace, "records"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        self.assertEqual(parse_records(printed), shown)

    def test_the_command_ends(self):
        """Tests that the command ends when a growing trace is mounted in the background, whether or not it prints remarks."""
        writer = self.grow()
        self.wait_for_trace()
        place = os.path.join(self.folder.name, "mount")
        os.mkdir(place)
        for quiet in [], ["-q"]:
            run(XTF, "mount", *quiet, "-o", "follow", self.trace, place, timeout=TIMEOUT)
            self.assertTrue(os.path.exists(os.path.join(place, "count")))
            run(XTF, "unmount", place)
        writer.kill()
        writer.wait()

    # FORMAT R84
    def test_a_file_of_another_trace(self):
        """Tests that a file of the same name that is no volume of the trace is not shown."""
        writer = self.grow(2 * MILLISECONDS, volume=10)
        self.wait_for_trace()
        with Mount(self.trace, "follow", quiet_at_end=False) as mount:
            wait_until(lambda: os.path.exists(self.trace + ".0003") and mount.count() > 300, "three volumes")
            with stopped(writer):
                other = os.path.join(self.folder.name, "other.xtf")
                run(GROW, other, "0", "200", "0", "4095", "10")
                time.sleep(0.5)
                count = mount.count()
                os.rename(self.trace, self.trace + ".own")
                os.rename(other, self.trace)
                time.sleep(0.5)
                self.assertEqual(mount.count(), count)
                os.rename(self.trace + ".own", self.trace)
            wait_until(lambda: mount.count() > count, "records of the trace itself")
            self.assertEqual(writer.wait(TIMEOUT), 0)
            wait_until(lambda: mount.count() == len(EXPECTED), "the last records")
            self.assertEqual(parse_records(mount.read("records")), EXPECTED)

    def test_volumes_behind_a_link(self):
        """Tests volumes in another folder, to whose last one a link leads. The confined daemon opens them at the first read."""
        self.assertEqual(self.grow(milliseconds=0, volume=60).wait(TIMEOUT), 0)
        folder = tempfile.mkdtemp(prefix="xtf-test-")
        self.addCleanup(shutil.rmtree, folder)
        link = os.path.join(folder, "link.xtf")
        os.symlink(self.trace, link)
        for options in (), ("follow",):
            with Mount(link, *options) as mount:
                self.assertEqual(parse_records(mount.read("records")), EXPECTED)

    def test_readers_of_a_folder(self):
        """Tests three parts with a writer each: together they show the trace of one file."""
        self.make_parts(*(f"part-{i}.xtf" for i in range(3)))
        self.check_readers([self.grow_part(f"part-{i}.xtf", range(i, PROCS, 3), MILLISECONDS + 3 * i) for i in range(3)])

    def test_readers_of_a_folder_with_fast_writers(self):
        self.make_parts("a.xtf", "b.xtf")
        self.check_readers([self.grow_part(f"{'ab'[i]}.xtf", range(i, PROCS, 2), kept=KEPT) for i in range(2)])

    def check_readers(self, writers):
        self.wait_for_trace()
        with Mount(self.trace, "follow", quiet_at_end=False) as mount:
            wait_until(lambda: mount.count() > 0, "records")
            tailed = os.path.join(self.folder.name, "tailed")
            with open(tailed, "wb") as out:
                tail = subprocess.Popen(["tail", "-n", "+1", "-s", "0.1", "-f", mount.path("records")], stdout=out)
            self.addCleanup(tail.kill)
            results = multiprocessing.Queue()
            until = time.monotonic() + COMMITS * MILLISECONDS / 1000 + 1
            readers = [multiprocessing.Process(target=read_until, args=(mount.dir, seed, len(writers) > 1, until, results))
                       for seed in range(READERS)]
            for reader in readers:
                reader.start()
            answers = [results.get(timeout=120) for _ in readers]
            for reader in readers:
                reader.join()
            problems = [problem for _, _, problem in answers if problem]
            self.assertEqual(problems, [], "\n".join(problems))
            print(f"{sum(n for n, _, _ in answers)} checks, {sum(exact for _, exact, _ in answers)} of them whole "
                  "records of just the size at opening", file=sys.stderr)
            self.assertEqual([writer.wait(TIMEOUT) for writer in writers], [0] * len(writers))
            wait_until(lambda: mount.stats()["follow.final"] == 1, "the end")
            wait_until(lambda: mount.count() == len(EXPECTED), "the last records")
            whole = mount.read("records")
            self.assertEqual(parse_records(whole), EXPECTED)
            wait_until(lambda: os.path.getsize(tailed) == len(whole), "tail -f")
            with open(tailed, "rb") as file:
                self.assertEqual(file.read(), whole)
            self.assertIn("has closed the trace", mount.messages())
            # In an ordinary mount a file that was read is cached.
            before = mount.requests()
            for _ in range(3):
                mount.read("time", "0-1", "records")
            after = mount.requests()
            self.assertLessEqual(after["requests.lookup"] - before["requests.lookup"], 3)
            tail.kill()
            tail.wait()

    def test_a_late_part(self):
        """Tests processes 8 and 9, which begin long after the others. Their file exists before they begin."""
        self.make_parts("early.xtf")
        early = self.grow_part("early.xtf", set(range(PROCS)) - {8, 9}, 2 * MILLISECONDS)
        self.wait_for_trace()
        with Mount(self.trace, "follow", quiet_at_end=False) as mount:
            wait_until(lambda: mount.count() > 500, "records")
            with stopped(early):
                shown = mount.read("records")
                self.assertEqual(self.grow_part("late.xtf", {8, 9}, milliseconds=0).wait(TIMEOUT), 0)
            self.assertEqual(early.wait(TIMEOUT), 0)
            wait_until(lambda: mount.stats()["follow.final"] == 1, "the end")
            self.assertEqual(parse_records(mount.read("records")), EXPECTED)
            self.assertTrue(mount.read("records").startswith(shown))

    # FORMAT W46
    def test_a_part_too_late_to_show(self):
        """Tests a part whose records would precede lines that were shown. The lines stay, and the log gives the reason."""
        self.make_parts("early.xtf")
        early = self.grow_part("early.xtf", {0, 2, 3}, 2 * MILLISECONDS)
        self.wait_for_trace()
        with Mount(self.trace, "follow", quiet_at_end=False) as mount:
            wait_until(lambda: mount.count() > 100, "records")
            self.assertIn(b" is mounted, and followed\n", mount.read("log"))
            with stopped(early):
                self.assertEqual(self.grow_part("late.xtf", {1}, milliseconds=0).wait(TIMEOUT), 0)
                wait_until(lambda: "late.xtf: it appeared late" in mount.messages(), "the reason")
            self.assertIn(b"late.xtf: it appeared late", mount.read("log"))
            found = parse_records(mount.read("records"))
            self.assertTrue(found and all(proc != 1 for _, proc, _, _ in found))
            self.assertEqual(early.wait(TIMEOUT), 0)

    @unittest.skipIf(harness.SANITIZED or not has_landlock(), "nothing is given up")
    def test_links_are_resolved_when_mounted(self):
        """Tests that the daemon resolves links to parts when it mounts, and ignores links that appear later."""
        elsewhere = tempfile.mkdtemp(prefix="xtf-test-")
        self.addCleanup(shutil.rmtree, elsewhere)
        late_part, linked = os.path.join(elsewhere, "late.xtf"), os.path.join(elsewhere, "linked.xtf")
        self.make_parts("part.xtf", linked)
        os.symlink(linked, os.path.join(self.trace, "linked.xtf"))
        writers = [self.grow_part("part.xtf", range(4), 2 * MILLISECONDS), self.grow_part(linked, range(4, 8), 2 * MILLISECONDS)]
        self.wait_for_trace()
        with Mount(self.trace, "follow", quiet_at_end=False) as mount:
            wait_until(lambda: mount.count() > 100, "records")
            wait_until(lambda: os.path.exists(mount.path("proc/4/records")), "records of the part elsewhere")
            with stopped(writers[0]):
                self.assertEqual(self.grow_part(late_part, range(8, PROCS), milliseconds=0).wait(TIMEOUT), 0)
                os.symlink(late_part, os.path.join(self.trace, "late.xtf"))
                wait_until(lambda: "late.xtf" in mount.messages(), "the reason")
            self.assertRegex(mount.messages(), "late.xtf: Permission denied")
            self.assertFalse(os.path.exists(mount.path("proc/9")))
            self.assertEqual([writer.wait(TIMEOUT) for writer in writers], [0, 0])

    # FORMAT R61
    def test_a_killed_writer(self):
        """Tests that the other parts grow on, the log and `info` name the process of the killed writer, and the mount completes at their end."""
        self.make_parts("000000.xtf", "000001.xtf")
        writers = [self.grow_part("000000.xtf", range(4), 2 * MILLISECONDS), self.grow_part("000001.xtf", range(4, PROCS), 2 * MILLISECONDS)]
        self.wait_for_trace()
        with Mount(self.trace, "follow", quiet_at_end=False) as mount:
            wait_until(lambda: mount.count() > 100 and os.path.exists(mount.path("proc/4")), "records of both")
            writers[1].kill()
            writers[1].wait()
            stored = int(run(XTF, "cat", os.path.join(self.trace, "000001.xtf"), "count").stdout)
            self.assertEqual(writers[0].wait(TIMEOUT), 0)
            wait_until(lambda: mount.stats()["follow.final"] == 1, "the end")
            self.assertRegex(mount.read("log").decode(), r"process 1 \(000001.xtf\): it ended early: ")
            self.assertRegex(mount.read("info").decode(), r"(?m)^ended_early +1 process$")
            found = parse_records(mount.read("records"))
            self.assertEqual([record for record in found if record[1] < 4], [record for record in EXPECTED if record[1] < 4])
            self.assertEqual(len([record for record in found if record[1] >= 4]), stored)
            self.assertNotIn("cannot read a later commit", mount.messages())
        self.assertRegex(run(XTF, "info", self.trace).stdout, r"(?m)^ +process 1 \(000001.xtf\): it ended early: ")
        self.assertRegex(run(XTF, "cat", self.trace, "count").stderr, r"xtf: remark: process 1 \(000001.xtf\): it ended early: ")

    # FORMAT R61, R65
    def test_a_part_without_a_writer(self):
        """Tests that a file without a commit delays the others only while a process may write it."""
        self.make_parts("000000.xtf", "000001.xtf")
        writer = self.grow_part("000000.xtf", range(4), 2 * MILLISECONDS)
        self.wait_for_trace()
        with Mount(self.trace, "follow", quiet_at_end=False) as mount:
            self.assertEqual(mount.count(), 0)
            self.assertRegex(mount.read("log").decode(), r"process 1 \(000001.xtf\): it has no commit yet\n")
            self.assertRegex(mount.read("info").decode(), r"(?m)^no_commit +1 process$")
            os.utime(os.path.join(self.parts, "000001.xtf"), (0, 0))  # the file is old
            wait_until(lambda: mount.stats()["follow.final"] == 1, "the end of the other one")
            self.assertRegex(mount.read("log").decode(), r"process 1 \(000001.xtf\): it is damaged: it has no commit")
            self.assertEqual(parse_records(mount.read("records")), [record for record in EXPECTED if record[1] < 4])
        self.assertEqual(writer.wait(TIMEOUT), 0)

    def test_waits_for_a_part(self):
        self.make_parts("part.xtf")
        with self.waiting("waiting for the first commit of a part in") as (daemon, directory):
            writer = self.grow_part("part.xtf", range(PROCS), milliseconds=0)
            wait_until(lambda: is_mounted(directory), "mounting")
            daemon.send_signal(signal.SIGTERM)
            self.assertEqual(daemon.wait(TIMEOUT), 0)
            writer.wait(TIMEOUT)

    def test_the_past_is_cached(self):
        writer = self.grow(commits=100)
        self.wait_for_trace()
        with Mount(self.trace, "follow", quiet_at_end=False) as mount:
            wait_until(lambda: mount.count() > 500, "records")
            past = "time/100us-500us"
            first = mount.read(past, "records")
            def again():
                self.assertEqual(mount.read(past, "records"), first)
            for _ in range(5):
                before = mount.requests()
                again()
                after = mount.requests()
                if all(after[name] == before[name] for name in before if "open" not in name):
                    break
            else:
                self.fail(f"{before}, then {after}")
            self.assertFalse(os.path.exists(mount.path("proc/9")))
            writer.wait(TIMEOUT)

    def check_last(self, mount, folder):
        """Compares last/300us, by its name and as an open folder, with the records of the whole trace. Returns how many it has."""
        records = parse_records(mount.read("records"))
        end = int(re.search(r"(?m)^to +([0-9.]+) ", mount.read("info").decode())[1].replace(".", ""))
        expected = [record for record in records if record[0] >= end - 300000]
        self.assertEqual(parse_records(mount.read("last/300us/records")), expected)
        with open(os.open("records", os.O_RDONLY, dir_fd=folder), "rb") as opened:
            self.assertEqual(parse_records(opened.read()), expected)
        self.assertEqual(mount.count("last/300us"), len(expected))
        self.assertEqual(mount.count("last/300us/proc/1"), sum(record[1] == 1 for record in expected))
        self.assertLess(0, len(expected))
        return len(records) - len(expected)

    def settle(self, mount):
        """Waits until the mount shows the last commit of a stopped writer."""
        def is_steady():
            before = mount.count()
            time.sleep(0.5)
            return mount.count() == before
        wait_until(is_steady, "the last commit")

    def test_the_last_part_moves(self):
        writer = self.grow(4 * MILLISECONDS)
        self.wait_for_trace()
        with Mount(self.trace, "follow", quiet_at_end=False) as mount:
            folder = os.open(mount.path("last/300us"), os.O_RDONLY | os.O_DIRECTORY)
            before = []
            try:
                for _ in range(3):
                    wait_until(lambda: mount.count() > 500 * (len(before) + 1), "records")
                    with stopped(writer):
                        self.settle(mount)
                        before.append(self.check_last(mount, folder))
                self.assertEqual(writer.wait(TIMEOUT), 0)
                wait_until(lambda: mount.stats()["follow.final"] == 1, "the end")
                before.append(self.check_last(mount, folder))
            finally:
                os.close(folder)
            self.assertEqual(before, sorted(set(before)))
            for name in ("waits", "1h-2h"):
                self.assertFalse(os.path.exists(mount.path("last/300us", name)))

    def test_new_names_appear(self):
        writer = self.grow(2 * MILLISECONDS, commits=100)
        self.wait_for_trace()
        with contextlib.ExitStack() as mounted:
            with stopped(writer):
                mount = mounted.enter_context(Mount(self.trace, "follow", quiet_at_end=False))
                self.assertFalse(os.path.exists(mount.path("proc/5")))
            wait_until(lambda: os.path.exists(mount.path("proc/5")), "a process")
            wait_until(lambda: mount.read("proc/5/records"), "its records")
            writer.wait(TIMEOUT)

    def test_waits_for_the_writer(self):
        with self.waiting("waiting for the file") as (daemon, directory):
            writer = self.grow(commits=20)
            wait_until(lambda: is_mounted(directory), "mounting")
            daemon.send_signal(signal.SIGTERM)
            self.assertEqual(daemon.wait(TIMEOUT), 0)
            writer.wait(TIMEOUT)

    def test_ctrl_c_ends_waiting(self):
        with self.waiting("waiting for the file") as (daemon, _):
            daemon.send_signal(signal.SIGINT)
            self.assertNotEqual(daemon.wait(TIMEOUT), 0)

    def test_traces_that_cannot_be_followed(self):
        empty = tempfile.mkdtemp(prefix="xtf-test-")
        self.addCleanup(os.rmdir, empty)
        for content, message in (b"no trace, just text", "only an .xtf file"), (None, "No such file"):
            path = os.path.join(self.folder.name, "a", "b.xtf") if content is None else self.trace
            if content:
                with open(path, "wb") as file:
                    file.write(content)
            done = run(XTF, "mount", "--follow", path, empty, check=False, timeout=TIMEOUT)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(message, done.stderr)

    def test_commands_say_which_commit(self):
        writer = self.grow(2 * MILLISECONDS, commits=100)
        self.wait_for_trace()
        with stopped(writer):
            shown = run(XTF, "cat", self.trace, "count")
            self.assertRegex(shown.stderr, r"is not closed by its writer: this is commit \d+\n")
            self.assertRegex(run(XTF, "info", self.trace).stdout, r"commit +\d+ \(writer 1, not closed\)")
        writer.wait(TIMEOUT)
        shown = run(XTF, "cat", self.trace, "count")
        self.assertEqual(shown.stderr, "")
        self.assertRegex(run(XTF, "info", self.trace).stdout, r"commit +100 \(writer 1\)\n")

    def test_a_finished_trace(self):
        self.assertEqual(self.grow(0, 5).wait(TIMEOUT), 0)
        with Mount(self.trace, "follow") as mount:
            self.assertGreater(mount.count(), 0)
            self.assertNotIn("follow.final", mount.stats())


if __name__ == "__main__":
    harness.main()
