#!/usr/bin/env python3
"""The package xtf for Python, by the command and through a mount, against naive readings of the output of `xtf cat`.

usage: test_package.py with-pandas|without-pandas PROJECT

XTF and MAKE_TRACE in the environment are programs, as for the mounts' tests.
"""

import csv
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings
from decimal import Decimal

PROJECT = pathlib.Path(sys.argv[2])
sys.path[:0] = [str(PROJECT / folder) for folder in ("tests/roundtrip", "tests/mount", "python")]
import harness  # noqa: E402
import interpreters  # noqa: E402

WITH_PANDAS = sys.argv[1] == "with-pandas"
if WITH_PANDAS:
    interpreters.need_pandas()
    import pandas
else:
    interpreters.without_pandas()
import xtf  # noqa: E402

TABLES = ("profile", "time/20%-60%/matrix", "proc/1/classes", "by/time:4/totals", "efficiency", "longest", "info", "definitions/regions", "findings")
RECORDS = ("", "sends", "proc/1/time/40%-60%", "calls", "region/MPI_Send/calls")


def cat(trace, *arguments):
    return subprocess.run([harness.XTF, "cat", *arguments[:-1], trace, arguments[-1]], capture_output=True, text=True, check=True).stdout


def lines_of(trace, path):
    """Returns the lines of CSV as dicts of texts."""
    return list(csv.DictReader(io.StringIO(cat(trace, "--csv", path), newline="")))


def same(text, value):
    """True if a value is that of a cell of CSV."""
    if text == "":
        return value is None or value == ""
    return value == text if isinstance(value, str) else type(value)(text) == value and not isinstance(value, bool)


def rows_of(table):
    """Returns the rows of a table in either form."""
    if isinstance(table, list):
        return table
    return [{name: None if pandas.isna(value) else value for name, value in row.items()} for row in table.astype(object).to_dict("records")]


class Reading(unittest.TestCase):
    """Tests of one trace that is open in any way. A subclass opens it."""

    def check_rows(self, path, rows):
        lines = lines_of(self.file, path)
        self.assertEqual(len(rows), len(lines), path)
        for line, row in zip(lines, rows):
            self.assertEqual(list(row), list(line), path)
            for name, value in row.items():
                self.assertTrue(same(line[name], value), f"{path}: {name}: {line[name]!r} is {value!r}")

    def test_tables(self):
        for path in TABLES:
            table = self.trace.table(path)
            self.assertEqual(isinstance(table, list), not WITH_PANDAS)
            self.check_rows(path, rows_of(table))

    def test_types(self):
        rows = self.trace.rows("profile")
        self.assertEqual([type(value) for value in rows[0].values()], [int, int, float, float, float, float, str])
        self.assertEqual(sum(row["calls"] for row in rows), int(cat(self.file, "calls/count")))
        if WITH_PANDAS:
            dtypes = {name: str(dtype) for name, dtype in self.trace.table("profile").dtypes.items()}
            self.assertEqual(dtypes, {"row": "Int64", "calls": "int64", "inclusive": "float64", "exclusive": "float64", "inclusive%": "float64",
                                      "exclusive%": "float64", "region": "object"} | ({"row": "int64"} if all(row["row"] is not None for row in rows) else {}))
            self.assertEqual(str(self.trace.table("efficiency")["value"].dtype), "float64")

    def test_records(self):
        for path in RECORDS:
            self.check_rows(f"{path}/records", list(self.trace.records(path)))
            self.assertEqual(self.trace.count(path), int(cat(self.file, f"{path}/count")))
        if WITH_PANDAS:
            for path in ("", "sends"):
                self.check_rows(f"{path}/records", rows_of(self.trace.records_frame(path)))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the window is after the end
                self.assertEqual(len(self.trace.records_frame("time/90-")), 0)

    def test_sums_of_records(self):
        sent = {}
        for record in self.trace.records("sends"):
            sent[record["proc"], record["peer"]] = sent.get((record["proc"], record["peer"]), 0) + record["bytes"]
        self.assertEqual(sent, {(int(line["sender"]), int(line["receiver"])): int(line["bytes"]) for line in lines_of(self.file, "matrix")})

    def test_an_iterator_that_stops_early(self):
        for _ in range(3):
            records = self.trace.records()
            self.assertEqual([next(records)["proc"] for _ in range(2)], [int(line["proc"]) for line in lines_of(self.file, "records")[:2]])
            records.close()

    def test_names_and_parts(self):
        names = subprocess.run([harness.XTF, "ls", self.file, "proc/1"], capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(self.trace.ls("proc/1"), sorted(names))
        part = self.trace.select("proc/1").select("time/20%-60%")
        self.assertEqual(part.count(), int(cat(self.file, "proc/1/time/20%-60%/count")))
        self.assertEqual(part.text("count"), cat(self.file, "proc/1/time/20%-60%/count"))
        self.check_rows("proc/1/time/20%-60%/profile", part.rows("profile"))

    def test_pictures(self):
        picture = self.trace.svg("proc/1/timeline.svg")
        self.assertTrue(picture._repr_svg_().startswith("<svg"))
        with tempfile.TemporaryDirectory(prefix="xtf-test-") as folder:
            picture.save(os.path.join(folder, "a.svg"))
            self.assertEqual(pathlib.Path(folder, "a.svg").read_text(encoding="utf-8"), picture)

    def test_errors(self):
        for path, words in (("proc/77/profile", "there is no process 77: the trace has 4, numbered 0 to 3"), ("profil", 'profil'), ("count", "count"),
                            ("timeline.svg", "timeline.svg"), ("proc/1", "proc/1")):
            with self.assertRaises(xtf.XtfError) as caught:
                self.trace.table(path)
            self.assertIn(words, str(caught.exception))
            self.assertNotIn("xtf: ", str(caught.exception))
        for act in (lambda: self.trace.svg("proc/77/timeline.svg"), lambda: list(self.trace.records("proc/77")), lambda: self.trace.ls("proc/77")):
            self.assertRaisesRegex(xtf.XtfError, "there is no process 77", act)

    @unittest.skipIf(WITH_PANDAS, "of a Python without pandas")
    def test_what_needs_pandas(self):
        self.assertRaisesRegex(xtf.XtfError, "needs pandas", self.trace.records_frame)
        self.assertRaisesRegex(xtf.XtfError, "needs pandas", self.trace.to_pipit)

    @unittest.skipUnless(WITH_PANDAS, "needs pandas")
    def test_pipit(self):
        """Tests the columns of Pipit's reader of OTF2 against a naive matching, and its sums against the tables."""
        frame = self.trace.to_pipit()
        self.assertEqual(list(frame), ["Timestamp (ns)", "Event Type", "Name", "Thread", "Process", "Attributes", "_matching_event", "_matching_timestamp"])
        lines = lines_of(self.file, "records")
        self.assertEqual(list(frame["Timestamp (ns)"]), [float(Decimal(line["time"]) * 10**9) for line in lines])
        self.assertEqual(list(frame["Process"]), [int(line["proc"]) for line in lines])
        stacks, expected = {}, [None] * len(lines)
        for number, line in enumerate(lines):
            stack = stacks.setdefault((line["proc"], line["thread"], line["name"]), [])
            if line["event"] == "ENTER":
                stack.append(number)
            elif line["event"] == "LEAVE":
                expected[number], expected[stack[-1]] = stack[-1], number
                stack.pop()
        self.assertEqual([None if pandas.isna(value) else value for value in frame["_matching_event"]], expected)
        self.assertEqual([None if pandas.isna(value) else value for value in frame["_matching_timestamp"]],
                         [None if other is None else frame["Timestamp (ns)"][other] for other in expected])
        sent = {}
        for _, row in frame[frame["Name"].isin(["MpiSend", "MpiIsend"])].iterrows():
            pair = row["Process"], row["Attributes"]["receiver"]
            sent[pair] = sent.get(pair, 0) + row["Attributes"]["msg_length"]
        self.assertEqual(sent, {(int(line["sender"]), int(line["receiver"])): int(line["bytes"]) for line in lines_of(self.file, "matrix")})
        self.assertEqual(set(frame["Event Type"].cat.categories), {"Enter", "Leave", "Instant"})


class ByCommand(Reading):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="xtf-test-")
        cls.file = f"{cls.temporary.name}/heat.xtf"
        harness.run(harness.XTF, "import", "-q", "-o", cls.file, PROJECT / "examples/heat-4/eztrace_log.otf2")
        cls.trace = xtf.open(cls.file, command=harness.XTF)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_opening(self):
        self.assertRaisesRegex(xtf.XtfError, "No such file", xtf.open, "/nowhere/run.xtf", command=harness.XTF)
        self.assertRaisesRegex(xtf.XtfError, "no such command", xtf.open, self.file, command="/nowhere/xtf")
        self.assertIn("heat.xtf", repr(self.trace))
        path = os.environ.pop("PATH")
        try:
            os.environ["PATH"] = "/nowhere"
            self.assertRaisesRegex(xtf.XtfError, "not in PATH", xtf.open, self.file)
        finally:
            os.environ["PATH"] = path

    def test_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.assertEqual(self.trace.rows("time/90-/matrix")[0]["messages"], 0)
        self.assertIn("the trace ends at", str(caught[0].message))
        self.assertIs(caught[0].category, xtf.XtfWarning)


class Mounted(Reading):
    command = harness.XTF

    @classmethod
    def setUpClass(cls):
        harness.require_fuse()
        ByCommand.setUpClass.__func__(cls)
        cls.mount = harness.Mount(cls.file)
        cls.mount.__enter__()
        cls.trace = xtf.open(cls.mount.dir, command=cls.command)

    @classmethod
    def tearDownClass(cls):
        cls.mount.__exit__(None, None, None)
        cls.temporary.cleanup()

    def test_a_directory_in_the_mount(self):
        part = xtf.open(os.path.join(self.mount.dir, "proc", "1"))
        self.assertEqual(part.count("sends"), int(cat(self.file, "proc/1/sends/count")))

    def test_errors_without_the_command(self):
        part = xtf.open(self.mount.dir)
        part._source.command = None
        self.assertRaisesRegex(xtf.XtfError, "^proc/77/profile: No such file or directory", part.table, "proc/77/profile")

    def test_files_longer_than_a_mount_has_them(self):
        """Tests tables and records whose JSON is longer than 1 MiB, which are read as text."""
        with tempfile.TemporaryDirectory(prefix="xtf-test-") as folder:
            file = harness.make_trace(f"{folder}/long.xtf", 3, 1, 12000)
            with harness.Mount(file) as mount:
                self.assertFalse(os.path.exists(mount.path("records.json")))
                trace, naive = xtf.open(mount.dir), xtf.open(file, command=harness.XTF)
                for path in ("", "proc/0-1", "enters_leaves"):
                    self.assertTrue(list(trace.records(path)) == list(naive.records(path)), path)  # a difference would be long
                self.assertTrue(trace.rows("by/time:10000/totals") == naive.rows("by/time:10000/totals"))


del Reading

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
