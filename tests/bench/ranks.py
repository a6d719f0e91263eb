#!/usr/bin/env python3
"""Measures an import by the ranks of an MPI job: processor time (user and system) of all ranks together, and of the busiest. Compares them with
an import by one thread. Runs take turns; the results are medians.

usage: ranks.py XTF WRITE_LOCATIONS [--locations N] [--rounds N] [--runs N] [--mpi NAME]
"""

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

RANKS = (1, 2, 4, 8)
PLACE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(PLACE.parents[1] / "record"))


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure_rank(folder, *command):
    """Runs a rank's command, and writes its processor time to a file of its own."""
    status = subprocess.run(command, check=False, close_fds=False).returncode
    (pathlib.Path(folder) / str(os.getpid())).write_text(str(children_seconds()))
    sys.exit(status)


def measure_ranks(launcher, command):
    """Returns the processor times of all ranks, in seconds."""
    import mpis  # not in ranks: it makes a folder for launchers

    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*launcher, sys.executable, PLACE, "--rank", folder, *command], check=True, env=mpis.ENVIRONMENT)
        return [float(path.read_text()) for path in pathlib.Path(folder).iterdir()]


def measure_alone(command):
    before = children_seconds()
    subprocess.run(command, check=True)
    return children_seconds() - before


def main():
    import mpis

    parser = argparse.ArgumentParser()
    parser.add_argument("xtf")
    parser.add_argument("write_locations")
    parser.add_argument("--locations", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=60000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--mpi", default="openmpi")
    options = parser.parse_args()
    xtf, mpi = os.path.abspath(options.xtf), mpis.Mpi(options.mpi, "")
    with tempfile.TemporaryDirectory() as folder:
        archive, output = os.path.join(folder, "archive"), os.path.join(folder, "out")
        subprocess.run([options.write_locations, archive, str(options.locations), str(options.rounds)], check=True)
        command = [xtf, "import", "-q", "-f", "-o"]
        anchor = os.path.join(archive, "traces.otf2")
        alone, sums, most = [], {n: [] for n in RANKS}, {n: [] for n in RANKS}
        for _ in range(options.runs):
            alone.append(measure_alone([*command, output + ".xtf", "-j1", anchor]))
            for n in RANKS:
                times = measure_ranks(mpi.launch(n), [*command, output + ".xtf.d", anchor])
                sums[n].append(sum(times))
                most[n].append(max(times))
        one = statistics.median(alone)
        events = subprocess.run([xtf, "info", output + ".xtf"], check=True, capture_output=True, text=True).stdout
        print([line for line in events.splitlines() if line.startswith("records")][0])
        print(f"one process: {one:.2f} s")
        for n in RANKS:
            total, busiest = statistics.median(sums[n]), statistics.median(most[n])
            print(f"{n} ranks: sum {total:.2f} s, {total / one:.2f} of one process; busiest {busiest:.2f} s, {busiest / one * n:.2f}/{n} of it")


if sys.argv[1:2] == ["--rank"]:
    measure_rank(*sys.argv[2:])
main()
