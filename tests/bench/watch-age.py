#!/usr/bin/env python3
"""Measures how old the state is that `xtf watch` shows of a running program. Also measures the cost of watching: processor time of
the collectors, and bytes of the trace.

usage: watch-age.py [--looks N] [--mpi NAME] BUILD...

Each build is measured by turns, --times times. A look takes the newest state that `xtf watch --json` has printed at a random
time, and compares its time with the clock.
"""

import argparse
import csv
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
PROCESSES = 4
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")


class Watcher(threading.Thread):
    """Reads what `xtf watch --json` prints. `shown` is the time of the newest state, in seconds of the run."""

    def __init__(self, xtf, parts):
        super().__init__(daemon=True)
        self.shown = None
        self.process = subprocess.Popen([xtf, "watch", "--json", parts], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.start()

    def run(self):
        for line in self.process.stdout:
            self.shown = json.loads(line)["time"]

    def end(self):
        self.process.terminate()
        self.process.wait()


def collector_seconds(xtf, trace):
    done = subprocess.run([xtf, "cat", "--csv", trace, "definitions/definition_properties"], capture_output=True, text=True, check=True)
    return sum(int(row["value"]) for row in csv.DictReader(done.stdout.splitlines()) if row["name"] == "record.collector_ns") / 1e9


def measure(build, mpi, folder, looks):
    """Returns the ages of the shown states, the collectors' seconds of processor time, and the trace's bytes. The run is watched if
    `looks` is not 0."""
    xtf, trace, tmp = build / "src/cli/xtf", folder / "run.xtf", folder / "tmp"
    shutil.rmtree(tmp, ignore_errors=True)
    trace.unlink(missing_ok=True)
    tmp.mkdir()
    seconds = 4 + 0.5 * max(looks, 20)
    ages = []
    with subprocess.Popen([xtf, "record", "-o", trace, f"mpirun.{mpi}", "-n", str(PROCESSES), folder / "watch-age", str(seconds)], cwd=folder,
                          env=dict(ENVIRONMENT, XTF_TMPDIR=str(tmp)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
        first = float(run.stdout.readline())
        time.sleep(2)
        [parts] = tmp.glob("xtf-*")
        if looks:
            watcher = Watcher(xtf, parts)
            time.sleep(2)
            for _ in range(looks):
                time.sleep(random.uniform(0.3, 0.7))
                ages.append(time.time() - first - watcher.shown)
            watcher.end()
    return ages, collector_seconds(xtf, trace), trace.stat().st_size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--looks", type=int, default=20)
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("builds", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="xtf-watch-age-") as name:
        folder = pathlib.Path(name)
        subprocess.run([f"mpicc.{arguments.mpi}", "-O2", "-w", "-o", folder / "watch-age", HERE / "watch-age.c"], check=True)
        for _ in range(arguments.times):
            for build in arguments.builds:
                for looks in arguments.looks, 0:
                    ages, seconds, size = measure(build.resolve(), arguments.mpi, folder, looks)
                    age = f"age {statistics.median(ages):.2f} s, at most {max(ages):.2f} s of {looks} looks; " if ages else "not watched; "
                    print(f"{build}: {age}collectors {seconds:.2f} s, trace {size} bytes", flush=True)


if __name__ == "__main__":
    main()
