"""The records that an archive must have, computed naively from otf2-print's lines."""

import re

import otf2print
from otf2events import CONTEXT_CALLS, EVENTS

NO_REGION = None
# docs/OTF2.md: number of innermost open regions among which the reader searches a LEAVE's frame.
SEARCH = 256


class Record:
    """An event as a record: its time never decreases, and it has a number in its location and a region."""

    __slots__ = ("event", "type", "time", "seq", "region", "enter", "outermost", "depth", "before")

    def __init__(self, event, record_type, time, seq):
        self.event = event
        self.type = record_type
        self.time = time
        self.seq = seq
        self.region = NO_REGION
        self.before = NO_REGION # innermost region before all records of this time
        self.enter = self.outermost = self.depth = 0

    @property
    def label(self):
        """The record's own name of the event."""
        return CONTEXT_CALLS.get(self.event.name, self.event.name)


class Stack:
    """The call stack of a location. Frames are (region, number of their ENTER, from 1)."""

    def __init__(self):
        self.frames = []
        self.calls = 0

    def region(self):
        return self.frames[-1][0] if self.frames else NO_REGION

    def push(self, region):
        self.frames.append((region, self.calls))

    def enclosing(self):
        return self.frames[-1][1] if self.frames else 0

    def pop(self, region):
        """Removes the innermost frame of the region and all frames inside it. Returns the frame's ENTER, or 0 if it has none."""
        for i in range(len(self.frames) - 1, max(len(self.frames) - SEARCH, 0) - 1, -1):
            found, enter = self.frames[i]
            if found == region:
                del self.frames[i:]
                return enter
        return 0

    def set_depth(self, record, region):
        """Sets `outermost` and `depth` for a frame of the region that will be pushed next or was just popped."""
        record.outermost = int(region not in [frame[0] for frame in self.frames])
        record.depth = len(self.frames) + 1

    def happen(self, record, region):
        """Applies a record to the stack and sets the record's fields from it. `region` is the record's own region, if it has one."""
        name = record.label
        record.region = self.region()
        if name == "ENTER":
            self.calls += 1
            enclosing = self.enclosing()
            record.region, record.enter = region, self.calls - enclosing if enclosing else 0
            self.set_depth(record, region)
            self.push(region)
        elif name == "LEAVE":
            self.calls += 1
            enter = self.pop(region)
            record.region, record.enter = region, self.calls - enter if enter else 0
            if enter:
                self.set_depth(record, region)


class Expected:
    def __init__(self, archive):
        self.definitions = otf2print.definitions(archive)
        self.ticks, offset = otf2print.clock(self.definitions)
        self.names = {table: otf2print.named_definitions(self.definitions, kind) for table, kind in (
            ("regions", "REGION"), ("metrics", "METRIC_MEMBER"), ("parameter_definitions", "PARAMETER"),
            ("rma_windows", "RMA_WIN"), ("attribute_definitions", "ATTRIBUTE"), ("groups", "GROUP"),
            ("interrupt_generators", "INTERRUPT_GENERATOR"), ("locations", "LOCATION"),
            ("processes", "LOCATION_GROUP"), ("io_handles", "IO_HANDLE"))}
        self.names["communicators"] = {**otf2print.named_definitions(self.definitions, "INTER_COMM"),
                                       **otf2print.named_definitions(self.definitions, "COMM")}
        self.names["io_files"] = {**otf2print.named_definitions(self.definitions, "IO_DIRECTORY"),
                                  **otf2print.named_definitions(self.definitions, "IO_REGULAR_FILE")}
        self.inter_communicators = {number for number, _ in self.definitions.get("INTER_COMM", [])}
        self.world = self.mpi_world()
        self.regions = self.region_keys()
        self.contexts = self.context_regions()
        self.locations = {}
        self.read(archive)
        first = min((records[0].time for records in self.locations.values()), default=offset)
        last = max((records[-1].time for records in self.locations.values()), default=offset)
        self.origin, self.end = min(offset, first), last + 1

    def region_keys(self):
        """Returns {id: a region's key}: name, file and line."""
        keys = {}
        for number, text in self.definitions.get("REGION", []):
            match = re.match(r'Name: (?:"(.*?)" )?<\d+> \(Aka\. .*, File: (.*?), Begin: (\d+), End: \d+$', text, re.S)
            if match and number not in keys:
                file = re.match(r'"(.*)" <\d+>$', match[2], re.S)
                keys[number] = (match[1], file[1] if file else "", int(match[3]))
        return keys

    def region(self, number):
        """Returns the key of a region's id. The key of an undefined region is its id."""
        return self.regions.get(number, number)

    def context_regions(self):
        found = {}
        for number, text in self.definitions.get("CALLING_CONTEXT", []):
            match = re.match(r'Region: .*?<(\d+)>, Source code location', text, re.S)
            if match and number not in found:
                found[number] = int(match[1])
        return found

    def read(self, archive):
        stacks = {}
        for event in otf2print.events(archive):
            records = self.locations.setdefault(event.location, [])
            time = max(event.time, records[-1].time if records else 0)
            record = Record(event, EVENTS[event.name][0], time, len(records))
            stack = stacks.setdefault(event.location, Stack())
            record.before = records[-1].before if records and records[-1].time == time else stack.region()
            records.append(record)
            stack.happen(record, self.own_region(event))

    def own_region(self, event):
        if event.name in ("ENTER", "LEAVE"):
            return self.region(event.values()["region"])
        if event.name in CONTEXT_CALLS:
            return self.region(self.contexts.get(event.values()["calling_context"]))
        return None

    def merged(self):
        """Returns (time, location, seq, record) of all records."""
        return sorted((record.time, location, record.seq, record)
                      for location, records in self.locations.items() for record in records)

    def mpi_world(self):
        """Returns [location] by rank in MPI's world, as far as the archive defines them."""
        for _, text in self.definitions.get("GROUP", []):
            if re.search(r'Type: COMM_LOCATIONS, Paradigm: (MPI|"MPI" <4>),', text):
                return [int(n) for n in re.findall(r"<(\d+)>(?=, \"|$)", text.split("Member", 1)[1], re.S)]
        return []
