#!/usr/bin/env python3
"""Measures `xtf predict`: the messages that its engine computes in a second of a core, and the memory of the whole command.

usage: predict.py [--trace FILE.xtf]... [options of all benches]

exchange.c generates a trace of 16 processes and one of 1024, each with 1.3 million messages. Figures are of processor time.
"""

import pathlib
import subprocess

import common

GENERATED = {"16 processes": [], "1024 processes": ["--ranks", 1024, "--iterations", 20, "--polls", 2]}
NETWORK = ["--latency", "1us", "--bandwidth", "1G"]


def measure(arguments, name, trace):
    printed = subprocess.run([arguments.bench / "predict-engine", "--times", str(arguments.times), trace], check=True, capture_output=True, text=True)
    for line in printed.stdout.splitlines():
        print(line.replace("predict:", f"predict, {name}:"), flush=True)
    for contention in ("none", "nic"):
        runs = [common.Run([arguments.xtf, "predict", "--quiet", *NETWORK, "--contention", contention, trace]) for _ in range(arguments.times)]
        common.row(f"`xtf predict --contention {contention}`, {name}", f"{common.duration(common.median([run.cpu for run in runs]))} of processor, "
                   f"{max(run.mebibytes for run in runs):.0f} MiB")


def main():
    parser = common.parser(__doc__)
    parser.add_argument("--trace", action="append", type=pathlib.Path, default=[], help="a trace to measure, too")
    arguments = parser.parse_args()
    common.start(arguments)
    with common.folder(arguments.dir) as folder:
        trace = folder / "exchange.xtf"
        for name, options in GENERATED.items():
            subprocess.run([arguments.bench / "exchange", *map(str, options), trace], check=True)
            measure(arguments, name, trace)
            trace.unlink()
    for trace in arguments.trace:
        measure(arguments, trace.name, trace)


if __name__ == "__main__":
    main()
