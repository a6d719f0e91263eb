#!/usr/bin/env python3
"""Every MPI function that an mpi.h declares is called (every/every.py), and must be in the trace as often as it was called. By
default that holds for functions that are recorded by default, with --all-calls for all. Calls that are not recorded must be
counted.

usage: test_every.py XTF SOURCE NAME MODULE COMPILER... [-- NAME ...]...
"""

import os
import pathlib
import sys
import tempfile

XTF, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path[:0] = [str(SOURCE / "src/record/mpi/generate"), str(SOURCE / "tests/record/every"), str(SOURCE / "tests/record/shim")]

import counted  # noqa: E402
import every  # noqa: E402
import header  # noqa: E402
import kinds  # noqa: E402
import kinds_handles  # noqa: E402
import kinds_messages  # noqa: E402
import mpis  # noqa: E402
import table  # noqa: E402

FUNCTIONS = table.read(SOURCE / "src/record/mpi/functions.tbl")
SNIPPETS = kinds.collect(kinds_messages.KINDS, kinds_handles.KINDS)
# Calls that fail even without the recorder; they are recorded nevertheless.
FAILING = {
    # Windows over the program's memory need a network, or two processes.
    "openmpi": {"MPI_Win_attach", "MPI_Win_create", "MPI_Win_create_dynamic", "MPI_Win_detach", "MPI_Register_datarep"},
    # There are no ports, nor functions that need them, nor groups of different process sets.
    "mpich": {"MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join", "MPI_Comm_spawn", "MPI_Comm_spawn_multiple", "MPI_Open_port",
              "MPI_Intercomm_create_from_groups", "MPI_Register_datarep_c"},
}  # yapf: disable
problems = []


def expect(message, condition):
    if not condition:
        problems.append(message)


def may_be_counted(function):
    """Returns True if a condition decides whether a call is recorded or only counted."""
    return bool(kinds.snippets_of(SNIPPETS, function).condition)


def compare(run_name, called, trace, all_calls):
    counted_of = mpis.unrecorded(XTF, trace)
    known = {function.name: function for function in FUNCTIONS}
    for process, functions in called.items():
        recorded = mpis.calls(XTF, trace, process)
        for name, (n, _) in functions.items():
            n_recorded, n_counted = recorded.pop(name, 0), counted_of.get(process, {}).get(name, 0)
            if all_calls or known[name].recorded == "on" and not may_be_counted(known[name]):
                expect(f"{run_name}, process {process}: {name} was called {n} times, {n_recorded} are recorded, {n_counted} counted", (n_recorded, n_counted) == (n, 0))
            elif known[name].recorded == "off":
                # Calls before MPI_Init and after MPI_Finalize are not counted.
                expect(f"{run_name}, process {process}: {name} was called {n} times, {n_counted} are counted, {n_recorded} recorded", (n_counted, n_recorded) == (n, 0))
            else:
                expect(f"{run_name}, process {process}: {name} was called {n} times, {n_recorded} are recorded and {n_counted} counted", n_recorded + n_counted == n)
        expect(f"{run_name}, process {process}: {recorded} was not called", not recorded)


def try_mpi(mpi, folder):
    declared = header.declarations(header.preprocess(mpi.compiler))
    source, binary = os.path.join(folder, "every.c"), os.path.join(folder, "every")
    pathlib.Path(source).write_text(every.program(FUNCTIONS, declared, every.left_out(mpi.name, mpis.version(mpi.name))))
    mpi.compile(source, binary, "-I", str(SOURCE / "tests/record/every"))
    wanted = {function.name for function in FUNCTIONS if function.name in declared and function.recorded != "never"}
    for all_calls in False, True:
        trace = os.path.join(folder, f"{mpi}-{all_calls}.xtf")
        options = ["--all-calls"] if all_calls else []
        mpis.run([XTF, "record", *options, "-o", trace, *mpi.launch(2, binary, folder)], cwd=folder)
        called = counted.read_called(folder)
        run_name = f"{mpi}{' --all-calls' if all_calls else ''}"
        expect(f"{run_name}: two processes must list their calls, not {len(called)}", len(called) == 2)
        missing = wanted - set(every.left_out(mpi.name, mpis.version(mpi.name))) - {name for functions in called.values() for name in functions}
        expect(f"{run_name}: not called: {sorted(missing)}", not missing)
        failed = {name for functions in called.values() for name, (_, result) in functions.items() if result}
        expect(f"{run_name}: failed: {sorted(failed - FAILING[mpi.name])}", failed <= FAILING[mpi.name])
        checked = mpis.run([XTF, "check", trace])
        expect(f"{run_name}: xtf check: {checked}", "0 problems" in checked)
        compare(run_name, called, trace, all_calls)


def main():
    for mpi in mpis.all_of(sys.argv[3:]):
        with tempfile.TemporaryDirectory(prefix="xtf-every-") as folder:
            try_mpi(mpi, folder)
    print("\n".join(problems) or "no problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
