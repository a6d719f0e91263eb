#!/usr/bin/env python3
"""Compares CSV and JSON Lines of tables and records, read by Python's csv and json, with the same files as text. The traces are imports of
archives, of one archive by OTF2's own writer, and of the shared real traces if they are there.

usage: values.py XTF OTF2-ARCHIVES ARCHIVE...
"""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys

from asking import Asker, Refused
from shown import findings_of
from xtfrun import Failure, Xtf, check, run_test, shared_traces, temporary_folder

VIEWS = ["info", "totals", "histogram", "profile", "classes", "imbalance", "efficiency", "stack", "longest", "matrix", "bytes",
         "messages", "unmatched", "metrics", "values", "growth", "rates", "state", "total", "arrows/a", "findings", "columns",
         "definitions/regions", "definitions/locations", "definitions/communicators", "definitions/properties",
         "definitions/colours", "by/proc/bytes", "by/time:7/totals", "by/class/totals", "waits/profile", "waits/matrix",
         "frames/25fps/0/run", "waits/totals", "waits/callpaths", "waits/waves", "delays/profile", "delays/callpaths", "critical/profile",
         "critical/segments", "critical/callpaths"]
RECORDS = ["records", "calls/records", "enters_leaves/records", "sends/records", "counters/records", "collectives/records",
           "waits/records"]
TIMES_OF_RUN = ("duration", "from", "to")
# Files of a record's own directory. Then record types, the number of records of each that are read, and the number of records with such a
# file.
SIDES = ["attributes", "metric_values", "arguments", "children"]
SIDES_OF = ["calls", "sends", "counters", "programs"]
SIDE_RECORDS, SIDE_FILES = 20, 2
SELECTIONS = ["", "time/20%-70%/", "proc/1/"]


def unescape_cell(text):
    """Returns a cell of a table with its blanks and backslashes. Bytes that no cell may have in any format stay escaped."""
    return re.sub(r"\\x(20|5c)", lambda byte: chr(int(byte.group(1), 16)), text)


def is_same(shown, value):
    """True if a cell of the text shows a value: a dash is an empty value, and a cut text ends in its row's number."""
    if shown in ("", "-", "?"):
        return value in ("", "-", shown)
    shown = unescape_cell(shown)
    cut = re.fullmatch(r"(.*)(?:~\d+|\u2026)", shown)
    return shown == ("" if value is None else value) or (shown == '""' and value == "") or bool(cut and value.startswith(cut.group(1)))


class Tables:
    """The files of a trace in all formats, by one process. FILE.csv must equal the output of `xtf cat --csv` of FILE, which the object
    checks for the first and every tenth. Only the command writes files that are too long for a mount."""

    EVERY = 10

    def __init__(self, xtf, trace):
        self.xtf, self.trace = xtf, trace
        self.asker = Asker(xtf, os.environ["ASK_TREE"], trace)
        self.asked = 0

    def __str__(self):
        return str(self.trace)

    def text(self, path):
        """Returns the text of a file, or None if it does not exist."""
        try:
            return self.asker.ask(f"cat {path}")
        except Refused:
            return None

    def listed(self, path):
        try:
            return self.asker.ask(f"ls {path}").decode().split()
        except Refused:
            return []

    def values(self, path, form):
        self.asked += 1
        try:
            values = self.asker.ask(f"cat {path}.{form}")
        except Refused as refused:
            check("longer than 1048576 bytes" in str(refused), str(refused))
            return self.xtf.expect("cat", f"--{form}", self.trace, path).decode()
        if self.asked % self.EVERY == 1:
            check(values == self.xtf.expect("cat", f"--{form}", self.trace, path), f"{path}.{form} is not what cat --{form} writes")
        return values.decode()


def columns_of_text(tables, path, lines):
    """Returns the cells of each line of a text, by its heading or, for records, by the file `columns`."""
    if path.endswith("findings"):
        return findings_of("\n".join(lines))
    if path.endswith("/run"):
        return [[*line.split(None, 2), ""][:3] if line.split()[0] in TIMES_OF_RUN else [*line.split(None, 1), ""] for line in lines]
    if not path.endswith(("records", "children")):
        # Only the last column has blanks. Tables of fixed length end with lines of dashes, which CSV and JSON leave out.
        n = len(lines[0].lstrip("# ").split())
        return [line.rstrip().split(None, n - 1) for line in lines[1:] if line.strip(" -")]
    text = tables.values(re.sub("records$|num/[0-9]*/children$", "columns", path), "csv")
    places = [(int(column["from"]) - 1, int(column["to"])) for column in csv.DictReader(text.splitlines())]
    return [[line[begin:end].strip() for begin, end in places] for line in lines]


def without_paths(line):
    """Returns a line of `efficiency` as CSV has it: the paths of the line `window` are in the last column."""
    paths = [f"{name}: {cell}" for name, cell in (("value", line[1]), ("focus", line[3])) if line[0] == "window" and cell != "-"]
    return [line[0], "-", line[2], "-", line[4], ", ".join(paths)] if paths and line[1] != "-" else line


def json_text(value):
    return "" if value is None else value if isinstance(value, str) else None


def is_same_json(of_json, value):
    return json_text(of_json) == value or (json_text(of_json) is None and float(value) == float(of_json))


def compare_file(tables, path):
    """True if the trace has the file."""
    shown = tables.text(path)
    if shown is None:
        return False
    lines = shown.decode().splitlines()
    rows = list(csv.reader(tables.values(path, "csv").split("\n")[:-1]))
    objects = [json.loads(line) for line in tables.values(path, "json").split("\n")[:-1]]
    cells = columns_of_text(tables, path, lines)
    check(len(rows) - 1 == len(cells) == len(objects), f"{path}: {len(cells)} lines, {len(rows) - 1} of CSV, {len(objects)} of JSON")
    for number, (line, row, fields) in enumerate(zip(cells, rows[1:], objects)):
        place = f"{tables}: {path}, line {number}"
        if list(fields) != rows[0]:
            raise Failure(f"{place}: JSON has {list(fields)}, CSV {rows[0]}")
        line += [""] * (len(row) - len(line))
        if path.endswith("efficiency"):
            line = without_paths(line)
        for name, text, value in zip(rows[0], line, row):
            # Most cells have the same text, and the loop builds a message only for a wrong one, to save time.
            if not (text == value and "\\" not in text) and not is_same(text, value):
                raise Failure(f"{place}, {name}: {text!r} as text, {value!r} as CSV")
            of_json = fields[name]
            if of_json != value and not is_same_json(of_json, value):
                raise Failure(f"{place}, {name}: {value!r} as CSV, {of_json!r} as JSON")
    return True


def compare_sides(tables):
    """Returns the names of the files of single records that were compared."""
    seen = set()
    for record_type in SIDES_OF:
        files = 0
        for number in range(SIDE_RECORDS):
            directory = f"{record_type}/num/{number}"
            listed = tables.listed(directory)
            if not listed or files >= SIDE_FILES:
                break
            for side in set(SIDES) & set(listed):
                files += 1
                check(compare_file(tables, f"{directory}/{side}"), f"{directory} lists {side}, which does not exist")
                named = tables.xtf.expect("cat", tables.trace, f"{directory}/{side}.csv")
                check(named == tables.xtf.expect("cat", "--csv", tables.trace, f"{directory}/{side}"), f"{directory}/{side}.csv is another table")
                seen.add(side)
    return seen


def check_files(xtf, trace):
    """Checks FILE.csv and FILE.json, files that have neither, and both options together."""
    for form in ("csv", "json"):
        named = xtf.expect("cat", trace, f"proc/0/profile.{form}")
        check(named == xtf.expect("cat", f"--{form}", trace, "proc/0/profile"), f"profile.{form} is not what cat --{form} writes")
        check(form not in xtf.expect("ls", trace, "proc/0").decode(), f"proc/0 lists files of {form}")
        for path in ("count", "timeline.svg", "index.html"):
            result = xtf.run("cat", f"--{form}", trace, path)
            check(result.status == 1 and not result.output, f"{path} as {form}: {result}")
        check(xtf.run("cat", trace, f"none.{form}").status == 1, f"none.{form} exists")
    check(xtf.run("cat", "--csv", "--json", trace, "profile").status == 2, "--csv and --json are accepted together")


def check_length(xtf, trace):
    """Checks that a mount makes at most 1 MiB at lookup. Returns true if the file is longer, which only the command can write."""
    expected = xtf.expect("cat", "--json", trace, "records")
    result = xtf.run("cat", trace, "records.json")
    if len(expected) > 1 << 20:
        check(result.status == 1 and b"longer than 1048576 bytes" in result.errors, f"records.json of {len(expected)} bytes: {result}")
    else:
        check(result.output == expected, "records.json is not what cat --json writes")
    return len(expected) > 1 << 20


def main():
    xtf = Xtf(sys.argv[1])
    shared = shared_traces()
    shared_archives = [shared / name / "traces.otf2" for name in ("coverage-10", "pingpong-papi-2")] if shared else []
    seen, long = set(), False
    with temporary_folder() as folder:
        made = pathlib.Path(folder) / "made"
        subprocess.run([sys.argv[2], made, "all-events"], check=True, timeout=60)
        sides = set()
        for number, archive in enumerate([made / "all-events.otf2", *map(pathlib.Path, sys.argv[3:]), *shared_archives]):
            trace = pathlib.Path(folder) / f"{number}.xtf"
            xtf.import_archive(archive, trace)
            if archive not in shared_archives:
                sides |= compare_sides(Tables(xtf, trace))
            if archive.parent == made:
                continue
            xtf.expect("analyze", "--quiet", trace)
            tables = Tables(xtf, trace)
            seen |= {path for path in VIEWS + RECORDS for selection in SELECTIONS if compare_file(tables, selection + path)}
            check_files(xtf, trace)
            long |= check_length(xtf, trace)
    check(sides == set(SIDES), f"no record has {sorted(set(SIDES) - sides)}")
    missing = set(VIEWS + RECORDS) - seen
    check(not shared_archives or not missing, f"no archive has {sorted(missing)}")
    check(len(missing) <= 6, f"the archives of the project lack {sorted(missing)}")
    check(long, "no archive has records that are longer than 1 MiB as JSON")
    return 0


run_test(main)
