#!/usr/bin/env python3
"""Compares commands that a child of run-xtf runs with commands in their own process: status, output, errors, and the environment that they see.

usage: running_test.py XTF ARCHIVE
"""

import os
import pathlib
import resource
import sys

from xtfrun import TIMEOUT, Failure, Xtf, check, run_test, temporary_folder

COMMANDS = [["info", "trace.xtf"], ["cat", "trace.xtf", "records"], ["cat", "trace.xtf", "none"], ["cat", "", ""], ["ls"], ["none"], ["--version"],
            ["info", "--help"], ["check", "--none"], ["info", "/none"], ["import", "--force", "-o", "a/none.xtf", "trace.xtf"], ["help"]]


def run_both(xtf, command):
    """Runs a command in a child and in its own process, compares them, and returns status, output and errors."""
    forked = xtf.runners.run(command, TIMEOUT)
    check(forked is not None, f"run-xtf does not run {command}")
    started = xtf.start([xtf.program, *command], TIMEOUT)
    check(forked == started, f"{command}: {forked}, in its own process {started}")
    return forked


def check_surroundings(xtf, archive):
    """Checks folder, environment and limits, and that run-xtf refuses commands that need their own process."""
    os.mkdir("inner")
    os.chdir("inner")
    check(run_both(xtf, ["info", "trace.xtf"])[0] == 1, "the command runs in another folder")
    check(run_both(xtf, ["info", "../trace.xtf"])[0] == 0, "the command runs in another folder")
    for folder in ("one", "two"):
        os.environ["XDG_CACHE_HOME"] = os.path.abspath(folder)
        check(xtf.run("cat", archive, "totals").status == 0 and b": 1 import," in xtf.run("cache").output, f"{folder}: no import is kept there")
        check(os.path.isdir(folder), "the command has another environment")
    xtf.limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    xtf.runners.limit, os.environ["LIMITED"] = xtf.limit, "yes"
    for command in (["copy", "../trace.xtf", "copy.xtf"], ["cat", "../trace.xtf", "count"]):
        run_both(xtf, command)
    check(xtf.run("copy", "../trace.xtf", "copy.xtf").status == 1, "a limit has no effect")
    for command in ([], ["record", "true"], ["cat", "trace.xtf", "x" * 200000]):
        check(xtf.runners.run(command, TIMEOUT) is None, f"run-xtf runs {command[:1]}")


def main():
    xtf, archive = Xtf(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
    xtf.program = os.path.abspath(xtf.program)
    with temporary_folder() as folder:
        os.chdir(folder)
        xtf.import_archive(archive, "trace.xtf")
        statuses = {run_both(xtf, command)[0] for command in COMMANDS}
        check(statuses == {0, 1, 2}, f"statuses {statuses}")
        try:
            xtf.run("cat", "trace.xtf", "records", timeout=1e-6)
            check(False, "a command outlives its timeout")
        except Failure as failure:
            check("no end after" in str(failure), str(failure))
        run_both(xtf, COMMANDS[0])
        xtf.runners.local.runner.process.kill()
        xtf.runners.local.runner.process.wait()
        run_both(xtf, COMMANDS[0])
        check_surroundings(xtf, archive)
        os.chdir("/")
    return 0


run_test(main)
