"""The base of tests of `xtf record`: runs it in a folder of its own, with modules that do nothing. Programs write parts
themselves, as collectors would."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

XTF = os.environ["XTF"]
MAKE_PART = os.environ["MAKE_PART"]
MODULES = ("libxtf-record.so", "libxtf-record-openmpi.so", "libxtf-record-mpich.so")
# Variables of a launcher that runs the tests, and of the user.
RANKS = re.compile("^(OMPI_|PMIX|PMI_|SLURM_|LD_PRELOAD|XTF_|HYDI_)")


class Case(unittest.TestCase):
    """A test in a folder of its own, in which $XTF_TMPDIR is `tmp`."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="xtf-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "tmp").mkdir()
        (self.folder / "lib").mkdir()
        for name in MODULES:
            shutil.copy(os.environ["EMPTY_MODULE"], self.folder / "lib" / name)
        self.environment = {name: value for name, value in os.environ.items() if not RANKS.match(name)}
        self.environment.update(XTF_TMPDIR=str(self.folder / "tmp"), XTF_RECORD_LIBDIR=str(self.folder / "lib"))

    def script(self, name, text):
        """Writes a shell script, and returns its path."""
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return "./" + name

    def parts(self, *processes, world=None, after=""):
        """Returns the text of a program that leaves parts of these processes; process P has 10 + P records."""
        lines = [f'"{MAKE_PART}" "$XTF_RECORD_FOLDER/{p:06}.xtf" {p} {world or len(processes)} {10 + p} finalized' for p in processes]
        return "\n".join([*lines, after, ""])

    def run_in(self, *arguments, **environment):
        return subprocess.run([str(argument) for argument in arguments], cwd=self.folder, env={**self.environment, **environment},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180)

    def xtf(self, *arguments, status=0, **environment):
        """Runs xtf and checks its exit status. Returns what it printed."""
        done = self.run_in(XTF, *arguments, **environment)
        self.assertEqual(done.returncode, status, f"xtf {arguments}\n{done.stdout}{done.stderr}")
        self.assertNotIn("Assertion", done.stderr)
        return done.stdout if status == 0 else done.stderr

    def record(self, *arguments, status=0, **environment):
        """Runs `xtf record` and checks its exit status. Returns standard output and error."""
        done = self.run_in(XTF, "record", *arguments, **environment)
        self.assertEqual(done.returncode, status, f"xtf record {arguments}\n{done.stdout}{done.stderr}")
        return done.stdout, done.stderr

    def plan(self, *arguments, **environment):
        """Returns the output of --dry-run: its first line, the variables, and the other lines."""
        text, _ = self.record("--dry-run", *arguments, **environment)
        first, *lines = text.splitlines()
        shell = [line[len("export "):] for line in lines if line.startswith("export ")]
        return first, dict(variable.split("=", 1) for variable in shell), [line for line in lines if not line.startswith("export ")]

    def left(self):
        """Returns the files in the folder for temporary files."""
        return sorted(os.listdir(self.folder / "tmp"))
