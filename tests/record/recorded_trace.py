"""Reads recorded traces with the reader that shares no code with libxtf: calls, with the records directly inside each."""

import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reader"))
from xtf_reader import Trace  # noqa: E402

TYPES = ("enters_leaves", "sends", "recvs", "requests", "collectives", "comms", "rma_operations", "rma_collectives", "rma_syncs", "rma_locks",
         "io_control", "io_seeks", "io_operations", "threads", "locks", "measurement", "programs", "pending")


OFF = "MEASUREMENT OFF"  # the region of a thread that is not recorded


class Record:
    """A record: `event`, and its fields as attributes, which are None if absent. `region` is a name."""

    def __init__(self, values):
        self.__dict__.update(values)
        self.attributes = {}

    def __repr__(self):
        return " ".join(f"{name}={value}" for name, value in self.__dict__.items())


class Call(collections.namedtuple("Call", "name process thread enter leave records")):
    """A call, from ENTER to LEAVE; `leave` is empty if the call never ended."""


class Recorded:
    def __init__(self, path):
        self.trace = Trace(path)
        self.tables = {name: [dict(zip((f.name for f in schema.fields), schema.values(row))) for row in rows]
                       for name, (schema, rows) in self.trace.tables.items()}
        self.records = collections.defaultdict(list)  # {location: records}
        for array in self.trace.arrays():
            if array.schema.name in TYPES:
                self.records[array.location] += (self.record(array.schema, row) for row in array.read())
        for records in self.records.values():
            records.sort(key=lambda record: record.seq)
        self.add_attributes()

    def close(self):
        self.trace.close()

    def text(self, table, row, field="name"):
        return None if row is None else self.trace.string(self.tables[table][row][field])

    def record(self, schema, row):
        values = dict(zip((f.name for f in schema.fields), schema.values(row)))
        for field in schema.fields:
            value = values[field.name]
            if field.labels and value is not None:
                values[field.name] = field.labels[value] if value < len(field.labels) else value
        values["region"] = self.text("regions", values["region"])
        return Record(values)

    def add_attributes(self):
        at = {(location, record.seq): record for location, records in self.records.items() for record in records}
        for array in self.trace.arrays():
            if array.schema.name == "attributes":
                for row in array.read():
                    _, seq, attribute, _, value = array.schema.values(row)
                    at[array.location, seq].attributes[self.text("attribute_definitions", attribute)] = value

    def processes(self):
        return sorted({location >> 32 for location in self.records})

    def locations(self, process):
        return sorted(location for location in self.records if location >> 32 == process)

    def calls(self, process, thread=0):
        """Returns the outermost calls of a thread in the order of their ENTERs, with the records directly in them. The region of time
        that is not recorded is no call."""
        calls, stack = [], []
        for record in self.records[process << 32 | thread]:
            if record.event in ("ENTER", "LEAVE") and record.region == OFF:
                continue
            if record.event == "ENTER":
                call = Call(record.region, process, thread, record, [], [])
                stack.append(call)
                if len(stack) == 1:
                    calls.append(call)
            elif record.event == "LEAVE":
                if not stack or stack[-1].name != record.region:
                    raise ValueError(f"process {process}: LEAVE of {record.region} in {[call.name for call in stack]}")
                stack.pop().leave.append(record)
            elif stack:
                stack[-1].records.append(record)
        if stack:
            raise ValueError(f"process {process}: {[call.name for call in stack]} never ended")
        return calls

    def comm_name(self, row):
        return self.text("communicators", row)

    def members(self, row, side="group"):
        """Returns the processes of a communicator's group, in the order of their ranks; None if it has no such group."""
        return self.processes_of(self.tables["communicators"][row][side])

    def processes_of(self, group):
        if group is None:
            return None
        entry = self.tables["groups"][group]
        return [member["proc"] for member in self.tables["members"][entry["first"]:entry["first"] + entry["count"]]]
