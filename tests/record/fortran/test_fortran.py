#!/usr/bin/env python3
"""Fortran programs must be recorded like C programs: calls.F90 by each of the three bindings, against calls.c, under each MPI.

usage: test_fortran.py XTF

A library below the recorder (shim/, in the folder RECORD_SHIMS) counts calls, messages and bytes; the trace must have the same
counts. The programs check themselves what MPI passes to them: MPI_IN_PLACE, MPI_BOTTOM, ignored statuses, callbacks, texts.
"""

import csv
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "shim")]

import counted  # noqa: E402
import fewer  # noqa: E402

XTF = os.path.abspath(sys.argv[1])
MODULE = HERE.parents[2] / "src/record/regions/user.f90"
BINDINGS = {"mpif.h": 0, "mpi": 1, "mpi_f08": 2}
FORTRAN = ["-g", "-w", "-fallow-argument-mismatch", "-ffree-line-length-none"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
TABLES = ("communicators", "groups", "rma_windows", "cart_topologies")


def module_of(mpi):
    return pathlib.Path(XTF).parents[1] / f"record/libxtf-record-{mpi}.so"


class Fortran(unittest.TestCase):
    """One MPI, by its name in Debian's alternatives."""

    mpi = None

    def setUp(self):
        for tool in ("mpicc", "mpif90", "mpirun"):
            if not shutil.which(f"{tool}.{self.mpi}"):
                self.skipTest(f"there is no {tool}.{self.mpi}")
        if not module_of(self.mpi).exists():
            self.skipTest(f"xtf was built without {self.mpi}")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.directory = pathlib.Path(self.folder.name)

    def build(self, name, compiler, source, *options):
        subprocess.run([f"{compiler}.{self.mpi}", *options, "-o", self.directory / name, HERE / source], check=True, cwd=self.directory)
        return self.directory / name

    def run_program(self, program, *prefix, above=()):
        data = self.directory / "data"
        data.unlink(missing_ok=True)
        command = [*prefix, f"mpirun.{self.mpi}", *(["--oversubscribe"] if self.mpi == "openmpi" else []), "-n", "2", *above, program, data]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **AS_ROOT}, timeout=120)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return ran.stdout

    def recorded(self, program):
        """Records a program, which must print the same as without a recorder. Returns the records of the processes one after the
        other, without times, and tables of definitions."""
        plain = self.run_program(program)
        trace = self.directory / "t.xtf"
        self.assertEqual(self.run_program(program, XTF, "record", "--force", "-o", trace), plain)
        checked = subprocess.run([XTF, "check", trace], capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        records = [line.split()[1:] for line in self.cat(trace, "records").splitlines()]
        records.sort(key=lambda record: (int(record[0]), int(record[1]), int(record[2])))
        return [" ".join(record) for record in records], {name: self.cat(trace, f"definitions/{name}") for name in TABLES}

    def compare_counts(self, program, binding):
        """Compares the counts of the library below the recorder with the trace."""
        counted.problems.clear()
        trace = self.directory / "t.xtf"
        self.run_program(program, XTF, "record", "--force", "-o", trace, above=counted.above_library(self.mpi, module_of(self.mpi), self.directory))
        numbers = counted.read_counted(self.directory, self.mpi, binding)
        self.assertEqual(sorted(numbers), [0, 1])
        counted.compare(XTF, binding, numbers, trace)
        self.assertEqual(counted.problems, [])

    def cat(self, trace, name):
        return subprocess.run([XTF, "cat", trace, name], capture_output=True, text=True, check=True).stdout

    def compare(self):
        records, tables = self.recorded(self.build("c", "mpicc", "calls.c", "-w"))
        # The reference must not be an empty trace.
        self.assertEqual(sum(" MPI_SEND " in record for record in records), 8)
        self.assertEqual(sum(" MPI_RECV " in record or " MPI_IRECV " in record for record in records), 20)
        self.assertIn("the copy", tables["communicators"])
        for binding, number in BINDINGS.items():
            with self.subTest(mpi=self.mpi, binding=binding):
                program = self.build(f"f{number}", "mpif90", "calls.F90", f"-DBINDING={number}", *FORTRAN)
                fortran_records, fortran_tables = self.recorded(program)
                self.assertEqual(fortran_records, records)
                self.assertEqual(fortran_tables, tables)
                self.compare_counts(program, binding)


    def compare_regions(self):
        """Regions of the module xtf_user: their places, and the same program without a recorder, which needs no library."""
        program = self.build("regions", "mpif90", "regions.F90", "-g", "-w", "-J", self.directory, MODULE)
        self.assertEqual(self.run_program(program), "done\n" * 2)
        trace = self.directory / "t.xtf"
        self.assertEqual(self.run_program(program, XTF, "record", "--force", "-o", trace), "done\n" * 2)
        source = (HERE / "regions.F90").read_text().split("\n")
        line = next(i for i, text in enumerate(source, 1) if "xtf_region_begin('step'" in text)
        rows = list(csv.DictReader(io.StringIO(self.cat(trace, "definitions/regions.csv"))))
        places = {row["name"]: (pathlib.Path(row["file"]).name, row["line"]) for row in rows if row["paradigm"] == "USER" and row["name"] != "unseen"}
        self.assertEqual(places, {"outer": ("", ""), "step": ("regions.F90", str(line))})
        for process in 0, 1:
            entered = [line.split()[-1] for line in self.cat(trace, f"proc/{process}/enters_leaves/records").splitlines() if " ENTER " in line]
            self.assertEqual(entered[:6], ["MPI_Init", "outer", "step", "MPI_Barrier", "step", "MPI_Barrier"])
            self.assertNotIn("unseen", entered)
            calls = self.cat(trace, f"proc/{process}/region/outer,step/calls/records").splitlines()
            self.assertEqual([call.split()[7] for call in calls], ["left"] * 3)


class OpenMpi(Fortran):
    mpi = "openmpi"

    def test_bindings(self):
        self.compare()

    def test_regions(self):
        self.compare_regions()


class Mpich(Fortran):
    mpi = "mpich"

    def test_bindings(self):
        self.compare()

    def test_regions(self):
        self.compare_regions()


# Routines that are not wrapped on purpose, and why.
LEFT = {
    "mpi_aint_add_": "adds",
    "mpi_aint_diff_": "subtracts",
    "mpi_f_sync_reg_": "does nothing",
    "mpi_info_create_env_": "leaves C's function to what registers happen to hold, in MPICH's mpi_f08",
    "mpi_delete_error_class_": "only in MPICH, local",
    "mpi_delete_error_code_": "only in MPICH, local",
    "mpi_delete_error_string_": "only in MPICH, local",
    "mpi_status_f082f_": "converts a status",
    "mpi_status_f2": "converts a status: mpi_status_f2f08_",
    "mpi_status_f2f08_": "converts a status",
}
PREDEFINED = re.compile(r"mpi_.*(_fn|_fn_null)_")  # callbacks, which MPI calls
SIZEOF = re.compile(r"mpi_sizeof_.*")  # for each type and rank, without a call


def symbols(library, kinds):
    listed = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].partition("@")[0] for line in listed.splitlines() if line.split()[-2] in kinds}


class Exports(unittest.TestCase):
    """Each routine of a Fortran library must be wrapped, or reach a wrapped C function."""

    def libraries(self, mpi, pattern):
        module = module_of(mpi)
        found = sorted(pathlib.Path("/usr/lib").glob(f"*/{pattern}"))
        if not module.exists() or not found:
            self.skipTest(f"no Fortran library of {mpi}, or no module for it")
        return symbols(module, "TW"), found

    def routines(self, library):
        return {name for name in symbols(library, "TW") if re.fullmatch(r"mpi_[a-z0-9_]*[a-z0-9]_", name)}

    def without_excuse(self, routines):
        """Returns the routines without an excuse. Forms for mpi_f08 and for large counts share the excuse of the plain routine."""
        return sorted(name for name in routines if re.sub("(f08|f08ts)_(large_)?$", "", name) not in LEFT
                      and not PREDEFINED.fullmatch(name) and not SIZEOF.fullmatch(name))

    def unspelled(self, library, wrapped):
        """Returns other names of wrapped routines that are not wrapped, as each Fortran compiler spells routines in its own way.
        mpi_x is not wrapped: libraries of programs have their own functions with such names. The linker finds these after the
        recorder's but before MPI's (see traps.c)."""
        exported = symbols(library, "TW")
        return sorted(name for routine in self.routines(library) & wrapped for name in (f"{routine}_", routine[:-1].upper())
                      if name in exported - wrapped)

    def test_openmpi(self):
        wrapped, libraries = self.libraries("openmpi", "libmpi_*.so.40")
        for library in libraries:
            self.assertEqual(self.without_excuse(self.routines(library) - wrapped), [], library)
            self.assertEqual(self.unspelled(library, wrapped), [], library)

    def test_mpich(self):
        wrapped, libraries = self.libraries("mpich", "libmpichfort.so.12")
        functions = {name.lower() for name in wrapped if name.startswith("MPI_")}
        for library in libraries:
            reached = {name.lower() for name in symbols(library, "U")} & functions
            # In MPICH 4.2 names for large counts have _c, and a routine with an address as a TYPE(C_PTR) has a separate name.
            # mpif.h, and routines with a buffer, call MPI_X; the other routines of mpi_f08 call PMPI_X.
            by_c = {name for name in self.routines(library) if "_f08_" not in name and re.sub("(_c)?(_cptr)?(_f08ts)?(_large)?_$", "", name) in reached}
            self.assertEqual(self.without_excuse(self.routines(library) - wrapped - by_c), [], library)
            self.assertEqual(self.unspelled(library, wrapped), [], library)


if __name__ == "__main__":
    fewer.main(argv=sys.argv[:1])
