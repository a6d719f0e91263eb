#!/usr/bin/env python3
"""The critical path as the tree shows it: against the naive judge, against Scalasca's analyser, in windows, and for programs
whose path is known. Also files with nonsensical paths.

usage: test_path.py XTF DERIVED-SCRIPT OTF2-SCRIPT ARCHIVE...
"""

import collections
import pathlib
import random
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "match")]
# pylint: disable=wrong-import-position
import naive_waits
import path_programs
import scout
from naive_path import Path
from naive_waits import Waits
from random_programs import WITH_PROBES, Program
from shown import ticks_of
from xtfrun import Failure, Xtf, fewer_archives, need_programs, n_rounds, run_test, shared_traces, temporary_folder

METRICS = {"critical_path": "path", "critical_path_activities": "activity", "non_critical_path_activities": "non_critical",
           "critical_imbalance_impact": "impact", "inter_partition_imbalance": "between"}
WAITS = set(naive_waits.METRICS.values())
WINDOWS = 5
N_PROBING = 4
NOWHERE = "-"


def table(text):
    """Returns the lines of a table as {column: cell}; the last column may have blanks."""
    lines = text.splitlines()
    names = lines[0].lstrip("# ").split()
    return [dict(zip(names, line.split(None, len(names) - 1))) for line in lines[1:]]


class Shown:
    """The tree of one trace."""

    def __init__(self, xtf, trace, judge):
        self.xtf, self.trace, self.ticks = xtf, trace, judge.ticks

    def read(self, path):
        return self.xtf.expect("cat", self.trace, path).decode()

    def time(self, cell):
        return ticks_of(cell, self.ticks, 0)

    def profile(self, path):
        """Returns {region: ticks} of the regions that have time."""
        found = {line["region"].strip(): self.time(line["amount"]) for line in table(self.read(path + "critical/profile"))}
        return {region: ticks for region, ticks in found.items() if ticks}

    def segments(self, path):
        """Returns [(begin, end, process, next process)], times since the origin."""
        return [(self.time(line["from"]), self.time(line["to"]), int(line["proc"]),
                 None if line["next_proc"] == NOWHERE else int(line["next_proc"]))
                for line in table(self.read(path + "critical/segments"))]


def check_equal(found, wanted, what):
    if found != wanted:
        raise Failure(f"{what}:\n  {found}, should be\n  {wanted}")


# ---- Comparisons with the judge.


def without_program(path, program):
    """Returns a call path of the judge without the program, which is no call in the tree."""
    return path[1:] if path and path[0] == program else path


def regions_of(times, program):
    """Returns {region: ticks} of {path: ticks}."""
    found = collections.Counter()
    for path, ticks in times.items():
        calls = without_program(path, program)
        found[calls[-1] if calls else "(no region)"] += ticks
    return dict(+found)


def cut_segments(segments, begin, end):
    """Returns [(begin, end, process, next process)] of the segments in a window, in order."""
    found = []
    for segment in reversed(segments):
        since, until = max(segment.begin, begin), min(segment.end, end)
        if since < until:
            following = segment.process if segment.end > end else segment.next
            found.append((since, until, segment.process.number, following.number if following else None))
    return found


def profile_of(segments, begin, end, program):
    times = collections.Counter()
    for segment in segments:
        times.update(segment.process.times_within(max(segment.begin, begin), min(segment.end, end)))
    return regions_of(times, program)


def since_origin(segments, origin):
    return [(begin - origin, end - origin, proc, following) for begin, end, proc, following in segments]


def compare_windows(shown, path, origin, first, last, dice):
    """Checks that adjacent windows, of all processes and of single ones, show the judge's segments in them, and add up."""
    edges = sorted({first, last + 1, *(dice.randrange(first, last) for _ in range(WINDOWS - 1)),
                    *(dice.choice(path.segments).begin for _ in range(3))})
    whole = collections.Counter()
    for begin, end in zip(edges, edges[1:]):
        window = f"time/{window_text(shown, begin - origin)}-{window_text(shown, end - origin)}/"
        found = shown.profile(window)
        check_equal(found, profile_of(path.segments, begin, end, path.program), f"{window}critical/profile")
        whole.update(found)
        check_equal(shown.segments(window), since_origin(cut_segments(path.segments, begin, end), origin), f"{window}critical/segments")
        process = dice.choice(path.segments).process.number
        own = [segment for segment in path.segments if segment.process.number == process]
        own = profile_of(own, begin, end, path.program)
        check_equal(shown.profile(f"proc/{process}/{window}"), own, f"proc/{process}/{window}critical/profile")
    check_equal(shown.profile(""), dict(+whole), "windows together")


def window_text(shown, ticks):
    """Returns an instant as a window's edge, rounded down by less than a tick. The edge means the first tick at or after it."""
    digits = len(str(shown.ticks)) + 1
    text = str(ticks * 10**digits // shown.ticks).rjust(digits + 1, "0")
    return f"{text[:-digits]}.{text[-digits:]}"


def compare_callpaths(shown, path):
    """Compares the costs of each process with the judge's, to the tick. Returns {(metric, call path, location): ticks}."""
    found = {}
    for process in path.processes:
        for line in table(shown.read(f"proc/{process.number}/critical/callpaths")):
            for metric, column in METRICS.items():
                found[metric, line["callpath"].strip(), process.location] = shown.time(line[column])
    wanted = {(metric, "/".join(without_program(callpath, path.program)) or "(no region)", location): ticks
              for (metric, callpath, location), ticks in path.sums.items()}
    for key in sorted({*found, *wanted}):
        if abs(found.get(key, 0) - wanted.get(key, 0)) > 0.5 + 1e-9 * wanted.get(key, 0):
            raise Failure(f"critical/callpaths: {key}: {found.get(key)}, should be {wanted.get(key)}")
    return found


def compare_scout(found, ticks, program, archive, tsv):
    """Compares the same costs with Scalasca's."""
    scout_values = scout.read_times(tsv, archive)
    values = 0
    for metric in METRICS:
        our_values = {}
        for (name, callpath, location), amount in found.items():
            if name == metric and amount:
                calls = [program] * bool(program) + [callpath] * (callpath != "(no region)")
                our_values["/" + "/".join(calls).replace(" ", "_"), location] = float(amount) / ticks
        wrong = list(scout.differences(scout_values[metric], our_values))
        if wrong:
            raise Failure(f"{tsv}: {metric}: {wrong[:5]}")
        values += len(scout_values[metric])
    return values


def compare_efficiency(shown, judge):
    """Checks the efficiency without data transfer. It is determined by the process with the most time outside of MPI and in
    waits."""
    lines = {line["figure"]: line for line in table(shown.read("efficiency"))}
    begin, end = (shown.time(cell) for cell in lines["window"]["value"].removeprefix("time/").split("-"))
    waited = collections.Counter()
    for (metric, _, location), ticks in judge.sums.items():
        if metric in WAITS:
            waited[location] += ticks
    outside = {process.location: sum(until - since for since, until, path in process.spans if not path or not path[-1].startswith("MPI_"))
               for process in judge.processes.values() if process.spans}
    least = max(ticks + waited[location] for location, ticks in outside.items())
    figures = {name: float(line["value"]) for name, line in lines.items() if name != "window" and line["value"] != NOWHERE}
    if abs(figures["transfer"] - least / (end - begin)) > 0.6e-4:
        raise Failure(f"efficiency: {figures}, transfer should be {least / (end - begin)}")
    check_unexplained(figures, judge)
    for suffix in ("", "_ideal"):
        product = figures["serialization" + suffix] * figures["transfer" + suffix]
        if abs(product - figures["communication_efficiency"]) > 2e-4 * max(1, figures["serialization" + suffix]):
            raise Failure(f"efficiency: {figures} are no product")


def communicates(path):
    return path and path[-1].startswith("MPI_") and not path[-1].startswith("MPI_File_") and \
        path[-1] not in ("MPI_Init", "MPI_Init_thread", "MPI_Finalize")


def check_unexplained(figures, judge, late=()):
    """Checks the share of time in MPI that is no wait, of all processes together."""
    whole = sum(until - since for process in judge.processes.values() for since, until, path in process.spans if communicates(path))
    waited = sum(ticks for (metric, path, _), ticks in judge.sums.items() if metric in WAITS and communicates(path))
    waited += sum(one.wait for one in late)
    if abs(figures.get("mpi_unexplained", 0) - (1 - waited / whole if whole else 0)) > 0.6e-4:
        raise Failure(f"efficiency: {figures}, mpi_unexplained should be {1 - waited / whole}")


def compare(xtf, archive, trace, tsv):
    judge = Waits(str(archive))
    path = Path(judge)
    shown = Shown(xtf, trace, judge)
    records = [process for process in judge.processes.values() if process.spans]
    first, last = min(process.spans[0][0] for process in records), max(process.time for process in records)
    origin = judge.matches.origin
    check_equal(shown.segments(""), since_origin(cut_segments(path.segments, first, last + 1), origin), "critical/segments")
    found = compare_callpaths(shown, path)
    compare_windows(shown, path, origin, first, last, random.Random(7))
    length = path.segments[0].end - path.segments[-1].begin
    check_equal(sum(shown.profile("").values()), length, "the length of the path")
    compare_efficiency(shown, judge)
    values = compare_scout(found, judge.ticks, path.program, archive, tsv) if tsv else 0
    print(f"{archive}: {len(path.segments)} segments, {values} values of Scalasca's")


# ---- Programs.


def make_archive(script, folder, name, lines):
    done = subprocess.run([script, folder, name], input="\n".join(lines) + "\n", text=True, capture_output=True, check=False)
    if done.returncode:
        raise Failure(f"otf2-script: {done.stderr}")
    return folder / f"{name}.otf2"


def check_program(xtf, archive, trace, name, wanted):
    """Checks that the path is the known one, and the judge's."""
    shown = Shown(xtf, trace, Waits(str(archive)))
    segments = shown.segments("")
    origin = wanted[0][0] - segments[0][0]
    check_equal([(begin + origin, end + origin, proc) for begin, end, proc, _ in segments], wanted, f"{name}: critical/segments")
    check_equal([following for *_, following in segments], [proc for *_, proc in wanted[1:]] + [None], f"{name}: next processes of the path")
    compare(xtf, archive, trace, None)


# ---- Nonsensical files.

# Rows of `critical`: time seq region duration context amount next_process next_thread segments.
NONSENSE = {
    "a segment that begins before time 0": ["critical 0 500 0 0 900 0 10 - - 1"],
    "a call path that is none": ["critical 0 500 0 0 200 77 300 - - 1"],
    "a region that is none": ["critical 0 500 0 9999 200 0 300 - - 1"],
    "amounts beyond all time": ["critical 0 500 0 0 200 0 18446744073709551614 - - 1",
                                "critical 0 600 0 0 200 0 18446744073709551614 - - 1"],
    "segments over each other": ["critical 0 500 0 0 100 0 400 1 0 1", "critical 0 510 0 0 100 0 400 1 0 1",
                                 "critical 1 505 0 0 100 0 400 9 9 1"],
    "more segments than rows": ["critical 0 500 0 0 100 0 400 1 0 255"],
    "more waits than time": ["critical 0 500 0 0 100 0 400 - - 1", "activity 0 500 0 0 0 5 18446744073709551614"],
    "a call path in itself": ["critical 0 500 0 0 100 0 400 - - 1", "activity 0 500 0 0 1 5 0"],
}


def check_nonsense(xtf, script, archive, folder):
    """Checks that each answer is a table or an error; xtfrun notices crashes and memory."""
    trace = folder / "nonsense.xtf"
    for what, rows in NONSENSE.items():
        xtf.import_archive(archive, trace)
        add_rows(script, trace, ["contexts - 0", "contexts 1 0", *rows])
        for path in ("critical/profile", "critical/segments", "critical/callpaths"):
            for window in ("", "time/400ns-505ns/", "proc/0/"):
                result = xtf.run("cat", trace, window + path)
                if result.status == 0 and not result.output.startswith(b"#"):
                    raise Failure(f"{what}: {window}{path}: {result.output}")
                if result.status and not result.errors:
                    raise Failure(f"{what}: {window}{path} fails without an error")


def add_rows(script, trace, rows):
    done = subprocess.run([script, trace], input="\n".join(rows) + "\n", text=True, capture_output=True, check=False)
    if done.returncode:
        raise Failure(f"derived-script: {done.stderr}")


# ----


def analyze(xtf, archive, trace):
    xtf.import_archive(archive, trace)
    xtf.expect("analyze", "--quiet", trace)


def main():
    need_programs("otf2-print")
    program, derived, otf2 = sys.argv[1:4]
    xtf = Xtf(program)
    shared = shared_traces()
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        trace = folder / "trace.xtf"
        for what, play in path_programs.PROGRAMS.items():
            timelines, wanted = play()
            archive = make_archive(otf2, folder, what, path_programs.script(timelines))
            analyze(xtf, archive, trace)
            check_program(xtf, archive, trace, what, wanted)
        check_nonsense(xtf, derived, archive, folder)
        for seed in range(n_rounds(N_PROBING)):
            archive = make_archive(otf2, folder, f"probing-{seed}", Program(seed, 2 + seed, kinds=WITH_PROBES).script())
            analyze(xtf, archive, trace)
            compare(xtf, archive, trace, None)
        for archive in fewer_archives([*map(pathlib.Path, sys.argv[4:]), *(sorted(shared.glob("**/traces.otf2")) if shared else [])]):
            tsv = shared / "scalasca" / archive.parent.name / "scout.tsv" if shared else None
            analyze(xtf, archive, trace)
            compare(xtf, archive, trace, tsv if tsv and tsv.exists() else None)
    return 0


if __name__ == "__main__":
    run_test(main)
