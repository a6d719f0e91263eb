#!/usr/bin/env python3
"""Recordings of some ranks, and of a part of the time: `--ranks` and pauses. Recorded ranks must have the records that they have in a recording
of all. Ranks and times without records must not count as computing.

usage: test_ranks.py
"""

import collections
import csv
import io
import re
import subprocess

import recording
from recorded_trace import OFF, Recorded

SIZE = 4
INCLUDE = recording.TABLE.parents[1] / "regions"


class Ranks(recording.Case):
    def chosen(self, mpi, *options, **environment):
        """Records programs/chosen.c, whose messages must arrive. Returns the trace's path, its records and the output of `xtf record`."""
        program = self.folder / f"chosen-{mpi}"
        if not program.exists():
            (self.folder / "xtf").unlink(missing_ok=True)
            (self.folder / "xtf").symlink_to(INCLUDE)
            self.compile(mpi, "chosen", "-I", self.folder)
        path = self.folder / "run.xtf"
        command = [recording.XTF, "record", "-f", *options, "-o", path, *self.launch(mpi, SIZE, program)]
        done = subprocess.run([str(word) for word in command], cwd=self.folder, env={**self.environment, **environment}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=recording.TIMEOUT, check=True)
        self.assertEqual(sorted(done.stdout.splitlines()), [f"{rank} 0" for rank in range(SIZE)])
        self.xtf("check", path)
        trace = Recorded(path)
        self.addCleanup(trace.close)
        return path, trace, done.stderr

    def rows(self, path, table):
        return list(csv.DictReader(io.StringIO(self.xtf("cat", "--csv", path, table))))

    def events(self, trace, process):
        return collections.Counter((record.event, record.region) for record in trace.records[process << 32])

    def is_silent(self, trace, process):
        records = trace.records[process << 32]
        switches = [record.mode for record in records if record.event == "MEASUREMENT_ON_OFF"]
        entered = [record.region for record in records if record.event == "ENTER"]
        if switches == ["OFF", "ON", "OFF"]:
            self.assertEqual(entered, ["MPI_Init", OFF, "MPI_Finalize", OFF])
            return True
        self.assertEqual(switches, [])
        self.assertNotIn(OFF, entered)
        return False

    def test_records(self):
        """Tests that recorded ranks have all records, communicators and matched messages."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                full_path, full, _ = self.chosen(mpi)
                counts = {what: self.xtf("cat", full_path, f"{what}/count") for what in ("proc/0-1/sends", "proc/0-1/peer/0-1/sends", "proc/0-1/peer/0-1/recvs")}
                path, part, said = self.chosen(mpi, "--ranks", "0-1")
                self.assertIn("processes 2-3: not recorded between MPI_Init and MPI_Finalize (--ranks)", said)
                self.assertEqual([self.is_silent(part, process) for process in range(SIZE)], [False, False, True, True])
                for process in 0, 1:
                    self.assertEqual(self.events(part, process), self.events(full, process))
                for what, count in counts.items():
                    self.assertEqual(self.xtf("cat", path, f"{what}/count"), count, what)
                report = self.xtf("analyze", path)
                sent, matched = int(counts["proc/0-1/sends"]), int(counts["proc/0-1/peer/0-1/sends"])
                self.assertGreater(sent, matched)
                self.assertRegex(report, rf"messages +{matched}  matched; left out {sent - matched} sends, {sent - matched} receives")
                self.assertRegex(report, r"unmatched .*: the other end is missing, as recording was off there for a while")

    def test_findings(self):
        """Tests that findings name the slow process, and no process that is not recorded but to say so."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                path, _, _ = self.chosen(mpi, "--ranks", "0-1")
                self.xtf("analyze", "-q", path)
                found = self.rows(path, "findings")
                slow = [one["finding"] for one in found if one["rule"] == "imbalance"]
                self.assertTrue(any(text.startswith("process 1 takes ") and " in work " in text for text in slow), found)
                for one in found:
                    named = re.findall(r"process(?:es)? ([-\d,]+)", one["finding"])
                    self.assertEqual("2" in "".join(named) or "3" in "".join(named), one["rule"] == "unrecorded", one)
                    self.assertNotIn(OFF, one["finding"])
                    self.assertNotIn(one["rule"], ("mismatch", "crash", "early", "not_left", "missing"))
                    self.xtf("cat", path, one["table"])
                self.assertEqual([one["table"] for one in found if one["rule"] == "unrecorded"], ["class/unrecorded/calls/records"])
                self.assertRegex([one["finding"] for one in found if one["rule"] == "unmatched"][0], "have a partner that was not recorded")
                for table in "efficiency", "imbalance":
                    own = [{name: value for name, value in row.items() if name != "how"} for row in self.rows(path, f"proc/0-1/{table}")]
                    self.assertEqual([{name: value for name, value in row.items() if name != "how"} for row in self.rows(path, table)], own)
                silent = {row["proc"]: (row["colour"], row["region"]) for row in self.rows(path, "time/-60%/state")}
                self.assertEqual((silent["2"], silent["3"]), (("-", OFF), ("-", OFF)))

    def test_lists(self):
        for mpi in recording.mpis()[:1]:
            for ranks, silent in (("1,3-", [True, False, True, False]), ("-0,2", [False, True, False, True]), ("7", [True] * SIZE), ("0-", [False] * SIZE)):
                _, trace, _ = self.chosen(mpi, XTF_RECORD_RANKS=ranks)
                self.assertEqual([self.is_silent(trace, process) for process in range(SIZE)], silent, ranks)
        for wrong in "all", "3-1", "1,,2", "1 2":
            done = subprocess.run([recording.XTF, "record", "--ranks", wrong, "true"], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=recording.TIMEOUT, check=False)
            self.assertEqual((done.returncode, done.stderr), (2, f"xtf: record: --ranks '{wrong}': ranks such as 0-15,1024 are needed\n"))

    def test_pause(self):
        """Tests that efficiencies leave out a time in which no process is recorded, and that findings name it."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                path, _ = self.record(mpi, 3, self.compile(mpi, "windowed"), 1, 20, 30, options=["-f", "--start=off"])
                length = float(self.xtf("cat", path, "time/0-/info").split("duration")[1].split()[0])
                useful, off = collections.Counter(), collections.Counter()
                for row in self.rows(path, "by/proc/classes"):
                    useful[row["proc"]] += float(row["exclusive"]) if row["class"] in ("program", "(no region)") else 0
                    off[row["proc"]] += float(row["exclusive"]) if row["class"] == "unrecorded" else 0
                self.assertGreater(min(off.values()), 0)
                figures = {row["figure"]: row["value"] for row in self.rows(path, "efficiency")}
                apart = max(off.values()) - min(off.values()) > length / 100
                if not apart:
                    self.assertAlmostEqual(float(figures["parallel_efficiency"]), sum(useful.values()) / 3 / (length - min(off.values())), 3)
                found = {one["rule"]: one["finding"] for one in self.rows(path, "findings")}
                self.assertRegex(found["unrecorded"], "recorded less than the others" if apart else "recording was off for .* of all time")


if __name__ == "__main__":
    recording.main()
