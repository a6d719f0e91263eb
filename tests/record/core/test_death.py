#!/usr/bin/env python3
"""However a program ends, it ends as it does without the recorder, and its trace is sound and holds everything up to its last breath.

usage: test_death.py    (XTF_ROUNDS: instants at which the program is killed)
"""

import os
import random
import signal
import subprocess
import time
import unittest

from dying import DIE, ENVIRONMENT, PATIENCE, XTF, Case, collectors_of, wait_for

N = 2000
ROUNDS = int(os.environ.get("XTF_ROUNDS", "20"))


def numbers(case, part):
    """The properties of the part's process."""
    lines = case.xtf("cat", part, "definitions/definition_properties").splitlines()[1:]
    return {line.split()[5]: line.split()[4].replace(r"\x20", " ") for line in lines}


class Ends(Case):
    def test_as_without_us(self):
        for how in ("return", "exit", "_exit", "quick_exit", "term", "kill", "segv", "abort", "exec"):
            with self.subTest(how):
                alone = self.alone(N, how)
                self.assertEqual(self.recorded(N, how), alone)
                self.assertEqual(self.counted(), 3 * N)
                [part] = self.files()
                kinds, depth = self.check(part)
                self.assertEqual((kinds["ENTER"], kinds["LEAVE"], depth), (3 * N, 3 * N, 0))
                self.assertEqual((kinds["PROGRAM_BEGIN"], kinds["PROGRAM_END"]), (1, 1))
                for file in self.parts.iterdir():
                    file.unlink()
                self.counts.unlink()

    def test_waiting_for_room(self):
        """A buffer that is full many times over; with `flush` it is emptied each time, and at no other."""
        alone = self.alone(100000, "kill")
        for policy in "wait", "flush":
            self.assertEqual(self.recorded(100000, "kill", BUFFER=65536, WHEN_FULL=policy), alone)
            [part] = self.files()
            kinds, _ = self.check(part)
            self.assertEqual((kinds["ENTER"], kinds["LEAVE"]), (300000, 300000), policy)
            if policy == "flush":
                self.assertGreaterEqual(kinds["BUFFER_FLUSH"], 16 * 600000 // 65536 - 1)
            for file in self.parts.iterdir():
                file.unlink()
            self.counts.unlink()

    def test_status_of_drops(self):
        """A trace in which records are missing is not complete, which `xtf record` says by its status."""
        for how in "wait", "drop":
            done = subprocess.run([XTF, "record", "-f", "-b", "64K", "-w", how, "--brake=0", "-o", "run.xtf", DIE, self.counts, "200000", "return"],
                                  cwd=self.folder, env={**ENVIRONMENT, "XTF_TMPDIR": str(self.folder)}, capture_output=True, text=True, timeout=PATIENCE)
            dropped = int(numbers(self, self.folder / "run.xtf")["record.dropped"])
            self.assertEqual((done.returncode, how), (1 if dropped > 0 else 0, "drop" if dropped > 0 else how), done.stderr)
        self.assertGreater(dropped, 0, "nothing was dropped: the test shows nothing")

    def test_dropping(self):
        """What is dropped leaves the frames right, and the program is not stopped."""
        alone = self.alone(60000, "exit")
        self.assertEqual(self.recorded(60000, "exit", BUFFER=65536, WHEN_FULL="drop"), alone)
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
            self.collected()
            done = self.counted()
            what = f"seed {seed}, instant {i}: {done} regions"
            if self.files():
                [part] = self.files()
                kinds, depth = self.check(part)
                # The region that ended at that very instant may not have been counted.
                self.assertIn(kinds["LEAVE"] - done, (0, 1), what)
                self.assertEqual(kinds["ENTER"] - kinds["LEAVE"], depth, what)
                self.assertLessEqual(depth, 3, what)
                self.assertEqual(kinds["PROGRAM_END"], done > 0 or kinds["ENTER"] > 0, what)
                seen += done > 0
            else:
                self.assertEqual(done, 0, what)
            for file in [*self.parts.iterdir(), self.counts]:
                file.unlink(missing_ok=True)
        self.assertGreaterEqual(seen, ROUNDS / 2)


class Collectors(Case):
    """What becomes of the program when something happens to its collector."""

    def start_and_find(self, n, **options):
        process = self.start(n, "exit", self.environment(BUFFER=65536, **options))
        [collector] = wait_for("collector", lambda: collectors_of(self.parts))
        wait_for("region", self.counted)
        wait_for("commit", lambda: subprocess.run([XTF, "info", str(self.parts / "000000.xtf")], capture_output=True).returncode == 0)
        return process, collector

    def test_killed(self):
        n = 3000000
        alone = self.alone(n, "exit")
        for policy in ("wait", "drop"):
            with self.subTest(policy):
                process, collector = self.start_and_find(n, WHEN_FULL=policy)
                os.kill(collector, signal.SIGKILL)
                done = self.finish(process)
                self.assertEqual((done.status, done.out), (alone.status, alone.out))
                self.assertRegex(done.err, r"\Axtf record: the collector of process \d+ has ended: .*\n\Z")
                self.assertEqual(self.counted(), 3 * n)
                for part in self.files():
                    self.check(part)
                for file in [*self.parts.iterdir(), self.counts]:
                    file.unlink(missing_ok=True)

    def test_dropping_to_the_end(self):
        """A hole that nobody ends before the process does is counted, too: what was made is kept or lost."""
        n = 300000
        process, collector = self.start_and_find(n, WHEN_FULL="drop")
        os.kill(collector, signal.SIGSTOP)
        self.finish(process)
        os.kill(collector, signal.SIGCONT)
        self.collected()
        [part] = self.files()
        kinds, _ = self.check(part)
        dropped = int(numbers(self, part)["record.dropped"])
        self.assertGreater(dropped, 0)
        self.assertEqual(kinds["ENTER"] + kinds["LEAVE"] + dropped, 6 * n)
        self.assertIn(f"{dropped} records are missing", self.xtf("cat", part, "definitions/remarks"))

    def test_stopped(self):
        """A collector that does nothing holds the program up for a time that has an end."""
        n = 300000
        alone = self.alone(n, "exit")
        process, collector = self.start_and_find(n, DRAIN=1)
        os.kill(collector, signal.SIGSTOP)
        done = self.finish(process)
        os.kill(collector, signal.SIGCONT)
        self.collected()
        self.assertEqual((done.status, done.out), (alone.status, alone.out))
        self.assertEqual(self.counted(), 3 * n)
        [part] = self.files()
        self.check(part)

    def test_none(self):
        alone = self.alone(N, "exit")
        for program in ("/nonexistent", str(self.folder)):
            done = self.finish(self.start(N, "exit", {**self.environment(), "XTF_RECORD_XTF": program}))
            self.assertEqual((done.status, done.out), (alone.status, alone.out))
            self.assertRegex(done.err, rf"\Axtf record: cannot start the collector, {program}: .*: this process is not recorded\n\Z")
        self.assertEqual(self.files(), [])

    def test_one_that_does_not_collect(self):
        """It ends at once: the program, whose buffer gets full, says so when it ends."""
        n = 300000
        alone = self.alone(n, "exit")
        done = self.finish(self.start(n, "exit", {**self.environment(), "XTF_RECORD_XTF": "/bin/false"}))
        self.assertEqual((done.status, done.out), (alone.status, alone.out))
        self.assertRegex(done.err, r"\Axtf record: the collector of process \d+ has ended: .*\n\Z")


if __name__ == "__main__":
    unittest.main(verbosity=2)
