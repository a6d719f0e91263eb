#!/usr/bin/env python3
"""xtf predict --place states the bytes that the table `matrix` has, and prints a map for --map. Runs placed by it end no
later than runs placed by blocks and by turns, where links are the bottleneck.

usage: test_place.py XTF OTF2-SCRIPT
"""

import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / folder) for folder in ("roundtrip", "match", "analysis")]
# pylint: disable=wrong-import-position
import predict_programs
from test_predict import Prediction
from test_ti import make_trace
from xtfrun import Xtf, check, run_test, temporary_folder

BYTES = re.compile(r"# bytes between (\d+) nodes: (\d+); by blocks (\d+), by turns (\d+)")
NETWORK = ("--latency", "2us", "--bandwidth", "100M", "--local-latency", "0", "--local-bandwidth", "inf", "--contention", "nic")


def remote(matrix, nodes):
    """Returns the bytes between processes of different nodes."""
    return sum(size for sender, receiver, size in matrix if nodes[sender] != nodes[receiver])


def matrix_of(xtf, trace):
    rows = [line.split() for line in xtf.expect("cat", trace, "matrix").decode().splitlines() if not line.startswith("#")]
    return [(int(sender), int(receiver), int(size)) for sender, receiver, _, size in rows]


def check_placement(xtf, folder, trace, n, n_nodes):
    """Checks a placement, and returns how long the run takes placed by it, by blocks and by turns."""
    places, matrix = -(-n // n_nodes), matrix_of(xtf, trace)
    printed = xtf.expect("predict", "--place", n_nodes, trace).decode()
    placed = dict(tuple(map(int, line.split())) for line in printed.splitlines() if not line.startswith("#"))
    check(sorted(placed) == list(range(n)) and all(list(placed.values()).count(node) <= places for node in range(n_nodes)),
          f"{trace} on {n_nodes} nodes: {printed}")
    maps = [placed, {i: i // places for i in range(n)}, {i: i % n_nodes for i in range(n)}]
    stated = [int(number) for number in BYTES.match(printed).groups()]
    check(stated == [n_nodes, *(remote(matrix, nodes) for nodes in maps)], f"{trace}: {stated} bytes, not as in the matrix")
    check(stated[1] <= min(stated[2:]), f"{trace}: {printed}")
    times = []
    for nodes in maps:
        (folder / "map").write_text("".join(f"{proc} {node}\n" for proc, node in nodes.items()), encoding="utf-8")
        times.append(Prediction(xtf, trace, *NETWORK, "--map", folder / "map").lines["all"]["predicted"])
    print(f"{trace.name} on {n_nodes} nodes: bytes {stated[1:]}, times {times}")
    return times


def main():
    xtf, script = Xtf(sys.argv[1]), sys.argv[2]
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        for what in ("stencil", "pairs-1", "operations"):
            _, trace = make_trace(xtf, script, folder, what, predict_programs.script(*predict_programs.PROGRAMS[what]()))
            n = len(xtf.expect("ls", trace, "proc").split())
            times = [check_placement(xtf, folder, trace, n, n_nodes) for n_nodes in (1, 3, 4, 9, n, n + 5)]
            if what == "stencil":
                check(all(best <= min(others) for best, *others in times), f"a stencil is slower: {times}")
                check(times[2][0] < min(times[2][1:]), f"a stencil on 4 nodes is not faster: {times[2]}")
        for n_nodes in ("0", "-3", "1.5", "9999999999"):
            check(xtf.run("predict", f"--place={n_nodes}", trace).status == 2, f"--place={n_nodes} is accepted")
        done = xtf.run("predict", "--place=2", "--output", folder / "none.xtf", trace)
        check(done.status == 2 and b"no run to write" in done.errors, f"--place leaves out --output without an error: {done}")
    return 0


if __name__ == "__main__":
    run_test(main)
