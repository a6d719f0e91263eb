"""Makes the program of every.py call the routines of a Fortran binding. The calls are Fortran's. The code around them remains C
and calls PMPI, as Fortran's routines of the profiling interface reach the recorded MPI_X.

module() returns a Fortran module with a procedure for each routine. The procedure has the routine's arguments, and calls it.
bridge() returns a header that replaces MPI_X by a C function. This function converts its arguments, calls that procedure, and
converts the results.

Routines with a status, or with a buffer that may be MPI_IN_PLACE, are called a second time without it. Routines with an address
are also called with a TYPE(C_PTR).
"""

import re

BINDINGS = {"mpif.h": 0, "mpi": 1, "mpi_f08": 2}
# Types of handles: their macros in prelude.F90, and the names of their conversions in mpi.h.
HANDLES = {"MPI_Comm": ("COMM", "Comm"), "MPI_Datatype": ("DATATYPE", "Type"), "MPI_Errhandler": ("ERRHANDLER", "Errhandler"), "MPI_File": ("FILE_HANDLE", "File"),
           "MPI_Group": ("GROUP", "Group"), "MPI_Info": ("INFO", "Info"), "MPI_Message": ("MESSAGE", "Message"), "MPI_Op": ("OPERATION", "Op"),
           "MPI_Request": ("REQUEST", "Request"), "MPI_Session": ("SESSION", "Session"), "MPI_Win": ("WINDOW", "Win")}  # yapf: disable
INTEGERS = {"int": "integer", "MPI_Aint": "integer(MPI_ADDRESS_KIND)", "MPI_Count": "integer(MPI_COUNT_KIND)", "MPI_Offset": "integer(MPI_OFFSET_KIND)"}
LOGICALS = ("flag", "reorder", "periods", "remain_dims", "commute", "high", "weighted")
# Arguments that replace the C arguments of every.py: procedures of prelude.F90, and constants of MPI.
NULL_COPY, NULL_DELETE = "MPI_{}_NULL_COPY_FN", "MPI_{}_NULL_DELETE_FN"
CALLBACKS = {
    "MPI_Copy_function": "MPI_NULL_COPY_FN", "MPI_Delete_function": "MPI_NULL_DELETE_FN", "MPI_User_function": "on_reduce", "MPI_User_function_c": "on_reduce_c",
    "MPI_Comm_errhandler_function": "on_comm_error", "MPI_Win_errhandler_function": "on_win_error", "MPI_File_errhandler_function": "on_file_error",
    "MPI_Session_errhandler_function": "on_session_error", "MPI_Grequest_query_function": "on_query", "MPI_Grequest_free_function": "on_free",
    "MPI_Grequest_cancel_function": "on_cancel", "MPI_Datarep_conversion_function": "MPI_CONVERSION_FN_NULL", "MPI_Datarep_extent_function": "on_extent",
} | {f"MPI_{kind}_{what}_attr_function": name.format(kind.upper()) for kind in ("Comm", "Type", "Win")
     for what, name in (("copy", NULL_COPY), ("delete", NULL_DELETE))}  # yapf: disable
CONSTANTS = {"weights": "MPI_UNWEIGHTED", "sourceweights": "MPI_UNWEIGHTED", "destweights": "MPI_UNWEIGHTED", "array_of_errcodes": "MPI_ERRCODES_IGNORE"}
# Arguments that routines lack.
LACKING = {"MPI_Init": ("argc", "argv"), "MPI_Init_thread": ("argc", "argv"), "MPI_Info_create_env": ("argc", "argv")}
# Functions of MPI-1, whose addresses are default integers.
SHORT = ("MPI_Address", "MPI_Type_extent", "MPI_Type_hindexed", "MPI_Type_hvector", "MPI_Type_lb", "MPI_Type_struct", "MPI_Type_ub", "MPI_Attr_get",
         "MPI_Attr_put", "MPI_Keyval_create")
POINTERS = ("baseptr", )
TEXTS = {"argv": "(2)", "array_of_commands": "(1)", "array_of_argv": "(1, 2)"}
HAS_IN_PLACE = ("ALLGATHER", "ALLGATHERV", "ALLTOALL", "ALLTOALLV", "ALLTOALLW", "ALLREDUCE", "REDUCE", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "SCAN",
                "EXSCAN", "GATHER", "GATHERV", "SCATTER", "SCATTERV")


def arguments_of(function):
    return [argument for argument in function.arguments if argument.name not in LACKING.get(function.name, ())]


def is_attribute(argument):
    """Returns True if an argument is a pointer in C and an integer in Fortran."""
    return argument.name in ("extra_state", "attribute_val")


def is_in_place(function, argument):
    if function.group != "coll" or "neighbor" in function.flags or function.operation not in HAS_IN_PLACE:
        return False
    return argument.name == ("recvbuf" if function.operation.startswith("SCATTER") else "sendbuf")


def replacement_of(function, argument):
    """Returns the replacement of an argument in the second call; "" if it stays the same."""
    if argument.base == "MPI_Status" and not argument.constant and "set" not in function.name:
        return "MPI_STATUSES_IGNORE" if argument.array else "MPI_STATUS_IGNORE"
    if is_in_place(function, argument):
        return "MPI_IN_PLACE"
    return "pointer" if argument.name in POINTERS else ""


def times(function, binding):
    """Returns how often a routine is called."""
    replacements = [replacement_of(function, argument) for argument in function.arguments]
    # In mpi_f08 an address is always a TYPE(C_PTR); in mpif.h it never is. There the routine is called twice nevertheless, so
    # that the C part is the same.
    if "pointer" in replacements and BINDINGS[binding] == 2:
        return 1
    return 2 if any(replacements) else 1


def declared(function, argument, binding):
    """Returns the declaration of a procedure's argument."""
    name, base, is_08 = argument.name, argument.base, BINDINGS[binding] == 2
    bound = "(*)" if argument.array else ""
    if base == "MPI_Status":
        return f"STATUS :: {name}" if not argument.array else f"STATUSES({name})"
    if argument.base == "char":
        return f"character(len=*) :: {name}{TEXTS.get(name, '')}"
    if base in HANDLES:
        return f"{HANDLES[base][0]} :: {name}{bound}"
    if is_attribute(argument):
        return f"{'integer' if function.name in SHORT else INTEGERS['MPI_Aint']} :: {name}"
    if name in POINTERS or name == "buffer_addr":
        return f"{'type(c_ptr)' if is_08 else INTEGERS['MPI_Aint']} :: {name}"
    if base == "void":
        return f"integer :: {name}(*)"
    if name in LOGICALS:
        return f"{'PARRIVED' if function.name == 'MPI_Parrived' else 'logical'} :: {name}{bound}"
    kind = "integer" if base == "MPI_Aint" and function.name in SHORT else INTEGERS[base]
    return f"{kind} :: {name}{'(3, *)' if name == 'ranges' else bound}"


def actual(argument):
    """Returns the argument of the first call."""
    if argument.name in CONSTANTS and (argument.constant or argument.name == "array_of_errcodes"):
        return CONSTANTS[argument.name]
    return CALLBACKS.get(argument.base, argument.name)


def call(function, arguments):
    routine = function.name.removesuffix("_c")  # a generic routine, which also serves large counts
    if function.result == "double":
        return f"time = {routine}()"
    return f"call {routine}({', '.join(arguments + ['ierror'] * (not function.variadic))})"


def procedure(function, binding):
    """Returns the Fortran procedure that calls a routine."""
    arguments = arguments_of(function)
    dummies = [argument for argument in arguments if argument.base not in CALLBACKS]
    name = f"every_{function.short.lower()}"
    lines = [f"subroutine {name}({', '.join([argument.name for argument in dummies] + ['ierror'])})"]
    lines += [f"  {declared(function, argument, binding)}" for argument in dummies] + ["  integer :: ierror"]
    lines += ["  type(c_ptr) :: pointer"] * any(argument.name in POINTERS for argument in dummies) + ["  double precision :: time"] * (function.result == "double")
    first = call(function, [actual(argument) for argument in arguments])
    second = call(function, [replacement_of(function, argument) or actual(argument) for argument in arguments])
    back = [f"    {argument.name} = transfer(pointer, {argument.name})" for argument in dummies if argument.name in POINTERS]
    if times(function, binding) > 1 and not (back and BINDINGS[binding] == 0):
        lines += ["  if (variant == 1) then", f"    {second}", *back, "  else", f"    {first}", "  end if"]
    else:
        lines += [f"  {first}"]
    return "\n".join([*lines, "end subroutine"])


def module(functions, binding):
    return "\n\n".join(['#include "prelude.F90"', *(procedure(function, binding) for function in functions), "end module\n"])


def length_of(function, argument):
    """Returns the number of handles in an array, in C."""
    return "count" if argument.base == "MPI_Request" or argument.name in ("array_of_types", "array_of_info") else "1"


def converted(function, argument):
    """Returns (the passed expression, its length if it is a text, statements before the call, and after it)."""
    name, base = argument.name, argument.base
    if base in HANDLES:
        kind, made = HANDLES[base][1], f"{name}_f"
        if argument.array:
            n = length_of(function, argument)
            back = f"for (int i = 0; i < {n}; i++) {name}[i] = PMPI_{kind}_f2c({made}[i]);" if not argument.constant else ""
            return made, "", f"MPI_Fint {made}[64]; for (int i = 0; i < {n}; i++) {made}[i] = PMPI_{kind}_c2f({name}[i]);", back
        if argument.stars:
            return f"&{made}", "", f"MPI_Fint {made} = PMPI_{kind}_c2f(*{name});", f"*{name} = PMPI_{kind}_f2c({made});"
        return f"&{made}", "", f"MPI_Fint {made} = PMPI_{kind}_c2f({name});", ""
    if argument.base == "char":
        if name in TEXTS:
            given = "array_of_argv[0]" if name == "array_of_argv" else name
            n = 1 if name == "array_of_commands" else 2
            return f"{name}_f[0]", f"sizeof {name}_f[0]", f"static char {name}_f[2][4096]; fill_texts({name}_f, {given}, {n});", ""
        if argument.constant:
            return name, f"strlen({name})", "", ""
        return name, "sizeof text", "", f"trim_text({name});"
    if base == "MPI_Status":
        return f"given({name})", "", "", ""
    if is_attribute(argument):
        return f"&{name}_f", "", f"MPI_Aint {name}_f = 0;", ""
    if base in INTEGERS and not argument.stars and not argument.array:
        return f"&{name}", "", "", ""
    return name, "", "", ""


def bridge_of(function):
    name = f"__every_MOD_every_{function.short.lower()}"
    parts = [converted(function, argument) for argument in arguments_of(function) if argument.base not in CALLBACKS]
    passed = [part[0] for part in parts] + ["&ierror"] + [part[1] for part in parts if part[1]]
    lines = [f"static int called_{function.short}({function.parameters})", "{", "    int ierror = 0;", *(f"    {part[2]}" for part in parts if part[2]),
             f"    void {name}();", f"    {name}({', '.join(passed)});", *(f"    {part[3]}" for part in parts if part[3]),
             "    return ierror;", "}", f"#define {function.name} called_{function.short}"]
    return "\n".join(lines)


# The code around calls also calls MPI_X where it begins or ends requests and accesses; otherwise some of them would remain open.
SEEN = ("Irecv", "Isend", "Wait", "Waitall", "Recv_init", "Send_init", "Request_free", "Start", "Startall", "Mprobe", "Mrecv", "Precv_init", "Psend_init",
        "Grequest_start", "Grequest_complete")


def is_seen(function):
    return function.short in SEEN or re.fullmatch(r"File_\w+_(begin|end)", function.short)


def bridge(functions):
    seen = [f"#define P{function.name}(...) NOTED({function.name}, __VA_ARGS__)" for function in functions if is_seen(function)]
    noted = "#define NOTED(function, ...) ({ int noted = function(__VA_ARGS__); note_call(#function, noted); noted; })"
    return "\n\n".join(['#include <mpi.h>', noted, *seen, '#include "prelude.h"', '#include "fortran.h"', *(bridge_of(function) for function in functions)]) + "\n"


def symbols_of(function, binding):
    """Returns the names under which a Fortran library has a routine, if it has it."""
    lower, large = function.name.lower(), function.name.endswith("_c") * "large_"
    if BINDINGS[binding] != 2:
        return {f"{lower}_"}
    return {f"{lower.removesuffix('_c')}_{form}_{large}" for form in ("f08", "f08ts")}
