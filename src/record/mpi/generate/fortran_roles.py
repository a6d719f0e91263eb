"""Gives the C expressions for the roles of snippets, in the wrappers of Fortran.

Each argument of a Fortran routine is the address of a value. Handles are numbers in Fortran. A wrapper converts them to locals with the
suffix _c, which only snippets use, before the call. If the call may change a handle, the wrapper converts it again afterwards.
Integers and logicals have 32 bits. A status has the same bytes as in C. Only arguments that snippets mention are converted.
"""

import roles

# The conversions of mpi.h.
CONVERTED = {"MPI_Comm": "Comm", "MPI_Datatype": "Type", "MPI_Errhandler": "Errhandler", "MPI_File": "File", "MPI_Group": "Group", "MPI_Info": "Info",
             "MPI_Message": "Message", "MPI_Op": "Op", "MPI_Request": "Request", "MPI_Session": "Session", "MPI_Win": "Win"}
# The lengths of arrays, as C expressions. After an error *outcount may not be set, except after an error of a single request.
LENGTHS = {"requests": "*count", "statuses": "*count", "indices": "xtf_fortran_outcount(result, *outcount, *count)"}


class RoleError(Exception):
    """A snippet asks for an argument that cannot be converted. The message names it."""


class Conversion:
    """One argument as snippets see it: an expression, and the statements that make it."""

    def __init__(self, argument):
        self.role = argument.name
        self.declare = ""  # before the call
        self.after = ""  # after it


def is_text(argument):
    return argument.base == "char" and argument.stars + argument.array.count("[") == 1


def is_handle(argument):
    return argument.base in CONVERTED and not argument.array


def handle(argument):
    made = Conversion(argument)
    name = f"{argument.name}_c"
    convert = f"XTF_FORTRAN_{CONVERTED[argument.base].upper()}(*{argument.name})"
    made.declare = f"{argument.base} {name} = {convert};"
    made.after = f"{name} = {convert};" if argument.stars else ""
    made.role = f"(&{name})" if argument.base in roles.POINTERS else name
    return made


def text(argument):
    made = Conversion(argument)
    call = f"xtf_fortran_text({argument.name}, {argument.name}_length)"
    made.role = f"{argument.name}_c"
    made.declare = f"const char *{made.role} = {call};" if argument.constant else f"const char *{made.role} = NULL;"
    made.after = "" if argument.constant else f"{made.role} = {call};"
    return made


def array(argument, function):
    made = Conversion(argument)
    name, base = argument.name, argument.base
    if base == "MPI_Request":
        made.role = f"{name}_c"
        made.declare = f"MPI_Request *{made.role} = xtf_fortran_requests({LENGTHS[name]}, {name});"
        made.after = f"{made.role} = xtf_fortran_requests({LENGTHS[name]}, {name});"
    elif base == "MPI_Datatype":
        side = "true" if name.startswith("send") else "false"
        neighbor = "true" if "neighbor" in function.flags else "false"
        # In place, MPI ignores the send types, and the program may pass none.
        in_place = f"xtf_fortran_in_place({function.argument('sendbuf').name})" if side == "true" else "false"
        made.role = f"{name}_c"
        made.declare = f"const MPI_Datatype *{made.role} = {in_place} ? NULL : xtf_fortran_types({side}, {neighbor}, comm_c, {name});"
    elif name == "indices":
        made.role = f"xtf_fortran_indices({LENGTHS[name]}, {name})"
    elif base in roles.INTEGERS:
        made.role = f"((XtfMpiCounts){{{name}, sizeof *{name} > sizeof(int)}})" if argument.array == "[]" else name
    else:
        raise RoleError(f"{function.name}: the array {name} cannot be converted")
    return made


def conversion(argument, function):
    name, base = argument.name, argument.base
    made = Conversion(argument)
    if base == "MPI_Status":
        # wrappers replace a status that the program ignores by one of their own
        made.role = f"((MPI_Status *){name})"
    elif is_text(argument):
        made = text(argument)
    elif argument.array:
        made = array(argument, function)
    elif is_handle(argument):
        made = handle(argument)
    elif base in roles.INTEGERS and argument.stars <= 1:
        made.role = f"xtf_fortran_index(*{name})" if name == "index" else f"(long long)*{name}"
    elif base == "void" and name in ("sendbuf", "recvbuf"):
        made.role = f"{name}_c"
        made.declare = f"const void *{made.role} = xtf_fortran_buffer({name});"
    return made


def conversions_of(function, snippets):
    """Returns {argument's name: Conversion} of the arguments that snippets mention, in the order of the arguments."""
    made = {}
    types = any(argument.base == "MPI_Datatype" and argument.array and snippets.mentions(argument.name) for argument in function.arguments)
    for argument in function.arguments:
        if snippets.mentions(argument.name, f"{argument.name}_out") or (types and argument.name == "comm"):
            made[argument.name] = conversion(argument, function)
    # Arrays of types are as long as the communicator has members.
    return dict(sorted(made.items(), key=lambda item: item[0] != "comm")) if types else made


def roles_of(function, conversions):
    # A hook reads newcomm when its request completes, after the wrapper has returned: so the hook gets a lasting copy.
    late = {"newcomm_out": "xtf_fortran_kept_comm(newcomm_c)"} if "newcomm" in conversions else {}
    return {**late, **{name: value for name, value in roles.roles_of(function).items() if not function.argument(name)},
            **{name: made.role for name, made in conversions.items()}}
