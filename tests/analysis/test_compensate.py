#!/usr/bin/env python3
"""xtf copy --compensate. Programs are simulated with and without the costs of probes (compensate_programs.py). The trace with
costs, compensated, must have the times of the one without, to the tick. Without costs a copy has the same records. With wrong costs
times still ascend, and no receive precedes its send.

usage: test_compensate.py XTF OTF2-SCRIPT [SEED]
"""

import pathlib
import random
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip")]
# pylint: disable=wrong-import-position
import compensate_programs
from compensate_programs import Costs, PROGRAMS, REGIONS, Simulation, latency_of, script
from shown import ticks_of
from xtfrun import Failure, Xtf, check, n_rounds, run_test, temporary_folder

COMPARED = 8  # receives before a receive with which it is compared
KINDS = {"E": "ENTER", "L": "LEAVE", "S": "MPI_SEND", "I": "MPI_ISEND", "R": "MPI_RECV", "J": "MPI_IRECV", "P": "MPI_IRECV_REQUEST",
         "C": "MPI_ISEND_COMPLETE", "B": "MPI_COLLECTIVE_BEGIN", "D": "MPI_COLLECTIVE_END", "M": "BUFFER_FLUSH"}


class Maker:
    """Makes traces of simulations in a folder."""

    def __init__(self, xtf, otf2_script, folder):
        self.xtf, self.otf2_script, self.folder = xtf, otf2_script, folder
        self.n = 0

    def trace(self, simulation):
        self.n += 1
        name = f"t{self.n}"
        done = subprocess.run([self.otf2_script, self.folder, name], input="\n".join(script(simulation)) + "\n", text=True,
                              capture_output=True, check=False)
        check(done.returncode == 0, f"otf2-script: {done.stderr}")
        trace = self.folder / f"{name}.xtf"
        self.xtf.import_archive(self.folder / f"{name}.otf2", trace)
        return trace

    def compensate(self, trace, *options):
        copy = trace.with_suffix(".comp.xtf")
        printed = self.xtf.expect("copy", "-f", "--compensate", *options, trace, copy).decode()
        self.xtf.expect("check", copy)
        return copy, printed


def rows(xtf, trace, path):
    return [line.split() for line in xtf.expect("cat", trace, path).decode().splitlines() if not line.startswith("#")]


def times(xtf, trace, rank):
    """Returns [(ticks, event)] of a process."""
    return [(ticks_of(row[0], 1000000000, 0), row[4]) for row in rows(xtf, trace, f"proc/{rank}/records")]


def truth_of(process):
    return [(record.time, KINDS[record.kind]) for record in process.records]


def compare(found, expected, name):
    for i, pair in enumerate(zip(found, expected)):
        check(pair[0] == pair[1], f"{name}, record {i}: {pair[0]}, should be {pair[1]}; before: {found[max(0, i - 3):i]}")
    check(len(found) == len(expected), f"{name}: {len(found)} records, should be {len(expected)}")


def expected_changes(recorded, truth):
    """Returns {receiver: [(record, record before, senders)]}: receives whose sends are in the other order without probes."""
    changes = {process.rank: [] for process in recorded.processes}
    for rank, of in changes.items():
        mine = [i for i, receive in enumerate(recorded.received) if receive[0] == rank]
        for at, i in enumerate(mine):
            for j in mine[max(0, at - COMPARED):at][::-1]:
                (_, a, tag_a, seq_a, old_a), (_, b, tag_b, seq_b, old_b) = recorded.received[j], recorded.received[i]
                if a != b and tag_a == tag_b and old_a < old_b and truth.received[j][4] > truth.received[i][4]:
                    of.append((seq_b, seq_b - seq_a, b, a, truth.received[i][4], truth.received[j][4]))
    return changes


def compare_changes(xtf, copy, recorded, truth):
    """Columns are time proc thread seq event region back sent earlier_sent sender earlier_sender comm tag name."""
    n = 0
    for rank, expected in expected_changes(recorded, truth).items():
        found = [(int(row[3]), int(row[6]), int(row[9]), int(row[10]), int(row[7]), int(row[8])) for row in rows(xtf, copy, f"proc/{rank}/order_changes/records")] \
            if expected or int(xtf.expect("cat", copy, "order_changes/count")) > 0 else []
        compare(found, expected, f"{copy}: proc/{rank}/order_changes")
        n += len(expected)
    return n


def costs_of(dice, n):
    kind = dice.randrange(4)
    costs = Costs(dice.randrange(1, 500), dice.randrange(1, 500), dice.randrange(1, 500))
    if kind == 1:  # dear probes on odd processes
        costs.by_process = {rank: {"E": 2000, "L": 1500, "M": 700} for rank in range(1, n, 2)}
    elif kind == 2:
        costs.by_region = {"tiny": dice.randrange(1, 2000), "solve": 0}
    return costs


def compare_program(maker, name, seed):
    """Simulates a program twice, and compares. Returns the number of changes of order."""
    dice = random.Random(f"{name} {seed}")
    steps = PROGRAMS[name](dice)
    costs, latency = costs_of(dice, len(steps)), latency_of(seed)
    recorded = Simulation(steps, costs, latency).run()
    truth = Simulation(steps, Costs(), latency, recorded.chosen).run()
    copy, printed = maker.compensate(maker.trace(recorded), *costs.text())
    for process in truth.processes:
        compare(times(maker.xtf, copy, process.rank), truth_of(process), f"{name} {seed}, process {process.rank}")
    n = compare_changes(maker.xtf, copy, recorded, truth)
    if seed == 1:  # an analysis keeps the changes, and so does its copy
        maker.xtf.expect("analyze", "-q", copy)
        again = copy.with_suffix(".again")
        maker.xtf.expect("copy", "-q", copy, again)
        compare_changes(maker.xtf, again, recorded, truth)
    check(f"{n} pairs of receives" in printed, f"{name} {seed}: {n} changes of order, and: {printed}")
    before = max(process.clock for process in recorded.processes)
    after = max(process.clock for process in truth.processes)
    print(f"{name} {seed}: {sum(len(process.records) for process in truth.processes)} records, {before} -> {after} ticks, {n} changes of order")
    return n


def local_of(recorded, costs, begin, end):
    """Returns {region: [calls, exclusive, probes]} of a window, and the number and cost of its LEAVEs."""
    found = {name: [0, 0, 0] for name in REGIONS}
    leaves = cost_of_leaves = 0
    for process in recorded.processes:
        stack = []
        for record, after in zip(process.records, process.records[1:] + process.records[-1:]):
            inside, cost = begin <= record.time < end, costs.of(process.rank, record.kind, record.numbers)
            if record.kind == "E":
                stack.append(REGIONS[record.numbers[0]])
                found[stack[-1]][0] += inside
            elif record.kind == "L":
                stack.pop()
                leaves += inside
                cost_of_leaves += cost * inside
            if stack:
                found[stack[-1]][1] += max(0, min(after.time, end) - max(record.time, begin))
                if record.kind != "L":
                    found[stack[-1]][2] += cost * inside
    return found, leaves, cost_of_leaves


def compare_local(maker, name, seed):
    """Compares local/profile with counts of all records, in the whole run and in windows."""
    dice = random.Random(f"{name} {seed}")
    steps = PROGRAMS[name](dice)
    costs = Costs(71, 53, 29, by_region={"tiny": 111})
    if seed % 2:
        costs = Costs(71, 53, 29, by_process={1: {"E": 5, "L": 7, "M": 3}})
    recorded = Simulation(steps, costs, latency_of(seed)).run()
    trace = maker.trace(recorded)
    end = max(process.clock for process in recorded.processes)
    windows = [(0, end + 11)] + [tuple(sorted(dice.sample(range(1000, end), 2))) for _ in range(4)]
    for begin, end in windows:
        path = f"time/{begin}ns-{end}ns/local/profile" if begin else "local/profile"
        expected, leaves, cost_of_leaves = local_of(recorded, costs, begin, end)
        cells = [line.split(None, 6) for line in maker.xtf.expect("cat", *costs.text(), trace, path).decode().splitlines()[1:]]
        found = {cell[6].strip(): [int(cell[1])] + [ticks_of(text, 1000000000, 0) for text in cell[2:5]] for cell in cells if cell[2] != "-"}
        for region, (calls, exclusive, probes) in expected.items():
            check(found[region] == [calls, exclusive, probes, max(0, exclusive - probes)],
                  f"{trace} {path}: {region}: {found[region]}, should be {calls, exclusive, probes}")
        last = [cell for cell in cells if cell[2] == "-"][0]
        check((int(last[1]), ticks_of(last[3], 1000000000, 0)) == (leaves, cost_of_leaves), f"{path}: {last}, should be {leaves, cost_of_leaves}")


def compare_identity(maker, name, seed):
    """Without costs, all records of a copy are the same, and so are its tables."""
    dice = random.Random(f"{name} {seed}")
    steps = PROGRAMS[name](dice)
    recorded = Simulation(steps, costs_of(dice, len(steps)), latency_of(seed)).run()
    trace = maker.trace(recorded)
    copy, _ = maker.compensate(trace, "--probe", "ENTER=0", "--keep-flushes")
    for process in recorded.processes:
        path = f"proc/{process.rank}/records"
        check(maker.xtf.expect("cat", trace, path) == maker.xtf.expect("cat", copy, path), f"{name} {seed}: {path} differs without costs")
    for path in ("profile", "matrix", "messages", "classes"):
        check(maker.xtf.expect("cat", trace, path) == maker.xtf.expect("cat", copy, path), f"{name} {seed}: {path} differs without costs")


def check_causality(maker, name, seed):
    """With costs that are much too high, sections become 0, times ascend, and no receive precedes its send."""
    dice = random.Random(f"{name} {seed}")
    steps = PROGRAMS[name](dice)
    recorded = Simulation(steps, Costs(50, 50, 50), latency_of(seed)).run()
    copy, printed = maker.compensate(maker.trace(recorded), "--probe", "ENTER=5us,LEAVE=3us,MPI=700ns,2:MPI=20us")
    found = {process.rank: times(maker.xtf, copy, process.rank) for process in recorded.processes}
    for rank, own in found.items():
        check(all(a[0] <= b[0] for a, b in zip(own, own[1:])), f"{name} {seed}: times of process {rank} do not ascend")
        check([event for _, event in own] == [KINDS[r.kind] for r in recorded.processes[rank].records], f"{name} {seed}: records are missing")
    sends = {(process.rank, record.time): i for process in recorded.processes for i, record in enumerate(process.records)
             if record.kind in "SI"}
    for receiver, sender, _, record, sent in recorded.received:
        late, early = found[receiver][record][0], found[sender][sends[sender, sent]][0]
        check(late >= early, f"{name} {seed}: record {record} of process {receiver} is received before it is sent")
    clamped = int(printed.split("clamped")[1].split()[0])
    check(clamped > 0, f"{name} {seed}: no section is clamped: {printed}")


def check_refusals(maker):
    xtf = maker.xtf
    steps = PROGRAMS["ring"](random.Random(1))
    trace = maker.trace(Simulation(steps, Costs(5, 5, 5), latency_of(1)).run())
    copy, _ = maker.compensate(trace, "--probe", "ENTER=5ns,LEAVE=5ns,MPI=5ns")
    wrong = {
        "does not say what its probes cost": ["--compensate", trace],
        "is compensated already": ["--compensate", "--probe", "ENTER=1ns", copy],
        "has no region 'nothing'": ["--compensate", "--probe", "nothing=1ns", trace],
        "is not the cost of a probe": ["--compensate", "--probe", "ENTER=1", trace],
        "are for --compensate": ["--probe", "ENTER=1ns", trace],
    }
    for text in ("", "ENTER", "=1ns", "ENTER=1.2345ns", "ENTER=-1ns", "ENTER=1ps", "ENTER=99999999s", ",", "3:=1ns", "ENTER=1ns,", "5-3:ENTER=1ns"):
        done = xtf.run("copy", "--compensate", "--probe", text, trace, maker.folder / "no.xtf")
        check(done.status == 1, f"--probe {text}: status {done.status}")
    for message, arguments in wrong.items():
        output = maker.folder / "no.xtf"
        done = xtf.run("copy", *arguments, output)
        check(done.status != 0 and message.encode() in done.errors, f"{arguments}: status {done.status}, {done.errors}")
        check(not output.exists(), f"{arguments}: an output remains")
    properties = xtf.expect("cat", copy, "definitions/properties").decode()
    check("ENTER=5ns,LEAVE=5ns,MPI=5ns" in properties and "compensated" in properties, properties)


def check_clocks(maker):
    """Clocks that contradict the messages are refused."""
    steps = PROGRAMS["ring"](random.Random(1))
    simulation = Simulation(steps, Costs(5, 5, 5), latency_of(1)).run()
    late = simulation.processes[1]
    late.records = [record._replace(time=record.time + 5000000) for record in late.records]
    late.clock += 5000000
    trace = maker.trace(simulation)
    done = maker.xtf.run("copy", "--compensate", "--probe", "ENTER=1ns", trace, maker.folder / "no.xtf")
    check(done.status == 1 and b"xtf align" in done.errors, f"clocks: {done.status} {done.errors}")


def main():
    xtf = Xtf(sys.argv[1])
    seeds = [int(sys.argv[3])] if len(sys.argv) > 3 else range(1, 1 + n_rounds(3))
    with temporary_folder() as folder:
        maker = Maker(xtf, sys.argv[2], pathlib.Path(folder))
        changes = 0
        for seed in seeds:
            for name in PROGRAMS:
                changes += compare_program(maker, name, seed)
        check(changes > 0, "no program has a change of order")
        for seed in (1, 2):
            compare_local(maker, "random_pairs", seed)
            compare_local(maker, "collectives", seed)
        for name in PROGRAMS:
            compare_identity(maker, name, 50)
            check_causality(maker, name, 60)
        check_refusals(maker)
        check_clocks(maker)
    return 0


if __name__ == "__main__":
    run_test(main)
