"""Programs that post receives and sends, compute, and wait for all of them, by models of how MPI moves the data. Each program
notes which process waited for which one to enter MPI again."""

import collections
import random

# Ticks are nanoseconds. Computing times differ by STEP or more; all of MPI's work in a round takes far less.
STEP, FLIGHT, CALL, LEAST = 200000, 200, 10, 20000
REGIONS = ["main", "MPI_Init", "MPI_Finalize", "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Test"]
BYTES = {"eager": 100, "rendezvous": 65536, "fetch": 65536, "thread": 65536, "test": 65536}

# A wait of `process` until `culprit` enters MPI at `end`.
Truth = collections.namedtuple("Truth", "process culprit end wait")


class Process:
    def __init__(self, rank, time):
        self.rank, self.time, self.lines, self.requests = rank, time, [], 0
        self.posted, self.outside, self.entered = 0, 0, 0
        self.sent, self.received = {}, {}  # {other side: when the call that posts was entered}

    def note(self, kind, *numbers):
        numbers = [REGIONS.index(number) if isinstance(number, str) else number for number in numbers]
        self.lines.append(f"{self.rank} {self.time} {kind} {' '.join(map(str, numbers))}")

    def call(self, region, ticks, *records):
        self.note("E", region)
        for record in records:
            self.note(*record)
        self.time += ticks
        self.note("L", region)


class Program:
    """A ring of processes, each of which exchanges messages with both neighbours in each round. `model` says how messages move:

    eager       a send needs no other process; a receive needs the posting of the send
    thread      a thread of MPI moves the message once both sides have posted; that takes as long as computing
    rendezvous  both sides have to be in MPI after the later posting
    fetch       the receiver fetches the message: in the call that posts the receive if that is the later posting, else when it
                enters MPI again
    test        like rendezvous, but processes call MPI_Test again and again while they compute
    """

    def __init__(self, model, seed, n=4, rounds=24):
        self.model, self.dice, self.truth = model, random.Random(seed), []
        self.processes = [Process(rank, 1000 + rank) for rank in range(n)]
        for process in self.processes:
            process.note("E", "main")
            process.call("MPI_Init", 5000)
        for number in range(rounds):
            self.round(number)
        last = max(process.time for process in self.processes)
        for process in self.processes:
            process.time = max(process.time, last)
            process.call("MPI_Finalize", 1000)
            process.note("L", "main")

    def neighbours(self, process):
        n = len(self.processes)
        return [self.processes[(process.rank + step) % n] for step in (1, n - 1)]

    def post(self, process):
        """Posts receives first. Requests 0 and 1 of a round are receives, 2 and 3 sends."""
        process.posted, process.first = process.time, process.requests
        process.requests += 4
        for k, peer in enumerate(self.neighbours(process)):
            process.received[peer.rank] = process.time
            process.call("MPI_Irecv", CALL, ("P", process.first + k))
        for k, peer in enumerate(self.neighbours(process)):
            process.sent[peer.rank] = process.time
            process.call("MPI_Isend", CALL, ("I", peer.rank, 0, len(self.neighbours(process)) - 1 - k, BYTES[self.model],
                                                   process.first + 2 + k))
        process.outside = process.time

    def compute(self, process, slow):
        """Computes for a random time."""
        end = process.time + STEP * (self.dice.randrange(1, 4) + (8 if slow else 0))
        if self.model == "test":
            while process.time < end:
                process.time += LEAST // 2
                process.call("MPI_Test", CALL, ("T", process.first))
        else:
            process.time = end

    def arrival_of(self, process, peer):
        """Returns when the messages to and from a neighbour have arrived, and the neighbour if they waited for it to enter MPI."""
        posted = max(process.posted, peer.posted)
        if self.model == "eager":
            return peer.posted + FLIGHT, None
        if self.model == "thread":
            return posted + self.dice.randrange(STEP // 2, 6 * STEP), None
        if self.model == "test":
            return posted + FLIGHT, None
        # The neighbour fetches what this process sends.
        if self.model == "fetch" and process.sent[peer.rank] < peer.received[process.rank]:
            return peer.posted + FLIGHT, None
        return max(process.entered, peer.entered) + FLIGHT, peer if peer.entered > process.entered else None

    def round(self, number):
        for process in self.processes:
            self.post(process)
            self.compute(process, number % 3 and process.rank == number // 6 % len(self.processes))
            process.entered = process.time
        for process in self.processes:
            self.finish(process)

    def finish(self, process):
        found = [self.arrival_of(process, peer) for peer in self.neighbours(process)]
        leave = max([process.entered + FLIGHT] + [time for time, _ in found])
        over = max([process.entered] + [peer.sent[process.rank] for peer in self.neighbours(process)])
        late = max((peer for time, peer in found if peer and time == leave), key=lambda peer: peer.entered, default=None)
        if late and late.entered - over >= LEAST:
            wait = late.entered - max(over, late.outside)
            self.truth.append(Truth(process.rank, late.rank, late.entered, wait))
        process.note("E", "MPI_Waitall")
        process.time = leave
        for k, peer in enumerate(self.neighbours(process)):
            process.note("J", peer.rank, 0, k, BYTES[self.model], process.first + k)
        for k, _ in enumerate(self.neighbours(process)):
            process.note("C", process.first + 2 + k)
        process.note("L", "MPI_Waitall")

    def script(self):
        """Returns the script for otf2-script."""
        n = len(self.processes)
        lines = [line for process in self.processes for line in process.lines]
        lines += ["clock 1000000000 0 100000000", f"processes {n}"]
        lines += [f"location {rank} {rank} P{rank}" for rank in range(n)]
        lines += [f"region {number} {name}" for number, name in enumerate(REGIONS)]
        return lines + [f"world 0 {' '.join(map(str, range(n)))}", f"group 1 {' '.join(map(str, range(n)))}", "comm 0 1 world"]


class Alternating(Program):
    """Two processes that compute for one STEP, or three, in turns. Both sides of their messages have to be in MPI. The process
    that computes longer causes all waits of its partner. `causes`: {(process, end): [(process, path, ticks)]}."""

    SLOW = 2 * STEP

    def __init__(self, rounds=16):
        super().__init__("rendezvous", 0, 2, rounds)
        self.causes = {(one.process, one.end): [(one.culprit, "main", one.wait)] for one in self.truth}

    def neighbours(self, process):
        return [self.processes[1 - process.rank]]

    def compute(self, process, slow):
        process.time += STEP + self.SLOW * (process.rank == self.turn % 2)

    def round(self, number):
        self.turn = number
        super().round(number)
