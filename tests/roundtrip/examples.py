#!/usr/bin/env python3
"""The programs of examples/: a trace that write-trace writes is read by the others, and by xtf.

usage: examples.py XTF WRITE-TRACE COUNT-WINDOW PRINT-ARRAY
"""

import pathlib
import subprocess
import sys

from xtfrun import Failure, Xtf, temporary_folder

RECORDS = 25000


def run(*command):
    words = [str(word) for word in command]
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout


def expect(what, found, expected):
    if found != expected:
        raise Failure(f"{what}: {found!r}, expected {expected!r}")


def naive_count(start, end):
    """One record each 1000 ticks, from 0 on."""
    return sum(start <= 1000 * i < end for i in range(RECORDS))


def test(xtf, write_trace, count_window, print_array):
    with temporary_folder() as temporary:
        trace = pathlib.Path(temporary) / "temperatures.xtf"
        run(write_trace, trace, RECORDS)
        for start, end in ((0, 10**9), (0, 1), (1, 1000), (1000, 1001), (123456, 7654321), (5, 5), (10**8, 10**9)):
            n = naive_count(start, end)
            expect("count-window", run(count_window, trace, "temperatures", start, end),
                   f"location 0: {n}\nlocation 1: {n}\nall: {2 * n}\n")
        lines = run(print_array, trace, 1, "temperatures", 24990000).splitlines()
        expect("print-array", lines,
               [f"{1000 * i} {i} {i % 3} {20 + i % 100 / 10:.17g}" for i in range(24990, RECORDS)])
        xtf.expect("check", trace)
        expect("xtf cat", xtf.expect("cat", trace, "/temperatures/count").split(), [b"%d" % (2 * RECORDS)])
        expect("xtf cat", len(xtf.expect("cat", trace, "/proc/1/records").splitlines()), RECORDS)


def main():
    try:
        test(Xtf(sys.argv[1]), *sys.argv[2:5])
    except Failure as failure:
        print(failure)
        sys.exit(1)


if __name__ == "__main__":
    main()
