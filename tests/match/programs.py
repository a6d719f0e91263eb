"""Programs of messages that are played by MPI's rules, and the records that a recorder would write.

The play defines the other side of each message. It thereby tests the judge, who pairs messages by the records alone.
"""

import collections
import subprocess

ANY = None
WORLD, SELF_GROUP = 0, 90
# Kinds of records; otf2-script knows the letters.
SEND, ISEND, RECV, IRECV, POST, SENT, CANCEL, TEST = "SIRJPCXT"
REGIONS = ["main", "MPI_Send", "MPI_Isend", "MPI_Recv", "MPI_Irecv", "MPI_Wait", "MPI_Waitall", "MPI_Test", "MPI_Sendrecv",
           "MPI_Cancel", "MPI_Barrier", "MPI_Ibarrier", "MPI_Mrecv", "MPI_Imrecv"]
REGION = {name: i for i, name in enumerate(REGIONS)}
TICKS = 1000000000


class Comm:
    """A communicator. `groups` has one list of processes, or two in an intercommunicator; none if each process has its own."""

    def __init__(self, number, *groups):
        self.number = number
        self.groups = groups

    def members(self):
        return [proc for group in self.groups for proc in group]

    def peers(self, proc):
        """Returns the processes to which a process of the communicator can send, by their ranks."""
        if not self.groups:
            return [proc]
        return self.groups[-1] if proc in self.groups[0] else self.groups[0]


class Message:
    __slots__ = ("number", "comm", "sender", "receiver", "tag", "sent", "received")

    def __init__(self, number, comm, sender, receiver, tag):
        self.number, self.comm, self.sender, self.receiver, self.tag = number, comm, sender, receiver, tag
        # (location, row in `sends` or `recvs`) of both ends; None if not recorded.
        self.sent = self.received = None


class Receive:
    """A posted receive. `source` is a process, `tag` a number; ANY is any."""

    __slots__ = ("comm", "source", "tag", "request", "message")

    def __init__(self, comm, source, tag, request):
        self.comm, self.source, self.tag, self.request = comm, source, tag, request
        self.message = None

    def accepts(self, message):
        return (self.comm is message.comm and self.source in (ANY, message.sender) and self.tag in (ANY, message.tag))


class Location:
    def __init__(self, number, proc, skew):
        self.number, self.proc, self.skew = number, proc, skew
        self.posted = []        # receives with a request, in the order of posting
        self.sent = {}          # {request: message} of sends that are not complete
        self.recording = True
        self.rows = collections.Counter()
        self.free = list(range(1, 9))
        self.next_request = 9

    def request(self):
        """Returns an id that is not in use; soon one that was used before."""
        if not self.free:
            self.free.append(self.next_request)
            self.next_request += 1
        return self.free.pop(0)


class Process:
    def __init__(self):
        self.posted = []        # receives without a message, in the order of posting
        self.arrived = []       # messages without a receive, in the order of arrival


class Program:
    """Processes of `n_threads` threads each. Calls are made one after the other, in one global order. `skews` says by how much
    each process's clock is ahead."""

    def __init__(self, n_procs, n_threads=1, comms=None, skews=None, size=lambda number: number):
        self.world = Comm(WORLD, list(range(n_procs)))
        self.comms = [self.world] + (comms or [])
        self.processes = [Process() for _ in range(n_procs)]
        self.locations = [Location(proc + thread * n_procs, proc, skews[proc] if skews else 0)
                          for proc in range(n_procs) for thread in range(n_threads)]
        self.time = 1000
        self.lines = []
        self.channels = collections.OrderedDict()  # {(sender, receiver, comm): messages in flight}
        self.messages = []
        self.size = size

    # ---- Records.

    def record(self, location, kind, *numbers, ticks=3):
        self.time += ticks
        if location.recording:
            self.lines.append(f"{location.number} {self.time + location.skew} {kind} {' '.join(map(str, numbers))}")

    def record_message(self, location, kind, comm, peer, message, *request):
        """Records a send or a receive; returns its end."""
        self.record(location, kind, comm.peers(location.proc).index(peer), comm.number, message.tag, self.size(message.number),
                    *request)
        if not location.recording:
            return None
        location.rows[kind in (SEND, ISEND)] += 1
        return location.number, location.rows[kind in (SEND, ISEND)] - 1

    def record_receive(self, location, receive, kind=RECV, *request):
        message = receive.message
        message.received = self.record_message(location, kind, message.comm, message.sender, message, *request)

    def enter(self, location, name):
        self.record(location, "E", REGION[name])

    def leave(self, location, name):
        self.record(location, "L", REGION[name])

    # ---- MPI's work.

    def launch(self, location, comm, receiver, tag):
        message = Message(len(self.messages), comm, location.proc, receiver, tag)
        self.messages.append(message)
        self.channels.setdefault((message.sender, receiver, comm.number), collections.deque()).append(message)
        return message

    def post(self, location, receive):
        process = self.processes[location.proc]
        for i, message in enumerate(process.arrived):
            if receive.accepts(message):
                receive.message = process.arrived.pop(i)
                return
        process.posted.append(receive)

    def arrive(self, channel):
        """Delivers the first message of a channel."""
        message = self.channels[channel].popleft()
        if not self.channels[channel]:
            del self.channels[channel]
        process = self.processes[message.receiver]
        for i, receive in enumerate(process.posted):
            if receive.accepts(message):
                process.posted.pop(i).message = message
                return
        process.arrived.append(message)

    def arrive_all(self):
        while self.channels:
            self.arrive(next(iter(self.channels)))

    # ---- Calls.

    def send(self, location, comm, receiver, tag):
        self.enter(location, "MPI_Send")
        message = self.launch(location, comm, receiver, tag)
        message.sent = self.record_message(location, SEND, comm, receiver, message)
        self.leave(location, "MPI_Send")
        return message

    def isend(self, location, comm, receiver, tag, request=None):
        self.enter(location, "MPI_Isend")
        message = self.launch(location, comm, receiver, tag)
        request = location.request() if request is None else request
        message.sent = self.record_message(location, ISEND, comm, receiver, message, request)
        location.sent[request] = message
        self.leave(location, "MPI_Isend")
        return request

    def irecv(self, location, comm, source=ANY, tag=ANY, request=None, call="MPI_Irecv"):
        self.enter(location, call)
        receive = Receive(comm, source, tag, location.request() if request is None else request)
        self.record(location, POST, receive.request)
        self.post(location, receive)
        location.posted.append(receive)
        self.leave(location, call)
        return receive

    def recv(self, location, comm, source=ANY, tag=ANY, call="MPI_Recv"):
        """Plays a blocking receive, if a message for it has arrived or is in flight."""
        receive = Receive(comm, source, tag, None)
        self.enter(location, call)
        self.post(location, receive)
        while not receive.message and self.channels:
            self.arrive(next(iter(self.channels)))
        if receive.message:
            self.record_receive(location, receive)
        else:
            self.processes[location.proc].posted.remove(receive)
        self.leave(location, call)
        return receive.message

    def complete(self, location, receives=(), sends=(), call="MPI_Wait"):
        """Completes receives that have their messages, and sends, in this order, in one call."""
        self.enter(location, call)
        for receive in receives:
            self.record_receive(location, receive, IRECV, receive.request)
            location.posted.remove(receive)
            location.free.append(receive.request)
        for request in sends:
            self.record(location, SENT, request)
            del location.sent[request]
            location.free.append(request)
        self.leave(location, call)

    def test(self, location, request):
        self.enter(location, "MPI_Test")
        self.record(location, TEST, request)
        self.leave(location, "MPI_Test")

    def cancel_receive(self, location, receive):
        """Cancels a receive that has no message yet."""
        self.enter(location, "MPI_Cancel")
        self.processes[location.proc].posted.remove(receive)
        self.drop_receive(location, receive)
        self.record(location, CANCEL, receive.request)
        self.leave(location, "MPI_Cancel")

    def drop_receive(self, location, receive):
        location.posted.remove(receive)
        location.free.append(receive.request)

    def cancel_send(self, location, request):
        """Cancels a send whose message is still in flight; returns False if it is not."""
        message = location.sent[request]
        key = (message.sender, message.receiver, message.comm.number)
        if message not in self.channels.get(key, ()):
            return False
        self.channels[key].remove(message)
        if not self.channels[key]:
            del self.channels[key]
        self.enter(location, "MPI_Cancel")
        del location.sent[request]
        location.free.append(request)
        self.record(location, CANCEL, request)
        self.leave(location, "MPI_Cancel")
        return True

    def sendrecv(self, location, comm, receiver, tag):
        """Plays MPI_Sendrecv; the receive is of any source and tag."""
        self.enter(location, "MPI_Sendrecv")
        message = self.launch(location, comm, receiver, tag)
        message.sent = self.record_message(location, SEND, comm, receiver, message)
        receive = Receive(comm, ANY, ANY, None)
        self.post(location, receive)
        while not receive.message and self.channels:
            self.arrive(next(iter(self.channels)))
        if receive.message:
            self.record_receive(location, receive)
        else:
            self.processes[location.proc].posted.remove(receive)
        self.leave(location, "MPI_Sendrecv")

    def finish(self, dice):
        """Receives all messages in flight, so that every group has equal numbers of receives and sends."""
        self.arrive_all()
        for process in self.processes:
            process.posted.clear()
        for location in self.locations:
            for request in list(location.sent):
                self.complete(location, sends=[request])
            done = [receive for receive in location.posted if receive.message]
            dice.shuffle(done)
            self.complete(location, done, call="MPI_Waitall")
        for location in self.locations:
            while self.processes[location.proc].arrived:
                message = self.processes[location.proc].arrived[0]
                self.recv(location, message.comm, message.sender, message.tag)

    # ---- The archive.

    def definitions(self):
        yield f"clock {TICKS} 0 {self.time}"
        yield f"processes {len(self.processes)}"
        for location in sorted(self.locations, key=lambda location: location.number):
            yield f"location {location.number} {location.proc} thread"
        for i, name in enumerate(REGIONS):
            yield f"region {i} {name}"
        yield f"world {WORLD} {' '.join(str(proc) for proc in range(len(self.processes)))}"
        yield f"self {SELF_GROUP}"
        for comm in self.comms[1:]:
            groups = []
            for group in comm.groups:
                groups.append(100 + 2 * comm.number + len(groups))
                yield f"group {groups[-1]} {' '.join(map(str, group))}"
            word = "inter" if len(groups) == 2 else "comm"
            yield f"{word} {comm.number} {' '.join(map(str, groups or [SELF_GROUP]))} comm {comm.number}"

    def write(self, script, folder, name):
        """Writes the archive by the program `script`; returns its path."""
        seen = {line.split(" ", 1)[0] for line in self.lines}
        for location in self.locations:
            if str(location.number) not in seen: # otf2-print needs an event of each location
                self.lines.append(f"{location.number} {self.time} E {REGION['main']}")
        with subprocess.Popen([script, str(folder), name], stdin=subprocess.PIPE, text=True) as process:
            process.stdin.writelines(line + "\n" for lines in (self.lines, self.definitions()) for line in lines)
        if process.returncode != 0:
            raise ValueError(f"otf2-script: status {process.returncode}")
        self.lines = []
        return folder / (name + ".otf2")


# ---- Programs.


def some_comms(n_procs):
    """Returns a copy of the world, a part of it in another order, an intercommunicator (from both sides), and each process's own."""
    procs = list(range(n_procs))
    return [Comm(2, procs[::-1]), Comm(3, [procs[-1], procs[0], procs[1]]), Comm(4, procs[:2], procs[2:]), Comm(5),
            Comm(6, procs[2:][::-1], procs[:2])]


def play_calls(program, dice, steps, cancels=True, wild=0.5):
    """Plays random calls. Every message is received, except cancelled ones."""
    for _ in range(steps):
        location = dice.choice(program.locations)
        comm = dice.choice([comm for comm in program.comms if not comm.groups or location.proc in comm.members()])
        tag = dice.randrange(3)
        peer = dice.choice(comm.peers(location.proc))
        kind = dice.randrange(20)
        if kind < 3:
            program.send(location, comm, peer, tag)
        elif kind < 6:
            program.isend(location, comm, peer, tag)
        elif kind < 11:
            program.irecv(location, comm, ANY if dice.random() < wild else peer, ANY if dice.random() < wild else tag)
        elif kind < 12:
            program.recv(location, comm, ANY if dice.random() < wild else peer, ANY if dice.random() < wild else tag)
        elif kind < 14 and program.channels:
            program.arrive(dice.choice(list(program.channels)))
        elif kind < 17:
            complete_some(program, dice, location)
        elif kind == 17 and cancels:
            cancel_some(program, dice, location)
        elif kind == 18 and (location.sent or location.posted):
            program.test(location, dice.choice(list(location.sent) + [receive.request for receive in location.posted]))
        elif kind == 19:
            program.sendrecv(location, comm, peer, tag)


def complete_some(program, dice, location):
    receives = [receive for receive in location.posted if receive.message]
    receives = dice.sample(receives, dice.randrange(len(receives) + 1))
    sends = dice.sample(list(location.sent), dice.randrange(len(location.sent) + 1))
    if len(receives) + len(sends) == 1:
        program.complete(location, receives, sends, dice.choice(["MPI_Wait", "MPI_Test"]))
    else:
        program.complete(location, receives, sends, "MPI_Waitall")


def cancel_some(program, dice, location):
    pending = [receive for receive in location.posted if not receive.message]
    if pending and dice.random() < 0.5:
        program.cancel_receive(location, dice.choice(pending))
    elif location.sent:
        program.cancel_send(location, dice.choice(list(location.sent)))
