"""The naive judge of the ideal run: a program on a network that takes no time, from what otf2-print prints. In exact ticks.

All processes begin at 0. Computing takes as long as it did; what is in MPI takes nothing, but that a receive is over only when its
message is sent, and an operation at a member when those began whose data it needs.
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
    """How long a process was outside of MPI until a time."""

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
    """`rows`, {process: [Row]}, and `length`, of a run that is judged by naive_waits.Waits."""

    def __init__(self, waits):
        self.waits = waits
        self.outside = {process: Outside(process) for process in waits.processes.values()}
        self.waited = collections.Counter()
        self.clocks = {}  # of records that others wait for
        self.rows = {process: [] for process in waits.processes.values()}
        self.find_operations()
        self.run()
        self.length = max((outside.sums[-1] + self.waited[process] for process, outside in self.outside.items()), default=0)

    def find_operations(self):
        """self.needed: {END: [BEGIN]} that it needs."""
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
                mine = ends.get((part.location.number, part.row))
                theirs = [begins.get((other.location.number, other.row)) for other in self.others(operation.name, part, parts)]
                if mine and None not in theirs:
                    self.needed[mine] = theirs

    @staticmethod
    def others(name, part, parts):
        """The parts that one needs in an operation that is judged as `name`."""
        proc, rank = part.location.proc, parts.index(part)
        barrier = name == "BARRIER"
        if not (part.received or barrier):
            return []
        senders = [other for other in parts if other is not part and (other.sent or barrier)]
        if barrier or name in ALL_TO_ALL:
            return senders
        if name in ONE_TO_ALL:
            return [other for other in senders if other.location.proc == part.root]
        if name in ALL_TO_ONE:
            return senders if proc == part.root else []
        return [other for other in senders if parts.index(other) < rank] if name in PREFIX else []

    def needs(self, record):
        """Whose clocks a record needs; None if it waits for nobody."""
        if record.name in RECVS or (record.name == "MPI_IRECV_REQUEST" and record.done and record.done.end is record):
            return [record.other] if record.other else None
        return self.needed.get(record) or None

    def step(self, process, record):
        """False: it has to wait until others have gone on."""
        needs = self.needs(record)
        if needs and not all(other in self.clocks for other in needs):
            return False
        clock = self.outside[process].until(record.time) + self.waited[process]
        latest = max((self.clocks[other] for other in needs), default=0) if needs else 0
        if latest > clock:
            self.rows[process].append(Row(record.seq, latest - clock, latest))
            self.waited[process] += latest - clock
        if record.name in SENDS or "COLLECTIVE" in record.name:
            self.clocks[record] = clock
        return True

    def run(self):
        left = {process: collections.deque(process.records) for process in self.waits.processes.values()}
        going = True
        while going:
            going = False
            for process, records in left.items():
                while records and self.step(process, records[0]):
                    records.popleft()
                    going = True
        if any(left.values()):
            raise ValueError("the program does not come to its end")
