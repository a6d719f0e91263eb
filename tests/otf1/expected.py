"""Computes the records and tables of an import of OTF1 from the lines of otfprint, by the rules of docs/OTF1.md."""

import collections

COLLECTIVES = {"MPI_Barrier": "BARRIER", "MPI_Bcast": "BCAST", "MPI_Reduce_scatter": "REDUCE_SCATTER", "scatter": "SCATTER"}
COLLECTIVE_TYPES = {"BARRIER": "BARRIER", "ONE2ALL": "BCAST", "ALL2ONE": "REDUCE", "ALL2ALL": "ALLTOALL"}
PARADIGMS = {"Application": "USER", "MPI": "MPI", "OMP": "OPENMP", "user functions": "USER"}
TRANSFERS = {"READ": "READ", "WRITE": "WRITE", "SYNC": "FLUSH"}
CONTROL = {"OPEN": "IO_CREATE_HANDLE", "CLOSE": "IO_DESTROY_HANDLE", "DUP": "IO_DUPLICATE_HANDLE", "UNLINK": "IO_DELETE_FILE",
           "RENAME": "FILE_RENAME"}
FLAGS = {"EMPTY": 0, "IOFAILED": 32, "ASYNC": 64, "COLL": 128, "DIRECT": 256, "SYNC": 512, "ISREADLOCK": 1024}
TYPES = {"CHAR": "UINT8", "BYTE_ARRAY": "STRING"}
SUMMARIES = "StatFunction", "StatFunctionGroup", "StatMessage", "StatFileOperation", "StatFileGroupOperation", "StatCollective"
OLD_MATCHING = 1 << 63


class Record:
    def __init__(self, kind, event, time, fields, attributes=(), values=()):
        self.type, self.event, self.time, self.fields = kind, event, time, fields
        self.attributes, self.values = dict(attributes), list(values)

    def __str__(self):
        return f"{self.type} {self.event} at {self.time}"


class Location:
    """The records of a process, and its postponed records."""

    def __init__(self):
        self.records, self.later, self.stack = [], [], []
        self.begun, self.operations = {}, 0

    def flush(self, until):
        while self.later and (until is None or self.later[0].time <= until):
            self.records.append(self.later.pop(0))

    def postpone(self, record):
        self.later.append(record)
        self.later.sort(key=lambda later: later.time)  # stable

    def leave(self, function):
        if function in self.stack[-256:]:
            while self.stack.pop() != function:
                pass


class Expected:
    def __init__(self, lines):
        self.lines = lines
        self.tables, self.properties, self.members = {}, {}, []
        self.left_out, self.remarks = [], []
        self.parents, self.groups, self.order = {}, {0: []}, []
        self.group_names = {0: "(all processes)"}
        self.names = collections.defaultdict(dict)
        self.attributed, self.assignments, self.file_groups = [], [], []
        self.locations = collections.defaultdict(Location)
        self.without_begin = self.outsiders = 0
        for line in lines:
            if line.kind.startswith("Def"):
                getattr(self, f"define_{line.kind}", self.ignore)(line)
        self.order_processes()
        self.fill_tables()
        for line in lines:
            if line.kind == "Marker":
                self.add_marker(line)
        for line in lines:
            if line.time is not None and line.kind != "Marker":
                getattr(self, f"add_{line.kind}", self.ignore)(line)
        for location in self.locations.values():
            location.flush(None)
        self.records = {process: location.records for process, location in self.locations.items()}
        self.count_derived()

    def ignore(self, line):
        pass

    # ---- Definitions.

    def define_DefTimerResolution(self, line):
        self.resolution = int(line.fields["TicksPerSecond"])

    def define_DefCreator(self, line):
        self.properties["creator"] = line.fields["creator"]

    def define_DefComment(self, line):
        self.properties["comment"] = line.fields["comment"]

    def define_DefUniqueId(self, line):
        self.properties["otf1.unique_id"] = f"{int(line.rest.split('uid: ')[1]):x}"

    def define_DefTimeRange(self, line):
        self.properties["otf1.time_range"] = line.rest.split("[")[1].strip("]").replace(", ", "-")

    def define_DefVersion(self, line):
        self.properties["otf1.version"] = line.rest.split("version: ")[1].replace('"', "")

    def define_DefAttributeList(self, line):
        self.names["attributes"][int(line.fields["attr_token"])] = line.rest.split("attributes ")[1].split(", ")

    def define_DefProcessOrGroupAttributes(self, line):
        self.attributed.append((int(line.fields["process"]), int(line.fields["attr_token"])))

    def define_DefCounterAssignments(self, line):
        self.assignments.append((int(line.fields["counter_token"]), [int(one) for one in line.rest.split("assignees ")[1].split(", ")]))

    def define_DefFileGroup(self, line):
        self.names["file group"][int(line.fields["token"])] = line.rest.split(",")[0]

    def define_DefProcess(self, line):
        self.parents[int(line.fields["process"])] = int(line.fields["parent"])
        self.names["process"][int(line.fields["process"])] = line.fields["name"]

    def define_DefProcessGroup(self, line):
        group = int(line.fields["group"])
        self.groups[group] = [int(member) for member in line.rest.split("procs ")[1].split(", ")]
        self.group_names[group] = line.fields["name"]

    def define_named(self, line, kind, key):
        self.names[kind][int(line.fields[key])] = line.fields

    def define_DefFunction(self, line):
        self.define_named(line, "function", "function")

    def define_DefFunctionGroup(self, line):
        self.define_named(line, "function group", "group")

    def define_DefScl(self, line):
        self.define_named(line, "source", "source")

    def define_DefSclFile(self, line):
        self.define_named(line, "source file", "file")

    def define_DefCounter(self, line):
        self.define_named(line, "counter", "counter")

    def define_DefCounterGroup(self, line):
        self.define_named(line, "counter group", "group")

    def define_DefCollective(self, line):
        self.define_named(line, "collective", "collective")

    def define_DefFile(self, line):
        self.names["file"][int(line.fields["token"])] = line.rest.split(",")[0]
        self.file_groups.append(int(line.fields["group"]))

    def define_DefKeyValue(self, line):
        self.define_named(line, "key", "token")

    def define_DefMarker(self, line):
        kind = line.fields["type"].split(" ")[0]
        self.names["marker"][int(line.rest.split("ID ")[1].split(",")[0])] = f"{kind}: {line.fields['name']}"

    # ---- Processes and ranks.

    def root(self, process):
        return self.root(self.parents[process]) if self.parents.get(process) else process

    def order_processes(self):
        """Numbers the processes: first the members of MPI_COMM_WORLD."""
        world = next((members for group, members in self.groups.items() if self.group_names[group] == "MPI_COMM_WORLD"), [])
        roots = [process for process in self.parents if self.root(process) == process]
        self.groups[0] = world + [process for process in roots if process not in world]

    def rank(self, group, process):
        """Returns a rank, that of the process of a thread, or "-"."""
        members = self.groups[group]
        return next((str(members.index(one)) for one in (process, self.root(process)) if one in members), "-")

    def common(self, group, *processes):
        if all(self.rank(group, process) != "-" for process in processes):
            return group
        self.outsiders += 1
        return 0

    # ---- Tables.

    def place(self, function):
        source = self.names["source"].get(int(function["source"]))
        return (self.names["source file"][int(source["file"])]["name"], source["line"]) if source else ("", "-")

    def fill_tables(self):
        processes = self.groups[0]
        self.tables["processes"] = [{"proc": i, "id": process, "name": self.names["process"][process]}
                                    for i, process in enumerate(processes)]
        threads = [(process, thread) for process in processes for thread in
                   [process] + [one for one in self.parents if one != process and self.root(one) == process]]
        devices = {process for process, number in self.attributed if "IsCUDAThread" in self.names["attributes"][number]}
        self.tables["locations"] = [{"id": thread, "proc": processes.index(process), "name": self.names["process"][thread],
                                     "type": "ACCELERATOR_STREAM" if thread in devices else "CPU_THREAD"} for process, thread in threads]
        self.tables["groups"] = [{"id": group, "name": self.group_names[group]} for group in self.groups]
        self.tables["communicators"] = self.tables["groups"]
        self.members = [[processes.index(self.root(member)) for member in members] for members in self.groups.values()]
        self.tables["regions"] = self.regions()
        self.tables["source_locations"] = [{"id": number, "line": source["line"], "file": self.names["source file"][int(source["file"])]["name"]}
                                           for number, source in self.names["source"].items()]
        self.tables["metrics"] = self.metrics()
        self.tables["io_files"] = [{"id": number, "name": name} for number, name in self.names["file"].items()]
        self.tables["definition_properties"] = self.properties_of_definitions()
        self.tables["metric_class_recorders"] = self.recorders()
        keys = [{"id": number, "name": key["name"], "type": TYPES.get(key["type"], key["type"])} for number, key in self.names["key"].items()]
        self.tables["attribute_definitions"] = keys + [{"name": name} for name in ("source", "handle", "duration", "flags", "origin", "kind")]

    def properties_of_definitions(self):
        """Returns the attributes of processes, and the groups of files."""
        rows = [{"of": "LOCATION", "owner": process, "name": name} for process, number in self.attributed if process in self.parents
                for name in self.names["attributes"][number]]
        return rows + [{"of": "IO_FILE", "owner": row, "name": "group"} for row, group in enumerate(self.file_groups) if group]

    def recorders(self):
        """Returns the processes to which each counter is assigned, by themselves or in a group."""
        return [{"class": list(self.names["counter"]).index(counter), "recorder": process} for counter, members in self.assignments
                for member in members for process in ([member] if member in self.parents else self.groups[member])]

    def regions(self):
        rows = []
        for function in self.names["function"].values():
            group = self.names["function group"][int(function["group"])]["name"]
            file, line = self.place(function)
            rows.append({"name": function["name"], "description": group, "paradigm": PARADIGMS.get(group, "UNKNOWN"), "file": file,
                         "line": line})
        return rows

    def metrics(self):
        rows = []
        for number, counter in self.names["counter"].items():
            kind, scope, value = counter["properties"].split("/")
            if kind == "ABS" and scope == "START":
                scope = "POINT"
            mode = {"ACC": "ACCUMULATED_", "ABS": "ABSOLUTE_"}[kind] + scope
            value = "DOUBLE" if value in ("FLOAT", "DOUBLE") else "UINT64" if value.startswith("UN") else "INT64"
            rows.append({"id": number, "name": counter["name"], "unit": counter["unit"], "mode": mode, "value_type": value,
                         "description": self.names["counter group"][int(counter["group"])]["name"]})
        return rows

    # ---- Events.

    def attributes(self, line):
        attributes = {}
        if int(line.fields.get("source", 0)):
            attributes["source"] = list(self.names["source"]).index(int(line.fields["source"]))
        for key, value in line.values.items():
            definition = self.names["key"][key]
            if definition["type"] == "BYTE_ARRAY":
                value = bytes.fromhex(value).decode()
            elif definition["type"] == "CHAR":
                value = ord(value)
            attributes[definition["name"]] = value
        return attributes

    def begin(self, line, process):
        location = self.locations[process]
        location.flush(line.time)
        return location

    def add(self, line, process, kind, event, fields, more=(), values=()):
        location = self.begin(line, process)
        location.records.append(Record(kind, event, line.time, fields, {**self.attributes(line), **dict(more)}, values))
        return location

    def function(self, number):
        return self.names["function"][number]["name"]

    def add_Enter(self, line):
        number = int(line.fields["function"])
        location = self.add(line, int(line.fields["process"]), "enters_leaves", "ENTER", {"region": self.function(number)})
        location.stack.append(number)

    def add_Leave(self, line):
        process, number = int(line.fields["process"]), int(line.fields["function"]) if line.fields["function"].isdigit() else 0
        location = self.begin(line, process)
        if number == 0:
            number = location.stack[-1] if location.stack else 0
        self.add(line, process, "enters_leaves", "LEAVE", {"region": self.function(number) if number else "-"})
        location.leave(number)

    def add_message(self, line, process, other, kind, event):
        group = self.common(int(line.fields["group"]), process, other)
        fields = {"peer": self.rank(group, other), "comm": self.group_names[group], "tag": line.fields["type"],
                  "bytes": line.fields["length"]}
        self.add(line, process, kind, event, fields)

    def add_SendMessage(self, line):
        self.add_message(line, int(line.fields["sender"]), int(line.fields["receiver"]), "sends", "MPI_SEND")

    def add_ReceiveMessage(self, line):
        self.add_message(line, int(line.fields["receiver"]), int(line.fields["sender"]), "recvs", "MPI_RECV")

    def add_Counter(self, line):
        counter = self.names["counter"][int(line.fields["counter"])]
        self.add(line, int(line.fields["process"]), "counters", "METRIC", {"metric": counter["name"]}, values=[line.fields["value"]])

    def collective(self, line):
        operation, group, root = (int(line.fields[name]) for name in ("collective", "group", "root"))
        definition = self.names["collective"][operation]
        return {"operation": COLLECTIVES.get(definition["name"]) or COLLECTIVE_TYPES[definition["type"]], "comm": self.group_names[group],
                "root": self.rank(group, root) if root else "-", "bytes": line.fields["sent"], "received": line.fields["received"]}

    def add_Collective(self, line):
        location = self.begin(line, int(line.fields["process"]))
        end = Record("collectives", "MPI_COLLECTIVE_END", line.time + int(line.fields["duration"]), self.collective(line))
        self.add(line, int(line.fields["process"]), "collectives", "MPI_COLLECTIVE_BEGIN", {"operation": "-", "comm": "-"})
        location.postpone(end)

    def add_BeginCollective(self, line):
        location = self.add(line, int(line.fields["process"]), "collectives", "MPI_COLLECTIVE_BEGIN", {"operation": "-", "comm": "-"})
        location.begun[line.fields["matchingId"]] = self.collective(line)

    def add_EndCollective(self, line):
        begun = self.locations[int(line.fields["process"])].begun.pop(line.fields["matchingId"], None)
        self.without_begin += begun is None
        self.add(line, int(line.fields["process"]), "collectives", "MPI_COLLECTIVE_END", begun or {"operation": "-", "comm": "-"})

    def add_process(self, line, event):
        self.add(line, int(line.fields["process"]), "threads", event, {"model": "-"})

    def add_BeginProcess(self, line):
        self.add_process(line, "BEGIN_PROCESS")

    def add_EndProcess(self, line):
        self.add_process(line, "END_PROCESS")

    def add_NoOp(self, line):
        self.add(line, int(line.fields["process"]), "unknown", "NOOP", {})

    def add_EventComment(self, line):
        text = line.rest.split('comment "')[1][:-1]
        self.add(line, int(line.fields["process"]), "markers", "EVENT_COMMENT", {"scope": "THREAD", "text": text})

    def add_marker(self, line):
        process, kind = int(line.fields["process"]), int(line.rest.split("ID ")[1].split(",")[0])
        is_group = process not in self.parents
        text = line.rest.split('text "')[1][:-1]
        self.locations[self.groups[process][0] if is_group else process].postpone(
            Record("markers", "MARKER", line.time, {"scope": "TRACE" if is_group else "THREAD", "text": text},
                   {"kind": self.names["marker"][kind]}))

    # ---- Files.

    def operation(self, line):
        """Returns the operation on a file, its flags, and attributes that all operations have."""
        name = line.fields["operation"].split(" ")[0]
        flags = sum(FLAGS[flag] for flag in line.rest.split("flags ")[1].split(", bytes")[0].split(", "))
        more = {"handle": line.fields["handle ID"]}
        if flags:
            more["flags"] = flags
        return "OTHER" if name == "UNKNOWN" else name, flags, more

    def add_FileOperation(self, line):
        process = int(line.fields["process"])
        location = self.begin(line, process)
        name, flags, more = self.operation(line)
        matching, file = OLD_MATCHING + location.operations, self.names["file"][int(line.fields["file ID"])]
        location.operations += 1
        if name not in TRANSFERS:
            if int(line.fields["duration"]):
                more["duration"] = line.fields["duration"]
            self.add_operation(line, process, name, flags, more)
            return
        bits = (2 if flags & FLAGS["ASYNC"] else 0) | (1 if flags & FLAGS["COLL"] else 0)
        self.add(line, process, "io_operations", "IO_OPERATION_BEGIN",
                 {"handle": file, "mode": TRANSFERS[name], "operation_flags": bits, "requested": line.fields["bytes"], "matching": matching},
                 more)
        location.postpone(Record("io_operations", "IO_OPERATION_COMPLETE", line.time + int(line.fields["duration"]),
                                 {"handle": file, "bytes": line.fields["bytes"], "matching": matching}))

    def add_BeginFileOperation(self, line):
        self.add(line, int(line.fields["process"]), "io_operations", "IO_OPERATION_BEGIN",
                 {"handle": "-", "mode": "-", "matching": line.fields["matching ID"]})

    def add_EndFileOperation(self, line):
        process = int(line.fields["process"])
        name, flags, more = self.operation(line)
        if name in TRANSFERS:
            self.add(line, process, "io_operations", "IO_OPERATION_COMPLETE",
                     {"handle": self.names["file"][int(line.fields["file ID"])], "bytes": line.fields["bytes"],
                      "matching": line.fields["matching ID"]}, more)
        else:
            self.add_operation(line, process, name, flags, more)

    def add_operation(self, line, process, name, flags, more):
        file, size = self.names["file"][int(line.fields["file ID"])], line.fields["bytes"]
        if name == "SEEK":
            self.add(line, process, "io_seeks", "IO_SEEK", {"handle": file, "offset": size, "result": size}, more)
        elif name in ("LOCK", "UNLOCK"):
            self.add(line, process, "io_locks", {"LOCK": "IO_ACQUIRE_LOCK", "UNLOCK": "IO_RELEASE_LOCK"}[name],
                     {"handle": file, "lock_type": "SHARED" if flags & FLAGS["ISREADLOCK"] else "EXCLUSIVE"}, more)
        else:
            deletes = name == "UNLINK"
            self.add(line, process, "io_control", CONTROL.get(name, "FILE_OTHER"),
                     {"handle": "-" if deletes else file, "file": file if deletes else "-",
                      "new_handle": file if name == "DUP" else "-"}, more)

    # ---- Remote memory access. otfprint names the process "initiator" or "process", and a process that is its own origin "origin" alone.

    def add_transfer(self, line, event):
        origin = int(line.fields["origin"])
        process, target = int(line.fields.get("initiator", origin)), int(line.fields["target"])
        group = self.common(int(line.fields["communicator"]), process, target)
        fields = {"window": self.group_names[group], "peer": self.rank(group, target), "bytes": line.fields["bytes"],
                  "matching": line.fields["tag"]}
        self.add(line, process, "rma_operations", event, fields, {"origin": origin} if origin != process else {})

    def add_RMAPut(self, line):
        self.add_transfer(line, "RMA_PUT")

    def add_RMAPutRemoteEnd(self, line):
        self.add_transfer(line, "RMA_PUT_REMOTE_END")

    def add_RMAGet(self, line):
        self.add_transfer(line, "RMA_GET")

    def add_RMAEnd(self, line):
        process, remote = int(line.fields.get("initiator") or line.fields["process"]), int(line.fields.get("remote", 0))
        group = int(line.fields["communicator"])
        if remote:
            group = self.common(group, process, remote)
        self.add(line, process, "rma_operations", "RMA_OP_COMPLETE_BLOCKING",
                 {"window": self.group_names[group], "peer": self.rank(group, remote) if remote else "-", "matching": line.fields["tag"]})

    # ---- Derived data, which is left out.

    def count_derived(self):
        kinds = collections.Counter(line.kind for line in self.lines)
        snapshots = sum(n for kind, n in kinds.items() if kind.startswith("Snap"))
        summaries = sum(n for kind, n in kinds.items() if kind.startswith("Stat"))
        if snapshots:
            self.left_out.append(f"snapshots, which repeat what events say: {snapshots}")
        if summaries:
            self.left_out.append(f"summaries, which can be computed from events: {summaries}")
        if self.without_begin:
            self.remarks.append(f"ends of collective operations that did not begin, whose communicator is unknown: {self.without_begin}")
        if self.outsiders:
            self.remarks.append("messages whose two ends are not in their group, and which are shown in the group of all processes: "
                                f"{self.outsiders}")
