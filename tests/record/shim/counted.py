"""Counts of calls, from programs and from the library of shim/ below the recorder, and their comparison with a trace."""

import os
import pathlib

import mpis
from recorded_trace import Recorded

# Functions that may be called before MPI_Init and after MPI_Finalize, where nothing is recorded.
CALLABLE_ANYTIME = {"MPI_Initialized", "MPI_Finalized", "MPI_Get_version", "MPI_Get_library_version"}
KINDS = ("call", "sent", "received", "put", "get", "atomic", "read", "write", "collective")
OF_ALL = ("read", "write", "collective")
ACCESSES = {"RMA_PUT": "put", "RMA_GET": "get", "RMA_ATOMIC": "atomic"}
# Calls by the recorder itself: in MPICH's mpi_f08 it finds out how requests are counted.
TRIED = {("mpich", "mpi_f08"): {"MPI_Waitany": 1}}
problems = []


def expect(name, found, expected):
    if found != expected:
        problems.append(f"{name}: the trace has {found}, the library counted {expected}")


def above_library(mpi, module, folder):
    """Returns the words before a command that load the recorder first, and have it call the library instead of MPI."""
    library = pathlib.Path(os.environ["RECORD_SHIMS"], f"libshim-{mpi}.so")
    return ["env", f"LD_PRELOAD={module}:{library}", "XTF_RECORD_STACK=1", f"SHIM_FOLDER={folder}"]


def read_called(folder):
    """Returns {process: {function: (calls, result)}} from a program of every/, which writes it again in each run."""
    called = {}
    for path in pathlib.Path(folder).glob("called-*"):
        lines = [line.split() for line in path.read_text().splitlines()]
        called[int(path.name[7:])] = {name: (int(n), int(result)) for name, n, result in lines}
        path.unlink()
    return called


def read_counted(folder, mpi="", binding=""):
    """Returns {process: {kind: {key: numbers}}} from the library, without the recorder's own calls."""
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
        for name, n in TRIED.get((str(mpi), binding), {}).items():
            process["call"][name] -= n
        path.unlink()
    return counted


def lines_of(xtf, trace, path):
    return [line.split() for line in mpis.cat(xtf, trace, path).splitlines() if line and not line.startswith("#")]


def compare_accesses(name, counted, path):
    """Compares one-sided operations by target, and bytes read and written."""
    trace = Recorded(path)
    for process, numbers in counted.items():
        accesses = {kind: {} for kind in ACCESSES.values()}
        files, mode_of = {"read": [0, 0], "write": [0, 0]}, {}
        for record in trace.records[process << 32]:
            if record.event in ACCESSES:
                members = trace.members(trace.tables["rma_windows"][record.window]["comm"]) or [process]
                n, size = accesses[ACCESSES[record.event]].get(members[record.peer], (0, 0))
                accesses[ACCESSES[record.event]][members[record.peer]] = (n + 1, size + record.bytes)
            elif record.event == "IO_OPERATION_BEGIN":
                mode_of[record.matching] = record.mode.lower()
                if record.mode != "FLUSH":
                    files[record.mode.lower()][0] += record.requested
            elif record.event == "IO_OPERATION_COMPLETE" and mode_of[record.matching] != "flush":
                files[mode_of[record.matching]][1] += record.bytes
        for kind, peers in accesses.items():
            expect(f"{name}, process {process}, {kind}s and their bytes by target", peers, numbers[kind])
        for kind, n in files.items():
            expect(f"{name}, process {process}, bytes to {kind}, and moved", tuple(n), numbers[kind][""])
    trace.close()


def compare(xtf, run_name, counted, trace):
    """Compares calls, messages, and the bytes of collective operations."""
    unrecorded = mpis.unrecorded(xtf, trace)
    for process, numbers in counted.items():
        where = f"{run_name}, process {process}"
        calls = mpis.calls(xtf, trace, process)
        for name, n in numbers["call"].items():
            n_recorded = calls.pop(name, 0) + unrecorded.get(process, {}).get(name, 0)
            if name not in CALLABLE_ANYTIME:
                expect(f"{where}, calls of {name}", n_recorded, n)
        expect(f"{where}, calls of others", {name: n for name, n in calls.items() if name.startswith("MPI_") and name != "MPI_Pcontrol"}, {})
        sent = {int(fields[1]): (int(fields[2]), int(fields[3])) for fields in lines_of(xtf, trace, f"proc/{process}/matrix") if int(fields[0]) == process}
        # The matrix lacks the receivers of messages over MPI_COMM_SELF.
        sent.pop(process, None)
        expect(f"{where}, messages and bytes sent to each", sent, {peer: n for peer, n in numbers["sent"].items() if peer != process})
        fields = next((list(map(int, fields)) for fields in lines_of(xtf, trace, f"proc/{process}/bytes") if int(fields[0]) == process), [process] + [0] * 7)
        expect(f"{where}, messages and bytes sent", (fields[1], fields[2]), tuple(sum(n[i] for n in numbers["sent"].values()) for i in (0, 1)))
        expect(f"{where}, messages and bytes received", (fields[3], fields[4]), tuple(sum(n[i] for n in numbers["received"].values()) for i in (0, 1)))
        expect(f"{where}, bytes of collective operations, sent and received", tuple(fields[6:8]), numbers["collective"][""])
    compare_accesses(run_name, counted, trace)
