#!/usr/bin/env python3
"""Findings of programs with a planted fault. Each program is recorded under an MPI, unchanged. When the trace is analysed, the
first finding must name the process that the test drew.

usage: test_faults.py [--seed N] [--show] [TEST...]
"""

import argparse
import csv
import io
import pathlib
import random
import re
import sys

from recording import Case
from recording import main as run_tests

HERE = pathlib.Path(__file__).resolve().parent
PROCESSES = 4
SEED = random.SystemRandom().randrange(10**6)

# By fault: the source, steps, and the least milliseconds of the fault in a step; then options of `xtf record`. The fault takes
# several slices of the scheduler, since processes of some MPIs occupy their processor while they wait.
FAULTS = {
    "stencil": ("stencil.c", 30, 10, []),
    "farm": ("farm.f90", 30, 8, []),
    "transpose": ("transpose.f90", 20, 10, []),
    "locks": ("locks.c", 20, 5, ["--locks"]),
    "hybrid": ("hybrid.c", 20, 15, []),
    "io": ("io.c", 20, 15, []),
}


def process_of(sentence):
    """Returns the process that a sentence blames."""
    for pattern in (r"^process (\d+)", r" on process (\d+)"):
        match = re.search(pattern, sentence)
        if match:
            return int(match[1])
    return None


class Faults(Case):
    def findings(self, trace):
        """Returns the findings, without the rule `cpus`: the machine of the test may have fewer CPUs than processes."""
        return [line for line in csv.DictReader(io.StringIO(self.xtf("cat", "--csv", trace, "findings"))) if line["rule"] != "cpus"]

    def build(self, mpi, source):
        path = self.folder / f"{source}-{mpi}"
        compiler, shared = (f"mpifort.{mpi}", [HERE / "fault.f90"]) if source.endswith(".f90") else (f"mpicc.{mpi}", [])
        self.run_in(compiler, "-g", "-O1", "-fopenmp", "-pthread", "-o", path, *shared, HERE / source)
        return path

    def check_fault(self, name):
        for mpi in self.mpis():
            with self.subTest(mpi):
                self.check_fault_with(mpi, name)

    def check_fault_with(self, mpi, name):
        source, steps, least, options = FAULTS[name]
        dice = random.Random(f"{SEED} {mpi} {name}")
        rank, extra = dice.randrange(PROCESSES), dice.uniform(least, 2 * least)
        program = self.build(mpi, source)
        trace, _ = self.record(mpi, PROCESSES, program, rank, steps, f"{extra:.2f}", self.folder / f"file-{mpi}", options=options,
                               OMP_WAIT_POLICY="passive")
        plain = self.findings(trace)
        self.xtf("analyze", "-q", trace)
        analysed = self.findings(trace)
        shown = "\n".join(f"{one['score%']} {one['rule']}: {one['finding']}" for one in [*plain[:3], {"score%": "", "rule": "", "finding": ""}, *analysed])
        self.assertTrue(analysed, f"{name}, {mpi}, process {rank}, {extra:.2f} ms: no finding; seed {SEED}")
        self.assertEqual(process_of(analysed[0]["finding"]), rank, f"{name}, {mpi}, process {rank}, {extra:.2f} ms, seed {SEED}:\n{shown}")
        if VERBOSE:
            print(f"--- {name}, {mpi}, process {rank}, {extra:.2f} ms\n{shown}")


def add_tests():
    for name in FAULTS:
        setattr(Faults, f"test_{name}", lambda self, name=name: self.check_fault(name))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--show", action="store_true", help="print all findings")
    arguments, test_arguments = parser.parse_known_args()
    SEED, VERBOSE = arguments.seed, arguments.show
    sys.argv[1:] = test_arguments
    add_tests()
    run_tests()
