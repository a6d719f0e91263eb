#!/usr/bin/env python3
"""Tests scripts/quickstart.sh, and the install of an ordinary user after it, as README.md shows it.

The commands run in order in a small project with the same folders, whose xtf is a shell script. The test uses the real meson and
ninja, but a fake package manager and MPI.

usage: commands.py
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
FILES = {
    "meson.build": "project('xtf', meson_version: '>= 1.0')\nsubdir('src/cli')\nsubdir('src/record')\n",
    "src/cli/meson.build": "configure_file(input: 'xtf.sh', output: 'xtf', command: ['cp', '@INPUT@', '@OUTPUT@'], install: true, install_dir: get_option('bindir'))\n",
    "src/record/meson.build": "if dependency('xtf-test-mpi', required: false).found()\n"
                              "  custom_target('module', output: 'libxtf-record-openmpi.so', command: ['touch', '@OUTPUT@'], build_by_default: true)\n"
                              "endif\n",
}  # yapf: disable
PROGRAMS = ("src/cli/xtf.sh", "scripts/install-deps.sh", "bin/mpicc.openmpi", "bin/mpirun.openmpi")
DESCRIPTION = "Name: xtf-test-mpi\nDescription: none\nVersion: 1\n"
NO_MPI, RECORDED = "no MPI with its headers is installed here", "recording a small program"


class Commands(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xtf-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in FILES.items():
            self.write_file(name, text)
        for name in PROGRAMS:
            self.write_file(name, "#!/bin/sh\n", 0o755)
        shutil.copy(ROOT / "scripts/quickstart.sh", self.folder / "scripts")
        self.set_packages("libc6-dev 1 installed")
        # Files for /usr/local are installed into a folder of the test.
        self.environment = dict(os.environ, HOME="/home/somebody", DESTDIR=str(self.folder / "installed"), TMPDIR=str(self.folder),
                                PATH=f"{self.folder}/bin:{os.environ['PATH']}", PKG_CONFIG_PATH=str(self.folder / "bin"))

    def write_file(self, name, text, mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)

    def set_packages(self, lines):
        self.write_file("bin/dpkg-query", f"#!/bin/sh\necho '{lines}'\n", 0o755)

    def run_command(self, command):
        done = subprocess.run(["sh", "-e", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_readme(self):
        """The commands of README.md for an ordinary user install below the home folder, also if they are repeated."""
        lines = re.findall(r"^    (.*\bbuild-\w+.*)$", (ROOT / "README.md").read_text(), re.MULTILINE)
        self.assertTrue(any("--prefix=$HOME" in line for line in lines), "README.md shows no install below $HOME")
        self.run_command("scripts/quickstart.sh")
        for _ in range(2):
            self.run_command("\n".join(lines))
            self.assertEqual([str(path.relative_to(self.folder)) for path in (self.folder / "installed").rglob("xtf")],
                             ["installed/home/somebody/.local/bin/xtf"])

    def test_mpi_detected(self):
        """An existing build/ detects that an MPI was installed or removed, and keeps its options."""
        self.assertIn(NO_MPI, self.run_command("scripts/quickstart.sh"))
        self.run_command("meson configure build -Dstrip=true")
        self.write_file("bin/xtf-test-mpi.pc", DESCRIPTION)
        self.set_packages("libc6-dev 1 installed\nlibopenmpi-dev 5 installed")
        self.assertIn(RECORDED, self.run_command("scripts/quickstart.sh"))
        self.assertNotIn("Build targets in project", self.run_command("scripts/quickstart.sh"), "build/ was configured again, though no package changed")
        (self.folder / "bin/xtf-test-mpi.pc").unlink()
        self.set_packages("libc6-dev 1 installed")
        self.assertIn(NO_MPI, self.run_command("scripts/quickstart.sh"))
        self.assertRegex(self.run_command("meson introspect build --buildoptions"), r'"name": "strip", "value": true')

    def test_no_debian(self):
        """Without a list of packages, quickstart.sh configures build/ each time."""
        self.write_file("bin/dpkg-query", "#!/bin/sh\nexit 127\n", 0o755)
        self.assertIn(NO_MPI, self.run_command("scripts/quickstart.sh"))
        self.write_file("bin/xtf-test-mpi.pc", DESCRIPTION)
        self.assertIn(RECORDED, self.run_command("scripts/quickstart.sh"))


class Trial(unittest.TestCase):
    """scripts/try-debian.sh prints what it cannot test, and exits with the status of a skipped test."""

    def run_script(self, *arguments):
        done = subprocess.run([ROOT / "scripts/try-debian.sh", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False, timeout=120)
        return done.returncode, done.stdout

    def test_usage(self):
        for arguments in (), ("woody",), ("--mirror",), ("--test", "trixie"):
            status, output = self.run_script(*arguments)
            self.assertEqual((status, "usage: try-debian.sh" in output), (2, True), output)

    def test_skipped(self):
        """Without root, debootstrap or a mirror that can be reached, the script runs no test."""
        status, output = self.run_script("--mirror", "http://127.0.0.1:9/debian", "trixie")
        self.assertEqual(status, 77, output)
        self.assertRegex(output, "try-debian: skipped: (a chroot needs root|.* is not installed|.* cannot be reached)")


if __name__ == "__main__":
    for tool in ("meson", "ninja", "pkg-config"):
        if not shutil.which(tool):
            print(f"{tool} is not installed")
            sys.exit(77)
    unittest.main()
