#!/usr/bin/env python3
"""What `xtf analyze` takes, for traces of many calls, of many messages, of many processes; beside a naive replay in Python, the
judge of the tests. Figures a core are of processor time, of all threads; memory is the greatest of the process, in place and into
a companion (-o).

usage: analyze.py [--trace FILE.xtf|ARCHIVE.otf2]... [--only WHAT] [options of all benches]

The traces are made up (exchange.c), and the HPCC trace of record-hpcc.sh is one for --trace.
"""

import pathlib
import re
import shutil
import subprocess
import sys

import common

TESTS = pathlib.Path(__file__).resolve().parents[1]

# Name: arguments of `exchange`, what is counted, and the figure to reach.
MADE = {
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


def analyze(arguments, trace):
    """The run of median processor time, of a new copy each time; and the bytes that it adds."""
    copy, runs = trace.with_suffix(".copy.xtf"), []
    for _ in range(arguments.times):
        shutil.copyfile(trace, copy)
        runs.append(common.Run([arguments.xtf, "analyze", "--quiet", copy]))
    runs.sort(key=lambda run: run.cpu)
    added = copy.stat().st_size - trace.stat().st_size
    waits = count_of(arguments, copy, "waits")
    copy.unlink()
    return runs[len(runs) // 2], added, waits


def aside(arguments, trace):
    """The same into a companion: the run that takes most memory."""
    companion = trace.with_suffix(".analysis")
    runs = [common.Run([arguments.xtf, "analyze", "--quiet", "--force", "-o", companion, trace]) for _ in range(arguments.times)]
    companion.unlink()
    return max(runs, key=lambda run: run.mebibytes)


def measure(arguments, name, trace, what, target):
    run, added, waits = analyze(arguments, trace)
    n = records_of(arguments, trace) if what == "events" else messages_of(arguments, trace)
    share = 100 * added / trace.stat().st_size
    common.row(f"{name}: {n / 1e6:.3g} M {what}", f"{n / run.cpu / 1e6:.3g} M/s a core, {n / run.seconds / 1e6:.3g} M/s elapsed; "
               f"{run.cpu:.2f} s of processor, {run.mebibytes:.0f} MiB", target)
    beside = aside(arguments, trace)
    common.row(f"{name}: into a companion", f"{beside.cpu:.2f} s of processor, {beside.mebibytes:.0f} MiB", "150 MiB")
    common.row(f"{name}: added", f"{added / 1e6:.2f} MB, {share:.2g}% of the file; {waits} waits", "10 B a wait, 5% of HPCC")


def made(arguments, folder, name, options):
    trace = folder / f"{name}.xtf"
    subprocess.run([arguments.bench / "exchange", *map(str, options), trace], check=True)
    return trace


def naive(arguments, folder):
    """The naive replay reads OTF2 by otf2-print, three times; the time that printing takes is not counted."""
    if not shutil.which("otf2-print"):
        return
    trace = folder / "naive.xtf"
    subprocess.run([arguments.xtf, "import", "--quiet", "-o", trace, arguments.naive], check=True)
    judge = common.Run([sys.executable, "-c", NAIVE_CODE, arguments.naive, TESTS])
    prints = common.Run(["otf2-print", arguments.naive])
    ours, _, _ = analyze(arguments, trace)
    took = judge.cpu - 3 * prints.cpu
    common.row(f"beside a naive replay: {arguments.naive.parent.name}, {records_of(arguments, trace)} events, "
               f"{messages_of(arguments, trace)} messages",
               f"{ours.cpu * 1e3:.3g} ms of processor, {ours.mebibytes:.0f} MiB", "100 times",
               f"Python {took:.3g} s and otf2-print, {judge.mebibytes:.0f} MiB: {took / ours.cpu:.0f} times")


def main():
    parser = common.parser(__doc__)
    parser.add_argument("--trace", action="append", default=[], type=pathlib.Path)
    parser.add_argument("--naive", type=pathlib.Path, default=TESTS.parent / "examples" / "melt-4" / "eztrace_log.otf2",
                        help="archive for the naive replay (default: examples/melt-4)")
    parser.add_argument("--only", choices=[*MADE, "naive", "traces"])
    arguments = parser.parse_args()
    common.start(arguments)
    with common.folder(arguments.dir) as folder:
        for path in arguments.trace:
            trace = folder / (path.stem + ".xtf")
            if path.suffix == ".xtf":
                shutil.copyfile(path, trace)
            else:
                subprocess.run([arguments.xtf, "import", "--quiet", "-o", trace, path], check=True)
            measure(arguments, path.name, trace, "events", "25 M events/s a core, 150 MiB")
        for name, (options, what, target) in MADE.items():
            if arguments.only in (None, name):
                trace = made(arguments, folder, name, options)
                measure(arguments, f"`exchange {' '.join(map(str, options))}`".replace(" `", "`"), trace, what, target)
                trace.unlink()
        if arguments.only in (None, "naive"):
            naive(arguments, folder)


if __name__ == "__main__":
    main()
