#!/usr/bin/env python3
"""Formats of imports: a build with an importer reads its archives. A build without it says in each command what is missing and how to get
it. Messages also name archives and cache folders that the user may not read.

usage: formats.py XTF ARCHIVE with|without
"""

import os
import shutil
import subprocess
import sys
import tempfile

REMEDY = "-Dotf2=enabled"


def run_xtf(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=180, check=False, **options)


def compare_forbidden(xtf, folder, archive, expect):
    """Checks the messages for an ordinary user who may not read the archive or the cache folder."""
    closed, home = (os.path.join(folder, name) for name in ("closed", "home"))
    for path in closed, home:
        os.mkdir(path, 0o700)
    os.chmod(folder, 0o755)
    as_nobody = "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", xtf
    for arguments in ("import", "-o", "/dev/null/out.xtf", closed), ("cat", closed, "count"):
        done = run_xtf(*as_nobody, *arguments)
        expect(arguments, (done.returncode, done.stderr) == (1, f"xtf: {closed}: Permission denied\n"), done)
    if archive:
        readable = shutil.copytree(os.path.dirname(archive), os.path.join(folder, "readable"))
        done = run_xtf(*as_nobody, "cat", readable, "count", env=dict(os.environ, XDG_CACHE_HOME=home))
        expect("a cache folder", done.returncode == 1 and f"'{home}/xtf': Permission denied; XTF_CACHE_DIR" in done.stderr, done)


def compare_named_formats(xtf, archive, output, installed, expect):
    """Checks that --format chooses the importer, and that a summary names the format."""
    done = run_xtf(xtf, "import", "--format", "otf2", "-o", output, archive)
    last = done.stdout.splitlines()[-1:] == ["format: OTF2"]
    expect("--format otf2", (done.returncode == 0 and last) if installed else REMEDY in done.stderr, done)
    done = run_xtf(xtf, "import", "--format", "opents", "-f", "-o", output, archive)
    expect("--format opents", done.returncode == 1 and archive in done.stderr, done)
    done = run_xtf(xtf, "import", "--format", "otf", "-o", output, archive)
    expect("--format otf", done.returncode == 1 and "there is no format 'otf'" in done.stderr, done)


def main():
    xtf, archive, installed = sys.argv[1], sys.argv[2], sys.argv[3] == "with"
    problems = []

    def expect(wording, fine, done):
        if not fine:
            problems.append(f"{wording}: {done.returncode}, {done.stdout!r}, {done.stderr!r}")

    for arguments in ("--help",), ("import", "--help"):
        done = run_xtf(xtf, *arguments)
        expect(arguments, "(NAME.otf2)" in done.stdout and (REMEDY in done.stdout) != installed, done)
    with tempfile.TemporaryDirectory(prefix="xtf-formats-") as folder:
        environment = dict(os.environ, XDG_CACHE_HOME=folder)
        output = os.path.join(folder, "out.xtf")
        for source in archive, os.path.dirname(archive):
            for arguments in ("import", "-o", output, source), ("ls", source), ("mount", "-f", source, folder):
                if installed and arguments[0] == "mount":
                    continue
                done = run_xtf(xtf, *arguments, env=environment)
                expect(arguments, done.returncode == (0 if installed else 1) and (REMEDY in done.stderr) != installed, done)
        expect("the output", os.path.exists(output) == installed, done)
        compare_named_formats(xtf, archive, output, installed, expect)
        if os.geteuid() == 0 and shutil.which("setpriv"):
            compare_forbidden(shutil.copy(xtf, os.path.join(folder, "command")), folder, archive if installed else None, expect)
    print("\n".join(problems) or "as it should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
