"""Shared parts of the harnesses that read mounts: traces to mount, the test modules for mounts, and the daemon's memory and threads.

begin() must run before `import harness`, `import growing` and `import asking`, because these read the environment.
"""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
NETWORK = TESTS.parent / "examples/network-8/net_median.nc"
MIB = 1 << 20
SKIP = 77
PARTS = 3
PROGRAMS = {"XTF": "src/cli/xtf", "MAKE_TRACE": "tests/mount/make-trace", "GROW": "tests/mount/grow"}


def begin(torture):
    """Names the programs of the build to the test modules for mounts. Exits with 77 where nothing can be mounted."""
    for name, path in PROGRAMS.items():
        os.environ[name] = str(torture.program(path))
    sys.path[:0] = [str(TESTS / folder) for folder in ("mount", "roundtrip", "torture/sites")]
    import harness
    if not os.path.exists("/dev/fuse"):
        print("skipped: no /dev/fuse here")
        sys.exit(SKIP)
    harness.require_fuse()


def run(*command, **options):
    """Runs a program, which must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: ended with {done.returncode}: {done.stderr}")


def analyze(torture, trace):
    run(torture.program("src/cli/xtf"), "analyze", "-q", trace)
    return trace


def import_melt(torture, folder):
    """Imports the recorded example, and analyses it."""
    trace = folder / "melt.xtf"
    run(torture.program("src/cli/xtf"), "import", "-q", TESTS.parent / "examples/melt-4/eztrace_log.otf2", "-o", trace)
    return analyze(torture, trace)


def generate(torture, folder, records=30000, locations=6):
    """Generates a trace of nested kernels, messages and collective operations, and analyses it."""
    trace = folder / f"generated-{records}.xtf"
    run(torture.program("tests/bench/generate"), "--records", records, "--locations", locations, trace)
    return analyze(torture, trace)


def generate_small(torture, folder):
    """Generates a trace that tools read in a second."""
    return generate(torture, folder, 4000, 4)


def split(torture, folder):
    """Splits the generated trace into parts, and returns their anchor, which has no analysis."""
    parts = folder / "parts"
    parts.mkdir()
    run(torture.program("tests/merge/split-trace"), generate(torture, folder, 20000, 6), parts / "part", PARTS, 1)
    run(torture.program("src/cli/xtf"), "merge", "-q", "--anchor", parts)
    return parts / "anchor.xtf"


def split_volumes(torture, folder):
    """Splits the generated trace into volumes, and analyses them."""
    run(torture.program("tests/merge/keep-volumes"), generate(torture, folder, 20000, 6), folder, "volumes.xtf", PARTS, 0)
    return analyze(torture, folder / "volumes.xtf")


def join_runs(torture, folder):
    """Joins two runs by an anchor, which has no analysis."""
    shutil.copy(TESTS.parent / "examples/rod-4/rod.xtf", folder / "run1.xtf")
    run(torture.program("tests/merge/make-run"), folder / "run1.xtf", folder / "run2.xtf", 10**10, 10**8)
    run(torture.program("src/cli/xtf"), "merge", "-q", "--runs", "--anchor", "-o", folder / "runs.xtf", folder / "run1.xtf", folder / "run2.xtf")
    return folder / "runs.xtf"


def import_network(torture, folder):
    """Imports the measured network of the examples."""
    trace = folder / "network.xtf"
    run(torture.program("src/cli/xtf"), "import", "-q", NETWORK, "-o", trace)
    return trace


def import_clusters(torture, folder):
    """Imports the clusters of the measured network."""
    run(torture.program("src/cli/xtf"), "cluster", "-q", "-o", folder / "clusters.nc", NETWORK)
    run(torture.program("src/cli/xtf"), "import", "-q", folder / "clusters.nc", "-o", folder / "clusters.xtf")
    return folder / "clusters.xtf"


def import_metrics(torture, folder):
    """Imports a made archive with metrics, and analyses it."""
    run(torture.program("tests/roundtrip/otf2-archives"), folder, "sums-growth")
    run(torture.program("src/cli/xtf"), "import", "-q", folder / "sums-growth.otf2", "-o", folder / "metrics.xtf")
    return analyze(torture, folder / "metrics.xtf")


def record_sites(torture, folder):
    """Records calls of MPI from known places, and finds the names of the places."""
    import sited
    trace = sited.record_sites(torture, folder, folder / "sited.xtf")
    run(torture.program("src/cli/xtf"), "record", "--names", "-q", trace)
    return trace


class Traces:
    """Traces made once in a folder: called with a function such as generate, returns the path of the trace that it made."""

    def __init__(self, torture, folder):
        self.torture, self.folder, self.made = torture, folder, {}

    def __call__(self, make):
        if make not in self.made:
            folder = self.folder / f"trace-{len(self.made)}"
            folder.mkdir()
            self.made[make] = make(self.torture, folder)
        return self.made[make]


class Daemon:
    """Samples of the memory and the processor time of a mount's daemon."""

    def __init__(self, pid):
        self.pid, self.samples, self.busy = pid, [], []

    def sample(self):
        """Records the resident memory in bytes and the processor time in seconds. Ignores a daemon that has ended."""
        with contextlib.suppress(OSError, AttributeError, IndexError):
            resident = int(re.search(r"VmRSS:\s+(\d+) kB", self.file("status")).group(1)) * 1024
            fields = self.file("stat").rpartition(")")[2].split()
            self.samples.append(resident)
            self.busy.append((time.monotonic(), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")))

    def file(self, name):
        with open(f"/proc/{self.pid}/{name}") as file:
            return file.read()

    def rested(self, seconds):
        """True if the daemon used less than a hundredth of the last `seconds`."""
        if not self.busy or self.busy[-1][0] - self.busy[0][0] < seconds:
            return False
        now, used = self.busy[-1]
        before = next(value for at, value in reversed(self.busy) if now - at >= seconds)
        return used - before < seconds / 100

    def growth(self):
        """Returns the most memory in the last fifth of the samples minus the most around the middle, and the most of all samples."""
        n = len(self.samples)
        if n < 10:
            return 0, max(self.samples, default=0)
        middle, end = self.samples[2 * n // 5:3 * n // 5], self.samples[4 * n // 5:]
        return max(end) - max(middle), max(self.samples)

    def used(self):
        """Returns the processor time in seconds from the first sample to the last."""
        return self.busy[-1][1] - self.busy[0][1] if self.busy else 0

    def stacks(self):
        """Returns where each thread waits: its name, the system call and the kernel's stack, as far as they are readable."""
        lines = []
        for thread in sorted(os.listdir(f"/proc/{self.pid}/task"), key=int):
            found = []
            for name in "comm", "wchan", "syscall", "stack":
                with contextlib.suppress(OSError):
                    found.append(" ".join(self.file(f"task/{thread}/{name}").split()[:12]))
            lines.append(f"  thread {thread}: {'; '.join(found)}")
        return "\n".join(lines)
