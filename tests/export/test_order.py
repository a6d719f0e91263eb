#!/usr/bin/env python3
"""Definitions of an OTF2 export follow the definitions that they name, and their numbers are in file order.

usage: test_order.py XTF WRITE-BACKWARDS
"""

import pathlib
import re
import subprocess
import sys

import otf2print
from xtfrun import Failure, Xtf, need_programs, run_test, temporary_folder

KINDS = {"SYSTEM_TREE_NODE": "node", "LOCATION_GROUP": "process", "COMM": "comm"}


def check_order():
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run([sys.argv[2], folder / "trace.xtf"], check=True)
        Xtf(sys.argv[1]).expect("export", "otf2", "-o", folder / "out", folder / "trace.xtf")
        archive = folder / "out" / "traces.otf2"
        printed = subprocess.run(["otf2-print", "-G", archive], capture_output=True, text=True, check=True)
        complaints = [line for line in (printed.stdout + printed.stderr).splitlines() if re.search("INVALID|warning|error", line)]
        if complaints:
            raise Failure("\n".join(complaints))
        definitions = otf2print.definitions(archive)
        for kind, name in KINDS.items():
            found = [(number, re.match(r'Name: "(.*?)"', text)[1]) for number, text in definitions[kind]]
            if found != [(0, f"{name} 2"), (1, f"{name} 1"), (2, f"{name} 0")]:
                raise Failure(f"{kind}: {found}")
        paths = [(number, *re.match(r'Parent: (\w+), Region: "(.*?)"', text).groups()) for number, text in definitions["CALLPATH"]]
        if paths != [(0, "UNDEFINED", "region 2"), (1, "0", "region 1"), (2, "1", "region 0")]:
            raise Failure(f"CALLPATH: {paths}")


if __name__ == "__main__":
    need_programs("otf2-print")
    run_test(check_order)
