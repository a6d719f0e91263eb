#!/usr/bin/env python3
"""Tests scripts/install-deps.sh with missing packages: with and without a network, root and sudo.

apt-get, dpkg-query and id are fakes; no package is installed.

usage: installing.py
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "scripts" / "install-deps.sh"
SUCCESS = "echo 'Get:1 x'; echo 'Setting up x'"


def run_script(apt, user=0, sudo=False):
    with tempfile.TemporaryDirectory(prefix="xtf-test-") as folder:
        bin = pathlib.Path(folder)
        for name in ("sh", "env", "sed", "awk", "tee", "tail", "mktemp", "rm", "cat"):
            (bin / name).symlink_to(shutil.which(name))
        scripts = {"apt-get": apt, "dpkg-query": "exit 1", "id": f"echo {user}"}
        if sudo:
            scripts["sudo"] = 'exec "$@"'
        for name, script in scripts.items():
            (bin / name).write_text(f"#!/bin/sh\n{script}\n")
            (bin / name).chmod(0o755)
        return subprocess.run(["sh", SCRIPT, "build"], env={"PATH": folder, "TMPDIR": folder}, capture_output=True, text=True,
                              check=False, timeout=60)


def expect(condition, holds, done):
    if not holds:
        sys.exit(f"expected that {condition}: status {done.returncode}\n{done.stdout}{done.stderr}")


def main():
    for user, sudo in ((0, False), (1000, True)):
        done = run_script(SUCCESS, user, sudo)
        expect("the script prints dots while it installs", done.returncode == 0 and ".." in done.stdout, done)
    updated = run_script(f'[ "$1" = update ] && : >"$TMPDIR/lists"; [ -f "$TMPDIR/lists" ] || exit 100; {SUCCESS}')
    expect("old lists of packages are updated", updated.returncode == 0, updated)
    for word, done in (("Temporary failure", run_script("echo 'Err:1 Temporary failure resolving'; exit 100")),
                       ("neither root nor sudo", run_script(SUCCESS, 1000))):
        last = done.stderr.splitlines()[-1] if done.stderr else ""
        expect(f"the error has {word!r} and how to install by hand",
               done.returncode != 0 and word in done.stderr and "install them by hand" in last and "meson" in last, done)


if __name__ == "__main__":
    main()
