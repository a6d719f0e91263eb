#!/usr/bin/env python3
"""Who is the other side of a message: what a trace says of it, against the naive judge's replay of the archive, pair for pair.

The judge himself is held against programs that are played by MPI's rules, in which a message's length is its number.

usage: match.py [--messages N] XTF OTF2-SCRIPT

With --messages, one program of so many messages, half of which are not received in the order in which receives complete.
"""

import argparse
import collections
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "roundtrip"), str(ROOT / "reader")]
# pylint: disable=wrong-import-position
import programs
import xtf_reader
from judge import Judge
from xtfrun import PROJECT, Failure, Xtf, need, shared_traces, temporary_folder


Row = collections.namedtuple("Row", "time seq comm peer tag message")


class Found:
    """The other sides by docs/VOCABULARY.md, section 5, from the rows that the second reader reads; ranks and selects are done
    by looking at every row."""

    def __init__(self, path):
        self.trace = xtf_reader.Trace(str(path))
        self.proc_of = {row["id"]: row["proc"] for row in self.table("locations")}
        self.tables = {name: self.table(name) for name in ("communicators", "groups", "members")}
        self.locations = collections.defaultdict(dict)
        for array in self.trace.arrays():
            if array.schema.name in ("sends", "postings", "cancelled"):
                names = [field.name for field in array.schema.fields]
                at = [names.index(field) if field in names else None for field in Row._fields]
                self.locations[array.location][array.schema.name] = [
                    Row(*(None if i is None else values[i] for i in at)) for values in map(array.schema.values, array.read())]

    def table(self, name):
        schema, rows = self.trace.tables.get(name, (None, []))
        return [dict(zip((field.name for field in schema.fields), schema.values(row))) for row in rows]

    def members(self, group):
        row = self.tables["groups"][group]
        return [member["proc"] for member in self.tables["members"][row["first"]:row["first"] + row["count"]]]

    def peer(self, row, proc):
        comm = self.tables["communicators"][row.comm]
        if comm["group"] is None:
            return proc if row.peer == 0 else None
        group = comm["group"]
        if comm["remote_group"] is not None and (proc in self.members(group) or proc not in self.members(comm["remote_group"])):
            group = comm["remote_group"]
        members = self.members(group)
        return members[row.peer] if row.peer < len(members) else None

    def groups(self):
        """{(comm's id, sender, receiver, tag): (sends, receives)}: lists of (location, row)."""
        groups = collections.defaultdict(lambda: ([], []))
        peers = {}
        for location, arrays in self.locations.items():
            proc = self.proc_of[location]
            cancelled = {row.message for row in arrays.get("cancelled", [])}
            for side, name in enumerate(("sends", "postings")):
                for n, row in enumerate(arrays.get(name, [])):
                    key = row.comm, row.peer, proc
                    if key not in peers:
                        peers[key] = self.peer(row, proc)
                    if peers[key] is None or (side == 0 and n in cancelled):
                        continue
                    ends = (peers[key], proc) if side else (proc, peers[key])
                    comm = self.tables["communicators"][row.comm]["id"]
                    place = row.time, location, row.seq
                    groups[(comm, *ends, row.tag)][side].append((place, location, row.message if side else n))
        return {group: [[end[1:] for end in sorted(ends)] for ends in sides] for group, sides in groups.items()}


def end_of(side):
    return (side.location.number, side.row) if side else None


def compare_rows(judge, path, what):
    """The arrays of the trace lead to the pairs of the judge."""
    found = Found(path).groups()
    for group, (sends, receives) in judge.groups.items():
        for side, ends in enumerate((sends, receives)):
            wanted, rows = [end_of(end) for end in ends], found.get(tuple(group), [[], []])[side]
            if rows != wanted:
                raise Failure(f"{what}: {group}: {('sends', 'receives')[side]} (location, row) {rows[:10]}..., "
                              f"should be {wanted[:10]}...")
    if set(found) != {tuple(group) for group in judge.groups}:
        raise Failure(f"{what}: groups {set(found) ^ set(judge.groups)}")


def compare(xtf, archive, folder):
    judge = Judge(str(archive))
    path = folder / (archive.stem + ".xtf")
    xtf.import_archive(archive, path, timeout=600)
    compare_rows(judge, path, archive)
    counts = judge.counts().values()
    print(f"{archive}: {sum(sends for sends, _ in counts)} sends, {sum(receives for _, receives in counts)} receives, "
          f"{len(counts)} groups")
    return judge


# ---- Programs whose pairs are known.


def expect_truth(judge, what):
    """A message's length is its number: each pair has one."""
    for send, receive in judge.pairs():
        if not send or not receive or send.bytes != receive.bytes:
            raise Failure(f"{what}: the judge errs: {send and (end_of(send), send.bytes)} meets "
                          f"{receive and (end_of(receive), receive.bytes)} in {(send or receive).group}")


def wrong_by_completion(judge):
    """How many messages the order of completion would pair wrongly."""
    wrong = total = 0
    for sends, receives in judge.groups.values():
        receives = sorted(receives, key=lambda side: (side.time, side.location.number, side.seq))
        wrong += sum(send.bytes != receive.bytes for send, receive in zip(sends, receives))
        total += len(sends)
    return wrong, total


def played(n_procs, n_threads, seed, steps, **options):
    dice = random.Random(seed)
    skews = [dice.randrange(100000) for _ in range(n_procs)]
    program = programs.Program(n_procs, n_threads, programs.some_comms(n_procs), skews)
    programs.play(program, dice, steps, **options)
    program.finish(dice)
    return program


def persistent():
    """One request, started again and again; another, freed before it had a message and its id posted again."""
    program = programs.Program(2)
    sender, receiver = program.locations
    for i in range(50):
        receives = [program.irecv(receiver, program.world, 0, programs.ANY, request) for request in (1000, 1001)]
        for tag in (i % 3, i % 2):
            program.send(sender, program.world, 1, tag)
        program.arrive_all()
        program.complete(receiver, receives[::-1] if i % 2 else receives, call="MPI_Waitall")
        lost = program.irecv(receiver, program.world, 0, 99, 7)
        program.drop_receive(receiver, lost)
    return program


def out_of_order(messages):
    """Two processes; each receive of a burst completes at its own time."""
    program, dice = programs.Program(2), random.Random(5)
    sender, receiver = program.locations
    for _ in range(messages // 10):
        receives = [program.irecv(receiver, program.world) for _ in range(10)]
        for i in range(10):
            program.send(sender, program.world, 1, i % 2)
        program.arrive_all()
        # Neighbours of one tag change places, or stay.
        order = list(range(10))
        for i in (0, 1, 4, 5):
            if dice.random() < 0.66:
                order[i], order[i + 2] = order[i + 2], order[i]
        program.complete(receiver, [receives[i] for i in order], call="MPI_Waitall")
    return program


PROGRAMS = {
    "played": lambda: played(4, 1, 1, 6000),
    "threads": lambda: played(4, 3, 2, 6000),
    "named": lambda: played(5, 1, 3, 3000, wild=0),
    "wild": lambda: played(3, 2, 4, 3000, wild=1),
    "persistent": persistent,
    "out-of-order": lambda: out_of_order(20000),
}


def compare_program(xtf, script, folder, name, program):
    judge = compare(xtf, program.write(script, folder, name), folder)
    expect_truth(judge, name)
    return judge


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int)
    parser.add_argument("xtf")
    parser.add_argument("script")
    options = parser.parse_args()
    need("otf2-print")
    xtf = Xtf(options.xtf)
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        if options.messages:
            judge = compare_program(xtf, options.script, folder, "many", out_of_order(options.messages))
            wrong, total = wrong_by_completion(judge)
            print(f"the order of completion is wrong for {wrong} of {total}")
            if not total / 3 < wrong < total * 2 / 3:
                raise Failure("that is not half of them")
            return
        for name, program in PROGRAMS.items():
            compare_program(xtf, options.script, folder, name, program())
        real = shared_traces()
        for archive in [PROJECT / "examples" / "melt-4" / "eztrace_log.otf2", *(sorted(real.rglob("*.otf2")) if real else [])]:
            compare(xtf, archive, folder)


if __name__ == "__main__":
    main()
