"""Gives the C expressions for the roles of snippets, in the wrappers of C.

A value is its argument; integers of any width are (long long). A pointer to one value is read where the snippet uses it.
Other pointers are passed as they are: requests and messages (also where the function takes the value), statuses, arrays, buffers, texts. Arrays
of counts and displacements, which have elements of 4 or of 8 bytes, are an XtfMpiCounts.
"""

INTEGERS = ("int", "MPI_Count", "MPI_Aint", "MPI_Offset")
POINTERS = ("MPI_Request", "MPI_Message", "MPI_Status")
WHATS = ("neighbor", "buffered", "synchronous", "ready", "at", "collective", "shared", "ordered", "nonblocking", "begin", "end", "allocate", "dynamic")


def role_of(argument):
    """Returns the C expression of an argument."""
    name, base = argument.name, argument.base
    if argument.array:
        if base in INTEGERS and argument.array == "[]" and name != "indices" and not argument.stars:
            return f"((XtfMpiCounts){{{name}, sizeof *{name} > sizeof(int)}})"
        return name
    if base in POINTERS:
        return name if argument.stars else f"(&{name})"
    if argument.stars == 0:
        return f"(long long){name}" if base in INTEGERS else name
    if argument.stars == 1 and (base in INTEGERS or base in ("MPI_Comm", "MPI_Win", "MPI_File", "MPI_Datatype", "MPI_Session", "MPI_Group", "MPI_Info")):
        return f"(long long)*{name}" if base in INTEGERS else f"(*{name})"
    return name


def roles_of(function):
    """Returns {role: C expression} of a function's arguments, and of the variables that all wrappers have."""
    flags = " | ".join(f"XTF_MPI_{word.upper()}" for word in function.flags)
    roles = {
        "ring": "ring",
        "result": "result",
        "entered": "entered",
        "left": "left",
        "region": str(function.number),
        "function": f'"{function.name}"',
        "flags": f"({flags or '0'})",
    }
    if function.operation:
        roles["operation"] = f"XTF_MPI_OP_{function.operation}"
    for argument in function.arguments:
        roles[argument.name] = role_of(argument)
    return roles
