"""Makes the counting library of one MPI (see shim.h) from the table of functions.

usage: shim.py TABLE MPI SOURCE -- COMPILER...

MPI is openmpi or mpich; COMPILER compiles for it. The library counts calls from C, and calls from the MPI's Fortran bindings.
"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "src/record/mpi/generate"))

import header  # noqa: E402
import table  # noqa: E402

ONE = "MPI_Request old = *request;"
MANY = "MPI_Request old[count + 1]; memcpy(old, requests, (size_t)count * sizeof *requests);"
STATUS = "if (status == MPI_STATUS_IGNORE) status = &own_status;"
STATUSES = "if (statuses == MPI_STATUSES_IGNORE) statuses = own_statuses;"
DONE = "completed(old, status);"
DONE_ALL = "for (int i = 0; i < count; i++) if (FINE(i)) completed(old[i], &statuses[i]);"
DONE_ANY = "if (*index != MPI_UNDEFINED) completed(old[*index], status);"
DONE_SOME = "for (int i = 0; *outcount != MPI_UNDEFINED && i < *outcount; i++) if (FINE(i)) completed(old[indices[i]], &statuses[i]);"
SENT = "sent(comm, dest, bytes(count, datatype));"
SENT_TOO = "sent(comm, dest, bytes(sendcount, sendtype));"
SENT_REPLACED = "sent(comm, dest, bytes(count, datatype));"
RECEIVED = "received(comm, status);"

# By kind: (code before a call, code after a call that succeeded, or failed for some of its requests only).
KINDS = {
    "send": ("", SENT),
    "isend": ("", SENT + "add_pending(OTHER, *request, comm, 0);"),
    "comm_idup": ("", "add_pending(OTHER, *request, comm, 0);"),
    "recv": (STATUS, RECEIVED),
    "mrecv": (STATUS + " MPI_Comm comm = comm_of(*message);", RECEIVED),
    "mprobe": ("", "note_matched(*message, comm);"),
    "improbe": ("", "if (*flag) note_matched(*message, comm);"),
    "sendrecv": (STATUS, SENT_TOO + RECEIVED),
    "sendrecv_replace": (STATUS, SENT_REPLACED + RECEIVED),
    "isendrecv": ("", SENT_TOO + "add_exchange(*request, comm, source, bytes(recvcount, recvtype));"),
    "isendrecv_replace": ("", SENT_REPLACED + "add_exchange(*request, comm, source, bytes(count, datatype));"),
    "irecv": ("", "add_pending(FROM(source), *request, comm, 0);"),
    "imrecv": ("MPI_Comm comm = comm_of(*message);", "add_pending(RECEIVE, *request, comm, 0);"),
    "recv_init": ("", "add_pending(FROM(source), *request, comm, 1);"),
    "send_init": ("", "add_send(*request, comm, dest, bytes(count, datatype));"),
    "psend_init": ("", "add_send(*request, comm, dest, bytes(count * partitions, datatype));"),
    "precv_init": ("", "add_pending(RECEIVE, *request, comm, 1);"),
    "start": ("", "started(*request);"),
    "startall": ("", "for (int i = 0; i < count; i++) started(requests[i]);"),
    "wait": (ONE + STATUS, DONE),
    "test": (ONE + STATUS, f"if (*flag) {{ {DONE} }}"),
    "waitall": (MANY + STATUSES, DONE_ALL),
    "testall": (MANY + STATUSES, f"if (*flag) {{ {DONE_ALL} }}"),
    "waitany": (MANY + STATUS, DONE_ANY),
    "testany": (MANY + STATUS, f"if (*flag) {{ {DONE_ANY} }}"),
    "waitsome": (MANY + STATUSES, DONE_SOME),
    "testsome": (MANY + STATUSES, DONE_SOME),
    "request_free": (ONE, "remove_pending(old);"),
    "finalize": ("write_counts(names, (int)(sizeof names / sizeof *names));", ""),
}
for kind, what in (("put", "PUT"), ("get", "GET"), ("accumulate", "ATOMIC"), ("get_accumulate", "ATOMIC")):
    ACCESSED = f"accessed({what}, win, target_rank, bytes(origin_count, origin_datatype));"
    KINDS[kind] = ("", ACCESSED)
    KINDS["r" + kind] = ("", ACCESSED + "add_pending(OTHER, *request, MPI_COMM_NULL, 0);")
for kind in "fetch_and_op", "compare_and_swap":
    KINDS[kind] = ("", "accessed(ATOMIC, win, target_rank, bytes(1, datatype));")

IN_PLACE = "(sendbuf == MPI_IN_PLACE)"
AT_RECEIVER = "(recvbuf == MPI_IN_PLACE)"
SEND, RECEIVE, DATA = "bytes(sendcount, sendtype)", "bytes(recvcount, recvtype)", "bytes(count, datatype)"
RECEIVE_V, SEND_V = "SUM(recvcounts, recvtype, p.n)", "SUM(sendcounts, sendtype, p.n)"
RECEIVE_W, SEND_W = "SUM_W(recvcounts, recvtypes, p.n)", "SUM_W(sendcounts, sendtypes, p.n)"
OWN_V, OWN_W, OWN_S = "bytes(recvcounts[p.me], recvtype)", "bytes(recvcounts[p.me], recvtypes[p.me])", "bytes(sendcounts[p.me], sendtype)"
OWN_R = "bytes(recvcounts[p.me], datatype)"

# By operation: bytes that a member sends, and receives. Data to itself counts, unless it is in place.
OPERATIONS = {
    "BARRIER": ("0", "0"),
    "BCAST": (f"p.root ? p.n * {DATA} : 0", f"p.member ? {DATA} : 0"),
    "GATHER": (f"p.member && !(p.root && {IN_PLACE}) ? {SEND} : 0", f"p.root ? (p.n - {IN_PLACE}) * {RECEIVE} : 0"),
    "GATHERV": (f"p.member && !(p.root && {IN_PLACE}) ? {SEND} : 0", f"p.root ? {RECEIVE_V} - ({IN_PLACE} ? {OWN_V} : 0) : 0"),
    "SCATTER": (f"p.root ? (p.n - {AT_RECEIVER}) * {SEND} : 0", f"p.member && !(p.root && {AT_RECEIVER}) ? {RECEIVE} : 0"),
    "SCATTERV": (f"p.root ? {SEND_V} - ({AT_RECEIVER} ? {OWN_S} : 0) : 0", f"p.member && !(p.root && {AT_RECEIVER}) ? {RECEIVE} : 0"),
    "REDUCE": (f"p.member && !(p.root && {IN_PLACE}) ? {DATA} : 0", f"p.root ? (p.n - {IN_PLACE}) * {DATA} : 0"),
    "ALLGATHER": (f"{IN_PLACE} ? (p.n - 1) * {RECEIVE} : p.n * {SEND}", f"(p.n - {IN_PLACE}) * {RECEIVE}"),
    "ALLGATHERV": (f"{IN_PLACE} ? (p.n - 1) * {OWN_V} : p.n * {SEND}", f"{RECEIVE_V} - ({IN_PLACE} ? {OWN_V} : 0)"),
    "ALLTOALL": (f"{IN_PLACE} ? (p.n - 1) * {RECEIVE} : p.n * {SEND}", f"(p.n - {IN_PLACE}) * {RECEIVE}"),
    "ALLTOALLV": (f"{IN_PLACE} ? {RECEIVE_V} - {OWN_V} : {SEND_V}", f"{RECEIVE_V} - ({IN_PLACE} ? {OWN_V} : 0)"),
    "ALLTOALLW": (f"{IN_PLACE} ? {RECEIVE_W} - {OWN_W} : {SEND_W}", f"{RECEIVE_W} - ({IN_PLACE} ? {OWN_W} : 0)"),
    "ALLREDUCE": (f"(p.n - {IN_PLACE}) * {DATA}", f"(p.n - {IN_PLACE}) * {DATA}"),
    "REDUCE_SCATTER_BLOCK": (f"(p.local - {IN_PLACE}) * bytes(recvcount, datatype)", f"(p.local - {IN_PLACE}) * bytes(recvcount, datatype)"),
    "REDUCE_SCATTER": (f"SUM(recvcounts, datatype, p.local) - ({IN_PLACE} ? {OWN_R} : 0)", f"(p.n - {IN_PLACE}) * {OWN_R}"),
    "SCAN": (f"(p.n - p.me - {IN_PLACE}) * {DATA}", f"(p.me + 1 - {IN_PLACE}) * {DATA}"),
    "EXSCAN": (f"(p.n - p.me - 1) * {DATA}", f"p.me * {DATA}"),
}
NEIGHBORS = {
    "ALLGATHER": (f"(p.destinations - p.n_absent) * {SEND}", f"(p.sources - p.n_absent) * {RECEIVE}"),
    "ALLGATHERV": (f"(p.destinations - p.n_absent) * {SEND}", "SUM(recvcounts, recvtype, p.sources)"),
    "ALLTOALL": (f"(p.destinations - p.n_absent) * {SEND}", f"(p.sources - p.n_absent) * {RECEIVE}"),
    "ALLTOALLV": ("SUM(sendcounts, sendtype, p.destinations)", "SUM(recvcounts, recvtype, p.sources)"),
    "ALLTOALLW": ("SUM_W(sendcounts, sendtypes, p.destinations)", "SUM_W(recvcounts, recvtypes, p.sources)"),
}


def collective(function):
    """Returns (before, after) for a collective operation, whose buffers may be invalid when it is over."""
    sent, received = (NEIGHBORS if "neighbor" in function.flags else OPERATIONS)[function.operation]
    root = "root" if function.argument("root") else "0"
    size = f"Place p = place_of(comm, {root}); {'' if 'neighbor' in function.flags else 'memset(p.absent, 0, sizeof p.absent);'} Count size = {{1, {sent}, {received}}};"
    after = {"collective": "collected(size);", "icollective": "add_collective(*request, 0, size);", "collective_init": "add_collective(*request, 1, size);"}
    return size, after[function.kind]


def file_access(function):
    """Returns (before, after) for a function that reads or writes a file, or for one part of a split access."""
    mode = function.kind.removeprefix("file_").upper()
    asked = f"if (file != MPI_FILE_NULL) file_bytes[{mode}].bytes += bytes(count, datatype);"
    if "nonblocking" in function.flags:
        return asked, f"add_pending(FILE_{mode}, *request, MPI_COMM_NULL, 0);"
    if "begin" in function.flags:
        return asked, ""
    return STATUS + ("" if "end" in function.flags else asked), f"moved({mode}, status);"


def snippets_of(function):
    if function.group == "coll":
        return collective(function)
    return file_access(function) if function.kind in ("file_read", "file_write") else KINDS.get(function.kind, ("", ""))


def wrapper(function):
    """Returns the function that counts a call, and MPI_X that calls it."""
    before, after = snippets_of(function)
    name, result, short = function.name, function.result, function.short
    lines = [f"static {result} count_{short}({result} (*next)({function.parameters}){''.join(', ' + argument.declaration for argument in function.arguments)})",
             "{", "    depth++;", f"    called({function.number});", f"    {before}", f"    {result} result = next({function.passed});"]
    if after:
        lines += [f"    if (result == MPI_SUCCESS || result == MPI_ERR_IN_STATUS) {{ {after} }}"]
    passed = ", ".join([f"P{name}"] + [argument.name for argument in function.arguments])
    lines += ["    depth--;", "    return result;", "}", f"{result} {name}({function.parameters})", "{", f"    if (depth) return P{name}({function.passed});",
              f"    return count_{short}({passed});", "}"]
    return "\n".join(lines + below_fortran(function))


def below_fortran(function):
    """Returns PMPI_X, which a Fortran library calls behind the recorder. It counts if such a library calls it in the routine of
    that name."""
    name, result, routine = function.name, function.result, function.short.removesuffix("_c")
    passed = ", ".join(["next"] + [argument.name for argument in function.arguments])
    return [f"{result} P{name}({function.parameters})", "{", f"    static {result} (*next)({function.parameters});",
            f'    if (!next) next = dlsym(RTLD_NEXT, "P{name}");',
            f'    if (depth || !is_routine("{routine}", __builtin_return_address(0))) return next({function.passed});',
            f"    return count_{function.short}({passed});", "}"]


# Functions that Fortran libraries provide without calling the C function of that name, or not always (MPI_Request_get_status
# without a status).
WITHOUT_C = {"openmpi": {"MPI_Request_get_status", "MPI_Attr_get", "MPI_Attr_put", "MPI_Keyval_create", "MPI_Type_match_size", "MPI_Errhandler_create"} |
          {f"MPI_{kind}_{what}" for kind in ("Comm", "Type", "Win") for what in ("create_keyval", "get_attr", "set_attr")} |
          {f"MPI_{kind}_create_errhandler" for kind in ("Comm", "Win", "File")},
          "mpich": {"MPI_Attr_get", "MPI_Attr_put"} | {f"MPI_{kind}_{what}" for kind in ("Comm", "Type", "Win") for what in ("get_attr", "set_attr")}}  # yapf: disable

# Functions whose C function is called under another name in mpi_f08 only.
NAMELESS = {"openmpi": set(), "mpich": {"MPI_Comm_spawn", "MPI_Comm_spawn_multiple"}}


def routines(function, mpi):
    """Returns the Fortran routines of such a function. All arguments are addresses, or lengths of texts, and are passed on
    unchanged."""
    n = len(function.arguments) + 1 + sum(argument.base == "char" for argument in function.arguments)
    parameters, passed = (", ".join(f"{kind}a{i}" for i in range(n)) for kind in ("void *", ""))
    lower, lines = function.name.lower(), []
    for name in ([f"{lower}_"] if function.name in WITHOUT_C[mpi] else []) + [f"{lower}_f08_"]:
        lines += [f"void {name}({parameters})", "{", f"    static void (*next)({parameters});", f'    if (!next) next = dlsym(RTLD_NEXT, "{name}");',
                  f"    if (!depth) called({function.number});", f"    depth++; next({passed}); depth--;", "}"]
    return "\n".join(lines)


def library(functions, declared, mpi):
    """Returns the library's C source."""
    wanted = [header.as_declared(function, declared) for function in functions if function.name in declared and function.recorded != "never" and not function.variadic]
    lines = ['#include "shim.h"', "static const char *const names[] = {"]
    lines += [f'    [{function.number}] = "{function.name}",' for function in wanted] + ["};", ""]
    lines += [wrapper(function) + "\n" for function in wanted]
    return "\n".join(lines + [routines(function, mpi) for function in wanted if function.name in WITHOUT_C[mpi] | NAMELESS[mpi]]) + "\n"


def main():
    separator = sys.argv.index("--")
    table_path, mpi, source_path = sys.argv[1:separator]
    declared = header.declarations(header.preprocess(sys.argv[separator + 1:]))
    pathlib.Path(source_path).write_text(library(table.read(table_path), declared, mpi))


if __name__ == "__main__":
    main()
