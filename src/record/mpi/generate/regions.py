"""Makes the table of the functions' regions, by number, for readers of the wrappers' records.

usage: regions.py TABLE SOURCE
"""

import sys

import kinds
import kinds_handles
import kinds_messages
import table

# In xtf_region_roles.
COLLECTIVE_ROLES = {
    "COLL_ONE2ALL": ("BCAST", "SCATTER", "SCATTERV"),
    "COLL_ALL2ONE": ("GATHER", "GATHERV", "REDUCE"),
    "COLL_OTHER": ("SCAN", "EXSCAN"),
    "BARRIER": ("BARRIER", ),
}
GROUP_ROLES = {"p2p": "POINT2POINT", "req": "POINT2POINT", "rma": "RMA"}
ROLE_NUMBERS = {"FUNCTION": 1, "BARRIER": 15, "COLL_ONE2ALL": 23, "COLL_ALL2ONE": 24, "COLL_ALL2ALL": 25, "COLL_OTHER": 26, "FILE_IO": 27, "POINT2POINT": 28,
                "RMA": 29, "FILE_IO_METADATA": 38}


def role_of(function):
    if function.recorded == "off" and function.group != "io":
        return "FUNCTION"
    if function.group == "coll":
        return next((role for role, operations in COLLECTIVE_ROLES.items() if function.operation in operations), "COLL_ALL2ALL")
    if function.group == "io":
        return "FILE_IO" if function.kind in ("file_read", "file_write", "file_sync") else "FILE_IO_METADATA"
    return GROUP_ROLES.get(function.group, "FUNCTION")


def is_counted(function, snippets):
    """True if calls are only counted by default: all of them, or the ones that found nothing."""
    return function.recorded == "off" or (function.recorded == "on" and bool(kinds.snippets_of(snippets, function).condition))


def main():
    functions = table.read(sys.argv[1])
    snippets = kinds.collect(kinds_messages.KINDS, kinds_handles.KINDS)
    lines = ['#include "src/record/mpi/regions.h"', "#include <stddef.h>", "", "static const XtfMpiRegion regions[] = {"]
    lines += [f'    [{function.number}] = {{"{function.name}", {ROLE_NUMBERS[role_of(function)]}, {int(is_counted(function, snippets))}}},' for function in functions]
    lines += ["};", "", "const XtfMpiRegion *xtf_mpi_region(uint32_t number)", "{",
              "    return number && number < sizeof regions / sizeof *regions ? &regions[number] : NULL;", "}", ""]
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


if __name__ == "__main__":
    main()
