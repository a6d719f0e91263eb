"""The naive judge of the ideal run: the program on a network that takes no time. It reads the output of otf2-print, and computes
in exact ticks.

All processes begin at 0. Computing takes as long as it did; calls of MPI take no time. But a receive ends only when its message
is sent. A collective operation ends at a member only when the members whose data it needs have begun.
"""

import bisect
import collections

from judge import RECVS, SENDS
from collectives import ALL_TO_ALL, BLOCKING
from naive_waits import ALL_TO_ONE, ANY_PAIRS, ONE_TO_ALL, PREFIX

Row = collections.namedtuple("Row", "seq waited ideal")


def is_mpi(path):
    return bool(path) and path[-1].lower().startswith(("mpi_", "pmpi_"))


class Outside:
    """The time a process was outside of MPI until a time."""

    def __init__(self, process):
        self.ends, self.sums, self.spans = [], [0], process.spans
        for begin, end, path in process.spans:
            self.ends.append(end)
            self.sums.append(self.sums[-1] + (0 if is_mpi(path) else end - begin))

    def until(self, time):
        i = bisect.bisect_left(self.ends, time)
        if i == len(self.spans):
            return self.sums[-1]
        begin, _, path = self.spans[i]
        return self.sums[i] + (0 if is_mpi(path) else max(0, time - begin))


class Ideal:
    """`rows`, {process: [Row]}, and `length`, of a run that naive_waits.Waits judged."""

    def __init__(self, waits):
        self.waits = waits
        self.outside = {process: Outside(process) for process in waits.processes.values()}
        self.waited = collections.Counter()
        self.clocks = {}  # {record that others wait for: ideal time}
        self.rows = {process: [] for process in waits.processes.values()}
        self.find_operations()
        self.run()
        self.length = max((outside.sums[-1] + self.waited[process] for process, outside in self.outside.items()), default=0)

    def find_operations(self):
        """Computes self.needed: {END: [BEGIN]}, the BEGIN records that each END waits for."""
        self.needed = {}
        begins, ends = {}, {}
        for process in self.waits.processes.values():
            records = [record for record in process.records if "COLLECTIVE" in record.name]
            for i, record in enumerate(records):
                ends[process.location, i] = record
                begins[process.location, i] = records[i - 1] if i else None
        for location in self.waits.operations.locations.values():
            for part in location.parts.values():
                operation = self.waits.operations.operation(part)
                parts = operation.parts if operation else []
                if part.kind != BLOCKING or None in parts or len(parts) < 2 or operation.name in ANY_PAIRS:
                    continue
                own_end = ends.get((part.location.number, part.row))
                needed_begins = [begins.get((sender.location.number, sender.row)) for sender in self.parts_needed(operation.name, part, parts)]
                if own_end and None not in needed_begins:
                    self.needed[own_end] = needed_begins

    @staticmethod
    def parts_needed(name, part, parts):
        """Returns the parts whose data a part needs in an operation that is judged as `name`."""
        proc, rank = part.location.proc, parts.index(part)
        barrier = name == "BARRIER"
        if not (part.received or barrier):
            return []
        senders = [sender for sender in parts if sender is not part and (sender.sent or barrier)]
        if barrier or name in ALL_TO_ALL:
            return senders
        if name in ONE_TO_ALL:
            return [sender for sender in senders if sender.location.proc == part.root]
        if name in ALL_TO_ONE:
            return senders if proc == part.root else []
        return [sender for sender in senders if parts.index(sender) < rank] if name in PREFIX else []

    def needs(self, record):
        """Returns the records whose clocks a record needs; None if it waits for no other record."""
        if record.name in RECVS or (record.name == "MPI_IRECV_REQUEST" and record.done and record.done.end is record):
            return [record.other] if record.other else None
        return self.needed.get(record) or None

    def step(self, process, record):
        """Returns False if the record has to wait until other processes have advanced."""
        needs = self.needs(record)
        if needs and not all(record_needed in self.clocks for record_needed in needs):
            return False
        clock = self.outside[process].until(record.time) + self.waited[process]
        latest = max((self.clocks[record_needed] for record_needed in needs), default=0) if needs else 0
        if latest > clock:
            self.rows[process].append(Row(record.seq, latest - clock, latest))
            self.waited[process] += latest - clock
        if record.name in SENDS or "COLLECTIVE" in record.name:
            self.clocks[record] = clock
        return True

    def run(self):
        remaining = {process: collections.deque(process.records) for process in self.waits.processes.values()}
        progressing = True
        while progressing:
            progressing = False
            for process, records in remaining.items():
                while records and self.step(process, records[0]):
                    records.popleft()
                    progressing = True
        if any(remaining.values()):
            raise ValueError("the program is stuck: some processes wait for each other")
