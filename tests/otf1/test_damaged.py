#!/usr/bin/env python3
"""Imports archives of OTF1 whose files are damaged at random. An import makes a whole trace, or makes no file and prints an error. It never
crashes or hangs, even if OTF's library does.

usage: test_damaged.py XTF OTF1-ARCHIVES [ROUNDS [SEED]]
"""

import pathlib
import random
import shutil
import subprocess
import sys

from damaged import damage_archive
from xtfrun import Failure, Xtf, n_rounds, run_test, temporary_folder

NAMES = "short", "long", "compressed"


def import_damaged(xtf, archive, trace, options):
    """Returns the status of an import."""
    done = xtf.run("import", "--quiet", "--format", "otf1", "-o", trace, *options, archive)
    if trace.exists() != (done.status == 0) or (done.status != 0 and not done.errors.strip()):
        raise Failure(f"a file after a failure, none after a success, or no message: {done}")
    if done.status == 0:
        xtf.expect("check", trace)
        trace.unlink()
    return done.status


def main():
    xtf = Xtf(sys.argv[1])
    rounds, seed = (int(sys.argv[i]) if len(sys.argv) > i else n for i, n in ((3, 100), (4, 1)))
    rng, statuses = random.Random(seed), []
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "whole").mkdir()
        subprocess.run([sys.argv[2], folder / "whole"], check=True)
        for number in range(n_rounds(rounds)):
            name, damaged = rng.choice(NAMES), folder / "damaged"
            damaged.mkdir()
            for path in (folder / "whole").glob(f"{name}.*"):
                shutil.copy(path, damaged)
            damages = ", ".join(damage_archive(damaged, rng) for _ in range(rng.choice([1, 1, 2])))
            if not (damaged / f"{name}.otf").exists():
                shutil.copy(folder / "whole" / f"{name}.otf", damaged)
            for options in ([], ["--keep-going"]):
                try:
                    statuses.append(import_damaged(xtf, damaged / f"{name}.otf", folder / "trace.xtf", options))
                except Failure as failure:
                    raise Failure(f"round {number} of seed {seed}, {damages}, {options}: {failure}") from failure
            shutil.rmtree(damaged)
    print(f"{len(statuses)} imports of damaged archives: {statuses.count(0)} made a trace")
    return 0 if 0 < statuses.count(0) < len(statuses) else "all imports ended alike"


if __name__ == "__main__":
    run_test(main)
