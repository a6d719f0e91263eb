#!/usr/bin/env python3
"""The folder of parts may be in a place where others may write. The recorder must neither write to files that they put there nor
take them for its own.

usage: test_folder.py
"""

import os
import pathlib
import re
import socket
import subprocess
import unittest

from dying import DIE, ENVIRONMENT, XTF, Case

N = 100
OTHER_USER = 54321
REFUSED = r"\Axtf record: [^\n]*/parts: [^\n]*: this process is not recorded\n\Z"
SECRET = "more than forty bytes of another file\n"


class Folder(Case):
    def setUp(self):
        super().setUp()
        self.secret = self.folder / "secret"
        self.secret.write_text(SECRET)

    def check_refused(self, why):
        """Checks that the program runs as without the recorder, and that nothing is written to the folder."""
        self.counts.unlink(missing_ok=True)
        before = sorted(self.parts.iterdir())
        done = self.run_recorded(N, "exit")
        self.assertEqual((done.status, self.counted()), (5, 3 * N), done.err)
        self.assertRegex(done.err, REFUSED)
        self.assertIn(why, done.err)
        self.assertEqual(sorted(self.parts.iterdir()), before)

    def test_folder_of_another_user(self):
        if os.getuid() != 0:
            self.skipTest("only root can give folders away")
        os.chown(self.parts, OTHER_USER, OTHER_USER)
        self.check_refused("not a folder that only you can write to")

    def test_writable_for_others(self):
        for mode in 0o770, 0o707, 0o1777:
            self.parts.chmod(mode)
            self.check_refused("not a folder that only you can write to")

    def test_symbolic_link(self):
        self.parts.rename(self.folder / "elsewhere")
        self.parts.symlink_to("elsewhere")
        self.check_refused("symbolic link")

    def test_links_in_it(self):
        """Checks symbolic links with the names of shared files: the recorder must not follow them, and must record without these
        files."""
        host, last = socket.gethostname(), int(pathlib.Path("/proc/loadavg").read_text().split()[-1])
        for name in (f"clock-{host}", "worlds", *(f"{host}-{(last + i) % 2**22}.starting" for i in range(400))):
            (self.parts / name).symlink_to(self.secret)
        # The log's name has the process's number, which the shell knows before.
        script = 'ln -s "$1" "$2/collect-$$.log"; shift 2; exec env $WITH "$@"'
        variables = " ".join(f"{name}={value}" for name, value in self.environment().items() if name not in ENVIRONMENT)
        done = subprocess.run(["sh", "-c", script, "sh", self.secret, self.parts, DIE, self.counts, str(N), "exit"], cwd=self.folder,
                              env={**ENVIRONMENT, "WITH": variables}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        for path in self.parts.glob("*.starting"):
            if path.is_symlink():
                path.unlink()
        self.wait_for_collector()
        self.assertEqual((done.returncode, self.counted()), (5, 3 * N), done.stderr)
        self.assertEqual(self.secret.read_text(), SECRET)
        [part] = self.files()
        kinds, _ = self.check(part)
        self.assertEqual((kinds["ENTER"], kinds["LEAVE"]), (3 * N, 3 * N))

    def test_new_files(self):
        """Checks that new files are only for the user, with any umask."""
        done = self.run_recorded(N, "exit", start={"before": lambda: os.umask(0)})
        self.assertEqual(done.status, 5, done.err)
        modes = {path.name: oct(path.stat().st_mode & 0o777) for path in self.parts.iterdir()}
        self.assertIn("000000.xtf", modes)
        self.assertEqual(set(modes.values()), {"0o600"}, modes)


class Inside(Case):
    """`xtf record` in a process that a launcher has started. The folder is run.xtf.d, which xtf makes or finds."""

    def record(self, status=0, **before):
        environment = {**ENVIRONMENT, "PMI_RANK": "0", "PMI_SIZE": "1"}
        done = subprocess.run([XTF, "record", "-o", "run.xtf", DIE, self.counts, str(N), "exit"], cwd=self.folder, env=environment, **before,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def setUp(self):
        super().setUp()
        self.parts = self.folder / "run.xtf.d"

    def check_refused(self, why):
        printed = self.record(status=1)
        self.assertRegex(printed, rf"\Axtf: [^\n]*run\.xtf\.d: [^\n]*{re.escape(why)}[^\n]*\n\Z")
        self.assertFalse(self.counts.exists())
        self.assertEqual(list(self.parts.iterdir()), [])

    def test_folder_of_another_user(self):
        if os.getuid() != 0:
            self.skipTest("only root can give folders away")
        self.parts.mkdir(mode=0o700)
        os.chown(self.parts, OTHER_USER, OTHER_USER)
        self.check_refused("not a folder that only you can write to")

    def test_writable_for_others(self):
        self.parts.mkdir()
        self.parts.chmod(0o777)
        self.check_refused("not a folder that only you can write to")

    def test_symbolic_link(self):
        (self.folder / "elsewhere").mkdir(mode=0o700)
        self.parts.symlink_to("elsewhere")
        self.check_refused("symbolic link")

    def test_in_a_folder_for_all(self):
        """Checks that run.xtf.d is not writable for others, even in a folder like /tmp."""
        self.folder.chmod(0o1777)
        self.record(status=5, umask=0)
        self.wait_for_collector()
        self.assertEqual(self.parts.stat().st_mode & 0o777, 0o700)
        [part] = self.files()
        self.check(part)


if __name__ == "__main__":
    unittest.main(verbosity=2)
