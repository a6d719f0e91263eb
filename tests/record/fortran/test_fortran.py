#!/usr/bin/env python3
"""Fortran programs record what C programs do: calls.F90 by each of the three bindings, against calls.c, under each MPI.

usage: test_fortran.py XTF

The programs check themselves what MPI gave them: MPI_IN_PLACE, MPI_BOTTOM, statuses that are ignored, callbacks, texts.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
XTF = sys.argv[1]
BINDINGS = {"mpif.h": 0, "mpi": 1, "mpi_f08": 2}
FORTRAN = ["-g", "-w", "-fallow-argument-mismatch", "-ffree-line-length-none"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
TABLES = ("communicators", "groups", "rma_windows", "cart_topologies")


class Fortran(unittest.TestCase):
    """One MPI: the name is that of Debian's alternatives."""

    mpi = None

    def setUp(self):
        for tool in ("mpicc", "mpif90", "mpirun"):
            if not shutil.which(f"{tool}.{self.mpi}"):
                self.skipTest(f"there is no {tool}.{self.mpi}")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.directory = pathlib.Path(self.folder.name)

    def built(self, name, compiler, source, *options):
        subprocess.run([f"{compiler}.{self.mpi}", *options, "-o", self.directory / name, HERE / source], check=True, cwd=self.directory)
        return self.directory / name

    def run_program(self, program, *prefix):
        data = self.directory / "data"
        data.unlink(missing_ok=True)
        command = [*prefix, f"mpirun.{self.mpi}", *(["--oversubscribe"] if self.mpi == "openmpi" else []), "-n", "2", program, data]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **AS_ROOT}, timeout=120)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return ran.stdout

    def recorded(self, program):
        """All records of the processes in turn, without times, and tables of definitions; the program does as it does alone."""
        alone = self.run_program(program)
        trace = self.directory / "t.xtf"
        self.assertEqual(self.run_program(program, XTF, "record", "--force", "-o", trace), alone)
        checked = subprocess.run([XTF, "check", trace], capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        records = [line.split()[1:] for line in self.cat(trace, "records").splitlines()]
        records.sort(key=lambda record: (int(record[0]), int(record[1]), int(record[2])))
        return [" ".join(record) for record in records], {name: self.cat(trace, f"definitions/{name}") for name in TABLES}

    def cat(self, trace, name):
        return subprocess.run([XTF, "cat", trace, name], capture_output=True, text=True, check=True).stdout

    def compare(self):
        records, tables = self.recorded(self.built("c", "mpicc", "calls.c", "-w"))
        # The oracle is no empty trace.
        self.assertEqual(sum(" MPI_SEND " in record for record in records), 8)
        self.assertEqual(sum(" MPI_RECV " in record or " MPI_IRECV " in record for record in records), 20)
        self.assertIn("the copy", tables["communicators"])
        for binding, number in BINDINGS.items():
            with self.subTest(mpi=self.mpi, binding=binding):
                program = self.built(f"f{number}", "mpif90", "calls.F90", f"-DBINDING={number}", *FORTRAN)
                theirs, their_tables = self.recorded(program)
                self.assertEqual(theirs, records)
                self.assertEqual(their_tables, tables)


class OpenMpi(Fortran):
    mpi = "openmpi"

    def test_bindings(self):
        self.compare()


class Mpich(Fortran):
    mpi = "mpich"

    def test_bindings(self):
        self.compare()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
