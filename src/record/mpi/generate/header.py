"""Which functions an mpi.h declares, as the C compiler sees it."""

import dataclasses
import re
import subprocess

# Open MPI hides the functions that MPI-3 removed behind macros. Its library has them, and programs that were compiled
# before call them.
DEFINES = ("-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", "-DOMPI_REMOVED_USE_STATIC_ASSERT=0")
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)")
DECLARATION = re.compile(r"\s*(?:extern\s+)?(?P<result>[A-Za-z_][\w\s*]*?)\b(?P<name>MPI_\w+)\s*\((?P<parameters>.*)\)\s*$", re.DOTALL)


def preprocess(compiler, text="#include <mpi.h>\n"):
    """What a C compiler makes of the text; `compiler`: the command and its arguments, as include paths."""
    return subprocess.run([*compiler, *DEFINES, "-E", "-P", "-x", "c", "-"], input=text, check=True, capture_output=True, text=True).stdout


def declarations(text):
    """{name: (result, parameters)} of all functions MPI_... that preprocessed text declares, but those of MPI_T."""
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
    """Returns a function of the table with `const` where the header's declaration has it: versions of an MPI differ in that."""
    parts = [part.strip() for part in declared[function.name][1].split(",")]
    if len(parts) != len(function.arguments):
        return function
    arguments = [dataclasses.replace(argument, type="const " * part.startswith("const ") + argument.type.removeprefix("const "))
                 for argument, part in zip(function.arguments, parts)]
    return dataclasses.replace(function, arguments=tuple(arguments))
