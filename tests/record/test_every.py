#!/usr/bin/env python3
"""Every function of MPI that an mpi.h declares is called (every/every.py), and found in the trace as often as it was called: those that
are recorded by default in a run as it is, all of them in a run with --all-calls. What is not recorded is counted.

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
# Calls that fail, also without the recorder; they are recorded all the same.
FAILING = {
    # Windows over memory of the program take a network, or two processes.
    "openmpi": {"MPI_Win_attach", "MPI_Win_create", "MPI_Win_create_dynamic", "MPI_Win_detach", "MPI_Register_datarep"},
    # There are no ports, nor what needs them; and groups of different process sets.
    "mpich": {"MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join", "MPI_Comm_spawn", "MPI_Comm_spawn_multiple", "MPI_Open_port",
              "MPI_Intercomm_create_from_groups", "MPI_Register_datarep_c"},
}  # yapf: disable
problems = []


def expect(what, fine):
    if not fine:
        problems.append(what)


def may_be_counted(function):
    """Whether a call may turn out not to be worth a record."""
    return bool(kinds.snippets_of(SNIPPETS, function).condition)


def compare(what, called, trace, all_calls):
    aside_of = mpis.unrecorded(XTF, trace)
    known = {function.name: function for function in FUNCTIONS}
    for process, functions in called.items():
        recorded = mpis.calls(XTF, trace, process)
        for name, (n, _) in functions.items():
            here, aside = recorded.pop(name, 0), aside_of.get(process, {}).get(name, 0)
            if all_calls or known[name].recorded == "on" and not may_be_counted(known[name]):
                expect(f"{what}, process {process}: {name} was called {n} times, {here} are recorded, {aside} counted", (here, aside) == (n, 0))
            elif known[name].recorded == "off":
                # Before MPI_Init and after MPI_Finalize nothing is counted.
                expect(f"{what}, process {process}: {name} was called {n} times, {aside} are counted, {here} recorded", (aside, here) == (n, 0))
            else:
                expect(f"{what}, process {process}: {name} was called {n} times, {here} are recorded and {aside} counted", here + aside == n)
        expect(f"{what}, process {process}: {recorded} was not called", not recorded)


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
        what = f"{mpi}{' --all-calls' if all_calls else ''}"
        expect(f"{what}: two processes tell what they called, not {len(called)}", len(called) == 2)
        missing = wanted - set(every.left_out(mpi.name, mpis.version(mpi.name))) - {name for functions in called.values() for name in functions}
        expect(f"{what}: not called: {sorted(missing)}", not missing)
        failed = {name for functions in called.values() for name, (_, result) in functions.items() if result}
        expect(f"{what}: failed: {sorted(failed - FAILING[mpi.name])}", failed <= FAILING[mpi.name])
        checked = mpis.run([XTF, "check", trace])
        expect(f"{what}: xtf check: {checked}", "0 problems" in checked)
        compare(what, called, trace, all_calls)


def main():
    for mpi in mpis.all_of(sys.argv[3:]):
        with tempfile.TemporaryDirectory(prefix="xtf-every-") as folder:
            try_mpi(mpi, folder)
    print("\n".join(problems) or "as it should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
