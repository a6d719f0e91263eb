#!/usr/bin/env python3
"""Potential deadlocks, as `xtf deadlock --potential` reports them. Programs with a known answer, and random programs against a naive
simulation with synchronous sends. The simulation reads the program, not its trace.

usage: test_synchronous.py XTF OTF2-SCRIPT
"""

import json
import pathlib
import random
import re
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(TESTS / "roundtrip"))
# pylint: disable=wrong-import-position
from xtfrun import Failure, Xtf, n_rounds, run_test, temporary_folder

REGIONS = ["main", "MPI_Send", "MPI_Bsend", "MPI_Isend", "MPI_Ibsend", "MPI_Recv", "MPI_Irecv", "MPI_Wait", "MPI_Waitall", "MPI_Sendrecv",
           "MPI_Barrier", "MPI_Bcast", "MPI_Allreduce", "MPI_Reduce", "MPI_Scan"]
# Collective operations: OTF2's numbers.
OPERATIONS = {"MPI_Barrier": 0, "MPI_Bcast": 1, "MPI_Allreduce": 11, "MPI_Reduce": 12, "MPI_Scan": 14}
NO_ROOT = 2**32 - 1
N_RANDOM = 60


class Message:
    """A message: (process, number of the call) of the calls that begin the send, complete it, post the receive and complete it."""

    def __init__(self, number, sender, receiver):
        self.number, self.sender, self.receiver = number, sender, receiver
        self.send = self.sent = self.post = self.received = None


class Call:
    """A call. `needs`: the calls that must be entered before it completes, with the record of it that waits."""

    def __init__(self, region):
        self.region, self.needs = region, []


class Program:
    """Processes whose calls are made in one global order, in which MPI buffers all messages. `comms`: members of communicators."""

    def __init__(self, n_procs, *comms):
        self.n_procs, self.comms = n_procs, [list(range(n_procs)), *comms]
        self.lines = []
        self.calls = [[] for _ in range(n_procs)]
        self.rows = [{"sends": 0, "recvs": 0} for _ in range(n_procs)]
        self.messages, self.time = [], 1000
        for proc in range(n_procs):
            self.note(proc, "E", 0)

    def note(self, proc, kind, *numbers):
        self.time += 1
        self.lines.append(f"{proc} {self.time} {kind} {' '.join(map(str, numbers))}")

    def enter(self, proc, region):
        """Returns the place of a new call: (process, number of the call)."""
        self.calls[proc].append(Call(region))
        self.note(proc, "E", REGIONS.index(region))
        return proc, len(self.calls[proc]) - 1

    def leave(self, proc):
        self.note(proc, "L", REGIONS.index(self.calls[proc][-1].region))

    def need(self, place, needed, record):
        self.calls[place[0]][place[1]].needs.append((needed, record))

    def row(self, proc, kind):
        self.rows[proc][kind] += 1
        return f"proc/{proc}/thread/0/{kind}/num/{self.rows[proc][kind] - 1}"

    def begin_send(self, sender, receiver, place, request=None):
        message = Message(len(self.messages), sender, receiver)
        self.messages.append(message)
        message.send, message.send_row = place, self.row(sender, "sends")
        numbers = (receiver, 0, message.number, 8)
        self.note(sender, "S" if request is None else "I", *numbers, *(() if request is None else (request,)))
        return message

    def end_receive(self, message, place, request=None):
        message.received, message.receive_row = place, self.row(message.receiver, "recvs")
        numbers = (message.sender, 0, message.number, 8)
        self.note(message.receiver, "R" if request is None else "J", *numbers, *(() if request is None else (request,)))

    # ---- Calls.

    def send(self, sender, receiver, region="MPI_Send"):
        place = self.enter(sender, region)
        message = self.begin_send(sender, receiver, place)
        message.sent = None if region == "MPI_Bsend" else place
        self.leave(sender)
        return message

    def isend(self, sender, receiver, region="MPI_Isend"):
        place = self.enter(sender, region)
        message = self.begin_send(sender, receiver, place, len(self.messages) + 1)
        message.is_buffered = region == "MPI_Ibsend"
        self.leave(sender)
        return message

    def recv(self, message):
        place = message.post = self.enter(message.receiver, "MPI_Recv")
        self.end_receive(message, place)
        self.leave(message.receiver)

    def irecv(self, message):
        message.post = self.enter(message.receiver, "MPI_Irecv")
        self.note(message.receiver, "P", message.number + 1)
        self.leave(message.receiver)

    def wait(self, proc, messages):
        """Completes messages of a process: as their sender or as their receiver."""
        place = self.enter(proc, "MPI_Wait" if len(messages) == 1 else "MPI_Waitall")
        for message, is_send in messages:
            if is_send:
                message.sent = None if message.is_buffered else place
                self.note(proc, "C", message.number + 1)
            else:
                self.end_receive(message, place, message.number + 1)
        self.leave(proc)

    def shift(self, procs):
        """Plays a ring of MPI_Sendrecv."""
        messages = []
        for i, proc in enumerate(procs):
            place = self.enter(proc, "MPI_Sendrecv")
            messages.append(self.begin_send(proc, procs[(i + 1) % len(procs)], place))
            messages[-1].sent = place
        for i, proc in enumerate(procs):
            message = messages[i - 1]
            message.post = (proc, len(self.calls[proc]) - 1)
            self.end_receive(message, message.post)
            self.leave(proc)

    def operate(self, region, comm=0, root=0):
        members = self.comms[comm]
        places = []
        for proc in members:
            places.append(self.enter(proc, region))
            self.note(proc, "B")
        for rank, proc in enumerate(members):
            sent = region != "MPI_Barrier" and (region != "MPI_Bcast" or rank == root)
            received = region != "MPI_Barrier" and (rank != root if region == "MPI_Bcast" else rank == root or region != "MPI_Reduce")
            self.note(proc, "D", OPERATIONS[region], comm, root if region in ("MPI_Bcast", "MPI_Reduce") else NO_ROOT, 8 * sent, 8 * received)
            self.leave(proc)
            for other in range(len(members)):
                if self.member_needs(region, rank, other, root):
                    self.need(places[rank], places[other], None)

    @staticmethod
    def member_needs(region, rank, other, root):
        if rank == other:
            return False
        return {"MPI_Bcast": other == root, "MPI_Reduce": rank == root, "MPI_Scan": other < rank}.get(region, True)

    # ---- The archive.

    def script(self):
        lines = [*self.lines, f"clock 1000000000 0 {self.time + 10}", f"processes {self.n_procs}"]
        lines += [f"location {proc} {proc} thread" for proc in range(self.n_procs)]
        lines += [f"region {i} {name}" for i, name in enumerate(REGIONS)]
        lines += [f"world 0 {' '.join(map(str, range(self.n_procs)))}"]
        for number, members in list(enumerate(self.comms))[1:]:
            lines += [f"group {100 + number} {' '.join(map(str, members))}", f"comm {number} {100 + number} comm{number}"]
        return lines


class Simulation:
    """A program with synchronous sends. `stuck`: {process: call in which it waits for ever}, `needed`: {process: {(process, record)}}."""

    def __init__(self, program):
        for message in program.messages:
            if message.sent and message.post:
                program.need(message.sent, message.post, message.send_row)
            if message.received:
                program.need(message.received, message.send, message.receive_row)
        self.at = [0] * program.n_procs
        self.calls = program.calls
        while any(self.step(proc) for proc in range(program.n_procs)):
            pass
        self.stuck = {proc: calls[self.at[proc]] for proc, calls in enumerate(self.calls) if self.at[proc] < len(calls)}
        self.needed = {proc: {(place[0], record) for place, record in call.needs if not self.is_entered(place)} for proc, call in self.stuck.items()}

    def is_entered(self, place):
        return place[1] <= self.at[place[0]]

    def step(self, proc):
        calls = self.calls[proc]
        if self.at[proc] == len(calls) or not all(self.is_entered(place) for place, _ in calls[self.at[proc]].needs):
            return False
        self.at[proc] += 1
        return True


# ---- Programs with a known answer: the cycles.


def both_send_first(region="MPI_Send"):
    program = Program(2)
    messages = [program.send(0, 1, region), program.send(1, 0, region)]
    for message in messages:
        program.recv(message)
    return program


def ordered():
    program = Program(2)
    program.recv(program.send(0, 1))
    program.recv(program.send(1, 0))
    return program


def both_isend(region="MPI_Isend", early=False):
    """Both processes send, receive and then complete the send; or complete it before they receive, if `early`."""
    program = Program(2)
    messages = [program.isend(0, 1, region), program.isend(1, 0, region)]
    for early_now in (True, False):
        for message in messages:
            if early == early_now:
                program.wait(message.sender, [(message, True)])
        if early_now:
            for message in messages:
                program.recv(message)
    return program


def ring_of_sends():
    program = Program(5)
    for message in [program.send(i, (i + 1) % 5) for i in range(5)]:
        program.recv(message)
    return program


def ring_of_sendrecv():
    program = Program(5)
    program.shift(list(range(5)))
    return program


def send_before_barrier():
    program = Program(3)
    message = program.send(0, 2)
    program.operate("MPI_Barrier")
    program.recv(message)
    return program


def posted_before_barrier():
    program = Program(3)
    message = program.isend(0, 2)
    program.irecv(message)
    program.operate("MPI_Barrier")
    program.wait(0, [(message, True)])
    program.wait(2, [(message, False)])
    return program


def itself():
    program = Program(2)
    program.recv(program.send(1, 1))
    return program


def two_cycles_and_one_behind():
    program = Program(5)
    message = program.send(4, 0)
    messages = [program.send(a, b) for a, b in ((3, 1), (0, 2), (1, 3), (2, 0))]
    for other in [*messages, message]:
        program.recv(other)
    return program


def around_operation(region, sender, receiver, root=0):
    """Returns a program of three processes in which a message is sent before an operation and received after it."""
    program = Program(3)
    message = program.send(sender, receiver)
    program.operate(region, 0, root)
    program.recv(message)
    return program


def barrier_after_a_late_receive():
    """Returns a program in which the replay ends a barrier before it receives the message that a member sent before. Then the other
    members wait for each other."""
    program = Program(5, [0, 1, 2])
    message = program.send(0, 3)
    program.recv(program.send(4, 3))
    program.operate("MPI_Barrier", 1)
    for other in [message, program.send(1, 2), program.send(2, 1)]:
        program.recv(other)
    return program


def long_after_a_cycle():
    """Returns a program whose first two processes are stuck long before its end. Others continue, and form a cycle at the end."""
    program = Program(6, [2, 3, 4, 5])
    for message in [program.send(0, 1), program.send(1, 0)]:
        program.recv(message)
    for i in range(25000):
        program.recv(program.send(0, 1))
        program.recv(program.send(2, 3))
        if i % 1000 == 0:
            program.operate("MPI_Scan", 1)
    program.recv(program.send(0, 2))
    for message in [program.send(5, 4), program.send(4, 5)]:
        program.recv(message)
    return program


KNOWN = [
    (both_send_first, (), [[0, 1]], 2), (both_send_first, ("MPI_Bsend",), [], 0), (ordered, (), [], 0), (both_isend, (), [], 0),
    (both_isend, ("MPI_Isend", True), [[0, 1]], 2), (both_isend, ("MPI_Ibsend", True), [], 0), (ring_of_sends, (), [[0, 1, 2, 3, 4]], 5),
    (ring_of_sendrecv, (), [], 0), (send_before_barrier, (), [[0, 2]], 3), (posted_before_barrier, (), [], 0), (itself, (), [[1]], 1),
    (two_cycles_and_one_behind, (), [[0, 2], [1, 3]], 5),
    (around_operation, ("MPI_Scan", 2, 0), [], 0), (around_operation, ("MPI_Scan", 0, 2), [[0, 2]], 3),
    (around_operation, ("MPI_Reduce", 0, 1), [], 0), (around_operation, ("MPI_Reduce", 1, 0), [[0, 1]], 2),
    (around_operation, ("MPI_Bcast", 1, 0), [], 0), (around_operation, ("MPI_Bcast", 0, 1), [[0, 1]], 3),
    (around_operation, ("MPI_Allreduce", 1, 2), [[1, 2]], 3), (barrier_after_a_late_receive, (), [[1, 2]], 2),
    (long_after_a_cycle, (), [[0, 1], [4, 5]], 5),
]  # yapf: disable

# ---- Random programs.


def random_program(seed, operations=tuple(OPERATIONS), buffered=True):
    """Returns a program in whose global order each message is sent before its receive completes."""
    dice = random.Random(seed)
    n = dice.randint(2, 6)
    program = Program(n, dice.sample(range(n), dice.randint(2, n)))
    open_sends, unposted, unreceived = [], [], []  # messages: not completed, not posted, posted but not received
    eager = dice.choice((0.3, 0.6, 0.9, 0.97))

    def start():
        sender, receiver = dice.sample(range(n), 2)
        if dice.random() < 0.5:
            message = program.send(sender, receiver, dice.choice(("MPI_Send", "MPI_Send", "MPI_Send", "MPI_Bsend" if buffered else "MPI_Send")))
        else:
            message = program.isend(sender, receiver, dice.choice(("MPI_Isend", "MPI_Isend", "MPI_Isend", "MPI_Ibsend" if buffered else "MPI_Isend")))
            open_sends.append(message)
        unposted.append(message)

    def receive():
        message = unposted.pop(dice.randrange(len(unposted)))
        if dice.random() < 0.5:
            program.recv(message)
        else:
            program.irecv(message)
            unreceived.append(message)

    def complete():
        proc = dice.choice([message.sender for message in open_sends] + [message.receiver for message in unreceived])
        chosen = [(message, True) for message in open_sends if message.sender == proc] + [(message, False) for message in unreceived if message.receiver == proc]
        chosen = dice.sample(chosen, dice.randint(1, len(chosen)))
        for message, is_send in chosen:
            (open_sends if is_send else unreceived).remove(message)
        program.wait(proc, chosen)

    def settle(share):
        while unposted and dice.random() < share:
            receive()
        while (open_sends or unreceived) and dice.random() < share:
            complete()

    for _ in range(dice.randint(5, 60)):
        kind = dice.random()
        if kind < 0.75:
            start()
        elif kind < 0.8:
            program.shift(dice.sample(range(n), dice.randint(2, n)))
        else:
            comm = dice.randrange(2)
            program.operate(dice.choice(operations), comm, dice.randrange(len(program.comms[comm])))
        settle(eager)
    while unposted or open_sends or unreceived:
        settle(1)
    return program


# ---- Comparison.


def report_of(xtf, script, folder, name, program):
    done = subprocess.run([script, folder, name], input="\n".join(program.script()) + "\n", text=True, capture_output=True, check=False)
    if done.returncode:
        raise Failure(f"otf2-script: {done.stderr}")
    trace = folder / f"{name}.xtf"
    xtf.import_archive(folder / f"{name}.otf2", trace)
    found = xtf.run("deadlock", "--potential", "--json", trace)
    report = json.loads(found.output)
    if found.status != (3 if report["potential"] else 0) or any(report["left_out"].values()):
        raise Failure(f"{name}: status {found.status}, {report}")
    return trace, report


def compare(xtf, trace, name, report, simulation):
    if report["stuck"] != len(simulation.stuck) or report["potential"] != bool(simulation.stuck):
        raise Failure(f"{name}: {report}, should be stuck: {sorted(simulation.stuck)}")
    seen = set()
    for cycle in report["cycles"]:
        for wait, after in zip(cycle, [*cycle[1:], cycle[0]]):
            proc, record = wait["proc"], wait["record"]
            kind = record.split("/")[4]
            if proc in seen or proc not in simulation.stuck or wait["region"] != simulation.stuck[proc].region or wait["waits_for"] != after["proc"]:
                raise Failure(f"{name}: {wait} in {cycle}")
            if (after["proc"], None if kind == "collectives" else record) not in simulation.needed[proc]:
                raise Failure(f"{name}: {wait}, should be one of {simulation.needed[proc]}")
            if wait["needs"] != {"sends": "receive", "recvs": "send", "collectives": "begin"}[kind]:
                raise Failure(f"{name}: {wait}")
            xtf.expect("ls", trace, record)
            seen.add(proc)
    if bool(seen) != bool(simulation.stuck):
        raise Failure(f"{name}: no cycle")


def check_sentences(xtf, trace):
    text = xtf.run("deadlock", "--potential", trace).output.decode()
    expected = ("potential deadlock: if each send waited for its receive, processes 0 -> 2 -> 0 would wait for each other\n"
                "  process 0, in MPI_Send: the send waits for process 2 to receive, tag 0 (proc/0/thread/0/sends/num/0)\n"
                "  process 2, in MPI_Barrier: waits for process 0 to begin (proc/2/thread/0/collectives/num/N)\n"
                "1 more thread would wait for them\n")
    if re.sub(r"(collectives/num/)\d+", r"\1N", text) != expected:
        raise Failure(f"sentences: {text}")


def main():
    xtf, script = Xtf(sys.argv[1]), sys.argv[2]
    found = 0
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        for number, (make, arguments, cycles, n_stuck) in enumerate(KNOWN):
            program = make(*arguments)
            trace, report = report_of(xtf, script, folder, f"known-{number}", program)
            procs = [[wait["proc"] for wait in cycle] for cycle in report["cycles"]]
            if procs != cycles or report["stuck"] != n_stuck:
                raise Failure(f"{make.__name__} {arguments}: {report}")
            compare(xtf, trace, make.__name__, report, Simulation(program))
            if make is send_before_barrier:
                check_sentences(xtf, trace)
        rounds = n_rounds(N_RANDOM)
        for seed in range(rounds):
            program = random_program(seed)
            trace, report = report_of(xtf, script, folder, f"random-{seed}", program)
            compare(xtf, trace, f"random program {seed}", report, Simulation(program))
            found += report["potential"]
        if not rounds // 10 < found < rounds:
            raise Failure(f"potential deadlocks in {found} of {rounds} random programs")
        print(f"{len(KNOWN)} known programs; {found} of {rounds} random programs have a potential deadlock")
    return 0


if __name__ == "__main__":
    run_test(main)
