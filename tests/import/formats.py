#!/usr/bin/env python3
"""A build with an importer reads its archives; a build without says in each command what is missing and how to get it.

usage: formats.py XTF ARCHIVE with|without
"""

import os
import subprocess
import sys
import tempfile

REMEDY = "-Dotf2=enabled"


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)


def main():
    xtf, archive, there = sys.argv[1], sys.argv[2], sys.argv[3] == "with"
    problems = []

    def expect(what, fine, done):
        if not fine:
            problems.append(f"{what}: {done.returncode}, {done.stdout!r}, {done.stderr!r}")

    for arguments in ("--help",), ("import", "--help"):
        done = run(xtf, *arguments)
        expect(arguments, "(NAME.otf2)" in done.stdout and (REMEDY in done.stdout) != there, done)
    with tempfile.TemporaryDirectory(prefix="xtf-formats-") as folder:
        environment = dict(os.environ, XDG_CACHE_HOME=folder)
        output = os.path.join(folder, "out.xtf")
        for source in archive, os.path.dirname(archive):
            for arguments in ("import", "-o", output, source), ("ls", source), ("mount", "-f", source, folder):
                if there and arguments[0] == "mount":
                    continue
                done = run(xtf, *arguments, env=environment)
                expect(arguments, done.returncode == (0 if there else 1) and (REMEDY in done.stderr) != there, done)
        expect("the output", os.path.exists(output) == there, done)
    print("\n".join(problems) or "as it should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
