"""Makes the C wrappers of one MPI's functions, and the header that goes with them.

usage: wrappers.py TABLE HEADER SOURCE -- COMPILER...

COMPILER is the command that compiles for this MPI, with its include paths. Only functions that its mpi.h declares are wrapped. A function
that the table lacks, or has with other types, is left out, with a message on stderr.

HEADER has, for the C files of the front end:

  XTF_MPI_FUNCTIONS(FUNCTION)   FUNCTION(Send) for each function that the mpi.h declares, also those that are "never" wrapped
  XTF_MPI_HAS_Send              defined for each of them
  XTF_MPI_NOT_WRAPPED           the names of functions that are left out, with blanks between them: mostly ""
  XTF_MPI_REGION_Send           numbers of the regions of all functions of the table
  XTF_MPI_OP_BCAST, ...         numbers of collective operations
  XTF_MPI_NEIGHBOR, ...         the flags of the table's column `what`

SOURCE has a function MPI_X for each function that is not "never". It calls xtf_mpi_next.X, which pmpi.c has looked up.
"""

import dataclasses
import sys

import header
import kinds
import kinds_handles
import kinds_messages
import roles
import table

# In the order of xtf_collective_operations.
OPERATIONS = ("BARRIER", "BCAST", "GATHER", "GATHERV", "SCATTER", "SCATTERV", "ALLGATHER", "ALLGATHERV", "ALLTOALL", "ALLTOALLV", "ALLTOALLW", "ALLREDUCE",
              "REDUCE", "REDUCE_SCATTER", "SCAN", "EXSCAN", "REDUCE_SCATTER_BLOCK", "CREATE_HANDLE", "DESTROY_HANDLE", "ALLOCATE", "DEALLOCATE",
              "CREATE_HANDLE_AND_ALLOCATE", "DESTROY_HANDLE_AND_DEALLOCATE")
BEGINS = {"init": "xtf_mpi_begin_init()", "session_init": "xtf_mpi_begin_init()", "finalize": "xtf_mpi_begin_finalize(__builtin_frame_address(0))"}
# Statements of the wrapper after a call has been recorded.
ENDS = {
    "init": "if (result == MPI_SUCCESS) xtf_mpi_initialized();",
    "session_init": "if (result == MPI_SUCCESS) xtf_mpi_initialized();",
    "finalize": "xtf_mpi_finalized();",
}
INCLUDES = ("src/record/mpi/library/pmpi.h", "src/record/mpi/library/wrapper.h", "src/record/mpi/hooks.h")


def indent(text):
    return [f"    {text}"] if text else []


@dataclasses.dataclass(frozen=True)
class Form:
    """Parts of a wrapper that differ between the languages: lines of C."""

    pass_on: tuple  # passes on the call; the last line returns what it returns
    statuses: tuple  # before a recorded call: scratch statuses replace the ones that the program ignores
    declare: tuple  # before the call
    call: str  # has `result`
    change: tuple  # after the call
    end: tuple  # returns `result`
    caller: str  # the return address in the program: an expression of C
    comm: str  # expression of the argument `comm`, before the lines `declare`


def statuses_of(function, snippets, is_ignored, count):
    """Returns statements that replace statuses which the program ignores by scratch ones, if snippets read them."""
    lines = []
    if function.argument("status") and function.argument("status").base == "MPI_Status" and snippets.mentions("status"):
        lines += [f"    if ({is_ignored('status', 'MPI_STATUS_IGNORE')})", "        status = xtf_mpi_scratch_statuses(1);"]
    if function.argument("statuses") and snippets.mentions("statuses"):
        lines += [f"    if ({is_ignored('statuses', 'MPI_STATUSES_IGNORE')})", f"        statuses = xtf_mpi_scratch_statuses({count});"]
    return tuple(lines)


def form_of(function, snippets):
    """Returns the form of C."""
    call = f"xtf_mpi_next.{function.short}({function.passed})"
    return Form(pass_on=(f"        {function.result} result = {call};", "        return result;"), statuses=statuses_of(function, snippets, lambda name, constant: f"{name} == {constant}", "count"), declare=(),
                call=f"    {function.result} result = {call};", change=(), end=("    return result;",), caller="xtf_mpi_take_caller()", comm="comm")


def recorded_of(function, filled, form):
    """Returns the recorded call, between the claim of the ring and the end."""
    conditional = bool(filled.condition)
    site = f"xtf_core_site(ring, {function.number}, {form.caller})"
    entered = "xtf_core_now()" if conditional else f"xtf_core_enter_from(ring, {function.number}, {site})"
    lines = [f"    uint64_t entered __attribute__((unused)) = {entered};"]
    lines += [*form.statuses, *form.declare, *indent(filled.before), form.call, "    uint64_t left = xtf_core_now();", *form.change]
    if conditional:
        lines += [f"    if (({filled.condition}) || result != MPI_SUCCESS || xtf_mpi_wants({function.number})) {{", f"    xtf_core_enter_at(ring, entered, {function.number}, {site});"]
    lines += [*indent(filled.after), f"    xtf_core_leave_at(ring, left, {function.number});"]
    if conditional:
        lines += ["    } else {", f"    xtf_mpi_count({function.number});", *indent(filled.missed), "    }"]
    return lines


def unrecorded_test_of(function):
    """Returns the C test by which a function's hooks are called while nothing is recorded; None: they never are."""
    if function.kind in kinds_messages.ENDING:
        return "xtf_mpi_forgets()"
    if function.kind in kinds_handles.ALWAYS:
        return "xtf_mpi_agrees_init()" if function.kind in BEGINS else "xtf_mpi_agrees()"
    return None


def unrecorded_of(function, filled, form):
    """Returns the call while nothing is recorded, if all members of a communicator have to agree, or requests end."""
    after = indent(filled.after)
    if filled.condition:
        after = [f"    if (({filled.condition}) || result != MPI_SUCCESS) {{", *after, "    }"]
    return ["    if (!ring) {", f"    if (!{unrecorded_test_of(function)}) {{", *form.pass_on, "    }", "    uint64_t entered = 0, left = 0;",
            "    (void)entered, (void)left;", "    uint32_t busy = xtf_core_thread.busy;",
            "    xtf_mpi_wrapper = (XtfMpiWrapper){ __builtin_frame_address(0), UINT32_MAX };", "    xtf_core_thread.busy = XTF_CORE_BUSY;",
            *form.statuses, *form.declare, *indent(filled.before), form.call, *form.change, *after,
            "    xtf_core_thread.busy = busy;", *form.end, "    }"]


def counting_of(function, form):
    """Returns the statements behind a blocking collective operation, recorded or not, which count it for readings of the clocks."""
    if function.kind != "collective":
        return []
    return ["    if (__builtin_expect(xtf_mpi_clocks_counts, 0)) {", f"        xtf_mpi_clocks_count({form.comm});", "    }"]


def passed_on_of(function, filled, form, test):
    """Returns the call while `test` says that nothing is recorded. A function that is off by default still runs its snippets."""
    lines = [*form.pass_on[:-1], *counting_of(function, form), form.pass_on[-1]]
    if function.recorded == "off" and filled.after:
        lines = [*form.declare, *indent(filled.before), form.call, *form.change, *indent(filled.after), *form.end]
    return [f"    if ({test}) {{", *lines, "    }"]


def passing_test_of(function, form):
    """Returns the C test that a call is only passed on. A blocking collective operation may begin the recording."""
    if function.kind != "collective":
        return "!ring"
    return f"!ring && !(xtf_mpi_begins_together && xtf_mpi_begin_together({form.comm}) && (ring = xtf_mpi_begin()))"


def body_of(function, filled, form):
    """Returns the body of a wrapper."""
    lines = passed_on_of(function, filled, form, f"xtf_mpi_quiet({function.number})") if function.recorded == "off" else []
    lines += [f"    XtfRing *ring = {BEGINS.get(function.kind, 'xtf_mpi_begin()')};"]
    lines += unrecorded_of(function, filled, form) if unrecorded_test_of(function) else passed_on_of(function, filled, form, passing_test_of(function, form))
    lines += recorded_of(function, filled, form)
    return lines + ["    xtf_core_end();", *indent(ENDS.get(function.kind, "")), *counting_of(function, form), *form.end]


def wrapper_of(function, snippets):
    """Returns the text of a wrapper."""
    filled = kinds.fill(snippets, roles.roles_of(function), function)
    return "\n".join([f"XTF_MPI_VISIBLE {function.result} {function.name}({function.parameters})", "{", *body_of(function, filled, form_of(function, snippets)), "}"])


def header_text(functions, declared, not_wrapped):
    words = sorted({word for function in functions for word in function.flags} | set(roles.WHATS))
    known = [function.short for function in functions if function.name in declared and function.name not in not_wrapped and not function.variadic]
    lines = ["#pragma once", f'#define XTF_MPI_NOT_WRAPPED "{" ".join(not_wrapped)}"', "#define XTF_MPI_FUNCTIONS(FUNCTION) \\"]
    lines += [f"    FUNCTION({short}) \\" for short in known] + [""]
    lines += [f"#define XTF_MPI_HAS_{short} 1" for short in known]
    lines += ["enum {"] + [f"    XTF_MPI_REGION_{function.short} = {function.number}," for function in functions] + [f"    XTF_MPI_N_REGIONS = {len(functions) + 1},", "};"]
    lines += ["enum {"] + [f"    XTF_MPI_OP_{operation} = {number}," for number, operation in enumerate(OPERATIONS)] + ["};"]
    lines += ["enum {"] + [f"    XTF_MPI_{word.upper()} = 1 << {number}," for number, word in enumerate(words)] + ["};"]
    return "\n".join(lines) + "\n"


def source_text(functions, declared, snippets):
    lines = [f'#include "{name}"' for name in INCLUDES]
    for function in functions:
        if function.name in declared and function.recorded != "never" and function.kind != "pcontrol":
            lines += ["", wrapper_of(header.as_declared(function, declared), kinds.snippets_of(snippets, function))]
    return "\n".join(lines) + "\n"


def check(functions, snippets):
    for function in functions:
        if function.operation and function.operation not in OPERATIONS:
            raise kinds.KindError(f"{function.name}: no operation is called {function.operation}")
    unused = kinds.unused(snippets, functions)
    if unused:
        raise kinds.KindError(f"no function is of kind {', '.join(unused)}")


def main():
    separator = sys.argv.index("--")
    table_path, header_path, source_path = sys.argv[1:separator]
    try:
        functions = table.read(table_path)
        snippets = kinds.collect(kinds_messages.KINDS, kinds_handles.KINDS)
        check(functions, snippets)
        declared = header.declarations(header.preprocess(sys.argv[separator + 1:]))
        not_wrapped = header.not_wrapped(functions, declared, sys.argv[separator + 1:])
        source = source_text(functions, header.without(declared, not_wrapped), snippets)
    except (table.TableError, kinds.KindError) as error:
        sys.exit(str(error))
    if not_wrapped:
        print(f"{header_path}: not wrapped, since {table_path} does not know them so: {' '.join(not_wrapped)}", file=sys.stderr)
    with open(header_path, "w", encoding="utf-8") as file:
        file.write(header_text(functions, declared, not_wrapped))
    with open(source_path, "w", encoding="utf-8") as file:
        file.write(source)


if __name__ == "__main__":
    main()
