#!/usr/bin/env python3
"""Tests that each public header of libxtf compiles alone, as C and as C++, without a warning.

usage: headers.py PROJECT HEADER...
"""

import shlex
import shutil
import subprocess
import sys

COMPILERS = {
    "c": ("cc", ["-std=gnu11", "-Wstrict-prototypes"]),
    "c++": ("c++", ["-std=c++11"]),
}


def main():
    project, headers = sys.argv[1], sys.argv[2:]
    glib = subprocess.run(["pkg-config", "--cflags", "glib-2.0"], check=True, capture_output=True, text=True).stdout
    failures = 0
    for language, (compiler, options) in COMPILERS.items():
        if not shutil.which(compiler):
            print(f"{compiler} is not installed")
            return 77
        for header in headers:
            command = [compiler, "-x", language, *options, "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter",
                       "-fsyntax-only", "-I", project, *shlex.split(glib), "-"]
            result = subprocess.run(command, input=f"#include <libxtf/{header}>\n", capture_output=True, text=True)
            if result.returncode != 0:
                print(f"{header} as {language}:\n{result.stderr}")
                failures += 1
    print(f"{len(headers)} headers in {len(COMPILERS)} languages, {failures} failures")
    return 1 if failures or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
