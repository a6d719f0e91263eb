#!/usr/bin/env python3
"""Measures `xtf cat` of tables that need the whole trace, each as a new process.

usage: first.py [--build DIR] [--times N] TRACE.xtf
"""

import pathlib

import common


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("trace", type=pathlib.Path)
    arguments = parser.parse_args()
    common.start(arguments)
    common.make_warm(arguments.trace)
    for table, target in ("histogram", "20 ms"), ("profile", ""):
        run, best = common.median_run(arguments.times, [arguments.xtf, "cat", arguments.trace, f"/{table}"])
        common.row(f"first `{table}` of the whole trace, `xtf cat` as a whole process",
                   f"{common.duration(run.seconds)}, {common.duration(run.cpu)} of processor (at best {common.duration(best.seconds)})",
                   target)


if __name__ == "__main__":
    main()
