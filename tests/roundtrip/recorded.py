#!/usr/bin/env python3
"""Records hpcc, a real MPI benchmark, under eztrace, and compares all records and some views with otf2-print.

usage: recorded.py XTF
"""

import argparse
import os
import pathlib
import subprocess
import sys

import compare
import views
from xtfrun import Failure, Xtf, need_programs, skip, temporary_folder

INPUT = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
# Lines of the input, from 0: size of the matrix, and the grid of processes. Some 300 000 events in a second.
SETTINGS = {5: "100", 10: "2", 11: "2"}


def write_input(folder):
    lines = INPUT.read_text(encoding="latin-1").splitlines()
    for number, value in SETTINGS.items():
        lines[number] = value + " " + lines[number].split(None, 1)[1]
    (folder / "hpccinf.txt").write_text("\n".join(lines) + "\n", encoding="latin-1")


def record_hpcc(folder):
    """Returns the anchor file of a new archive."""
    write_input(folder)
    command = ["mpirun", "--oversubscribe", "-n", "4", "eztrace", "-t", "openmpi", "-o", "out", "hpcc"]
    if os.geteuid() == 0:
        command.insert(1, "--allow-run-as-root")
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
    anchors = sorted(folder.glob("out/*/*.otf2"))
    if done.returncode != 0 or not anchors:
        skip(f"hpcc under eztrace does not run here: {done.stderr.decode(errors='replace')[-500:]}")
    return anchors[0]


def main():
    need_programs("eztrace", "hpcc", "mpirun", "otf2-print")
    if not INPUT.is_file():
        skip(f"no {INPUT} here")
    with temporary_folder() as temporary:
        archive = record_hpcc(pathlib.Path(temporary))
        options = argparse.Namespace(mount=False, windows=20, import_option=[], seed=1)
        xtf = Xtf(sys.argv[1])
        try:
            good = compare.compare_archive(xtf, archive, options)
            options.windows = int(os.environ.get("XTF_VIEW_WINDOWS", 2))
            good &= views.compare_archive(xtf, archive, options)
        except Failure as failure:
            print(failure)
            good = False
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
