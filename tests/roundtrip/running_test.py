#!/usr/bin/env python3
"""Commands that a child of run-xtf runs end, print and complain as in a process of their own, and see the same of their process.

usage: running_test.py XTF ARCHIVE
"""

import os
import pathlib
import resource
import sys

from xtfrun import TIMEOUT, Failure, Xtf, check, run_test, temporary_folder

COMMANDS = [["info", "trace.xtf"], ["cat", "trace.xtf", "records"], ["cat", "trace.xtf", "none"], ["cat", "", ""], ["ls"], ["none"], ["--version"],
            ["info", "--help"], ["check", "--none"], ["info", "/none"], ["import", "--force", "-o", "a/none.xtf", "trace.xtf"], ["help"]]


def both(xtf, command):
    """What a child and a process of its own give: status, output, errors."""
    given = xtf.runners.run(command, TIMEOUT)
    check(given is not None, f"run-xtf does not run {command}")
    started = xtf.start([xtf.program, *command], TIMEOUT)
    check(given == started, f"{command}: {given}, in its own process {started}")
    return given


def check_surroundings(xtf, archive):
    """Folder, environment, limits, and what is left to a process of its own."""
    os.mkdir("inner")
    os.chdir("inner")
    check(both(xtf, ["info", "trace.xtf"])[0] == 1, "the folder is another")
    check(both(xtf, ["info", "../trace.xtf"])[0] == 0, "the folder is another")
    for folder in ("one", "two"):
        os.environ["XDG_CACHE_HOME"] = os.path.abspath(folder)
        check(xtf.run("cat", archive, "totals").status == 0 and b": 1 import," in xtf.run("cache").output, f"{folder}: no import is kept there")
        check(os.path.isdir(folder), "the environment is another")
    xtf.limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    xtf.runners.limit, os.environ["LIMITED"] = xtf.limit, "yes"
    for command in (["copy", "../trace.xtf", "copy.xtf"], ["cat", "../trace.xtf", "count"]):
        both(xtf, command)
    check(xtf.run("copy", "../trace.xtf", "copy.xtf").status == 1, "a limit does not hold")
    for command in ([], ["record", "true"], ["cat", "trace.xtf", "x" * 200000]):
        check(xtf.runners.run(command, TIMEOUT) is None, f"run-xtf runs {command[:1]}")


def main():
    xtf, archive = Xtf(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
    xtf.program = os.path.abspath(xtf.program)
    with temporary_folder() as folder:
        os.chdir(folder)
        xtf.import_archive(archive, "trace.xtf")
        statuses = {both(xtf, command)[0] for command in COMMANDS}
        check(statuses == {0, 1, 2}, f"statuses {statuses}")
        try:
            xtf.run("cat", "trace.xtf", "records", timeout=1e-6)
            check(False, "a timeout is none")
        except Failure as failure:
            check("no end after" in str(failure), str(failure))
        both(xtf, COMMANDS[0])
        xtf.runners.here.runner.process.kill()
        xtf.runners.here.runner.process.wait()
        both(xtf, COMMANDS[0])
        check_surroundings(xtf, archive)
        os.chdir("/")
    return 0


run_test(main)
