#!/usr/bin/env python3
"""OpenMP teams against Scalasca's own analyser. The test compares waits at barriers, for critical regions and in forks, costs of
delays before barriers and for idle threads, and the critical path.

usage: test_teams.py [--freeze FILE SEED THREADS] XTF OTF2-SCRIPT FROZEN...

FROZEN are results of Scalasca 2.6's scout.omp for programs of random_teams.py: `metric region thread nanoseconds`. --freeze
writes such a file with the scout.omp that XTF_SCOUT_OMP names.

The analyser charges the time between fork, parallel region and join to the parallel region on the path; xtf charges it to the
enclosing call. The test therefore compares the sum of these two regions. Costs are stored in whole ticks, so a sum may be off by
less than two ticks.
"""

import collections
import os
import pathlib
import shutil
import subprocess
import sys
import zlib

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "match"), str(TESTS / "export")]
# pylint: disable=wrong-import-position
from cube_reader import Cube
from random_teams import REGIONS, Team
from xtfrun import Failure, Xtf, need_programs, run_test, temporary_folder

NAMES = [name.replace(" ", "_") for name, _, _ in REGIONS]
OUTER = (NAMES[0], NAMES[2], "-")
WAITS = {("omp_barrier_wait", NAMES[3]): "omp_ebarrier_wait", ("omp_barrier_wait", NAMES[4]): "omp_ibarrier_wait",
         ("lock_contention", NAMES[5]): "omp_lock_contention_critical", ("omp_fork", NAMES[2]): "omp_fork"}
COSTS = {"omp_barrier_wait": "delay_ompbarrier", "omp_idle": "delay_ompidle"}


def write_archive(script, folder, seed, n):
    """Writes an archive; returns its script's checksum."""
    lines = "\n".join(Team(seed, n).script()) + "\n"
    shutil.rmtree(folder / "traces", ignore_errors=True)
    subprocess.run([script, folder, "traces"], input=lines, text=True, check=True)
    return zlib.crc32(lines.encode())


def report_values(path):
    """Returns {(metric, region, thread): ns} of the analyser's report. Its locations lack thread numbers, but are in their order."""
    cube, found = Cube(path), collections.Counter()
    cube.locations = list(range(len(cube.locations)))
    for metric in {*WAITS.values(), *COSTS.values(), "critical_path"}:
        for (call, thread), seconds in cube.values(metric).items():
            found[metric, cube.names[call].replace(" ", "_"), thread] += round(seconds * 1e9)
    return found


def rows_of(xtf, trace, path):
    columns = [line.split()[0] for line in xtf.expect("cat", trace, path + "/columns").decode().splitlines()[1:]]
    for line in xtf.expect("cat", trace, path + "/records").decode().splitlines():
        row = dict(zip(columns, line.split(None, len(columns) - 1)))
        yield row, row[columns[-1]].rstrip().replace(" ", "_")


def exported(xtf, folder):
    """Returns the same values from the profile for Cube."""
    xtf.expect("export", "cube", "--quiet", "--force", "-o", folder / "ours.cubex", folder / "trace.xtf")
    found = report_values(folder / "ours.cubex")
    return {key: ns for key, ns in found.items() if key[0] != "critical_path"}


def analysed_values(xtf, folder):
    trace, found = folder / "trace.xtf", collections.Counter()
    xtf.expect("import", "--quiet", "--force", "-o", trace, folder / "traces.otf2")
    xtf.expect("analyze", "--quiet", trace)
    for row, region in rows_of(xtf, trace, "/waits"):
        if (row["event"], region) in WAITS:
            found[WAITS[row["event"], region], region, int(row["thread"])] += int(row["amount"])
    for row, region in rows_of(xtf, trace, "/delays"):
        found[COSTS[row["event"]], region, int(row["thread"])] += int(row["short_term"])
    for row, region in rows_of(xtf, trace, "/critical"):
        found["critical_path", region, int(row["thread"])] += int(row["amount"])
    profile = exported(xtf, folder)
    if profile != {key: ns for key, ns in found.items() if ns and key[0] != "critical_path"}:
        raise Failure(f"the profile for Cube has {profile}, the trace {found}")
    return found


def join_regions(values):
    """Returns values with the regions around teams joined, of all threads together."""
    found = collections.Counter()
    for (metric, region, thread), ns in values.items():
        outer = metric == "critical_path" and region in OUTER
        found[(metric, "", "") if outer else (metric, region, thread)] += ns
    return +found


def main():
    need_programs("otf2-print")
    arguments = sys.argv[1:]
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        if arguments[0] == "--freeze":
            target, seed, n, _, script = arguments[1:6]
            check = write_archive(script, folder, int(seed), int(n))
            subprocess.run([os.environ["XTF_SCOUT_OMP"], "./traces.otf2"], cwd=folder, check=True, env={**os.environ, "OMP_NUM_THREADS": n})
            lines = [f"# Scalasca 2.6, scout.omp, of random_teams.py: seed {seed} threads {n} crc32 {check}"]
            lines += [f"{metric} {region} {thread} {ns}" for (metric, region, thread), ns in sorted(report_values(folder / "scout.cubex").items())]
            pathlib.Path(target).write_text("\n".join(lines) + "\n")
            return 0
        xtf, script, *frozen = arguments
        for path in map(pathlib.Path, frozen):
            head, *lines = path.read_text().splitlines()
            words = head.split()
            seed, n, check = (int(words[words.index(word) + 1]) for word in ("seed", "threads", "crc32"))
            if write_archive(script, folder, seed, n) != check:
                raise Failure(f"{path.name}: its program has changed: make the results again with --freeze")
            analyser_values = join_regions({(m, region, int(thread)): int(ns) for m, region, thread, ns in map(str.split, lines)})
            our_values = join_regions(analysed_values(Xtf(xtf), folder))
            wrong = [(key, our_values[key], analyser_values[key]) for key in sorted({*our_values, *analyser_values}, key=str)
                     if abs(our_values[key] - analyser_values[key]) > (1 if key[0] in COSTS.values() else 0)]
            if wrong:
                raise Failure(f"{path.name}: {len(wrong)} values differ from the analyser's: {wrong[:5]}")
            print(f"{path.name}: {len(analyser_values)} values of the analyser")
    return 0


if __name__ == "__main__":
    run_test(main)
