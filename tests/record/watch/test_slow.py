#!/usr/bin/env python3
"""Watches random programs that are slow but never hang (slow-steps.c), all at once. None may be said to hang, or to be wrong, at any look.
The test of simulated programs (tests/waiting) has a thousand of them.

usage: test_slow.py XTF SOURCE NAME MODULE COMPILER... [-- NAME ...]...
"""

import os
import pathlib
import sys
import tempfile
import time

from test_watch import XTF, Job, ask

import mpis

PROGRAMS, SECONDS = 6, 240
PROGRAM = pathlib.Path(sys.argv[2]) / "tests/record/watch/slow-steps.c"
HARMLESS = ("none", "waits", "possible")  # `possible`: the targets of MPI_Bcast are unknown


def look_at(job):
    """Returns 1 if a look showed that a process waits for two seconds or more."""
    watched = ask(["watch", "--once"], job.parts) if os.path.isdir(job.parts) else None
    assert not watched or watched["waits"]["verdict"] in HARMLESS, watched
    return int(bool(watched) and watched["waits"]["verdict"] != "none")


def watch_all(mpi, folder):
    jobs = {seed: Job(mpi, folder, str(seed)) for seed in range(1, PROGRAMS + 1)}
    waits = dict.fromkeys(jobs, 0)
    try:
        end = time.monotonic() + SECONDS
        while any(job.process.poll() is None for job in jobs.values()) and time.monotonic() < end:
            for seed, job in jobs.items():
                waits[seed] += look_at(job)
        for seed, job in jobs.items():
            assert job.process.poll() == 0, f"program {seed}: {job.process.poll()}: {pathlib.Path(job.errors).read_text(errors='replace')}"
    finally:
        for job in jobs.values():
            job.kill()
    for seed, job in jobs.items():
        mpis.run([XTF, "merge", "-o", job.run, job.parts])
        assert ask(["deadlock"], job.run)["verdict"] == "none", seed
    assert sum(map(bool, waits.values())) >= PROGRAMS / 2, f"few looks showed long waits: {waits}"


def main():
    mpi = next(iter(mpis.all_of(sys.argv[3:])))
    with tempfile.TemporaryDirectory(prefix="xtf-watch-") as folder:
        mpi.compile(str(PROGRAM), os.path.join(folder, f"hang-{mpi}"))
        watch_all(mpi, folder)
    print(f"{mpi}: {PROGRAMS} slow programs")


if __name__ == "__main__":
    main()
