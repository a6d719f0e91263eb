"""The contents of a trace of OpenTS, read by Python's ElementTree, and the contents of its import, read by xtf."""

import decimal
import functools
import os
import struct
import subprocess
import xml.etree.ElementTree as ElementTree

from xtfrun import Xtf

NAMES = {"S": "started", "P": "prenatal", "X": "exported", "I": "imported", "A": "active", "W": "suspended", "F": "finished"}
TYPES = ("slices", "resources", "task_states", "task_moves", "message_totals", "message_kinds")
COUNTERS = ("sbytes", "scount", "rbytes", "rcount")


@functools.cache
def command_of(program):
    return Xtf(program)


def run(xtf, *arguments, **options):
    return command_of(xtf).completed(*arguments, **options)


def cat(xtf, trace, path):
    done = run(xtf, "cat", trace, path)
    if done.returncode:
        raise RuntimeError(f"{path}: {done.stderr}")
    return done.stdout


def ticks(seconds):
    """Converts seconds to nanoseconds and rounds halves up. Returns "-" for no value."""
    if seconds is None:
        return "-"
    return str(int((decimal.Decimal(seconds) * 10**9).to_integral_value(decimal.ROUND_HALF_UP)))


def real(text):
    return "-" if text is None else struct.pack("<d", float(text))


def of_rank(rank):
    """Yields (type, event, fields) of the elements of a rank in their order."""
    for element in rank:
        counters = [element.get(name, "-") for name in COUNTERS]
        if element.tag == "resource":
            times = [ticks(element.get(name)) for name in ("tasks", "idle", "sched", "mpi")]
            yield "resources", "resource", times + [real(element.get(name)) for name in ("mbytes", "mflops")]
        elif element.tag == "task":
            event = NAMES.get(element.get("type"), element.get("type"))
            yield "task_states", event, [element.get("count")]
            for detail in element.iter("detail"):
                direction = "to" if detail.get("to") else "from"
                yield "task_moves", event, [detail.get(direction), direction, detail.get("count")]
        elif element.tag == "message":
            yield "message_totals", "message", counters
            for extra in element.iter("extra"):
                yield "message_kinds", "extra", [extra.get("type")] + [extra.get(name, "-") for name in COUNTERS]


def expected(path):
    """Returns the records by type, in the order of time and process: (time in ticks, process, seq, event, slice, fields)."""
    records = {name: [] for name in TYPES}
    seqs, lasts = {}, {}

    def add(kind, rank, time, event, frame, fields):
        lasts[rank] = max(lasts.get(rank, 0), int(ticks(time)))
        records[kind].append((lasts[rank], rank, seqs.setdefault(rank, 0), event, frame, fields))
        seqs[rank] += 1

    for part in ElementTree.parse(path).getroot().iter("slice"):
        frame, time = part.get("num"), part.get("time")
        add("slices", 0, time, "slice", frame, [str(len(part.findall("rank")))])
        for rank in part.iter("rank"):
            for kind, event, fields in of_rank(rank):
                add(kind, int(rank.get("num")), time, event, frame, fields)
    return {kind: sorted(rows, key=lambda row: row[:3]) for kind, rows in records.items()}


def imported(xtf, trace):
    """Returns the same records of an import."""
    records = {}
    for kind in TYPES:
        records[kind] = []
        for line in cat(xtf, trace, f"{kind}/records").splitlines():
            time, proc, _thread, seq, event, _region, frame, *fields = line.split()
            if kind == "message_kinds":  # the last column is the name of the kind
                fields = [fields[5], *fields[1:5]]
            if kind == "resources":
                fields[4:] = [value if value == "-" else real(value) for value in fields[4:]]
            records[kind].append((int(ticks(time)), int(proc), int(seq), event, frame, fields))
        records[kind].sort(key=lambda row: row[:3])
    return records


def properties(xtf, trace):
    lines = cat(xtf, trace, "definitions/properties").splitlines()[1:]
    return {line.split(None, 2)[1]: line.split(None, 2)[2].rstrip() if len(line.split(None, 2)) > 2 else "" for line in lines}


def remarks(xtf, trace):
    """Returns (kind, text) of each remark."""
    return [tuple(part.strip() for part in line.split(None, 2)[1:]) for line in cat(xtf, trace, "definitions/remarks").splitlines()[1:]]


def canonical(path, *options):
    done = subprocess.run(["xmllint", "--c14n", *options, os.fspath(path)], capture_output=True, timeout=120, check=True)
    return done.stdout
