#!/usr/bin/env python3
"""Checks the table of docs/VOCABULARY.md that says which aggregates a table of a mounted trace needs.

A line is TABLES | CLAUSES | conditions. A clause is one aggregate, or several joined by "or"; clauses are joined by "and". The test makes
aggregates of a trace unknown, one set after another, and lists directories. Without all aggregates of a clause the table must be gone.
With one of them it must be there. sample_traces.py makes the traces.

usage: test_needs.py XTF VOCABULARY.md OTF2-ARCHIVES
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import sample_traces
import xtf_patch  # found by the path that sample_traces sets

HEAD = "| table | aggregates | conditions |\n"
DERIVED = ["waits", "delays", "critical"]
FOLDERS = ["", "recvs", "frames/25fps/0", *DERIVED]  # the tables `state` and `total` are listed in frames alone


def read_needs(page):
    """Returns {table: [{aggregate, ...}, ...]}: all clauses must be fulfilled, each by one of its aggregates."""
    _, head, lines = page.partition(HEAD)
    if not head:
        sys.exit(f"FAILED: the page has no line {HEAD}")
    needs = {}
    for line in lines.splitlines()[1:]:
        if not line.startswith("|"):
            break
        tables, clauses, _ = line[1:-1].split("|")
        for table in re.findall(r"`(.*?)`", tables):
            needs[table] = [set(re.findall(r"`(.*?)`", clause)) for clause in clauses.split(" and ") if "`" in clause]
    return needs


def list_tables(xtf, trace):
    """Returns the tables of all folders. Their names have the folder in front, except at the top and in frames."""
    found = set()
    for folder in FOLDERS:
        done = subprocess.run([xtf, "ls", trace, *([folder] if folder else [])], capture_output=True, text=True, timeout=60, check=False)
        prefix = "" if not folder or folder.startswith("frames") else folder + "/"
        found |= {prefix + name for name in done.stdout.split()}
    return found


def aggregates_of(data):
    """Returns the names of all aggregates of a trace: TYPE.N, from 1."""
    file = xtf_patch.File(data)
    return {f"{name}.{i + 1}" for _, name in file.schemas() for i in range(len(file.schema(name)[3]))}


def without(data, names):
    """Returns a trace in which aggregates are of an unknown kind."""
    file = xtf_patch.File(data).one_superblock()
    for name in names:
        schema, _, number = name.partition(".")
        file.schema(schema)[3][int(number) - 1].kind = 77
    file.seal()
    return bytes(file.data)


class Judge:
    def __init__(self, xtf, folder, data):
        self.xtf, self.file, self.data, self.known, self.faults = xtf, folder / "patched.xtf", data, aggregates_of(data), []
        self.whole = self.tables_without(set())

    def tables_without(self, names):
        self.file.write_bytes(without(self.data, names))
        return list_tables(self.xtf, self.file)

    def expect(self, truth, table, names, what):
        if not truth:
            self.faults.append(f"without {' '.join(sorted(names))} {table} is {what}")

    def check_clauses(self, needs, seen):
        """Checks the clauses of all tables that the trace has, and adds these to `seen`."""
        for table in sorted(self.whole & set(needs)):
            for clause in needs[table]:
                had = clause & self.known
                self.expect(table not in self.tables_without(had), table, had, "still there")
                for one in had if len(had) > 1 else ():
                    self.expect(table in self.tables_without(had - {one}), table, had - {one}, "gone")
            seen.add(table)

    def check_singles(self, needs):
        """Checks that no table needs an aggregate that the page does not name."""
        for name in sorted(self.known):
            gone = self.whole - self.tables_without({name})
            said = {table for table in needs if any(clause & self.known == {name} for clause in needs[table])} & self.whole
            for table in (gone & set(needs)) ^ said:
                self.expect(False, table, {name}, "gone" if table in gone else "still there")


def main():
    xtf, page, writer = sys.argv[1:]
    needs, seen, faults = read_needs(pathlib.Path(page).read_text()), set(), []
    with tempfile.TemporaryDirectory() as folder:
        for name, trace in sample_traces.make_traces(xtf, pathlib.Path(folder), writer, False):
            judge = Judge(xtf, pathlib.Path(folder), trace.read_bytes())
            if not judge.whole & set(needs) - seen:
                continue
            judge.check_clauses(needs, seen)
            judge.check_singles(needs)
            faults += [f"{name}: {fault}" for fault in judge.faults]
            print(f"{name}: {len(seen)} of {len(needs)} tables")
    missing = set(needs) - seen
    if missing:
        faults.append(f"no trace has the tables {' '.join(sorted(missing))}")
    if faults:
        sys.exit("\n".join(["FAILED:", *faults]))
    return 0


sys.exit(main())
