#!/usr/bin/env python3
"""Messages of traces that lack records. The pairs that a replay considers certain are compared with the pairs of the whole
program, and with a naive judge.

usage: test_lossy.py [--measure] XTF REPLAY-PAIRS OTF2-SCRIPT

With --measure, prints a table for large programs: how many messages are certain, and how many of these are wrong.
"""

import collections
import pathlib
import random
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(TESTS / "roundtrip"))
# pylint: disable=wrong-import-position
from lossy_programs import RECEIVES, SENDS, Program, messages_of, without
from naive_pairing import pairs
from xtfrun import Failure, Xtf, n_rounds, run_test, temporary_folder

SHAPES = [dict(), dict(each=3), dict(each=3, sizes=4), dict(each=2, between=4, sizes=5), dict(crossing=True), dict(between=10 ** 9),
          dict(between=10 ** 9, sizes=7), dict(blocking=True, each=4, sizes=3), dict(crossing=True, each=2, sizes=3, blocking=True),
          dict(each=3, extreme=True)]
N_PROGRAMS = 40


class Lossy:
    """A trace that lacks records."""

    def __init__(self, program, records):
        self.program, self.records = program, records
        self.sends, self.recvs = messages_of(records, SENDS), messages_of(records, RECEIVES)

    def trace(self, tools, folder, name):
        path = folder / f"{name}.xtf"
        tools.xtf.import_archive(self.program.write(tools.script, folder, name, self.records), path)
        return path

    def naive_pairs(self):
        """Returns {(process, row of sends, process, row of recvs)} of the pairs that are certain."""
        groups = collections.defaultdict(lambda: ([], []))  # {(sender, receiver): ends in order}
        epochs, rows, posted = collections.Counter(), collections.Counter(), {}
        met = collections.defaultdict(list)
        for place, (proc, _, kind, numbers, _) in enumerate(self.records):
            if kind == "D":
                epochs[proc] += 1
                met[proc].append(numbers[0])
            elif kind in SENDS:
                groups[proc, numbers[0]][0].append([numbers[3], epochs[proc], rows[proc, "s"]])
                rows[proc, "s"] += 1
            elif kind == "P":
                posted[proc, numbers[0]] = place
            elif kind in RECEIVES:
                at = posted.pop((proc, numbers[4])) if kind == "J" else place
                groups[numbers[0], proc][1].append([at, numbers[3], epochs[proc], rows[proc, "r"]])
                rows[proc, "r"] += 1
        found = set()
        lost = {len(sends) > len(receives) for sends, receives in groups.values() if sends and receives and len(sends) != len(receives)}
        for (sender, receiver), (sends, receives) in groups.items():
            receives = [end[1:] for end in sorted(receives)]
            agree = met[sender] == met[receiver]
            for r, s in (self.pair_group(sends, receives, agree, len(lost) == 2) if lost else dict(enumerate(range(len(sends))))).items():
                found.add((sender, sends[s][2], receiver, receives[r][2]))
        return found

    @staticmethod
    def pair_group(sends, receives, agree, both_lost):
        return pairs(*([(end[0], end[1] if agree else 0) for end in ends] for ends in (sends, receives)), both_lost)

    def n_complete(self):
        """Returns how many messages have both ends."""
        return len(set(self.sends.values()) & set(self.recvs.values()))

    def wrong_pairs(self, found):
        """Returns pairs that are not one message."""
        return [pair for pair in found if self.sends[pair[:2]] != self.recvs[pair[2:]]]

    def epochs_lack_both(self):
        """Returns True if an epoch of a group has equal numbers of sends and receives, but of different messages."""
        met, ends = collections.Counter(), collections.defaultdict(lambda: ([], []))
        for proc, _, kind, _, message in self.records:
            met[proc] += kind == "D"
            if message is not None:
                ends[self.program.group_of[message], met[proc]][kind in RECEIVES].append(message)
        return max(met.values()) > 0 and any(len(sends) == len(receives) and {*sends} != {*receives}
                                             for sends, receives in ends.values())

    def pairs_by_former_rule(self):
        """Returns the pairs of groups with equal numbers of sends and receives: the only certain ones by the former rule."""
        groups = collections.defaultdict(lambda: ([], []))
        for ends, side in ((self.sends, 0), (self.recvs, 1)):
            for end, message in ends.items():
                groups[self.program.group_of[message]][side].append((message, end))
        return {send + receive for sends, receives in groups.values() if len(sends) == len(receives)
                for (_, send), (_, receive) in zip(sorted(sends), sorted(receives))}


class Tools:
    def __init__(self, xtf, pairs_program, script):
        self.xtf, self.pairs_program, self.script = Xtf(xtf), pairs_program, script

    def pairs(self, path):
        printed = subprocess.run([self.pairs_program, path], capture_output=True, text=True, check=True).stdout.splitlines()
        return {tuple(map(int, line.split())) for line in printed[:-1]}


def compare(tools, folder, number, shape, dice):
    """Checks that no pair is wrong, unless an epoch lacks equal numbers of sends and receives."""
    program = Program(dice, n_procs=dice.choice([2, 3, 4]), steps=dice.choice([3, 20, 60]), **shape)
    side = dice.choice([RECEIVES, SENDS, RECEIVES + SENDS])
    lossy = Lossy(program, without(dice, program.records, side, dice.choice([20, 60, 200])))
    name = f"program {number}, {shape}, {side}"
    found, naive_pairs = tools.pairs(lossy.trace(tools, folder, f"p{number}")), lossy.naive_pairs()
    if found != naive_pairs:
        raise Failure(f"{name}: {len(found)} pairs, should be {len(naive_pairs)}: {sorted(found ^ naive_pairs)[:4]}")
    if lossy.wrong_pairs(found) and not (side == RECEIVES + SENDS and lossy.epochs_lack_both()):
        raise Failure(f"{name}: {len(lossy.wrong_pairs(found))} of {len(found)} are wrong: {lossy.wrong_pairs(found)[:4]}")
    return len(found) - len(lossy.pairs_by_former_rule()), lossy.n_complete() - len(found)


def measure(tools):
    """Prints the table. Column "before": by the former rule, which dropped every group with a lost record."""
    print("lost        one in  shape                                messages  uncertain before, wrong  uncertain now, wrong")
    for shape in SHAPES:
        for name, kinds in (("receives", RECEIVES), ("messages", RECEIVES + SENDS)):
            for one_in in (100, 1000, 10000):
                dice = random.Random(one_in)
                program = Program(dice, steps=3000 // shape.get("each", 1), **shape)
                lossy = Lossy(program, without(dice, program.records, kinds, one_in))
                with temporary_folder() as folder:
                    found, n = tools.pairs(lossy.trace(tools, pathlib.Path(folder), "large")), lossy.n_complete()
                counts = [number for pairs_found in (lossy.pairs_by_former_rule(), found) for number in (100 - 100 * len(pairs_found) / n, len(lossy.wrong_pairs(pairs_found)))]
                print(f"{name:11} {one_in:6}  {str(shape or 'one message each'):36} {n:8} " + "%12.3f %% %6d  %12.3f %% %6d" % tuple(counts),
                      flush=True)


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--measure"]
    tools, dice = Tools(*arguments), random.Random(31)
    if "--measure" in sys.argv:
        measure(tools)
        return
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        gained, left = 0, 0
        for number in range(n_rounds(N_PROGRAMS)):
            counts = compare(tools, folder, number, SHAPES[number % len(SHAPES)], dice)
            gained, left = gained + counts[0], left + counts[1]
        if gained < 100 or left < 100:
            raise Failure(f"only {gained} messages are certain in spite of lost records, {left} are not")
    print(f"{gained} messages are certain in spite of lost records, {left} are not")


run_test(main)
