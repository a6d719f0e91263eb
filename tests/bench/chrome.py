#!/usr/bin/env python3
"""Measures import and export of Chrome's trace events: megabytes a second of processor time, memory, size.

Compares the import with Python's json. The file is generated: calls of threads in turn, flows and counters, which need the external sort.
"""

import random
import subprocess
import sys

import common

PARSE = "import json, sys; json.load(open(sys.argv[1], 'rb'))"
THREADS = 16


def generate(path, megabytes):
    source = random.Random(1)
    names = [f"aten::op{i}" for i in range(300)]
    times = [0] * THREADS
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"traceEvents":[\n')
        i = 0
        while out.tell() < megabytes * 1000000:
            for i in range(i, i + 1000):
                thread = source.randrange(THREADS)
                times[thread] += source.randrange(1, 9000)
                place = f'"pid": 4711, "tid": {thread}, "ts": {times[thread] // 1000}.{times[thread] % 1000:03}'
                kind = source.random()
                if kind < 0.8:
                    out.write(f'{{"ph": "X", "cat": "cpu_op", "name": "{source.choice(names)}", {place}, "dur": {source.randrange(50)}.{source.randrange(1000):03}, '
                              f'"args": {{"External id": {i}, "Ev Idx": {i}, "Dims": [[{i % 50}, 3], []]}}}},\n')
                elif kind < 0.9:
                    out.write(f'{{"ph": "{"sf"[i & 1]}", "id": {i // 2}, {place}, "cat": "ac2g", "name": "ac2g", "bp": "e"}},\n')
                else:
                    out.write(f'{{"ph": "C", "name": "mem", {place}, "args": {{"bytes": {i}}}}},\n')
            i += 1
        out.write('{"ph": "i", "name": "end", "pid": 4711, "tid": 0, "ts": 0, "s": "g"}]}\n')


def measure(arguments, folder):
    source, trace, again = folder / "run.json", folder / "run.xtf", folder / "again.json"
    generate(source, arguments.megabytes)
    size = source.stat().st_size
    label = f"Chrome's trace events, {size / 1e6:.0f} MB"
    runs = [common.Run([arguments.xtf, "import", "-q", "-f", "-o", trace, source]) for _ in range(arguments.times)]
    python = common.Run([sys.executable, "-c", PARSE, source])
    common.row(f"import of {label}, processor time",
               f"{size / min(run.cpu for run in runs) / 1e6:.0f} MB/s, {min(run.mebibytes for run in runs):.0f} MiB", "100 MiB",
               f"Python's json {size / python.cpu / 1e6:.0f} MB/s, {python.mebibytes:.0f} MiB")
    common.row(f"size of the trace of {label}", f"{trace.stat().st_size / size:.3f} of it")
    run = common.Run([arguments.xtf, "export", "chrome", "-q", "-f", "-o", again, trace])
    common.row(f"export of {label}, processor time", f"{again.stat().st_size / run.cpu / 1e6:.0f} MB/s, {run.mebibytes:.0f} MiB")
    subprocess.run([arguments.xtf, "import", "-q", "-f", "-o", trace, again], check=True)


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=300)
    arguments = parser.parse_args()
    common.start(arguments)
    with common.folder(arguments.dir) as folder:
        measure(arguments, folder)


if __name__ == "__main__":
    main()
