#!/usr/bin/env python3
"""Runs tests of a build, and shows the processor time of each, longest first: user and system time of all its processes, with daemons and
other orphans, and the elapsed time. Processor time hardly depends on what else runs.

usage: time-tests.py BUILD [MESON-TEST-OPTION]...    such as: time-tests.py build --suite record
       time-tests.py --run LOG COMMAND...            runs one test, and appends a line to LOG: Meson's wrapper
"""

import ctypes
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
ORPHANS_S = 10  # that processes may outlive their test
DELAY_S = 0.02


def start(command):
    """Starts a test, which ends with this process. Returns its pid."""
    child = os.fork()
    if child == 0:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        os.execvp(command[0], command)
    return child


def wait_for_orphans():
    """Waits for all processes that the ended test has left, for some seconds."""
    until = time.monotonic() + ORPHANS_S
    while time.monotonic() < until:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(DELAY_S)
        except ChildProcessError:
            return


def run_timed(log, command):
    """Runs a test and returns its exit status. A signal that ends the test ends this process, too."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    begin = time.monotonic()
    child, ended = start(command), 0
    while ended != child:
        ended, status = os.wait()
    elapsed = time.monotonic() - begin
    wait_for_orphans()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(log, "a", encoding="utf-8") as file:
        file.write(json.dumps([used.ru_utime, used.ru_stime, elapsed, command]) + "\n")
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    return os.waitstatus_to_exitcode(status)


def names_of(build):
    """Returns the names of the build's tests by their commands."""
    printed = subprocess.run(["meson", "introspect", "--tests", build], check=True, capture_output=True).stdout
    return {tuple(test["cmd"]): test["name"] for test in json.loads(printed)}


def print_times(names, lines):
    rows = sorted(map(json.loads, lines), key=lambda row: -row[0] - row[1])
    print(f"{'user s':>8} {'system s':>8} {'elapsed s':>9}  test")
    for user, system, elapsed, command in rows:
        # The wrapper gets the program that gives the test its folder, and the test's command behind it.
        print(f"{user:8.2f} {system:8.2f} {elapsed:9.2f}  {names.get(tuple(command[1:]), ' '.join(command[1:]))}")
    sums = [sum(row[i] for row in rows) for i in range(2)]
    print(f"{sums[0]:8.2f} {sums[1]:8.2f} {'':9}  {len(rows)} tests")


def main():
    if sys.argv[1:2] == ["--run"]:
        return run_timed(sys.argv[2], sys.argv[3:])
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    build = pathlib.Path(sys.argv[1]).resolve()
    log = build / "meson-logs" / "times.json"
    log.write_text("")
    wrapper = f"{sys.executable} -IS {pathlib.Path(__file__).resolve()} --run {log} {build / 'tests' / 'run-test'}"
    done = subprocess.run(["meson", "test", "-C", build, "--setup", "bare", "--wrapper", wrapper, *sys.argv[2:]], check=False)
    print_times(names_of(build), log.read_text().splitlines())
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
