#!/usr/bin/env python3
"""Every routine of a Fortran binding is called (every/every_fortran.py): by mpif.h, the module mpi and the module mpi_f08, under
each MPI. With --all-calls the trace must have each routine as often as it was called.

In a run with default options, a library below the recorder (shim/) counts calls, messages and one-sided operations. It also
counts their bytes, and the bytes of collective operations and of files. The trace must have the same counts. Each function of the
table is called, or has an excuse here.

usage: test_every_fortran.py XTF SOURCE NAME MODULE COMPILER... [-- NAME ...]...

RECORD_SHIMS is the folder with the libraries.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

XTF, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
HERE = SOURCE / "tests/record"
sys.path[:0] = [str(SOURCE / "src/record/mpi/generate"), str(HERE / "every"), str(HERE / "shim"), str(HERE)]

import counted  # noqa: E402
import every  # noqa: E402
import every_fortran  # noqa: E402
import header  # noqa: E402
import mpis  # noqa: E402
import table  # noqa: E402

FUNCTIONS = table.read(SOURCE / "src/record/mpi/functions.tbl")
LIBRARIES = {"openmpi": ("libmpi_mpifh.so.40", "libmpi_usempif08.so.40"), "mpich": ("libmpichfort.so.12", )}

# ---- Functions that are not called, and why.

FROM_MPI_1 = "MPI-2 has another function for it, and mpi_f08 only that one"
REMOVED = {name: FROM_MPI_1 for name in ("MPI_Attr_delete", "MPI_Attr_get", "MPI_Attr_put", "MPI_Keyval_create", "MPI_Keyval_free", "MPI_Address",
                                         "MPI_Type_extent", "MPI_Type_hindexed", "MPI_Type_hvector", "MPI_Type_lb", "MPI_Type_struct", "MPI_Type_ub",
                                         "MPI_Errhandler_create", "MPI_Errhandler_get", "MPI_Errhandler_set")}  # yapf: disable
LARGE = "MPICH 4.0.2 has its large count only in C"
NO_LARGE = {name: LARGE for name in (
    "MPI_File_iread_all_c", "MPI_File_iread_at_all_c", "MPI_File_iread_at_c", "MPI_File_iread_c", "MPI_File_iread_shared_c", "MPI_File_iwrite_all_c",
    "MPI_File_iwrite_at_all_c", "MPI_File_iwrite_at_c", "MPI_File_iwrite_c", "MPI_File_iwrite_shared_c", "MPI_File_read_all_begin_c", "MPI_File_read_all_c",
    "MPI_File_read_at_all_begin_c", "MPI_File_read_at_all_c", "MPI_File_read_at_c", "MPI_File_read_c", "MPI_File_read_ordered_begin_c",
    "MPI_File_read_ordered_c", "MPI_File_read_shared_c", "MPI_File_write_all_begin_c", "MPI_File_write_all_c", "MPI_File_write_at_all_begin_c",
    "MPI_File_write_at_all_c", "MPI_File_write_at_c", "MPI_File_write_c", "MPI_File_write_ordered_begin_c", "MPI_File_write_ordered_c",
    "MPI_File_write_shared_c", "MPI_Op_create_c", "MPI_Register_datarep_c")}  # yapf: disable
SAME_TYPES = "its arguments have large types already, as a routine that is not for large counts"
NO_LARGE |= {name: SAME_TYPES for name in ("MPI_File_get_type_extent_c", "MPI_Type_create_resized_c", "MPI_Type_get_extent_c", "MPI_Type_get_true_extent_c")}
NONE_IN = {"openmpi": {"MPI_Session_set_info": "Open MPI 5 has it only in C"}, "mpich": {}}


def absent_in(mpi, binding):
    """Returns {function: why there is no routine for it} of a binding."""
    absent = {function.name: "mpif.h and the module mpi have no routines for large counts" for function in FUNCTIONS
               if function.name.endswith("_c") and binding != "mpi_f08"}  # yapf: disable
    return {**absent, **NONE_IN[mpi], **(REMOVED if binding == "mpi_f08" else {}), **(NO_LARGE if mpi == "mpich" else {})}


# Calls that fail even without the recorder; they are recorded nevertheless.
FAILING = {
    "openmpi": {"MPI_Register_datarep"},
    # There are no ports, nor functions that need them, nor groups of different process sets. An address is longer than an
    # integer.
    "mpich": {"MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join", "MPI_Comm_spawn", "MPI_Comm_spawn_multiple", "MPI_Open_port",
              "MPI_Intercomm_create_from_groups", "MPI_Address"},
}  # yapf: disable
# Routines of the library that cannot be called.
OTHER_COUNT = "the count of Open MPI 5 does not have the kind of the standard"
BROKEN = {("openmpi", "mpi_f08"): {"MPI_Psend_init": OTHER_COUNT, "MPI_Precv_init": OTHER_COUNT},
          ("mpich", "mpi_f08"): {"MPI_Info_create_env": "MPICH 4.0.2 gives C's function one argument of three: it writes wherever a register points to"}}


def require(message, condition):
    if not condition:
        counted.problems.append(message)


def symbols_of(libraries):
    """Returns the symbols that Fortran libraries export."""
    names = set()
    for library in libraries:
        for path in pathlib.Path("/usr/lib").glob(f"*/{library}"):
            listed = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
            names |= {line.split()[-1].partition("@")[0] for line in listed.splitlines()}
    return names


def is_mpich_40(mpi):
    return mpi == "mpich" and mpis.version(mpi) < (4, 1)


def broken_in(mpi, binding):
    """Returns the routines of a binding that cannot be called, and why."""
    extra = {"MPI_Address": "its types differ from MPICH 4.0"} if (mpi, binding) == ("mpich", "mpi") and not is_mpich_40(mpi) else {}
    return {**BROKEN.get((mpi, binding), {}), **extra}


class Program:
    """The compiled program of one binding, and the routines that it calls."""

    def __init__(self, mpi, binding, declared, symbols, folder, objects):
        self.mpi, self.binding, self.folder = mpi, binding, os.path.join(folder, binding)
        known = [function for function in FUNCTIONS if function.name in declared and function.recorded != "never"]
        absent, left_out = absent_in(mpi.name, binding), {**every.left_out(mpi.name, mpis.version(mpi.name)), **broken_in(mpi.name, binding)}
        unknown_names = {*absent, *left_out} - {function.name for function in FUNCTIONS}
        require(f"{mpi} {binding}: {sorted(unknown_names)} have an excuse, but are no functions", not unknown_names)
        present = {function.name for function in known if self.has(function, symbols)}
        self.functions = [function for function in known if function.name not in absent and function.name not in left_out]
        missing = [function.name for function in self.functions if function.name not in present]
        require(f"{mpi} {binding}: no routine for {missing}, and no excuse", not missing)
        require(f"{mpi} {binding}: {sorted(present & set(absent))} exist, but are excused as missing", not present & set(absent))
        n_absent = sum(function.name in absent for function in known)
        print(f"{mpi}, {binding}: {len(self.functions)} routines of {len(known)} functions are called; {n_absent} have none; left out: {sorted(left_out)}")
        os.mkdir(self.folder)
        self.binary = os.path.join(self.folder, "every")
        self.build(objects)

    def has(self, function, symbols):
        """Returns True if the binding has a routine."""
        # Clocks are functions; where a module declares them, they have their C names.
        return function.result == "double" or bool(every_fortran.symbols_of(function, self.binding) & symbols)

    def times(self, function):
        return every_fortran.times(function, self.binding)

    def build(self, objects):
        """Compiles the program. `objects`: compiled C parts by their texts, which are the same for mpif.h and the module mpi."""
        names = {function.name for function in self.functions}
        texts = {"bridge.h": every_fortran.bridge(self.functions), "every.c": every.program(self.functions, names, {}, "bridge.h", self.times)}
        for name, text in {**texts, "every.F90": every_fortran.module(self.functions, self.binding)}.items():
            pathlib.Path(self.folder, name).write_text(text)
        include = ["-I", str(HERE / "every"), "-I", self.folder]
        key = tuple(texts.values())
        if key not in objects:
            objects[key] = self.mpi.compile(os.path.join(self.folder, "every.c"), os.path.join(self.folder, "every.o"), "-c", *include)
        defined = [f"-DBINDING={every_fortran.BINDINGS[self.binding]}", *(["-DMPICH"] if self.mpi.name == "mpich" else []), *(["-DMPICH_4_0"] if is_mpich_40(self.mpi.name) else []),
                   *(["-DSESSIONS"] if "MPI_Session_create_errhandler" in names else [])]
        options = ["-w", "-O0", "-fallow-argument-mismatch", "-ffree-line-length-none", "-J", self.folder, *include, *defined]
        subprocess.run([f"mpif90.{self.mpi}", *options, "-o", self.binary, os.path.join(self.folder, "every.F90"), objects[key]], check=True)

    def recorded(self, name, options, *prefix):
        """Records a run. Returns (the called functions, the trace)."""
        trace = os.path.join(self.folder, f"{name}.xtf")
        mpis.run([XTF, "record", *options, "-o", trace, *self.mpi.launch(2, *prefix, self.binary, self.folder)], cwd=self.folder, env=self.mpi.working())
        called = counted.read_called(self.folder)
        run_name = f"{self.mpi} {self.binding} {name}"
        require(f"{run_name}: two processes must list their calls, not {len(called)}", len(called) == 2)
        present = {function for functions in called.values() for function in functions}
        uncalled = sorted({function.name for function in self.functions} - present)
        require(f"{run_name}: not called: {uncalled}", not uncalled)
        failed = {function for functions in called.values() for function, (_, result) in functions.items() if result}
        require(f"{run_name}: failed: {sorted(failed - FAILING[self.mpi.name])}", failed <= FAILING[self.mpi.name])
        return called, trace


def try_all_calls(program):
    """Checks that each routine is in the trace as often as it was called."""
    called, trace = program.recorded("all", ["--all-calls"])
    run_name = f"{program.mpi} {program.binding}"
    checked = mpis.run([XTF, "check", trace])
    require(f"{run_name}: xtf check: {checked}", "0 problems" in checked)
    require(f"{run_name}: counted, not recorded: {mpis.unrecorded(XTF, trace)}", not mpis.unrecorded(XTF, trace))
    for process, functions in called.items():
        recorded = mpis.calls(XTF, trace, process)
        for name, (n, _) in functions.items():
            n_recorded = recorded.pop(name, 0)
            require(f"{run_name}, process {process}: {name} was called {n} times, {n_recorded} are recorded", n_recorded == n)
        uncalled = sorted(name for name in recorded if name.startswith("MPI_"))
        require(f"{run_name}, process {process}: {uncalled} were not called", not uncalled)


def try_counts(program):
    """Checks the counts of the library below the recorder against the trace."""
    called, trace = program.recorded("counts", [], *counted.above_library(program.mpi.name, program.mpi.module, program.folder))
    run_name, numbers = f"{program.mpi} {program.binding}", counted.read_counted(program.folder, program.mpi, program.binding)
    counted.expect(f"{run_name}, processes that counted", len(numbers), 2)
    for process, functions in called.items():
        counted_calls = numbers[process]["call"]
        for name, (n, _) in functions.items():
            require(f"{run_name}, process {process}: {name} was called {n} times, {counted_calls.get(name, 0)} are counted", name == "MPI_Pcontrol" or counted_calls.get(name, 0) == n)
    counted.compare(XTF, run_name, numbers, trace)


def try_mpi(mpi, folder):
    declared = header.declarations(header.preprocess(mpi.compiler))
    symbols = symbols_of(LIBRARIES[mpi.name])
    objects = {}
    for binding in every_fortran.BINDINGS:
        program = Program(mpi, binding, declared, symbols, folder, objects)
        try_all_calls(program)
        try_counts(program)


def main():
    found = mpis.some_of(sys.argv[3:], "mpich", "mpif90")
    for mpi in found:
        with tempfile.TemporaryDirectory(prefix="xtf-every-") as folder:
            try_mpi(mpi, folder)
    if not found:
        print("skipped: no installed MPI can compile and run Fortran programs")
        return mpis.SKIPPED
    print("\n".join(counted.problems) or "no problems")
    return 1 if counted.problems else 0


if __name__ == "__main__":
    sys.exit(main())
