#!/usr/bin/env python3
"""Prints the targets that some tests of a build need, one a line, for ninja. The target meson-test-prereq makes those of all tests.

usage: targets-of-tests.py BUILD [--suite SUITE]... [--no-suite SUITE]...
"""

import argparse
import json
import os
import pathlib
import sys


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].strip())
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--suite", action="append", default=[])
    parser.add_argument("--no-suite", action="append", default=[])
    options = parser.parse_args()
    build = options.build.resolve()
    tests, targets = (json.loads((build / "meson-info" / f"intro-{what}.json").read_text()) for what in ("tests", "targets"))
    # The suites of a project have its name before them: "xtf:unit".
    suites = [{suite.split(":")[-1] for suite in test["suite"]} for test in tests]
    tests = [test for test, own in zip(tests, suites) if not own & set(options.no_suite) and (not options.suite or own & set(options.suite))]
    needed = {target for test in tests for target in test["depends"]}
    # Meson knows the programs on a test's command line; others are in its environment alone.
    named = {path for test in tests for value in test["env"].values() for path in value.split(":")}
    if not tests:
        print(f"{sys.argv[0]}: no test of {build} is in other suites", file=sys.stderr)
        return 1
    for target in targets:
        if target["id"] in needed or named & set(target["filename"]):
            print(*(os.path.relpath(file, build) for file in target["filename"]), sep="\n")
    return 0


sys.exit(main())
