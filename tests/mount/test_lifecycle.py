"""All ways to mount, messages of failed mounts, and ends of mounts under load."""

import contextlib
import fcntl
import os
import random
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import time
import unittest

import harness
from harness import XTF, is_mounted, run, wait_until
from mounting import Case, ROOT, daemons, heed_hangups, unmounter


def status_of(process):
    with open(f"{process}/status") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


class Mounting(Case):
    def test_background(self):
        """Tests that the mount answers when the command returns, and that the daemon keeps no descriptor of the terminal."""
        mounted = run(XTF, "mount", self.trace, self.dir)
        self.assertEqual(self.count(), self.procs * self.threads * self.records)
        self.assertEqual(mounted.stdout + mounted.stderr, "")
        pid, = daemons(self.dir)
        self.assertEqual(os.readlink(f"/proc/{pid}/cwd"), "/")
        self.assertEqual(os.getsid(pid), pid)
        self.assertEqual({os.readlink(f"/proc/{pid}/fd/{fd}") for fd in range(3)}, {"/dev/null"})
        self.assertFalse(unmounter(self.dir) == [] and not harness.SANITIZED)
        run(XTF, "unmount", self.dir)
        self.assertFalse(is_mounted(self.dir))

    def test_inherited_descriptors(self):
        """Tests that the daemon holds no lock or pipe of its parent."""
        with open(os.path.join(self.folder.name, "lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            reader, writer = os.pipe()
            run(XTF, "mount", self.trace, self.dir, pass_fds=(lock.fileno(), writer))
            os.close(writer)
            self.assertEqual(os.read(reader, 1), b"")
            os.close(reader)
        with open(os.path.join(self.folder.name, "lock")) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.count()

    def test_links_among_parts(self):
        """Tests a part that is a link to a file elsewhere. The confined daemon opens it at the first read."""
        folder = os.path.join(self.folder.name, "parts")
        os.mkdir(folder)
        os.symlink(self.trace, os.path.join(folder, "a.xtf"))
        for source in folder, os.path.join(folder, "anchor.xtf"):
            if source != folder:
                run(XTF, "merge", "-q", "--anchor", folder)
            run(XTF, "mount", source, self.dir)
            with open(os.path.join(self.dir, "proc/0/records")) as records:
                self.assertTrue(records.readline())
            run(XTF, "unmount", self.dir)

    @unittest.skipIf(harness.SANITIZED, "with sanitizers nothing is given up")
    def test_capabilities_are_dropped(self):
        """Tests that no thread of the daemon has a capability or can gain one, and that the unmounter has the ones for unmounting."""
        run(XTF, "mount", self.trace, self.dir)
        load = Load(self.dir)
        wait_until(lambda: load.read > 1 << 20, "some load")
        load.end()
        pid, = daemons(self.dir)
        threads = os.listdir(f"/proc/{pid}/task")
        self.assertGreater(len(threads), 2)
        for thread in threads:
            facts = status_of(f"/proc/{pid}/task/{thread}")
            for kind in "CapPrm", "CapEff", "CapInh", "CapAmb":
                self.assertEqual(int(facts[kind], 16), 0, kind)
            self.assertEqual(int(facts["CapBnd"], 16), 0) if ROOT else None
            self.assertEqual(facts["NoNewPrivs"], "1")
        facts = status_of(f"/proc/{unmounter(self.dir)[0]}")
        self.assertEqual(int(facts["CapEff"], 16), (1 << 21 | 1 << 2) if ROOT else 0)
        os.kill(pid, signal.SIGTERM)
        wait_until(lambda: not daemons(self.dir), "the daemon's end")
        self.assertFalse(is_mounted(self.dir))
        wait_until(lambda: not unmounter(self.dir), "the unmounter's end")

    def test_relative_paths(self):
        folder = self.folder.name
        run(XTF, "mount", os.path.basename(self.trace), os.path.relpath(self.dir, folder), cwd=folder)
        self.count()
        os.kill(daemons(self.dir)[0], signal.SIGTERM)
        wait_until(lambda: not is_mounted(self.dir), "unmounting")

    def test_mount_table(self):
        strange = shutil.copy(self.trace, os.path.join(self.folder.name, "a,b c\\d.xtf"))
        run(XTF, "mount", strange, self.dir, "-o", "uid=1234,gid=4321")
        with open("/proc/self/mountinfo") as table:
            line, = [line for line in table if line.split()[4] == self.dir]
        self.assertIn(" - fuse.xtf ", line)
        source = line.split(" - ")[1].split()[1]
        self.assertEqual(source.encode().decode("unicode_escape"), strange)
        attributes = os.stat(os.path.join(self.dir, "count"))
        self.assertEqual((attributes.st_uid, attributes.st_gid), (1234, 4321))
        self.assertEqual(attributes.st_mtime_ns, os.stat(strange).st_mtime_ns)

    def test_errors_reach_the_terminal(self):
        text = os.path.join(self.folder.name, "text")
        with open(text, "w") as file:
            file.write("no trace\n" * 10000)
        short = os.path.join(self.folder.name, "short.xtf")
        with open(self.trace, "rb") as trace_file, open(short, "wb") as file:
            file.write(trace_file.read(100))
        wrong = {
            ("/nothing/here.xtf", self.dir): 1,
            (text, self.dir): 1,
            (short, self.dir): 1,
            (self.folder.name, self.dir): 1,
            (self.trace, text): 1,
            (self.trace, "/nothing/here"): 1,
            (self.trace,): 2,
            (self.trace, self.dir, "more"): 2,
            (self.trace, self.dir, "--nonsense"): 2,
            (self.trace, self.dir, "-o", "nonsense"): 2,
            (self.trace, self.dir, "-o", "cache=lots"): 2,
            (self.trace, self.dir, "-o", "threads=0"): 2,
        }
        for arguments, status in wrong.items():
            done = run(XTF, "mount", *arguments, check=False)
            self.assertEqual(done.returncode, status, arguments)
            self.assertRegex(done.stderr, r"^xtf: .+\n", arguments)
            self.assertFalse(is_mounted(self.dir), arguments)

    def refused(self, *words):
        done = run(XTF, "mount", self.trace, self.dir, check=False)
        self.assertEqual(done.returncode, 1)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_mounts_hide_no_files(self):
        """Tests that a mount hides neither files nor another mount, unless an option asks for it."""
        note = os.path.join(self.dir, "note")
        with open(note, "w"):
            self.refused("is not empty", "-o nonempty")
        run(XTF, "mount", self.trace, self.dir, "-o", "nonempty")
        self.assertFalse(os.path.exists(note))
        self.refused(self.trace, "is mounted at", "xtf unmount", "-o nonempty")
        run(XTF, "unmount", self.dir)
        os.unlink(note)
        if ROOT:
            run("mount", "-t", "tmpfs", "tmpfs", self.dir)
            self.refused("a filesystem (tmpfs) is mounted at")
            run("umount", self.dir)
        run(XTF, "mount", self.trace, self.dir)
        os.kill(daemons(self.dir)[0], signal.SIGKILL)
        wait_until(lambda: not daemons(self.dir), "the daemon to die")
        self.refused("xtf unmount")
        run(XTF, "unmount", self.dir)

    @unittest.skipUnless(ROOT and shutil.which("setpriv"), "only root becomes another user")
    def test_unmount_by_another_user(self):
        run(XTF, "mount", self.trace, self.dir, "-o", "allow_other")
        os.chmod(self.folder.name, 0o755)
        program = shutil.copy(XTF, self.folder.name)
        as_nobody = "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"
        done = run(*as_nobody, program, "unmount", self.dir, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("user root mounted", done.stderr)
        self.assertTrue(is_mounted(self.dir))
        run(XTF, "unmount", self.dir)
        # Without allow_other other users cannot even stat it.
        run(XTF, "mount", self.trace, self.dir)
        done = run(*as_nobody, program, "mount", self.trace, self.dir, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"is mounted at '{self.dir}' already, by user root", done.stderr)

    @unittest.skipUnless(ROOT and shutil.which("setpriv") and shutil.which("fusermount3"), "only root becomes another user")
    def test_ordinary_users(self):
        """Tests mounts by ordinary users: fusermount3 mounts and unmounts, and the mounts end with the daemon. The test gives them
        /dev/fuse in a namespace."""
        if run("unshare", "-m", "true", check=False).returncode != 0 or not os.stat(shutil.which("fusermount3")).st_mode & 0o4000:
            self.skipTest("no mount namespaces, or a fusermount3 that is not setuid")
        own = tempfile.mkdtemp(prefix="xtf-test-")
        self.addCleanup(shutil.rmtree, own)
        os.mkdir(os.path.join(own, "m"))
        for name, source in ("xtf", XTF), ("trace.xtf", self.trace):
            shutil.copy(source, os.path.join(own, name))
        with open(os.path.join(own, "user.sh"), "w") as script:
            script.write("""set -e
                ./xtf mount trace.xtf m; cat m/count; ./xtf unmount m
                ./xtf mount trace.xtf m; cat m/count; ! (cd m && ../xtf unmount ../m 2>../said); grep -q -e --lazy said
                kill -TERM $(pgrep -u 65534 -f 'xtf mount trace.xtf m')
                for i in $(seq 100); do grep -q " $PWD/m " /proc/mounts || break; sleep 0.1; done
                ! grep " $PWD/m " /proc/mounts""")
        os.mknod(os.path.join(own, "fuse"), 0o600 | stat.S_IFCHR, os.stat("/dev/fuse").st_rdev)
        os.chmod(os.path.join(own, "fuse"), 0o666)
        for path in [own, *(os.path.join(own, name) for name in os.listdir(own))]:
            os.chown(path, 65534, 65534)
        shown = run("unshare", "-m", "sh", "-c", f"mount --bind {own}/fuse /dev/fuse && cd {own} && "
                    "exec setpriv --reuid=65534 --regid=65534 --clear-groups sh user.sh").stdout
        self.assertEqual(shown.split(), [str(self.procs * self.threads * self.records)] * 2)

    @unittest.skipUnless(ROOT and shutil.which("setpriv"), "only root becomes another user")
    def test_users_who_may_not_mount(self):
        if os.stat("/dev/fuse").st_mode & 0o006 == 0o006 and shutil.which("fusermount3"):
            self.skipTest("every user may mount here")
        own = tempfile.mkdtemp(prefix="xtf-test-")
        self.addCleanup(shutil.rmtree, own)
        os.chown(own, 65534, 65534)
        os.chmod(self.folder.name, 0o755)
        program = shutil.copy(XTF, self.folder.name)
        done = run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program, "mount", self.trace, own, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("'xtf ls' and 'xtf cat' show the same without a mount", done.stderr)

    def test_unmount_refuses_other_mounts(self):
        for directory in (self.dir, "/proc", "/nothing/here"):
            done = run(XTF, "unmount", directory, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("no trace is mounted", done.stderr)

    def test_unmount_in_use(self):
        run(XTF, "mount", self.trace, self.dir)
        with open(os.path.join(self.dir, "records"), "rb") as file:
            done = run(XTF, "unmount", self.dir, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertTrue(is_mounted(self.dir))
            run(XTF, "unmount", "--lazy", self.dir)
            self.assertFalse(is_mounted(self.dir))
            file.seek(-100, os.SEEK_END)
            self.assertEqual(len(file.read()), 100) # a process that has the file open can still read it
        wait_until(lambda: not daemons(self.dir), "the daemon to end with its last user")


@unittest.skipUnless(ROOT, "only root may call mount(8) like this")
class MountHelper(Case):
    OPTIONS = "rw,nofail,_netdev,noauto,user,x-systemd.automount,cache=1M,threads=2,allow_other"

    def setUp(self):
        super().setUp()
        self.bin = tempfile.mkdtemp(prefix="xtf-test-")
        self.addCleanup(shutil.rmtree, self.bin)
        shutil.copy(XTF, os.path.join(self.bin, "xtf"))
        os.symlink("xtf", os.path.join(self.bin, "mount.xtf"))
        # The environment at boot has no HOME.
        self.environment = {"PATH": self.bin + ":/usr/sbin:/usr/bin:/sbin:/bin"}

    def installed(self, *script):
        """Runs shell commands in a mount namespace where xtf is installed in a system directory. mount(8) passes no other PATH to its helpers."""
        if run("unshare", "-m", "true", check=False).returncode != 0:
            self.skipTest("there are no mount namespaces: a chroot, or a container")
        commands = ["set -e", f"mount --bind {self.bin} /usr/local/bin", *script]
        return run("unshare", "-m", "sh", "-c", "\n".join(commands), env=self.environment).stdout

    @unittest.skipUnless(shutil.which("mount.fuse3", path="/sbin:/usr/sbin"), "there is no mount.fuse3")
    def test_by_type(self):
        shown = self.installed(f"mount -t fuse.xtf -o {self.OPTIONS} {self.trace} {self.dir}", f"cat {self.dir}/count",
                               f"umount {self.dir}", f"ls {self.dir}")
        self.assertEqual(int(shown), self.procs * self.threads * self.records)

    @unittest.skipUnless(shutil.which("mount.fuse3", path="/sbin:/usr/sbin"), "there is no mount.fuse3")
    def test_fstab(self):
        fstab = os.path.join(self.bin, "fstab")
        with open(fstab, "w") as file:
            file.write(f"{self.trace} {self.dir} fuse.xtf {self.OPTIONS} 0 0\n")
        shown = self.installed(f"mount -T {fstab} {self.dir}", f"cat {self.dir}/count", f"umount {self.dir}",
                               f"ls {self.dir}")
        self.assertEqual(int(shown), self.procs * self.threads * self.records)

    def test_own_type(self):
        """Tests the type xtf by /sbin/mount.xtf, which an overlay provides."""
        sbin = os.path.realpath("/sbin")
        overlay = f"mount -t overlay overlay -o lowerdir={self.bin}:{sbin} {sbin}"
        if run("unshare", "-m", "sh", "-c", overlay, check=False).returncode != 0:
            self.skipTest("there is no overlayfs")
        shown = self.installed(overlay, f"mount -t xtf -o {self.OPTIONS} {self.trace} {self.dir}",
                               f"cat {self.dir}/count", f"umount {self.dir}", f"ls {self.dir}")
        self.assertEqual(int(shown), self.procs * self.threads * self.records)

    def test_helper(self):
        run("mount.xtf", self.trace, self.dir, "-f", "-o", self.OPTIONS, env=self.environment)
        self.assertFalse(is_mounted(self.dir), "-f is a dry run")
        wrong = run("mount.xtf", self.trace, self.dir, "-o", "nonsense", env=self.environment, check=False)
        self.assertEqual(wrong.returncode, 2)
        run("mount.xtf", self.trace, self.dir, "-n", "-s", "-o", self.OPTIONS + ",nonsense", env=self.environment)
        self.assertEqual(self.count(), self.procs * self.threads * self.records)


class Load:
    """Threads that read everything in a mount until it ends."""

    def __init__(self, directory, n=4):
        self.directory = directory
        self.read = 0
        self.stopped = False
        self.threads = [threading.Thread(target=self.work, args=(i,)) for i in range(n)]
        for thread in self.threads:
            thread.start()

    def work(self, seed):
        numbers = random.Random(seed)
        while not self.stopped:
            a = numbers.randrange(10 ** 7)
            folder = os.path.join(self.directory, "proc", str(numbers.randrange(4)), "time", f"{a}ns-{a + 10 ** 6}ns")
            try:
                os.listdir(folder)
                for name in ("count", "records"):
                    with open(os.path.join(folder, name), "rb") as file:
                        self.read += len(file.read())
            except OSError:
                if not is_mounted(self.directory):
                    return

    def end(self):
        self.stopped = True
        for thread in self.threads:
            thread.join(harness.TIMEOUT)
            assert not thread.is_alive(), "a reader hangs"


class Ends(Case):
    def start(self):
        run(XTF, "mount", "-o", "max_nodes=256", self.trace, self.dir, preexec_fn=heed_hangups)
        pid, = daemons(self.dir)
        load = Load(self.dir)
        wait_until(lambda: load.read > 1 << 20, "some load")
        return pid, load

    def test_signals_under_load(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            pid, load = self.start()
            os.kill(pid, number)
            wait_until(lambda: not is_mounted(self.dir), f"unmounting after {number}")
            load.end()
            wait_until(lambda: not daemons(self.dir), f"the daemon's end after {number}")

    def test_many_signals(self):
        """Tests that a daemon in the foreground ends once and cleanly while further signals arrive."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP) * 5:
            daemon = subprocess.Popen([XTF, "mount", "-f", self.trace, self.dir], preexec_fn=heed_hangups)
            wait_until(lambda: is_mounted(self.dir), "mounting")
            self.count()
            end = time.monotonic() + harness.TIMEOUT
            while daemon.poll() is None and time.monotonic() < end:
                daemon.send_signal(number)
            self.assertEqual((daemon.wait(harness.TIMEOUT), is_mounted(self.dir)), (0, False), f"after many signals {number}")

    def test_signal_with_open_files(self):
        run(XTF, "mount", self.trace, self.dir)
        pid, = daemons(self.dir)
        file = os.open(os.path.join(self.dir, "records"), os.O_RDONLY)
        os.pread(file, 10, 0)
        os.kill(pid, signal.SIGTERM)
        wait_until(lambda: not daemons(self.dir), "the daemon's end")
        self.assertFalse(is_mounted(self.dir))
        with self.assertRaises(OSError):  # a read fails because the mount has ended, and does not hang
            os.pread(file, 10, os.fstat(file).st_size - 10)
        with contextlib.suppress(OSError):
            os.close(file)

    def test_lazy_unmount_under_load(self):
        _, load = self.start()
        run(XTF, "unmount", "--lazy", self.dir)
        load.end()
        wait_until(lambda: not daemons(self.dir), "the daemon's end")

    def test_killed_daemon(self):
        """Tests that `xtf unmount` removes the mount of a crashed daemon."""
        run(XTF, "mount", self.trace, self.dir)
        os.kill(daemons(self.dir)[0], signal.SIGKILL)
        wait_until(lambda: not daemons(self.dir), "its death")
        self.assertTrue(is_mounted(self.dir))
        run(XTF, "unmount", self.dir)
        self.assertFalse(is_mounted(self.dir))


if __name__ == "__main__":
    harness.main()
