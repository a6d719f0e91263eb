#!/usr/bin/env python3
"""frames/own/ of traces of OpenTS: the slices of the file, as Python's ElementTree reads it.

usage: test_own_frames.py XTF ASK-TREE
"""

import decimal
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import opents_gen
import oracle
from asking import Asker, Refused
from xtfrun import Xtf

ASK_TREE = sys.argv.pop(2)
XTF = sys.argv.pop(1)

# Numbers with gaps, a slice that goes back in time, two slices of one time, a rank that is not in all slices.
ODD = """<trace ranks="3" cmd="odd" time="27.04.2006 15:58">
<slice num="4" time="0.5"><rank num="0"><task type="S" count="1"/></rank><rank num="1"><task type="S" count="2"/></rank></slice>
<slice num="5" time="1.25"><rank num="1"><task type="S" count="9"/></rank></slice>
<slice num="9" time="0.75"><rank num="0"><task type="S" count="4"/></rank></slice>
<slice num="70" time="2"><rank num="2"><task type="S" count="4"/></rank></slice>
<slice num="71" time="2"></slice>
<slice num="72" time="3"><rank num="0"><task type="S" count="5"/></rank></slice>
</trace>
"""


class Trace:
    """A file, and questions about its import."""

    def __init__(self, folder, name, text=None, **options):
        self.xml, self.xtf = folder / f"{name}.xml", folder / f"{name}.xtf"
        if text is None:
            opents_gen.write(self.xml, **options)
        else:
            self.xml.write_text(text, encoding="utf-8")
        done = oracle.run(XTF, "import", "-q", "-o", self.xtf, self.xml)
        assert done.returncode == 0, done.stderr
        self.asker = Asker(Xtf(XTF), ASK_TREE, self.xtf)
        self.slices = ElementTree.parse(self.xml).getroot().findall("slice")
        times = [int(oracle.ticks(part.get("time"))) for part in self.slices]
        self.times = [max(times[:k + 1]) for k in range(len(times))]  # one that goes back is shown at the time before

    def text(self, path):
        return self.asker.ask(f"cat {path}").decode()

    def names(self, path):
        return self.asker.ask(f"ls {path}").decode().split()

    def table(self, path):
        head, *lines = self.text(path).splitlines()
        columns = head.lstrip("#").split()
        return [dict(zip(columns, line.split(None, len(columns) - 1))) for line in lines]

    def window(self, path):
        facts = {line["what"]: line["value"] for line in self.table(f"{path}/info")}
        return tuple(int(decimal.Decimal(facts[bound]) * 10**9) for bound in ("from", "to"))


class OwnFrames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="xtf-opents-")
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        cls.traces = {"cumulative": Trace(path, "cumulative", ranks=4, slices=40, seed=3),
                      "per-frame": Trace(path, "per-frame", ranks=5, slices=40, seed=4, per_frame=True),
                      "odd": Trace(path, "odd", ODD)}

    def each(self):
        for name, trace in self.traces.items():
            with self.subTest(name):
                yield trace

    def test_windows(self):
        for trace in self.each():
            n = len(trace.slices)
            self.assertEqual(trace.names("frames"), ["own"])
            self.assertEqual(trace.names("frames/own"), ["count", "first", "last"])
            self.assertEqual(trace.text("frames/own/count"), f"{n}\n")
            ends = [*trace.times[1:], trace.times[-1] + 1]  # a tick after the last record
            for k in range(n):
                self.assertEqual(trace.window(f"frames/own/{k}"), (trace.times[k], ends[k]))
            self.assertEqual(trace.window("frames/own/first"), trace.window("frames/own/0"))
            self.assertEqual(trace.window("frames/own/last"), trace.window(f"frames/own/{n - 1}"))
            for k in range(1, n):
                self.assertEqual(trace.window(f"frames/own/{k}/prev"), trace.window(f"frames/own/{k - 1}"))
                self.assertEqual(trace.window(f"frames/own/{k - 1}/next"), trace.window(f"frames/own/{k}"))
            for name in str(n), "-1", "x", "first/prev", "last/next":
                with self.assertRaises(Refused):
                    trace.text(f"frames/own/{name}/count")

    def test_records(self):
        """The elements of a slice are in its frame; of slices of one time, in the last one's."""
        for trace in self.each():
            n = len(trace.slices)
            self.assertEqual("".join(trace.text(f"frames/own/{k}/records") for k in range(n)), trace.text("records"))
            for k in range(n):
                here = [] if k + 1 < n and trace.times[k] == trace.times[k + 1] else \
                    [part for part, time in zip(trace.slices, trace.times) if time == trace.times[k]]
                elements = sum(len(list(part.iter())) - len(part.findall("rank")) for part in here)
                self.assertEqual(trace.text(f"frames/own/{k}/count"), f"{elements}\n")

    def test_command(self):
        """`xtf cat` finds frames as the tree does, and says what is wrong with others."""
        trace = self.traces["odd"]
        self.assertEqual(oracle.cat(XTF, trace.xtf, "frames/own/3/info"), trace.text("frames/own/3/info"))
        done = oracle.run(XTF, "cat", trace.xtf, "frames/own/6/info")
        self.assertIn("the trace has 6 of these frames", done.stderr)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
