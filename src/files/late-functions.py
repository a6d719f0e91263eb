#!/usr/bin/env python3
"""Prints a header with the functions of a library that xtf loads at its first use (late-library.h).

usage: late-functions.py NAME FILE LIST

FILE is the library's file name. LIST has a function or variable of the library on each line, as its headers declare them. The
header has a structure of pointers to the functions, and a variable of that structure. Macros give the functions their usual names.
Two more are the file name, and the names in the order of the structure.
"""

import pathlib
import sys


def print_header(name, file, functions, source):
    print(f"/* Made by late-functions.py from {source}. */\n#pragma once\n")
    print(f'#define XTF_{name.upper()}_FILE "{file}"\n\ntypedef struct {{')
    for function in functions:
        print(f"    typeof({function}) *{function};")
    print(f"}} Xtf{name.capitalize()}Calls;\n\nextern Xtf{name.capitalize()}Calls xtf_{name}_calls;\n")
    names = ", \\\n    ".join(f'"{function}"' for function in functions)
    print(f"#define XTF_{name.upper()}_NAMES \\\n    {names}\n")
    for function in functions:
        print(f"#define {function} (*xtf_{name}_calls.{function})")


def main():
    name, file, path = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    print_header(name, file, path.read_text().split(), path.name)


if __name__ == "__main__":
    main()
