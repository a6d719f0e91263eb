#!/usr/bin/env python3
"""What the tree shows of an analysis adds up: over any partition of time and of processes, from one table to the next, and with what the
calls say.

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
from xtfrun import Failure, Xtf, need, run_test, shared_traces, temporary_folder

WINDOWS, PROCESSES_MOST, ROWS = 3, 4, 3
NONE = "-"
# The values of each table that add up, by what names a line.
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
        """{what names a line: values} of one of the tables, without lines of nothing. Regions may have names in common."""
        keys, values = TABLES["/".join(path.split("/")[-2:])]
        numbers = ((line, tuple(self.number(line[value]) for value in values)) for line in self.table(path))
        return added({tuple(line[key].strip() for key in keys): found} for line, found in numbers if any(found))

    def window(self, begin, end):
        return f"time/{window_text(self, begin)}-{window_text(self, end)}/"


def added(parts):
    total = {}
    for part in parts:
        for key, numbers in part.items():
            before = total.get(key, (0,) * len(numbers))
            total[key] = tuple(map(sum, zip(before, numbers)))
    return total


def same(found, wanted, what):
    if found != wanted:
        differ = [(key, found.get(key), wanted.get(key)) for key in {*found, *wanted} if found.get(key) != wanted.get(key)]
        raise Failure(f"{what}: {differ[:5]}")


def check_partitions(shown, dice):
    """Windows side by side, and sets of processes, have together what all have."""
    edges = sorted({0, shown.end, *(dice.randrange(1, shown.end) for _ in range(WINDOWS - 1))})
    windows = [shown.window(*pair) for pair in zip(edges, edges[1:])]
    procs = dice.sample(shown.procs, k=len(shown.procs))
    cuts = sorted({0, len(procs), *(dice.randrange(len(procs) + 1) for _ in range(2))})
    sets = [f"proc/{','.join(procs[a:b])}/" for a, b in zip(cuts, cuts[1:])]
    for path in TABLES:
        whole = shown.sums(path)
        same(added(shown.sums(window + path) for window in windows), whole, f"{path} in windows")
        same(added(shown.sums(each + path) for each in sets), whole, f"{path} by processes")
        cell = f"{dice.choice(windows)}{dice.choice(sets)}"
        parts = [f"{cell}proc/{proc}/{path}" for proc in dice.sample(procs, k=min(len(procs), PROCESSES_MOST))]
        if len(parts) == len(procs):
            same(added(map(shown.sums, parts)), shown.sums(cell + path), f"{cell}{path} by processes")


def check_tables(shown, path):
    """One table says what the next one says."""
    waits = shown.sums(path + "waits/profile")
    same(added({(): numbers} for numbers in waits.values()), shown.sums(path + "waits/totals"), f"{path}waits: totals")
    slices = shown.table(path + "waits/histogram")
    found = tuple(sum(shown.number(line[name]) for line in slices) for name in TABLES["waits/totals"][1])
    same({(): found} if any(found) else {}, shown.sums(path + "waits/totals"), f"{path}waits: histogram")
    for_others = added({(): numbers[:2]} for (kind, _), numbers in waits.items() if not kind.endswith("_completion"))
    pairs = added({(): numbers} for numbers in shown.sums(path + "waits/matrix").values())
    if pairs.get((), (0, 0))[1] > for_others.get((), (0, 0))[1]:
        raise Failure(f"{path}waits: {pairs} for single processes, of {for_others}")
    for derived in ("waits", "delays"):
        callpaths = added({(kind, name.split("/")[-1]): numbers}
                          for (kind, _, name), numbers in shown.sums(f"{path}{derived}/callpaths").items())
        regions = added({(kind, "(no region)" if region == NONE else region): numbers}
                        for (kind, region), numbers in shown.sums(f"{path}{derived}/profile").items())
        if not any("/" in region or "~" in region for _, region in regions):
            same(callpaths, regions, f"{path}{derived} by call path")


def check_rows(shown):
    """What `waits/callpaths` adds up, row by row."""
    columns = [line.split()[0] for line in shown.xtf.expect("cat", shown.trace, "waits/columns").decode().splitlines()[1:]]
    rows = [dict(zip(columns, line.split())) for line in shown.xtf.expect("cat", shown.trace, "waits/records", timeout=300).decode().splitlines()]
    wanted = added({(row["event"], row["context"]): (1, *(int(row[name]) for name in ("amount", "indirect", "propagating")))} for row in rows)
    found = added({(kind, call_path): numbers} for (kind, call_path, _), numbers in shown.sums("waits/callpaths").items())
    same(found, {key: numbers for key, numbers in wanted.items() if any(numbers)}, "waits/callpaths of waits/records")


def check_single(shown, dice):
    """A wait as a file has the numbers of its row in seconds, and the name of its call path."""
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
    """Nobody waits longer than he is in the call."""
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
    """The critical path is as long as the window, as far as it is between the path's ends."""
    segments = shown.table("critical/segments")
    first, last = shown.time(segments[0]["from"]), shown.time(segments[-1]["to"])
    for one, other in zip(segments, segments[1:]):
        if one["to"] != other["from"] or one["next_proc"] != other["proc"]:
            raise Failure(f"critical/segments: {one} is not followed by {other}")
    length = sum(numbers[0] for numbers in shown.sums(window + "critical/profile").values())
    if length != max(0, min(last, end) - max(first, begin)):
        raise Failure(f"{window}critical/profile: {length} ticks, of a path from {first} to {last}")


def check_costs(shown):
    """Of each kind, what delays cost is no more than the waits; what of waits for messages is indirect, somebody answers for."""
    waits = added({kind: numbers} for (kind, _), numbers in shown.sums("waits/profile").items())
    delays = added({kind: numbers} for (kind, _), numbers in shown.sums("delays/profile").items())
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
        wanted, one, other = map(float, numbers)
        if abs(one * other - wanted) > HALF_A_DIGIT * (1 + one + other):
            raise Failure(f"{path}efficiency: {product} {wanted} is not {factors}: {one} x {other}")
    for how in ("transfer", "transfer_ideal"):
        if figures[how] == NONE:
            raise Failure(f"{path}efficiency: {how} is not known")


def check(xtf, trace, what):
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
    print(f"{what}: {len(shown.sums('waits/profile'))} lines of waits, {len(shown.sums('delays/callpaths'))} of delays")


def archives(arguments, folder):
    if arguments == ["--hpcc"]:
        need("eztrace", "hpcc", "mpirun")
        return [recorded.record(folder)]
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
            check(xtf, trace, archive)
    return 0


if __name__ == "__main__":
    run_test(main)
