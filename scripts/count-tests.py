#!/usr/bin/env python3
"""Adds up what `meson test` wrote in build folders, names what failed, and ends with `N passed, N failed`.

usage: count-tests.py BUILD...
"""

import pathlib
import sys
import xml.etree.ElementTree as ET


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "skipped" if case.find("skipped") is not None else "passed"


def main():
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for build in sys.argv[1:]:
        log = pathlib.Path(build) / "meson-logs" / "testlog.junit.xml"
        if not log.is_file():
            print(f"failed: {build}: no test was run")
            counts["failed"] += 1
            continue
        for case in ET.parse(log).iter("testcase"):
            result = outcome(case)
            counts[result] += 1
            if result != "passed":
                print(f"{result}: {build}: {case.get('classname')} {case.get('name')}")
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    print(f"{counts['passed']} passed, {counts['failed']} failed{skipped}")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
