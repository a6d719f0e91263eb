#!/usr/bin/env python3
"""Programs must end in the same way with and without the recorder, for each way to end. The trace must be sound, and must have
every record up to the end.

usage: test_death.py    (XTF_ROUNDS: instants at which the program is killed)
"""

import os
import random
import signal
import subprocess
import time
import unittest

from dying import DIE, ENVIRONMENT, TIMEOUT, XTF, Case, collectors_of, wait_for

N = 2000
ROUNDS = int(os.environ.get("XTF_ROUNDS", "20"))


def properties_of(case, part):
    """Returns the properties of the part's process."""
    lines = case.xtf("cat", part, "definitions/definition_properties").splitlines()[1:]
    return {line.split()[5]: line.split()[4].replace(r"\x20", " ") for line in lines}


class Ends(Case):
    def test_as_without_recorder(self):
        for way in ("return", "exit", "_exit", "quick_exit", "term", "kill", "segv", "abort", "exec"):
            with self.subTest(way):
                plain = self.run_plain(N, way)
                self.assertEqual(self.run_recorded(N, way), plain)
                self.assertEqual(self.counted(), 3 * N)
                [part] = self.files()
                kinds, depth = self.check(part)
                self.assertEqual((kinds["ENTER"], kinds["LEAVE"], depth), (3 * N, 3 * N, 0))
                self.assertEqual((kinds["PROGRAM_BEGIN"], kinds["PROGRAM_END"]), (1, 1))
                for file in self.parts.iterdir():
                    file.unlink()
                self.counts.unlink()

    def test_waiting_for_space(self):
        """Checks a buffer that is full many times over. With `flush` it is emptied each time it is full, and only then."""
        plain = self.run_plain(100000, "kill")
        for policy in "wait", "flush":
            self.assertEqual(self.run_recorded(100000, "kill", BUFFER=65536, WHEN_FULL=policy), plain)
            [part] = self.files()
            kinds, _ = self.check(part)
            self.assertEqual((kinds["ENTER"], kinds["LEAVE"]), (300000, 300000), policy)
            if policy == "flush":
                self.assertGreaterEqual(kinds["BUFFER_FLUSH"], 16 * 600000 // 65536 - 1)
            for file in self.parts.iterdir():
                file.unlink()
            self.counts.unlink()

    def test_status_of_drops(self):
        """Checks that a trace with missing records counts as incomplete in the exit status of `xtf record`."""
        for policy in "wait", "drop":
            done = subprocess.run([XTF, "record", "-f", "-b", "64K", "-w", policy, "--brake=0", "-o", "run.xtf", DIE, self.counts, "200000", "return"],
                                  cwd=self.folder, env={**ENVIRONMENT, "XTF_TMPDIR": str(self.folder)}, capture_output=True, text=True, timeout=TIMEOUT)
            dropped = int(properties_of(self, self.folder / "run.xtf")["record.dropped"])
            self.assertEqual((done.returncode, policy), (1 if dropped > 0 else 0, "drop" if dropped > 0 else policy), done.stderr)
        self.assertGreater(dropped, 0, "nothing was dropped, so nothing was tested")

    def test_dropping(self):
        """Checks that frames stay balanced when records are dropped, and that the program is not stopped."""
        plain = self.run_plain(60000, "exit")
        self.assertEqual(self.run_recorded(60000, "exit", BUFFER=65536, WHEN_FULL="drop"), plain)
        [part] = self.files()
        kinds, depth = self.check(part)
        self.assertEqual(kinds["ENTER"] - kinds["LEAVE"], depth)
        self.assertLessEqual(kinds["ENTER"], 180000)

    def test_random_instants(self):
        seed = random.randrange(1 << 32)
        draw = random.Random(seed)
        seen = 0
        for i in range(ROUNDS):
            process = self.start(0, "never", self.environment())
            if i % 4:
                wait_for("region", self.counted)
            time.sleep(draw.random() * 0.06)
            process.kill()
            self.finish(process)
            self.wait_for_collector()
            done = self.counted()
            instant = f"seed {seed}, instant {i}: {done} regions"
            if self.files():
                [part] = self.files()
                kinds, depth = self.check(part)
                # The region that ended at that very instant may not have been counted.
                self.assertIn(kinds["LEAVE"] - done, (0, 1), instant)
                self.assertEqual(kinds["ENTER"] - kinds["LEAVE"], depth, instant)
                self.assertLessEqual(depth, 3, instant)
                self.assertEqual(kinds["PROGRAM_END"], done > 0 or kinds["ENTER"] > 0, instant)
                seen += done > 0
            else:
                self.assertEqual(done, 0, instant)
            for file in [*self.parts.iterdir(), self.counts]:
                file.unlink(missing_ok=True)
        self.assertGreaterEqual(seen, ROUNDS / 2)


class Collectors(Case):
    """Effects of a collector's failure on the program."""

    def start_and_find(self, n, **options):
        process = self.start(n, "exit", self.environment(BUFFER=65536, **options))
        [collector] = wait_for("collector", lambda: collectors_of(self.parts))
        wait_for("region", self.counted)
        wait_for("commit", lambda: subprocess.run([XTF, "info", str(self.parts / "000000.xtf")], capture_output=True).returncode == 0)
        return process, collector

    def test_killed(self):
        n = 3000000
        plain = self.run_plain(n, "exit")
        for policy in ("wait", "drop"):
            with self.subTest(policy):
                process, collector = self.start_and_find(n, WHEN_FULL=policy)
                os.kill(collector, signal.SIGKILL)
                done = self.finish(process)
                self.assertEqual((done.status, done.out), (plain.status, plain.out))
                self.assertRegex(done.err, r"\Axtf record: the collector of process \d+ has ended: .*\n\Z")
                self.assertEqual(self.counted(), 3 * n)
                for part in self.files():
                    self.check(part)
                for file in [*self.parts.iterdir(), self.counts]:
                    file.unlink(missing_ok=True)

    def test_dropping_to_the_end(self):
        """Checks that records in a hole that lasts until the process ends are counted: every record must be kept or counted as
        dropped."""
        n = 300000
        process, collector = self.start_and_find(n, WHEN_FULL="drop")
        os.kill(collector, signal.SIGSTOP)
        self.finish(process)
        os.kill(collector, signal.SIGCONT)
        self.wait_for_collector()
        [part] = self.files()
        kinds, _ = self.check(part)
        dropped = int(properties_of(self, part)["record.dropped"])
        self.assertGreater(dropped, 0)
        pauses = int(self.xtf("cat", part, r"enters_leaves/region/MEASUREMENT\x20OFF/count"))
        self.assertEqual(kinds["ENTER"] + kinds["LEAVE"] - pauses + dropped, 6 * n)
        self.assertIn(f"{dropped} records are missing", self.xtf("cat", part, "definitions/remarks"))

    def test_stopped(self):
        """Checks that a stopped collector delays the program for a bounded time only."""
        n = 300000
        plain = self.run_plain(n, "exit")
        process, collector = self.start_and_find(n, DRAIN=1)
        os.kill(collector, signal.SIGSTOP)
        done = self.finish(process)
        os.kill(collector, signal.SIGCONT)
        self.wait_for_collector()
        self.assertEqual((done.status, done.out), (plain.status, plain.out))
        self.assertEqual(self.counted(), 3 * n)
        [part] = self.files()
        self.check(part)

    def test_collector_that_cannot_start(self):
        plain = self.run_plain(N, "exit")
        for program in ("/nonexistent", str(self.folder)):
            done = self.finish(self.start(N, "exit", {**self.environment(), "XTF_RECORD_XTF": program}))
            self.assertEqual((done.status, done.out), (plain.status, plain.out))
            self.assertRegex(done.err, rf"\Axtf record: cannot start the collector, {program}: .*: this process is not recorded\n\Z")
        self.assertEqual(self.files(), [])

    def test_one_that_does_not_collect(self):
        """Checks a collector that ends at once: the program, whose buffer fills up, reports it when it ends."""
        n = 300000
        plain = self.run_plain(n, "exit")
        done = self.finish(self.start(n, "exit", {**self.environment(), "XTF_RECORD_XTF": "/bin/false"}))
        self.assertEqual((done.status, done.out), (plain.status, plain.out))
        self.assertRegex(done.err, r"\Axtf record: the collector of process \d+ has ended: .*\n\Z")


if __name__ == "__main__":
    unittest.main(verbosity=2)
