#!/usr/bin/env python3
"""Archives with peculiarities of real archives that readers often get wrong, written by OTF2's own writer. The test compares traces with
otf2-print's lines or, where otf2-print fails, with the events that were written.

usage: traps.py [--mount] XTF OTF2-ARCHIVES
"""

import argparse
import pathlib
import re
import subprocess
import sys

import compare
from otf2events import EVENTS
from shown import Cat, Shown
from xtfrun import PROJECT, Failure, Xtf, need_programs, need_mounts, some_of, temporary_folder

SOUND = ["all-events", "clock-offsets", "clock-1hz", "clock-4ghz", "mapped-ids", "rank-low-ids", "rank-high-ids",
         "duplicate-definitions", "late-definitions", "missing-definitions", "region-per-process", "wrong-counts",
         "odd-calls", "open-receives", "contexts", "odd-contexts", "samples-alone", "another name.v2", "backward-times", "no-events", "sums-calls", "sums-deep",
         "sums-names"]

# A ring of 3 processes, 300 rounds of 6 events.
RING = 1800


def expect_equal(label, found, wanted):
    if found != wanted:
        raise Failure(f"{label}: {found!r}, should be {wanted!r}")


class Traps:
    def __init__(self, xtf, folder):
        self.xtf = xtf
        self.folder = folder

    def archive(self, name):
        return self.folder / (name + ".otf2")

    def imported(self, name, *options):
        """Returns the trace and the messages of the import."""
        trace = self.folder / (name + ".xtf")
        result = self.xtf.run("import", "--quiet", "--force", *options, "-o", trace, self.archive(name))
        if result.status != 0:
            raise Failure(str(result))
        self.xtf.expect("check", trace)
        return Shown(Cat(self.xtf, trace)), result.errors.decode()

    def refused(self, name, word):
        """Asserts that an import without --keep-going makes no trace and prints a message with the word."""
        trace = self.folder / (name + ".xtf")
        result = self.xtf.run("import", "--quiet", "--force", "-o", trace, self.archive(name))
        expect_equal(f"status of importing {name}", result.status, 1)
        expect_equal(f"{name} leaves a file", trace.exists(), False)
        if word not in result.errors.decode():
            raise Failure(f"importing {name} does not speak of {word}: {result.errors.decode()}")

    def missing_events(self):
        self.refused("missing-events", "1.evt")
        shown, messages = self.imported("missing-events", "--keep-going")
        expect_equal("records beside those missing", shown.count("/"), 2 * RING)
        expect_equal("records of location 2", shown.count("/proc/2"), RING)
        expect_equal("1.evt is named", "1.evt" in messages, True)

    def truncated_events(self):
        self.refused("truncated-events", "1")
        shown, messages = self.imported("truncated-events", "--keep-going")
        remaining = shown.count("/proc/1")
        expect_equal("records of locations 0 and 2", shown.count("/proc/0,2"), 2 * RING)
        expect_equal("the import names the missing events", bool(messages.strip()), True)
        # The file has half of its bytes, so about half of its events.
        expect_equal("about half of location 1", RING // 3 < remaining < RING * 2 // 3, True)
        lines = list(shown.records("/proc/1", "all"))
        expect_equal("their events", [line[4] for line in lines],
               (["ENTER", "LEAVE", "ENTER", "MPI_SEND", "MPI_RECV", "LEAVE"] * RING)[:remaining])

    def silent_loss(self):
        """Flips a bit that makes the reader end a file early without an error. The count of events in the location reveals it."""
        events, reported = self.folder / "late-definitions" / "0.evt", 0
        sound, messages = self.imported("late-definitions")
        claimed = int(sound.table("locations")[0]["n_events"])
        expect_equal("records of location 0", (sound.count("/proc/0"), "missing" in messages), (claimed, False))
        content = events.read_bytes()
        for offset in range(58, 66):
            events.write_bytes(content[:offset] + bytes([content[offset] ^ 8]) + content[offset + 1:])
            result = self.xtf.run("import", "--force", "-o", self.folder / "flipped.xtf", self.archive("late-definitions"))
            if result.status != 0:
                continue
            lost = claimed - Shown(Cat(self.xtf, self.folder / "flipped.xtf")).count("/proc/0")
            expect_equal(f"missing after byte {offset}", f": {lost} of its {claimed} events are missing" in result.errors.decode(), lost > 0)
            expect_equal(f"left out after byte {offset}", f"left out: {lost} event" in result.output.decode(), lost > 0)
            reported += lost > 0
        events.write_bytes(content)
        expect_equal("events lost without an error", reported > 0, True)

    def remarks(self):
        """Checks that the trace has all messages of the import as remarks, and also the minor ones that the import does not print."""
        shown, messages = self.imported("missing-definitions")
        row, = shown.table("remarks")
        expect_equal("the kind of remark", row["kind"], "WARNING")
        expect_equal("its text", messages.endswith(": " + row["text"] + "\n"), True)
        shown, messages = self.imported("duplicate-definitions")
        expect_equal("remarks name conflicts", all("defined again" in row["text"] for row in shown.table("remarks")), True)
        shown, messages = self.imported("truncated-events", "--keep-going")
        expect_equal("lost events", [row["text"] for row in shown.table("remarks") if row["kind"] == "LEFT_OUT"],
               [f"{RING - shown.count('/proc/1')} events of 1 location, which could not be read"])

    def backward_times(self):
        _, messages = self.imported("backward-times")
        if "1" not in messages or "back" not in messages.lower():
            raise Failure(f"no message on times that go backwards in location 1: {messages!r}")

    def documented_columns(self):
        """Checks docs/OTF2.md: it names each event's record type and all fields of each type, and no column twice."""
        types, fields = {}, {}
        for line in (PROJECT / "docs" / "OTF2.md").read_text().splitlines():
            match = re.match(r"\| `([A-Z]\w+)` \| `(\w+)` \| (.*) \|$", line)
            if match:
                types[match[1]] = match[2]
                own = match[3].split(", and rows of ")[0].replace("(none)", "")
                fields.setdefault(match[2], set()).update(own.split())
        expect_equal("record types of the events", types, {name: record_type for name, (record_type, _) in EVENTS.items()})
        shown, _ = self.imported("all-events")
        for record_type in fields:
            columns = self.xtf.expect("cat", self.folder / "all-events.xtf", f"/{record_type}/columns").decode().splitlines()
            expect_equal(f"undescribed columns of {record_type}", [line for line in columns if line.endswith((" -", " "))], [])
        every = ["time", "proc", "thread", "seq", "event", "region", "name"]
        # Columns of no OTF2 field: computed from the ENTER of a LEAVE, or known to `xtf record` only.
        found = {"enters_leaves": ["duration"], "collectives": ["n_to_n"]}
        for record_type, own in fields.items():
            expect_equal(f"columns of {record_type}", sorted(shown.columns("/" + record_type)),
                   sorted([*own, *every, *found.get(record_type, [])]))

    def missing_definitions(self):
        _, messages = self.imported("missing-definitions")
        expect_equal("the message on undefined ids", "3 ids are used and not defined, of strings, regions, communicators:" in messages, True)

    def region_per_process(self):
        shown, _ = self.imported("region-per-process")
        expect_equal("regions", sorted((row["name"], row["line"]) for row in shown.table("regions")),
               [("MPI_Send", "-"), ("main", "10"), ("main", "99")])
        lines = shown.records("/enters_leaves", "enters_leaves")
        expect_equal("sends of all processes", sum(line[-1] == "MPI_Send" for line in lines), 400)

    def clock_offsets(self):
        """Checks that all processes begin within a few ticks though their clocks differ by hours."""
        shown, _ = self.imported("clock-offsets")
        for rank in range(4):
            first = float(next(shown.records(f"/proc/{rank}", "all"))[0])
            expect_equal(f"process {rank} begins with the others", first < 0.001, True)

    def wide_ids(self):
        for name in ("rank-low-ids", "rank-high-ids"):
            shown, _ = self.imported(name)
            counts = [shown.count(f"/proc/{p}/thread/{t}") for p in range(3) for t in range(2)]
            expect_equal(f"records of the threads in {name}", counts, [240] * 6)

    def no_events(self):
        shown, _ = self.imported("no-events")
        expect_equal("records of nothing", shown.count("/"), 0)
        expect_equal("lines of nothing", list(shown.records("/", "all")), [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mount", action="store_true")
    parser.add_argument("--windows", type=int, default=10)
    parser.add_argument("--import-option", action="append", default=[])
    parser.add_argument("xtf")
    parser.add_argument("otf2_archives")
    options = parser.parse_args()
    need_programs("otf2-print")
    if options.mount:
        need_mounts()
    failures = 0
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run([options.otf2_archives, temporary], check=True)
        xtf = Xtf(options.xtf)
        for name in some_of(SOUND, 8):
            try:
                failures += not compare.compare_archive(xtf, folder / (name + ".otf2"), options)
            except Failure as failure:
                print(f"{name}: {failure}")
                failures += 1
        traps = Traps(xtf, folder)
        for test in (traps.missing_events, traps.truncated_events, traps.backward_times, traps.missing_definitions,
                     traps.silent_loss, traps.remarks,
                     traps.documented_columns, traps.region_per_process, traps.clock_offsets, traps.wide_ids,
                     traps.no_events):
            try:
                test()
                print(f"{test.__name__}: passed")
            except Failure as failure:
                print(f"{test.__name__}: {failure}")
                failures += 1
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
