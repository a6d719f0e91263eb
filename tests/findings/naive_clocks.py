"""Counts messages and collective operations that contradict the clocks of a trace, naively from its records."""

import collections
import csv
import io
from decimal import Decimal

from asking import Refused

FROM_ROOT = {"BCAST", "SCATTER", "SCATTERV"}
TO_ROOT = {"REDUCE", "GATHER", "GATHERV"}
SCAN = {"SCAN", "EXSCAN"}
ALL_TO_ALL = {"ALLGATHER", "ALLGATHERV", "ALLTOALL", "ALLREDUCE", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK"}
ONE_IN = 1000
# The END of an operation of one process. An unknown number of bytes is None.
End = collections.namedtuple("End", "begin end root sent received")


def rows(asker, path):
    try:
        return list(csv.DictReader(io.StringIO(asker.ask(f"cat {path}.csv").decode(), newline="")))
    except Refused:
        return []


def messages(asker):
    """Returns (judged, impossible, greatest contradiction)."""
    try:
        head, *lines = asker.ask("cat messages").decode().splitlines()
    except Refused:
        return 0, 0, Decimal(0)
    names = head.lstrip("# ").split()
    pairs = [dict(zip(names, line.split())) for line in lines]
    flights = [Decimal(pair["received"]) - Decimal(pair["sent"]) for pair in pairs
               if pair["state"] == "certain" and "-" not in (pair["sent"], pair["received"])]
    impossible = [-flight for flight in flights if flight < 0]
    return len(flights), len(impossible), max(impossible, default=Decimal(0))


def number(cell):
    return int(cell) if cell else None


def operations(asker):
    """Returns {(communicator, number among its operations, operation): {process: End}} of blocking operations, from their records alone."""
    found, counts, begins_by_thread = collections.defaultdict(dict), collections.Counter(), {}
    for row in rows(asker, "collectives/records"):
        thread = row["proc"], row["thread"]
        if row["event"] == "MPI_COLLECTIVE_BEGIN":
            begins_by_thread[thread] = Decimal(row["time"])
        elif row["event"] == "MPI_COLLECTIVE_END" and row["comm"]:
            key = row["proc"], row["comm"]
            place = found[row["comm"], counts[key], row["operation"]]
            counts[key] += 1
            place[int(row["proc"])] = End(begins_by_thread.pop(thread, None), Decimal(row["time"]), number(row["root"]), number(row["bytes"]), number(row["received"]))
    return found


def exchanges(kind, count):
    return kind == "BARRIER" or count is None or count > 0


def cause_of(kind, ends, ranks, proc):
    """Returns the latest begin that must precede a member's end, or None."""
    begins = {member: end.begin for member, end in ends.items() if member != proc and exchanges(kind, end.sent)}
    root = next((member for member in ends if ranks[member] == ends[proc].root), None)
    if not exchanges(kind, ends[proc].received):
        return None
    if kind in FROM_ROOT:
        begins = {member: begin for member, begin in begins.items() if member == root}
    elif kind in TO_ROOT:
        begins = begins if root == proc else {}
    elif kind in SCAN:
        begins = {member: begin for member, begin in begins.items() if ranks[member] < ranks[proc]}
    elif kind not in ALL_TO_ALL | {"BARRIER"}:
        return None
    return max(begins.values(), default=None)


def members(asker):
    """Returns the same as messages() for ends of collective operations in communicators of several processes."""
    communicators, groups = rows(asker, "definitions/communicators"), rows(asker, "definitions/groups")
    of_groups = rows(asker, "definitions/members")
    judged = impossible = 0
    most = Decimal(0)
    for (comm, _, kind), ends in operations(asker).items():
        group = groups[int(communicators[int(comm)]["group"])] if communicators[int(comm)]["group"] else None
        if not group or len(ends) < 2 or len(ends) != int(group["count"]) or any(end.begin is None for end in ends.values()):
            continue
        ranks = {proc: rank for rank, proc in enumerate(procs_of(group, of_groups))}
        for proc, end in ends.items():
            cause = cause_of(kind, ends, ranks, proc) if set(ranks) == set(ends) else None
            if cause is not None:
                judged, impossible, most = judged + 1, impossible + (end.end < cause), max(most, cause - end.end)
    return judged, impossible, most


def procs_of(group, of_groups):
    """Returns the processes of a group by rank."""
    return [int(row["proc"]) for row in of_groups[int(group["first"]):int(group["first"]) + int(group["count"])] if row["proc"]]


def contradictions(asker):
    """Returns ("messages" or "members", judged, impossible, most), or None if the clocks agree with all but one effect in a thousand."""
    for name, (judged, impossible, most) in (("messages", messages(asker)), ("members", members(asker))):
        if impossible > judged // ONE_IN:
            return name, judged, impossible, most
    return None
