#!/usr/bin/env python3
"""A library below the recorder (shim/) counts calls, messages, one-sided operations and their bytes, and the bytes of collective
operations and of files. The trace must have the same counts in each process. The programs are one that calls every function,
and the deterministic ones of programs/.

usage: test_counts.py XTF SOURCE NAME MODULE COMPILER... [-- NAME ...]...

RECORD_SHIMS is the folder with the libraries.
"""

import os
import pathlib
import sys
import tempfile

XTF, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
HERE = SOURCE / "tests/record"
sys.path[:0] = [str(SOURCE / "src/record/mpi/generate"), str(HERE / "every"), str(HERE / "shim")]

import counted  # noqa: E402
import every  # noqa: E402
import header  # noqa: E402
import mpis  # noqa: E402
import table  # noqa: E402

FUNCTIONS = table.read(SOURCE / "src/record/mpi/functions.tbl")
# Programs and their numbers of processes. Other programs use MPI from several threads, which the library cannot count, start
# processes, or need other settings for each MPI.
PROGRAMS = {"blocking": 2, "requests": 2, "collectives": 3, "files": 2, "windows": 2}


def try_program(mpi, folder, name, n, command):
    trace = os.path.join(folder, f"{mpi}-{name}.xtf")
    mpis.run([XTF, "record", "-o", trace, *mpi.launch(n, *counted.above_library(mpi.name, mpi.module, folder), *command)], cwd=folder, env=mpi.working())
    numbers = counted.read_counted(folder)
    counted.expect(f"{mpi} {name}, processes that counted", len(numbers), n)
    counted.compare(XTF, f"{mpi} {name}", numbers, trace)


def try_mpi(mpi, folder):
    declared = header.declarations(header.preprocess(mpi.compiler))
    source = pathlib.Path(folder, "every.c")
    source.write_text(every.program(FUNCTIONS, declared, every.left_out(mpi.name, mpis.version(mpi.name))))
    try_program(mpi, folder, "every", 2, [mpi.compile(str(source), os.path.join(folder, "every"), "-I", str(HERE / "every")), folder])
    for name, n in PROGRAMS.items():
        binary = mpi.compile(str(HERE / "programs" / f"{name}.c"), os.path.join(folder, name))
        try_program(mpi, folder, name, n, [binary])


def main():
    for mpi in mpis.some_of(sys.argv[3:], "mpich"):
        with tempfile.TemporaryDirectory(prefix="xtf-counts-") as folder:
            try_mpi(mpi, folder)
    print("\n".join(counted.problems) or "no problems")
    return 1 if counted.problems else 0


if __name__ == "__main__":
    sys.exit(main())
