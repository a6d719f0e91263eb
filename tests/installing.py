#!/usr/bin/env python3
"""scripts/install-deps.sh where packages are missing: with and without a network, root and sudo. apt-get, dpkg-query and id are
stand-ins; nothing is installed.

usage: installing.py
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "scripts" / "install-deps.sh"
GOOD = "echo 'Get:1 x'; echo 'Setting up x'"


def run(apt, user=0, sudo=False):
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


def expect(what, good, done):
    if not good:
        sys.exit(f"{what}: status {done.returncode}\n{done.stdout}{done.stderr}")


def main():
    for user, sudo in ((0, False), (1000, True)):
        done = run(GOOD, user, sudo)
        expect("installing shows that it goes on", done.returncode == 0 and ".." in done.stdout, done)
    second = run(f'[ "$1" = update ] && : >"$TMPDIR/lists"; [ -f "$TMPDIR/lists" ] || exit 100; {GOOD}')
    expect("old lists are fetched anew", second.returncode == 0, second)
    for word, done in (("Temporary failure", run("echo 'Err:1 Temporary failure resolving'; exit 100")),
                       ("neither root nor sudo", run(GOOD, 1000))):
        last = done.stderr.splitlines()[-1] if done.stderr else ""
        expect(word, done.returncode != 0 and word in done.stderr and "install them by hand" in last and "meson" in last, done)


if __name__ == "__main__":
    main()
