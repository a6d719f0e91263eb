#!/usr/bin/env python3
"""Tests that a trace in several volumes equals the same trace in one file. Every directory lists the same names. Every file of the
tree has the same bytes. The tree is that of `xtf ls`, from the top down to its last directory. Both traces are analysed,
so that the tree has waits, causes and the critical path, too.

usage: test_rotated.py XTF ASK_TREE SPLIT_TRACE TRACE...      a TRACE that is no .xtf file is imported first
"""
import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "roundtrip"))
# pylint: disable=wrong-import-position
from trees import compare_trees
from xtfrun import Xtf, check, run_test, takes_fewer, temporary_folder

XTF, ASK_TREE, SPLIT, *TRACES = sys.argv[1:]
COMMAND = Xtf(XTF)
N_VOLUMES = 5


def check_refused_companion(folder, trace):
    """Checks that an analysis beside volumes is refused, and that the suggested file of all volumes can be analysed."""
    refused = COMMAND.run("analyze", "-q", "-o", folder / "beside", trace)
    check(refused.status == 1 and b"is in several volumes" in refused.errors and not (folder / "beside").exists(), refused)
    COMMAND.expect("merge", "-qf", "-o", folder / "ONE.xtf", trace)
    COMMAND.expect("analyze", "-q", folder / "ONE.xtf")
    check(COMMAND.expect("cat", folder / "ONE.xtf", "waits/profile") == COMMAND.expect("cat", trace, "waits/profile"),
          "the volumes in one file have other waits")


def compare_rotated(folder, trace, codec, analysed):
    """Writes the rows of a trace into one file and into volumes, and compares both."""
    rows = int(re.search(rb"^\d+ arrays, (\d+) rows", COMMAND.expect("check", trace), re.M)[1])
    paths = []
    for name, volume_rows in ("one", 0), ("many", rows // N_VOLUMES):
        place = folder / f"{name}-{codec}-{analysed}"
        place.mkdir()
        subprocess.run([SPLIT, trace, place / "part", "1", "1", codec, str(volume_rows)], check=True)
        paths.append(place / "part-0.xtf")
        if analysed:
            COMMAND.expect("analyze", "-q", paths[-1])
        check(b": 0 problems" in COMMAND.expect("check", paths[-1]), f"{paths[-1]} has problems")
    one, many = paths
    check(len(list(one.parent.iterdir())) == 1, "the trace without volumes is in several files")
    check(len(list(many.parent.iterdir())) > N_VOLUMES, f"only {len(list(many.parent.iterdir()))} files of volumes")
    check(re.search(rb"^volumes +\d+$", COMMAND.expect("info", many), re.M), "no volumes")
    directories, files = compare_trees(COMMAND, ASK_TREE, one, many)
    if analysed:
        check_refused_companion(folder, many)
    check(files > 500, f"only {files} files were compared")
    print(f"{pathlib.Path(trace).name}, {codec}{', analysed' * analysed}: {directories} directories and {files} files are the same")


def main():
    for trace in TRACES:
        with temporary_folder() as folder:
            folder = pathlib.Path(folder)
            if not trace.endswith(".xtf"):
                COMMAND.expect("import", "-qf", "-o", folder / "trace.xtf", trace)
                trace = folder / "trace.xtf"
            compare_rotated(folder, trace, "compact", True)
            if not takes_fewer(XTF):
                compare_rotated(folder, trace, "plain", False)


run_test(main)
