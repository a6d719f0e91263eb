#!/usr/bin/env python3
"""Exports to OpenTS's XML. Exports of imported OpenTS traces have the same canonical form by xmllint; the test also exports windows and
processes.

usage: test_export.py XTF
"""

import pathlib
import shutil
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from random import Random

import opents_gen
import oracle

XTF = sys.argv.pop(1)

UNUSUAL = """<trace ranks="3" cmd="&lt;a&gt; &amp; &quot;b&quot;&#9;&#10;'c' счёт" time="">
  <slice num="5" time="0.5"/>
  <slice num="6" time="0.25">
    <rank num="0"/>
    <rank num="1">
      <resource/>
      <resource mflops="0.1" mbytes="12345678.25" tasks="1.5" idle="0.000000001"/>
      <task type="q" count="18446744073709551614"/>
      <task type="X" count="3">
        <detail count="1" to="2"/>
        <detail count="2" from="0"/>
      </task>
      <message/>
      <message rcount="7">
        <extra type="a &lt; b"/>
        <extra type="ctrl" scount="1" sbytes="2"/>
      </message>
      <task type="X" count="0"/>
    </rank>
    <rank num="2"/>
  </slice>
  <slice num="4000000000000" time="3"/>
</trace>
"""


class Case(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xtf-opents-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.xml, self.xtf, self.out = (self.folder / name for name in ("run.xml", "run.xtf", "out.xml"))

    def export(self, *path, output=None):
        done = oracle.run(XTF, "export", "opents", "-f", "-o", output or self.out, self.xtf, *path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def round_trip(self, *options):
        done = oracle.run(XTF, "import", "-q", "-f", "-o", self.xtf, self.xml)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        message = self.export()
        self.assertEqual(oracle.canonical(self.out, *options), oracle.canonical(self.xml, *options))
        return message


@unittest.skipUnless(shutil.which("xmllint"), "xmllint is not installed")
class RoundTrips(Case):
    def test_runs(self):
        for ranks, slices, per_frame in (4, 50, False), (6, 30, True), (1, 5, False):
            opents_gen.write(self.xml, ranks, slices, ranks, per_frame)
            message = self.round_trip()
            elements = sum(self.xml.read_text().count(f"<{name} ") for name in ("slice", "resource", "task", "detail", "message", "extra"))
            self.assertEqual(message, f"{self.out}: {elements} records of {ranks} location{'s' * (ranks > 1)}\n")

    def test_unusual(self):
        self.xml.write_text(UNUSUAL)
        self.round_trip()
        self.xml.write_text("".join(line.strip() for line in UNUSUAL.splitlines()))
        self.round_trip("--noblanks")

    def test_numbers_stay(self):
        for times in ("0.500000", "12.250000", "12.250001"), ("0.5", "12.25", "13"), ("1", "2", "30"), ("0.1234567", "0.2234560", "4.0000000"):
            slices = "".join(f'<slice num="{i}" time="{time}"><rank num="0"><resource mbytes="{time}" mpi="{time}"/></rank></slice>'
                             for i, time in enumerate(times))
            self.xml.write_text(f'<trace ranks="1">{slices}</trace>')
            self.round_trip("--noblanks")

    def test_characters(self):
        """Tests that characters that XML forbids become question marks, and that all others stay, even control characters."""
        self.xml.write_text('<trace ranks="1" cmd="a\uffff\ufffe\x7f\x85\uffee b"><slice num="0" time="1"/></trace>'.replace("\x85", "&#x85;"))
        self.assertEqual(oracle.run(XTF, "import", "-q", "-o", self.xtf, self.xml).returncode, 0)
        self.export()
        self.assertEqual(ElementTree.fromstring(oracle.canonical(self.out)).get("cmd"), "a??\x7f\x85\uffee b")

    def test_ranks_by_turns(self):
        """Tests ranks that have records in some slices only, in all orders. Between these are slices with all ranks. The test also exports
        processes of such a trace."""
        random = Random(1)
        for ranks, slices in (2, 40), (9, 60), (40, 30):
            root = ElementTree.Element("trace", ranks=str(ranks))
            for number in range(slices):
                part = ElementTree.SubElement(root, "slice", num=str(number * 3), time=str(number))
                for rank in range(ranks) if random.random() < 0.2 else sorted(random.sample(range(ranks), random.choice((0, 1, ranks // 2)))):
                    ElementTree.SubElement(ElementTree.SubElement(part, "rank", num=str(rank)), "resource", mbytes=str(random.randrange(9)))
            self.xml.write_text(ElementTree.tostring(root, encoding="unicode"))
            self.round_trip("--noblanks")
            self.export(f"proc/0-{ranks // 2}")
            for part in root:
                for rank in list(part):
                    if int(rank.get("num")) > ranks // 2:
                        part.remove(rank)
            self.assertEqual(ElementTree.canonicalize(self.out.read_text(), strip_text=True),
                             ElementTree.canonicalize(ElementTree.tostring(root), strip_text=True))

    def test_mixed_numbers(self):
        self.xml.write_text('<trace ranks="1"><slice num="0" time="1.50"/><slice num="1" time="2.5"/></trace>')
        self.assertEqual(oracle.run(XTF, "import", "-q", "-o", self.xtf, self.xml).returncode, 0)
        self.export()
        self.assertEqual([part.get("time") for part in ElementTree.parse(self.out).getroot()], ["1.5", "2.5"])
        self.assertTrue(any("in different ways" in text for _kind, text in oracle.remarks(XTF, self.xtf)))


class Parts(Case):
    def test_windows_and_processes(self):
        opents_gen.write(self.xml, 4, 40)
        self.assertEqual(oracle.run(XTF, "import", "-q", "-o", self.xtf, self.xml).returncode, 0)
        self.export("time/0.5-1/proc/1,3")
        source = ElementTree.parse(self.xml).getroot()
        for part in list(source):
            if not 0.5 <= float(part.get("time")) < 1:
                source.remove(part)
            for rank in list(part):
                if rank.get("num") in "02":
                    part.remove(rank)
        found = ElementTree.parse(self.out).getroot()
        self.assertEqual(len(found), len(source))
        self.assertEqual(*(ElementTree.canonicalize(ElementTree.tostring(root), strip_text=True) for root in (found, source)))

    def test_refused_files(self):
        opents_gen.write(self.xml, 2, 3)
        self.assertEqual(oracle.run(XTF, "import", "-q", "-o", self.xtf, self.xml).returncode, 0)
        for path in "task_states", "num/1-2", "peer/1", "thread/0":
            done = oracle.run(XTF, "export", "opents", "-o", self.out, self.xtf, path)
            self.assertEqual((done.returncode, self.out.exists()), (1, False))
            self.assertIn("choose only a window (time/) and processes (proc/)", done.stderr)
        note = self.folder / "note.xml"
        note.write_text("<notes/>")
        done = oracle.run(XTF, "export", "opents", "-f", "-o", note, self.xtf)
        self.assertIn("is not an XML file of OpenTS: it is not replaced", done.stderr)
        self.assertEqual(note.read_text(), "<notes/>")


if __name__ == "__main__":
    unittest.main()
