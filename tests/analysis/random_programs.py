"""Random MPI programs, by a seed: the records of a recorder, as a script for otf2-script.

A program is played step by step, in a possible order. A receive ends after its send began. A member leaves an operation after the
members that it needs entered it. Every process has its own clock, on which steps take random times, so some processes are late. A
channel is (communicator, sender, receiver, tag). The k-th send of a channel matches the k-th receive that was posted.
"""

import collections

from random_processes import (COMPILER, Channel, Dice, FUNCTION, ISENDS, MPI, NO_ROOT, OF_MPI, OPERATIONS, OTHERS, POINT2POINT, PROBES,
                              Process, REGIONS, ROLES, Request, SENDS, USER, WAIT_MANY, WAIT_ONE)


class Program:
    """A random program. `kinds`: names of STEPS from which steps are drawn. `overtake`: receives of a channel may complete in
    another order than they were posted."""

    def __init__(self, seed, n_procs=4, steps=60, scale=1000, kinds=None, overtake=False):
        self.dice = Dice(seed)
        self.scale, self.overtake = scale, overtake
        self.processes = [Process(rank, self.dice, scale) for rank in range(n_procs)]
        self.channels = collections.defaultdict(Channel)
        self.comms = self.draw_comms()
        self.regions = [*REGIONS, *PROBES] if kinds and "probe" in kinds else REGIONS
        self.probed = [] # (process, request) of probed messages that are not received yet
        self.start()
        for _ in range(steps):
            getattr(self, self.dice.choice(kinds or list(STEPS)))()
        self.finish()

    # ---- Processes and communicators.

    def draw_comms(self):
        """Returns {number: members, in the order of ranks}; [] means each process's own communicator."""
        ranks = list(range(len(self.processes)))
        comms = {0: ranks, 1: ranks[::-1], 2: []}
        for number in range(3, 6):
            comms[number] = self.dice.sample(ranks, self.dice.randrange(1, len(ranks) + 1))
        return comms

    def pick_process(self):
        process = self.dice.choice(self.processes)
        process.wander()
        return process

    def pick_channel(self, process, is_send):
        """Returns (communicator, sender's rank, receiver's rank, tag), both ranks in the world."""
        number = self.dice.choice([k for k, members in self.comms.items() if not members or process.rank in members])
        members = self.comms[number] or [process.rank]
        peer = self.dice.choice(members)
        ends = (process.rank, peer) if is_send else (peer, process.rank)
        return number, *ends, self.dice.randrange(3)

    def rank_in(self, number, process):
        return self.comms[number].index(process) if self.comms[number] else 0

    # ---- Records of messages.

    def send_record(self, process, key, since, request=None):
        number, _, receiver, tag = key
        channel = self.channels[key]
        message = channel.at(channel.n_sent)
        channel.n_sent += 1
        message.sent, message.bytes = since, self.dice.choice([0, 8, 100, 65536])
        numbers = [self.rank_in(number, receiver), number, tag, message.bytes]
        process.note(*(("S", *numbers) if request is None else ("I", *numbers, request)))
        return message

    def post(self, key, since):
        channel = self.channels[key]
        message = channel.at(channel.n_posted)
        channel.n_posted += 1
        message.posted = since
        return message

    def receive_record(self, process, key, message, request=None):
        number, sender, _, tag = key
        numbers = [self.rank_in(number, sender), number, tag, message.bytes]
        process.note(*(("R", *numbers) if request is None else ("J", *numbers, request)))

    def new_request(self, process, key, message, is_send):
        process.next_request += 1
        process.requests.append(Request(process.next_request - 1, key, message, is_send))

    # ---- Steps.

    def compute(self):
        process = self.pick_process()
        process.compute()
        if self.dice.random() < 0.3:
            process.begin("MPI_Comm_rank")
            process.end()

    def send(self):
        process = self.pick_process()
        key = self.pick_channel(process, True)
        if self.is_awaited(key, True):
            return
        since = process.begin(self.dice.choice(SENDS))
        self.send_record(process, key, since)
        process.end()

    def late_receiver(self):
        """Sends a message synchronously whose receive is posted already."""
        waiting = [key for key, channel in self.channels.items() if channel.n_posted > channel.n_sent and not self.is_awaited(key, True)]
        if not waiting:
            return
        key = self.dice.choice(waiting)
        process = self.processes[key[1]]
        process.wander()
        since = process.begin("MPI_Ssend")
        message = self.send_record(process, key, since)
        process.until(message.posted + 1)
        process.end()

    def isend(self):
        process = self.pick_process()
        key, name = self.pick_channel(process, True), self.dice.choice(ISENDS)
        since = process.begin(name)
        message = self.send_record(process, key, since, process.next_request)
        message.synchronous = name == "MPI_Issend" or self.dice.random() < 0.3
        self.new_request(process, key, message, True)
        process.end()

    def irecv(self):
        process = self.pick_process()
        key = self.pick_channel(process, False)
        since = process.begin(self.dice.choice(["MPI_Irecv", "MPI_Irecv", "MPI_Start"]))
        message = self.post(key, since)
        process.note("P", process.next_request)
        self.new_request(process, key, message, False)
        process.end()

    def recv(self, key=None):
        """Receives a message that was sent, and that no posted receive matches. The channel is random, so the order is often
        wrong."""
        ready = [k for k, channel in self.channels.items() if channel.n_sent > channel.n_posted and not self.is_awaited(k)]
        if not ready and key is None:
            return
        key = key or self.dice.choice(ready)
        process = self.processes[key[2]]
        process.wander()
        since = process.begin("MPI_Recv")
        message = self.post(key, since)
        process.until(message.sent + 1)
        self.receive_record(process, key, message)
        process.end()

    def is_awaited(self, key, is_send=False):
        """Returns True if the channel has a request that a new send or receive would overtake, which would confuse the analyser."""
        requests = self.processes[key[1 if is_send else 2]].requests
        return not self.overtake and any(request.key == key for request in requests if request.is_send == is_send)

    def begin_send(self):
        """Begins a blocking send whose receiver is free to receive it. Returns (sender, receiver, channel, when it was sent), or
        None."""
        sender = self.pick_process()
        key = self.pick_channel(sender, True)
        channel, receiver = self.channels[key], self.processes[key[2]]
        if channel.n_sent != channel.n_posted or sender is receiver or self.is_awaited(key) or self.is_awaited(key, True):
            return None
        receiver.wander()
        sent = sender.begin("MPI_Ssend" if self.dice.random() < 0.5 else "MPI_Send")
        self.send_record(sender, key, sent)
        return sender, receiver, key, sent

    def end_send(self, sender, posted):
        if self.dice.random() < 0.7:
            sender.until(posted + 1)
        sender.end()

    def pair(self):
        """Plays a send that waits for its receive, or a receive that waits for its send."""
        begun = self.begin_send()
        if not begun:
            return
        sender, receiver, key, sent = begun
        posted = receiver.begin("MPI_Recv")
        message = self.post(key, posted)
        receiver.until(sent + 1)
        self.receive_record(receiver, key, message)
        receiver.end()
        self.end_send(sender, posted)

    def probe(self):
        """Plays a blocking probe that takes a message, which is received at once or later. As in recordings of `xtf record`, the
        probe posts the receive."""
        begun = self.begin_send()
        if not begun:
            return
        sender, receiver, key, sent = begun
        posted = receiver.begin("MPI_Mprobe")
        message = self.post(key, posted)
        receiver.note("P", receiver.next_request)
        self.probed.append((receiver, Request(receiver.next_request, key, message, False)))
        receiver.next_request += 1
        receiver.until(sent + 1)
        receiver.end()
        if self.dice.random() < 0.6:
            self.receive_probed(-1)
        self.end_send(sender, posted)

    def receive_probed(self, index=None):
        if not self.probed:
            return
        process, request = self.probed.pop(self.dice.randrange(len(self.probed)) if index is None else index)
        process.wander()
        if self.dice.random() < 0.6:
            process.begin("MPI_Mrecv")
            self.receive_record(process, request.key, request.message, request.number)
        else:
            process.begin("MPI_Imrecv")
            process.requests.append(request)
        process.end()

    def ring(self):
        """Lets all members send to the right and receive from the left."""
        large = [number for number, members in self.comms.items() if len(members) > 1]
        if not large:
            return
        number = self.dice.choice(large)
        members, tag = self.comms[number], 10
        name = self.dice.choice(["MPI_Sendrecv", "MPI_Sendrecv_replace"])
        shift = self.dice.randrange(1, len(members))
        for process in (self.processes[rank] for rank in members):
            process.wander()
            since = process.begin(name)
            i = members.index(process.rank)
            self.send_record(process, (number, process.rank, members[(i + shift) % len(members)], tag), since)
            self.post((number, members[i - shift], process.rank, tag), since)
        for i, process in enumerate(self.processes[rank] for rank in members):
            key = (number, members[i - shift], process.rank, tag)
            message = self.channels[key].messages[-1]
            process.until(message.sent + 1)
            self.receive_record(process, key, message)
            process.end()

    def ready_requests(self, process):
        """Returns the requests that can be completed, in order for each channel."""
        found, blocked = [], set()
        for request in process.requests:
            if request.is_done and (self.overtake or (request.is_send, request.key) not in blocked):
                found.append(request)
            else:
                blocked.add((request.is_send, request.key))
        return found

    def complete(self, process=None):
        process = process or self.pick_process()
        ready = self.ready_requests(process)
        if not ready:
            return
        n = self.dice.choice([1, 1, 2, len(ready)])
        if n == 1:
            chosen, name = [ready[0]], self.dice.choice(WAIT_ONE)
        else:
            chosen = self.dice.sample(ready, min(n, len(ready)))
            # Requests of one channel complete in their order.
            if not self.overtake:
                chosen = ready[:n]
            name = self.dice.choice(WAIT_MANY)
        self.complete_in(process, chosen, name)

    def complete_in(self, process, chosen, name):
        process.begin(name)
        for request in chosen:
            message = request.message
            process.tick()
            if request.is_send:
                process.until(message.posted + 1 if message.synchronous else 0)
                process.note("C", request.number)
            else:
                process.until(message.sent + 1)
                self.receive_record(process, request.key, message, request.number)
            process.requests.remove(request)
        process.end()

    def test(self):
        process = self.pick_process()
        if process.requests:
            process.begin("MPI_Test")
            process.note("T", self.dice.choice(process.requests).number)
            process.end()

    # ---- Collective operations.

    def operation(self):
        name = self.dice.choice(list(OPERATIONS))
        number = self.dice.choice(list(self.comms))
        members = self.comms[number] or [self.dice.randrange(len(self.processes))]
        self.operate(name, number, members)

    def barrier(self):
        self.operate("MPI_Barrier", 0, self.comms[0])

    def operate(self, name, number, members):
        code, shape = OPERATIONS[name]
        members = [self.processes[rank] for rank in members]
        root = self.dice.randrange(len(members))
        begins = []
        for process in members:
            process.wander()
            process.tick()
            process.enter(name)
            process.note("B") # recorders give both records the same time
            begins.append(process.time)
        moved = [self.moved(name, shape, k == root, len(members)) for k in range(len(members))]
        for k, process in enumerate(members):
            needs = [begins[i] for i in self.needs(shape, k, root, moved)]
            process.until(max([begins[k], *needs]))
            process.tick(1)
            with_root = root if shape in ("12n", "n21") else NO_ROOT
            process.note("D", code, number, with_root, *moved[k])
            process.end()

    def moved(self, name, shape, is_root, n):
        """Returns the bytes (sent, received) of a member."""
        size = self.dice.choice([0, 8, 64]) if name.endswith(("v", "w")) or self.dice.random() < 0.2 else 8
        if shape == "barrier":
            return 0, 0
        if shape == "12n":
            return (8 * n if is_root else 0), size
        if shape == "n21":
            return size, (8 * n if is_root else 0)
        # Scalasca's analyser stops at a member that neither sends nor receives.
        return size, self.dice.choice([8, 64] if size == 0 else [0, size, size])

    @staticmethod
    def needs(shape, k, root, moved):
        """Returns the members that must have entered before member k can leave."""
        senders = [i for i, (sent, _) in enumerate(moved) if sent]
        if shape == "barrier":
            return range(len(moved))
        if shape == "12n":
            return [root] if moved[k][1] else []
        if shape == "n21":
            return senders if k == root else []
        if shape == "scan":
            return [i for i in senders if i <= k]
        return senders if shape == "n2n" and moved[k][1] else []

    # ---- Begin and end.

    def start(self):
        self.all_at_once("main", "MPI_Init" if self.dice.random() < 0.7 else "MPI_Init_thread")

    def all_at_once(self, outer, name):
        for process in self.processes:
            if outer:
                process.enter(outer)
                process.compute()
            process.begin(name)
        latest = max(process.time for process in self.processes)
        for process in self.processes:
            process.until(latest)
            process.tick(1)
            process.leave()

    def finish(self):
        """Receives all sent messages, and sends for all posted receives."""
        while self.probed:
            self.receive_probed()
        for key, channel in list(self.channels.items()):
            while channel.n_sent < channel.n_posted:
                process = self.processes[key[1]]
                self.complete_all()
                self.send_record(process, key, process.begin("MPI_Send"))
                process.end()
        self.complete_all()
        for key, channel in list(self.channels.items()):
            while channel.n_posted < channel.n_sent:
                self.recv(key)
        self.complete_all()
        for process in self.processes:
            process.wander()
            while len(process.stack) > 1:
                process.end()
        self.all_at_once(None, "MPI_Finalize")
        for process in self.processes:
            process.compute()
            process.leave()

    def complete_all(self):
        for process in self.processes:
            while self.ready_requests(process):
                self.complete(process)

    # ---- The script.

    def script(self, ticks_per_second=10**9, offset=0):
        n = len(self.processes)
        lines = [line for process in self.processes for line in process.lines]
        last = max(process.time for process in self.processes)
        lines += [f"clock {ticks_per_second} {offset} {last + 1}", f"processes {n}"]
        lines += [f"location {rank} {rank} Master thread" for rank in range(n)]
        for number, name in enumerate(self.regions):
            role = ROLES[OPERATIONS[name][1]] if name in OPERATIONS else FUNCTION if name in USER + ["main"] + OTHERS[:3] else POINT2POINT
            lines.append(f"construct {number} {OF_MPI if name in MPI + PROBES else COMPILER} {role} {name}")
        lines.append(f"world 0 {' '.join(map(str, range(n)))}")
        for number, members in self.comms.items():
            if number:
                lines.append(f"group {10 + number} {' '.join(map(str, members))}" if members else f"self {10 + number}")
                lines.append(f"comm {number} {10 + number} comm {number}")
        return lines


STEPS = {"compute": Program.compute, "send": Program.send, "late_receiver": Program.late_receiver, "isend": Program.isend,
         "irecv": Program.irecv, "recv": Program.recv, "pair": Program.pair, "ring": Program.ring, "complete": Program.complete,
         "test": Program.test, "operation": Program.operation, "barrier": Program.barrier}
WITH_PROBES = [*STEPS, "probe", "probe", "probe", "receive_probed"]
