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
from asking import Asker, Refused
from xtfrun import Xtf, check, run_test, takes_fewer, temporary_folder, without_name

XTF, ASK_TREE, SPLIT, *TRACES = sys.argv[1:]
COMMAND = Xtf(XTF)
N_VOLUMES = 5
# Lines of the file `info` that describe files and commits, not the trace.
OF_FILES = re.compile(rb"^(file|format|size|pages|volumes|commit|codec) .*\n", re.M)
BYTES_EACH = re.compile(rb" \([0-9.]+ bytes each, all included\)")
# Windows, which no directory lists, and numbers of records.
WINDOWS = ["/time/10%-30%", "/time/47%-48%", "/num/5-400", "/proc/1/time/20%-80%", "/time/33%-66%/enters_leaves"]


def ask(asker, question, trace):
    """Returns the answer without what depends on files."""
    answer = asker.ask(question)
    if question.endswith("/info"):
        answer = BYTES_EACH.sub(b"", OF_FILES.sub(b"", answer))
    return without_name(answer, trace) if question.endswith((".svg", ".html", "/findings")) else answer


def list_names(asker, path):
    """Returns the names in a directory; None: it is a file."""
    try:
        return asker.ask(f"ls {path}").decode("utf-8", "surrogateescape").splitlines()
    except Refused:
        return None


def compare_trees(one, many):
    """Compares all paths of two traces. Returns the numbers of directories and files."""
    a, b = (Asker(COMMAND, ASK_TREE, trace) for trace in (one, many))
    waiting, directories, files = ["/", *WINDOWS], 0, 0
    while waiting:
        path = waiting.pop()
        names = list_names(a, path)
        question = f"{'cat' if names is None else 'ls'} {path}"
        first, second = ask(a, question, one), ask(b, question, many)
        check(first == second, f"{many}: {question} differs from {one}")
        if names is None:
            files += 1
        else:
            directories += 1
            waiting += [f"{path.rstrip('/')}/{name}" for name in names]
    check(a.end() is None and b.end() is None, "a process that answered has ended with an error")
    return directories, files


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
    directories, files = compare_trees(one, many)
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
