"""Common code of the benches of whole programs: running, timing, mounting, cold files, and the rows of the table."""

import argparse
import contextlib
import mmap
import os
import pathlib
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent


def parser(description):
    """Returns a parser with the arguments of every bench."""
    result = argparse.ArgumentParser(description=description)
    result.add_argument("--build", default=os.environ.get("BUILD", HERE.parents[1] / "build"), type=pathlib.Path,
                        help="the build folder (default: build/)")
    result.add_argument("--dir", help="folder for the files (default: TMPDIR, or /var/tmp)")
    result.add_argument("--rows", action="store_true", help="no head above the table")
    result.add_argument("--times", type=int, default=5, help="number of runs; figures are their medians")
    return result


def start(arguments):
    """Prints the table's head, and resolves the programs."""
    if not arguments.rows:
        print("| figure | XTF | to reach | peers, in the same run |\n|---|---|---|---|", flush=True)
    arguments.xtf = arguments.build / "src/cli/xtf"
    arguments.bench = arguments.build / "tests/bench"
    if not arguments.xtf.exists():
        sys.exit(f"{arguments.xtf} is not built")
    if not (arguments.bench / "probe").exists():
        sys.exit(f"benches are not built: ninja -C {arguments.build} benches")


def row(figure, ours, target="", peers=""):
    print(f"| {figure} | {ours} | {target} | {peers} |", flush=True)


@contextlib.contextmanager
def folder(parent=None):
    """Makes a new folder, and removes it at the end."""
    path = tempfile.mkdtemp(prefix="xtf-bench-", dir=parent or os.environ.get("TMPDIR", "/var/tmp"))
    try:
        yield pathlib.Path(path)
    finally:
        shutil.rmtree(path)


class Run:
    """A finished command: its wall time, processor time and peak memory, including its children. `killed` if its processor time
    exceeded a limit in seconds."""

    def __init__(self, command, stdout=subprocess.DEVNULL, limit=None):
        before = time.monotonic()
        process = subprocess.Popen([str(word) for word in command], stdout=stdout, stderr=subprocess.DEVNULL,
                                   preexec_fn=limit and (lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))))
        _, status, usage = os.wait4(process.pid, 0)
        self.seconds = time.monotonic() - before
        process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu = usage.ru_utime + usage.ru_stime
        self.mebibytes = usage.ru_maxrss / 1024
        self.killed = limit is not None and process.returncode == -signal.SIGKILL
        if process.returncode != 0 and not self.killed:
            sys.exit(f"{' '.join(map(str, command))}: ended with {process.returncode}")


def median_run(times, command, before=lambda: None):
    """Returns the run with the median wall time, and the fastest run."""
    runs = []
    for _ in range(times):
        before()
        runs.append(Run(command))
    runs.sort(key=lambda run: run.seconds)
    return runs[len(runs) // 2], runs[0]


def make_cold(path):
    with open(path, "rb") as file:
        os.fdatasync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def make_warm(*paths):
    for path in paths:
        for file in [path] if path.is_file() else path.rglob("*"):
            if file.is_file():
                with open(file, "rb", buffering=0) as stream:
                    while stream.read(1 << 20):
                        pass


def make_memory_ready(size):
    """Touches `size` bytes of memory, so that the kernel has free memory at once. The host of a virtual machine may have
    reclaimed free memory. The first use of a reclaimed page costs a hundred times more (dd onto tmpfs: 1 GB/s, not 5)."""
    with mmap.mmap(-1, max(size, mmap.PAGESIZE)) as memory:
        for at in range(0, size, mmap.PAGESIZE):
            memory[at] = 1


@contextlib.contextmanager
def mounted(xtf, source, folder_of_mount):
    """Mounts the trace at a folder that it makes. Yields the seconds that mounting took."""
    folder_of_mount.mkdir(exist_ok=True)
    before = time.monotonic()
    subprocess.run([xtf, "mount", "-q", source, folder_of_mount], check=True)
    seconds = time.monotonic() - before
    try:
        yield seconds
    finally:
        subprocess.run([xtf, "unmount", folder_of_mount], check=True)


def processor_of_mount(folder):
    """Returns the seconds of processor that the processes of a mount have taken."""
    nanoseconds = 0
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (process / "cmdline").read_bytes().split(b"\0"):
                nanoseconds += sum(int((thread / "schedstat").read_text().split()[0]) for thread in (process / "task").iterdir())
        except OSError:
            continue
    return nanoseconds / 1e9


def stats(folder_of_mount):
    """Returns the daemon's counters, and the sum of its requests without the requests for these counters."""
    lines = os.getxattr(folder_of_mount, "user.xtf.stats").decode().splitlines()
    result = {name: int(value) for name, value in (line.split() for line in lines)}
    kinds = [name for name in result if name.startswith("requests.") and "xattr" not in name]
    result["requests"] = sum(result[name] for name in kinds)
    return result


def duration(seconds):
    for limit, factor, unit in (1e-6, 1e9, "ns"), (1e-3, 1e6, "us"), (1, 1e3, "ms"):
        if seconds < limit:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def median(values):
    return statistics.median(values)
