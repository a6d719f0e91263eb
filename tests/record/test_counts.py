#!/usr/bin/env python3
"""A library below the recorder (shim/) counts calls, messages, one-sided operations and their bytes, and the bytes of collective operations
and of files; the trace has as many of each, in each process: of the program that calls every function, and of the deterministic programs of programs/.

usage: test_counts.py XTF SOURCE NAME MODULE COMPILER... [-- NAME ...]...
"""

import os
import pathlib
import sys
import tempfile

XTF, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
HERE = SOURCE / "tests/record"
sys.path[:0] = [str(SOURCE / "src/record/mpi/generate"), str(HERE / "every"), str(HERE / "shim")]

import every  # noqa: E402
import header  # noqa: E402
import mpis  # noqa: E402
import shim  # noqa: E402
import table  # noqa: E402
from recorded_trace import Recorded  # noqa: E402

FUNCTIONS = table.read(SOURCE / "src/record/mpi/functions.tbl")
# Functions that may be called before MPI_Init and after MPI_Finalize, where nothing is recorded.
EVER = {"MPI_Initialized", "MPI_Finalized", "MPI_Get_version", "MPI_Get_library_version"}
# Programs, and the processes they take. Others use MPI from several threads, which the library cannot, or start processes of their own,
# or take another setting for each MPI.
PROGRAMS = {"blocking": 2, "requests": 2, "collectives": 3, "files": 2, "windows": 2}
KINDS = ("call", "sent", "received", "put", "get", "atomic", "read", "write", "collective")
OF_ALL = ("read", "write", "collective")
ACCESSES = {"RMA_PUT": "put", "RMA_GET": "get", "RMA_ATOMIC": "atomic"}
# Open MPI 4.1's one-sided communication by RDMA crashes on processors of one node.
WORKING = {"OMPI_MCA_osc": "^rdma"}
problems = []


def expect(what, there, expected):
    if there != expected:
        problems.append(f"{what}: the trace has {there}, {expected} came below")


def read_counted(folder):
    """{process: {kind: {what: numbers}}} that the library has written."""
    counted = {}
    for path in pathlib.Path(folder).glob("counted-*"):
        process = counted.setdefault(int(path.name[8:]), {kind: {} for kind in KINDS})
        for line in path.read_text().splitlines():
            kind, *fields = line.split()
            if kind in OF_ALL:
                process[kind][""] = tuple(map(int, fields))
            elif kind == "call":
                process[kind][fields[0]] = int(fields[1])
            else:
                process[kind][int(fields[0])] = tuple(map(int, fields[1:]))
        path.unlink()
    return counted


def lines_of(trace, path):
    return [line.split() for line in mpis.cat(XTF, trace, path).splitlines() if line and not line.startswith("#")]


def compare_accesses(what, counted, path):
    """One-sided operations by target, and what was read and written."""
    trace = Recorded(path)
    for process, numbers in counted.items():
        there = {kind: {} for kind in ACCESSES.values()}
        files, mode_of = {"read": [0, 0], "write": [0, 0]}, {}
        for record in trace.records[process << 32]:
            if record.event in ACCESSES:
                members = trace.members(trace.tables["rma_windows"][record.window]["comm"]) or [process]
                n, size = there[ACCESSES[record.event]].get(members[record.peer], (0, 0))
                there[ACCESSES[record.event]][members[record.peer]] = (n + 1, size + record.bytes)
            elif record.event == "IO_OPERATION_BEGIN":
                mode_of[record.matching] = record.mode.lower()
                if record.mode != "FLUSH":
                    files[record.mode.lower()][0] += record.requested
            elif record.event == "IO_OPERATION_COMPLETE" and mode_of[record.matching] != "flush":
                files[mode_of[record.matching]][1] += record.bytes
        for kind, peers in there.items():
            expect(f"{what}, process {process}, {kind}s and their bytes by target", peers, numbers[kind])
        for kind, n in files.items():
            expect(f"{what}, process {process}, bytes to {kind}, and moved", tuple(n), numbers[kind][""])
    trace.close()


def compare(what, counted, trace):
    aside = mpis.unrecorded(XTF, trace)
    for process, numbers in counted.items():
        where = f"{what}, process {process}"
        calls = mpis.calls(XTF, trace, process)
        for name, n in numbers["call"].items():
            there = calls.pop(name, 0) + aside.get(process, {}).get(name, 0)
            if name not in EVER:
                expect(f"{where}, calls of {name}", there, n)
        expect(f"{where}, calls of others", {name: n for name, n in calls.items() if name.startswith("MPI_") and name != "MPI_Pcontrol"}, {})
        sent = {int(fields[1]): (int(fields[2]), int(fields[3])) for fields in lines_of(trace, f"proc/{process}/matrix") if int(fields[0]) == process}
        # The matrix does not know whom messages over MPI_COMM_SELF go to.
        sent.pop(process, None)
        expect(f"{where}, messages and bytes sent to each", sent, {peer: n for peer, n in numbers["sent"].items() if peer != process})
        fields = next((list(map(int, fields)) for fields in lines_of(trace, f"proc/{process}/bytes") if int(fields[0]) == process), [process] + [0] * 7)
        expect(f"{where}, messages and bytes sent", (fields[1], fields[2]), tuple(sum(n[i] for n in numbers["sent"].values()) for i in (0, 1)))
        expect(f"{where}, messages and bytes received", (fields[3], fields[4]), tuple(sum(n[i] for n in numbers["received"].values()) for i in (0, 1)))
        expect(f"{where}, bytes of collective operations, sent and received", tuple(fields[6:8]), numbers["collective"][""])


def try_program(mpi, folder, library, name, n, command):
    trace = os.path.join(folder, f"{mpi}-{name}.xtf")
    # The recorder comes first, and calls the library instead of MPI.
    below = ["env", f"LD_PRELOAD={mpi.module}:{library}", "XTF_RECORD_STACK=1", f"SHIM_FOLDER={folder}"]
    mpis.run([XTF, "record", "-o", trace, *mpi.launch(n, *below, *command)], cwd=folder, env=WORKING)
    counted = read_counted(folder)
    expect(f"{mpi} {name}, processes that counted", len(counted), n)
    compare(f"{mpi} {name}", counted, trace)
    compare_accesses(f"{mpi} {name}", counted, trace)


def try_mpi(mpi, folder):
    declared = header.declarations(header.preprocess(mpi.compiler))
    paths = {name: os.path.join(folder, name) for name in ("shim.c", "every.c", "shim.so", "every")}
    pathlib.Path(paths["shim.c"]).write_text(shim.library(FUNCTIONS, declared))
    library = mpi.compile(paths["shim.c"], paths["shim.so"], "-shared", "-fPIC", "-I", str(HERE / "shim"))
    pathlib.Path(paths["every.c"]).write_text(every.program(FUNCTIONS, declared, every.LEFT_OUT[mpi.name]))
    try_program(mpi, folder, library, "every", 2, [mpi.compile(paths["every.c"], paths["every"], "-I", str(HERE / "every")), folder])
    for name, n in PROGRAMS.items():
        binary = mpi.compile(str(HERE / "programs" / f"{name}.c"), os.path.join(folder, name))
        try_program(mpi, folder, library, name, n, [binary])


def main():
    for mpi in mpis.all_of(sys.argv[3:]):
        with tempfile.TemporaryDirectory(prefix="xtf-counts-") as folder:
            try_mpi(mpi, folder)
    print("\n".join(problems) or "as it should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
