#!/usr/bin/env python3
"""Exports of records as CSV, read by Python's csv: equal to the lines of `records`, with the sums and counts of other files.

usage: test_csv.py XTF OTF2-ARCHIVES WRITE-NAMES MELT
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import unittest

from xtfrun import Xtf, temporary_folder

MELT = pathlib.Path(sys.argv.pop())
WRITE_NAMES = sys.argv.pop()
ARCHIVES = sys.argv.pop()
XTF = Xtf(sys.argv.pop())
PATHS = ("/", "proc/1-2", "time/40%-60%", "sends", "proc/0/time/10%-20%/sends", "calls", "region/MPI_*/calls", "class/p2p/enters_leaves", "collectives",
         "sends/num/100-200", "time/90-", "peer/1")


def naive_records(trace, path):
    """Returns the lines of `records` as lists of cells, cut where `columns` says. A dash becomes an empty cell."""
    columns = XTF.expect("cat", trace, f"{path}/columns").decode().splitlines()[1:]
    places = [[int(number) for number in line.split()[1:3]] for line in columns]
    for line in XTF.expect("cat", trace, f"{path}/records").decode().splitlines():
        cells = [line[first - 1:last].strip() for first, last in places]
        yield ["" if cell == "-" else cell for cell in cells]


class ExportingCsv(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = temporary_folder()
        cls.root = pathlib.Path(cls.temporary.name)
        cls.trace = cls.root / "melt.xtf"
        XTF.expect("import", "--quiet", "-o", cls.trace, MELT)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def export(self, trace, path):
        """Returns the heading, the rows, and the output of the command."""
        file = self.root / "out.csv"
        printed = XTF.expect("export", "csv", "--force", "-o", file, trace, path)
        self.assertEqual(file.read_bytes(), XTF.expect("cat", "--csv", trace, f"{path}/records"), path)
        with open(file, newline="", encoding="utf-8") as stream:
            heading, *rows = csv.reader(stream)
        return heading, rows, printed.decode()

    def test_lines_of_records(self):
        for path in PATHS:
            heading, rows, printed = self.export(self.trace, path)
            columns = XTF.expect("cat", self.trace, f"{path}/columns").decode().splitlines()[1:]
            self.assertEqual(heading, [line.split()[0] for line in columns])
            self.assertEqual(rows, list(naive_records(self.trace, path)), path)
            self.assertEqual(len(rows), int(XTF.expect("cat", self.trace, f"{path}/count")))
            self.assertIn(f": {len(rows)} record", printed)

    def test_sums(self):
        """Tests sums of columns against the tables `totals`, `matrix` and `profile`, which come from stored totals."""
        heading, rows, _ = self.export(self.trace, "sends")
        column = dict(zip(heading, zip(*rows)))
        total = dict(zip(*csv.reader(XTF.expect("cat", "--csv", self.trace, "totals").decode().splitlines())))
        self.assertEqual(sum(map(int, column["bytes"])), int(total["sent_bytes"]))
        self.assertGreater(int(total["sent_bytes"]), 100000000)
        for line in csv.DictReader(XTF.expect("cat", "--csv", self.trace, "matrix").decode().splitlines()):
            sizes = [int(size) for proc, peer, size in zip(column["proc"], column["peer"], column["bytes"])
                     if (proc, peer) == (line["sender"], line["receiver"])]
            self.assertEqual([len(sizes), sum(sizes)], [int(line["messages"]), int(line["bytes"])])
        heading, rows, _ = self.export(self.trace, "region/MPI_Bcast/calls")
        column = dict(zip(heading, zip(*rows)))
        [line] = csv.DictReader(XTF.expect("cat", "--csv", self.trace, "region/MPI_Bcast/profile").decode().splitlines())
        nanoseconds = lambda text: int(text.replace(".", ""))
        self.assertEqual(len(rows), int(line["calls"]))
        self.assertEqual(sum(map(nanoseconds, column["exclusive"])), nanoseconds(line["exclusive"]))

    def test_names_to_quote(self):
        """Tests names with commas, and names of control characters, against JSON."""
        subprocess.run([ARCHIVES, self.root, "sums-names"], check=True)
        commas, nasty = self.root / "commas.xtf", self.root / "nasty.xtf"
        XTF.expect("import", "--quiet", "-o", commas, self.root / "sums-names.otf2")
        subprocess.run([WRITE_NAMES, nasty, "nasty"], check=True)
        for trace, path in ((commas, "/"), (commas, "calls"), (nasty, "/"), (nasty, "enters_leaves")):
            heading, rows, _ = self.export(trace, path)
            lines = [json.loads(line) for line in XTF.expect("cat", "--json", trace, f"{path}/records").splitlines()]
            self.assertEqual([dict(zip(heading, row)) for row in rows],
                             [{name: "" if cell is None else str(cell) for name, cell in line.items()} for line in lines])
            self.assertEqual(any("," in row[-1] for row in rows), trace == commas)

    def test_unknown_numbers(self):
        """Tests that a column of numbers has no `?`, which the text has for a process that is not defined."""
        subprocess.run([ARCHIVES, self.root, "missing-definitions"], check=True)
        trace = self.root / "missing.xtf"
        XTF.expect("import", "--quiet", "--keep-going", "-o", trace, self.root / "missing-definitions.otf2")
        heading, rows, _ = self.export(trace, "/")
        place = heading.index("peer")
        shown = [cells[place] for cells in naive_records(trace, "/")]
        self.assertGreater(shown.count("?"), 10)
        self.assertEqual([row[place] for row in rows], ["" if cell == "?" else cell for cell in shown])
        lines = [json.loads(line) for line in XTF.expect("cat", "--json", trace, "records").splitlines()]
        self.assertEqual([line["peer"] for line in lines], [int(row[place]) if row[place] else None for row in rows])

    def test_only_csv_is_replaced(self):
        file = self.root / "thesis"
        for text in ("a thesis\n", "", "time,money\n1,2\n"):
            file.write_text(text)
            result = XTF.run("export", "csv", "--force", "-o", file, self.trace)
            self.assertEqual(result.status, 1)
            self.assertIn(b"is not a CSV file of records", result.errors)
            self.assertEqual(file.read_text(), text)
        file.unlink()
        for path in ("calls", "proc/0", "time/90-"):
            XTF.expect("export", "csv", "--quiet", "--force", "-o", file, self.trace, path)
        file.unlink()


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    unittest.main()
