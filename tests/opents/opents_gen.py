#!/usr/bin/env python3
"""Generates traces as OpenTS writes them, of a program that never ran: ranks compute fib(n) and steal tasks from one another.

A task is prenatal until its rank runs it or another rank steals it. It is active while it is computed, suspended while it waits for the
two tasks that it made, and then finished. No task is lost: on each rank, at the end of each slice,

    tasks made here + imported = prenatal + active + suspended + finished + exported

Over all ranks, every exported task is imported or on its way, and every message that was sent is received or on its way.

usage: opents_gen.py [--ranks N] [--slices N] [--seed N] [--per-frame] OUT.xml
"""

import argparse
import collections
import random

GROWING = "SXIF"  # states that are counted from the begin of the run; the numbers of others rise and fall
STATES = "SPXIAWF"
KINDS = {"ctrl": 64, "data": 640, "task": 256, "result": 128, "sync": 32}  # bytes of a message
SLICE = 0.04  # seconds
STEPS = 6  # of each rank in a slice
LATENCY = 3  # steps between the sending and the arrival of a message


class Task:
    __slots__ = ("n", "parent", "owner", "missing")

    def __init__(self, n, parent, owner):
        self.n, self.parent, self.owner, self.missing = n, parent, owner, 0


class Rank:
    """A rank with counters of the whole run."""

    def __init__(self):
        self.prenatal, self.ready = collections.deque(), []
        self.active, self.asked = None, False
        self.states = dict.fromkeys(STATES, 0)
        self.moves = collections.Counter()  # (direction, rank)
        self.messages = {kind: [0, 0, 0, 0] for kind in KINDS}  # bytes and number sent, bytes and number received
        self.times = dict.fromkeys(("tasks", "idle", "sched", "mpi"), 0)  # microseconds


class Simulation:
    def __init__(self, ranks, seed=1, n=12):
        self.random, self.n = random.Random(seed), n
        self.ranks = [Rank() for _ in range(ranks)]
        self.flying = collections.deque()  # (step of arrival, rank, from, kind, task)
        self.step_number = 0

    def send(self, sender, receiver, kind, task=None):
        counters = self.ranks[sender].messages[kind]
        counters[0] += KINDS[kind]
        counters[1] += 1
        self.flying.append((self.step_number + LATENCY, receiver, sender, kind, task))

    def make(self, r, n, parent):
        self.ranks[r].prenatal.append(Task(n, parent, r))
        self.ranks[r].states["S"] += 1
        self.ranks[r].states["P"] += 1

    def receive(self, r, sender, kind, task):
        rank = self.ranks[r]
        rank.messages[kind][2] += KINDS[kind]
        rank.messages[kind][3] += 1
        if kind == "ctrl" and rank.prenatal:
            stolen = rank.prenatal.popleft()
            rank.states["P"] -= 1
            rank.states["X"] += 1
            rank.moves["to", sender] += 1
            self.send(r, sender, "task", stolen)
        elif kind == "ctrl":
            self.send(r, sender, "sync")
        elif kind == "task":
            task.owner, rank.asked = r, False
            rank.prenatal.append(task)
            rank.states["I"] += 1
            rank.states["P"] += 1
            rank.moves["from", sender] += 1
        elif kind == "sync":
            rank.asked = False
        elif kind == "result":
            self.child_is_done(task)

    def child_is_done(self, parent):
        parent.missing -= 1
        if parent.missing == 0:
            rank = self.ranks[parent.owner]
            rank.states["W"] -= 1
            rank.states["A"] += 1
            rank.ready.append(parent)

    def finish(self, r, task):
        rank = self.ranks[r]
        rank.states["A"] -= 1
        rank.states["F"] += 1
        if task.parent and task.parent.owner == r:
            self.child_is_done(task.parent)
        elif task.parent:
            self.send(r, task.parent.owner, "result", task.parent)

    def work(self, r):
        """Does a step of a rank: makes, resumes or steals one task."""
        rank = self.ranks[r]
        if rank.ready:
            self.finish(r, rank.ready.pop())
        elif rank.prenatal:
            task = rank.prenatal.pop()
            rank.states["P"] -= 1
            if task.n < 2:
                rank.states["A"] += 1
                self.finish(r, task)
            else:
                rank.states["W"] += 1
                task.missing = 2
                self.make(r, task.n - 1, task)
                self.make(r, task.n - 2, task)
        else:
            if not rank.asked and len(self.ranks) > 1:
                rank.asked = True
                self.send(r, self.random.choice([victim for victim in range(len(self.ranks)) if victim != r]), "ctrl")
            return False
        return True

    def step(self):
        while self.flying and self.flying[0][0] <= self.step_number:
            self.receive(*self.flying.popleft()[1:])
        if not self.flying and not any(rank.prenatal or rank.ready for rank in self.ranks):
            self.make(0, self.n, None)
        for r, rank in enumerate(self.ranks):
            busy = self.work(r)
            whole = int(SLICE * 1e6 / STEPS)
            parts = [self.random.randrange(whole // 20) for _ in range(2)]
            rank.times["sched"] += parts[0]
            rank.times["mpi"] += parts[1]
            rank.times["tasks" if busy else "idle"] += whole - sum(parts)
        self.step_number += 1

    def slices(self, n):
        """Yields (number, time in microseconds) of each slice, when self.ranks has the counters."""
        time = 0
        for number in range(n):
            for _ in range(STEPS):
                self.step()
            time += int(SLICE * 1e6) + self.random.randrange(-300, 300)
            yield number, time


def counters_of(rank):
    """Returns all counters that grow, by name."""
    counters = {("state", s): rank.states[s] for s in GROWING}
    counters.update((("time", name), n) for name, n in rank.times.items())
    counters.update((("move", *move), n) for move, n in rank.moves.items())
    counters.update((("message", kind, i), n) for kind, numbers in rank.messages.items() for i, n in enumerate(numbers))
    return counters


def rank_lines(r, rank, shown, indent="    "):
    def count(*name):
        return shown.get(name, 0)

    def messages(tag, kind, numbers, end):
        names = ("sbytes", "scount", "rbytes", "rcount")
        kind = f' type="{kind}"' if kind else ""
        return f"<{tag}{kind} " + " ".join(f'{name}="{n}"' for name, n in zip(names, numbers)) + end

    yield f'{indent}<rank num="{r}">'
    times = " ".join(f'{name}="{count("time", name) // 1000000}.{count("time", name) % 1000000:06d}"' for name in rank.times)
    yield f'{indent}  <resource mbytes="{4096 - 2 * len(rank.prenatal)}" mflops="{1500 + r / 8:.1f}" {times}/>'
    for state in STATES:
        n = count("state", state) if state in GROWING else rank.states[state]
        direction = {"X": "to", "I": "from"}.get(state)
        moves = [(peer, n) for (kind_of_counter, *move), n in sorted(shown.items()) if kind_of_counter == "move" for way, peer in [move] if way == direction and n]
        if not moves:
            yield f'{indent}  <task type="{state}" count="{n}"/>'
            continue
        yield f'{indent}  <task type="{state}" count="{n}">'
        for peer, n in moves:
            yield f'{indent}    <detail count="{n}" {direction}="{peer}"/>'
        yield f"{indent}  </task>"
    numbers = {kind: [count("message", kind, i) for i in range(4)] for kind in KINDS}
    kinds = [kind for kind in KINDS if any(numbers[kind])]
    yield f"{indent}  " + messages("message", None, [sum(n) for n in zip(*numbers.values())], ">" if kinds else "/>")
    for kind in kinds:
        yield f"{indent}    " + messages("extra", kind, numbers[kind], "/>")
    if kinds:
        yield f"{indent}  </message>"
    yield f"{indent}</rank>"


def lines(simulation, n_slices, per_frame=False):
    """Yields the lines of the file."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<trace ranks="{len(simulation.ranks)}" cmd="fib {simulation.n}" time="27.04.2006 15:58">'
    before = [collections.Counter() for _ in simulation.ranks]
    for number, time in simulation.slices(n_slices):
        yield f'  <slice num="{number}" time="{time // 1000000}.{time % 1000000:06d}">'
        for r, rank in enumerate(simulation.ranks):
            now = counters_of(rank)
            shown = {name: n - before[r].get(name, 0) for name, n in now.items()} if per_frame else now
            yield from rank_lines(r, rank, shown)
            if per_frame:
                before[r] = now
        yield "  </slice>"
    yield "</trace>"


def write(path, ranks, slices, seed=1, per_frame=False):
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(line + "\n" for line in lines(Simulation(ranks, seed), slices, per_frame))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--slices", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-frame", action="store_true", help="counters count each slice anew")
    parser.add_argument("out")
    given = parser.parse_args()
    write(given.out, given.ranks, given.slices, given.seed, given.per_frame)


if __name__ == "__main__":
    main()
