"""Finds the functions that an mpi.h declares for the C compiler."""

import dataclasses
import os
import re
import subprocess

# Open MPI hides the functions that MPI-3 removed behind macros. Its library has them, and programs that were compiled
# before call them.
DEFINES = ("-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", "-DOMPI_REMOVED_USE_STATIC_ASSERT=0")
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)")
ERROR = re.compile(r"^<stdin>:(\d+):.*\berror:", re.MULTILINE)
DECLARATION = re.compile(r"\s*(?:extern\s+)?(?P<result>[A-Za-z_][\w\s*]*?)\b(?P<name>MPI_\w+)\s*\((?P<parameters>.*)\)\s*$", re.DOTALL)


def preprocess(compiler, text="#include <mpi.h>\n"):
    """Returns the text as the C preprocessor expands it; `compiler`: the command and its arguments, such as include paths."""
    return subprocess.run([*compiler, *DEFINES, "-E", "-P", "-x", "c", "-"], input=text, check=True, capture_output=True, text=True).stdout


def declarations(text):
    """Returns {name: (result, parameters)} of all functions MPI_... that preprocessed text declares, without MPI_T_..."""
    found = {}
    while True:
        text, n = ATTRIBUTE.subn("", text)
        if not n:
            break
    for part in text.split(";"):
        match = DECLARATION.match(part.rpartition("}")[2])
        if match and "typedef" not in match["result"] and not match["name"].startswith("MPI_T_"):
            found[match["name"]] = (" ".join(match["result"].split()), " ".join(match["parameters"].split()))
    return found


def as_declared(function, declared):
    """Returns a function of the table with `const` where the header's declaration has it, since versions of an MPI differ there."""
    parts = [part.strip() for part in declared[function.name][1].split(",")]
    if len(parts) != len(function.arguments):
        return function
    arguments = [dataclasses.replace(argument, type="const " * part.startswith("const ") + argument.type.removeprefix("const "))
                 for argument, part in zip(function.arguments, parts)]
    return dataclasses.replace(function, arguments=tuple(arguments))


def misfits(functions, declared, compiler):
    """Returns the names of the table's functions that the header declares with other types, by the compiler's judgement."""
    left = [as_declared(function, declared) for function in functions if function.name in declared]
    wrong = set()
    while True:
        asserts = [f'_Static_assert(__builtin_types_compatible_p(__typeof__({function.name}), {function.result}({function.parameters})), "other types");'
                   for function in left]
        done = subprocess.run([*compiler, *DEFINES, "-fsyntax-only", "-x", "c", "-"], input="\n".join(["#include <mpi.h>", *asserts, ""]), capture_output=True,
                              text=True, env={**os.environ, "LC_ALL": "C"}, check=False)
        found = {left[int(line) - 2].name for line in ERROR.findall(done.stderr)}
        if not found:
            done.check_returncode()
            return wrong
        wrong |= found
        left = [function for function in left if function.name not in wrong]


def not_wrapped(functions, declared, compiler):
    """Returns the names of the functions that the header declares, and that the table lacks, or has with other types.

    They cannot be wrapped, but an MPI that is newer than the table must build nevertheless."""
    wrapped = [function for function in functions if function.recorded != "never"]
    return sorted(set(declared) - {function.name for function in functions} | misfits(wrapped, declared, compiler))


def without(declared, names):
    """Returns the declarations without some names."""
    return {name: declaration for name, declaration in declared.items() if name not in names}
