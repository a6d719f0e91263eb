#!/usr/bin/env python3
"""Call sites in tables of messages, waits, the critical path, operations and pending calls. A program logs at which lines it sends, posts,
completes and joins, and each line of a table must name these lines.

usage: test_sides.py ELF

ELF: 1 if this build finds names of functions.
"""

import collections
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import fewer  # noqa: E402
from recording import Case, mpis  # noqa: E402

ELF = sys.argv.pop(1) == "1"
LATE_NS = 300 * 1000 * 1000  # delay of a process
TABLES = {"messages": ["send_site", "recv_site"], "longest": ["site"], "operations": ["first_site", "last_site"], "critical/segments": ["from_site", "to_site"],
          "waits/records": ["site", "culprit_site"], "enters_leaves/records": ["site"], "calls/records": ["site"]}


class Sides(Case):
    def compile_program(self, mpi, *options):
        self.run_in(f"mpicc.{mpi}", "-w", "-g", "-O1", *options, "-I", HERE, "-o", "sides", HERE / "sides.c", HERE / "counted.c")

    def record_program(self, mpi, *options, record=()):
        """Records the program and analyses it. Returns the path of the trace."""
        self.compile_program(mpi, *options)
        path, _ = self.record(mpi, 2, self.folder / "sides", options=["--force", "--quiet", *record])
        self.xtf("analyze", "--quiet", path)
        return path

    def lines(self, path, table):
        """Returns the lines of a table."""
        return [json.loads(line) for line in self.xtf("cat", "--json", path, table).splitlines()]

    def noted(self):
        """Returns {(kind, number): {process: site}} by the program's own notes."""
        found = collections.defaultdict(dict)
        for rank in range(2):
            for line in (self.folder / f"sides.{rank}").read_text().splitlines():
                kind, number, function, place = line.split()
                found[kind, int(number)][rank] = f"{function} (sides.c:{place})"
        return found

    def side(self, noted, kind, tag):
        """Returns the site of the one process that has done something with a tag."""
        site, = noted[kind, tag].values()
        return site

    def check_messages(self, path, noted):
        messages = self.lines(path, "messages")
        self.assertEqual(len(messages), 1 + 1 + 3 * 4 + 2)
        for message in messages:
            tag = message["tag"]
            self.assertEqual((message["send_site"], message["recv_site"]), (self.side(noted, "send", tag), self.side(noted, "post", tag)), message)

        for number, message in enumerate(messages):
            text = dict(line.split(maxsplit=1) for line in self.xtf("cat", path, f"sends/num/{number}/message").splitlines())
            self.assertEqual((text["send_site"], text["recv_site"]), (message["send_site"], message["recv_site"]))

    def check_waits(self, path, noted):
        """Checks each wait. Returns (kind, *sites) of the long ones."""
        seen, calls = set(), self.counted()
        joins = [sites for (kind, _), sites in noted.items() if kind == "join"]
        for wait in self.lines(path, "waits/records"):
            kind, tag, sites = wait["event"], wait["tag"], (wait["site"], wait["culprit_site"])
            self.assertIn((wait["proc"], wait["name"], wait["site"]), calls, wait)
            if kind in ("late_sender", "late_receiver"):
                culprit = self.side(noted, "send" if kind == "late_sender" else "post", tag)
                self.assertEqual(sites, (noted["end", tag][wait["proc"]], culprit), wait)
            elif wait["culprit"] is None:
                self.assertIsNone(wait["culprit_site"], wait)
            elif kind == "finalize_wait":
                self.assertIn((wait["culprit"], "MPI_Finalize", wait["culprit_site"]), calls, wait)
            elif kind in ("wait_barrier", "wait_nxn"):
                self.assertIn(sites, {(join[wait["proc"]], join[wait["culprit"]]) for join in joins}, wait)
            if wait["amount"] > LATE_NS // 2:
                seen.add((kind, *sites))
        return seen

    def check_tables(self, path, noted):
        self.check_messages(path, noted)
        allreduce, = (sites for (kind, _), sites in noted.items() if kind == "join" and sites[0].startswith("come_late"))
        seen = self.check_waits(path, noted)
        late = {("late_sender", self.side(noted, "post", 100), self.side(noted, "send", 100)),
                ("late_receiver", self.side(noted, "send", 200), self.side(noted, "post", 200)),
                ("wait_nxn", allreduce[1], allreduce[0])}
        self.assertLessEqual(late, seen)
        self.check_operations(path, noted)
        self.check_path(path, late)
        self.check_calls(path)

    def check_operations(self, path, noted):
        """Checks the operations of MPI_COMM_WORLD, which the program joins in their order."""
        operations = [line for line in self.lines(path, "operations") if line["operation"] in ("BARRIER", "ALLREDUCE")]
        joins = [noted["join", i] for i in range(len(operations))]
        self.assertNotIn(("join", len(operations)), noted)
        self.assertGreater(len({tuple(join.values()) for join in joins if join[0] != join[1]}), 1)
        for operation, join in zip(operations, joins):
            self.assertEqual((operation["first_site"], operation["last_site"]), (join[1 - operation["last"]], join[operation["last"]]), operation)

    def check_path(self, path, late):
        """Checks that the critical path goes from the late call to the call that waited."""
        segments = self.lines(path, "critical/segments")
        steps = {(after["from_site"], before["to_site"]) for before, after in zip(segments, segments[1:])}
        self.assertLessEqual({(waiter, culprit) for _, waiter, culprit in late}, steps)
        self.assertRegex(segments[0]["from_site"], r"^main \(")
        self.assertRegex(segments[-1]["to_site"], r"^main \(")
        self.check_path_between_calls(path)

    def check_path_between_calls(self, path):
        """Checks that a segment that a window cuts has the site of the call that is open there: none between calls."""
        calls = [line for line in self.lines(path, "proc/1/calls/records") if line["site"].startswith("exchange")]
        before, after = next(pair for pair in zip(calls, calls[1:]) if pair[1]["name"] == "MPI_Isend")
        for moment, site in (((float(before["end"]) + float(after["start"])) / 2, None), (float(after["start"]), after["site"])):
            first = self.lines(path, f"time/{moment:.9f}-/critical/segments")[0]
            self.assertEqual((first["proc"], first["from_site"]), (1, site))

    def counted(self):
        """Returns {(process, MPI function, site): calls} by the program's own counts."""
        found = collections.Counter()
        for rank in range(2):
            for line in (self.folder / f"counts.{rank}").read_text().splitlines():
                name, function, _, number, calls = line.split()
                found[rank, name, f"{function} (sides.c:{number})"] += int(calls)
        return found

    def check_calls(self, path):
        """Checks the tables of calls against the program's counts."""
        expected = self.counted()
        for table, filtered in (("calls/records", None), ("enters_leaves/records", "ENTER"), ("enters_leaves/records", "LEAVE")):
            found = collections.Counter((line["proc"], line["name"], line["site"]) for line in self.lines(path, table) if line.get("event") in (None, filtered))
            self.assertEqual(found, expected, table)
        longest = self.lines(path, "longest")
        self.assertLessEqual({(line["proc"], line["region"], line["site"]) for line in longest if line["start"]}, set(expected))
        self.assertGreater(len(longest), 10)

    def check_text(self, path):
        """Checks that the text of tables has the sites in the columns that their heading names, without the blank of their names."""
        for table, columns in TABLES.items():
            lines = self.xtf("cat", path, table).splitlines()
            self.assertEqual(len({len(line) for line in lines}), 1, table)
            heading = lines.pop(0).removeprefix("# ").split() if lines[0].startswith("#") else [
                line.split()[0] for line in self.xtf("cat", path, table.replace("records", "columns")).splitlines() if line[0] != "#"]
            rows = list(csv.DictReader(self.xtf("cat", "--csv", path, table).splitlines()))
            self.assertEqual(len(rows), len(lines))
            for row, line in zip(rows, lines):
                cells = line.split()
                self.assertEqual(len(cells), len(heading), line)
                for name in columns:
                    self.assertEqual(cells[heading.index(name)], row[name].replace(" (", "(") or "-", line)

    @unittest.skipUnless(ELF, "this build does not read object files (Meson feature elf)")
    def test_tables(self):
        for mpi in self.mpis():
            with self.subTest(mpi=mpi):
                path = self.record_program(mpi)
                self.check_tables(path, self.noted())
                self.check_text(path)

    @unittest.skipUnless(ELF, "this build does not read object files (Meson feature elf)")
    def test_long_names(self):
        """Checks that a long name loses its function, not its line, and is whole in JSON."""
        mpi, name = mpis()[0], "receive_" + 40 * "x"
        path = self.record_program(mpi, f"-Dreceive_early={name}")
        message, = (line for line in self.lines(path, "messages") if line["tag"] == 100)
        place, = re.findall(rf"^{name} \((sides\.c:\d+)\)$", message["recv_site"])
        text, = (line.split() for line in self.xtf("cat", path, "messages").splitlines() if line.split()[6] == "100")
        self.assertEqual(text[-1], place)

    @unittest.skipUnless(ELF, "this build does not read object files (Meson feature elf)")
    def test_pending(self):
        for mpi in self.mpis():
            with self.subTest(mpi=mpi):
                self.compile_program(mpi)
                path = self.folder / "dead.xtf"
                command = [os.environ["XTF"], "record", "--quiet", "--force", "-o", path, *self.launch(mpi, 2, self.folder / "sides", "die")]
                done = subprocess.run([str(word) for word in command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
                self.assertNotEqual(done.returncode, 0)
                pending = {line["proc"]: line for line in self.lines(path, "pending/records")}
                self.assertEqual(pending[0]["site"], self.side(self.noted(), "post", 1))
                self.assertEqual((pending[0]["name"], pending[0]["tag"]), ("MPI_Recv", 1))

    def test_without_sites(self):
        """Checks that a trace without call sites has no columns of them."""
        for mpi in self.mpis():
            with self.subTest(mpi=mpi):
                path = self.record_program(mpi, record=["--sites=0"])
                for table in TABLES:
                    lines = self.lines(path, table)
                    self.assertTrue(lines, table)
                    self.assertFalse([name for name in lines[0] if "site" in name], table)


if __name__ == "__main__":
    if not mpis():
        print("skipped: no installed MPI can compile and run programs")
        sys.exit(77)
    fewer.main()
