"""Every attempt to change something fails with EROFS, from the kernel or, where the kernel passes it on, from the daemon."""

import errno
import os
import unittest

import harness


class ReadOnly(harness.TestCase):
    records = 100

    def refuse_all(self, mount):
        file, directory = mount.path("proc", "0", "count"), mount.path("proc", "0")
        new = os.path.join(directory, "new")
        attempts = {
            "open for writing": lambda: os.write(os.open(file, os.O_WRONLY), b"x"),
            "open for appending": lambda: os.write(os.open(file, os.O_RDWR | os.O_APPEND), b"x"),
            "open, truncating": lambda: os.open(file, os.O_WRONLY | os.O_TRUNC),
            "create": lambda: os.open(new, os.O_CREAT | os.O_WRONLY),
            "truncate": lambda: os.truncate(file, 0),
            "mkdir": lambda: os.mkdir(new),
            "rmdir": lambda: os.rmdir(os.path.join(directory, "time")),
            "mknod": lambda: os.mkfifo(new),
            "symlink": lambda: os.symlink("target", new),
            "hard link": lambda: os.link(file, new),
            "unlink": lambda: os.unlink(file),
            "rename": lambda: os.rename(file, new),
            "chmod": lambda: os.chmod(file, 0o600),
            "chown": lambda: os.chown(file, 1, 1),
            "utime": lambda: os.utime(file, (1, 1)),
            "setxattr": lambda: os.setxattr(mount.dir, "user.xtf.stats", b"0"),
            "removexattr": lambda: os.removexattr(mount.dir, "user.xtf.stats"),
        }
        for name, attempt in attempts.items():
            with self.subTest(name), self.assertRaises(OSError) as caught:
                attempt()
            self.assertEqual(caught.exception.errno, errno.EROFS, name)

    def test_mounted(self):
        with harness.Mount(self.trace) as mount:
            content = mount.read("proc", "0", "count")
            self.refuse_all(mount)
            self.assertEqual(mount.stats()["requests.write"], 0)
            self.assertFalse(os.access(mount.path("proc", "0", "count"), os.W_OK))
            self.assertTrue(os.access(mount.path("proc", "0", "count"), os.R_OK))
            self.assertTrue(os.statvfs(mount.dir).f_flag & os.ST_RDONLY)
            self.assertEqual(mount.read("proc", "0", "count"), content)

    @unittest.skipIf(os.geteuid() != 0, "only root can remount")
    def test_remounted_for_writing(self):
        with harness.Mount(self.trace) as mount:
            harness.run("mount", "-i", "-o", "remount,rw", mount.dir)
            self.assertFalse(os.statvfs(mount.dir).f_flag & os.ST_RDONLY, "the remount did nothing: nothing is tested")
            self.refuse_all(mount)
            self.assertGreater(mount.stats()["requests.write"], 0)


if __name__ == "__main__":
    harness.main()
