"""The naive judge of messages: replays the whole trace, as otf2-print prints it, and pairs sends with receives.

A group is a communicator, a sending and a receiving process and a tag. In a group the k-th send matches the k-th receive, both in
the order of posting. Where no record is missing, the judge never compares times of different processes to find pairs. The rules
for certainty are in docs/TREE.md, the definitions of waits in docs/ANALYSIS.md.
"""

import collections
import itertools
import re

import otf2print

SENDS = ("MPI_SEND", "MPI_ISEND")
RECVS = ("MPI_RECV", "MPI_IRECV")
# The judge searches for shifts of a group's numbers in SHIFTS; BESIDE pairs on both sides must agree.
SHIFTS, BESIDE = range(-16, 17), 64
REQUESTS = ("MPI_IRECV_REQUEST", "MPI_ISEND_COMPLETE", "MPI_REQUEST_CANCELLED")
ENVELOPE = re.compile(r"(?:Receiver|Sender): (\d+).*, Communicator: (?:.*<)?(\d+)>?, "
                      r"Tag: (\d+), Length: (\d+)(?:, Request: (\d+))?$", re.S)
MATCHED = ("MPI_Mrecv", "MPI_Imrecv")
NUMBER = re.compile(r"(\d+)$")
WORLD = re.compile(r'Type: COMM_LOCATIONS, Paradigm: (MPI|"MPI" <4>),')
REFERENCE = re.compile(r"<?(\d+)>?$")

Group = collections.namedtuple("Group", "comm sender receiver tag")
# Times are ticks since the trace's origin; None where there is no value.
Line = collections.namedtuple("Line", "sent received posted sender receiver comm tag bytes state wait wait_kind")


class Call:
    """The call around a record, from `enter` to `leave`; an instant if the record is in no call."""

    __slots__ = ("region", "enter", "leave")

    def __init__(self, region, enter, leave=None):
        self.region, self.enter, self.leave = region, enter, leave


class Side:
    """A send, or a receive."""

    __slots__ = ("location", "row", "time", "seq", "call", "ends", "group", "bytes", "posted", "posted_seq", "posted_call",
                 "known", "blocking", "completion")

    def __init__(self, location, row, time, seq, call):
        self.location, self.row, self.time, self.seq, self.call = location, row, time, seq, call
        # For a receive: its posting, and whether the posting is known. A send is its own posting.
        self.posted, self.posted_seq, self.posted_call, self.known = time, seq, call, True
        # For a send: whether it blocks; the call that completes it, None if that is unknown.
        self.blocking, self.completion = False, None

    def place(self):
        """Returns the sort key among the sends or receives of a process."""
        return self.posted, self.location.number, self.posted_seq


class Location:
    def __init__(self, number, proc):
        self.number, self.proc = number, proc
        self.time, self.seq = 0, 0
        self.stack = []
        self.open = {}  # {(kind, request): the latest posting with this id}
        self.sends, self.recvs = [], []
        self.cancelled = set()

    def call(self):
        return self.stack[-1] if self.stack else Call(None, self.time, self.time)

    def leave_call(self, region):
        """Ends the innermost call of a region and all calls in it. A LEAVE without an open call ends nothing."""
        for i in reversed(range(len(self.stack))):
            if self.stack[i].region == region:
                for call in self.stack[i:]:
                    call.leave = self.time
                del self.stack[i:]
                return

    def message(self, judge, event):
        rank, comm, tag, length, request = ENVELOPE.match(event.text.rstrip()).groups()
        sends = event.name in SENDS
        side = Side(self, len(self.sends if sends else self.recvs), self.time, self.seq, self.call())
        peer = judge.comms.process(int(comm), self.proc, int(rank))
        side.ends = Group(int(comm), *((self.proc, peer) if sends else (peer, self.proc)), int(tag))
        side.group = side.ends if peer is not None else None
        side.bytes = int(length)
        if event.name == "MPI_SEND":
            side.blocking, side.completion = True, side.call
        (self.sends if sends else self.recvs).append(side)
        if event.name == "MPI_ISEND":
            self.open["send", request] = side
        elif event.name == "MPI_IRECV":
            posted = self.open.pop(("receive", request), None)
            side.known = posted is not None
            if posted:
                side.posted, side.posted_seq, side.posted_call = posted

    def request(self, name, request):
        if name == "MPI_IRECV_REQUEST":
            self.open["receive", request] = (self.time, self.seq, self.call())
        elif name == "MPI_ISEND_COMPLETE":
            send = self.open.pop(("send", request), None)
            if send:
                send.completion = self.call()
        else:
            self.cancel(request)

    def cancel(self, request):
        """Cancels the send or the receive with this id that was posted later."""
        receive, send = self.open.get(("receive", request)), self.open.get(("send", request))
        if send and (not receive or receive[1] < send.seq):
            self.cancelled.add(send.row)
            del self.open["send", request]
        elif receive:
            del self.open["receive", request]

    def add_event(self, judge, event):
        self.time = max(self.time, event.time)
        if event.name == "ENTER":
            self.stack.append(Call(int(REFERENCE.search(event.text.rstrip())[1]), self.time))
        elif event.name == "LEAVE":
            self.leave_call(int(REFERENCE.search(event.text.rstrip())[1]))
        elif event.name in SENDS or event.name in RECVS:
            self.message(judge, event)
        elif event.name in REQUESTS:
            self.request(event.name, NUMBER.search(event.text.rstrip())[1])
        self.seq += 1

    def end(self):
        for call in self.stack:
            call.leave = self.time


class Comms:
    """Maps ranks of communicators to processes."""

    def __init__(self, definitions):
        self.groups, self.comms = {}, {}
        for number, text in definitions.get("GROUP", []):
            if "Type: COMM_GROUP" in text:
                self.groups[number] = [int(n) for n in re.findall(r"(\d+) \(", text.split("Member", 1)[1])]
        for kind, pattern in (("COMM", r"Group: .*?<(\d+)>"), ("INTER_COMM", r"Group [AB]: .*?<(\d+)>")):
            for number, text in definitions.get(kind, []):
                self.comms[number] = [self.groups.get(int(n)) for n in re.findall(pattern, text, re.S)]

    def process(self, comm, proc, rank):
        """Returns the process of a rank; None if it is unknown."""
        groups = self.comms.get(comm)
        if groups is None:
            return None
        if groups[0] is None:
            return proc if rank == 0 else None
        remote = groups[-1] if proc in groups[0] or proc not in groups[-1] else groups[0]
        return remote[rank] if rank < len(remote) else None


class Judge:
    """`groups` is {Group: (sends, receives)}, each in the order of posting, without cancelled sends."""

    def __init__(self, archive):
        definitions = otf2print.definitions(archive)
        self.ticks, self.offset = otf2print.clock(definitions)
        self.comms = Comms(definitions)
        ranks = self.ranks_of(definitions)
        self.regions = otf2print.named_definitions(definitions, "REGION")
        self.locations = {}
        first = None
        for event in otf2print.events(archive):
            first = event.time if first is None else first
            if event.location not in self.locations:
                self.locations[event.location] = Location(event.location, ranks[event.location])
            self.locations[event.location].add_event(self, event)
        for location in self.locations.values():
            location.end()
        self.origin = self.offset if first is None else min(self.offset, first)
        self.groups = self.gather()
        self.numbers = {id(side): k for sides in self.groups.values() for side in sides for k, side in enumerate(side)}
        self.shifts, self.known_of = {}, {}

    @staticmethod
    def world_of(definitions):
        """Returns [location], by rank in MPI's world."""
        return next(([int(n) for n in re.findall(r"<(\d+)>(?=, \"|$)", text.split("Member", 1)[1], re.S)]
                     for _, text in definitions.get("GROUP", []) if WORLD.search(text)), [])

    @staticmethod
    def ranks_of(definitions):
        """Returns {location: process}. A process is its rank in MPI's world; processes without a rank have higher numbers."""
        group_of = {number: int(re.search(r"Group: .*<(\d+)>", text)[1]) for number, text in definitions["LOCATION"]}
        ranks = {group_of[location]: rank for rank, location in enumerate(Judge.world_of(definitions))}
        for number, _ in definitions["LOCATION_GROUP"]:
            ranks.setdefault(number, len(ranks))
        return {location: ranks[group] for location, group in group_of.items()}

    def gather(self):
        groups = collections.defaultdict(lambda: ([], []))
        for location in self.locations.values():
            for send in location.sends:
                if send.group and not self.is_cancelled(send):
                    groups[send.group][0].append(send)
            for receive in location.recvs:
                if receive.group:
                    groups[receive.group][1].append(receive)
        for sides in groups.values():
            for side in sides:
                side.sort(key=Side.place)
        return dict(groups)

    def pairs(self):
        """Yields (send, receive or None), and (None, receive) for receives without a send, in the order of posting."""
        for sends, receives in self.groups.values():
            yield from itertools.zip_longest(sends, receives)

    def counts(self):
        """Returns {group: (number of sends, number of receives)}."""
        return {group: (len(sends), len(receives)) for group, (sends, receives) in self.groups.items()}

    # ---- Certainty.

    @staticmethod
    def is_cancelled(send):
        return send.row in send.location.cancelled

    def sends(self):
        """Returns all sends, in the order of time."""
        sends = [send for location in self.locations.values() for send in location.sends]
        return sorted(sends, key=lambda send: (send.time, send.location.number, send.seq))

    def line(self, send):
        """Returns the line that `messages` must show for a send."""
        receive, state = self.match(send)
        wait, kind = (self.wait(send, receive) if receive else None) or (None, "-")
        return Line(send.time - self.origin, receive and receive.time - self.origin, receive and receive.posted - self.origin,
                    *(send.ends[1:3]), send.ends.comm, send.ends.tag, send.bytes, state, wait, kind)

    def match(self, send):
        """Returns (receive or None, state)."""
        if self.is_cancelled(send):
            return None, "certain"
        if not send.group:
            return None, "uncertain"
        sends, receives = self.groups[send.group]
        k = self.numbers[id(send)]
        if len(sends) == len(receives):
            return receives[k], "uncertain" if self.is_doubtful(send, receives[k]) else "certain"
        shift = self.shift(send.group, k)
        if shift is None:
            return None, "uncertain"
        if not 0 <= k + shift < len(receives):
            return None, "likely"
        claims = [i for i in range(k + shift - 16, k + shift + 17)
                  if 0 <= i < len(sends) and self.shift(send.group, i) == k + shift - i]
        if len(claims) != 1:
            return None, "uncertain"
        receive = receives[k + shift]
        return receive, "uncertain" if self.is_doubtful(send, receive) else "likely"

    def shift(self, group, k):
        """Returns the only shift by which all pairs around send k agree; None if there is none, or several."""
        if (group, k) not in self.shifts:
            sends, receives = self.groups[group]
            fitting = []
            for shift in SHIFTS:
                beside = range(max(k - BESIDE, 0, -shift), min(k + BESIDE + 1, len(sends), len(receives) - shift))
                if beside and all(sends[i].bytes == receives[i + shift].bytes and sends[i].call.enter < receives[i + shift].call.leave
                                  for i in beside):
                    fitting.append(shift)
            self.shifts[group, k] = fitting[0] if len(fitting) == 1 else None
        return self.shifts[group, k]

    def is_doubtful(self, send, receive):
        if send.bytes != receive.bytes:
            return True
        sends, receives = self.groups[send.group]
        for side, sides in ((send, sends), (receive, receives)):
            if self.has_several(sides) and any(self.share_time(side, rival) for rival in sides
                                               if rival.location is not side.location):
                return True
        # A receive with unknown posting is sorted by its completion; its true place is earlier.
        k = self.numbers[id(receive)]
        if k <= self.last_unknown(receives):
            return True
        beside = receives[max(k - BESIDE, 0):k + BESIDE + 1]
        return self.has_probes(receives) and any(self.is_probed(receive, rival) for rival in beside if rival is not receive)

    def last_unknown(self, receives):
        """Returns the number of the last receive with unknown posting; -1 if there is none."""
        key = "unknown", id(receives)
        if key not in self.known_of:
            self.known_of[key] = max((k for k, side in enumerate(receives) if not side.known), default=-1)
        return self.known_of[key]

    def has_probes(self, receives):
        """Returns True if one of the receives takes a probed message."""
        key = "probes", id(receives)
        if key not in self.known_of:
            self.known_of[key] = any(self.regions.get(side.posted_call.region) in MATCHED for side in receives)
        return self.known_of[key]

    def has_several(self, sides):
        """Returns True if several threads have the sends or receives."""
        key = id(sides)
        if key not in self.known_of:
            self.known_of[key] = len({side.location for side in sides}) > 1
        return self.known_of[key]

    @staticmethod
    def share_time(first, second):
        """Returns True if two threads are in calls of one group at the same time, so that their order is unknown."""
        a, b = first.posted_call, second.posted_call
        return first.posted == second.posted or (a.enter < b.leave and b.enter < a.leave)

    def is_probed(self, first, second):
        """Returns True if an MPI_Mrecv makes the order uncertain, as the time of its probe is unknown."""
        matched = [self.regions.get(side.posted_call.region) in MATCHED for side in (first, second)]
        opened = [0 if probed else side.posted_call.enter for side, probed in zip((first, second), matched)]
        return any(matched) and opened[0] <= second.time and opened[1] <= first.time

    # ---- Waits.

    def name(self, call):
        return self.regions.get(call.region) or ""

    def wait(self, send, receive):
        """Returns (ticks, kind) of a message; None if no process waited."""
        if send.call.enter > receive.call.leave:
            return None, "clock_violation"
        until = min(send.call.enter, receive.call.leave)
        name = self.name(receive.call)
        if name.startswith("MPI_") and not name.startswith("MPI_Test") and until > receive.call.enter:
            return until - receive.call.enter, "late_sender"
        done, posting = send.completion, receive.posted_call
        waits = done and self.name(done).startswith("MPI_" if send.blocking else "MPI_Wait")
        if waits and done.leave > posting.enter > done.enter:
            return posting.enter - done.enter, "late_receiver"
        return None
