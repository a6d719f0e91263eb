"""Computes the records of make-trace.c again, one by one."""

from collections import namedtuple

Record = namedtuple("Record", "time proc thread seq event type")

CALLS = "enters_leaves"
KINDS = [("ENTER", CALLS), ("MPI_SEND", "sends"), ("LEAVE", CALLS), ("ENTER", CALLS), ("MPI_RECV", "recvs"),
         ("LEAVE", CALLS), ("ENTER", CALLS), ("LEAVE", CALLS)]


def time_of(proc, k):
    """Returns the time of a record in nanoseconds."""
    return 1000 * (k // 2) + 500 * (proc % 3)


def all_records(procs, threads, records):
    """Returns the records in the order of (time, proc, thread, seq)."""
    found = [Record(time_of(p, k), p, t, k, *KINDS[k % 8])
             for p in range(procs) for t in range(threads) for k in range(records)]
    found.sort()
    return found


def count(procs, records, window=(0, float("inf")), threads=1, only=None):
    """Counts records of a set of processes with a time in [from, to) in nanoseconds, and of one type if `only` names it."""
    return sum(1 for p in procs for k in range(records)
               if window[0] <= time_of(p, k) < window[1] and (only is None or KINDS[k % 8][1] == only)) * threads
