#!/usr/bin/env python3
"""Measures an import, or with --analyze an analysis, by the ranks of an MPI job. The measure is the processor time (user and system) of all
ranks together, and of the busiest; the memory of the largest rank, too. Compares them with one thread alone. Runs take turns; the results are medians. exchange.c writes traces to analyse.

usage: ranks.py XTF WRITE_LOCATIONS [--locations N] [--rounds N] [--runs N] [--mpi NAME]
       ranks.py XTF --analyze TRACE.xtf [--runs N] [--mpi NAME]
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


def measure_rank(folder, *command):
    """Runs a rank's command, and writes its processor time and its memory to a file of its own."""
    status = subprocess.run(command, check=False, close_fds=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    (pathlib.Path(folder) / str(os.getpid())).write_text(f"{used.ru_utime + used.ru_stime} {used.ru_maxrss}")
    sys.exit(status)


def measure_ranks(launcher, command):
    """Returns the sum of the processor times of all ranks, in seconds, the greatest, and the greatest memory in KiB."""
    import mpis  # not in ranks: it makes a folder for launchers

    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*launcher, sys.executable, PLACE, "--rank", folder, *command], check=True, env=mpis.ENVIRONMENT)
        times, memory = zip(*(map(float, path.read_text().split()) for path in pathlib.Path(folder).iterdir()))
        return sum(times), max(times), max(memory)


def compare(mpi, runs, command_alone, command_of_ranks):
    """Prints the processor times and the memory of numbers of ranks, and of one process."""
    alone, ranks = [], {n: [] for n in RANKS}
    for _ in range(runs):
        alone.append(measure_ranks([], command_alone))
        for n in RANKS:
            ranks[n].append(measure_ranks(mpi.launch(n), command_of_ranks))
    one, _, memory = map(statistics.median, zip(*alone))
    print(f"one process: {one:.2f} s, {memory / 1024:.0f} MiB")
    for n in RANKS:
        total, busiest, memory = map(statistics.median, zip(*ranks[n]))
        print(f"{n} ranks: sum {total:.2f} s, {total / one:.2f} of one process; busiest {busiest:.2f} s, {busiest / one * n:.2f}/{n} of it; {memory / 1024:.0f} MiB")


def print_records(xtf, trace):
    events = subprocess.run([xtf, "info", trace], check=True, capture_output=True, text=True).stdout
    print([line for line in events.splitlines() if line.startswith("records")][0])


def compare_imports(options, mpi, folder):
    archive, output = os.path.join(folder, "archive"), os.path.join(folder, "out")
    subprocess.run([options.write_locations, archive, str(options.locations), str(options.rounds)], check=True)
    command = [options.xtf, "import", "-q", "-f", "-o"]
    anchor = os.path.join(archive, "traces.otf2")
    compare(mpi, options.runs, [*command, output + ".xtf", "-j1", anchor], [*command, output + ".xtf.d", anchor])
    print_records(options.xtf, output + ".xtf")


def compare_analyses(options, mpi, folder):
    command = [options.xtf, "analyze", "-q", "-f", "-o", os.path.join(folder, "out.analysis"), options.analyze]
    compare(mpi, options.runs, [*command, "-j1"], command)
    print_records(options.xtf, options.analyze)


def main():
    import mpis

    parser = argparse.ArgumentParser()
    parser.add_argument("xtf", type=os.path.abspath)
    parser.add_argument("write_locations", nargs="?")
    parser.add_argument("--analyze", metavar="TRACE.xtf")
    parser.add_argument("--locations", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=60000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--mpi", default="openmpi")
    options = parser.parse_args()
    if bool(options.analyze) == bool(options.write_locations):
        parser.error("either WRITE_LOCATIONS or --analyze is needed")
    with tempfile.TemporaryDirectory() as folder:
        (compare_analyses if options.analyze else compare_imports)(options, mpis.Mpi(options.mpi, ""), folder)


if sys.argv[1:2] == ["--rank"]:
    measure_rank(*sys.argv[2:])
main()
