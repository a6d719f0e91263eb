"""Runs the xtf command in tests, and has the parts that tests share: arguments, skipping, temporary folders, real traces."""

import argparse
import functools
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

from running import Ended, Runners, TimedOut

SKIP = 77
TIMEOUT = 180  # seconds; a busy machine takes several times as long
# Bytes of memory, more than any command may use for a small trace.
MEMORY = 1 << 30
LARGE = 50 << 10  # bytes of an archive's events
PROJECT = pathlib.Path(__file__).resolve().parents[2]


class Failure(Exception):
    """A test's condition that does not hold."""


def check(condition, complaint):
    if not condition:
        raise Failure(complaint)


def run_test(main):
    """Runs the main() of a test, which returns its status, and exits. Prints a Failure without a traceback."""
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def need_programs(*programs):
    """Skips the test unless all programs are installed."""
    for program in programs:
        if not shutil.which(program):
            skip(f"no {program} here")


def need_mounts():
    if not os.path.exists("/dev/fuse"):
        skip("no /dev/fuse here")
    need_programs("fusermount3")


def shared_traces():
    """Returns the folder of shared real traces of other recorders, or None."""
    folder = pathlib.Path(os.environ.get("XTF_SHARED_TRACES") or PROJECT.parent / "shared" / "traces")
    return folder if folder.is_dir() else None


def archive_parser():
    """Returns the parser of a comparison of archives with their traces. A test adds its own arguments."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mount", action="store_true")
    parser.add_argument("--import-option", action="append", default=[])
    parser.add_argument("--shared", action="store_true")
    parser.add_argument("xtf")
    parser.add_argument("archive", nargs="*", type=pathlib.Path)
    return parser


def parse_archives(parser):
    """Returns the parsed options after a check for the programs that they need. Replaces --shared by the archives."""
    options = parser.parse_args()
    need_programs("otf2-print")
    if options.mount:
        need_mounts()
    if options.shared:
        folder = shared_traces() or skip("no shared traces; XTF_SHARED_TRACES may name their folder")
        options.archive += sorted(folder.glob("*/*.otf2"))
    return options


def all_good(jobs):
    """True if no call of a list fails. Prints each failure and continues."""
    all_passed = True
    for job in jobs:
        try:
            job()
        except Failure as failure:
            print(failure)
            all_passed = False
    return all_passed


def compare_archives(options, compare):
    """True if compare(xtf, archive, options) finds no problem in any archive. Prints each failure and continues."""
    xtf = Xtf(options.xtf)
    all_passed = True
    for archive in options.archive:
        try:
            all_passed &= compare(xtf, archive, options)
        except Failure as failure:
            print(f"{archive}: {failure}")
            all_passed = False
    return all_passed


def without_name(printed, trace):
    """Returns the output of `xtf cat` in bytes without the trace's name, which pictures and pages have in their titles. Also removes the
    blanks before their last tag that fill them up."""
    path = pathlib.Path(trace)
    name = (path.name if path.is_dir() else path.stem).encode()
    printed = printed.replace(b">" + name + b": ", b">trace: ").replace(b"<h1>" + name + b"</h1>", b"<h1>trace</h1>")
    # Blanks may be most of the output, so the code searches from the tags backwards.
    pieces = re.split(rb"(</(?:svg|body|html)>)", printed)
    for i in range(0, len(pieces) - 1, 2):
        bare = pieces[i].rstrip(b" \n")
        pieces[i] = bare if len(bare) == len(pieces[i]) else bare + b"\n"
    return b"".join(pieces)


def temporary_folder():
    return tempfile.TemporaryDirectory(prefix="xtf-test-")


class Result:
    def __init__(self, command, status, output, errors):
        self.command = command
        self.status = status
        self.output = output
        self.errors = errors

    def __str__(self):
        return f"{' '.join(map(str, self.command))}: status {self.status}\n{self.errors.decode(errors='replace')[-2000:]}"


@functools.cache
def is_sanitized(program):
    """True if the program was built with a sanitizer, which maps terabytes."""
    return re.search(b"__[at]san_init", pathlib.Path(program).read_bytes()) is not None


def tests_all():
    """True if a test runs in its full size: XTF_TEST_ALL is in the environment, as scripts/test.sh --long sets it."""
    return bool(os.environ.get("XTF_TEST_ALL"))


def some_of(cases, number):
    """Returns `number` cases at equal distances in a list, beginning with the first one; in full size all cases."""
    cases = list(cases)
    return cases if tests_all() or number >= len(cases) else [cases[i * len(cases) // number] for i in range(number)]


def takes_fewer(program):
    """True if a test repeats less: with sanitizers, which are several times as slow, unless it runs in its full size."""
    return is_sanitized(program) and not tests_all()


def n_rounds(number):
    """Returns the number of random rounds of a test: an eighth, as TEST_ROUNDS of rounds.h; in full size all."""
    return number if tests_all() else (number + 7) // 8


def fewer_archives(archives):
    """Returns the archives that a test compares with a judge, which takes most of the time: the small ones, in full
    size all. Other tests import the large ones and compare them line by line (compare.py), or analyse them (test_analyze.py)."""
    if tests_all():
        return list(archives)
    return [archive for archive in archives if sum(path.stat().st_size for path in archive.parent.rglob("*.evt")) < LARGE]


class Xtf:
    """The command under test. A signal, a sanitizer's finding or a timeout is always a failure."""

    def __init__(self, program):
        self.program = program
        self.memory = None if is_sanitized(program) else MEMORY
        self.runners = Runners(program, self.limit)

    def limit(self):
        if self.memory:
            resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def start(self, command, timeout):
        """Returns status, output and errors of a command in its own process."""
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, preexec_fn=self.limit, check=False)
        return done.returncode, done.stdout, done.stderr

    def run(self, *arguments, timeout=TIMEOUT):
        command = [self.program, *map(str, arguments)]
        try:
            result = Result(command, *(self.runners.run(command[1:], timeout) or self.start(command, timeout)))
        except (TimedOut, subprocess.TimeoutExpired) as error:
            raise Failure(f"{' '.join(command)}: no end after {timeout} s") from error
        except Ended as error:
            raise Failure(f"{' '.join(command)}: {error}") from error
        known = (0, 1, 2, 3) if command[1:2] == ["deadlock"] else (0, 1, 2)
        if result.status not in known or b"Sanitizer" in result.errors or b"runtime error:" in result.errors:
            raise Failure(f"crashed: {result}")
        return result

    def expect(self, *arguments, timeout=TIMEOUT):
        """Returns the output of a command, which must succeed."""
        result = self.run(*arguments, timeout=timeout)
        if result.status != 0:
            raise Failure(str(result))
        return result.output

    def completed(self, *arguments, text=True, errors="strict", check=False, timeout=TIMEOUT):
        """Returns the result in the form of subprocess.run(), with the output and the errors."""
        result = self.run(*arguments, timeout=timeout)
        streams = [stream.decode(errors=errors) if text else stream for stream in (result.output, result.errors)]
        done = subprocess.CompletedProcess(result.command, result.status, *streams)
        if check:
            done.check_returncode()
        return done

    def import_archive(self, archive, output, *options, timeout=TIMEOUT):
        return self.expect("import", "--quiet", "--force", *options, "-o", output, archive, timeout=timeout)
