#!/usr/bin/env python3
"""Compares every number of every view with naive.py's number, computed from otf2-print's lines, in random windows and of random processes.

usage: views.py [--mount] [--windows N] [--seed N] [--import-option=OPTION]... [--shared] [--generated OTF2-ARCHIVES]
                XTF [ARCHIVE...]

For a deep run, XTF_VIEW_WINDOWS and XTF_VIEW_SEED in the environment give the same options. A problem names the path,
so that `xtf cat TRACE PATH` shows it again.
"""

import math
import os
import pathlib
import re
import subprocess
import sys
from fractions import Fraction

import classes
from calls import Calls
from blocks import Blocks
from compare import Comparison, is_good, shown_import
from expected import Expected
from metrics import Metrics
from naive import BEFORE, RECVS, SENDS, Naive, slices
from narrowing import Narrowing
from selections import Chooser
from shown import shows, ticks_of
from xtfrun import Failure, archive_parser, compare_archives, parse_archives, takes_fewer, temporary_folder, tests_all

GENERATED = ["all-events", "clock-1hz", "clock-4ghz", "backward-times", "odd-calls", "open-receives", "contexts", "no-events",
             "missing-definitions", "rank-high-ids", "sums-calls", "sums-deep", "sums-regions", "sums-names",
             "sums-messages", "sums-communicators", "sums-metrics", "sums-growth", "sums-instant", "sums-ties",
             "sums-hybrid", "sums-plain"]
STACK_MAX = 64


class Views(Comparison):
    """Views of one trace. compare.py has the part that all comparisons of selections share."""

    def __init__(self, expected, shown, windows, seed):
        super().__init__(expected, shown, windows)
        if not any(expected.locations.values()):
            expected.end = expected.origin # an empty trace has no length
        self.naive = Naive(expected, self.threads)
        self.efficiency = classes.Efficiency(self.naive)
        self.chooser = Chooser(self.naive, seed)
        self.random = self.chooser.random
        self.regions = self.region_rows()
        self.types = sorted({record.type for records in expected.locations.values() for record in records})
        self.narrowing = Narrowing(self)
        self.metrics = Metrics(self)
        self.calls = Calls(self)
        self.place = ""
        self.pairs = {}

    def region_rows(self):
        """Returns the key of each region in the order of rows. The key of a region that otf2-print cannot name is its id."""
        keys = [self.region_of_row(i) for i in range(len(self.shown.table("regions")))]
        unnamed = {record.region for records in self.expected.locations.values() for record in records
                   if isinstance(record.region, int)}
        defined = {int(row["id"]): int(row["region"]) for row in self.shown.table("region_definitions")}
        names = [key[0] for key in keys]
        for number in unnamed:
            row = defined[number] if number in defined else names.index(f"(undefined regions {number})")
            keys[row] = number
        self.names = dict(zip(keys, names))
        return keys

    def has(self, *types):
        return any(record_type in self.types for record_type in types)

    def compare(self):
        self.compare_absent()
        self.compare_classes_of_regions()
        for number in range(self.windows):
            window = None if number == 0 else self.chooser.window()
            procs = None if number == 0 else self.random.choice([None, self.chooser.subset(self.naive.procs)])
            self.compare_times(window, procs)
            self.compare_messages(window, procs)
            self.compare_slices(window, procs)
            self.compare_narrowed(window, procs)
            self.calls.compare(window, procs)
            if self.naive.locations:
                Blocks(self).compare(window, procs)

    def compare_absent(self):
        """Checks that paths without meaning, or that would need a scan, do not exist."""
        for path in ("/sends/profile", "/sends/stack", "/enters_leaves/matrix", "/enters_leaves/bytes", "/sends/values",
                     "/tag/1/profile", "/tag/1/stack", "/peer/0/imbalance", "/num/0-1/profile", "/num/0-1/matrix",
                     "/enters_leaves/num/0-1/stack", "/sends/efficiency", "/tag/1/classes", "/class/mpi/efficiency",
                     "/class/%20no%20such/profile", "/class/mpi,/count",
                     "/region/%20no%20such/profile", "/comm/%20no%20such/matrix"):
            try:
                self.shown.reader.read(path)
                self.problem(f"{path}: is there")
            except (Failure, FileNotFoundError):
                self.checks += 1

    # ---- Reading

    def lines(self, path, n_columns):
        """Returns the cells of a view's lines. The last cell of a line may have blanks."""
        self.place = path
        text = self.shown.reader.read(path)
        lines = text.split("\n")
        self.check(f"{path}: ends with its last line", lines.pop(), "")
        self.check(f"{path}: first line begins with", lines[0][:2] if lines else None, "# ")
        self.check(f"{path}: columns", len(lines[0][1:].split()), n_columns)
        widths = {len(line.encode("utf-8", "surrogateescape")) for line in lines}
        self.check(f"{path}: lines are equally long", len(widths), 1)
        return [line.rstrip(" ").split(None, n_columns - 1) for line in lines[1:]]

    def ticks(self, cell):
        return ticks_of(cell, self.expected.ticks, 0)

    def seconds_unit(self, cell):
        """Returns the unit of the last digit."""
        return Fraction(1, 10 ** len(cell.partition(".")[2]))

    def same(self, label, found, wanted):
        self.check(f"{self.place}: {label}", found, wanted)

    def near(self, label, cell, wanted, tolerance):
        self.checks += 1
        if cell == "-" or abs(Fraction(cell) - Fraction(wanted)) > tolerance:
            self.problem(f"{self.place}: {label}: {cell}, should be {float(wanted)!r}")

    # ---- profile, imbalance, stack

    def compare_times(self, window, procs):
        selection = self.chooser.selection(window, procs)
        if self.has("enters_leaves") and self.random.random() < 0.3:
            selection.in_type("enters_leaves")
        if self.random.random() < 0.2:
            selection.in_threads(self.chooser.subset({location.thread for location in self.naive.locations}))
        if not self.naive.selected(selection) or not self.has("enters_leaves"):
            return
        self.compare_profile(selection.shuffled(self.random))
        self.compare_imbalance(selection)
        self.compare_stack(selection)
        self.compare_classes(selection)
        self.compare_efficiency(selection)
        if self.chooser.times:
            self.compare_stack(self.chooser.selection(None, procs).at_instant(self.chooser.edge()).shuffled(self.random))

    def rows_shown(self, selection):
        """Returns the regions that have a line in a table, by row."""
        return {row: region for row, region in enumerate(self.regions)
                if selection.regions is None or region in selection.regions}

    def compare_profile(self, selection):
        lines = self.lines(selection.path("profile"), 7)
        locations = self.naive.selected(selection)
        wanted = self.naive.profile(locations, *selection.window())
        total = self.naive.measured(locations, *selection.window())
        rows = self.rows_shown(selection)
        keys = dict(rows)
        if selection.regions is None:
            keys["-"] = BEFORE
        order = sorted(keys, key=lambda row: (-wanted[keys[row]][2], -wanted[keys[row]][0],
                                              math.inf if row == "-" else row))
        self.same("rows, in order", [line[0] for line in lines], [str(row) for row in order])
        for line, row in zip(lines, order):
            calls, inclusive, exclusive = wanted[keys[row]]
            name = keys[row]
            self.same(f"calls of {name}", int(line[1]), calls)
            self.same(f"inclusive ticks of {name}", self.ticks(line[2]), inclusive)
            self.same(f"exclusive ticks of {name}", self.ticks(line[3]), exclusive)
            self.compare_percent(f"inclusive% of {name}", line[4], inclusive, total)
            self.compare_percent(f"exclusive% of {name}", line[5], exclusive, total)
            self.compare_name(line[6], name)

    def compare_percent(self, label, cell, part, total):
        if total == 0:
            self.same(label, cell in ("-", "0.00"), True)
        else:
            self.near(label, cell, Fraction(100 * part, total), Fraction(5001, 1000000))

    def compare_name(self, cell, region):
        name = self.names.get(region, BEFORE)
        self.same(f"{cell!r} shows {name!r}", shows(cell, name), True)

    def compare_imbalance(self, selection):
        lines = self.lines(selection.path("imbalance"), 8)
        locations, _ = self.efficiency.recorded(self.naive.selected(selection), *selection.window())
        procs = sorted({location.proc for location in locations})
        times = self.naive.by_process(locations, *selection.window())
        rows = {row: [times[region][proc] for proc in procs] for row, region in self.rows_shown(selection).items()}
        order = sorted(rows, key=lambda row: (Fraction(sum(rows[row]), len(procs)) - max(rows[row]), row))
        self.same("rows, in order", [line[0] for line in lines], [str(row) for row in order])
        for line, row in zip(lines, order):
            self.compare_spread(line, procs, rows[row])
            self.compare_name(line[7], self.regions[row])

    def compare_spread(self, line, procs, times):
        """Compares the columns mean min max stddev min_proc max_proc."""
        mean = Fraction(sum(times), len(times))
        deviation = math.sqrt(sum((time - mean)**2 for time in times) / len(times))
        here = f"region {line[0]}:"
        unit = self.seconds_unit(line[1])
        self.near(f"{here} mean", line[1], mean / self.expected.ticks, unit)
        self.same(f"{here} min", self.ticks(line[2]), min(times))
        self.same(f"{here} max", self.ticks(line[3]), max(times))
        self.near(f"{here} stddev", line[4], deviation / self.expected.ticks,
                  unit + Fraction(max(times), self.expected.ticks * 10**9))
        self.same(f"{here} min_proc", int(line[5]), procs[times.index(min(times))])
        self.same(f"{here} max_proc", int(line[6]), procs[times.index(max(times))])

    def compare_stack(self, selection):
        lines = self.lines(selection.path("stack"), 6)
        height = min(max(location.depth for location in self.naive.locations), STACK_MAX)
        start = selection.window()[0]
        wanted = []
        is_whole = selection.is_whole_run()
        for location in self.naive.selected(selection):
            frames = location.stack_at_end() if is_whole else location.stack_at(start)
            skipped = max(len(frames) - STACK_MAX, 0)
            levels = [[level + 1, frame] for level, frame in enumerate(frames)][skipped:]
            levels += [[level + 1, None] for level in range(len(levels), height)]
            end = location.last if is_whole else start
            wanted += [(location.proc, location.thread, level, frame, end) for level, frame in levels]
        self.same("lines", len(lines), len(wanted))
        for line, (proc, thread, level, frame, end) in zip(lines, wanted):
            self.same("proc, thread, level", [int(cell) for cell in line[:3]], [proc, thread, level])
            if frame is None:
                self.same(f"level {level}", line[3:], ["-"] * 3)
            else:
                self.same(f"level {level} since", self.ticks(line[3]), frame.begin - self.expected.origin)
                self.same(f"level {level} time", self.ticks(line[4]), end - frame.begin)
                self.compare_name(line[5], frame.region)

    # ---- classes, efficiency

    def compare_classes_of_regions(self):
        for row, region in zip(self.shown.table("regions"), self.regions):
            self.check(f"class of {region}", row["class"], self.efficiency.class_of(region))

    def compare_classes(self, selection):
        lines = self.lines(selection.path("classes"), 4)
        present = {self.efficiency.class_of(region) for region in self.regions}
        locations = self.naive.selected(selection)
        total = self.naive.measured(locations, *selection.window())
        wanted = {name: [0, 0] for name in classes.NAMES if name in present or name == "program"} | {
            "(no region)": ["-", 0], BEFORE: [0, 0]}
        for region, (calls, _, exclusive) in self.naive.profile(locations, *selection.window()).items():
            if selection.regions is None or region in selection.regions:
                line = wanted[BEFORE if region == BEFORE else self.efficiency.class_of(region)]
                line[0] += calls
                line[1] += exclusive
        if selection.regions is None:
            wanted["(no region)"][1] = total - sum(time for _, time in wanted.values())
        for group in ("mpi", "omp"):
            found = [wanted[name] for name in classes.GROUPS[group] if name in present]
            if found:
                wanted[group] = [sum(numbers) for numbers in zip(*found)]
        self.same("classes", [line[3] for line in lines], list(wanted))
        for (calls, time, percent, name), line in zip(lines, wanted.values()):
            self.same(f"calls of {name}", calls, str(line[0]))
            self.same(f"ticks of {name}", self.ticks(time), line[1])
            self.compare_percent(f"% of {name}", percent, line[1], total)

    def compare_efficiency(self, selection):
        lines = self.lines(selection.path("efficiency"), 6)
        locations = self.naive.selected(selection)
        windows = [selection.window(), self.focus_of(selection)]
        figures = [self.efficiency.figures(locations, *window) if window else None for window in windows]
        self.same("figures", [line[0] for line in lines], ["window", *figures[0]])
        for window, line in zip(windows, (lines[0][1:3], lines[0][3:5])):
            self.compare_window(window, line)
        for line in lines[1:]:
            for found, cells in zip(figures, (line[1:3], line[3:5])):
                self.compare_figure(line[0], found[line[0]] if found else (None, None), cells)

    def focus_of(self, selection):
        if self.efficiency.focus is None:
            return None
        a, b = max(self.efficiency.focus[0], selection.window()[0]), min(self.efficiency.focus[1], selection.window()[1])
        return (a, b) if a < b else (a, a)

    def compare_window(self, window, cells):
        """Checks that a cell is a path of the same window."""
        self.same("process of the window", cells[1], "-")
        if window is None or window[0] == window[1]:
            self.same("window", cells[0], "-")
            return
        bounds = re.fullmatch("time/([0-9.]+)-([0-9.]+)", cells[0])
        self.same("window", tuple(self.ticks(bound) + self.expected.origin for bound in bounds.groups()), window)

    def compare_figure(self, name, wanted, cells):
        value, proc = wanted
        if value is None:
            self.same(name, cells[0], "-")
        else:
            self.near(name, cells[0], value, Fraction(51, 1000000))
        self.same(f"process of {name}", cells[1], "-" if proc is None else str(proc))

    # ---- matrix, bytes

    def compare_messages(self, window, procs):
        for record_type in (None, "sends", "recvs"):
            selection = self.chooser.selection(window, procs)
            if record_type and self.has(record_type):
                selection.in_type(record_type)
            if record_type is None or self.has(record_type):
                self.compare_matrix(selection.shuffled(self.random))
        for record_type in (None, "sends", "recvs", "collectives"):
            selection = self.chooser.selection(window, procs)
            if record_type and self.has(record_type):
                selection.in_type(record_type)
            if record_type is None or self.has(record_type):
                self.compare_bytes(selection.shuffled(self.random))

    def own_procs(self, selection):
        return sorted({location.proc for location in self.naive.selected(selection)})

    def compare_matrix(self, selection):
        if not self.has("sends", "recvs"):
            return
        lines = self.lines(selection.path("matrix"), 4)
        at_receiver = selection.type == "recvs"
        wanted = self.naive.matrix(selection, RECVS if at_receiver else SENDS)
        pairs = [(own, peer) for own in self.own_procs(selection) for peer in self.naive.procs
                 if (own, peer) in self.ever(at_receiver) and (selection.peers is None or peer in selection.peers)]
        self.same("pairs", [tuple(map(int, line[1::-1] if at_receiver else line[:2])) for line in lines], pairs)
        for line, pair in zip(lines, pairs):
            self.same(f"{pair}", [int(cell) for cell in line[2:]], wanted.get(pair, [0, 0]))

    def ever(self, at_receiver):
        """Returns the pairs that exchange messages anywhere in the trace."""
        if at_receiver not in self.pairs:
            self.pairs[at_receiver] = self.naive.matrix(self.chooser.selection(None), RECVS if at_receiver else SENDS)
        return self.pairs[at_receiver]

    def compare_bytes(self, selection):
        if not self.has("sends", "recvs", "collectives"):
            return
        lines = self.lines(selection.path("bytes"), 8)
        wanted = self.naive.moved(selection)
        self.same("lines", [[int(cell) for cell in line] for line in lines],
                  [[proc, *wanted[proc]] for proc in self.own_procs(selection)])

    # ---- histogram, values

    def compare_slices(self, window, procs):
        selection = self.chooser.selection(window, procs)
        if self.types and self.random.random() < 0.5:
            selection.in_type(self.random.choice(self.types))
        self.compare_histogram(selection.shuffled(self.random))
        if self.has("counters"):
            selection = self.chooser.selection(window, procs)
            if self.random.random() < 0.5:
                selection.in_type("counters")
            self.metrics.compare_values(selection.shuffled(self.random))
            self.metrics.compare_rates(selection)
            self.metrics.compare_growth(selection)

    def compare_bounds(self, line, bounds, i):
        self.same(f"slice {i}", [self.ticks(cell) + self.expected.origin for cell in line[:2]], bounds[i:i + 2])

    def compare_histogram(self, selection):
        lines = self.lines(selection.path("histogram"), 8)
        bounds = slices(*selection.window())
        wanted = self.naive.histogram(selection, bounds)
        self.same("slices", len(lines), len(wanted))
        for i, (line, row) in enumerate(zip(lines, wanted)):
            self.compare_bounds(line, bounds, i)
            self.same(f"slice {i}", [int(cell) for cell in line[2:]], row)

    # ---- region/, peer/, comm/, tag/

    def compare_narrowed(self, window, procs):
        narrow = [self.narrowing.by_region, self.narrowing.by_class, self.narrowing.by_peer, self.narrowing.by_comm,
                  self.narrowing.by_tag]
        for single in [*narrow, None]:
            selection = self.chooser.selection(window, procs)
            for step in [single] if single else self.random.sample(narrow, 2):
                if selection is not None:
                    selection = step(selection)
            if selection is None:
                continue
            if self.types and self.random.random() < 0.4:
                selection.in_type(self.random.choice(self.types))
            elif self.has("enters_leaves") and self.random.random() < 0.2:
                selection.in_calls()
            self.compare_count(selection.shuffled(self.random))
            self.compare_views_of(selection)

    def compare_count(self, selection):
        path = selection.path()
        self.check(f"count of {path}", self.shown.count(path), len(self.naive.records(selection)))

    def compare_views_of(self, selection):
        """Compares the views that exist for the selection."""
        self.compare_histogram(selection)
        if selection.type in (None, "counters") and self.has("counters") and not selection.narrowed_by_messages():
            self.metrics.compare_growth(selection)
            self.metrics.compare_rates(selection)
        of_calls = selection.type in (None, "enters_leaves") and self.has("enters_leaves")
        if of_calls and not selection.narrowed_by_messages():
            self.compare_profile(selection)
            self.compare_imbalance(selection)
            self.compare_classes(selection)
        if selection.type in (None, "sends", "recvs"):
            self.compare_matrix(selection)
        if selection.type in (None, "sends", "recvs", "collectives"):
            self.compare_bytes(selection)

def compare_archive(xtf, archive, options):
    with shown_import(xtf, archive, options) as shown:
        views = Views(Expected(str(archive)), shown, options.windows, options.seed)
        return is_good(views, f"{archive}: {options.windows} windows of seed {options.seed}")


def main():
    parser = archive_parser()
    parser.add_argument("--windows", type=int, default=int(os.environ.get("XTF_VIEW_WINDOWS", 3 if tests_all() else 1)))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("XTF_VIEW_SEED", 1)))
    parser.add_argument("--generated")
    options = parse_archives(parser)
    with temporary_folder() as folder:
        if options.generated:
            # With sanitizers every second archive is enough: the others have other numbers, not other kinds of records.
            names = GENERATED[::2] if takes_fewer(options.xtf) else GENERATED
            subprocess.run([options.generated, folder, *names], check=True)
            options.archive += [pathlib.Path(folder) / (name + ".otf2") for name in names]
        good = compare_archives(options, compare_archive)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
