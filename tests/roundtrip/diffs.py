#!/usr/bin/env python3
"""Compares every number of `xtf diff` with naive.py's numbers, computed from otf2-print's lines of both archives.

usage: diffs.py XTF OTF2-ARCHIVES EXAMPLE
"""

import pathlib
import re
import subprocess
import sys
from collections import Counter, defaultdict
from fractions import Fraction

from expected import Expected
from naive import BEFORE, WRAP
from shown import Cat, Shown, plain
from views import Views
from xtfrun import Failure, Xtf, need_programs, shared_traces, temporary_folder, tests_all

WINDOWS = 4
UNKNOWN = object() # a region that a trace lacks, or an unknown figure


class Trace:
    def __init__(self, xtf, archive, folder):
        self.path = folder / f"{archive.stem}-{archive.parent.name}.xtf"
        xtf.import_archive(archive, self.path)
        self.expected = Expected(str(archive))
        self.views = Views(self.expected, Shown(Cat(xtf, self.path)), 0, len(archive.name))

    def selection(self, number):
        if number == 0:
            return self.views.chooser.selection(None, None)
        chooser = self.views.chooser
        procs = chooser.subset(self.views.naive.procs) if number % 2 else None
        return chooser.selection(chooser.window(), procs)


class Side:
    """The expected totals of a selection: {fact: Fraction} and {label: [calls, inclusive, exclusive]}."""

    def __init__(self, trace, selection):
        naive = trace.views.naive
        self.trace, self.selection = trace, selection
        a, b = selection.window()
        locations = naive.selected(selection)
        self.has_calls = trace.views.has("enters_leaves")
        self.profile = {key: naive.profile(locations, a, b)[key] for key in [*trace.views.regions, BEFORE]}
        self.facts = {"window": Fraction(b - a), "processes": len({location.proc for location in locations}),
                      "locations": len(locations), "records": len(naive.records(selection)),
                      "calls": sum(numbers[0] for key, numbers in self.profile.items() if key is not BEFORE),
                      "measured": Fraction(naive.measured(locations, a, b))}
        if not self.has_calls:
            self.facts["calls"] = self.facts["measured"] = UNKNOWN
        self.add_moved(naive.moved(selection))
        self.add_efficiencies()

    def add_efficiencies(self):
        """Adds the efficiencies with four digits from the table `efficiency`, which views.py compares with otf2-print."""
        rows = self.trace.views.shown.rows(self.selection.path("efficiency")) if self.has_calls else []
        shown = {row["figure"]: row["value"] for row in rows}
        for fact in EFFICIENCIES:
            self.facts[fact] = Fraction(shown[fact]) if shown.get(fact, "-") != "-" else UNKNOWN

    def add_moved(self, moved):
        sums = [sum(numbers) for numbers in zip(*moved.values())] or [0] * 7
        for types, facts, at in ((("sends",), ("messages_sent", "bytes_sent"), 0),
                                 (("recvs",), ("messages_received", "bytes_received"), 2),
                                 (("collectives",), ("collectives", "collective_sent", "collective_received"), 4)):
            for i, fact in enumerate(facts):
                number = sums[at + i] if i == 0 else sums[at + i] % WRAP
                self.facts[fact] = number if self.trace.views.has(*types) else UNKNOWN
        for mean, bytes_of, messages in (("mean_sent", "bytes_sent", "messages_sent"),
                                         ("mean_received", "bytes_received", "messages_received")):
            known = self.facts[messages] is not UNKNOWN and self.facts[messages] > 0
            self.facts[mean] = self.facts[bytes_of] / self.facts[messages] if known else UNKNOWN

    def seconds(self, ticks, digits):
        """Returns seconds as shown: rounded down."""
        return Fraction(int(Fraction(ticks) / self.trace.expected.ticks * 10**digits), 10**digits)


TIMES = ("window", "measured")
EFFICIENCIES = ("parallel_efficiency", "load_balance", "communication_efficiency")


def pair_regions(sides):
    """Returns {key: label} for each side. A label is a region's name, its name and file, or its name, file and line."""
    keys = [[(side.trace.views.names[key], *(key[1:] if isinstance(key, tuple) else ("", 0)))
             for key in side.trace.views.regions] for side in sides]
    names, files = (set().union(*({item for item, n in Counter(key[:length] for key in of).items() if n > 1} for of in keys))
                    for length in (1, 2))

    def label(key):
        name, file, line = key
        if key[:1] not in names:
            return (name,)
        return (name, file) if key[:2] not in files else (name, file, line)

    return [{region: label(key) for region, key in zip(side.trace.views.regions, of)} for side, of in zip(sides, keys)]


def show_label(label):
    if label[0] is BEFORE or len(label) == 1 or not label[1]:
        return label[0]
    return f"{label[0]} ({':'.join(map(str, label[1:]))})"


def show_in_message(label):
    """Escapes characters that would move the cursor, as messages do."""
    return re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\x{ord(match[0]):02x}", label)


class Diff:
    """One run of `xtf diff`."""

    def __init__(self, xtf, sides, by=None, top=None):
        self.sides, self.by, self.top = sides, by or "exclusive", top
        self.problems, self.checks = [], 0
        paths = [side.selection.path().rstrip("/") or "/" for side in sides]
        self.name = f"{sides[0].trace.path.name} {sides[1].trace.path.name} {' '.join(paths)} by {by}"
        self.run = lambda *options: xtf.run("diff", *options, *([f"--by={by}"] if by else []), *(["--top", str(top)] if top else []),
                                            *(side.trace.path for side in sides), *paths)
        result = self.run()
        self.check("status", result.status, 0)
        self.output = result.output
        text = self.output.decode()
        head, *lines = text.split("\n", 2)
        self.check("head", [head, lines[0]], [f"# {letter}: {side.trace.path} {path}"
                                              for letter, side, path in zip("ab", sides, paths)])
        tables = lines[1].split("\n\n")
        self.check("tables", len(tables), 3)
        self.compare_facts(tables[0].rstrip("\n").split("\n"))
        self.compare_classes(tables[1].rstrip("\n").split("\n"))
        self.compare_regions(tables[2].rstrip("\n").split("\n"))
        window = tables[0].splitlines()[1].split()[1]
        self.compare_growth(len(window.partition(".")[2]))

    def check(self, subject, found, wanted):
        self.checks += 1
        if found != wanted:
            self.problems.append(f"{self.name}: {subject}: {found!r}, should be {wanted!r}")

    def table(self, lines, columns):
        self.check("columns", lines[0].lstrip("# ").split(), columns)
        self.check("widths", len({len(line.encode()) for line in lines}), 1)
        return [line.strip().split(None, len(columns) - 1) for line in lines[1:]]

    def compare_number(self, subject, cell, wanted):
        if wanted is UNKNOWN or cell == "-":
            self.check(subject, cell, "-" if wanted is UNKNOWN else wanted)
        else:
            self.check(subject, Fraction(cell), wanted)

    def compare_ratio(self, subject, cell, a, b):
        if a is UNKNOWN or b is UNKNOWN or a == 0:
            self.check(f"{subject} ratio", cell, "-")
        else:
            self.check(f"{subject} ratio", abs(Fraction(cell) - Fraction(b) / Fraction(a)) <=
                       abs(Fraction(b) / Fraction(a)) * Fraction(51, 10**5), True)

    def compare_facts(self, lines):
        rows = self.table(lines, ["what", "a", "b", "difference", "ratio", "unit"])
        a, b = (side.facts for side in self.sides)
        self.check("facts", sorted(row[0] for row in rows),
                   sorted(fact for fact in a if a[fact] is not UNKNOWN or b[fact] is not UNKNOWN))
        for fact, *cells, ratio, unit in rows:
            wanted = [side.facts[fact] for side in self.sides]
            if fact in TIMES:
                digits = len(cells[0].partition(".")[2])
                wanted = [side.seconds(number, digits) for side, number in zip(self.sides, wanted)]
                self.check("unit", unit, "s")
            change = UNKNOWN if UNKNOWN in wanted else wanted[1] - wanted[0]
            known = [number for number in wanted if number is not UNKNOWN]
            exact = not fact.startswith("mean") and fact not in EFFICIENCIES
            digits = 2e-4 if fact in EFFICIENCIES else 1e-5
            for cell, number in zip(cells, [*wanted, change]):
                if exact or number is UNKNOWN:
                    self.compare_number(fact, cell, number)
                else: # a mean has six digits, and so has the difference of two means
                    self.check(fact, abs(float(cell) - float(number)) <= digits * max(map(float, [*known, 1])), True)
            if fact not in EFFICIENCIES:
                self.compare_ratio(fact, ratio, *wanted)

    def wanted_lines(self, digits):
        """Returns {label: [[calls, time] of a, of b]}, with all regions of either trace."""
        wanted = defaultdict(lambda: [UNKNOWN, UNKNOWN])
        for i, (side, labels) in enumerate(zip(self.sides, pair_regions(self.sides))):
            for key, (calls, inclusive, exclusive) in side.profile.items():
                label = (BEFORE, BEFORE) if key is BEFORE else labels[key]
                time = inclusive if self.by == "inclusive" else exclusive
                old = (0, 0) if wanted[label][i] is UNKNOWN else wanted[label][i]
                wanted[label][i] = (old[0] + calls, old[1] + time)
        for label, numbers in list(wanted.items()):
            if all(number is UNKNOWN or number == (0, 0) for number in numbers):
                del wanted[label]
            else:
                wanted[label] = [number if number is UNKNOWN else (number[0], side.seconds(number[1], digits))
                                 for side, number in zip(self.sides, numbers)]
        return wanted

    def wanted_classes(self, digits):
        """Returns the same by class, as definitions/regions has it, without classes that a trace lacks."""
        wanted = defaultdict(lambda: [UNKNOWN, UNKNOWN])
        for i, side in enumerate(self.sides):
            rows = [row["class"] for row in side.trace.views.shown.table("regions")]
            for key, (calls, _, exclusive) in side.profile.items():
                label = (BEFORE,) if key is BEFORE else (rows[side.trace.views.regions.index(key)],)
                old = (0, 0) if wanted[label][i] is UNKNOWN else wanted[label][i]
                wanted[label][i] = (old[0] + calls, old[1] + exclusive)
        return {label: [number if number is UNKNOWN else (number[0], side.seconds(number[1], digits))
                        for side, number in zip(self.sides, numbers)] for label, numbers in wanted.items()
                if any(number is not UNKNOWN and number != (0, 0) for number in numbers)}

    def compare_classes(self, lines):
        self.compare_lines(lines, "exclusive", "class", self.wanted_classes, None)

    def compare_regions(self, lines):
        time = "inclusive" if self.by == "inclusive" else "exclusive"
        self.compare_lines(lines, time, "region", self.wanted_lines, self.top)

    def compare_lines(self, lines, time, column, find_wanted, top):
        rows = self.table(lines, ["calls_a", "calls_b", f"{time}_a", f"{time}_b", "difference", "ratio", column])
        cell = next((cell for row in rows for cell in row[2:4] if cell != "-"), "0.0")
        wanted = find_wanted(len(cell.partition(".")[2]))
        at = 0 if self.by == "calls" else 1
        changes = {label: [0 if number is UNKNOWN else number[at] for number in numbers] for label, numbers in wanted.items()}
        texts = Counter(map(show_label, wanted))
        labels = {show_label(label): label for label in wanted if texts[show_label(label)] == 1}
        self.check(f"number of {column} lines", len(rows), min(len(wanted), top or len(wanted)))
        order = sorted((abs(b - a) for a, b in changes.values()), reverse=True)
        self.check("order", [abs(Fraction(row[4])) for row in rows], order[:len(rows)])
        for calls_a, calls_b, time_a, time_b, difference, ratio, region in rows:
            label = labels.get(plain(region))
            if label is None: # another region has the same label
                self.check(f"{region} is a region", plain(region) in texts, True)
                continue
            for number, calls, seconds in zip(wanted[label], (calls_a, calls_b), (time_a, time_b)):
                self.compare_number(f"{region} calls", calls, UNKNOWN if number is UNKNOWN else number[0])
                self.compare_number(f"{region} time", seconds, UNKNOWN if number is UNKNOWN else number[1])
            a, b = changes[label]
            self.check(f"{region} difference", Fraction(difference), b - a)
            known = [UNKNOWN if number is UNKNOWN else number[at] for number in wanted[label]]
            self.compare_ratio(region, ratio, *known)

    def judged(self, digits):
        """Returns the rows that --fail-above judges: (label, value of a, value of b) of all regions together, then of each region."""
        at, fact = (0, "calls") if self.by == "calls" else (1, "measured")
        totals = [side.facts[fact] for side in self.sides]
        if fact == "measured":
            totals = [side.seconds(number, digits) for side, number in zip(self.sides, totals)]
        return [("all regions", *totals)] + [(show_label(label), *(0 if number is UNKNOWN else number[at] for number in numbers))
                                             for label, numbers in self.wanted_lines(digits).items()]

    @staticmethod
    def limits(rows):
        """Yields limits and noise. One limit equals the growth of a row, which passes, and one noise equals a growth."""
        yield from ((Fraction(5), Fraction(1)), (Fraction(0), Fraction(0)), (Fraction(5, 2), Fraction(1, 4)))
        for index, total in (0, None), (1, rows[0][1]):
            for _, a, b in rows:
                exact = Fraction(b - a) / (total or a) * 10**6 if b > a > 0 else Fraction(1, 2)
                if exact.denominator == 1:
                    yield (exact / 10**4, Fraction(0)) if index == 0 else (Fraction(0), exact / 10**4)
                    break

    def compare_growth(self, digits):
        """Asserts that --fail-above prints the same tables, names each row that grew too much, and exits with 1 if a row did."""
        measure = {"calls": "calls", "inclusive": "inclusive time", "exclusive": "exclusive time"}[self.by]
        rows = self.judged(digits)
        for limit, noise in self.limits(rows):
            grown = {show_in_message(label): (a, b) for label, a, b in rows if b - a > a * limit / 100 and b - a > rows[0][1] * noise / 100}
            result = self.run(f"--fail-above={float(limit)}%", f"--ignore-below={float(noise)}%")
            self.check(f"status above {limit}", (result.status, result.output), (1 if grown else 0, self.output))
            *failures, summary = [line for line in result.errors.decode().splitlines() if not line.startswith("xtf: warning: ")] or [""]
            found = [re.fullmatch(r"xtf: diff: (.*): ([a-z ]+) grew (?:by ([0-9.]+) %, )?from ([^:]*) to ([^:]*)", line) for line in failures]
            self.check("summary", summary, f"xtf: diff: {len(failures)} of {len(rows)} rows grew by more than {float(limit)}%" if grown else "")
            self.check("form of failures", None in found, False)
            self.check(f"rows above {limit}", {match[1] for match in found if match}, set(grown))
            for match in filter(None, found):
                self.check("what grew", match[2], ("calls" if self.by == "calls" else "measured time") if match[1] == "all regions" else measure)
                self.check(f"growth of {match[1]}", match[1] in grown and self.is_word(match[3], *grown[match[1]]), True)

    @staticmethod
    def is_word(percent, a, b):
        """True if a percentage of three digits equals the growth from a to b."""
        return percent is None if a == 0 else percent is not None and abs(float(percent) - float(b / a - 1) * 100) <= 0.0051 * float(percent)


def compare_pair(xtf, pair):
    """Compares random selections of both traces, then the first trace with itself, which has no differences."""
    diffs = []
    for number in range(WINDOWS if tests_all() else WINDOWS // 2):
        sides = [Side(trace, trace.selection(number)) for trace in pair]
        for by in (None, "inclusive", "calls"):
            diffs.append(Diff(xtf, sides, by, top=3 if number == 1 else None))
    same = [Side(pair[0], pair[0].selection(0))] * 2
    diffs.append(Diff(xtf, same))
    for table in xtf.expect("diff", pair[0].path, pair[0].path).decode().split("\n\n"):
        for line in table.splitlines():
            if not line.startswith("#") and set("".join(line.split()[3 if "window" in table else 4])) - set("0.-"):
                diffs[-1].problems.append(f"a trace differs from itself: {line}")
    return diffs


def check_usage(xtf, trace):
    """Asserts that `xtf diff` refuses paths without records and wrong options."""
    problems = []
    for status, *arguments in ((1, trace, trace, "count"), (1, trace, trace, "proc"), (1, trace, trace, "/", "profile"),
                               (1, trace, trace, "proc/99999"), (1, trace, "/nowhere.xtf"), (2, trace),
                               (2, trace, trace, "--by=size"), (2, trace, trace, "--fail-above=5"),
                               (2, trace, trace, "--fail-above=-5%"), (2, trace, trace, "--fail-above=%"), (2, trace, trace, "--ignore-below=1%"),
                               (2, trace, trace, "--fail-above=5%", "--ignore-below=1"), (1, trace, trace, "sends", "--fail-above=5%"),
                               (0, trace, trace, "--fail-above=0%"), (0, trace, trace, "--fail-above=100000%", "--ignore-below=0%"), (2, trace, trace, "--top=-1"),
                               (2, trace, trace, "/", "/", "/"), (0, trace, trace, "sends"), (0, trace, trace, "num/0-2")):
        result = xtf.run("diff", *arguments)
        if result.status != status or bool(result.errors) != bool(status):
            problems.append(f"not status {status}: {result}")
    return problems


def main():
    need_programs("otf2-print")
    xtf = Xtf(sys.argv[1])
    problems, checks = [], 0
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run([sys.argv[2], folder, "diff-before", "diff-after", "missing-definitions"], check=True)
        archives = [[folder / "diff-before.otf2", folder / "diff-after.otf2"],
                    [folder / "diff-after.otf2", folder / "missing-definitions.otf2"],
                    [pathlib.Path(sys.argv[3])] * 2]
        if shared_traces():
            archives.append([shared_traces() / name / "traces.otf2" for name in ("pingpong-2", "pingpong-papi-2")])
        for pair in archives:
            traces = {archive: Trace(xtf, archive, folder) for archive in pair}
            try:
                for diff in compare_pair(xtf, [traces[archive] for archive in pair]):
                    problems += diff.problems
                    checks += diff.checks
            except Failure as failure:
                problems.append(str(failure))
        problems += check_usage(xtf, folder / f"diff-before-{folder.name}.xtf")
    print(f"{checks} comparisons, {len(problems)} problems")
    print("\n".join(problems[:20]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
