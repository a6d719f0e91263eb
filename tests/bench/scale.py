#!/usr/bin/env python3
"""Measures how XTF scales, by three traces.

One has the paper's 1 677 721 600 records, one 100 000 locations with 1000 records each, and one 100 000 locations with 100
records each.

usage: scale.py [--build DIR] [--dir DIR] [--records N] [--locations L] [--only paper|many|small]
                [--limit S] [--whole]

`generate` makes the traces. DIR (default: TMPDIR, or /var/tmp) needs some 10 GB; all files are removed at the end. Each figure
is a line of a Markdown table, with the command that it measures.

For 100 000 locations every table of the tree is read, whole and in a window, each by a new `xtf cat`. The figures are processor
time, elapsed time and memory. The trace is in the system's cache; the page cache has its default size, and is empty at first. A
table that takes longer than --limit seconds of processor time is stopped.
"""

import pathlib
import statistics
import subprocess
import time

import common


def figure(name, value, command):
    print(f"| {name} | {value} | `{command}` |", flush=True)


def time_work(work):
    before = time.monotonic()
    work()
    return time.monotonic() - before


def daemon_memory(folder):
    """Returns the peak memory of the daemon that serves a mount; finds it by the mount's name among the command lines."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            unmounter = (process / "comm").read_text() == "xtf-unmounter\n"
            if str(folder).encode() in words and b"mount" in words and not unmounter:
                status = (process / "status").read_text()
                return int(status.split("VmHWM:")[1].split()[0]) / 1024
        except (OSError, IndexError):
            continue
    return float("nan")


def generate_trace(arguments, path, records, locations):
    command = [arguments.bench / "generate", "-n", str(records), "-l", str(locations)]
    output = subprocess.run([*command, path], check=True, capture_output=True, text=True).stdout.split()
    shown = " ".join(["generate", *command[1:]])
    seconds, size = float(output[0]), int(output[1])
    figure(f"{records:,} records in {locations:,} location{'s' if locations > 1 else ''}: size",
           f"{size / 1e9:.2f} GB, {size / records:.2f} bytes a record", shown)
    figure("the same: built at", f"{records / seconds / 1e6:.1f} M records/s ({seconds:.0f} s)", shown)
    return shown


def probe(arguments, path):
    rows = subprocess.run([arguments.bench / "probe", "--rows", path], check=True, capture_output=True, text=True).stdout
    for line in rows.splitlines():
        name, value = (cell.strip() for cell in line.strip("|").split("|")[:2])
        figure(name, value, "probe")


def windows(count, share, random_state):
    for _ in range(count):
        random_state = random_state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        begin = (random_state >> 40) / (1 << 24) * (100 - share)
        yield f"{begin:.6f}%-{begin + share:.6f}%"


def read_times(folder, template, share, count):
    times = []
    for window in windows(count, share, 1):
        path = folder / template.format(window)
        times.append(time_work(path.read_bytes))
    return common.duration(statistics.median(times))


def mount_times(arguments, path, folder):
    times = []
    for _ in range(5):
        common.make_cold(path)
        with common.mounted(arguments.xtf, path, folder) as seconds:
            times.append(seconds)
    figure("xtf mount, cold, until the mount is usable", common.duration(statistics.median(times)), "xtf mount")


def mounted_figures(arguments, path, folder, name, times):
    mount_times(arguments, path, folder)
    with common.mounted(arguments.xtf, path, folder):
        figure("ls proc", common.duration(time_work(lambda: list((folder / "proc").iterdir()))), f"ls {name}/proc")
        first = time_work((folder / "matrix").stat)
        figure(f"the size of the matrix ({(folder / 'matrix').stat().st_size:,} bytes), the first time", common.duration(first),
               f"stat {name}/matrix")
        for view in "count", "profile":
            first = time_work((folder / "time/10%-20%" / view).read_bytes)
            figure(f"{view} over all processes in a window, the first one", common.duration(first),
                   f"cat {name}/time/10%-20%/{view}")
            figure(f"{view} over all processes, windows of 1% anywhere", read_times(folder, f"time/{{}}/{view}", 1, times),
                   f"cat {name}/time/A-B/{view}")
            figure(f"{view} of one process, windows of 1% anywhere",
                   read_times(folder, f"proc/0/time/{{}}/{view}", 1, 50), f"cat {name}/proc/0/time/A-B/{view}")
        with open(folder / "records", "rb") as records:
            figure("the first line of the global records", common.duration(time_work(records.readline)),
                   f"head -1 {name}/records")
        figure("the last line of the global records",
               common.duration(time_work(lambda: subprocess.run(["tail", "-1", folder / "records"], check=True,
                                                            stdout=subprocess.DEVNULL))), f"tail -1 {name}/records")
        figure("the daemon's memory after all this, at its peak", f"{daemon_memory(folder):.0f} MiB", f"xtf mount {name}.xtf")


def table_names(arguments, path, selection):
    """Returns the tables that `xtf ls` lists, and some tables by blocks, which no listing has."""
    listed = subprocess.run([arguments.xtf, "ls", path, f"/{selection}"], check=True, capture_output=True, text=True).stdout.split()
    no_tables = {"README", "columns", "definitions", "frames", "num", "proc", "records", "time", "zoom", "next", "prev"}
    types = {"calls", "enters_leaves", "sends", "recvs", "requests", "collectives", "counters", "threads"}
    return [name for name in listed if name not in no_tables | types] + [
        "by/proc/count", "by/proc/profile", "by/time:100/profile", "by/time:100/classes"]


def table_figures(arguments, path, name):
    common.make_warm(path)
    for selection in ("",) if arguments.whole else ("", "time/10%-20%/"):
        for table in table_names(arguments, path, selection):
            run = common.Run([arguments.xtf, "cat", path, f"/{selection}{table}"], limit=arguments.limit)
            figure(f"{table}{' in a window of 10%' if selection else ', the whole trace'}",
                   f"{'more than ' if run.killed else ''}{common.duration(run.cpu)} of processor, "
                   f"{common.duration(run.seconds)} elapsed, {run.mebibytes:.0f} MiB",
                   f"xtf cat {name}.xtf /{selection}{table}")


def small_figures(arguments, path, folder, name):
    """Measures queries that read the rows of all locations, since few rows have no stored totals. Figures are the least of some
    runs."""
    common.make_warm(path)
    for table in "profile", "time/10%-20%/profile", "time/10%-20%/count", "totals", "info":
        runs = [common.Run([arguments.xtf, "cat", path, f"/{table}"]) for _ in range(3)]
        figure(table, f"{common.duration(min(run.cpu for run in runs))} of processor, "
               f"{common.duration(min(run.seconds for run in runs))} elapsed, {max(run.mebibytes for run in runs):.0f} MiB",
               f"xtf cat {name}.xtf /{table}")
    with common.mounted(arguments.xtf, path, folder):
        for which in "the first time", "again":
            before = common.processor_of_mount(folder)
            run = common.Run(["ls", folder / "proc"])
            figure(f"ls proc, {which}", f"{common.duration(run.cpu)} of processor, and "
                   f"{common.duration(common.processor_of_mount(folder) - before)} of the daemon", f"ls {name}/proc")
        (folder / "matrix").stat()
        for view in "count", "profile":
            for window in windows(4, 1, 1):
                (folder / f"time/{window}" / view).read_bytes()
        (folder / "profile").read_bytes()
        with open(folder / "records", "rb") as records:
            records.readline()
        subprocess.run(["tail", "-1", folder / "records"], check=True, stdout=subprocess.DEVNULL)
        figure("the daemon's peak after `ls proc`, the size of the matrix, 4 counts and 4 profiles in windows, `profile`, the first "
               "and the last line of `records`", f"{daemon_memory(folder):.0f} MiB", f"xtf mount {name}.xtf")


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=1677721600)
    parser.add_argument("--locations", type=int, default=100000)
    parser.add_argument("--limit", type=int, default=600, help="seconds of processor for a table")
    parser.add_argument("--whole", action="store_true", help="tables of the whole trace only, none of a window")
    parser.add_argument("--only", choices=("paper", "many", "small"))
    arguments = parser.parse_args()
    arguments.xtf = arguments.build / "src/cli/xtf"
    arguments.bench = arguments.build / "tests/bench"
    if not arguments.rows:
        print("| figure | measured | command |\n|---|---|---|", flush=True)
    with common.folder(arguments.dir) as folder:
        for name, records, locations, times in (("paper", arguments.records, 8, 50),
                                                ("many", arguments.locations * 1000, arguments.locations, 5),
                                                ("small", arguments.locations * 100, arguments.locations, 0)):
            if arguments.only not in (None, name):
                continue
            path = folder / f"{name}.xtf"
            generate_trace(arguments, path, records, locations)
            if name == "small":
                small_figures(arguments, path, folder / "mount", name)
                path.unlink()
                continue
            probe(arguments, path)
            mounted_figures(arguments, path, folder / "mount", name, times)
            if name == "many":
                table_figures(arguments, path, name)
            path.unlink()


if __name__ == "__main__":
    main()
