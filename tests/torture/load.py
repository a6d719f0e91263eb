#!/usr/bin/env python3
"""32 readers on one mount: each answer is compared with one made alone. Finds wrong bytes, deadlocks, and memory that grows.

usage: load.py --build FOLDER [--long] [--seed N] [--case N] [ROW...]

A case of a row is a set of questions and 32 readers, which read most of the time past the kernel's page cache. The cases of a row share a
mount. In `ends` each mount ends under load. In `growing` a mount of a trace that is being written ends between two crowds of readers.
Every answer counts as a case of the last line.
"""
import contextlib
import dataclasses
import functools
import os
import pathlib
import queue
import signal
import subprocess
import time
import typing

import mounted
from mounted import MIB, Daemon
from torture import Torture, scratch_folder

READERS = 32
QUESTIONS = {False: 250, True: 1000}  # of a case, by --long
BUDGET = 48 * MIB  # bytes of the answers of a case
MAX_NODES = 2048  # names that the kernel may hold: few, so that their number is steady soon
GROWTH = 8 * MIB  # bytes by which memory may grow from the middle of a row to its end
PERIOD_MS = 10  # between two commits of a growing trace
MOST = 96 * MIB  # bytes that a daemon may use beside its page cache


@dataclasses.dataclass
class Row:
    """The trace and the options of a mount, its load, the seconds of a case, and the number of cases. A long run has values of its own."""

    make: typing.Callable
    options: str
    load: typing.Callable
    seconds: float
    long_seconds: float
    quick: int
    long: int
    templates: str = "TEMPLATES"  # the list of questions.py


class Load:
    """The rows of one run, which share made traces."""

    def __init__(self, torture, folder):
        self.torture, self.folder, self.traces = torture, folder, mounted.Traces(torture, folder)

    def seconds(self, row):
        return row.long_seconds if self.torture.long else row.seconds

    def numbers(self, row):
        return self.torture.numbers(row.quick, row.long)

    @contextlib.contextmanager
    def mount(self, row, name, number, trace=None, more=""):
        """Mounts a trace: the row's one if none is named. Reports a mount that fails, or a daemon that ends with an error."""
        import harness
        threads = self.torture.random(name, f"{number} threads").choice([2, 8, 32])
        options = f"{row.options},max_nodes={MAX_NODES},threads={threads}{more}"
        try:
            with harness.Mount(str(trace or self.traces(row.make)), options, quiet_at_end=False) as mount:
                yield mount
        except AssertionError as fault:
            self.torture.check(False, name, number, f"mount with {options}: {fault}")

    @contextlib.contextmanager
    def asked(self, row):
        """Yields the process that answers alone."""
        import questions
        asked = questions.AskTree(self.torture.program("tests/roundtrip/ask-tree"), self.traces(row.make))
        try:
            yield asked
        finally:
            asked.end()

    def questions(self, asked, row, name, number, walked):
        """Returns the questions of a case."""
        import questions
        return questions.make_questions(asked, walked, getattr(questions, row.templates), self.torture.random(name, f"{number} questions"),
                                        QUESTIONS[self.torture.long], BUDGET)

    def crowd(self, mount, questions, name, number, seconds):
        from readers import Crowd
        return Crowd(mount.dir, questions, lambda i: self.torture.random(name, f"{number} reader {i}"), READERS, time.monotonic() + seconds)

    def watch(self, crowd, daemon, name, number, until=None):
        """Samples the daemon until a time, or until all readers have ended. Returns false if a request got no answer: then the daemon is killed."""
        while crowd.working() and (until is None or time.monotonic() < until):
            daemon.sample()
            hung = crowd.hung(daemon)
            if hung:
                self.torture.check(False, name, number, hung)
                os.kill(daemon.pid, signal.SIGKILL)
                return False
            time.sleep(0.05)
        return True

    def collect(self, crowd, name, number):
        """Counts the answers of a case, and reports the wrong ones."""
        n, faults = crowd.results()
        self.torture.count(n)
        for fault in faults:
            self.torture.check(False, name, number, fault)
        return n

    def check_memory(self, daemon, row, name, number):
        """Compares the daemon's memory at the end of a row with the middle, and with a bound."""
        import harness
        if harness.SANITIZED:
            return
        grown, most = daemon.growth()
        cache = int(row.options.partition("cache=")[2].partition("M")[0]) * MIB
        self.torture.check(grown <= GROWTH, name, number, f"memory grew by {grown / MIB:.1f} MiB from the middle to the end")
        self.torture.check(most <= MOST + cache, name, number, f"memory of {most / MIB:.0f} MiB, with a cache of {cache // MIB} MiB")
        if os.environ.get("XTF_TORTURE_VERBOSE"):
            print(f"{name}: memory {most / MIB:.1f} MiB at most, {grown / MIB:+.1f} MiB from the middle to the end")


def load_one_mount(load, row, name):
    """Loads one mount in all cases of a row, each with questions of its own."""
    import questions
    with load.asked(row) as asked, load.mount(row, name, 0) as mount:
        walked, daemon, number = questions.walk(mount.dir), Daemon(mount.daemon.pid), 0
        for number in load.numbers(row):
            crowd = load.crowd(mount, load.questions(asked, row, name, number, walked), name, number, load.seconds(row))
            answered = load.watch(crowd, daemon, name, number)
            load.collect(crowd, name, number)
            if not answered:
                mount.status_at_end = -signal.SIGKILL
                return
        load.check_memory(daemon, row, name, number)


def unmount_lazily(mount):
    """Detaches the mount. Its daemon ends with the last open file."""
    import harness
    harness.run(harness.XTF, "unmount", "--lazy", mount.dir)


def kill(mount):
    """Kills the daemon, and removes its mount, which readers still use."""
    import harness
    mount.status_at_end = -signal.SIGKILL
    mount.daemon.kill()
    mount.daemon.wait()
    harness.run(harness.XTF, "unmount", "--lazy", mount.dir)


def send(number, mount):
    """Sends the daemon a signal, on which it unmounts and ends."""
    mount.daemon.send_signal(number)


def send_often(mount):
    """Sends the daemon SIGTERM until it has ended, as an impatient user does. It ends as after one signal."""
    for _ in range(20000):
        if mount.daemon.poll() is not None:
            break
        mount.daemon.send_signal(signal.SIGTERM)
        time.sleep(0.0005)


# Ways in which a mount ends.
ENDS = [functools.partial(send, signal.SIGTERM), functools.partial(send, signal.SIGINT), unmount_lazily, kill, send_often]


def check_end(load, mount, name, number):
    """Checks that a daemon ends, and leaves no mount and no process behind."""
    import harness
    import mounting
    try:
        mount.daemon.wait(harness.TIMEOUT)
        harness.wait_until(lambda: not harness.is_mounted(mount.dir), "the end of the mount")
        harness.wait_until(lambda: not mounting.unmounter(mount.dir), "the end of the unmounter")
    except (subprocess.TimeoutExpired, AssertionError) as fault:
        load.torture.check(False, name, number, f"{fault}\n{Daemon(mount.daemon.pid).stacks()}")


def load_and_end(load, row, name):
    """Ends each mount under load at a random time, in turn by each of the ways. Readers get right answers or errors, and end."""
    import questions
    walked = None
    with load.asked(row) as asked:
        for number in load.numbers(row):
            numbers = load.torture.random(name, number)
            with load.mount(row, name, number) as mount:
                walked = walked or questions.walk(mount.dir)
                daemon, until = Daemon(mount.daemon.pid), time.monotonic() + load.seconds(row) * numbers.uniform(0.2, 1)
                crowd = load.crowd(mount, load.questions(asked, row, name, number, walked)[:QUESTIONS[False]], name, number, 60)
                load.watch(crowd, daemon, name, number, until)
                crowd.announce_end()
                ENDS[number % len(ENDS)](mount)
                load.watch(crowd, daemon, name, number)
                load.collect(crowd, name, number)
                check_end(load, mount, name, number)


def read_growing(load, mount, parts, name, number, seconds):
    """Lets the readers of a growing trace read for some seconds. They compare each answer with the writer's records."""
    import growing
    import readers
    results, daemon = readers.CONTEXT.Queue(), Daemon(mount.daemon.pid)
    until = time.monotonic() + seconds
    processes = [readers.CONTEXT.Process(target=growing.read_until, args=(mount.dir, 1000 * number + i, parts, until, results))
                 for i in range(READERS)]
    for process in processes:
        process.start()
    found = []
    while len(found) < READERS:
        daemon.sample()
        with contextlib.suppress(queue.Empty):
            found.append(results.get(timeout=0.1))
        over = time.monotonic() - until
        if over > readers.NO_ANSWER_BUSY or over > readers.NO_ANSWER and daemon.rested(readers.NO_ANSWER / 2):
            load.torture.check(False, name, number, f"no answer in {over:.0f} s\n{daemon.stacks()}")
            mount.daemon.kill()
            mount.status_at_end = -signal.SIGKILL
            break
    for process in processes:
        process.kill() if len(found) < READERS else None
        process.join()
    load.torture.count(sum(n for n, _, _ in found))
    for _, _, problem in found:
        load.torture.check(problem is None, name, number, problem)


def start_writers(load, folder, kept, n_parts):
    """Starts the writers of a trace: of one file, or of parts in a folder. Returns the trace and the processes."""
    import growing
    grow = load.torture.program("tests/mount/grow")
    if n_parts == 1:
        trace = folder / "growing.xtf"
        return trace, [subprocess.Popen([grow, trace, str(PERIOD_MS), str(growing.COMMITS), str(kept)])]
    trace = folder / "growing.xtf.d"
    trace.mkdir()
    paths = [trace / f"part-{i}.xtf" for i in range(n_parts)]
    for path in paths:
        path.touch()
    masks = [sum(1 << proc for proc in range(i, growing.PROCS, n_parts)) for i in range(n_parts)]
    return trace, [subprocess.Popen([grow, path, str(PERIOD_MS), str(growing.COMMITS), str(kept), str(mask)]) for path, mask in zip(paths, masks)]


def has_first_processes(trace):
    """Returns true if a trace shows the processes of which each writer has one from its first commit on. Readers expect them."""
    import growing
    import harness
    return set(map(str, range(growing.PROCS_AT_BEGIN))) <= set(harness.run(harness.XTF, "ls", str(trace), "proc", check=False).stdout.split())


def check_grown(load, mount, name, number):
    """Checks the records at the end, when all writers have closed the trace."""
    import growing
    import harness
    try:
        harness.wait_until(lambda: mount.count() == len(growing.EXPECTED), "the last records")
        found = growing.parse_records(mount.read("records"))
        load.torture.check(found == growing.EXPECTED, name, number, "the records at the end differ")
    except AssertionError as fault:
        load.torture.check(False, name, number, str(fault))


def load_growing(load, row, name):
    """Reads a trace while it is written. Ends the mount in one of the ways, and reads in a second mount until the writers end."""
    import growing
    import harness
    for number in load.numbers(row):
        numbers = load.torture.random(name, number)
        n_parts, first = numbers.choice([1, 1, 2, 3]), numbers.uniform(0.2, 0.6)
        folder = pathlib.Path(load.folder, f"{name}-{number}")
        folder.mkdir()
        trace, writers = start_writers(load, folder, numbers.choice([0, 10]), n_parts)
        try:
            harness.wait_until(lambda: has_first_processes(trace), "the first commit of each writer")
            total = growing.COMMITS * PERIOD_MS / 1000
            for seconds in first * total, (1 - first) * total:
                with load.mount(row, name, number, trace, ",follow") as mount:
                    read_growing(load, mount, n_parts > 1, name, number, seconds)
                    if seconds != first * total:
                        check_grown(load, mount, name, number)
                    numbers.choice(ENDS)(mount)
                    check_end(load, mount, name, number)
        finally:
            for writer in writers:
                writer.kill()
                writer.wait()


ROWS = {
    "melt-64M": Row(mounted.import_melt, "cache=64M", load_one_mount, 2, 10, 1, 12),
    "melt-1M": Row(mounted.import_melt, "cache=1M", load_one_mount, 2, 10, 1, 12),
    "generated-64M": Row(mounted.generate, "cache=64M", load_one_mount, 2, 10, 1, 12),
    "generated-1M": Row(mounted.generate, "cache=1M", load_one_mount, 2, 10, 1, 12),
    "parts-1M": Row(mounted.split, "cache=1M", load_one_mount, 1, 10, 1, 6),
    "volumes-1M": Row(mounted.split_volumes, "cache=1M", load_one_mount, 1, 10, 1, 6),
    "runs-1M": Row(mounted.join_runs, "cache=1M", load_one_mount, 1, 10, 1, 6),
    "metrics-1M": Row(mounted.import_metrics, "cache=1M", load_one_mount, 1, 10, 1, 6),
    "network-1M": Row(mounted.import_network, "cache=1M", load_one_mount, 1, 10, 1, 6, "OF_NETWORK"),
    "clusters-1M": Row(mounted.import_clusters, "cache=1M", load_one_mount, 1, 10, 1, 6, "OF_NETWORK"),
    "sites-1M": Row(mounted.record_sites, "cache=1M", load_one_mount, 1, 10, 1, 6, "OF_SITES"),
    "ends": Row(mounted.import_melt, "cache=1M", load_and_end, 0.5, 2, 5, 25),
    "growing": Row(None, "cache=1M", load_growing, 0, 0, 1, 12),
}


def main():
    torture = Torture(__doc__.split("\n", 1)[0], list(ROWS))
    mounted.begin(torture)
    from sited import can_be_made
    with scratch_folder("load") as folder:
        load = Load(torture, pathlib.Path(folder))
        for name in torture.rows:
            if name.startswith("sites") and not can_be_made(torture):
                continue
            ROWS[name].load(load, ROWS[name], name)
    torture.finish()


if __name__ == "__main__":
    main()
