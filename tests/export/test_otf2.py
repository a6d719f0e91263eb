#!/usr/bin/env python3
"""Exports to OTF2, compared with the archives that the traces were imported from: otf2-print prints the same lines of both. For a window or
another selection, a few lines of Python select the source's lines.

usage: test_otf2.py XTF OTF2-ARCHIVES MELT
"""

import pathlib
import random
import subprocess
import sys

import otf2print
from xtfrun import Failure, Xtf, all_good, fewer_archives, need_programs, shared_traces, temporary_folder

# Archives that an import keeps completely. It keeps the first definition of a string and a location of `duplicate-definitions`; OTF2's
# writer orders the times of `backward-times`.
GENERATED = ["all-events", "another name.v2", "clock-offsets", "clock-1hz", "clock-4ghz", "mapped-ids",
             "rank-low-ids", "rank-high-ids", "late-definitions", "missing-definitions", "region-per-process",
             "wrong-counts", "odd-calls", "open-receives", "contexts", "odd-contexts", "samples-alone",
             "no-events", "requests", "sums-calls", "sums-metrics", "sums-hybrid"]
SHOWN = 5


class Comparison:
    def __init__(self, xtf, folder):
        self.xtf = xtf
        self.folder = folder
        self.checks = 0

    def imported(self, archive):
        trace = self.folder / "trace.xtf"
        self.xtf.expect("import", "--quiet", "--force", "-o", trace, archive)
        return trace

    def exported(self, trace, *path):
        """Returns the archive and the messages of the command."""
        messages = self.xtf.expect("export", "otf2", "--force", "-o", self.folder / "out", trace, *path).decode()
        return self.folder / "out" / "traces.otf2", messages

    def same(self, label, found, wanted):
        self.checks += 1
        found, wanted = list(found), list(wanted)
        if found == wanted:
            return
        differences = [f"  {f!r}\n  should be {w!r}" for f, w in zip(found, wanted) if f != w][:SHOWN]
        raise Failure("\n".join([f"{label}: {len(found)} lines, should be {len(wanted)}"] + differences))

    def compare_whole(self, archive):
        export, _ = self.exported(self.imported(archive))
        self.same(f"{archive}: definitions", otf2print.read_lines(export, "-G"), otf2print.read_lines(archive, "-G"))
        self.same(f"{archive}: events", otf2print.read_lines(export), otf2print.read_lines(archive))


def lines_of(archive):
    """Returns [(name, location, time, rest of the line, attributes)]."""
    return [(e.name, e.location, e.time, e.text, e.attribute_text) for e in otf2print.events(archive)]


def by_location(lines):
    locations = {}
    for line in lines:
        locations.setdefault(line[1], []).append(line)
    return locations


def open_calls(lines, t, wanted):
    """Returns the open calls at a time, outermost first, or nothing after the location's last line."""
    stack = []
    for name, _, time, text, _ in lines if t <= lines[-1][2] else []:
        if time >= t:
            break
        if name == "ENTER":
            stack.append(text)
        elif name == "LEAVE" and text in stack:
            while stack.pop() != text:
                pass
    return [text for text in stack if wanted(("ENTER", lines[0][1], t, text, None))]


def window_of(lines, begin, end, wanted=lambda line: True):
    """Returns the lines of the window [begin, end) of one location. Open calls are entered at its begin and left at its end. `wanted` is
    true for lines of the selection."""
    location = lines[0][1]
    return [*(("ENTER", location, begin, text, None) for text in open_calls(lines, begin, wanted)),
            *(line for line in lines if begin <= line[2] < end and wanted(line)),
            *(("LEAVE", location, end, text, None) for text in reversed(open_calls(lines, end, wanted)))]


def ticks(archive):
    """Returns (ticks a second, origin) of a trace. Its time 0 is the clock's, or the first record's if that is earlier."""
    a_second, offset = otf2print.clock(otf2print.definitions(archive))
    return a_second, offset


def compare_windows(comparison, archive, rounds, seed):
    trace = comparison.imported(archive)
    lines = lines_of(archive)
    locations = by_location(lines)
    a_second, offset = ticks(archive)
    origin = min(offset, min(line[2] for line in lines))
    last = max(line[2] for line in lines)
    pick = random.Random(seed)
    for _ in range(rounds):
        begin, end = sorted(pick.randrange(origin + 1, last + 1) for _ in range(2))
        end += 1
        path = "time/" + "-".join(f"{(t - origin) * 10**9 // a_second}ns" for t in (begin, end))
        begin, end = (origin + -(-((t - origin) * 10**9 // a_second) * a_second // 10**9) for t in (begin, end))
        export, _ = comparison.exported(trace, path)
        found = by_location(lines_of(export))
        for location, source in locations.items():
            comparison.same(f"{archive}, {path}: location {location}", found.pop(location, []), window_of(source, begin, end))
        comparison.same(f"{archive}, {path}: other locations", found, [])


def compare_selections(comparison, archive):
    """Compares selections of the first example, which has one thread a process and locations in the order of ranks."""
    trace = comparison.imported(archive)
    lines = lines_of(archive)
    ranks = {location: rank for rank, location in enumerate(sorted({line[1] for line in lines}))}
    calls = ("ENTER", "LEAVE")
    region = lambda line: line[0] in calls and '"MPI_Bcast"' in line[3]
    for path, wanted in (("proc/1-2", lambda line: ranks[line[1]] in (1, 2)), ("proc/3/thread/0", lambda line: ranks[line[1]] == 3),
                         ("sends", lambda line: line[0] in ("MPI_SEND", "MPI_ISEND")),
                         ("proc/0/collectives", lambda line: ranks[line[1]] == 0 and "COLLECTIVE" in line[0]),
                         ("calls", lambda line: line[0] in calls), ("enters_leaves", lambda line: line[0] in calls),
                         ("region/MPI_Bcast/calls", region)):
        export, _ = comparison.exported(trace, path)
        comparison.same(f"{archive}, {path}", lines_of(export), filter(wanted, lines))
    a_second, origin = ticks(archive)
    begin, end = (origin + t * a_second // 10 for t in (1, 2))
    export, messages = comparison.exported(trace, "proc/0/time/0.1-0.2/region/MPI_Bcast/calls")
    comparison.same("a region's calls in a window", lines_of(export),
                    window_of(by_location(lines)[0], begin, end, region))
    export, _ = comparison.exported(trace, "num/100-150")
    comparison.same("records by number", sorted(lines_of(export)), sorted(lines[100:150]))


def compare_merged(comparison, archive):
    """Compares the merge of two exported halves with the events of the whole."""
    trace = comparison.imported(archive)
    parts = []
    for half in ("proc/0-1", "proc/2-3"):
        export, _ = comparison.exported(trace, half)
        parts.append(comparison.folder / (half.replace("/", "-") + ".xtf"))
        comparison.xtf.expect("import", "--quiet", "--force", "-o", parts[-1], export)
    merged = comparison.folder / "merged.xtf"
    comparison.xtf.expect("merge", "--quiet", "-o", merged, *parts)
    export, _ = comparison.exported(merged)
    names = lambda lines: [(e[0], e[1], e[2], e[3].split(" <")[0]) for e in lines]
    comparison.same("merged halves", names(lines_of(export)), names(lines_of(archive)))


def main():
    need_programs("otf2-print")
    archives, melt = sys.argv[2], pathlib.Path(sys.argv[3])
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run([archives, folder, *GENERATED], check=True)
        comparison = Comparison(Xtf(sys.argv[1]), folder)
        shared = shared_traces() or folder / "none"
        shared_archives = fewer_archives(sorted([*shared.glob("*/*.otf2"), *shared.glob("scalasca/*/*.otf2")]))
        heat, examples = melt.parents[1] / "heat-4" / melt.name, sorted(melt.parents[1].glob("*/" + melt.name))
        jobs = [(lambda a=a: comparison.compare_whole(a)) for a in [*examples, *shared_archives] + [folder / (n + ".otf2") for n in GENERATED]]
        jobs += [lambda: compare_windows(comparison, melt, 6, 1), lambda: compare_windows(comparison, heat, 6, 2),
                 lambda: compare_windows(comparison, folder / "sums-calls.otf2", 4, 3),
                 lambda: compare_selections(comparison, melt), lambda: compare_merged(comparison, melt)]
        jobs += [(lambda a=a: compare_windows(comparison, a, 3, 4)) for a in shared_archives]
        good = all_good(jobs)
    print(f"{comparison.checks} comparisons")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
