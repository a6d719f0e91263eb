#!/usr/bin/env python3
"""Measures `xtf analyze` for traces with 900 000 call paths of several shapes: memory, and the size of the analysis beside the trace's.
Then measures tables and pictures by call path.

usage: callpaths.py [--build BUILD] [--dir DIR] [--times N] [--rows] [--callpaths N] [--processes N] [--ranks N] [--shape SHAPE]...

make-callpaths.c generates the traces. Without an MPI that the build has a module for, no ranks are measured.
"""

import os
import pathlib
import shutil
import subprocess
import sys

import common

PLACE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(PLACE.parent / "record"))

SHAPES = ("deep", "wide", "own", "roots")
PATHS = ("waits/callpaths", "delays/callpaths", "critical/callpaths", "waits/num/0/causes", "definitions/contexts", "profile.svg")
MOST_MIB, MOST_SHARE = 150, 5  # of an analysis


def launcher_of(arguments):
    """Returns an MPI that is installed and has a module in the build; None: there is none."""
    import mpis  # makes a folder for launchers

    for name in ("openmpi", "mpich"):
        if shutil.which(f"mpirun.{name}") and (arguments.build / f"src/world/mpi/libxtf-world-{name}.so").exists():
            return mpis.Mpi(name, ""), mpis.ENVIRONMENT
    return None


def memory_of_ranks(arguments, folder, command):
    """Returns the memory of the largest rank in MiB; None: there is no MPI."""
    found = launcher_of(arguments)
    if not found:
        return None
    of_ranks = folder / "ranks"
    of_ranks.mkdir()
    mpi, environment = found
    subprocess.run(mpi.launch(arguments.ranks, sys.executable, PLACE / "ranks.py", "--rank", of_ranks, *command), check=True, env=environment,
                   stdout=subprocess.DEVNULL)
    memory = max(float(file.read_text().split()[1]) for file in of_ranks.iterdir())
    shutil.rmtree(of_ranks)
    return memory / 1024


def measure_analysis(arguments, folder, trace, shape):
    companion = trace.with_name(trace.name + ".analysis")
    command = [arguments.xtf.resolve(), "analyze", "-q", "-f", "-o", companion]
    runs = {jobs: [common.Run([*command, "-j", jobs, trace]) for _ in range(arguments.times)] for jobs in (1, 2)}
    memory = [f"{max(run.mebibytes for run in runs[jobs]):.0f} MiB by {jobs}" for jobs in runs]
    of_ranks = memory_of_ranks(arguments, folder, [*command, trace])
    memory += [f"{of_ranks:.0f} of a rank of {arguments.ranks}"] if of_ranks else []
    share = 100 * companion.stat().st_size / trace.stat().st_size
    seconds = common.median(run.cpu for run in runs[1])
    common.row(f"analyze: {shape}, {arguments.callpaths} call paths, {arguments.processes} processes, {trace.stat().st_size >> 10} KiB",
               f"{seconds:.2f} s; {', '.join(memory)}; companion {share:.1f} %", f"{MOST_MIB} MiB, {MOST_SHARE} %")


def measure_views(arguments, trace, shape):
    for path in PATHS:
        runs = [common.Run([arguments.xtf, "cat", trace, path]) for _ in range(arguments.times)]
        common.row(f"{shape}: `{path}`", f"{common.median(run.cpu for run in runs):.2f} s, {max(run.mebibytes for run in runs):.0f} MiB")


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("--callpaths", type=int, default=900000)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--shape", action="append", choices=SHAPES, help="may be repeated")
    arguments = parser.parse_args()
    common.start(arguments)
    with common.folder(arguments.dir) as folder:
        os.environ["TMPDIR"] = str(folder)
        for shape in arguments.shape or SHAPES:
            trace = folder / f"{shape}.xtf"
            common.Run([arguments.bench / "make-callpaths", shape, arguments.callpaths, arguments.processes, trace])
            measure_analysis(arguments, folder, trace, shape)
            measure_views(arguments, trace, shape)
            trace.unlink()


if __name__ == "__main__":
    main()
