#!/usr/bin/env python3
"""Teams of OpenMP against Scalasca's own analyser: waits at barriers, for critical regions and in forks, what delays cost before
barriers and for idle threads, and the critical path.

usage: test_teams.py [--freeze FILE SEED THREADS] XTF OTF2-SCRIPT FROZEN...

FROZEN are results of Scalasca 2.6's scout.omp for programs of random_teams.py: `metric region thread nanoseconds`. --freeze makes one,
by the scout.omp that XTF_SCOUT_OMP names.

On the path, the time from a fork to the parallel region, and from there to the join, is the parallel region's to the analyser, and
that of the call it is in to us: so these two regions are compared together. Costs are stored in whole ticks, so a sum may be off by
less than two of them.
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
from xtfrun import Failure, Xtf, need, run_test, temporary_folder

NAMES = [name.replace(" ", "_") for name, _, _ in REGIONS]
OUTER = (NAMES[0], NAMES[2], "-")
WAITS = {("omp_barrier_wait", NAMES[3]): "omp_ebarrier_wait", ("omp_barrier_wait", NAMES[4]): "omp_ibarrier_wait",
         ("lock_contention", NAMES[5]): "omp_lock_contention_critical", ("omp_fork", NAMES[2]): "omp_fork"}
COSTS = {"omp_barrier_wait": "delay_ompbarrier", "omp_idle": "delay_ompidle"}


def write(script, folder, seed, n):
    """An archive; returns its script's checksum."""
    lines = "\n".join(Team(seed, n).script()) + "\n"
    shutil.rmtree(folder / "traces", ignore_errors=True)
    subprocess.run([script, folder, "traces"], input=lines, text=True, check=True)
    return zlib.crc32(lines.encode())


def theirs_of(path):
    """{(metric, region, thread): ns} of the analyser's report. Its locations have no numbers of threads: they are in their order."""
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
    """The same of the profile for Cube."""
    xtf.expect("export", "cube", "--quiet", "--force", "-o", folder / "ours.cubex", folder / "trace.xtf")
    found = theirs_of(folder / "ours.cubex")
    return {key: ns for key, ns in found.items() if key[0] != "critical_path"}


def ours_of(xtf, folder):
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


def joined(values):
    """The regions around teams as one, of all threads together."""
    found = collections.Counter()
    for (metric, region, thread), ns in values.items():
        outer = metric == "critical_path" and region in OUTER
        found[(metric, "", "") if outer else (metric, region, thread)] += ns
    return +found


def main():
    need("otf2-print")
    arguments = sys.argv[1:]
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        if arguments[0] == "--freeze":
            target, seed, n, _, script = arguments[1:6]
            check = write(script, folder, int(seed), int(n))
            subprocess.run([os.environ["XTF_SCOUT_OMP"], "./traces.otf2"], cwd=folder, check=True, env={**os.environ, "OMP_NUM_THREADS": n})
            lines = [f"# Scalasca 2.6, scout.omp, of random_teams.py: seed {seed} threads {n} crc32 {check}"]
            lines += [f"{metric} {region} {thread} {ns}" for (metric, region, thread), ns in sorted(theirs_of(folder / "scout.cubex").items())]
            pathlib.Path(target).write_text("\n".join(lines) + "\n")
            return 0
        xtf, script, *frozen = arguments
        for path in map(pathlib.Path, frozen):
            head, *lines = path.read_text().splitlines()
            words = head.split()
            seed, n, check = (int(words[words.index(word) + 1]) for word in ("seed", "threads", "crc32"))
            if write(script, folder, seed, n) != check:
                raise Failure(f"{path.name}: its program is another one now: results have to be made anew (--freeze)")
            theirs = joined({(m, region, int(thread)): int(ns) for m, region, thread, ns in map(str.split, lines)})
            ours = joined(ours_of(Xtf(xtf), folder))
            wrong = [(key, ours[key], theirs[key]) for key in sorted({*ours, *theirs}, key=str)
                     if abs(ours[key] - theirs[key]) > (1 if key[0] in COSTS.values() else 0)]
            if wrong:
                raise Failure(f"{path.name}: {len(wrong)} values differ from the analyser's: {wrong[:5]}")
            print(f"{path.name}: {len(theirs)} values of the analyser")
    return 0


if __name__ == "__main__":
    run_test(main)
