#!/usr/bin/env python3
"""scripts/check-commits.sh finds fault with subjects that are planted here, with none of the good ones, and with none of the new commits.
Without git or the history the test is skipped.

usage: commits.py PROJECT
"""

import subprocess
import sys

SKIPPED = 77

GOOD = ["docs: wrap two paragraphs", "README: show the tour first", "causes: compute shares once", "analysis/causes, tests: rename a file",
        "build: find libpng without pkg-config", "record: do not count lost records", "docs: " + "wrap " * 13 + "a"]  # yapf: disable
BAD = {
    "docs: " + "wrap " * 13 + "ab": "longer than 72", "wrap two paragraphs": "not `area", "docs: Wrap two paragraphs": "not `area", "docs: wrap": "not `area",
    "docs:wrap two paragraphs": "not `area", "no-such-room: wrap two paragraphs": "no area: no-such-room", "docs, nowhere: wrap it": "no area: nowhere",
    "docs: the paragraphs are wrapped": "no verb of scripts/verbs.txt: the", "docs: what comes first": "no verb of scripts/verbs.txt: what",
}  # yapf: disable


def check(project, *arguments, subjects=""):
    """Returns the script's exit status and its lines."""
    done = subprocess.run([f"{project}/scripts/check-commits.sh", *arguments], input=subjects, capture_output=True, text=True, timeout=60)
    if done.stderr:
        sys.exit(f"FAILED: check-commits.sh: {done.stderr}")
    return done.returncode, done.stdout.splitlines()


def main():
    project = sys.argv[1]
    status, lines = check(project, "-", subjects="\n".join(GOOD) + "\n")
    if status == SKIPPED:
        print(*lines)
        return SKIPPED
    faults = [f"a good subject: {line}" for line in lines] + (["it fails for good subjects"] if status else [])
    for subject, fault in BAD.items():
        status, lines = check(project, "-", subjects=subject + "\n")
        if status == 0 or len(lines) != 1 or not lines[0].startswith(fault):
            faults.append(f"{fault!r} is not what it says of {subject!r}: {lines}")
    for fault in faults:
        print(f"FAILED: {fault}")
    status, lines = check(project)
    print(*lines, sep="\n")
    return 1 if faults else status


sys.exit(main())
