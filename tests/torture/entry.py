#!/usr/bin/env python3
"""Who gets in: tries what SECURITY.md rules out.

usage: entry.py --build FOLDER [--long] [--seed N] [ROW...]

confinement   a table of attempts that a daemon makes for an attacker: system calls, paths, descriptors, network and signals.

daemon        the rights, descriptors and memory of the daemons of real mounts.

mount, cache, recorder, outputs
              attempts of another user on a mount, the cache folder, a recording, and outputs in a folder like /tmp.

browser       a browser shows the pages of a hostile trace.

terminal      commands print hostile names on a terminal.

Rows of another user need root, and are left out without it. Most attempts that must fail are also made where they succeed. The owner
makes them, or a process that is not confined, or a page without a policy.
"""
import os
import pathlib
import sys

import mounted
from torture import Torture, scratch_folder

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "entry"))
import daemons  # noqa: E402
import pages  # noqa: E402
import strangers  # noqa: E402
import terminal  # noqa: E402


MOUNTING = ("daemon", "mount")  # rows that mount traces


def run_row(torture, row, folder):
    if row == "confinement":
        daemons.run_table(torture, folder)
    elif row == "daemon":
        daemons.try_daemon(torture, folder)
    elif row == "browser":
        pages.try_pages(torture, folder)
    elif row == "terminal":
        terminal.try_terminal(torture, folder)
    else:
        strangers.ROWS[row](strangers.Place(torture, folder))


def main():
    torture = Torture(__doc__.split("\n", 1)[0], ["confinement", "daemon", *strangers.ROWS, "browser", "terminal"])
    can_mount = os.access("/dev/fuse", os.R_OK | os.W_OK)
    if can_mount:
        mounted.begin(torture)
    with scratch_folder("entry") as scratch:
        os.chmod(scratch, 0o755)
        for row in torture.rows:
            if row in strangers.ROWS and os.geteuid() != 0:
                print(f"{row}: left out, since only root becomes another user")
                continue
            if row in MOUNTING and not can_mount:
                print(f"{row}: left out, since this user may not open /dev/fuse")
                continue
            folder = pathlib.Path(scratch, row)
            folder.mkdir()
            run_row(torture, row, folder)
    torture.finish()


if __name__ == "__main__":
    main()
