#!/usr/bin/env python3
"""Compares an OTF2 archive, as otf2-print prints it, with XTF's trace of it: counts, every record, definitions.

usage: compare.py [--mount] [--windows N] [--import-option=OPTION]... [--shared] XTF [ARCHIVE...]

The test imports each archive into a temporary folder. With --mount it reads through a mount, else by `xtf cat`. --shared adds the shared
archives of other recorders, if they are there.
"""

import contextlib
import pathlib
import random
import sys
import time
from fractions import Fraction

import definitions
from expected import Expected
from otf2events import CONTEXT_CALLS, EVENTS
from shown import Cat, Mounted, Shown, shows, ticks_of
from xtfrun import Failure, archive_parser, compare_archives, parse_archives, temporary_folder

ALL_ONES = (2**8 - 1, 2**32 - 1, 2**64 - 1)
# Values that otf2-print prints as UNDEFINED: all ones, or the least signed number.
UNDEFINED = (*ALL_ONES, -2**63)
PROBLEMS_MAX = 20


class Comparison:
    """The comparison of one archive. It collects problems, so that one run shows them all."""

    def __init__(self, expected, shown, windows):
        self.expected = expected
        self.shown = shown
        self.windows = windows
        self.random = random.Random(1)
        self.problems = []
        self.checks = 0
        self.threads = self.find_threads()

    def problem(self, text):
        self.problems.append(text)
        if len(self.problems) >= PROBLEMS_MAX:
            raise Failure("too many problems to go on")

    def check(self, label, found, wanted):
        self.checks += 1
        if found != wanted:
            self.problem(f"{label}: {found!r}, should be {wanted!r}")

    def find_threads(self):
        """Returns {location: (proc, thread)}. A process with a rank in MPI's world has the rank as its number."""
        threads = {int(row["id"]): (int(row["proc"]), int(row["thread"])) for row in self.shown.table("locations")}
        for rank, location in enumerate(self.expected.world):
            if location in threads:
                self.check(f"the process of location {location}", threads[location][0], rank)
        return threads

    def path(self, location):
        proc, thread = self.threads[location]
        return f"/proc/{proc}/thread/{thread}"

    def by_type(self):
        types = {}
        for location, records in self.expected.locations.items():
            for record in records:
                types.setdefault(record.type, {}).setdefault(location, []).append(record)
        return types

    def compare(self):
        types = self.by_type()
        self.compare_counts(types)
        self.compare_windows(types)
        for record_type, locations in sorted(types.items()):
            for location, records in sorted(locations.items()):
                self.compare_type(record_type, location, records)
        self.compare_side_arrays(types)
        self.compare_merged()
        definitions.compare(self)

    def compare_counts(self, types):
        self.check("all records", self.shown.count("/"), sum(map(len, self.expected.locations.values())))
        for location, records in self.expected.locations.items():
            self.check(f"records of location {location}", self.shown.count(self.path(location)), len(records))
        for record_type, locations in types.items():
            self.check(f"all {record_type}", self.shown.count("/" + record_type), sum(map(len, locations.values())))

    def random_window(self):
        """Returns a window as text and its ticks."""
        span = self.expected.end - self.expected.origin
        width = max(int(span * self.random.choice([0.001, 0.01, 0.1, 0.5, 1])), 1)
        start = self.random.randrange(-width // 2, span)
        # Sometimes the text has too few digits on purpose, and its value determines the ticks.
        digits = self.random.choice([3, 6, 9, 12])
        texts = [f"{float(Fraction(max(t, 0), self.expected.ticks)):.{digits}f}" for t in (start, start + width)]
        if Fraction(texts[0]) > Fraction(texts[1]):
            texts.reverse()
        return "-".join(texts), [ticks_of(t, self.expected.ticks, self.expected.origin) for t in texts]

    def compare_windows(self, types):
        for _ in range(self.windows):
            text, (a, b) = self.random_window()
            location = self.random.choice(sorted(self.expected.locations) or [None])
            record_type = self.random.choice(sorted(types) or [None])
            for directory, selected in (
                    (f"/time/{text}", lambda l, r: True),
                    (f"{self.path(location)}/time/{text}" if location is not None else None,
                     lambda l, r: l == location),
                    (f"/time/{text}/{record_type}" if record_type else None, lambda l, r: r.type == record_type)):
                if directory:
                    n = sum(a <= r.time < b and selected(l, r) for l, rs in self.expected.locations.items() for r in rs)
                    self.check(f"count of {directory}", self.shown.count(directory), n)

    def compare_type(self, record_type, location, records):
        """Compares every line of one type's records of one location."""
        directory = f"{self.path(location)}/{record_type}"
        lines = list(self.shown.records(directory, record_type))
        columns = {name: i for i, name in enumerate(self.shown.columns_of[record_type])}
        self.check(f"lines of {directory}/records", len(lines), len(records))
        proc, thread = self.threads[location]
        for i, (line, record) in enumerate(zip(lines, records)):
            place = f"{directory}, record {record.seq}, {record.event.name}"
            found = (ticks_of(line[0], self.expected.ticks, self.expected.origin), int(line[1]), int(line[2]),
                     int(line[columns["seq"]]), line[columns["event"]])
            self.check(place, found, (record.time, proc, thread, record.seq, record.label))
            self.compare_region(place, line, columns, record)
            self.compare_fields(place, line, columns, record)
            if record_type == "enters_leaves":
                cell = line[columns["duration"]]
                self.check(f"{place}: duration", None if cell == "-" else ticks_of(cell, self.expected.ticks, 0),
                           record.time - records[i - record.enter].time
                           if record.label == "LEAVE" and record.enter else None)

    def compare_region(self, place, line, columns, record):
        cell = line[columns["region"]]
        found = None if cell == "-" else self.region_of_row(int(cell))
        if isinstance(record.region, int): # the region is undefined, and XTF shows a new region for it
            self.check(f"{place}: region", found is not None, True)
        else:
            self.check(f"{place}: region", found, record.region)
        if "name" in columns and cell != "-" and record.type != "counters":
            name = self.shown.table("regions")[int(cell)]["name"]
            self.check(f"{place}: name of the region", line[columns["name"]].split("~")[0] in name, True)
        for column in ("enter", "outermost", "depth"):
            if column in columns:
                self.check(f"{place}: {column}", int(line[columns[column]]), getattr(record, column))

    def region_of_row(self, row):
        return definitions.region_key(self.shown.table("regions")[row])

    def compare_fields(self, place, line, columns, record):
        values = record.event.values()
        for _, column, kind in EVENTS[record.event.name][1]:
            if column in (None, "region") or record.event.name in CONTEXT_CALLS:
                continue
            self.checks += 1
            cell, wanted = line[columns[column]], values[column]
            if not (self.peer_shows(cell, record) if kind == "peer" else self.cell_shows(cell, kind, wanted)):
                self.problem(f"{place}: {column} is {cell!r}, should be {wanted!r}")

    def peer_shows(self, cell, record):
        rank, location = record.event.values()["peer"]
        if location is None:
            return cell == "?"
        if self.beside_groups(record):
            return cell.isdigit()
        return cell == str(self.threads[location][0])

    def beside_groups(self, record):
        """True if the record's thread is no member of its inter-communicator. Then otf2-print prints a rank of one group, and XTF uses the
        group without the thread's process."""
        return (record.event.values().get("comm") in self.expected.inter_communicators and
                record.event.location not in self.expected.world)

    def cell_shows(self, cell, kind, wanted):
        if kind == "text":
            return wanted is None or shows(cell, wanted)
        if cell == "-":
            return wanted is None or wanted in ALL_ONES
        if kind == "label":
            return cell == wanted
        if kind in self.expected.names or kind in definitions.TABLES:
            return wanted is not None and self.id_of_row(kind, int(cell)) == wanted
        return wanted == int(cell) or (wanted is None and int(cell) in UNDEFINED)

    def id_of_row(self, table, row):
        return int(self.shown.table(table)[row]["id"])

    def compare_side_arrays(self, types):
        """Compares attributes, values of metrics and arguments in the directories of a sample of records."""
        for array, items_of in definitions.SIDE_ARRAYS.items():
            all_items = [(self.path(location), record_type, i, items_of(record))
                         for record_type, locations in sorted(types.items())
                         for location, records in sorted(locations.items()) for i, record in enumerate(records)]
            all_items = [item for item in all_items if item[3]]
            for path, record_type, i, items in self.random.sample(all_items, min(len(all_items), self.windows * 20)):
                place = f"{path}/{record_type}/num/{i}"
                splits = definitions.SIDE_COLUMNS[array] - 1
                lines = [line.rstrip(" ").split(None, splits)
                         for line in self.shown.reader.read(f"{place}/{array}").split("\n") if line and line[0] != "#"]
                definitions.compare_items(self, place, array, lines, items)

    def compare_merged(self):
        """Compares the records of the whole trace and of each location, in order. Location and number order records of one time."""
        merged = self.expected.merged()
        for directory, wanted in [("/", merged)] + [
                (self.path(location), [m for m in merged if m[1] == location]) for location in self.expected.locations]:
            lines = list(self.shown.records(directory, "all"))
            self.check(f"lines of {directory}", len(lines), len(wanted))
            for line, (tick, location, seq, record) in zip(lines, wanted):
                found = (ticks_of(line[0], self.expected.ticks, self.expected.origin), (int(line[1]), int(line[2])),
                         int(line[3]), line[4])
                self.check(f"{directory}, merged", found, (tick, self.threads[location], seq, record.label))


@contextlib.contextmanager
def shown_import(xtf, archive, options):
    """Imports an archive and yields what XTF shows of it, through a mount or by `xtf cat` as the options say."""
    with temporary_folder() as temporary:
        trace = pathlib.Path(temporary) / "trace.xtf"
        xtf.import_archive(archive, trace, *options.import_option, timeout=600)
        xtf.expect("check", trace, timeout=600)
        if not options.mount:
            yield Shown(Cat(xtf, trace))
            return
        folder = pathlib.Path(temporary) / "mnt"
        folder.mkdir()
        xtf.expect("mount", trace, folder)
        try:
            yield Shown(Mounted(folder))
        finally:
            xtf.expect("unmount", folder)


def is_good(comparison, label):
    """Compares, and prints a summary and all problems. Returns true if there are none."""
    begin = time.monotonic()
    try:
        comparison.compare()
    except Failure as failure:
        comparison.problems.append(str(failure))
    print(f"{label}, {comparison.checks} comparisons, {len(comparison.problems)} problems, {time.monotonic() - begin:.1f} s")
    for problem in comparison.problems:
        print("  " + problem)
    return not comparison.problems


def compare_archive(xtf, archive, options):
    with shown_import(xtf, archive, options) as shown:
        expected = Expected(str(archive))
        events = sum(map(len, expected.locations.values()))
        return is_good(Comparison(expected, shown, options.windows), f"{archive}: {events} events")


def main():
    parser = archive_parser()
    parser.add_argument("--windows", type=int, default=20)
    sys.exit(0 if compare_archives(parse_archives(parser), compare_archive) else 1)


if __name__ == "__main__":
    main()
