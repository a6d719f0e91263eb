#!/usr/bin/env python3
"""Tests that scripts/check-commits.sh complains of each bad subject in this file, and of none of the good ones.

The subjects of the new commits are checked, too. Without git or the history the test is skipped.

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


def run_check(project, *arguments, subjects=""):
    """Returns the script's exit status and its lines."""
    done = subprocess.run([f"{project}/scripts/check-commits.sh", *arguments], input=subjects, capture_output=True, text=True, timeout=60)
    if done.stderr:
        sys.exit(f"FAILED: check-commits.sh: {done.stderr}")
    return done.returncode, done.stdout.splitlines()


def main():
    project = sys.argv[1]
    status, lines = run_check(project, "-", subjects="\n".join(GOOD) + "\n")
    if status == SKIPPED:
        print(*lines)
        return SKIPPED
    faults = [f"complaint of a good subject: {line}" for line in lines] + (["check-commits.sh fails for good subjects"] if status else [])
    for subject, fault in BAD.items():
        status, lines = run_check(project, "-", subjects=subject + "\n")
        if status == 0 or len(lines) != 1 or not lines[0].startswith(fault):
            faults.append(f"expected the complaint {fault!r} of {subject!r}, found {lines}")
    for fault in faults:
        print(f"FAILED: {fault}")
    status, lines = run_check(project)
    print(*lines, sep="\n")
    return 1 if faults else status


sys.exit(main())
