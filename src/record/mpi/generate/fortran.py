"""Makes the Fortran wrappers of one MPI's functions, from the same table as the C wrappers.

usage: fortran.py TABLE MPI SOURCE -- COMPILER...

MPI is openmpi or mpich; COMPILER is as in wrappers.py. The Fortran bindings of Open MPI call PMPI_X, so all of them are wrapped.
They are mpi_x_ of mpif.h and of the module mpi, and mpi_x_f08_ of the module mpi_f08. The latter calls ompi_x_f, which is not
wrapped, since the profiling names and other routines call it, too.
The Fortran bindings of MPICH call MPI_X, which has a C wrapper. The exceptions call PMPI_X, and are wrapped: routines for attributes, and the
routines of mpi_f08 without a buffer, mpi_x_f08_ and mpi_x_f08_large_. MPICH 4.2 calls the latter mpi_x_c_f08_. Functions under the names of
all other routines set the caller for the C wrapper, and pass on the call.

A wrapper passes the unchanged arguments to the profiling name of the same routine, pmpi_x_, or pmpi_x_f08_ (MPICH: pmpir_x_f08_). The library
itself converts Fortran's MPI_IN_PLACE, MPI_BOTTOM and callbacks. The wrapper converts handles only for recording.
"""

import sys

import fortran_roles
import header
import kinds
import kinds_handles
import kinds_messages
import table
import wrappers

# Routines whose Fortran form differs from the C declaration. fortran.c has MPI_Pcontrol and the clocks. MPI_Info_create_env of MPICH 4.0.2's
# mpi_f08 calls C's function without arguments, so it uses the present content of registers, which a wrapper would change.
WITHOUT = {"MPI_Info_create_env", "MPI_Pcontrol"}
# C's arguments that Fortran lacks.
LACKING = {"argc": ("MPI_Init", "MPI_Init_thread"), "argv": ("MPI_Init", "MPI_Init_thread")}
# Routines that mpif.h and the module mpi also have in a form with a TYPE(C_PTR) address.
WITH_POINTER = ("MPI_Alloc_mem", "MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_shared_query")
# Routines for which mpif.h and the module mpi of MPICH call internal functions of MPICH.
PAST_C = {"MPI_Attr_get", "MPI_Attr_put"} | {f"MPI_{kind}_{what}_attr" for kind in ("Comm", "Type", "Win") for what in ("get", "set")}
INTEGERS_8 = ("MPI_Count", "MPI_Aint", "MPI_Offset")


def lacks(function, argument):
    return function.name in LACKING.get(argument.name, ())


def arguments_of(function):
    return [argument for argument in function.arguments if not lacks(function, argument)]


def is_text(argument):
    return argument.base == "char"


def declared(argument):
    """Returns the declaration of an argument as Fortran passes it: an address."""
    if is_text(argument):
        return f"char *{argument.name}"
    if argument.base in INTEGERS_8:
        return f"{argument.base} *{argument.name}"
    if argument.base == "int" or argument.base == "MPI_Fint" or argument.base in fortran_roles.CONVERTED:
        return f"MPI_Fint *{argument.name}"
    return f"void *{argument.name}"


def parameters_of(function):
    arguments = arguments_of(function)
    texts = [f"size_t {argument.name}_length" for argument in arguments if is_text(argument)]
    return ", ".join([declared(argument) for argument in arguments] + ["MPI_Fint *ierror"] + texts)


def passed_of(function, code):
    arguments = arguments_of(function)
    texts = [f"{argument.name}_length" for argument in arguments if is_text(argument)]
    return ", ".join([argument.name for argument in arguments] + [code] + texts)


def form_of(function, snippets, conversions):
    """Returns the form of Fortran: the result is an argument, and handles are converted."""
    call = passed_of(function, "&result")
    end = ("    if (ierror)", "        *ierror = result;", "    return;")
    return wrappers.Form(
        pass_on=(f"        next({passed_of(function, 'ierror')});", "        return;"),
        statuses=wrappers.statuses_of(function, snippets, lambda name, _: f"xtf_fortran_ignored({name})", "*count"),
        declare=("    MPI_Fint result = MPI_SUCCESS;", *(f"    {made.declare}" for made in conversions.values() if made.declare)),
        call=f"    next({call});", change=tuple(f"    {made.after}" for made in conversions.values() if made.after), end=end,
        caller="caller", comm="XTF_FORTRAN_COMM(*comm)")


def body_of(function, snippets):
    """Returns the text of a function that all names of a routine share; it passes the call on to `next`."""
    short, parameters = function.short, parameters_of(function)
    conversions = fortran_roles.conversions_of(function, snippets)
    filled = kinds.fill(snippets, fortran_roles.roles_of(function, conversions), function)
    return "\n".join([f"typedef void Fortran{short}({parameters});", f"static void fortran_{short}(Fortran{short} *next, const void *caller, {parameters})", "{",
                      *wrappers.body_of(function, filled, form_of(function, snippets, conversions)), "}"])


def entry_of(function, name, profiling, aliases):
    """Returns the text of the functions that programs call: `name`, and its other spellings."""
    parameters, short = parameters_of(function), function.short
    lines = [f"XTF_MPI_VISIBLE void {name}({parameters})", "{", f"    static Fortran{short} *next;", "    if (__builtin_expect(!next, 0))",
             f'        next = (Fortran{short} *)xtf_fortran_find("{profiling}", "{name}");', f"    fortran_{short}(next, __builtin_return_address(0), {passed_of(function, 'ierror')});", "}"]
    lines += [f'XTF_MPI_VISIBLE void {alias}({parameters}) __attribute__((alias("{name}")));' for alias in aliases]
    return "\n".join(lines)


def passing_entry_of(function, name, profiling, aliases):
    """Returns the text of functions that set the caller for the C wrapper, and call the routine, which calls the C wrapper."""
    parameters, short = parameters_of(function), function.short
    lines = [f"XTF_MPI_VISIBLE void {name}({parameters})", "{", f"    static Fortran{short} *next;", "    if (__builtin_expect(!next, 0))",
             f'        next = (Fortran{short} *)xtf_fortran_find("{profiling}", "{name}");', "    xtf_mpi_caller = __builtin_return_address(0);",
             f"    next({passed_of(function, 'ierror')});", "    xtf_mpi_caller = NULL;", "}"]
    lines += [f'XTF_MPI_VISIBLE void {alias}({parameters}) __attribute__((alias("{name}")));' for alias in aliases]
    return "\n".join(lines)


def passing_entries_of(function):
    """Returns the routines of MPICH that call C's wrapper: all of mpif.h and of the module mpi, and all of mpi_f08 with a buffer."""
    lower = function.name.lower()
    entries = []
    if not function.name.endswith("_c") and function.name not in PAST_C:
        entries.append(passing_entry_of(function, f"{lower}_", f"p{lower}_", spellings_of(lower)))
    if any(argument.base == "void" and argument.stars == 1 for argument in function.arguments):
        plain = lower.removesuffix("_c")
        names = [f"{plain}_f08ts_large_", f"{lower}_f08ts_"] if plain != lower else [f"{lower}_f08ts_"]
        entries += [passing_entry_of(function, name, f"pmpir_{name[4:]}", []) for name in names]
    return entries


def spellings_of(routine):
    """Returns the other names of mpi_x_ that Fortran compilers use. The name mpi_x is left out: few compilers use it. Programs such as R's
    bindings of MPI define functions with such names, and the recorder's, loaded first, would replace them."""
    return [f"{routine}__", routine.upper()]


def entries_of(function, mpi):
    lower = function.name.lower()
    profiling = "pmpi" if mpi == "openmpi" else "pmpir"
    entries = []
    if mpi == "mpich":
        entries += passing_entries_of(function)
    if function.name.endswith("_c"):
        # Routines of mpi_f08 that take large counts, and no buffer.
        return entries + [entry_of(function, f"mpi_{name}_", f"{profiling}_{name}_", []) for name in (f"{lower[4:-2]}_f08_large", f"{lower[4:]}_f08")]
    if mpi == "mpich" and function.name in PAST_C:
        entries.append(entry_of(function, f"{lower}_", f"pmpi_{lower[4:]}_", spellings_of(lower)))
    if mpi == "openmpi":
        entries.append(entry_of(function, f"{lower}_", f"pmpi_{lower[4:]}_", spellings_of(lower)))
        if function.name in WITH_POINTER:
            entries.append(entry_of(function, f"{lower}_cptr_", f"pmpi_{lower[4:]}_cptr_", spellings_of(f"{lower}_cptr")))
    entries.append(entry_of(function, f"{lower}_f08_", f"{profiling}_{lower[4:]}_f08_", []))
    return entries


def has_binding(function, mpi):
    return (function.recorded != "never" and function.name not in WITHOUT and not function.variadic and function.result == "int"
            and not (mpi == "openmpi" and function.name.endswith("_c")))


# No header declares the functions that Fortran calls.
HEAD = """#include "src/record/mpi/fortran/fortran.h"
#include "src/record/mpi/hooks.h"
#include "src/record/mpi/library/wrapper.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes\"
"""


def source_text(functions, mpi, snippets, declarations):
    parts = [HEAD]
    for function in functions:
        if has_binding(function, mpi) and function.name in declarations:
            parts += [body_of(function, kinds.snippets_of(snippets, function)), *entries_of(function, mpi)]
    return "\n\n".join(parts) + "\n"


def main():
    separator = sys.argv.index("--")
    table_path, mpi, source_path = sys.argv[1:separator]
    try:
        functions = table.read(table_path)
        declared = header.declarations(header.preprocess(sys.argv[separator + 1:]))
        known = header.without(declared, header.not_wrapped(functions, declared, sys.argv[separator + 1:]))
        text = source_text(functions, mpi, kinds.collect(kinds_messages.KINDS, kinds_handles.KINDS), known)
    except (table.TableError, kinds.KindError, fortran_roles.RoleError) as error:
        sys.exit(str(error))
    with open(source_path, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
