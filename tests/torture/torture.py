"""Shared parts of the torture harnesses: seeds, budgets, and the line `N cases, W wrong` at the end of each.

A harness is a program `HARNESS.py --build FOLDER [--long | --cases N] [--seed N] [ROW...]`. It has a table of rows, such as the writers to kill.
Each case prints nothing unless it is wrong. Then it prints what to run to see it again: the row and the seed of the case.
"""
import argparse
import os
import pathlib
import random
import signal
import sys
import tempfile
import time


class Torture:
    """Counts cases and faults. The seed of a case follows from the seed of the run, the row and the number of the case."""

    last = None  # the harness of this program

    def __init__(self, description, rows):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--build", type=pathlib.Path, required=True, help="folder of the build")
        parser.add_argument("--long", action="store_true", help="run many more cases")
        parser.add_argument("--cases", type=int, help="run at most some N cases of each row")
        parser.add_argument("--seed", type=int, default=1, help="seed of the run (default: 1)")
        parser.add_argument("--case", type=int, help="run only the case of this number")
        parser.add_argument("rows", nargs="*", metavar="ROW", help=f"rows to run (default: all): {', '.join(rows)}")
        self.options = parser.parse_args()
        unknown = set(self.options.rows) - set(rows)
        if unknown:
            parser.error(f"there is no row {', '.join(sorted(unknown))}; the rows are {', '.join(rows)}")
        self.build, self.long = self.options.build.resolve(), self.options.long
        self.rows = [row for row in rows if not self.options.rows or row in self.options.rows]
        self.cases = self.wrong = 0
        self.process = os.getpid()
        Torture.last = self
        self.began = time.monotonic()

    def program(self, path):
        """Returns the path of a program of the build."""
        program = self.build / path
        if not program.exists():
            sys.exit(f"{program} is missing: run ninja -C {self.build}")
        return program

    def numbers(self, quick, long):
        """Returns the numbers of the cases of a row: `quick`, `long` or `--cases` many, or the one that the command line names."""
        if self.options.case is not None:
            return [self.options.case]
        return range(min(self.options.cases, long) if self.options.cases else long if self.long else quick)

    def random(self, row, number):
        """Returns the random numbers of a case."""
        return random.Random(f"{self.options.seed} {row} {number}")

    def check(self, condition, row, number, *words):
        """Counts a fault unless the condition holds. Returns the condition."""
        if not condition:
            self.wrong += 1
            print(f"WRONG: {row}, case {number} (--seed {self.options.seed} --case {number} {row}):", *words, flush=True)
        return condition

    def count(self, n=1):
        self.cases += n

    def finish(self):
        """Prints the counts. Exits with 1 if anything was wrong, or if there was no case."""
        print(f"{self.cases} cases, {self.wrong} wrong ({time.monotonic() - self.began:.0f} s)")
        sys.exit(0 if self.cases > 0 and self.wrong == 0 else 1)


SIGNALS = (signal.SIGINT, signal.SIGTERM)


def end(*_):
    """Ends the harness at its first signal, and prints the counts. Later signals must not interrupt what then unmounts and removes files."""
    for number in SIGNALS:
        signal.signal(number, lambda *_: None)
    if Torture.last and Torture.last.process == os.getpid():
        print(f"stopped: {Torture.last.cases} cases, {Torture.last.wrong} wrong", flush=True)
    sys.exit(1)


def scratch_folder(name):
    """Returns a temporary folder that is removed at the end of its `with` block, also after a signal. Programs that the harness starts heed
    SIGINT, even if a shell has let its background jobs ignore it."""
    for number in SIGNALS:
        signal.signal(number, end)
    return tempfile.TemporaryDirectory(prefix=f"xtf-torture-{name}-", dir=os.environ.get("TMPDIR"))
