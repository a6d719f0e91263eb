#!/usr/bin/env python3
"""Analyses of random programs against Scalasca's own analyser: every metric that both have, by call path and location.

usage: test_scout.py [--seeds A-B] [--steps N] [--freeze FILE SEED] XTF OTF2-SCRIPT FROZEN...

FROZEN are results of Scalasca 2.6 for small programs of the same generator, so the test needs no analyser. Without them, both
programs analyse the programs. The test finds scout.mpi by XTF_SCOUT or in PATH. --freeze writes a file of results.

In some cases the analyser's values are known to differ from the definitions of its patterns. There the values must differ in the
known way: see Reading, is_on_one, and scout_path.py.
"""

import argparse
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
import naive_path
import naive_waits
import scout
import scout_path
from cube_reader import Cube
from random_programs import Program
from xtfrun import Failure, Xtf, need_programs, run_test, skip, temporary_folder

SECONDS = 60
ANALYSED = ("mpi_", "delay_", "critical_", "non_critical_")
ORDER = ("mpi_lswo_same", "mpi_lswo_different", "mpi_slswo_count", "mpi_clswo_count")


class Reading(naive_waits.Waits):
    """The analyser's wrong order of late senders. If one receive reveals several late senders, the analyser uses source and bytes
    of the first one for all, and charges its call with all. (A set of events keeps the first value of each.) It also compares
    ranks in the communicators of the messages, so one sender counts as another one in another communicator."""

    def __init__(self, archive):
        self.as_read, self.defined = collections.Counter(), collections.Counter()
        super().__init__(archive)

    def wrong_order(self, receive, remembered):
        late = [item for item in remembered if item[0].other.time > receive.other.time]
        for record, wait in late:
            first = late[0][0]
            self.judge(self.defined, record, record.other.proc is receive.other.proc, wait)
            self.judge(self.as_read, first, first.values["peer"][0] == receive.values["peer"][0], wait)
        super().wrong_order(receive, remembered)

    @staticmethod
    def judge(sums, record, same, wait):
        key = "".join("/" + name for name in record.call.path), record.proc.number
        sums["mpi_lswo_same" if same else "mpi_lswo_different", *key] += wait
        sums["mpi_clswo_count" if record.values["bytes"] else "mpi_slswo_count", *key] += 1

    def values(self, sums, metric):
        """Returns {(call path, rank): seconds, or count}."""
        unit = 1 if metric.endswith("_count") else self.ticks
        return {key[1:]: float(value / unit) for key, value in sums.items() if key[0] == metric}


def values_of_path(path, metric, ticks):
    """Returns {(call path, rank): seconds} of a judge's path."""
    numbers = {process.location: process.number for process in path.processes}
    return {("".join("/" + region for region in callpath), numbers[location]): float(value / ticks)
            for (name, callpath, location), value in path.sums.items() if name == metric}


def is_on_one(values):
    """Returns True if a process has as much activity as the critical path on each of the path's call paths. The analyser then
    divides by zero or by rounding errors, and its costs of imbalance are no numbers."""
    on, active = collections.Counter(), collections.Counter()
    for (path, _), value in values["critical_path"].items():
        on[path] += value
    for metric in ("critical_path_activities", "non_critical_path_activities"):
        active.update(values[metric])
    ranks = {rank for _, rank in values["time"]}
    return any(all(active[path, rank] > value - scout.ABSOLUTE / 1000 for path, value in on.items()) for rank in ranks)


class Comparison:
    def __init__(self, options, folder):
        self.options, self.folder, self.xtf = options, folder, Xtf(options.xtf)
        self.compared, self.differences = 0, 0

    def write(self, seed, steps):
        """Writes the archive of a program. Returns the archive, the number of processes, and the script's checksum."""
        program = Program(seed, 2 + seed % 4, steps)
        lines = "\n".join(program.script()) + "\n"
        shutil.rmtree(self.folder / "traces", ignore_errors=True)
        subprocess.run([self.options.script, self.folder, "traces"], input=lines, text=True, check=True)
        return self.folder / "traces.otf2", len(program.processes), zlib.crc32(lines.encode())

    def our_values(self, archive):
        trace, profile = self.folder / "trace.xtf", self.folder / "ours.cubex"
        self.xtf.expect("import", "--quiet", "--force", "-o", trace, archive)
        self.xtf.expect("analyze", "--quiet", trace)
        self.xtf.expect("export", "cube", "--quiet", "--force", "-o", profile, trace)
        return values_of(Cube(profile))

    def analyser_values(self, analyser, n):
        """Returns the analyser's values; None if it stops. It polls, so idle processes have to yield. It may stop because its own
        messages at collective operations use the channels of replayed messages, and can be mistaken for them."""
        for old in self.folder.glob("scout.cubex"):
            old.unlink()
        command = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n", str(n), analyser, "./traces.otf2"]
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            try:
                printed, _ = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                process.terminate()
                printed, _ = process.communicate()
        if not (self.folder / "scout.cubex").exists():
            print(f"the analyser stopped: {printed[-300:]}")
            return None
        return values_of(Cube(self.folder / "scout.cubex"))

    def compare(self, name, archive, analyser_values, has_metric):
        """Compares values. `has` returns True if the analyser has a metric, even if all its values are 0."""
        our_values, reading = self.our_values(archive), Reading(str(archive))
        left_out = {"critical_imbalance_impact"} if is_on_one(our_values) else set()
        read_path, meant_path = scout_path.Path(reading), naive_path.Path(reading)
        if read_path.left_out:
            print(f"{name}: the analyser leaves out {read_path.left_out} call paths of processes")
        for metric in sorted(metric for metric in {*our_values} - left_out if has_metric(metric)):
            analyser_metric = analyser_values.get(metric, {})
            pairs = [(analyser_metric, our_values[metric])]
            if metric in ORDER:
                pairs = [(analyser_metric, reading.values(reading.as_read, metric)), (reading.values(reading.defined, metric), our_values[metric])]
            elif metric in scout_path.METRICS and read_path.left_out:
                pairs = [(analyser_metric, values_of_path(read_path, metric, reading.ticks)),
                         (values_of_path(meant_path, metric, reading.ticks), our_values[metric])]
            for a, b in pairs:
                self.compared += len(a)
                for key, x, y in scout.differences(a, b):
                    self.differences += 1
                    print(f"{name}: {metric} {key[0]} {key[1]}: {y!r}, by the analyser {x!r}")


def values_of(cube):
    """Returns {metric: {(call path, rank): value}}."""
    return {metric: cube.by_name(metric) for metric in cube.metrics}


def write_frozen(path, analyser_values, seed, steps, check):
    """Writes a file of results. Each call path is named once, then given by its number. Metrics that need no analysis are
    omitted."""
    analyser_values = {metric: values for metric, values in analyser_values.items() if metric.startswith(ANALYSED)}
    paths = sorted({key[0] for values in analyser_values.values() for key in values})
    lines = [f"# Scalasca 2.6, scout.mpi, of random_programs.py: seed {seed} steps {steps} crc32 {check}"]
    lines += [f"{number} {name}" for number, name in enumerate(paths)]
    lines += [f"{metric} {paths.index(name)} {rank} {value:.10g}"
              for metric, values in sorted(analyser_values.items()) for (name, rank), value in sorted(values.items())]
    path.write_text("\n".join(lines) + "\n")


def read_frozen(path):
    """Returns (seed, steps, crc32 of the script, values)."""
    head, *lines = path.read_text().splitlines()
    words, paths, values = head.split(), [], collections.defaultdict(dict)
    for line in lines:
        cells = line.split()
        if len(cells) == 2:
            paths.append(cells[1])
        else:
            values[cells[0]][paths[int(cells[1])], int(cells[2])] = float(cells[3])
    return (*(int(words[words.index(word) + 1]) for word in ("seed", "steps", "crc32")), values)


def compare_frozen(comparison, path):
    seed, steps, check, analyser_values = read_frozen(path)
    archive, _, found = comparison.write(seed, steps)
    if found != check:
        raise Failure(f"{path.name}: its program has changed: make the results again with --freeze")
    comparison.compare(path.name, archive, analyser_values, lambda metric: metric.startswith(ANALYSED))


def compare_live(comparison, analyser, options):
    first, last = map(int, options.seeds.split("-"))
    for seed in range(first, last + 1):
        archive, n, check = comparison.write(seed, options.steps)
        analyser_values = comparison.analyser_values(analyser, n)
        if analyser_values:
            comparison.compare(f"seed {seed}", archive, analyser_values, analyser_values.__contains__)
        if analyser_values and options.freeze and seed == int(options.freeze[1]):
            write_frozen(pathlib.Path(options.freeze[0]), analyser_values, seed, options.steps, check)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="1-4")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--freeze", nargs=2)
    parser.add_argument("xtf")
    parser.add_argument("script")
    parser.add_argument("frozen", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    need_programs("otf2-print")
    analyser = shutil.which(os.environ.get("XTF_SCOUT") or "scout.mpi")
    if not options.frozen and not (analyser and shutil.which("mpirun")):
        skip("Scalasca's analyser is missing: set XTF_SCOUT to its scout.mpi")
    with temporary_folder() as name:
        comparison = Comparison(options, pathlib.Path(name))
        for path in options.frozen:
            compare_frozen(comparison, path)
        if not options.frozen:
            compare_live(comparison, analyser, options)
    print(f"{comparison.compared} values of the analyser, {comparison.differences} differences")
    return 1 if comparison.differences or not comparison.compared else 0


if __name__ == "__main__":
    run_test(main)
