#!/usr/bin/env python3
"""Measures the processor time of `xtf scale` for 6 traces of 1000 regions, beside that of reading a count of each trace.

usage: scaling.py XTF [REGIONS]
"""

import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

RUNS = (2, 4, 8, 16, 32, 64)
ROUNDS = 7


def make_run(xtf, folder, processes, regions):
    events = []
    for process in range(processes):
        common = {"pid": process, "tid": 0}
        for region in range(regions):
            begin = region * 1000.0
            events.append({"ph": "B", "name": f"region {region}", "ts": begin, **common})
            events.append({"ph": "E", "ts": begin + 10 + (region % 7) * 100 / processes + region % 5 * processes, **common})
    source = folder / f"{processes}.json"
    source.write_text(json.dumps({"traceEvents": events}))
    subprocess.run([xtf, "import", "-q", "-o", source.with_suffix(".xtf"), source], check=True)
    return source.with_suffix(".xtf")


def measure(commands):
    """Returns the seconds of processor time of commands."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for command in commands:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    xtf, regions = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    with tempfile.TemporaryDirectory(prefix="xtf-bench-") as name:
        traces = [make_run(xtf, pathlib.Path(name), processes, regions) for processes in RUNS]
        figures = {"scale": [], "scale, all lines": [], "count of each trace": []}
        for _ in range(ROUNDS):
            figures["scale"].append(measure([[xtf, "scale", *traces]]))
            figures["scale, all lines"].append(measure([[xtf, "scale", "--top", "0", *traces]]))
            figures["count of each trace"].append(measure([[xtf, "cat", trace, "count"] for trace in traces]))
    print(f"# {len(RUNS)} traces of {regions} regions, medians of {ROUNDS}")
    for figure, seconds in figures.items():
        print(f"{statistics.median(seconds) * 1e3:8.1f} ms of processor time: {figure}")


main()
