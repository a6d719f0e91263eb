"""Messages and collective operations that contradict the clocks of a trace, counted naively from its records."""

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
# An operation's END of one process. A number of bytes is None where it is not known.
End = collections.namedtuple("End", "begin end root sent received")


def rows(asker, path):
    try:
        return list(csv.DictReader(io.StringIO(asker.ask(f"cat {path}.csv").decode(), newline="")))
    except Refused:
        return []


def messages(asker):
    """(judged, impossible, by how much at most)"""
    try:
        head, *lines = asker.ask("cat messages").decode().splitlines()
    except Refused:
        return 0, 0, Decimal(0)
    names = head.lstrip("# ").split()
    pairs = [dict(zip(names, line.split())) for line in lines]
    flights = [Decimal(pair["received"]) - Decimal(pair["sent"]) for pair in pairs
               if pair["state"] == "certain" and "-" not in (pair["sent"], pair["received"])]
    late = [-flight for flight in flights if flight < 0]
    return len(flights), len(late), max(late, default=Decimal(0))


def number(cell):
    return int(cell) if cell else None


def operations(asker):
    """{(communicator, number among its operations): {process: End}}, of blocking operations, by their records alone."""
    found, counts, begun = collections.defaultdict(dict), collections.Counter(), {}
    for row in rows(asker, "collectives/records"):
        thread = row["proc"], row["thread"]
        if row["event"] == "MPI_COLLECTIVE_BEGIN":
            begun[thread] = Decimal(row["time"])
        elif row["event"] == "MPI_COLLECTIVE_END" and row["comm"]:
            key = row["proc"], row["comm"]
            place = found[row["comm"], counts[key], row["operation"]]
            counts[key] += 1
            place[int(row["proc"])] = End(begun.pop(thread, None), Decimal(row["time"]), number(row["root"]), number(row["bytes"]), number(row["received"]))
    return found


def exchanges(kind, count):
    return kind == "BARRIER" or count is None or count > 0


def cause_of(kind, ends, ranks, proc):
    """The latest beginning that a member's end needs; None: it needs none."""
    begins = {other: end.begin for other, end in ends.items() if other != proc and exchanges(kind, end.sent)}
    root = next((other for other in ends if ranks[other] == ends[proc].root), None)
    if not exchanges(kind, ends[proc].received):
        return None
    if kind in FROM_ROOT:
        begins = {other: begin for other, begin in begins.items() if other == root}
    elif kind in TO_ROOT:
        begins = begins if root == proc else {}
    elif kind in SCAN:
        begins = {other: begin for other, begin in begins.items() if ranks[other] < ranks[proc]}
    elif kind not in ALL_TO_ALL | {"BARRIER"}:
        return None
    return max(begins.values(), default=None)


def members(asker):
    """As messages(), of ends of collective operations in communicators of several processes."""
    communicators, groups = rows(asker, "definitions/communicators"), rows(asker, "definitions/groups")
    of_groups = rows(asker, "definitions/members")
    judged = late = 0
    most = Decimal(0)
    for (comm, _, kind), ends in operations(asker).items():
        group = groups[int(communicators[int(comm)]["group"])] if communicators[int(comm)]["group"] else None
        if not group or len(ends) < 2 or len(ends) != int(group["count"]) or any(end.begin is None for end in ends.values()):
            continue
        ranks = {proc: rank for rank, proc in enumerate(procs_of(group, of_groups))}
        for proc, end in ends.items():
            cause = cause_of(kind, ends, ranks, proc) if set(ranks) == set(ends) else None
            if cause is not None:
                judged, late, most = judged + 1, late + (end.end < cause), max(most, cause - end.end)
    return judged, late, most


def procs_of(group, of_groups):
    """Processes of a group, by rank."""
    return [int(row["proc"]) for row in of_groups[int(group["first"]):int(group["first"]) + int(group["count"])] if row["proc"]]


def contradictions(asker):
    """("messages" or "members", judged, impossible, most); None where the clocks go with all but one effect in a thousand."""
    for name, (judged, late, most) in (("messages", messages(asker)), ("members", members(asker))):
        if late > judged // ONE_IN:
            return name, judged, late, most
    return None
