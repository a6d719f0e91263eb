#!/usr/bin/env python3
"""Causes of waits at barriers of OpenMP teams, and of idle threads. Random programs are compared with the naive judge, for each
wait, and with the delays that the analysis has stored. Programs with known causes are compared with them, to the tick.

usage: test_team_causes.py XTF TRACE-CAUSES OTF2-SCRIPT
"""

import collections
import pathlib
import random
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "match")]
# pylint: disable=wrong-import-position
import kind_programs
import team_programs
from naive_kinds import Kinds
from naive_teams import TeamSingle
from random_teams import Team
from test_trace_causes import Output, wrong_delays, wrong_singles
from test_window_causes import analysed, check_known
from xtfrun import Failure, Xtf, need_programs, run_test, temporary_folder

IDLE = "omp_idle"
SEEDS = 3


def check_team(xtf, options, name, text, folder):
    trace = analysed(xtf, options[2], folder, name, text)
    output = Output(options[1], trace, None)
    judge = TeamSingle(Kinds(f"{folder}/{name}.otf2"), output.singles)
    delays = collections.Counter()
    for (location, kind, seq, path), cost in output.delays.items():  # no fork has caused idle time at a program's end
        delays[location, kind, 0 if kind == IDLE else seq, path] += cost
    output.delays = delays
    for one in output.singles:
        if one.kind == IDLE:  # rows of idle threads lack the indirect part and the seq
            one.stored, one.culprit_seq = one.indirect, 0
    kinds = collections.Counter(one.kind for one in output.singles)
    wrong = [*wrong_singles(output, judge), *wrong_delays(output), *(f"{one}: {one.unexplained} are not explained" for one in output.singles if
                                                                 one.unexplained and not one.indirect and (one.kind == IDLE or one.sum))]
    if wrong or len(kinds) != 2:
        raise Failure("\n  ".join([f"{name}: {len(wrong)} differ of {kinds}", *wrong[:20]]))
    return kinds


def main():
    need_programs("otf2-print")
    options = sys.argv[1:]
    xtf = Xtf(options[0])
    with temporary_folder() as folder:
        for name, (text, wanted) in team_programs.programs().items():
            check_known(xtf, options, name, text, wanted, folder)
        teams = {f"teams-{seed}": kind_programs.teams(random.Random(seed)).script() for seed in range(SEEDS)}
        teams.update({f"team-{seed}": "\n".join(Team(seed, 2 + seed % 4).script()) + "\n" for seed in range(SEEDS)})
        print(dict(sum((check_team(xtf, options, name, text, folder) for name, text in teams.items()), collections.Counter())))
    return 0


if __name__ == "__main__":
    run_test(main)
