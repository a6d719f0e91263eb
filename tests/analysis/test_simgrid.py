#!/usr/bin/env python3
"""Compares `xtf deadlock --potential` of random programs with SimGrid's SMPI, which runs the same calls with all sends synchronous. Both
must say whether the program hangs, and how many processes wait for ever. Collective operations are the ones in which all members wait
for all others: SMPI makes its others of synchronous messages, too.

usage: test_simgrid.py XTF OTF2-SCRIPT SOURCE N [FIRST]
"""

import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "predict"))
# pylint: disable=wrong-import-position
from test_synchronous import REGIONS, Failure, Xtf, random_program, report_of, run_test, temporary_folder
import simgrid
from xtfrun import need_programs

OPTIONS = ["--cfg=smpi/send-is-detached-thresh:0", "--cfg=smpi/async-small-thresh:0", "--cfg=smpi/simulate-computation:no", "--log=root.thres:critical",
           "--log=ker_engine.thres:info", "--log=xbt_cfg.thres:critical"]
DEADLOCK = re.compile(r"(\d+) actors are still ")


def call_line(proc, region, notes, program):
    """Returns a call as a line for play-program. `notes`: what the archive's script says inside the call."""
    numbers = {kind: [list(map(int, rest)) for other, *rest in notes if other == kind] for kind in "SIRJPCD"}
    if region == "MPI_Send":
        return f"{proc} send {numbers['S'][0][0]} {numbers['S'][0][2]}"
    if region == "MPI_Recv":
        return f"{proc} recv {numbers['R'][0][0]} {numbers['R'][0][2]}"
    if region == "MPI_Sendrecv":
        return f"{proc} sendrecv {numbers['S'][0][0]} {numbers['S'][0][2]} {numbers['R'][0][0]} {numbers['R'][0][2]}"
    if region == "MPI_Isend":
        return f"{proc} isend {numbers['I'][0][0]} {numbers['I'][0][2]} {numbers['I'][0][4]}"
    if region == "MPI_Irecv":
        message = program.messages[numbers["P"][0][0] - 1]
        return f"{proc} irecv {message.sender} {message.number} {message.number + 1}"
    if region in ("MPI_Wait", "MPI_Waitall"):
        requests = [rest[-1] for rest in numbers["C"] + numbers["J"]]
        return f"{proc} wait {len(requests)} {' '.join(map(str, requests))}"
    return f"{proc} {region[len('MPI_'):].lower()} {numbers['D'][0][1]}"


def calls_of(program):
    """Returns the calls of all processes, in each process's order."""
    lines = [f"{proc} comm {program.comms[1].index(proc) if proc in program.comms[1] else -1}" for proc in range(program.n_procs)]
    inside = [[] for _ in range(program.n_procs)]
    region = [None] * program.n_procs
    for line in program.lines:
        proc, _, kind, *rest = line.split()
        proc = int(proc)
        if kind == "E":
            region[proc], inside[proc] = REGIONS[int(rest[0])], []
        elif kind == "L":
            lines.append(call_line(proc, region[proc], inside[proc], program))
        else:
            inside[proc].append([kind, *rest])
    return lines


def run_simgrid(player, folder, program):
    """Returns how many processes wait for ever."""
    (folder / "calls").write_text("\n".join(calls_of(program)) + "\n", encoding="utf-8")
    done = simgrid.smpirun(folder, program.n_procs, *OPTIONS, player, "calls")
    said = done.stdout + done.stderr
    found = DEADLOCK.search(said)
    if not found and (done.returncode or "Deadlock" in said or "rror" in said):
        raise Failure(f"smpirun: {done.returncode} {said}")
    return int(found[1]) if found else 0


def check_programs(xtf, script, source, n, first):
    with temporary_folder() as name:
        folder, hung = pathlib.Path(name), 0
        player = folder / "player"
        subprocess.run(["smpicc", "-O1", "-w", "-o", player, source / "tests/analysis/play-program.c"], check=True)
        simgrid.write_platform(folder, simgrid.cluster(8, "125MBps", "10us"), 8)
        for seed in range(first, first + n):
            program = random_program(seed, ("MPI_Barrier", "MPI_Allreduce"), False)
            stuck = run_simgrid(player, folder, program)
            _, report = report_of(xtf, script, folder, f"program-{seed}", program)
            if report["stuck"] != stuck or report["potential"] != (stuck > 0):
                raise Failure(f"program {seed}: SimGrid says that {stuck} processes are stuck, but the report is {report}")
            hung += stuck > 0
        if n >= 20 and not 0.1 * n <= hung <= 0.9 * n:
            raise Failure(f"{hung} of {n} programs hang: the others are too few, or too many")
        print(f"{n} programs, {hung} of which hang: SimGrid agrees")


def main():
    need_programs("smpicc", "smpirun")
    xtf, script, source, n, *first = sys.argv[1:]
    check_programs(Xtf(xtf), script, pathlib.Path(source), int(n), int(first[0]) if first else 0)


if __name__ == "__main__":
    run_test(main)
