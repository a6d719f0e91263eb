#!/usr/bin/env python3
"""Runs the programs of examples/ on a trace by write-trace and on the example archive. Compares their output with xtf's and with the values
that write-trace writes.

usage: examples.py XTF ARCHIVE WRITE-TRACE COUNT-WINDOW PRINT-ARRAY MERGE-RECORDS PROFILE CHECK
"""

import pathlib
import subprocess
import sys

from xtfrun import Failure, Xtf, temporary_folder

RECORDS = 25000


def run_program(*command):
    words = [str(word) for word in command]
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout


def expect_equal(label, found, expected):
    if found != expected:
        raise Failure(f"{label}: {found!r}, expected {expected!r}")


def naive_count(start, end):
    """Returns the number of records in a window: one each 1000 ticks, from 0 on."""
    return sum(start <= 1000 * i < end for i in range(RECORDS))


def lines_of(xtf, trace, path):
    """Returns the words of each line of a file of the tree, without its header."""
    return [line.split() for line in xtf.expect("cat", trace, path).decode().splitlines() if not line.startswith("#")]


def test_temperatures(xtf, trace, write_trace, count_window, print_array):
    run_program(write_trace, trace, RECORDS)
    for start, end in ((0, 10**9), (0, 1), (1, 1000), (1000, 1001), (123456, 7654321), (5, 5), (10**8, 10**9)):
        n = naive_count(start, end)
        expect_equal("count-window", run_program(count_window, trace, "temperatures", start, end),
               f"location 0: {n}\nlocation 1: {n}\nall: {2 * n}\n")
    lines = run_program(print_array, trace, 1, "temperatures", 24990000).splitlines()
    expect_equal("print-array", lines,
           [f"{1000 * i} {i} {i % 3} {20 + i % 100 / 10:.17g}" for i in range(24990, RECORDS)])
    xtf.expect("check", trace)
    expect_equal("xtf cat", xtf.expect("cat", trace, "/temperatures/count").split(), [b"%d" % (2 * RECORDS)])
    expect_equal("xtf cat", len(xtf.expect("cat", trace, "/proc/1/records").splitlines()), RECORDS)


def test_check(xtf, trace, check):
    expect_equal("check", run_program(check, trace).split(", ")[:2], xtf.expect("check", trace).decode().split(", ")[:2])
    broken = trace.with_suffix(".broken")
    data = bytearray(trace.read_bytes())
    for at in range(len(data) // 4, len(data) // 2, 512):
        data[at] ^= 1
    broken.write_bytes(data)
    found = subprocess.run([check, broken], capture_output=True, text=True, timeout=60)
    expect_equal("check of a broken trace", found.returncode, 1)
    expect_equal("problems", found.stdout.splitlines()[:-1],
           [f"{broken}: {line}" for line in xtf.run("check", "-q", broken).output.decode().splitlines()])


def ticks(seconds):
    """Converts seconds to ticks. The example's clock ticks in nanoseconds, and xtf shows all their digits."""
    return int(seconds.replace(".", ""))


def test_merge(xtf, trace, origin, locations, merge_records):
    shown = [(origin + ticks(words[0]), locations[words[1]]) for words in lines_of(xtf, trace, "/records")]
    merged = [line.split() for line in run_program(merge_records, trace, 0, 2**64 - 1).splitlines()]
    expect_equal("merge-records", [(int(time), location) for time, location, _ in merged], shown)
    for name in {name for _, _, name in merged}:
        expect_equal(f"merge-records, {name}", [int(time) for time, _, of in merged if of == name],
               [origin + ticks(words[0]) for words in lines_of(xtf, trace, f"/{name}/records")])
    start, end = shown[len(shown) // 3][0], shown[len(shown) // 2][0]
    expect_equal("merge-records in a window", [line.split() for line in run_program(merge_records, trace, start, end).splitlines()],
           [line for line in merged if start <= int(line[0]) < end])


def test_profile(xtf, trace, origin, locations, profile):
    for proc, location in locations.items():
        for start, end in ((0, 10**9), (10**8, 2 * 10**8), (123456789, 123456999)):
            shown = lines_of(xtf, trace, f"/proc/{proc}/time/{start / 1e9:.9f}s-{end / 1e9:.9f}s/profile")
            printed = run_program(profile, trace, location, origin + start, origin + end).splitlines()
            expect_equal("profile", sorted(line for line in printed if not line.endswith(" 0 0")),
                   sorted(f"{' '.join(words[6:])} {ticks(words[2])} {ticks(words[3])}" for words in shown
                          if ticks(words[2]) or ticks(words[3])))


def test_programs(xtf, archive, write_trace, count_window, print_array, merge_records, profile, check):
    with temporary_folder() as temporary:
        temperatures, trace = (pathlib.Path(temporary) / name for name in ("temperatures.xtf", "trace.xtf"))
        test_temperatures(xtf, temperatures, write_trace, count_window, print_array)
        test_check(xtf, temperatures, check)
        xtf.import_archive(archive, trace)
        # Processes of one thread each, in the order of `locations`: row, id, proc.
        locations = {words[2]: words[1] for words in lines_of(xtf, trace, "/definitions/locations")}
        first = run_program(merge_records, trace, 0, 2**64 - 1).split()[0]
        origin = int(first) - ticks(lines_of(xtf, trace, "/records")[0][0])
        test_merge(xtf, trace, origin, locations, merge_records)
        test_profile(xtf, trace, origin, locations, profile)


def main():
    try:
        test_programs(Xtf(sys.argv[1]), *sys.argv[2:])
    except Failure as failure:
        print(failure)
        sys.exit(1)


if __name__ == "__main__":
    main()
