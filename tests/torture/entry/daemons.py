"""Rows of the daemon: the table of tests/torture/entry/confined-rows.def, and the state of the daemons of real mounts."""
import collections
import os
import pathlib
import re
import shutil
import subprocess

import attempts
from attempts import Attempts

PROGRAMS = ("confined", "confined-by-landlock")
LAST = re.compile(r"(\d+) rows, (\d+) wrong, (\d+) skipped\n\Z")
LEAST = {"confined": 80, "confined-by-landlock": 0}  # rows that must be compared: with all barriers, as any user; with Landlock if there is any
PROCESSES = 3  # of each table
# Targets of a daemon's descriptors, open for reading (r), writing (w) or both.
DESCRIPTORS = (("/dev/null", "rw"), ("/dev/fuse", "rw"), ("socket:", "rw"), ("pipe:", "r"), ("pipe:", "w"), ("anon_inode:inotify", "r"),
               ("anon_inode:[eventfd]", "rw"))
SYS_ADMIN, DAC_READ_SEARCH = 1 << 21, 1 << 2


def run_table(torture, folder):
    """Runs the table of confinement: as this user, as an ordinary user, and with Landlock alone. Counts each row as a case."""
    folder.chmod(0o755)
    running = []
    for name in PROGRAMS:
        program = shutil.copy(torture.program(f"tests/torture/{name}"), folder)
        for as_other in (False, True) if os.geteuid() == 0 and name == "confined" else (False,):
            options = {"preexec_fn": attempts.become_other} if as_other else {}
            running += [(name, as_other, subprocess.Popen([program, str(i), str(PROCESSES)], stdout=subprocess.PIPE, text=True, **options))
                        for i in range(PROCESSES)]
    try:
        compare_results(torture, running)
    finally:  # each has a folder to remove, and a process to end
        for *_, process in running:
            if process.poll() is None:
                process.communicate()


def compare_results(torture, running):
    """Waits for the programs of the table, and counts their rows."""
    compared = collections.Counter()
    for name, as_other, process in running:
        output = process.communicate(timeout=300)[0]
        last = LAST.search(output)
        n, wrong, skipped = map(int, last.groups()) if last else (0, 1, 0)
        torture.count(n - skipped)
        complaints = [line for line in output.splitlines() if line.startswith("WRONG")]
        torture.check(last and wrong == 0, "confinement", 0, f"{name}{', an ordinary user' if as_other else ''}:", *complaints)
        compared[name, as_other] += n - skipped
    for (name, _), n in compared.items():
        torture.check(n >= LEAST[name], "confinement", 0, f"{name} compares only {n} rows")


def status_of(path):
    return dict(re.findall(r"(\w+):\t(.*)", pathlib.Path(path).read_text()))


def is_expected(target, mode, folder):
    if target.startswith(str(folder)):
        return mode == "r"
    return any(target.startswith(prefix) and mode == wanted for prefix, wanted in DESCRIPTORS)


def check_threads(tries, pid, capabilities):
    """Checks the rights of each thread of a daemon, by proc(5)."""
    checked = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            status = status_of(task / "status")
        except (FileNotFoundError, ProcessLookupError):  # the thread has just ended
            continue
        checked.append(int(task.name))
        sets = {name: int(status[name], 16) for name in ("CapEff", "CapPrm", "CapBnd", "CapInh", "CapAmb")}
        tries.check(not any(value & ~capabilities for value in sets.values()), f"thread {task.name} has capabilities: {sets}")
        tries.check(status["NoNewPrivs"] == "1" and status["Seccomp"] == "2", f"thread {task.name}: no filter, or new privileges")
    tries.check(pid in checked, f"the first thread of process {pid} is gone: {checked}")


def check_daemon(tries, mount, folder, capabilities):
    pid = mount.daemon.pid
    mount.count()
    check_threads(tries, pid, capabilities)
    for number in os.listdir(f"/proc/{pid}/fd"):
        if int(number) <= 2:
            continue  # of the terminal: the mount is in the foreground
        target = os.readlink(f"/proc/{pid}/fd/{number}")
        flags = int(re.search(r"flags:\t(\d+)", pathlib.Path(f"/proc/{pid}/fdinfo/{number}").read_text()).group(1), 8)
        mode = {os.O_RDONLY: "r", os.O_WRONLY: "w", os.O_RDWR: "rw"}[flags & os.O_ACCMODE]
        tries.check(is_expected(target, mode, folder), f"descriptor {number} leads to {target}, open for {mode}")
    executable = [line for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines() if re.search(" .wx", line)]
    tries.check(not executable, f"memory is writable and executable: {executable}")


def check_unmounter(harness, tries, pid):
    """Checks the rights of the unmounter, which gives others up soon after the mount is ready."""
    def status():
        return status_of(f"/proc/{pid}/status")

    if os.geteuid() == 0:
        harness.wait_until(lambda: status()["NoNewPrivs"] == "1", "the unmounter to give up rights")
        sets = [int(status()[name], 16) for name in ("CapEff", "CapBnd")]
        tries.check(sets == [SYS_ADMIN | DAC_READ_SEARCH] * 2, f"the unmounter has {sets}")


def try_daemon(torture, folder):
    """Mounts a file, parts and a trace that grows, and looks at the daemons."""
    import harness
    import mounted
    import mounting
    tries = Attempts(torture, "daemon")
    for name in "file", "parts", "growing":
        place = folder / name
        place.mkdir()
        writer = None
        if name == "growing":
            trace = place / "growing.xtf"
            writer = subprocess.Popen([torture.program("tests/mount/grow"), trace, "10", "1000", "4"])
            harness.wait_until(trace.exists, "the first commit")
        else:
            trace = mounted.import_melt(torture, place) if name == "file" else mounted.split(torture, place)
        kept = 0 if name == "file" or os.geteuid() != 0 else DAC_READ_SEARCH
        try:
            with harness.Mount(str(trace), "follow" if writer else None, quiet_at_end=False) as mount:
                check_daemon(tries, mount, place, kept)
                [unmounter] = mounting.unmounter(mount.dir)
                check_unmounter(harness, tries, unmounter)
        finally:
            if writer:
                writer.kill()
                writer.wait()
