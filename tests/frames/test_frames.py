#!/usr/bin/env python3
"""frames/RATE/K: checks bounds in exact fractions, and that frames tile the trace. Compares state and total with other tables of the same
window.

usage: test_frames.py XTF ASK-TREE ARCHIVE...
"""

import fractions
import pathlib
import random
import sys

import svg
from asking import Asker, Refused
from xtfrun import Failure, Xtf, check, shared_traces, temporary_folder

RATES = {"25fps": fractions.Fraction(1, 25), "0.5fps": fractions.Fraction(2), "7fps": fractions.Fraction(1, 7),
         "29.97fps": fractions.Fraction(100, 2997), "40ms": fractions.Fraction(1, 25), "333us": fractions.Fraction(333, 10**6),
         "1.5s": fractions.Fraction(3, 2), "100us": fractions.Fraction(1, 10**4)}
REFUSED = ["0fps", "fps", "25", "-25fps", "1ps", "1e3fps", "0.0ms", "9999999999999fps", "25 fps", "1000000000000fps"]
SHARES = {"program": {"program", "omp-work", "(no region)"}, "p2p": {"p2p"}, "collective": {"collective", "barrier"},
          "wait": {"wait"}}
BLOCKING = {"p2p", "wait", "collective", "barrier", "rma", "mpi-init", "omp-sync", "threads", "pgas"}


class Trace:
    def __init__(self, xtf, ask_tree, path):
        self.path = path
        self.asker = Asker(xtf, ask_tree, path)
        clock = next(line for line in xtf.expect("info", path).decode().splitlines() if line.startswith("clock "))
        self.resolution = int(clock.split()[1])
        self.procs = self.names("proc")
        self.info = self.facts("")
        self.classes = {line["name"].strip(): line["class"].strip() for line in self.table("definitions", "regions")}

    def text(self, path):
        return self.asker.ask(f"cat {path.lstrip('/')}").decode()

    def names(self, path):
        return self.asker.ask(f"ls {path}").decode().split()

    def table(self, path, name):
        return svg.table(self.asker.ask(f"cat {path}/{name}".replace("cat /", "cat ")))

    def facts(self, path):
        return {line["what"].strip(): line["value"] for line in self.table(path, "info")}

    def ticks(self, seconds):
        """Returns the ticks of a printed time."""
        ticks = fractions.Fraction(seconds) * self.resolution
        return -(-ticks.numerator // ticks.denominator)


# ---- Bounds.

def check_rate(trace, rate):
    period = RATES[rate] * trace.resolution
    end = trace.ticks(trace.info["to"])
    n = int(trace.text(f"frames/{rate}/count"))
    bound = lambda k: min(k * period.numerator // period.denominator, end)
    check(n == -(-end * period.denominator // period.numerator), f"{rate}: {n} frames of {float(period)} ticks in {end}")
    check(trace.names(f"frames/{rate}") == ["count", "first", "last"], f"{rate}: {trace.names(f'frames/{rate}')}")
    numbers = sorted({0, 1, n - 2, n - 1, *(random.randrange(n) for _ in range(5))} & set(range(n)))
    for k in numbers:
        facts = trace.facts(f"frames/{rate}/{k}")
        check((trace.ticks(facts["from"]), trace.ticks(facts["to"])) == (bound(k), bound(k + 1)),
              f"{rate}, frame {k}: {facts['from']} to {facts['to']}, not {bound(k)} to {bound(k + 1)} ticks")
    check(trace.facts(f"frames/{rate}/first") == trace.facts(f"frames/{rate}/0"), f"{rate}: first is not frame 0")
    check(trace.facts(f"frames/{rate}/last") == trace.facts(f"frames/{rate}/{n - 1}"), f"{rate}: last is not frame {n - 1}")
    for refused in [f"{n}", "-1", "x", "1-2", "99999999999999999999999", f"{2**64}", f"{2**64 * 10}"]:
        check_refused(trace, f"frames/{rate}/{refused}/count")
    return n


def check_tiles(trace, rate, n):
    """Checks that frames have all records, each once and in order, and that links lead from frame to frame."""
    content, counted, path = "", 0, f"frames/{rate}/first"
    for k in range(n):
        check(trace.facts(path) == trace.facts(f"frames/{rate}/{k}"), f"{rate}: {path} is not frame {k}")
        counted += int(trace.text(f"{path}/count"))
        content += trace.text(f"{path}/records")
        if k + 1 < n:
            path = f"frames/{rate}/{k}/next"
    check(counted == int(trace.text("count")), f"{rate}: the frames have {counted} records")
    check(content == trace.text("records"), f"{rate}: other records than the trace's")
    check_refused(trace, f"frames/{rate}/last/next/count")
    check_refused(trace, f"frames/{rate}/first/prev/count")
    if n > 1:
        check(trace.facts(f"frames/{rate}/last/prev") == trace.facts(f"frames/{rate}/{n - 2}"), f"{rate}: prev of last")
    zooms = sum(int(trace.text(f"frames/{rate}/0/zoom/{i}/count")) for i in range(10))
    check(zooms == int(trace.text(f"frames/{rate}/0/count")), f"{rate}: zoom/ of a frame")


def check_refused(trace, path):
    try:
        trace.text(path)
    except Refused:
        return
    raise Failure(f"{path} is there")


# ---- State.

def shares_of(trace, path):
    """Returns ticks by column, from `classes`."""
    sums = dict.fromkeys([*SHARES, "other"], 0)
    for line in trace.table(path, "classes"):
        name = line["class"].strip()
        if name in ("mpi", "omp", "(unmatched LEAVE)"):
            continue
        share = next((share for share, names in SHARES.items() if name in names), "other")
        sums[share] += trace.ticks(line["exclusive"])
    return sums


def colour_of(trace, proc, line, t, waits):
    """Returns the expected colour of a process whose innermost open call is a line of `stack`, or None without a call."""
    name = trace.classes.get(line["region"].strip(), "program")
    if name in ("program", "omp-work"):
        return "green"
    if waits is not None:
        red = any(trace.ticks(wait["time"]) - int(wait["amount"]) < t <= trace.ticks(wait["time"])
                  for wait in waits if wait["proc"] == proc and wait["thread"] == line["thread"])
    else:
        tests = line["region"].strip().startswith("MPI_Test")
        red = name in BLOCKING and not tests and trace.ticks(line["time"]) * 10000 > trace.resolution
    return "red" if red else "yellow"


def check_process(trace, path, end, line, waits):
    proc = line["proc"]
    place = f"{trace.path.name}/{path}, process {proc}"
    wanted = shares_of(trace, f"{path}/proc/{proc}")
    shown = {share: trace.ticks(line[share]) for share in wanted}
    check(shown == wanted, f"{place}: {shown}, not {wanted}")
    calls = sum(int(entry["calls"]) for entry in trace.table(f"{path}/proc/{proc}", "profile") if entry["calls"] != "-")
    check(int(line["calls"]) == calls, f"{place}: {line['calls']} calls, not {calls}")
    moved, = trace.table(f"{path}/proc/{proc}", "bytes")
    check([line["sent_messages"], line["sent_bytes"], line["received_messages"], line["received_bytes"]] ==
          [moved["messages_sent"], moved["bytes_sent"], moved["messages_received"], moved["bytes_received"]], f"{place}: {line}")
    so_far, = trace.table(f"time/-{end}/proc/{proc}", "bytes")
    check(line["total_sent_bytes"] == so_far["bytes_sent"], f"{place}: {line['total_sent_bytes']} bytes so far")
    if line["in_flight"] != "-":
        received = int(trace.text(f"time/-{end}/peer/{proc}/recvs/count"))
        check(int(line["in_flight"]) == int(so_far["messages_sent"]) - received, f"{place}: {line['in_flight']} in flight")
    open_calls = [entry for entry in trace.table(f"at/{end}/proc/{proc}", "stack") if entry["time"] != "-"]
    innermost = next((entry for entry in reversed(open_calls) if entry["thread"] == open_calls[0]["thread"]), None)
    if innermost is None:
        check(line["region"].strip() == "-" and line["since"] == "-" and line["colour"].strip() in ("-", "green"), f"{place}: {line}")
        return
    check((line["region"].strip(), line["since"]) == (innermost["region"].strip(), innermost["since"]), f"{place}: {line}, {innermost}")
    wanted = colour_of(trace, proc, innermost, trace.ticks(end), waits)
    check(line["colour"].strip() == wanted, f"{place}: {line['colour']}, not {wanted}")


def check_state(trace, path, end, waits):
    lines = trace.table(path, "state")
    check([line["proc"] for line in lines] == trace.procs, f"{path}: {lines}")
    for line in random.sample(lines, min(4, len(lines))):
        check_process(trace, path, end, line, waits)
        check(trace.table(f"{path}/proc/{line['proc']}", "state") == [line], f"{path}: state of process {line['proc']} alone differs")
    total, = trace.table(path, "total")
    check(int(total["procs"]) == len(lines), f"{path}: {total}")
    for column in ["calls", "sent_messages", "sent_bytes", "received_messages", "received_bytes", "total_sent_bytes"]:
        check(int(total[column]) == sum(int(line[column]) for line in lines), f"{path}: {column} of {total}")
    for line in [*lines, total]:  # no tasks of OpenTS
        check([line[f"tasks_{state}"] for state in "SPXIAWF"] == ["-"] * 7, f"{path}: tasks of {line}")
    for column in [*SHARES, "other"]:
        check(trace.ticks(total[column]) == sum(trace.ticks(line[column]) for line in lines), f"{path}: {column} of {total}")
    for colour in ["green", "yellow", "red"]:
        check(int(total[colour]) == sum(line["colour"].strip() == colour for line in lines), f"{path}: {colour} of {total}")
    return {line["colour"].strip() for line in lines}, sum(int(line["in_flight"]) for line in lines if line["in_flight"] != "-")


def check_states(trace, rate, waits):
    n = int(trace.text(f"frames/{rate}/count"))
    seen, in_flight = set(), 0
    for k in random.sample(range(n), min(6, n)):
        end = trace.facts(f"frames/{rate}/{k}")["to"]
        if k + 1 < n:  # the last frame ends after all records
            colours, messages = check_state(trace, f"frames/{rate}/{k}", end, waits)
            seen |= colours
            in_flight += messages
    return seen, in_flight


def waits_of(trace):
    columns = [line["column"] for line in trace.table("waits", "columns")]
    return [dict(zip(columns, line.split(None, len(columns) - 1))) for line in trace.text("waits/records").splitlines()]


def check_trace(xtf, ask_tree, path):
    trace = Trace(xtf, ask_tree, path)
    for rate in RATES:
        n = check_rate(trace, rate)
        if n <= 60:
            check_tiles(trace, rate, n)
    for rate in REFUSED:
        check_refused(trace, f"frames/{rate}/count")
    check_refused(trace, "sends/state")
    seen, in_flight = check_states(trace, "333us", None)
    xtf.expect("analyze", "--quiet", path)
    trace = Trace(xtf, ask_tree, path)
    again, _ = check_states(trace, "333us", waits_of(trace))
    return seen | again, in_flight


def main():
    xtf, ask_tree, *archives = Xtf(sys.argv[1]), *sys.argv[2:]
    archives = [pathlib.Path(archive) for archive in archives]
    shared = shared_traces()
    if shared:
        archives += [shared / "stencil4d-32" / "traces.otf2", shared / "coverage-10" / "traces.otf2"]
    random.seed(12)
    seen, in_flight = set(), 0
    with temporary_folder() as folder:
        for i, archive in enumerate(archives):
            path = pathlib.Path(folder) / f"{i}.xtf"
            xtf.import_archive(archive, path)
            colours, messages = check_trace(xtf, ask_tree, path)
            seen |= colours
            in_flight += messages
    check({"green", "yellow", "red"} <= seen, f"no trace showed more colours than {seen}: the test tests little")
    if shared:
        check(in_flight, "no message was under way at the end of any frame: the test tests little")


if __name__ == "__main__":
    main()
