#!/usr/bin/env python3
"""Predictions of recorded programs with the communication of the NAS parallel benchmarks (kernels.c), judged by SimGrid's replay of their
exports. All processes must end within 0.5 us of their predictions.
"""

import pathlib
import shutil
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / folder) for folder in ("record", "roundtrip", "match", "analysis")]
# pylint: disable=wrong-import-position
import recording
from test_predict_simgrid import compare
from test_ti import EAGER, RENDEZVOUS
from xtfrun import Xtf

KERNELS = ("ep", "is", "ft", "cg", "mg", "lu")
N = 4
RESOLUTION = 10**9  # of CLOCK_MONOTONIC


class Kernels(recording.Case):

    def test_against_simgrid(self):
        mpi = recording.mpis()[0]
        program = self.folder / "kernels"
        self.run_in(f"mpicc.{mpi}", "-O1", "-Wall", "-Werror", "-o", program, pathlib.Path(__file__).with_name("kernels.c"))
        for kernel in KERNELS:
            with self.subTest(kernel):
                path, _ = self.record(mpi, N, program, kernel, options=("--clock", "monotonic", "--force"))
                self.assertEqual(compare(Xtf(recording.XTF), self.folder, kernel, RESOLUTION, path, (RENDEZVOUS, EAGER)), {})


if __name__ == "__main__":
    if not shutil.which("smpirun"):
        print("skipped: SimGrid's smpirun is not installed")
        sys.exit(77)
    recording.main()
