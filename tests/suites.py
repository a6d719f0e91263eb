#!/usr/bin/env python3
"""Tests that each case of a C test program is run by exactly one Meson test. Criterion succeeds for a filter that matches no case.

usage: suites.py BUILD
"""

import fnmatch
import json
import pathlib
import re
import subprocess
import sys


def list_cases(program):
    """Returns the cases of a program, as SUITE/NAME."""
    text = subprocess.run([program, "--list"], check=True, capture_output=True, text=True, timeout=60).stdout
    suite, found = None, []
    for line in text.splitlines():
        head = re.fullmatch(r"(\w+): \d+ tests?", line)
        if head:
            suite = head[1]
        else:
            found.append(f"{suite}/{line.split()[-1]}")
    return found


def matches(pattern, case):
    """True if a filter SUITE/* or @(SUITE|SUITE)/* matches a case."""
    suites, _, cases = pattern.rpartition("/")
    names = suites[2:-1].split("|") if suites.startswith("@(") else [suites]
    return cases == "*" and any(fnmatch.fnmatchcase(case.split("/")[0], name) for name in names)


def main():
    build = pathlib.Path(sys.argv[1])
    tests = json.loads((build / "meson-info" / "intro-tests.json").read_text())
    filters = {}
    for test in tests:
        command = test["cmd"]
        if "--filter" in command:
            filters.setdefault(command[0], []).append((test["name"], command[command.index("--filter") + 1]))
    faults = [] if filters else ["no test has a filter"]
    for program, patterns in filters.items():
        all_cases = list_cases(program)
        for case in all_cases:
            runners = [name for name, pattern in patterns if matches(pattern, case)]
            if len(runners) != 1:
                faults.append(f"{program}: {case} is run by {runners or 'no test'}")
        faults += [f"{program}: {name} runs no case" for name, pattern in patterns if not any(matches(pattern, case) for case in all_cases)]
    for fault in faults:
        print(f"FAILED: {fault}")
    return bool(faults)


sys.exit(main())
