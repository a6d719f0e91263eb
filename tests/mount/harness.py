"""Real mounts for tests: makes traces, mounts them, reads the daemon's counters, and always cleans up."""

import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "record"))
import fewer  # noqa: E402

XTF = os.environ["XTF"]
MAKE_TRACE = os.environ["MAKE_TRACE"]
SKIP = 77
TIMEOUT = 60  # seconds; a busy machine takes several times as long

with open(XTF, "rb") as program:
    # True with sanitizers, where figures for memory and for loads that depend on timing mean nothing.
    SANITIZED = re.search(b"__[at]san_init", program.read()) is not None


def require_fuse():
    """Ends the script as skipped where nothing can be mounted."""
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as error:
        print(f"skipped: /dev/fuse: {error.strerror}")
        sys.exit(SKIP)


def has_landlock():
    """True if the kernel restricts files by Landlock. Asks for the version of landlock_create_ruleset(2)."""
    return ctypes.CDLL(None).syscall(444, None, 0, 1) > 0


def run(*arguments, check=True, **options):
    """Runs a program and returns its CompletedProcess with text output."""
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return done


# Decorator of tests that a build without the OTF2 importer skips.
needs_otf2 = unittest.skipIf("-Dotf2=enabled" in run(XTF, "import", "--help").stdout, "this xtf was built without OTF2")


def make_trace(path, procs, threads, records, page_size=4096, plain=False):
    run(MAKE_TRACE, path, str(procs), str(threads), str(records), str(page_size), *(["plain"] if plain else []))
    return path


def is_mounted(directory):
    with open("/proc/self/mounts") as mounts:
        return any(line.split()[1] == directory for line in mounts)


def wait_until(condition, event, seconds=TIMEOUT):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"timeout after {seconds} s: {event}")
        time.sleep(0.01)


# Message of a mount on most traces recorded without synchronized clocks, and on made-up traces.
OF_CLOCKS = ": the clocks disagree; xtf align corrects them"


class Mount:
    """A trace mounted by a daemon in the foreground. At the end the daemon may have printed only messages on clocks."""

    def __init__(self, trace, options=None, quiet_at_end=True):
        self.trace = trace
        self.options = options
        self.quiet_at_end = quiet_at_end
        self.status_at_end = 0

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
            status = self.daemon.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.daemon.kill()
            status = "a time-out"
        if is_mounted(self.dir):
            run("umount", "-l", self.dir, check=False)
        os.rmdir(self.dir)
        if exception[0] is None:
            assert status == self.status_at_end, f"the daemon ended with {status}: {self.messages()}"
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
        """Returns the daemon's counts of requests by kind, without the requests of this query and without forget, which arrives late."""
        return {name: value for name, value in self.stats().items()
                if name.startswith("requests.") and name not in ("requests.getxattr", "requests.forget")}

    def assert_cached(self, action):
        """Asserts that a repeated action costs no request. The kernel may drop its cache at any time if it needs memory, so one of five
        attempts must succeed."""
        for _ in range(5):
            before = self.requests()
            action()
            after = self.requests()
            if after == before:
                return
        raise AssertionError(f"again and again it costs requests: {before}, then {after}")

    def resident(self):
        """Returns the daemon's memory in bytes."""
        with open(f"/proc/{self.daemon.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1)) * 1024

    def files(self, start="."):
        """Returns all regular files below a directory, as find prints them."""
        listed = run("find", start, "-type", "f", cwd=self.dir).stdout.splitlines()
        return [os.path.normpath(path) for path in listed]


class TestCase(unittest.TestCase):
    """Tests of one trace, which is made once. Subclasses define it."""

    procs, threads, records, page_size = 4, 2, 4000, 4096
    plain = False  # true: many more pages

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
    fewer.main(verbosity=2)
