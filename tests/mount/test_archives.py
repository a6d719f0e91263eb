"""Mounting archives: xtf keeps, renews, shares and clears their imports, and a failed import leaves nothing."""

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import harness
from harness import XTF, is_mounted, run, wait_until
from mounting import Case, ROOT, heed_hangups

EXAMPLE = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "melt-4")


class Archives(Case):
    """Mounts of archives that xtf must import first."""

    def setUp(self):
        super().setUp()
        self.home = tempfile.mkdtemp(prefix="xtf-test-")
        self.addCleanup(shutil.rmtree, self.home)
        self.cache = os.path.join(self.home, "cache", "xtf")
        self.archive = shutil.copytree(EXAMPLE, os.path.join(self.home, "melt"))
        self.environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.home, "cache"))

    def kept(self):
        return {name: os.stat(os.path.join(self.cache, name)).st_mtime_ns for name in os.listdir(self.cache)
                if not name.endswith(".archive")}

    def mount(self, source, directory=None):
        run(XTF, "mount", source, directory or self.dir, env=self.environment)

    def unmount(self, directory=None):
        run(XTF, "unmount", directory or self.dir)

    def test_kept_until_it_changes(self):
        self.mount(self.archive)
        events = self.count()
        self.assertGreater(events, 10000)
        self.unmount()
        first = self.kept()
        self.assertEqual(len(first), 1)

        anchor, = [name for name in os.listdir(self.archive) if name.endswith(".otf2")]
        self.mount(os.path.join(self.archive, anchor))
        self.assertEqual(self.count(), events)
        self.assertEqual(self.kept(), first, "it was imported again")

        os.utime(os.path.join(self.archive, anchor))
        other = tempfile.mkdtemp(prefix="xtf-test-")
        self.mount(self.archive, other)
        second = self.kept()
        self.assertEqual(len(second), 1)
        self.assertNotEqual(set(second), set(first), "the old import was taken for the new")
        self.assertEqual(self.count(), events) # an older mount keeps the old import
        self.unmount(other)
        os.rmdir(other)

    def cat(self, *path, check=True, **environment):
        return run(XTF, "cat", self.archive, *(path or ("count",)), check=check, env={**self.environment, **environment})

    def test_folder_of_imports(self):
        """Tests the folder of imports: an option or a variable names it, mount tables name the archive, and `xtf cache` lists and clears it."""
        given = os.path.join(self.home, "given")
        run(XTF, "mount", "-o", f"cachedir={given}", self.archive, self.dir, env=self.environment)
        with open("/proc/self/mounts") as mounts:
            self.assertIn(f"{self.archive} {self.dir} fuse.xtf ", mounts.read())
        self.unmount()
        self.assertFalse(os.path.exists(self.cache))
        self.assertEqual(os.stat(given).st_mode & 0o7777, 0o700)
        self.cat(XTF_CACHE_DIR=given)
        imported, = [name for name in os.listdir(given) if name.endswith(".xtf")]
        other = shutil.copytree(EXAMPLE, os.path.join(self.home, "other"))
        run(XTF, "info", other, env={**self.environment, "XTF_CACHE_DIR": given})
        self.assertEqual([name for name in os.listdir(given) if name.endswith(".lock")], [])
        with open(os.path.join(given, "own.xtf"), "w"):
            pass
        lines = run(XTF, "cache", "--dir", given).stdout.splitlines()
        self.assertEqual(len(lines), 4, lines)
        self.assertTrue(lines[1].split()[0] == str(os.path.getsize(os.path.join(given, imported))))
        self.assertTrue(lines[1].endswith(os.path.join(self.archive, "eztrace_log.otf2")))
        run(XTF, "cache", "--dir", given, "--clear", self.archive)
        self.assertEqual(len([name for name in os.listdir(given)]), 3)
        run(XTF, "cache", "--dir", given, "--clear")
        self.assertEqual(os.listdir(given), ["own.xtf"])

    def test_imports_of_other_users(self):
        """Tests that xtf neither reads nor writes files of another user in the cache folder."""
        self.cat()
        name, = self.kept()
        path, victim = os.path.join(self.cache, name), os.path.join(self.home, "victim")
        shutil.copy(self.trace, victim)
        lock = os.path.join(self.cache, name[:-len("-0123456789abcdef.xtf")] + ".lock")
        wanted = self.cat().stdout

        def link():
            os.symlink(victim, path)

        def hard_link():
            os.link(victim, path)

        def open_to_all():
            shutil.copy(victim, path)
            os.chmod(path, 0o666)

        def of_another():
            shutil.copy(victim, path)
            os.chown(path, 65534, 65534)

        for plant in [link, hard_link, open_to_all] + ([of_another] if ROOT else []):
            os.unlink(path)
            plant()
            done = self.cat()
            self.assertEqual(done.stdout, wanted, plant.__name__)
            self.assertIn("is replaced", done.stderr)
        self.assertEqual(os.stat(victim).st_nlink, 1)
        os.symlink(os.path.join(self.home, "made"), lock)
        self.assertIn("is a link", self.cat(check=False).stderr)
        self.assertFalse(os.path.exists(os.path.join(self.home, "made")))
        os.unlink(lock)
        os.chmod(self.cache, 0o777)
        self.assertIn("is not only yours", self.cat(check=False).stderr)
        os.chmod(self.cache, 0o700)
        os.symlink(self.cache, os.path.join(self.home, "way"))
        self.assertIn("is a link", self.cat(check=False, XTF_CACHE_DIR=os.path.join(self.home, "way")).stderr)

    @unittest.skipUnless(ROOT, "only root may mount a small disk")
    def test_full_cache(self):
        os.mkdir(os.path.join(self.home, "cache"))
        run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", os.path.join(self.home, "cache"))
        try:
            done = self.cat(check=False)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, f"the import of '{self.archive}/.*' does not fit the cache folder '{self.cache}': "
                             "cannot write: No space left .*XTF_CACHE_DIR")
        finally:
            run("umount", os.path.join(self.home, "cache"))

    def test_info_and_check(self):
        """Tests that info and check accept archives, as mount, ls and cat do."""
        info = run(XTF, "info", self.archive, env=self.environment).stdout
        self.assertRegex(info, rf"(?m)^archive +{self.archive}$")
        self.assertRegex(run(XTF, "check", self.archive, env=self.environment).stdout, ": 0 problems\n$")
        self.assertEqual(len(self.kept()), 1)
        cut = os.path.join(self.home, "cut.xtf")
        with open(self.trace, "rb") as all_bytes, open(cut, "wb") as file:
            file.write(all_bytes.read(100))
        messages = {run(XTF, *words, check=False).stderr for words in (("info", cut), ("check", cut), ("cat", cut, "count"))}
        self.assertEqual(messages, {f"xtf: {cut}: the file is damaged: it ends after 100 bytes, within its superblocks\n"})

    def test_a_damaged_import_is_repeated(self):
        self.mount(self.archive)
        events = self.count()
        self.unmount()
        name, = self.kept()
        with open(os.path.join(self.cache, name), "wb"):
            pass
        self.mount(self.archive)
        self.assertEqual(self.count(), events)

    def test_two_mounts_at_once(self):
        other = tempfile.mkdtemp(prefix="xtf-test-")
        mounts = [subprocess.Popen([XTF, "mount", "-q", self.archive, directory], env=self.environment)
                  for directory in (self.dir, other)]
        self.assertEqual([mount.wait(harness.TIMEOUT) for mount in mounts], [0, 0])
        self.assertEqual(len(self.kept()), 1)
        for path in ("count", "records"):
            with open(os.path.join(self.dir, path), "rb") as one, open(os.path.join(other, path), "rb") as two:
                self.assertEqual(one.read(), two.read())
        self.unmount(other)
        os.rmdir(other)

    def test_interrupted(self):
        """Tests that Ctrl-C during an import leaves no mount and no partial file, and that SIGTERM to the first process does the same."""
        interrupted = 0
        ways = ((os.killpg, signal.SIGINT), (os.killpg, signal.SIGHUP), (os.kill, signal.SIGTERM))
        for delay, (send, number) in itertools.product((0, 0.005, 0.01, 0.02), ways):
            mount = subprocess.Popen([XTF, "mount", self.archive, self.dir], env=self.environment, start_new_session=True,
                                     preexec_fn=heed_hangups, stderr=subprocess.PIPE, text=True)
            wait_until(lambda: os.path.exists(self.cache) or mount.poll() is not None, "an import")
            time.sleep(delay)
            send(mount.pid, number)
            message = mount.communicate()[1]
            if mount.returncode == 0:  # the import ended before the signal
                self.unmount()
                shutil.rmtree(self.cache)
                continue
            self.assertFalse(is_mounted(self.dir))
            self.assertEqual(self.kept() if os.path.exists(self.cache) else {}, {}, message)
            shutil.rmtree(self.cache, ignore_errors=True)  # so that the file of the next import shows that it began
            interrupted += "interrupted" in message
        self.assertGreater(interrupted, 0, "no import was interrupted: nothing is tested")

    def test_damaged_archive(self):
        folder, = [name for name in os.listdir(self.archive) if os.path.isdir(os.path.join(self.archive, name))]
        events, *_ = [name for name in os.listdir(os.path.join(self.archive, folder)) if name.endswith(".evt")]
        os.unlink(os.path.join(self.archive, folder, events))
        done = run(XTF, "mount", self.archive, self.dir, env=self.environment, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "xtf: .+")
        self.assertEqual(self.kept(), {}, "a half import was left")


if __name__ == "__main__":
    harness.main()
