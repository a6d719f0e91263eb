#!/usr/bin/env python3
"""Sums of an analysis in the tree: over any partition of time and of processes, and from one table to the next. They are also
compared with the times of calls.

usage: test_sums.py XTF ARCHIVE...
       test_sums.py XTF --hpcc
"""

import collections
import pathlib
import random
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "match")]
# pylint: disable=wrong-import-position
import recorded
from shown import ticks_of
from test_path import table, window_text
from xtfrun import Failure, Xtf, need_programs, run_test, shared_traces, temporary_folder

WINDOWS, PROCESSES_MOST, ROWS = 3, 4, 3
NONE = "-"
# The key columns of each table, and the columns that add up.
TABLES = {
    "waits/profile": (("kind", "region"), ("waits", "amount", "indirect", "propagating")),
    "waits/callpaths": (("kind", "call_path", "callpath"), ("waits", "amount", "indirect", "propagating")),
    "waits/matrix": (("waiter", "culprit"), ("waits", "amount")),
    "waits/totals": ((), ("waits", "amount", "indirect", "propagating")),
    "delays/profile": (("kind", "region"), ("delays", "short", "long", "total")),
    "delays/callpaths": (("kind", "call_path", "callpath"), ("delays", "short", "long", "total")),
    "critical/profile": (("region",), ("amount",)),
}
EFFICIENCIES = (("parallel_efficiency", "load_balance", "communication_efficiency"),
                ("communication_efficiency", "serialization", "transfer"),
                ("communication_efficiency", "serialization_ideal", "transfer_ideal"))
HALF_A_DIGIT = 0.6e-4


class Shown:
    def __init__(self, xtf, trace):
        self.xtf, self.trace = xtf, trace
        clock = next(line for line in xtf.expect("info", trace).decode().splitlines() if line.startswith("clock"))
        self.ticks = int(clock.split()[1])
        info = {line["what"]: line["value"] for line in self.table("info")}
        self.end = self.time(info["to"])
        self.procs = [line for line in xtf.expect("ls", trace, "proc").decode().split()]

    def table(self, path):
        return table(self.xtf.expect("cat", self.trace, path, timeout=300).decode())

    def time(self, cell):
        return ticks_of(cell, self.ticks, 0)

    def number(self, cell):
        return self.time(cell) if "." in cell else int(cell)

    def sums(self, path):
        """Returns {key of a line: values} of one table, without lines of zeros. Several lines may have the same key."""
        keys, values = TABLES["/".join(path.split("/")[-2:])]
        numbers = ((line, tuple(self.number(line[value]) for value in values)) for line in self.table(path))
        return add_sums({tuple(line[key].strip() for key in keys): found} for line, found in numbers if any(found))

    def window(self, begin, end):
        return f"time/{window_text(self, begin)}-{window_text(self, end)}/"


def add_sums(parts):
    total = {}
    for part in parts:
        for key, numbers in part.items():
            before = total.get(key, (0,) * len(numbers))
            total[key] = tuple(map(sum, zip(before, numbers)))
    return total


def check_equal(found, wanted, name):
    if found != wanted:
        differing = [(key, found.get(key), wanted.get(key)) for key in {*found, *wanted} if found.get(key) != wanted.get(key)]
        raise Failure(f"{name}: {differing[:5]}")


def check_partitions(shown, dice):
    """Checks that adjacent windows, and disjoint sets of processes, add up to the whole."""
    edges = sorted({0, shown.end, *(dice.randrange(1, shown.end) for _ in range(WINDOWS - 1))})
    windows = [shown.window(*pair) for pair in zip(edges, edges[1:])]
    procs = dice.sample(shown.procs, k=len(shown.procs))
    cuts = sorted({0, len(procs), *(dice.randrange(len(procs) + 1) for _ in range(2))})
    sets = [f"proc/{','.join(procs[a:b])}/" for a, b in zip(cuts, cuts[1:])]
    for path in TABLES:
        whole = shown.sums(path)
        check_equal(add_sums(shown.sums(window + path) for window in windows), whole, f"{path} in windows")
        check_equal(add_sums(shown.sums(selection + path) for selection in sets), whole, f"{path} by processes")
        cell = f"{dice.choice(windows)}{dice.choice(sets)}"
        parts = [f"{cell}proc/{proc}/{path}" for proc in dice.sample(procs, k=min(len(procs), PROCESSES_MOST))]
        if len(parts) == len(procs):
            check_equal(add_sums(map(shown.sums, parts)), shown.sums(cell + path), f"{cell}{path} by processes")


def check_tables(shown, path):
    """Checks that tables with the same values agree."""
    waits = shown.sums(path + "waits/profile")
    check_equal(add_sums({(): numbers} for numbers in waits.values()), shown.sums(path + "waits/totals"), f"{path}waits: totals")
    slices = shown.table(path + "waits/histogram")
    found = tuple(sum(shown.number(line[name]) for line in slices) for name in TABLES["waits/totals"][1])
    check_equal({(): found} if any(found) else {}, shown.sums(path + "waits/totals"), f"{path}waits: histogram")
    for_culprits = add_sums({(): numbers[:2]} for (kind, _), numbers in waits.items() if not kind.endswith("_completion"))
    pairs = add_sums({(): numbers} for numbers in shown.sums(path + "waits/matrix").values())
    if pairs.get((), (0, 0))[1] > for_culprits.get((), (0, 0))[1]:
        raise Failure(f"{path}waits: {pairs} for single processes, of {for_culprits}")
    for derived in ("waits", "delays"):
        callpaths = add_sums({(kind, name.split("/")[-1]): numbers}
                          for (kind, _, name), numbers in shown.sums(f"{path}{derived}/callpaths").items())
        regions = add_sums({(kind, "(no region)" if region == NONE else region): numbers}
                        for (kind, region), numbers in shown.sums(f"{path}{derived}/profile").items())
        if not any("/" in region or "~" in region for _, region in regions):
            check_equal(callpaths, regions, f"{path}{derived} by call path")


def check_rows(shown):
    """Checks `waits/callpaths` against the sums of `waits/records`."""
    columns = [line.split()[0] for line in shown.xtf.expect("cat", shown.trace, "waits/columns").decode().splitlines()[1:]]
    rows = [dict(zip(columns, line.split())) for line in shown.xtf.expect("cat", shown.trace, "waits/records", timeout=300).decode().splitlines()]
    wanted = add_sums({(row["event"], row["context"]): (1, *(int(row[name]) for name in ("amount", "indirect", "propagating")))} for row in rows)
    found = add_sums({(kind, call_path): numbers} for (kind, call_path, _), numbers in shown.sums("waits/callpaths").items())
    check_equal(found, {key: numbers for key, numbers in wanted.items() if any(numbers)}, "waits/callpaths of waits/records")


def check_single(shown, dice):
    """Checks that the file of a wait has the numbers of its row in seconds, and the name of its call path."""
    columns = [line.split()[0] for line in shown.xtf.expect("cat", shown.trace, "waits/columns").decode().splitlines()[1:]]
    rows = shown.xtf.expect("cat", shown.trace, "waits/records", timeout=300).decode().splitlines()
    for number in dice.sample(range(len(rows)), k=min(len(rows), ROWS)):
        row = dict(zip(columns, rows[number].split()))
        fields = dict(line.split(None, 1) for line in shown.xtf.expect("cat", shown.trace, f"waits/num/{number}/record").decode().splitlines())
        found = {name: shown.time(fields[name].removesuffix(" s")) for name in ("amount", "indirect", "propagating", "passed")}
        if found != {name: int(row[name]) for name in found} or not fields["amount"].endswith(" s"):
            raise Failure(f"waits/num/{number}/record: {fields} is not {row}")
        names = {line["call_path"]: line["callpath"].strip() for line in shown.table("waits/callpaths")}
        if fields["context"].strip() != f"{row['context']} {names[row['context']]}" and "~" not in names[row["context"]]:
            raise Failure(f"waits/num/{number}/record: {fields['context']}, should be {names[row['context']]}")


def check_calls(shown, path):
    """Checks that waits in a region do not exceed the time in the region."""
    inside = collections.Counter()
    for line in shown.table(path + "profile"):
        inside[line["region"].strip()] += shown.time(line["inclusive"])
    waited = collections.Counter()
    for (kind, region), numbers in shown.sums(path + "waits/profile").items():
        if not kind.startswith("omp_"):
            waited[region] += numbers[1]
    for region, ticks in waited.items():
        if ticks > inside[region]:
            raise Failure(f"{path}: {ticks} ticks of waiting in {region}, which took {inside[region]}")


def check_path(shown, window, begin, end):
    """Checks that the critical path fills the window, as far as the window lies between the path's ends."""
    segments = shown.table("critical/segments")
    first, last = shown.time(segments[0]["from"]), shown.time(segments[-1]["to"])
    for segment, following in zip(segments, segments[1:]):
        if segment["to"] != following["from"] or segment["next_proc"] != following["proc"]:
            raise Failure(f"critical/segments: {segment} is not followed by {following}")
    length = sum(numbers[0] for numbers in shown.sums(window + "critical/profile").values())
    if length != max(0, min(last, end) - max(first, begin)):
        raise Failure(f"{window}critical/profile: {length} ticks, of a path from {first} to {last}")


def check_costs(shown):
    """Checks that delays of each kind cost at most the waits, and that long-term costs are at most the indirect waits for
    messages."""
    waits = add_sums({kind: numbers} for (kind, _), numbers in shown.sums("waits/profile").items())
    delays = add_sums({kind: numbers} for (kind, _), numbers in shown.sums("delays/profile").items())
    for kind, (n, short, long_term, _) in delays.items():
        n_waits, amount, indirect, _ = waits.get(kind, (0, 0, 0, 0))
        if short + long_term > amount + n + n_waits:
            raise Failure(f"delays: {kind} costs {short} and {long_term} ticks, of {amount}")
        if kind in ("late_sender", "late_receiver") and long_term > indirect + n + n_waits:
            raise Failure(f"delays: {kind}: {long_term} ticks of long-term costs, and {indirect} of the waits are indirect")
    for kind, (_, amount, indirect, propagating) in waits.items():
        if max(indirect, propagating) > amount:
            raise Failure(f"waits: {kind}: {indirect} and {propagating} of {amount}")


def check_efficiencies(shown, path):
    figures = {line["figure"]: line["value"] for line in shown.table(path + "efficiency")}
    for product, *factors in EFFICIENCIES:
        numbers = [figures[name] for name in (product, *factors)]
        if NONE in numbers:
            continue
        wanted, first, second = map(float, numbers)
        if abs(first * second - wanted) > HALF_A_DIGIT * (1 + first + second):
            raise Failure(f"{path}efficiency: {product} {wanted} is not {factors}: {first} x {second}")
    for figure in ("transfer", "transfer_ideal"):
        if figures[figure] == NONE:
            raise Failure(f"{path}efficiency: {figure} is missing")


def check_trace(xtf, trace, name):
    shown, dice = Shown(xtf, trace), random.Random(11)
    check_partitions(shown, dice)
    check_costs(shown)
    check_rows(shown)
    check_single(shown, dice)
    check_path(shown, "", 0, shown.end)
    check_tables(shown, "")
    for _ in range(WINDOWS):
        begin, end = sorted(dice.sample(range(shown.end), 2))
        window = shown.window(begin, end)
        procs = f"proc/{','.join(sorted(dice.sample(shown.procs, k=dice.randint(1, len(shown.procs)))))}/"
        check_path(shown, window, begin, end)
        check_tables(shown, window + procs)
        check_efficiencies(shown, window)
        check_efficiencies(shown, procs + window)
        check_calls(shown, f"{window}proc/{dice.choice(shown.procs)}/")
    print(f"{name}: {len(shown.sums('waits/profile'))} lines of waits, {len(shown.sums('delays/callpaths'))} of delays")


def archives(arguments, folder):
    if arguments == ["--hpcc"]:
        need_programs("eztrace", "hpcc", "mpirun")
        return [recorded.record_hpcc(folder)]
    shared = shared_traces()
    return [*map(pathlib.Path, arguments), *(sorted(shared.glob("**/traces.otf2")) if shared else [])]


def main():
    xtf = Xtf(sys.argv[1])
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        trace = folder / "trace.xtf"
        for archive in archives(sys.argv[2:], folder):
            xtf.import_archive(archive, trace, timeout=300)
            xtf.expect("analyze", "--quiet", trace, timeout=300)
            check_trace(xtf, trace, archive)
    return 0


if __name__ == "__main__":
    run_test(main)
