"""Computes the table `monitor` of a finished trace from its records, and compares it with the table and with `xtf watch`."""

import collections
import decimal
import json
import subprocess

CLASSES = {"computing": lambda name: not name.startswith(("MPI_", "pthread_")),
           "waiting": lambda name: name.startswith(("MPI_Wait", "MPI_Test", "MPI_Probe", "MPI_Iprobe")),
           "communicating": lambda name: name in ("MPI_Send", "MPI_Ssend", "MPI_Recv", "MPI_Sendrecv", "MPI_Irecv", "MPI_Recv_init", "MPI_Start", "MPI_Barrier", "MPI_Bcast",
                                                   "MPI_Reduce")}


def rows(xtf, trace, path):
    printed = subprocess.run([xtf, "cat", "--json", trace, path], capture_output=True, text=True, check=True).stdout
    return [json.loads(line, parse_float=decimal.Decimal) for line in printed.splitlines()]


def number(cell):
    return decimal.Decimal(cell)


def name_of_class(region):
    return next((name for name, matches in CLASSES.items() if matches(region)), "other")


def naive_thread(records):
    """Returns a thread's times by class, its calls, its last call that ended, and its open calls."""
    times, stack, last, calls = dict.fromkeys([*CLASSES, "other"], decimal.Decimal(0)), [], None, 0
    before = number(records[0]["time"])
    for row in records:
        now = number(row["time"])
        times[name_of_class(stack[-1]) if stack else "computing"] += now - before
        before = now
        if row["event"] == "ENTER":
            stack.append(row["name"])
            calls += 1
        elif row["event"] == "LEAVE":
            left = stack.pop()
            last = (left, now) if left.startswith("MPI_") else last
    return times, calls, last, stack


def naive_line(xtf, trace, proc):
    """Returns the figures of a process, from its records one by one. The stack and the last call are of its first thread."""
    records = collections.defaultdict(list)
    for row in rows(xtf, trace, f"proc/{proc}/records"):
        if row["time"] is not None:
            records[int(row["thread"])].append(row)
    # A thread without calls has no times, as in the table `classes`.
    threads = [naive_thread(records[thread]) for thread in sorted(records) if any(row["event"] == "ENTER" for row in records[thread])]
    times = {name: sum(thread[0][name] for thread in threads) for name in threads[0][0]}
    calls, (_, _, last, stack) = sum(thread[1] for thread in threads), threads[0]
    line = {name: str(time) for name, time in times.items()}
    line.update(proc=proc, calls=calls, last_region=last[0], last_left=str(last[1]), stack="/".join(stack) or None)
    for side, event in (("sent", "sends"), ("received", "recvs")):
        messages = rows(xtf, trace, f"proc/{proc}/{event}/records")
        line[f"{side}_messages"], line[f"{side}_bytes"] = len(messages), sum(row["bytes"] for row in messages)
    return line


def check_monitor(xtf, trace, procs):
    """Compares each cell that the records determine, and all cells with `xtf watch --once --json`."""
    watched = json.loads(subprocess.run([xtf, "watch", "--once", "--json", trace], capture_output=True, text=True, check=True).stdout)
    for proc in range(procs):
        line, = rows(xtf, trace, f"proc/{proc}/monitor")
        shown = watched["processes"][proc]
        assert {name: str(cell) for name, cell in line.items()} == {name: str(shown[name]) for name in line}, (line, shown)
        for name, cell in naive_line(xtf, trace, proc).items():
            same = line[name] == cell or (isinstance(cell, str) and name in (*CLASSES, "other", "last_left") and number(line[name]) == number(cell))
            assert same, f"{trace}, process {proc}: {name} is {line[name]}, but its records say {cell}"
