#!/usr/bin/env python3
"""Frames of an MPI trace as slices of OpenTS: recomputed from single records without totals, tiled, and imported again.

usage: test_frames.py XTF ARCHIVE
"""

import bisect
import collections
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import oracle

ARCHIVE = sys.argv.pop(2)
XTF = sys.argv.pop(1)

KIND = {"wait": "idle", "collective": "idle", "barrier": "idle", "omp-sync": "idle", "omp-other": "sched", "threads": "sched", "measurement": "sched", "unrecorded": "sched"}
KIND.update(dict.fromkeys(("p2p", "rma", "mpi-io", "mpi-init", "mpi-other", "pgas"), "mpi"))


def nanoseconds(text):
    return int(oracle.ticks(text))


class Frames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xtf-opents-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.xtf, self.out = self.folder / "run.xtf", self.folder / "out.xml"
        done = oracle.run(XTF, "import", "-q", "-o", self.xtf, ARCHIVE)
        self.assertEqual(done.returncode, 0, done.stderr)

    def lines(self, path):
        for line in oracle.cat(XTF, self.xtf, path).splitlines():
            yield line.split()

    def expected(self, rate, last):
        """Returns the sums of all records by (frame, process)."""
        figures = collections.defaultdict(collections.Counter)
        bounds = [k * 10**9 // rate for k in range(last * rate // 10**9 + 2)]

        def frame(time):
            return bisect.bisect_right(bounds, time) - 1

        def spread(proc, kind, begin, end):
            for k in range(frame(begin), frame(end) + 1):
                part = min(end, bounds[k + 1]) - max(begin, bounds[k])
                figures[k, proc][kind] += part

        head = oracle.cat(XTF, self.xtf, "definitions/regions").splitlines()
        column = head[0].index(" class") + 1
        kinds = {line.split()[0]: (line[column:].split()[0]) for line in head[1:]}
        ends, stacks, since = {}, collections.defaultdict(list), {}
        for time, proc, *_ in self.lines("records"):
            ends.setdefault(proc, [nanoseconds(time), 0])[1] = nanoseconds(time)
        for time, proc, _thread, _seq, event, region, *_ in self.lines("enters_leaves/records"):
            now = nanoseconds(time)
            if stacks[proc]:
                spread(proc, KIND.get(kinds[stacks[proc][-1]], "tasks"), since[proc], now)
            else:
                spread(proc, "tasks", since.get(proc, ends[proc][0]), now)
            since[proc] = now
            if event == "ENTER":
                stacks[proc].append(region)
                figures[frame(now), proc]["S"] += kinds[region] in ("program", "omp-work")
            elif region in stacks[proc]:  # also drops the calls above it, which are never left
                while stacks[proc].pop() != region:
                    pass
        for proc, (_first, end) in ends.items():
            kind = KIND.get(kinds[stacks[proc][-1]], "tasks") if stacks[proc] else "tasks"
            spread(proc, kind, since[proc], end)
        for name, sent in ("sends", 1), ("recvs", 0):
            for time, proc, _thread, _seq, _event, _region, _peer, _comm, _tag, size, *_ in self.lines(f"{name}/records"):
                counters = figures[frame(nanoseconds(time)), proc]
                counters["scount" if sent else "rcount"] += 1
                counters["sbytes" if sent else "rbytes"] += int(size)
        for time, proc, _thread, _seq, event, _region, _operation, _comm, _root, sent, received, *_ in self.lines("collectives/records"):
            if event == "MPI_COLLECTIVE_END":
                figures[frame(nanoseconds(time)), proc].update(scount=1, rcount=1, sbytes=int(sent), rbytes=int(received))
        return figures

    def test_every_figure(self):
        last = max(nanoseconds(line[0]) for line in self.lines("records"))
        for rate in 25, 200:
            done = oracle.run(XTF, "export", "opents", "-f", "--fps", rate, "-o", self.out, self.xtf)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            expected = self.expected(rate, last)
            root = ElementTree.parse(self.out).getroot()
            self.assertEqual([int(part.get("num")) for part in root], list(range(last * rate // 10**9 + 1)))
            for part in root:
                k = int(part.get("num"))
                self.assertEqual(nanoseconds(part.get("time")), (k + 1) * 10**9 // rate)
                for rank in part:
                    wanted = expected[k, rank.get("num")]
                    for name in "tasks", "idle", "sched", "mpi":
                        self.assertEqual(nanoseconds(rank.find("resource").get(name)), wanted[name], (k, rank.get("num"), name))
                    self.assertEqual(int(rank.find("task").get("count")), wanted["S"])
                    for name in oracle.COUNTERS:
                        self.assertEqual(int(rank.find("message").get(name)), wanted[name], (k, rank.get("num"), name))
                        self.assertEqual(sum(int(extra.get(name)) for extra in rank.iter("extra")), wanted[name])
            totals = sum(int(rank.get("sbytes")) for rank in root.iter("extra") if rank.get("type") == "p2p")
            self.assertEqual(totals, sum(int(line[9]) for line in self.lines("sends/records")))

    def test_imported_again(self):
        oracle.run(XTF, "export", "opents", "-o", self.out, self.xtf, "proc/1-2")
        again = self.folder / "again.xtf"
        done = oracle.run(XTF, "import", "-q", "-o", again, self.out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(oracle.imported(XTF, again), oracle.expected(self.out))
        self.assertEqual({row[1] for row in oracle.imported(XTF, again)["resources"]}, {1, 2})

    def test_rates(self):
        for rate in "0", "x", "-1", "99999999999":
            done = oracle.run(XTF, "export", "opents", "--fps", rate, "-o", self.out, self.xtf)
            self.assertNotEqual((done.returncode, done.stderr), (0, ""))
            self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()
