#!/usr/bin/env python3
"""Tables as pandas, jq, DuckDB and gnuplot read them: the types that `xtf help` declares, and equal sums of each column in all of them.

usage: test_tables.py XTF PROJECT

The tree lists the tables, in directories of each kind. All tables that the cookbook names must be among them. DuckDB needs XTF_DUCKDB,
a folder where `npm install @duckdb/node-api` ran.
"""

import csv
import io
import math
import pathlib
import re
import shutil
import sys
from decimal import Decimal, InvalidOperation

from interpreters import need_pandas
from xtfrun import Failure, Xtf, check, run_test, some_of, temporary_folder

need_pandas()
import readers  # noqa: E402

PROJECT = pathlib.Path(sys.argv.pop())
XTF = Xtf(sys.argv.pop())
sys.path.insert(0, str(PROJECT / "python"))
import xtf  # noqa: E402

# Directories of each trace that have tables: selections, groupings, single records, an analysis, measured networks.
DIRECTORIES = {
    "melt": ("", "by/proc", "by/time:4", "calls", "sends", "definitions"),
    "wave": ("collectives", "proc/0/thread/0/collectives/num/2", "frames/25fps/1", "frames/25fps/1/arrows", "waits", "waits/late_sender",
             "waits/late_sender/num/12", "delays", "critical", "activity", "ideal"),
    "rod": ("", "proc/1/time/20%-60%", "definitions", "pending"),
    "network": ("", "length/2000", "length/2000/median", "pair/0/5"),
}
NUMBERS = ("whole number", "time", "percent", "number")
# Tables that have a value and its unit in each line: the values of one column are of several kinds.
MIXED = {("info", "value"), ("run", "value"), ("properties", "value"), ("definition_properties", "value")}
EXACT = 1 << 53


def is_number(cell):
    try:
        return Decimal(cell).is_finite()
    except InvalidOperation:
        return False


class Declarations:
    """The types of columns that `xtf help` shows."""

    def __init__(self):
        self.tables = {}

    def of(self, path):
        """Returns {column: type} of a table; {} if it is not declared."""
        name = path.rpartition("/")[2]
        if name not in self.tables:
            result = XTF.run("help", name)
            self.tables[name] = dict(self.sections(result.output.decode())) if result.status == 0 else {}
        known = self.tables[name]
        best = [table for table in known if f"/{path}".endswith(f"/{table}") or (table.partition("/")[0] in path and "/" in table)] or [name]
        return known.get(max(best, key=len), {})

    @staticmethod
    def sections(text):
        for section in re.split(r"\n(?=\S)", text):
            head, *lines = section.splitlines()
            yield head.partition(":")[0], dict(re.match(r"  (\S+) +(whole number|time|percent|number|any|text)", line).groups() for line in lines)


class Tables:
    """Tables of a trace in files of CSV and JSON."""

    def __init__(self, trace, folder):
        self.trace, self.folder = trace, folder
        self.paths = {}  # path of a CSV file: path in the tree
        self.sums = {}  # of the columns that have only numbers, exact

    def write(self):
        for directory in DIRECTORIES[self.trace.stem]:
            result = XTF.run("ls", self.trace, directory or "/")
            for name in result.output.decode().splitlines() if result.status == 0 else ():
                self.write_table(f"{directory}/{name}".lstrip("/"))

    def write_table(self, path):
        result = XTF.run("cat", "--csv", self.trace, path)
        if result.status != 0:
            check(re.search(rb"is not a table|is a picture|has no rows|is a directory|neither a file nor", result.errors), str(result))
            return
        file = self.folder / f"{len(self.paths)}.csv"
        file.write_bytes(result.output)
        file.with_suffix(".json").write_bytes(XTF.expect("cat", "--json", self.trace, path))
        names, *rows = csv.reader(io.StringIO(result.output.decode(), newline=""))
        check(len(set(names)) == len(names), f"{path}: {names} has a name twice")
        columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
        self.paths[str(file)] = path
        self.sums[str(file)] = {name: sum(map(Decimal, filter(None, cells)), Decimal(0)) for name, cells in columns.items()
                                if any(cells) and all(not cell or is_number(cell) for cell in cells)}
        self.whole = {**getattr(self, "whole", {}), str(file): {name: 1 + names.index(name) for name in self.sums[str(file)] if all(columns[name])}}

    def check_types(self, declarations):
        """Tests that columns that are declared as numbers have only numbers, and count as such in the package."""
        trace = xtf.open(self.trace, command=XTF.program)
        for file, path in self.paths.items():
            frame = trace.table(path)
            for name, declared in declarations.of(path).items():
                if name not in frame or not frame[name].notna().any():
                    continue
                numeric = readers.pandas.api.types.is_numeric_dtype(frame[name])
                if declared in NUMBERS:
                    check(name in self.sums[file] and numeric, f"{path}: {name} is declared as {declared}, and is {frame[name].dtype}: {list(frame[name])[:3]}")
                elif declared == "text" and name in xtf.values.TEXTS:
                    check(not numeric, f"{path}: {name} is declared as text, and is {frame[name].dtype}")
            for name, total in self.sums[file].items():
                if readers.pandas.api.types.is_numeric_dtype(frame[name]):
                    self.compare("the package", file, name, total, sum(frame[name].dropna().tolist()))

    def compare(self, reader, file, name, total, found):
        same = int(found) == total if abs(total) < EXACT and total == int(total) and float(found).is_integer() else math.isclose(found, total, rel_tol=1e-9, abs_tol=1e-9)
        check(same, f"{reader}: {self.paths[file]}: the sum of {name} is {found!r}, should be {total}")

    def check_reader(self, name, read, least):
        """Compares the sums of a reader. `least` of the columns must count as numbers there."""
        numbers, files = 0, some_of(self.paths, len(self.paths) // 8 + 1)
        for file, sums in read(files).items():
            for column, found in sums.items():
                if column in self.sums[file]:
                    numbers += 1
                    self.compare(name, file, column, self.sums[file][column], found)
                else:
                    check((self.paths[file].rpartition("/")[2], column) in MIXED or column in xtf.values.TEXTS | {"name"} or name == "jq",
                          f"{name}: {self.paths[file]}: {column} counts as a number")
        wanted = sum(len(self.sums[file]) for file in files)
        check(numbers >= least * wanted, f"{name}: {numbers} of {wanted} columns count as numbers")
        print(f"{name}: {numbers} of {wanted} columns of numbers")


def check_texts():
    """Checks the package's list of columns that are texts in each table, as `xtf help` declares."""
    types = {}
    for name in set(re.findall(r"^\*\*`([^`]+)`\*\*", XTF.expect("help", "--markdown").decode(), re.MULTILINE)):
        for columns in Declarations.sections(XTF.expect("help", name).decode()):
            for column, declared in columns[1].items():
                types.setdefault(column, set()).add(declared)
    texts = {name for name, declared in types.items() if declared == {"text"}} - {"focus"}  # of efficiency, which has numbers in rows
    check(len(types) > 100 and texts == xtf.values.TEXTS, f"only in xtf help: {sorted(texts - xtf.values.TEXTS)}; only in the package: {sorted(xtf.values.TEXTS - texts)}")


def check_totals(trace):
    """Compares sums of tables in pandas with other files of the tree."""
    table = lambda path: readers.pandas.read_csv(io.BytesIO(XTF.expect("cat", "--csv", trace, path)))
    count = lambda path: int(XTF.expect("cat", trace, f"{path}/count"))
    totals = table("totals").iloc[0]
    matrix, profile, by_time, sends = table("matrix"), table("profile"), table("by/time:4/totals"), table("sends/records")
    for label, found, expected in (("messages", matrix["messages"].sum(), count("sends")), ("bytes", matrix["bytes"].sum(), totals["sent_bytes"]),
                                   ("bytes of records", sends["bytes"].sum(), totals["sent_bytes"]), ("calls", profile["calls"].sum(), count("calls")),
                                   ("records by time", by_time["count"].sum(), count("")), ("histogram", table("histogram")["count"].sum(), count(""))):
        check(found == expected > 0, f"{label}: {found}, should be {expected}")


def check_cookbook(tables, declarations):
    """Checks that the tables of the cookbook's commands were read. `xtf help` must know a name."""
    text = (PROJECT / "docs/COOKBOOK.md").read_text()
    commands = [line for line in text.splitlines() if re.match(r"    (\$|>|[a-z]+ = )", line)]
    words = {word for line in commands for path in re.findall(r"[\w/%:*.\-~]+", line) for word in [path.removesuffix(".csv").rpartition("/")[2]]}
    known = {word for word in words if XTF.run("help", word).status == 0}
    read = {path.rpartition("/")[2] for table in tables for path in table.paths.values()}
    missing = known - read - {"values"}  # an argument of pandas there
    check(len(known) > 15 and not missing, f"tables of the cookbook that no program has read: {sorted(missing)}, of {sorted(known)}")


def main():
    declarations, all_tables, failures = Declarations(), [], 0
    with temporary_folder() as name:
        root = pathlib.Path(name)
        traces = [root / f"{name}.xtf" for name in DIRECTORIES]
        for trace, source in zip(traces, ("melt-4", "wave-8")):
            XTF.expect("import", "--quiet", "-o", trace, PROJECT / "examples" / source / "eztrace_log.otf2")
        for command in ("align", "analyze"):
            XTF.expect(command, "--quiet", traces[1])
        shutil.copy(PROJECT / "examples/rod-4/rod.xtf", traces[2])
        if XTF.run("import", "--quiet", "-o", traces[3], PROJECT / "examples/network-8/net_median.nc").status != 0:
            traces.pop()
        for trace in traces:
            folder = root / trace.stem
            folder.mkdir()
            tables = Tables(trace, folder)
            tables.write()
            all_tables.append(tables)
            try:
                tables.check_types(declarations)
                for reader, read in readers.present().items():
                    # JSON has strings for times.
                    tables.check_reader(reader, read, 0.5 if reader == "pandas, JSON" else 1)
                if shutil.which("gnuplot"):
                    tables.check_reader("gnuplot", lambda files, whole=tables.whole: readers.run_gnuplot(files, whole), 0.5)
            except Failure as failure:
                print(f"{trace.stem}: {failure}")
                failures += 1
        check_texts()
        check_totals(traces[0])
        check_cookbook(all_tables, declarations)
        print(f"{sum(len(tables.paths) for tables in all_tables)} tables")
    return failures > 0


if __name__ == "__main__":
    run_test(main)
