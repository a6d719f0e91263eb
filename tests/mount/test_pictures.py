#!/usr/bin/env python3
"""Pictures through a mount: the daemon answers other requests while it draws, and keeps drawn pictures in bounded memory."""

import os
import re
import shutil
import tempfile
import threading
import unittest

import harness
from harness import Mount, make_trace

# Answers to other requests that a daemon may give before it begins to draw.
ANSWERS = 20
PROCESSES = 4000
MIB = 1 << 20


def memory_of(process):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS:"))


class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.mkdtemp(prefix="xtf-test-")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.home)

    def answers_meanwhile(self, mount, *window):
        """Counts answers to other requests until a picture is drawn."""
        drawn = []
        reader = threading.Thread(target=lambda: drawn.append(mount.read(*window, "timeline.svg")))
        reader.start()
        answers = 0
        while reader.is_alive() and answers < PROCESSES:
            mount.count("proc", str(answers))
            answers += reader.is_alive()
        reader.join()
        self.assertTrue(drawn and drawn[0].endswith(b"</svg>\n"))
        return answers

    def test_other_requests_while_drawing(self):
        """Tests that other requests are answered while a picture is drawn. On a busy machine none may arrive in time; then the test draws
        another picture."""
        trace = make_trace(os.path.join(self.home, "wide.xtf"), PROCESSES, 1, 50)
        with Mount(trace) as mount:
            answers = [self.answers_meanwhile(mount)]
            while answers[-1] <= ANSWERS and len(answers) < 20:
                answers.append(self.answers_meanwhile(mount, "time", f"{len(answers)}%-"))
        self.assertGreater(answers[-1], ANSWERS, answers)

    def test_leaves_are_unpacked_once(self):
        """Tests that the daemon reads and unpacks a leaf once for all of its edges, although there are more edges than leaves. A picture
        drops its leaves, so that a second one reads them again, but not more."""
        trace = make_trace(os.path.join(self.home, "long.xtf"), 4, 1, 60000)
        pages = os.path.getsize(trace) // 4096
        with Mount(trace) as mount:
            before = mount.stats()["cache.loads"]  # after the check of the clocks
            text = mount.read("timeline.svg")
            loads = mount.stats()["cache.loads"] - before
            mount.read("timeline.html")
            again = mount.stats()["cache.loads"] - before - loads
        edges = int(re.search(rb"<!-- (\d+) edges of columns", text)[1])
        self.assertGreater(edges, 2000)
        self.assertLessEqual(edges, 6000)
        self.assertLess(loads, 3 * pages)
        self.assertLess(loads, 2 * edges + pages)
        self.assertLess(again, loads)

    @unittest.skipIf(harness.SANITIZED, "memory of a build with sanitizers says nothing")
    def test_kept_in_bounded_memory(self):
        """Tests memory. In a large trace the size of a picture depends only on its rows, not on their records."""
        trace = make_trace(os.path.join(self.home, "rows.xtf"), 64, 1, 4000, plain=True)
        self.assertGreater(os.path.getsize(trace), 8 * MIB)
        with Mount(trace) as mount:
            sizes = [len(mount.read(f"time/{i}%-{i + 3}%", "timeline.svg")) for i in range(4)]
            before = memory_of(mount.daemon)
            sizes += [len(mount.read(f"time/{i}%-{i + width}%", "timeline.svg")) for i in range(70) for width in (1, 2)]
            grown = memory_of(mount.daemon) - before
        self.assertGreater(min(sizes), MIB)
        # The cache keeps 32 MiB, part of it from before, and malloc() as much again for the drawing threads. All pictures together would be
        # 140 MiB or more.
        self.assertLess(grown, 80 * MIB)


if __name__ == "__main__":
    harness.main()
