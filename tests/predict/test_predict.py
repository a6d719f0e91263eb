#!/usr/bin/env python3
"""Predictions of runs on other machines.

- A network that takes no time gives the ideal run of the naive judge, to the tick, for programs and for all traces.
- Small programs have the times that the model says, computed by hand.
- Factors of computing change the ideal run as they must.
- The predicted run is a trace that checks clean, with the records of the recorded one in causal order.

usage: test_predict.py XTF OTF2-SCRIPT NETWORK ARCHIVE...
"""

import pathlib
import random
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "match"), str(TESTS / "analysis")]
# pylint: disable=wrong-import-position
import path_programs
import random_programs
from naive_ideal import Ideal
from naive_waits import Waits
from path_programs import BARRIER, BCAST, NO_ROOT, Timeline
from shown import ticks_of
from test_ideal import THREADS, check_equal, make_archive, random_timelines
from xtfrun import Failure, Xtf, check, fewer_archives, need_programs, n_rounds, run_test, shared_traces, temporary_folder

IDEAL = ("--latency", "0", "--bandwidth", "inf", "--overhead", "0")
N_RANDOM = 8
N_PROBING = 4
PARTS = ("computing", "waiting", "transfer", "overhead")


class Prediction:
    """The report: `lines`, {proc, or "all", or "baseline": {column: ticks}}, and `warnings`."""

    def __init__(self, xtf, trace, *options, resolution=10**9):
        done = xtf.run("predict", *options, trace)
        check(done.status == 0, f"predict {options}: {done}")
        heading, self.lines, self.warnings = None, {}, done.errors.decode()
        for line in done.output.decode().splitlines():
            words = line.split()
            if words[:2] == ["#", "proc"]:
                heading = words[1:]
            elif heading and len(words) == len(heading) and words[0] not in ("replayed", "overtaking"):
                self.lines[words[0]] = {name: word if name == "ratio" else ticks_of(word, resolution, 0)
                                        for name, word in zip(heading[1:], words[1:])}
        for name, line in self.lines.items():
            total = sum(line[part] for part in PARTS)
            check(0 <= line["predicted"] - total <= 3, f"{options}: {name}: the parts of the time are {total} ticks, not {line['predicted']}")

    def ends(self):
        return [line["predicted"] for name, line in self.lines.items() if name.isdigit()]


# ---- The ideal run.


def compare_with_ideal(xtf, archive, trace):
    xtf.import_archive(archive, trace)
    waits = Waits(str(archive))
    ideal = Ideal(waits)
    ends = [ideal.outside[process].sums[-1] + ideal.waited[process] for _, process in sorted(waits.processes.items())]
    for options in ((), ("--contention", "nic"), ("--collectives", "formula")):
        found = Prediction(xtf, trace, *IDEAL, *options, resolution=waits.ticks)
        check_equal(found.ends(), ends, f"{archive} {options}: ends of the processes")
        check_equal(found.lines["all"]["predicted"], ideal.length, f"{archive} {options}: all")
        check(found.lines["all"]["transfer"] == 0, f"{archive}: messages take time on the ideal network")
    print(f"{archive}: {len(ends)} processes")


def compare_all(xtf, script, folder, archives):
    trace, shared = folder / "trace.xtf", shared_traces()
    for what, play in path_programs.PROGRAMS.items():
        compare_with_ideal(xtf, make_archive(script, folder, what, path_programs.script(play()[0])), trace)
    for seed in range(n_rounds(N_RANDOM)):
        compare_with_ideal(xtf, make_archive(script, folder, f"chance-{seed}", path_programs.script(random_timelines(seed))), trace)
    for seed in range(n_rounds(N_PROBING)):
        lines = random_programs.Program(seed, 2 + seed, kinds=random_programs.WITH_PROBES).script()
        compare_with_ideal(xtf, make_archive(script, folder, f"probing-{seed}", lines), trace)
    for archive in fewer_archives([*archives, *(sorted(shared.glob("**/traces.otf2")) if shared else [])]):
        compare_with_ideal(xtf, archive, trace)


# ---- The predicted run as a trace.

OUTPUTS = ((), IDEAL, ("--latency", "3us", "--bandwidth", "2G", "--overhead", "50ns", "--eager", "100", "--contention", "nic"),
           ("--latency", "7us", "--cpu", "1.7", "--region", "*=1.3", "--collectives", "formula"))
VIOLATIONS = re.compile(rb"^clock violations +(\d+)", re.M)
DURATION = re.compile(rb"^duration +(\S+) s", re.M)


def records_of(xtf, trace):
    """Returns the records of all types without their times, and {place: time}."""
    rows, times = [], {}
    for kind in xtf.expect("ls", trace, "/").decode().split():
        if kind in ("sends", "recvs", "collectives", "requests", "enters_leaves"):
            for line in xtf.expect("cat", trace, f"{kind}/records").decode().splitlines():
                if not line.startswith("#"):
                    time, proc, thread, seq, *others = line.split()
                    rows.append((kind, proc, thread, seq, *others))
                    times[int(proc), int(thread), int(seq)] = float(time)
    return sorted(rows), times


def check_output(xtf, trace, out, options):
    found = Prediction(xtf, trace, *options, "--force", "--output", out)
    check(b" 0 problems" in xtf.expect("check", out), f"{options}: the predicted run does not check")
    (before, _), (after, times) = records_of(xtf, trace), records_of(xtf, out)
    check_equal(after, before, f"{trace} {options}: records of the predicted run")
    places = sorted(times)
    for one, other in zip(places, places[1:]):
        check(one[:2] != other[:2] or times[one] <= times[other], f"{options}: record {other} is before {one}")
    check(VIOLATIONS.search(xtf.expect("analyze", out))[1] == b"0", f"{trace} {options}: messages are received before they are sent")
    duration = DURATION.search(xtf.expect("info", out))[1].decode()
    check_equal(ticks_of(duration, 10**9, 0), found.lines["all"]["predicted"], f"{trace} {options}: the duration of the predicted run")
    if "--cpu" not in options:
        check_equal(Prediction(xtf, out, *IDEAL).ends(), Prediction(xtf, trace, *IDEAL).ends(), f"{trace} {options}: the ideal run of the predicted one")


def check_outputs(xtf, script, folder):
    trace, out = folder / "recorded.xtf", folder / "predicted.xtf"
    for seed in range(n_rounds(N_PROBING)):
        lines = random_programs.Program(seed, 2 + seed, kinds=random_programs.WITH_PROBES).script()
        xtf.import_archive(make_archive(script, folder, f"output-{seed}", lines), trace)
        for options in OUTPUTS:
            check_output(xtf, trace, out, options)
    done = xtf.run("predict", "--output", out, trace)
    check(done.status == 1 and b"exists already" in done.errors, f"the output is replaced: {done}")
    check(xtf.run("predict", "--force", "--output", trace, trace).status == 1, "the trace itself is replaced")


# ---- Programs with known times. A tick is 1 ns.

# With these options a message of 1000 bytes takes 1000 ns of latency and 1000 ns for its bytes.
NETWORK = ("--latency", "1us", "--bandwidth", "1G", "--overhead", "100ns")


def begin(n):
    return [Timeline(rank) for rank in range(n)]


def program_trace(xtf, script, folder, name, timelines):
    for timeline in timelines:
        timeline.note("L", "main")
    trace = folder / f"{name}.xtf"
    xtf.import_archive(make_archive(script, folder, name, path_programs.script(timelines)), trace)
    return trace


def check_known(xtf, trace, options, ends):
    check_equal(Prediction(xtf, trace, *options).ends(), ends, f"{trace.name} {options}")


def check_message(xtf, script, folder):
    """Checks one message of 1000 bytes: P0 sends at 100, P1 receives at 10."""
    sender, receiver = timelines = begin(2)
    sender.work(100)
    sender.call("MPI_Send", 2500, ("S", 1, 0, 0, 1000))
    sender.work(50)
    receiver.work(10)
    receiver.call("MPI_Recv", 3000, ("R", 0, 0, 0, 1000))
    receiver.work(30)
    trace = program_trace(xtf, script, folder, "message", timelines)
    check_known(xtf, trace, NETWORK, [100 + 100 + 50, 200 + 2000 + 100 + 30])
    check_known(xtf, trace, (*NETWORK, "--eager", "1000"), [200 + 2000 + 50, 200 + 2000 + 100 + 30])
    check_known(xtf, trace, (*NETWORK, "--eager", "1001"), [250, 2330])
    check_known(xtf, trace, (*NETWORK, "--cpu", "1=3"), [250, 2200 + 100 + 90])
    check_known(xtf, trace, (*NETWORK, "--cpu", "2", "--cpu", "0=0.5"), [50 + 100 + 25, 150 + 2000 + 100 + 60])


def check_late_posting(xtf, script, folder):
    """Checks a message that is not eager and waits for its receive, and for its sender."""
    sender, receiver = timelines = begin(2)
    sender.call("MPI_Ssend", 5000, ("S", 1, 0, 0, 8))
    receiver.work(4000)
    receiver.call("MPI_Recv", 5000, ("R", 0, 0, 0, 8))
    trace = program_trace(xtf, script, folder, "late_posting", timelines)
    found = Prediction(xtf, trace, "--latency", "1us", "--bandwidth", "1G")
    check_equal(found.ends(), [5008, 5008], "an MPI_Ssend waits for its receive")
    check_equal((found.lines["0"]["waiting"], found.lines["0"]["transfer"]), (4000, 1008), "waiting, and transfer")


def check_sharing(xtf, script, folder):
    """Checks three messages to one process: each gets a third of its link. The last one is half as long."""
    timelines = begin(4)
    for timeline in timelines[1:]:
        timeline.call("MPI_Send", 150 + timeline.rank, ("S", 0, 0, 0, 3000 if timeline.rank < 3 else 1500))
    for rank in (1, 2, 3):
        timelines[0].call("MPI_Recv", 1000 * rank, ("R", rank, 0, 0, 3000 if rank < 3 else 1500))
    trace = program_trace(xtf, script, folder, "sharing", timelines)
    options = ("--latency", "1us", "--bandwidth", "1G")
    check_known(xtf, trace, options, [4000, 0, 0, 0])
    check_known(xtf, trace, (*options, "--contention", "nic"), [1000 + 3 * 1500 + 2 * 1500, 0, 0, 0])
    check_known(xtf, trace, (*options, "--contention", "nic", "--eager", "0"), [3 * 1000 + 3000 + 3000 + 1500, 4000, 8000, 10500])


def check_operations(xtf, script, folder):
    """Checks a barrier of 5 processes in 3 rounds, and a broadcast of 400 bytes. Its tree has the paths 0 4, 0 2 3, 0 1."""
    timelines = begin(5)
    for timeline in timelines:
        timeline.work(100 * timeline.rank)
        timeline.call("MPI_Barrier", 1000, ("D", BARRIER, 0, NO_ROOT, 0, 0))
    trace = program_trace(xtf, script, folder, "barrier", timelines)
    options = ("--latency", "1us", "--bandwidth", "1G")
    check_known(xtf, trace, (*options, "--collectives", "formula"), [400 + 3000] * 5)
    steps = [100 * rank for rank in range(5)]
    for distance in (1, 2, 4):
        steps = [max(steps[rank], steps[(rank - distance) % 5] + 1000) for rank in range(5)]
    check_equal(steps, [3300, 3400, 3000, 3100, 3200], "the rounds of the barrier")
    check_known(xtf, trace, options, steps)
    timelines = begin(5)
    for timeline in timelines:
        sent, received = (5 * 400, 400) if timeline.rank == 0 else (0, 400)
        timeline.call("MPI_Bcast", 1000, ("D", BCAST, 0, 0, sent, received))
    trace = program_trace(xtf, script, folder, "broadcast", timelines)
    check_known(xtf, trace, options, [0, 1400, 1400, 2800, 1400])
    check_known(xtf, trace, (*options, "--collectives", "formula"), [0, 4200, 4200, 4200, 4200])


def check_exchange(xtf, script, folder):
    """Checks two processes that send to each other, then receive: with rendezvous both would wait for ever."""
    timelines = begin(2)
    for timeline in timelines:
        timeline.call("MPI_Send", 200, ("S", 1 - timeline.rank, 0, 0, 1000))
        timeline.call("MPI_Recv", 400, ("R", 1 - timeline.rank, 0, 0, 1000))
    trace = program_trace(xtf, script, folder, "exchange", timelines)
    check_known(xtf, trace, ("--latency", "1us", "--bandwidth", "1G"), [2000, 2000])
    found = Prediction(xtf, trace, "--latency", "1us", "--bandwidth", "1G", "--eager", "0")
    check("1 sends would wait for ever" in found.warnings, f"no warning of a deadlock: {found.warnings}")


# ---- Places.


def check_map(xtf, script, folder):
    """Checks messages of 1 and 2 to 0, where 1 shares the node of 0."""
    timelines = begin(3)
    for timeline in timelines[1:]:
        timeline.call("MPI_Send", 150, ("S", 0, 0, 0, 1000))
    for rank in (1, 2):
        timelines[0].call("MPI_Recv", 1000 * rank, ("R", rank, 0, 0, 1000))
    trace = program_trace(xtf, script, folder, "map", timelines)
    places, options = folder / "places.txt", ("--latency", "1us", "--bandwidth", "1G", "--local-latency", "200ns", "--local-bandwidth", "10G")
    places.write_text("# process node\n0 7\n2 3  # alone\n\n1 7\n", encoding="utf-8")
    near, far = 300, 2000
    check_known(xtf, trace, (*options, "--map", places), [far, 0, 0])
    check_known(xtf, trace, (*options, "--map", places, "--eager", "0"), [near + far, near, near + far])
    check_known(xtf, trace, (*options, "--contention", "nic", "--map", places), [far, 0, 0])
    for text in ("0 7\n1 7\n", "0 7\n1 7\n2 x\n", "0 1\n0 2\n1 1\n2 1\n", "0 1\n1 1\n2 1\n3 1\n", "0 1 1\n1 1\n2 1\n", "0 99999999\n1 1\n2 1\n"):
        places.write_text(text, encoding="utf-8")
        done = xtf.run("predict", "--map", places, trace)
        check(done.status == 1 and done.errors, f"the map {text!r} is accepted: {done}")


def check_network(xtf, folder, network):
    """Checks a message of 1000 bytes in a measured network, against the fit of its pair that the network shows."""
    trace = folder / "message.xtf"
    if xtf.run("ls", network).status != 0:
        print("no network: this build reads no netCDF")
        return
    rows = [line.split() for line in xtf.expect("cat", network, "fit").decode().splitlines() if not line.startswith("#")]
    fits = {(int(row[0]), int(row[1])): (float(row[2]), float(row[4])) for row in rows if "-" not in row[:6]}
    for pair in ((0, 1), (5, 2), (7, 6)):
        places = folder / "places.txt"
        places.write_text(f"0 {pair[0]}\n1 {pair[1]}\n", encoding="utf-8")
        expected = 100 + 30 + 1e9 * (fits[pair][0] + 1000 * fits[pair][1])
        for options in ((), ("--contention", "nic")):
            found = Prediction(xtf, trace, "--network", network, "--map", places, *options).ends()
            check(abs(found[1] - expected) < 0.002 * expected, f"a message from {pair} ends at {found[1]}, not {expected}")
    places.write_text("0 0\n1 8\n", encoding="utf-8")
    check(xtf.run("predict", "--network", network, "--map", places, trace).status == 1, "a process is placed outside of the network")
    check(xtf.run("predict", "--network", trace, trace).status == 1, "a trace of a program is accepted as a network")


# ---- Factors.


def check_factors(xtf, script, folder):
    """Checks that factors of all regions are factors of all processes, and that the factor of the innermost call with one counts."""
    trace = folder / "factors.xtf"
    xtf.import_archive(make_archive(script, folder, "factors", path_programs.script(random_timelines(7))), trace)
    plain = Prediction(xtf, trace, *IDEAL).ends()
    for options in (("--cpu", "3"), ("--region", "*=3")):
        found = Prediction(xtf, trace, *IDEAL, *options)
        check_equal(found.ends(), [3 * end for end in plain], f"factors {options}")
        check_equal(found.lines["baseline"], Prediction(xtf, trace, *IDEAL).lines["baseline"], f"the baseline with {options}")
    dice = random.Random(5)
    timelines = begin(1)
    expected = 0
    for _ in range(40):
        inner, outer = dice.randint(0, 99), dice.randint(0, 99)
        timelines[0].note("E", "work")
        timelines[0].to(timelines[0].time + outer)
        timelines[0].work(inner, dice.choice(("pack", "read")))
        expected += 5 * outer + (inner * 2 if " 11" in timelines[0].lines[-1] else inner * 5)
        timelines[0].note("L", "work")
    trace = program_trace(xtf, script, folder, "nested", timelines)
    check_known(xtf, trace, (*IDEAL, "--region", "work=5", "--region", "pac?=2"), [expected])
    check_known(xtf, trace, (*IDEAL, "--region", "work=5", "--region", "pack=2", "--cpu", "0"), [0])


def check_warnings(xtf, script, folder, archive):
    """Checks that the report warns of threads, of clocks that contradict messages, and of messages that are not matched."""
    trace = folder / "warnings.xtf"
    xtf.import_archive(make_archive(script, folder, "threads", THREADS.split("\n")[1:]), trace)
    check("1 threads beside the first" in Prediction(xtf, trace).warnings, "no warning of a thread")
    sender, receiver = timelines = begin(2)
    sender.work(1000)
    sender.call("MPI_Send", 2000, ("S", 1, 0, 0, 8))
    receiver.call("MPI_Recv", 300, ("R", 0, 0, 0, 8))
    trace = program_trace(xtf, script, folder, "backward", timelines)
    found = Prediction(xtf, trace, "--latency", "1us", "--bandwidth", "inf")
    check("1 of 1 messages were received before they were sent" in found.warnings, f"no warning of wrong clocks: {found.warnings}")
    check_equal(found.ends(), [1000, 2000], "a message whose clocks are wrong")
    xtf.import_archive(archive, trace)
    check("sends and receives are not matched" in Prediction(xtf, trace).warnings, "no warning of messages that are not matched")
    for late, contradicts in ((100, False), (1000, True)):
        timelines = begin(3)
        timelines[0].work(late)
        for timeline in timelines:
            timeline.call("MPI_Barrier", 500 if timeline.rank else late + 500, ("D", BARRIER, 0, NO_ROOT, 0, 0))
        found = Prediction(xtf, program_trace(xtf, script, folder, f"barrier-{late}", timelines), *IDEAL)
        check(("2 of 3 ends of collective operations come before" in found.warnings) == contradicts, f"{late}: {found.warnings}")


def check_long_run(xtf, script, folder):
    """Checks that the table has room for a run of 2 us that would take 1000 s."""
    sender, receiver = timelines = begin(2)
    sender.call("MPI_Send", 1000, ("S", 1, 0, 0, 8))
    receiver.call("MPI_Recv", 2000, ("R", 0, 0, 0, 8))
    trace = program_trace(xtf, script, folder, "long", timelines)
    found = Prediction(xtf, trace, "--latency", "1000s", "--bandwidth", "inf")
    check_equal(found.ends(), [0, 10**12], "a message of 1000 s")
    line = found.lines["all"]
    check_equal(line["ratio"], f"{line['predicted'] / line['recorded']:.4f}", "the ratio of a long run")


def check_refusals(xtf, folder):
    trace = folder / "message.xtf"
    for options in (("--latency", "2"), ("--latency", "-1us"), ("--bandwidth", "0"), ("--bandwidth", "x"), ("--eager", "x"), ("--cpu", "2=1"),
                    ("--cpu", "-1"), ("--region", "nobody=2"), ("--region", "work"), ("--region", "work=1e9"), ("--contention", "x"),
                    ("--collectives", "x"), ("--latency", "nan"), ("--overhead", "1e300s")):
        done = xtf.run("predict", *options, trace)
        if done.status == 0 or not done.errors:
            raise Failure(f"{options} are accepted: {done}")


def main():
    need_programs("otf2-print")
    xtf, script = Xtf(sys.argv[1]), sys.argv[2]
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        for test in (check_message, check_late_posting, check_sharing, check_operations, check_exchange, check_map, check_factors):
            test(xtf, script, folder)
        check_long_run(xtf, script, folder)
        check_refusals(xtf, folder)
        check_warnings(xtf, script, folder, sys.argv[4])
        check_network(xtf, folder, sys.argv[3])
        check_outputs(xtf, script, folder)
        compare_all(xtf, script, folder, [*map(pathlib.Path, sys.argv[4:])])
    return 0


if __name__ == "__main__":
    run_test(main)
