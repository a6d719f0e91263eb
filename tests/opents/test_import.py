#!/usr/bin/env python3
"""Imports of OpenTS's XML, compared element by element with Python's ElementTree. In generated runs tasks and messages are conserved.
Further tests have unusual files, and every fault, alone and with --keep-going.

usage: test_import.py XTF
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import opents_gen
import oracle
from xtfrun import is_sanitized

XTF = sys.argv.pop(1)

SLICE = '<slice num="{0}" time="{1}"><rank num="0"><task type="S" count="{0}"/></rank><rank num="1"><task type="F" count="2"/></rank></slice>'


def trace_text(*slices, ranks=2, more=""):
    return f'<trace ranks="{ranks}" cmd="fib 10" time="27.04.2006 15:58"{more}>' + "".join(slices) + "</trace>"


def in_rank(text, num=0):
    return f'<slice num="1" time="0.5"><rank num="{num}">{text}</rank></slice>'


class Case(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xtf-opents-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.xml, self.xtf = self.folder / "run.xml", self.folder / "run.xtf"

    def import_text(self, text, *options, encoding="utf-8"):
        self.xml.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return oracle.run(XTF, "import", "-o", self.xtf, *options, self.xml)

    def compare(self):
        expected, imported = oracle.expected(self.xml), oracle.imported(XTF, self.xtf)
        for kind in oracle.TYPES:
            self.assertEqual(imported[kind], expected[kind], kind)
        check = oracle.run(XTF, "check", self.xtf)
        self.assertEqual(check.returncode, 0, check.stdout)
        return expected

    def good(self, text, *options, **more):
        done = self.import_text(text, *options, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout


class Generated(Case):
    def conserved(self, per_frame):
        """Checks counters of the whole run from the imported records, and in each slice the messages on their way."""
        last = {}
        for kind, rows in oracle.imported(XTF, self.xtf).items():
            for _time, proc, _seq, event, _frame, fields in rows:
                if kind == "task_states":
                    counted = [((kind, proc, event), fields[0], event in ("started", "exported", "imported", "finished"))]
                elif kind == "task_moves":
                    counted = [((kind, proc, event, *fields[:2]), fields[2], True)]
                elif kind == "message_totals":
                    counted = [((kind, proc, i), n, True) for i, n in enumerate(fields)]
                else:
                    continue
                for name, n, growing in counted:
                    last[name] = int(n) + (last.get(name, 0) if per_frame and growing else 0)
                if kind == "message_totals" and proc == self.ranks - 1:
                    total = [sum(last[kind, rank, i] for rank in range(self.ranks)) for i in range(4)]
                    self.assertTrue(total[0] >= total[2] and total[1] >= total[3], total)
        return last

    def test_runs(self):
        for ranks, slices, per_frame in (4, 60, False), (7, 40, True), (1, 10, False):
            with self.subTest(ranks=ranks, per_frame=per_frame):
                self.ranks = ranks
                opents_gen.write(self.xml, ranks, slices, seed=ranks, per_frame=per_frame)
                text = self.xml.read_text()
                self.good(text, "-f")
                expected = self.compare()
                for element, kind in ("slice", "slices"), ("task", "task_states"), ("detail", "task_moves"), ("extra", "message_kinds"):
                    self.assertEqual(int(oracle.cat(XTF, self.xtf, f"{kind}/count")), text.count(f"<{element} "))
                    self.assertEqual(len(expected[kind]), text.count(f"<{element} "))
                properties = oracle.properties(XTF, self.xtf)
                self.assertEqual(properties["values"], "per-frame" if per_frame else "cumulative")
                self.assertEqual((properties["ranks"], properties["command"], properties["start"]), (str(ranks), "fib 12", "27.04.2006 15:58"))
                last = self.conserved(per_frame)
                for rank in range(ranks):
                    state = {name: last["task_states", rank, name] for name in oracle.NAMES.values()}
                    self.assertEqual(state["started"] + state["imported"], state["exported"] + state["prenatal"] + state["active"] +
                                     state["suspended"] + state["finished"])
                    for event, direction in ("exported", "to"), ("imported", "from"):
                        moved = sum(n for (kind, proc, moved_by, *remaining), n in last.items() if (kind, proc, moved_by) == ("task_moves", rank, event))
                        self.assertEqual(moved, state[event])
                exported, imported = (sum(last["task_states", r, name] for r in range(ranks)) for name in ("exported", "imported"))
                self.assertGreaterEqual(exported, imported)
                self.assertEqual(ranks == 1, exported == 0)

    def test_sums_of_the_index(self):
        """Compares the sums of windows in the index with sums over the records."""
        opents_gen.write(self.xml, 4, 50)
        self.good(self.xml.read_text())
        rows = oracle.expected(self.xml)["task_moves"]
        for peer in range(4):
            wanted = [row for row in rows if int(row[5][0]) == peer and 500_000_000 <= row[0] < 1_300_000_000]
            self.assertEqual(int(oracle.cat(XTF, self.xtf, f"task_moves/peer/{peer}/time/0.5-1.3/count")), len(wanted))

    def test_values_option(self):
        opents_gen.write(self.xml, 2, 5)
        text = self.xml.read_text()
        self.good(text, "--values", "per-frame")
        self.assertEqual(oracle.properties(XTF, self.xtf)["values"], "per-frame")
        self.assertEqual(oracle.run(XTF, "import", "--values", "often", self.xml).returncode, 2)

    def test_mounted_directly(self):
        opents_gen.write(self.xml, 2, 5)
        self.assertEqual(oracle.cat(XTF, self.xml, "proc/1/resources/count"), "5\n")
        (self.folder / "other.xml").write_text("<profile/>")
        (self.folder / "NOTES").write_text("no trace")
        self.assertEqual(oracle.cat(XTF, self.folder, "slices/count"), "5\n")


class Unusual(Case):
    def test_optional_attributes_and_letters(self):
        self.good(trace_text(in_rank('<resource tasks="0.25"/><resource/><task type="X" count="1"><detail to="1" count="1"/><detail from="1" count="7"/></task>'
                                '<task type="q" count="18446744073709551614"/><task type="B" count="0"/>'
                                '<message rcount="4"><extra type="a&amp;b" sbytes="5"/></message>')))
        self.compare()

    def test_numbers(self):
        times = "0", "1e-3", "0.0015", "00.002", ".003", "4.", "5.0000000004", "5.0000000005", "5.00000000149999999999999999", "6E0", "1000000000.5"
        slices = [f'<slice num="{i}" time="{time}"><rank num="0"><resource tasks="{time}" mbytes="{time}" mflops="123456789012345678901.5e-3"/></rank></slice>'
                  for i, time in enumerate(times)]
        self.good(trace_text(*slices))
        expected = self.compare()
        self.assertEqual(expected["resources"][-1][0], 1000000000500000000)
        self.assertIn(("REPAIRED", "6 times have more than nine decimals: they were rounded to nanoseconds"), oracle.remarks(XTF, self.xtf))

    def test_unknown_elements_are_counted(self):
        self.good(trace_text('<!-- a comment --><node name="a"><trace><deep/></trace></node>', SLICE.format(1, "0.5"), '<?php x?><node/>', SLICE.format(2, "0.6") + "text",
                        more=' host="x"').replace('<task type="F"', '<task colour="red" type="F"'))
        self.compare()
        found = {text for kind, text in oracle.remarks(XTF, self.xtf) if kind == "LEFT_OUT"}
        self.assertEqual(found, {f"{part}, which a trace of OpenTS does not have" for part in
                                 ("1 comments", "2 elements <node>", "1 attributes host of <trace>", "2 attributes colour of <task>",
                                  "1 processing instructions", "1 texts between elements")})

    def test_times_that_go_back(self):
        self.good(trace_text(SLICE.format(1, "0.5"), SLICE.format(2, "0.25"), SLICE.format(3, "0.75")))
        self.compare()
        self.assertEqual(oracle.cat(XTF, self.xtf, "slices/num/1/backward_times").split()[-1], "250000000")

    def test_empty(self):
        self.good('<trace ranks="3"/>')
        self.assertEqual(oracle.cat(XTF, self.xtf, "count"), "0\n")
        self.assertEqual(len(oracle.cat(XTF, self.xtf, "definitions/processes").splitlines()), 4)
        self.good(trace_text('<slice num="0" time="0"/>'), "-f")
        self.compare()

    def test_encodings(self):
        for encoding in "koi8-r", "windows-1251", "iso-8859-5", "utf-8", "utf-16":
            with self.subTest(encoding=encoding):
                text = f'<?xml version="1.0" encoding="{encoding}"?>\n' + trace_text(*(SLICE.format(i, i / 10) for i in range(1, 1200)))
                text = text.replace("fib 10", "счёт 10").replace('type="S"', 'type="S" след="0"', 1)
                self.good(text, "-f", encoding=encoding)
                self.assertEqual(oracle.properties(XTF, self.xtf)["command"], "счёт 10")
                self.assertIn(("LEFT_OUT", "1 attributes след of <task>, which a trace of OpenTS does not have"), oracle.remarks(XTF, self.xtf))
                self.compare()

    def test_xml_of_other_formats(self):
        for text in "<profile/>", "<tracer ranks='4'/>", "ranks", "", "<!DOCTYPE html><html/>", "<!-- <trace ranks='2'/>":
            done = self.import_text(text)
            self.assertEqual(done.returncode, 1)
            self.assertIn("is not ", done.stderr)


FAULTS = {
    'rank 2, but the trace has ranks 0 to 1; the rank is left out': in_rank('<task type="S" count="1"/>', 2),
    'slice 1 has rank 0 twice; the rank is left out': '<slice num="1" time="0.5"><rank num="0"/><rank num="0"><task type="S" count="1"/></rank></slice>',
    'num="x" of <rank> is no number; the rank is left out': in_rank("", "x"),
    '<rank> has no attribute "num"; the rank is left out': '<slice num="1" time="0.5"><rank><task type="S" count="1"/></rank></slice>',
    '<slice> has no attribute "time"; the slice is left out': '<slice num="1"><rank num="0"/></slice>',
    'time="-1" of <slice> is negative, or no number; the slice is left out': '<slice num="1" time="-1"><rank num="0"/></slice>',
    'time="1e99" of <slice> is no number, or too large a one; the slice is left out': '<slice num="1" time="1e99"><rank num="0"/></slice>',
    'num="18446744073709551615" of <slice> is no number, or too large a one; the slice is left out': '<slice num="18446744073709551615" time="1"/>',
    'slice 0 follows slice 0; the slice is left out': SLICE.format(0, "0.6"),
    'count="-5" of <task> is negative, or no number; the rank is left out': in_rank('<message/><task type="S" count="-5"/><task type="P" count="1"/>'),
    'count="1.5" of <task> is no number, or too large a one; the rank is left out': in_rank('<task type="S" count="1.5"/>'),
    '<task> has no attribute "count"; the rank is left out': in_rank('<task type="S"/>'),
    '<task> has no attribute "type"; the rank is left out': in_rank('<task count="1"/>'),
    'type="SS" of a task is not a letter; the rank is left out': in_rank('<task type="SS" count="1"/>'),
    'type="" of a task is not a letter; the rank is left out': in_rank('<task type="" count="1"/>'),
    'type="я" of a task is not a letter; the rank is left out': in_rank('<task type="я" count="1"/>'),
    '<task> has the attribute "count" twice; the rank is left out': in_rank('<task type="S" count="1" count="2"/>'),
    'tasks move to rank 2, but the trace has ranks 0 to 1; the rank is left out': in_rank('<task type="X" count="1"><detail count="1" to="2"/></task>'),
    '<detail> has neither "to" nor "from"; the rank is left out': in_rank('<task type="X" count="1"><detail count="1"/></task>'),
    '<detail> has both "to" and "from"; the rank is left out': in_rank('<task type="X" count="1"><detail count="1" to="1" from="1"/></task>'),
    'idle="nan" of <resource> is no number; the rank is left out': in_rank('<resource idle="nan"/>'),
    'mflops="0x1p3" of <resource> is no number, or too large a one; the rank is left out': in_rank('<resource mflops="0x1p3"/>'),
    'mbytes="-1" of <resource> is negative, or no number; the rank is left out': in_rank('<resource mbytes="-1"/>'),
    'sbytes="" of <message> is no number; the rank is left out': in_rank('<message sbytes=""/>'),
    '<extra> has no attribute "type"; the rank is left out': in_rank('<message><extra sbytes="1"/></message>'),
    '<task> is inside <slice>, but must be inside <rank>; the slice is left out': '<slice num="1" time="0.5"><task type="S" count="1"/><rank num="0"/></slice>',
    '<extra> is inside <rank>, but must be inside <message>; the rank is left out': in_rank('<extra type="ctrl"/>'),
    '<rank> is inside <rank>, but must be inside <slice>; the rank is left out': in_rank('<rank num="1"><task type="S" count="1"/></rank>'),
    '<slice> is inside <task>, but must be inside <trace>; the rank is left out': in_rank('<task type="S" count="1"><slice num="2" time="1"/></task>'),
    '<rank> is inside <trace>, but must be inside <slice>; the element is left out': '<rank num="0"><task type="S" count="1"/></rank>',
    'type="k250" is one kind of messages too many: at most 250 can be imported; the rank is left out':
        in_rank("<message>" + "".join(f'<extra type="k{i}"/>' for i in range(251)) + "</message>"),
}  # fmt: skip
BEFORE, AFTER = SLICE.format(0, "0.25"), SLICE.format(9, "0.75")


class Faults(Case):
    def test_end_the_import(self):
        for problem, text in FAULTS.items():
            with self.subTest(problem=problem):
                done = self.import_text(trace_text(BEFORE, "\n\n", text, AFTER))
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertEqual(done.stderr, f"xtf: {self.xml}: line 3: {problem.rsplit('; ', 1)[0]}\n")
                self.assertFalse(self.xtf.exists())

    def test_cost_a_rank_or_a_slice(self):
        for problem, text in FAULTS.items():
            with self.subTest(problem=problem):
                done = self.import_text(trace_text(BEFORE, "\n\n", text, AFTER), "-f", "--keep-going")
                self.assertEqual((done.returncode, done.stderr), (0, f"xtf: warning: {self.xml}: line 3: {problem}\n"))
                lost = "slice" if "the slice is" in problem else "rank" if "the rank is" in problem else "element"
                # The elements that remain without the lost ones.
                remaining = '<rank num="0"/>' if "twice" in problem and "rank 0" in problem else ""
                kept = f'<slice num="1" time="0.5">{remaining}</slice>' if lost == "rank" else ""
                imported = oracle.imported(XTF, self.xtf)
                self.xml.write_text(trace_text(BEFORE, kept, AFTER))
                self.assertEqual(imported, oracle.expected(self.xml))

    def test_faults_that_keep_going_refuses(self):
        for text, problem in (
            (trace_text(BEFORE, ranks=0), 'line 1: ranks="0" is not from 1 to 1048576'),
            (trace_text(BEFORE, ranks=4294967295), 'line 1: ranks="4294967295" is not from 1 to 1048576'),
            (trace_text(BEFORE, ranks="four"), 'line 1: ranks="four" of <trace> is no number'),
            ('<!DOCTYPE trace [<!ENTITY a "b">]><trace ranks="2"/>', "a document type declaration is refused"),
            ('<trace ranks="2" cmd="', "the file ends before <trace>"),
            ('<?xml version="1.0" encoding="x-nothing"?><trace ranks="2"/>', 'is in the encoding "x-nothing", which this system does not know'),
        ):
            for options in (), ("--keep-going",):
                done = self.import_text(text, *options)
                self.assertEqual(done.returncode, 1)
                self.assertIn(problem, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_an_error_in_the_xml(self):
        """Tests that --keep-going keeps the part before an error in the XML."""
        deep = "<a>" * 70
        long = f'<task type="S" count="1" name="{"x" * (1200 << 10)}"/>'
        for broken in "<slice num=1/>", "&nothing;", "</rank>", "<a", deep, in_rank(long), "</trace><trace ranks='1'></trace>", "\x01<\x00>":
            with self.subTest(broken=broken[:40]):
                text = trace_text(BEFORE, broken, AFTER)
                done = self.import_text(text)
                self.assertEqual(done.returncode, 1, done.stdout)
                done = self.import_text(text, "-f", "--keep-going")
                self.assertEqual(done.returncode, 0)
                self.assertIn("; everything after that is left out\n", done.stderr)
                imported = oracle.imported(XTF, self.xtf)
                self.xml.write_text(trace_text(BEFORE))
                self.assertEqual(imported, oracle.expected(self.xml))
        koi8 = f'<?xml version="1.0" encoding="US-ASCII"?>{trace_text(BEFORE)}'.encode() + b"\xff"
        self.assertIn("no character of US-ASCII", self.import_text(koi8, "-f", "--keep-going").stderr)

    def test_cut_files(self):
        """Tests files of programs that died: the import keeps exactly the complete slices."""
        text = trace_text(BEFORE, SLICE.format(1, "0.5"), AFTER)
        ends = [i + len("</slice>") for i in range(len(text)) if text.startswith("</slice>", i)]
        for cut in list(range(text.index(">") + 1, len(text), 61)) + ends + [len(text) - 1]:
            done = self.import_text(text[:cut], "-f")
            self.assertEqual(done.returncode, 0, done.stderr)
            n_complete = sum(end <= cut for end in ends)
            self.assertEqual(done.stderr, f"xtf: warning: {self.xml}: line 1: the file ends before the trace does: it has "
                                          f"{n_complete} whole slice{'s' * (n_complete != 1)}\n")
            imported = oracle.imported(XTF, self.xtf)
            self.xml.write_text(trace_text(*(BEFORE, SLICE.format(1, "0.5"), AFTER)[:n_complete]))
            self.assertEqual(imported, oracle.expected(self.xml))

    def test_of_another_format(self):
        (self.folder / "run.nc").write_bytes(b"CDF\x01\0\0\0\0")
        done = oracle.run(XTF, "import", "--values", "per-frame", self.folder / "run.nc")
        self.assertEqual(done.returncode, 1)
        self.assertTrue("--values is for traces of OpenTS" in done.stderr or "built without" in done.stderr, done.stderr)


class Size(Case):
    @unittest.skipIf(is_sanitized(XTF), "a sanitizer keeps what is freed")
    def test_memory_does_not_grow(self):
        """Tests that an import of many slices takes no more memory than one of some."""
        peaks = []
        opents_gen.write(self.xml, 1, 100)
        head, _, remaining = self.xml.read_text().partition("  <slice ")
        body = remaining[: remaining.rindex("</trace>")].split("  <slice ")
        for times in 100, 300:
            with open(self.xml, "w", encoding="utf-8") as out:
                out.write(head)
                for i in range(times * len(body)):
                    out.write(f'  <slice num="{i}" time="{i / 25}"{body[i % len(body)].partition(">")[1]}{body[i % len(body)].partition(">")[2]}')
                out.write("</trace>\n")
            size = self.xml.stat().st_size
            code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, timeout=120);"
                    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
            done = subprocess.run([sys.executable, "-c", code, XTF, "import", "-q", "-f", "-o", self.xtf, self.xml],
                                  capture_output=True, text=True, check=True, timeout=200)
            peaks.append(int(done.stdout))
            self.assertLess(self.xtf.stat().st_size * 10, size)
        self.assertGreater(size, 10 << 20)
        self.assertLess(peaks[1] - peaks[0], 2048, peaks)  # KiB


if __name__ == "__main__":
    unittest.main()
