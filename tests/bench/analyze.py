#!/usr/bin/env python3
"""Measures `xtf analyze` for traces of many calls, of many messages, and of many processes. Compares it with a naive replay in
Python, the judge of the tests.

Figures for a core are of processor time of all threads. Memory is the peak of the process, for results in the trace and in a
companion (-o).

usage: analyze.py [--trace FILE.xtf|ARCHIVE.otf2]... [--only WHAT] [options of all benches]

exchange.c generates the traces. The HPCC trace of record-hpcc.sh can be given by --trace.
"""

import pathlib
import re
import shutil
import subprocess
import sys

import common

TESTS = pathlib.Path(__file__).resolve().parents[1]

# Name: arguments of `exchange`, the unit that is counted, and the target.
GENERATED = {
    "calls": (["-r", 8, "-i", 400, "-p", 1, "-t", 1, "-k", 5000], "events", "25 M events/s a core"),
    "messages": ([], "messages", "1.5 M messages/s a core"),
    "members": (["-r", 10000, "-i", 2, "-p", 2, "-t", 2, "-k", 8, "-n", 20], "events", "150 MiB"),
    "events": (["-r", 10000, "-i", 20, "-p", 2, "-t", 2, "-k", 50, "-n", 20], "events", "150 MiB"),
    "locations": (["-r", 100000, "-i", 2, "-p", 2, "-t", 2, "-k", 8], "events", "150 MiB"),
}
NAIVE_CODE = """
import sys
sys.path += [sys.argv[2] + "/roundtrip", sys.argv[2] + "/match", sys.argv[2] + "/analysis"]
from naive_causes import Causes
from naive_ideal import Ideal
from naive_path import Path
from naive_waits import Waits
waits = Waits(sys.argv[1])
Causes(waits), Path(waits), Ideal(waits)
"""


def records_of(arguments, trace):
    text = subprocess.run([arguments.xtf, "info", trace], check=True, capture_output=True, text=True).stdout
    return int(re.search(r"^records +(\d+)", text, re.M)[1])


def messages_of(arguments, trace):
    return count_of(arguments, trace, "sends")


def count_of(arguments, trace, kind):
    return int(subprocess.run([arguments.xtf, "cat", trace, f"{kind}/count"], check=True, capture_output=True, text=True).stdout)


def analyze_copies(arguments, trace):
    """Returns the run with the median processor time, the bytes that it adds, and the number of waits. Each run has a new copy of
    the trace."""
    copy, runs = trace.with_suffix(".copy.xtf"), []
    for _ in range(arguments.times):
        shutil.copyfile(trace, copy)
        runs.append(common.Run([arguments.xtf, "analyze", "--quiet", copy]))
    runs.sort(key=lambda run: run.cpu)
    added = copy.stat().st_size - trace.stat().st_size
    waits = count_of(arguments, copy, "waits")
    copy.unlink()
    return runs[len(runs) // 2], added, waits


def analyze_to_companion(arguments, trace):
    """Returns the run into a companion that needs the most memory."""
    companion = trace.with_suffix(".analysis")
    runs = [common.Run([arguments.xtf, "analyze", "--quiet", "--force", "-o", companion, trace]) for _ in range(arguments.times)]
    companion.unlink()
    return max(runs, key=lambda run: run.mebibytes)


def measure_trace(arguments, name, trace, unit, target):
    run, added, waits = analyze_copies(arguments, trace)
    n = records_of(arguments, trace) if unit == "events" else messages_of(arguments, trace)
    share = 100 * added / trace.stat().st_size
    common.row(f"{name}: {n / 1e6:.3g} M {unit}", f"{n / run.cpu / 1e6:.3g} M/s a core, {n / run.seconds / 1e6:.3g} M/s elapsed; "
               f"{run.cpu:.2f} s of processor, {run.mebibytes:.0f} MiB", target)
    beside = analyze_to_companion(arguments, trace)
    common.row(f"{name}: into a companion", f"{beside.cpu:.2f} s of processor, {beside.mebibytes:.0f} MiB", "150 MiB")
    common.row(f"{name}: added", f"{added / 1e6:.2f} MB, {share:.2g}% of the file; {waits} waits", "10 B a wait, 5% of HPCC")


def generate_trace(arguments, folder, name, options):
    trace = folder / f"{name}.xtf"
    subprocess.run([arguments.bench / "exchange", *map(str, options), trace], check=True)
    return trace


def compare_with_naive(arguments, folder):
    """Compares with the naive replay. It runs otf2-print three times, whose time is subtracted."""
    if not shutil.which("otf2-print"):
        return
    trace = folder / "naive.xtf"
    subprocess.run([arguments.xtf, "import", "--quiet", "-o", trace, arguments.naive], check=True)
    judge = common.Run([sys.executable, "-c", NAIVE_CODE, arguments.naive, TESTS])
    prints = common.Run(["otf2-print", arguments.naive])
    run, _, _ = analyze_copies(arguments, trace)
    took = judge.cpu - 3 * prints.cpu
    common.row(f"beside a naive replay: {arguments.naive.parent.name}, {records_of(arguments, trace)} events, "
               f"{messages_of(arguments, trace)} messages",
               f"{run.cpu * 1e3:.3g} ms of processor, {run.mebibytes:.0f} MiB", "100 times",
               f"Python {took:.3g} s and otf2-print, {judge.mebibytes:.0f} MiB: {took / run.cpu:.0f} times")


def main():
    parser = common.parser(__doc__)
    parser.add_argument("--trace", action="append", default=[], type=pathlib.Path)
    parser.add_argument("--naive", type=pathlib.Path, default=TESTS.parent / "examples" / "melt-4" / "eztrace_log.otf2",
                        help="archive for the naive replay (default: examples/melt-4)")
    parser.add_argument("--only", choices=[*GENERATED, "naive", "traces"])
    arguments = parser.parse_args()
    common.start(arguments)
    with common.folder(arguments.dir) as folder:
        for path in arguments.trace:
            trace = folder / (path.stem + ".xtf")
            if path.suffix == ".xtf":
                shutil.copyfile(path, trace)
            else:
                subprocess.run([arguments.xtf, "import", "--quiet", "-o", trace, path], check=True)
            measure_trace(arguments, path.name, trace, "events", "25 M events/s a core, 150 MiB")
        for name, (options, unit, target) in GENERATED.items():
            if arguments.only in (None, name):
                trace = generate_trace(arguments, folder, name, options)
                measure_trace(arguments, f"`exchange {' '.join(map(str, options))}`".replace(" `", "`"), trace, unit, target)
                trace.unlink()
        if arguments.only in (None, "naive"):
            compare_with_naive(arguments, folder)


if __name__ == "__main__":
    main()
