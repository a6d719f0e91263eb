"""Real mounts for tests: makes traces, mounts them, reads the daemon's counters, and cleans up whatever happens."""

import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

XTF = os.environ["XTF"]
MAKE_TRACE = os.environ["MAKE_TRACE"]
SKIP = 77
PATIENCE = 60  # seconds; on a busy machine all takes several times as long

with open(XTF, "rb") as program:
    # Of a build with sanitizers the figures for memory and timing-dependent loads say nothing.
    SANITIZED = b"__asan_init" in program.read()


def require_fuse():
    """Ends the script as skipped where nothing can be mounted."""
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as error:
        print(f"skipped: /dev/fuse: {error.strerror}")
        sys.exit(SKIP)


def has_landlock():
    """Whether the kernel restricts files by Landlock: asks for the version of landlock_create_ruleset(2)."""
    return ctypes.CDLL(None).syscall(444, None, 0, 1) > 0


def run(*arguments, check=True, **options):
    """Runs a program; its CompletedProcess with text output."""
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return done


# What a build without the importer of OTF2 has no use for.
needs_otf2 = unittest.skipIf("-Dotf2=enabled" in run(XTF, "import", "--help").stdout, "this xtf was built without OTF2")


def make_trace(path, procs, threads, records, page_size=4096, plain=False):
    run(MAKE_TRACE, path, str(procs), str(threads), str(records), str(page_size), *(["plain"] if plain else []))
    return path


def is_mounted(directory):
    with open("/proc/self/mounts") as mounts:
        return any(line.split()[1] == directory for line in mounts)


def wait_until(condition, what, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s in vain: {what}")
        time.sleep(0.01)


# What a mount says of most traces that were recorded without a synchronisation of clocks, and of made-up ones.
OF_CLOCKS = ": the clocks disagree; xtf align corrects them"


class Mount:
    """A trace mounted by a daemon in the foreground. Its messages are checked to be none at the end, but for clocks."""

    def __init__(self, trace, options=None, quiet_at_end=True):
        self.trace = trace
        self.options = options
        self.quiet_at_end = quiet_at_end

    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix="xtf-test-")
        self.log = tempfile.TemporaryFile("w+")
        command = [XTF, "mount", "-f", self.trace, self.dir] + (["-o", self.options] if self.options else [])
        self.daemon = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        wait_until(lambda: is_mounted(self.dir) or self.daemon.poll() is not None, "mounting")
        if self.daemon.poll() is not None:
            raise AssertionError("the daemon ended: " + self.messages())
        return self

    def __exit__(self, *exception):
        try:
            if self.daemon.poll() is None:
                self.daemon.send_signal(signal.SIGTERM)
            status = self.daemon.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.daemon.kill()
            status = "a time-out"
        if is_mounted(self.dir):
            run("umount", "-l", self.dir, check=False)
        os.rmdir(self.dir)
        if exception[0] is None:
            assert status == 0, f"the daemon ended with {status}: {self.messages()}"
            said = [line for line in self.messages().splitlines() if not line.endswith(OF_CLOCKS)]
            assert not self.quiet_at_end or not said, said
        self.log.close()

    def messages(self):
        self.log.seek(0)
        return self.log.read()

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def read(self, *parts):
        with open(self.path(*parts), "rb") as file:
            return file.read()

    def count(self, *parts):
        return int(self.read(*parts, "count"))

    def stats(self):
        text = os.getxattr(self.dir, "user.xtf.stats").decode()
        return {name: int(value) for name, value in (line.split() for line in text.splitlines())}

    def requests(self):
        """Requests that the daemon has seen, by kind, but for those that asking makes, and those that come late."""
        return {name: value for name, value in self.stats().items()
                if name.startswith("requests.") and name not in ("requests.getxattr", "requests.forget")}

    def assert_cached(self, action):
        """That doing something again costs no request. The kernel is free to drop what it has cached at any instant, when
        memory is wanted elsewhere; so there are some attempts, of which one must succeed."""
        for _ in range(5):
            before = self.requests()
            action()
            after = self.requests()
            if after == before:
                return
        raise AssertionError(f"again and again it costs requests: {before}, then {after}")

    def resident(self):
        """The daemon's memory, bytes."""
        with open(f"/proc/{self.daemon.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1)) * 1024

    def files(self, start="."):
        """All regular files below a directory, as find finds them."""
        listed = run("find", start, "-type", "f", cwd=self.dir).stdout.splitlines()
        return [os.path.normpath(path) for path in listed]


class TestCase(unittest.TestCase):
    """Tests of one trace: sub-classes say which, it is made once."""

    procs, threads, records, page_size = 4, 2, 4000, 4096
    plain = False  # so many more pages

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="xtf-test-")
        path = os.path.join(cls.folder.name, "trace.xtf")
        cls.trace = make_trace(path, cls.procs, cls.threads, cls.records, cls.page_size, cls.plain)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()


def main():
    require_fuse()
    unittest.main(verbosity=2)
