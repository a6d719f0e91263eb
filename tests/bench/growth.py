#!/usr/bin/env python3
"""Measures how `xtf cat` of tables and pictures grows with the trace: elapsed and processor time, and peak memory.

usage: growth.py [--build DIR] [--times N] [--records N]... [--locations L] [--table TABLE]... [TRACE.xtf]...

Without traces it generates some of 4.4, 35 and 350 million records on 8 locations, with 46 regions, and removes them. The
last is 1 GB, and takes minutes. Each run is a new process, and the trace is in the system's cache.
"""

import pathlib
import subprocess

import common

RECORDS = (4_375_000, 35_000_000, 350_000_000)
TABLES = ("count", "profile", "histogram", "by/time:100/profile", "by/time:100/imbalance", "proc/0/by/time:100/profile",
          "time/10%-20%/histogram", "longest", "timeline.svg", "profile.svg", "findings", "index.html")


def measure(arguments, trace, table):
    runs = sorted((common.Run([arguments.xtf, "cat", trace, f"/{table}"]) for _ in range(arguments.times)),
                  key=lambda run: run.cpu)
    seconds = common.median([run.seconds for run in runs])
    memory = max(run.mebibytes for run in runs)
    return f"{common.duration(seconds)}; {common.duration(runs[len(runs) // 2].cpu)}; {memory:.0f} MiB"


def measure_trace(arguments, trace):
    common.make_warm(trace)
    return [measure(arguments, trace, table) for table in arguments.table or TABLES]


def generate(arguments, folder, records):
    trace = folder / f"{records}.xtf"
    subprocess.run([arguments.bench / "generate", "-n", str(records), "-l", str(arguments.locations), trace], check=True,
                   stdout=subprocess.DEVNULL)
    return trace


def measure_generated(arguments, records):
    with common.folder(arguments.dir) as folder:
        return measure_trace(arguments, generate(arguments, folder, records))


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("--records", action="append", type=int, help="size of a generated trace; may be repeated")
    parser.add_argument("--locations", type=int, default=8, help="locations of generated traces")
    parser.add_argument("--table", action="append", help="a table or picture; may be repeated")
    parser.add_argument("traces", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.rows = True  # this table has a head of its own
    common.start(arguments)
    sizes = arguments.records or (() if arguments.traces else RECORDS)
    heads = [trace.name for trace in arguments.traces] + [f"{size / 1e6:.3g} M records" for size in sizes]
    columns = [measure_trace(arguments, trace) for trace in arguments.traces]
    columns += [measure_generated(arguments, size) for size in sizes]
    print(f"| elapsed; processor; peak | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
    for table, cells in zip(arguments.table or TABLES, zip(*columns)):
        print(f"| `{table}` | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
