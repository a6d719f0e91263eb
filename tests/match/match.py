#!/usr/bin/env python3
"""The other side of each message: a trace's answers against the naive judge's replay of the archive, pair for pair.

The judge is itself tested with programs that are played by MPI's rules, so the other side of each message is known.

usage: match.py [--messages N] XTF OTF2-SCRIPT

With --messages, the test plays one program of N messages. Half of them are not received in the order in which receives complete.
"""

import argparse
import collections
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "roundtrip"), str(ROOT / "reader")]
# pylint: disable=wrong-import-position
import programs
import xtf_reader
from judge import Judge, Line
from shown import Cat, Shown, ticks_of
from xtfrun import PROJECT, Failure, Xtf, fewer_archives, is_sanitized, need_programs, shared_traces, temporary_folder, tests_all


# Largest number of messages of a trace for which the second reader is compared, too, and selections are compared.
ROWS_MOST = 200000
Row = collections.namedtuple("Row", "time seq comm peer tag message")


class Found:
    """The other sides of messages by docs/VOCABULARY.md, section 5, from the rows that the second reader reads. It looks at every
    row, and uses no ranks or selects."""

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
        """Returns {(comm's id, sender, receiver, tag): (sends, receives)}, both lists of (location, row)."""
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


def compare_rows(judge, path, name):
    """Checks that the trace's arrays lead to the judge's pairs."""
    found = Found(path).groups()
    for group, (sends, receives) in judge.groups.items():
        for side, ends in enumerate((sends, receives)):
            wanted, rows = [end_of(end) for end in ends], found.get(tuple(group), [[], []])[side]
            if rows != wanted:
                raise Failure(f"{name}: {group}: {('sends', 'receives')[side]} (location, row) {rows[:10]}..., "
                              f"should be {wanted[:10]}...")
    if set(found) != {tuple(group) for group in judge.groups}:
        raise Failure(f"{name}: groups {set(found) ^ set(judge.groups)}")


# ---- Files about messages.


def cells_of(xtf, path, selection):
    """Yields the cells of each line of `messages`, while xtf prints them."""
    command = [xtf.program, "cat", str(path), selection + "messages"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        names = tuple(process.stdout.readline().lstrip("#").split())
        if names != Line._fields:
            raise Failure(f"{path}: messages has the columns {names}")
        for line in process.stdout:
            yield line.split()
    if process.returncode != 0:
        raise Failure(f"{' '.join(command)}: status {process.returncode}")


def parse_line(judge, comms, cells):
    """Returns the cells as a Line, in the judge's units."""
    def time(cell):
        if cell == "-":
            return None
        whole, _, fraction = cell.partition(".")
        return int(whole + fraction) if judge.ticks == 10 ** len(fraction) else ticks_of(cell, judge.ticks, 0)

    def whole(cell):
        return None if cell == "-" else int(cell)

    line = Line(*cells)
    return Line(*map(time, line[:3]), *map(whole, line[3:5]), comms.get(whole(line.comm)), *map(whole, line[6:8]), line.state,
                time(line.wait), line.wait_kind)


def compare_messages(xtf, judge, path, name, selection="", takes=lambda send: True):
    """Checks that `messages` has the judge's line for each send that the selection takes. Returns the number of sends by state."""
    comms = {int(row["row"]): int(row["id"]) for row in Shown(Cat(xtf, path)).table("communicators")}
    states = collections.Counter()
    found = cells_of(xtf, path, selection)
    for send in judge.sends():
        if not takes(send):
            continue
        wanted, cells = judge.line(send), next(found, None)
        line = cells and parse_line(judge, comms, cells)
        # An unknown receiver is shown as the rank that the sender named.
        if line != wanted and not (line and wanted.receiver is None and line._replace(receiver=None) == wanted):
            raise Failure(f"{name}: {selection}messages: of send {end_of(send)}\n  {line}, should be\n  {wanted}")
        states[line.state] += 1
    if next(found, None) is not None:
        raise Failure(f"{name}: {selection}messages has more lines than the {states.total()} sends")
    return states


def compare_windows(xtf, judge, path, name):
    """Checks `messages` of windows that cut between sends and receives, of all sends and of one process."""
    sends = judge.sends()
    if not sends or sends[0].time == sends[-1].time:
        return

    def seconds(ticks):
        whole, parts = divmod((ticks - judge.origin) * 10 ** 12 // judge.ticks, 10 ** 12)
        return f"{whole}.{parts:012}"

    for begin, end in ((1, 2), (3, 4), (0, 3)):
        first, last = sends[len(sends) * begin // 5].time, sends[len(sends) * end // 5].time
        window = f"time/{seconds(first)}-{seconds(last)}/"
        if 10 ** 12 % judge.ticks == 0 and first < last:
            compare_messages(xtf, judge, path, name, window, lambda send: first <= send.time < last)
            compare_messages(xtf, judge, path, name, "proc/1/" + window, lambda send: send.location.proc == 1 and first <= send.time < last)


def compare_links(xtf, judge, path, name):
    """Checks that `match` leads from a send to its receive and back, and is missing where the other side is unknown."""
    threads = {int(row["id"]): f"proc/{row['proc']}/thread/{row['thread']}"
               for row in Shown(Cat(xtf, path)).table("locations")}

    def record(name, side):
        return f"{threads[side.location.number]}/{name}/num/{side.row}"

    sends = judge.sends()
    sampled = [(send, *judge.match(send)) for send in sends[::len(sends) // 50 + 1]]
    pairs = [(record("sends", send), record("recvs", receive)) for send, receive, state in sampled
             if receive and state != "uncertain"]
    paths = [path for first, second in pairs for path in (first + "/match", second, second + "/match", first)]
    output = xtf.expect("cat", path, *[path + "/record" for path in paths]).decode() if paths else ""
    texts = output.split("\ntime ")
    for (first, second), i in zip(pairs, range(0, len(paths), 4)):
        if texts[i].removeprefix("time ") != texts[i + 1] or texts[i + 2] != texts[i + 3].rstrip("\n"):
            raise Failure(f"{name}: {first}/match and {second}/match do not lead to one another")
    for send, receive, state in sampled:
        if (not receive or state == "uncertain") and xtf.run("cat", path, record("sends", send) + "/match/record").status == 0:
            raise Failure(f"{name}: {record('sends', send)} has a match")


def expect_ends(xtf, judge, path):
    """Checks an analysis's counts of ends that it leaves out: ends without another end, by the numbers of each group, and the
    uncertain ones."""
    lines = xtf.expect("analyze", path).decode().splitlines()
    left_out = [int(number) for number in re.fullmatch(r"messages +\d+  matched; left out (\d+) sends, (\d+) receives", lines[0]).groups()]
    counts = judge.counts().values()
    unmatched = [sum(max(0, sends - receives) for sends, receives in counts), sum(max(0, receives - sends) for sends, receives in counts)]
    for line, label, (sends, receives) in zip(lines[1:], ("unmatched", "uncertain"), (unmatched, [a - b for a, b in zip(left_out, unmatched)])):
        if not re.match(rf"  {label} +{sends}  sends, {receives} receives: ", line):
            raise Failure(f"{path}: {sends} sends and {receives} receives are {label}; the analysis says: {line}")


def compare(xtf, archive, folder):
    judge = Judge(str(archive))
    path = folder / (archive.stem + ".xtf")
    xtf.import_archive(archive, path, timeout=600)
    if sum(len(sends) for sends, _ in judge.groups.values()) < ROWS_MOST:
        compare_rows(judge, path, archive)
    states = compare_messages(xtf, judge, path, archive)
    if len(judge.sends()) < ROWS_MOST:
        compare_messages(xtf, judge, path, archive, "proc/1/", lambda send: send.location.proc == 1)
        compare_messages(xtf, judge, path, archive, "tag/1-/", lambda send: send.ends.tag >= 1)
        compare_windows(xtf, judge, path, archive)
    compare_links(xtf, judge, path, archive)
    expect_ends(xtf, judge, path)
    counts = judge.counts().values()
    print(f"{archive}: {sum(sends for sends, _ in counts)} sends, {sum(receives for _, receives in counts)} receives, "
          f"{len(counts)} groups, {dict(states)}")
    return judge


# ---- Programs whose pairs are known.


def expect_truth(judge, program, name):
    """Checks that certain and likely answers are true, also the answer that a message has no receive. Returns the number of wrong
    answers by state."""
    truth = {message.sent: message.received for message in program.messages if message.sent}
    wrong = collections.Counter()
    if {end_of(send) for send in judge.sends()} != set(truth):
        raise Failure(f"{name}: the judge has not seen all sends")
    for send in judge.sends():
        receive, state = judge.match(send)
        if end_of(receive) != truth[end_of(send)]:
            wrong[state] += 1
    if wrong["certain"] or wrong["likely"]:
        raise Failure(f"{name}: the judge errs: {dict(wrong)}")
    return wrong


def expect_analysis(xtf, judge, path):
    """Checks that the analysis matches all certain messages and leaves out the others. The numbers agree if the trace has no
    threads and lacks no record."""
    states = collections.Counter(judge.match(send)[1] for send in judge.sends())
    certain, uncertain = states.pop("certain", 0), states.pop("uncertain", 0)
    line = xtf.expect("analyze", path).decode().splitlines()[0]
    if states or not re.fullmatch(rf"messages +{certain}  matched; left out {uncertain} sends, {uncertain} receives", line):
        raise Failure(f"{path}: {certain} messages are certain, {uncertain} uncertain, {dict(states)}; the analysis says: {line}")


def wrong_by_completion(judge):
    """Returns how many messages the order of completion would pair wrongly, and their total."""
    wrong = total = 0
    for sends, receives in judge.groups.values():
        by_completion = sorted(receives, key=lambda side: (side.time, side.location.number, side.seq))
        wrong += sum(first is not second for first, second in zip(receives, by_completion))
        total += len(sends)
    return wrong, total


def played(n_procs, n_threads, seed, steps, **options):
    dice = random.Random(seed)
    skews = [dice.randrange(100000) for _ in range(n_procs)]
    program = programs.Program(n_procs, n_threads, programs.some_comms(n_procs), skews)
    programs.play_calls(program, dice, steps, **options)
    program.finish(dice)
    return program


def persistent():
    """Returns a program with a request that is started again and again. Another request is freed before it has a message, and its
    id is posted again."""
    program = programs.Program(2)
    sender, receiver = program.locations
    for i in range(50):
        receives = [program.irecv(receiver, program.world, 0, programs.ANY, request) for request in (1000, 1001)]
        for tag in (i % 3, i % 2):
            program.send(sender, program.world, 1, tag)
        program.arrive_all()
        program.complete(receiver, receives[::-1] if i % 2 else receives, call="MPI_Waitall")
        freed_receive = program.irecv(receiver, program.world, 0, 99, 7)
        program.drop_receive(receiver, freed_receive)
    return program


def out_of_order(messages):
    """Returns a program of two processes in which each receive of a burst completes at its own time."""
    program, dice = programs.Program(2), random.Random(5)
    sender, receiver = program.locations
    for _ in range(messages // 10):
        receives = [program.irecv(receiver, program.world) for _ in range(10)]
        for i in range(10):
            program.send(sender, program.world, 1, i % 2)
        program.arrive_all()
        # Neighbours of one tag swap places, or stay.
        order = list(range(10))
        for i in (0, 1, 4, 5):
            if dice.random() < 0.66:
                order[i], order[i + 2] = order[i + 2], order[i]
        program.complete(receiver, [receives[i] for i in order], call="MPI_Waitall")
    return program


def random_sizes(n):
    """Returns a function that gives one of `n` message sizes at random."""
    dice = random.Random(n)
    return [8 << dice.randrange(n) for _ in range(100000)].__getitem__


def freed_while_open(size):
    """Returns a program with receives that are freed while they are open. They take messages, but no record shows it."""
    dice = random.Random(21)
    program = programs.Program(2, size=size)
    for _ in range(1200):
        sender, receiver = dice.sample(program.locations, 2)
        receive = program.irecv(receiver, program.world, sender.proc)
        program.send(sender, program.world, receiver.proc, 0)
        program.arrive_all()
        if dice.random() < 0.008:
            program.drop_receive(receiver, receive)
        else:
            program.complete(receiver, [receive])
    return program


def measured_in_part(size):
    """Returns a program in which the measurement of one process begins late, and that of another ends early."""
    dice = random.Random(22)
    program = programs.Program(3, size=size, skews=[0, 5000, 2000])
    for i in range(900):
        program.locations[0].recording = i > 7
        program.locations[2].recording = i < 880
        sender, receiver = dice.sample(program.locations, 2)
        program.send(sender, program.world, receiver.proc, 0)
        program.recv(receiver, program.world)
    return program


def overlapping():
    """Returns a program in which two threads of each process send, and receive, at one time. Their records do not show which is
    first."""
    dice = random.Random(23)
    program = programs.Program(2, 2)
    for i in range(300):
        sides = [[location for location in program.locations if location.proc == proc] for proc in (i % 2, 1 - i % 2)]
        together = dice.random() < 0.3
        for threads, send in zip(sides, (True, False)):
            dice.shuffle(threads)
            for location in threads if together else threads[:1]:
                program.enter(location, "MPI_Send" if send else "MPI_Recv")
            program.time += 10
            order = threads if together else threads[:1]
            if send:
                messages = {location: program.launch(location, program.world, 1 - location.proc, 0) for location in order}
            else:
                receives = {location: programs.Receive(program.world, programs.ANY, programs.ANY, None) for location in order}
                for receive in receives.values():
                    program.post(order[0], receive)
                program.arrive_all()
            for location in dice.sample(order, len(order)):
                if send:
                    messages[location].sent = program.record_message(location, programs.SEND, program.world, 1 - location.proc,
                                                                     messages[location])
                else:
                    program.record_receive(location, receives[location])
            for location in order:
                program.leave(location, "MPI_Send" if send else "MPI_Recv")
    return program


def handed_on():
    """Returns a program in which one thread posts receives and another completes some of them. Its records do not show when they
    were posted. All sizes are equal."""
    dice = random.Random(31)
    program = programs.Program(2, 2, size=lambda number: 8)
    sender, receiver, waiter = (program.locations[i] for i in (0, 2, 3))
    for i in range(300):
        receives = [program.irecv(receiver, program.world, 0) for _ in range(3)]
        for _ in receives:
            program.send(sender, program.world, 1, i // 100)
        program.arrive_all()
        if i % 100 == 0:
            handed = dice.choice(receives)
            receiver.posted.remove(handed)
            waiter.posted.append(handed)
            program.complete(waiter, [handed])
            receives.remove(handed)
        program.complete(receiver, receives[::-1], call="MPI_Waitall")
    return program


def begun_before():
    """Returns a program in which a process of one thread has open receives when its measurement begins, and completes them much
    later. All sizes are equal."""
    program = programs.Program(2, size=lambda number: 8)
    sender, receiver = program.locations
    receiver.recording = False
    early = [program.irecv(receiver, program.world, 0) for _ in range(2)]
    receiver.recording = True
    for i in range(260):
        program.irecv(receiver, program.world, 0)
        program.send(sender, program.world, 1, 0)
        program.arrive_all()
        done = [receive for receive in receiver.posted if receive.message and receive not in early][:1]
        program.complete(receiver, done + ([early.pop()] if i in (40, 150) else []))
    return program


def probed(seed, rounds, plain=1):
    """Returns a program with receives of probed messages, some while other receives of the group are open. A higher `plain` makes
    them rarer."""
    dice = random.Random(seed)
    program = programs.Program(2)
    sender, receiver = program.locations
    for i in range(rounds):
        calls = dice.choice([["MPI_Recv"]] * plain + [["MPI_Mrecv"], ["MPI_Imrecv"], ["MPI_Irecv", "MPI_Irecv"], ["MPI_Irecv", "MPI_Imrecv"],
                             ["MPI_Irecv", "MPI_Mrecv", "MPI_Irecv"]])
        for _ in calls:
            program.send(sender, program.world, 1, i % 3)
        program.arrive_all()
        posted = []
        for call in calls:
            if call in ("MPI_Recv", "MPI_Mrecv"):
                program.recv(receiver, program.world, 0, i % 3, call)
            else:
                posted.append(program.irecv(receiver, program.world, 0, i % 3, call=call))
        program.complete(receiver, posted[::-1], call="MPI_Waitall")
    return program


def all_programs(divisor):
    """Returns functions that make the programs, by name. Long programs have their steps divided by `divisor`."""
    return {
        "played": lambda: played(4, 1, 1, 6000 // divisor),
        "threads": lambda: played(4, 3, 2, 6000 // divisor),
        "named": lambda: played(5, 1, 3, 3000 // divisor, wild=0),
        "wild": lambda: played(3, 2, 4, 3000 // divisor, wild=1),
        "persistent": persistent,
        "out-of-order": lambda: out_of_order(20000 // divisor),
        "freed": lambda: freed_while_open(lambda number: number),
        "freed-sizes": lambda: freed_while_open(random_sizes(3)),
        "freed-equal": lambda: freed_while_open(lambda number: 8),
        "late": lambda: measured_in_part(lambda number: number),
        "late-sizes": lambda: measured_in_part(random_sizes(2)),
        "overlapping": overlapping,
        "probed": lambda: probed(24, 200),
        "probed-rarely": lambda: probed(25, 900, 150),
        "handed-on": handed_on,
        "begun-before": begun_before,
    }


def compare_program(xtf, script, folder, name, program):
    archive = program.write(script, folder, name)
    judge = compare(xtf, archive, folder)
    expect_truth(judge, program, name)
    if name.startswith("probed"):
        expect_analysis(xtf, judge, folder / (archive.stem + ".xtf"))
    return judge


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int)
    parser.add_argument("xtf")
    parser.add_argument("script")
    options = parser.parse_args()
    need_programs("otf2-print")
    xtf = Xtf(options.xtf)
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        if options.messages:
            # Sanitizers take ten times as long for each message, and find nothing more in the millionth.
            messages = options.messages // (10 if is_sanitized(options.xtf) else 1)
            judge = compare_program(xtf, options.script, folder, "many", out_of_order(messages))
            wrong, total = wrong_by_completion(judge)
            print(f"the order of completion is wrong for {wrong} of {total}")
            if not total / 3 < wrong < total * 2 / 3:
                raise Failure("not about half of the messages are out of order")
            return
        for name, program in all_programs(1 if tests_all() else 8).items():
            compare_program(xtf, options.script, folder, name, program())
        real = shared_traces()
        for archive in fewer_archives([PROJECT / "examples" / "melt-4" / "eztrace_log.otf2", *(sorted(real.rglob("*.otf2")) if real else [])]):
            compare(xtf, archive, folder)


if __name__ == "__main__":
    main()
