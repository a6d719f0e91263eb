#!/usr/bin/env python3
"""What recording costs: an event, a whole program, the paper's table of buffers, syncing; beside nothing and beside eztrace, by turns.

usage: record.sh [--hpcc N] [--calls CALLS] [--only WHAT] [options of all benches]

WHAT is event, hpcc, buffers or sync. Figures of an event are the least of many short slices, whatever else the machine does; those of
programs are medians of --times rounds, in which each recorder has its turn. --hpcc (600): the size of HPCC's matrices, 0 for none.
"""

import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import time

import common

# What a round of `record-calls many` makes: ENTER and LEAVE of three calls, and a posting, a send and both completions.
# eztrace leaves out the completion of the receive.
EVENTS_OF_A_ROUND = {"record": 10, "eztrace": 9}
EVENTS_OF_SENDRECV = 4
MPIS = ("openmpi", "mpich")
SYNC_SECONDS = ("0", "1", "5")  # of --fsync; 0: at the end alone
BUFFERS = ("64K", "256K", "1M", "4M", "16M", "32M")
HPCC_INPUT = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1")


class Recorder:
    """How a program is run: by itself, under `xtf record`, under eztrace."""

    def __init__(self, name, command, inner=()):
        self.name, self.command, self.inner = name, command, list(inner)

    def run(self, launcher, program, where):
        """What the program printed, and the seconds until nothing is left to be done, merging included."""
        shutil.rmtree(where / "out", ignore_errors=True)
        (where / "out").mkdir()
        command = [*self.command(where / "out"), *launcher, *(str(word).replace("OUT", str(where / "out")) for word in self.inner), *program]
        begin = time.monotonic()
        done = subprocess.run([str(word) for word in command], cwd=where, env=ENVIRONMENT, capture_output=True, text=True)
        seconds = time.monotonic() - begin
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: ended with {done.returncode}\n{done.stderr}")
        return done.stdout, seconds


def recorders(arguments, mpi, options=()):
    result = [
        Recorder("nothing", lambda out: []),
        Recorder("record", lambda out: [arguments.xtf, "record", *options, "-o", out / "run.xtf"]),
    ]
    if mpi == "openmpi" and shutil.which("eztrace"):
        result.append(Recorder("eztrace", lambda out: [], ["eztrace", "-t", "openmpi", "-o", "OUT/trace"]))
    return result


def rounds(arguments, chosen, launcher, program, where, measure):
    """By recorder what measure() says of each of its runs."""
    results = {recorder.name: [] for recorder in chosen}
    for _ in range(arguments.times):
        for recorder in chosen:
            results[recorder.name].append(measure(*recorder.run(launcher, program, where)))
    return results


def compiled(mpi, where):
    program = where / f"record-calls-{mpi}"
    source = pathlib.Path(__file__).with_name("record-calls.c")
    subprocess.run([f"mpicc.{mpi}", "-O2", "-w", "-o", program, source], check=True)
    return program


def figures(stdout, seconds):
    """The three numbers that record-calls prints."""
    return [float(word) for word in stdout.split()[-3:]]


def bench_event(arguments, mpi, where):
    program, launcher = compiled(mpi, where), [f"mpirun.{mpi}", "-n", "1"]
    chosen = recorders(arguments, mpi)
    many = rounds(arguments, chosen, launcher, [program, "many", arguments.calls], where, figures)
    least = {name: min(run[0] for run in runs) for name, runs in many.items()}
    costs = {name: (least[name] - least["nothing"]) / n for name, n in EVENTS_OF_A_ROUND.items() if name in least}
    common.row(f"an event with requests, {mpi}", f"{costs['record']:.1f} ns", "12 ns",
               f"eztrace {costs['eztrace']:.1f} ns" if "eztrace" in costs else "")
    blocking = rounds(arguments, chosen[:2], launcher, [program, "blocking", arguments.calls], where, figures)
    least = {name: min(run[0] for run in runs) for name, runs in blocking.items()}
    common.row(f"an event of MPI_Sendrecv, {mpi}", f"{(least['record'] - least['nothing']) / EVENTS_OF_SENDRECV:.1f} ns", "12 ns")
    both = recorders(arguments, mpi, ["--all-calls"])[:2]
    size = rounds(arguments, both, launcher, [program, "size", arguments.calls], where, figures)
    off = rounds(arguments, chosen[:2], launcher, [program, "size", arguments.calls], where, figures)
    by = {key: min(run[0] for run in runs) for key, runs in
          {"nothing": off["nothing"] + size["nothing"], "off": off["record"], "on": size["record"]}.items()}
    common.row(f"an event, ENTER or LEAVE, {mpi}", f"{(by['on'] - by['nothing']) / 2:.1f} ns", "10 ns")
    common.row(f"a call that is not recorded, {mpi}", f"{by['off'] - by['nothing']:.1f} ns", "3 ns")
    finalize = {name: common.median([run[2] for run in runs]) for name, runs in many.items()}
    common.row(f"MPI_Finalize longer, {mpi}", f"{(finalize['record'] - finalize['nothing']) * 1e3:.0f} ms", "50 ms",
               f"eztrace {(finalize['eztrace'] - finalize['nothing']) * 1e3:.0f} ms" if "eztrace" in finalize else "")


def hpcc_input(size, ranks):
    path = HPCC_INPUT if HPCC_INPUT.exists() else HPCC_INPUT.with_suffix(".txt.gz")
    text = (gzip.open if path.suffix == ".gz" else open)(path, "rt").read()
    values = {"Ns": size, "Ps": 2, "Qs": ranks // 2}
    lines = [f"{values[words[1]]} {words[1]}" if len(words) == 2 and words[1] in values else line
             for line in text.splitlines() for words in [line.split()]]
    return "\n".join(lines) + "\n"


# Runs a launcher, and leaves its seconds in a file.
TIMED = """begin=$(date +%s%N)
"$@" || exit
echo $(($(date +%s%N) - begin)) > launcher-ns
"""


def bench_hpcc(arguments, where):
    """The launcher's own time, which the program's user sees; what merging takes comes behind it, whatever the program does."""
    (where / "hpccinf.txt").write_text(hpcc_input(arguments.hpcc, 4))
    chosen = recorders(arguments, "openmpi", ["--mpi=openmpi"])
    launcher = ["sh", "-c", TIMED, "timed", "mpirun.openmpi", "-n", "4"]
    runs = rounds(arguments, chosen, launcher, ["hpcc"], where,
                  lambda stdout, seconds: (int((where / "launcher-ns").read_text()) / 1e9, seconds))
    median = {name: [common.median(column) for column in zip(*pairs)] for name, pairs in runs.items()}
    by_itself = median["nothing"][0]
    texts = {name: f"{launched:.2f} s, {(launched / by_itself - 1) * 100:+.1f} %" for name, (launched, _) in median.items()}
    common.row(f"HPCC, N = {arguments.hpcc}, 4 ranks on {os.cpu_count()} cores, {by_itself:.2f} s by itself", texts["record"], "+5 %",
               f"eztrace {texts['eztrace']}" if "eztrace" in texts else "")
    common.row("from the launcher's end to the merged trace", f"{(median['record'][1] - median['record'][0]) * 1e3:.0f} ms")


def bench_buffers(arguments, where):
    """Overhead by the size of the buffer, as the paper on UPC has it."""
    program, launcher = compiled("openmpi", where), ["mpirun.openmpi", "-n", "1"]
    print("\n| program | buffer | asynchronous: run, MPI_Finalize | synchronous: run, MPI_Finalize |\n|---|---|---|---|")
    for what, amount in ("many", arguments.calls), ("few", 3):
        for buffer in BUFFERS:
            chosen = recorders(arguments, "openmpi", ["--buffer", buffer])[:2]
            chosen.append(Recorder("synchronous", recorders(arguments, "openmpi", ["--buffer", buffer, "--when-full=flush"])[1].command))
            runs = rounds(arguments, chosen, launcher, [program, what, amount], where, figures)
            median = {name: [common.median([run[k] for run in all_runs]) for k in (1, 2)] for name, all_runs in runs.items()}
            by_itself = median["nothing"][0]
            cells = [f"{(run / by_itself - 1) * 100:+.1f} %, {finalize * 1e3:.0f} ms" for name, (run, finalize) in median.items() if name != "nothing"]
            print(f"| {what} calls, {by_itself:.2f} s | {buffer} | {' | '.join(cells)} |", flush=True)


def bench_sync(arguments, where):
    """The run of the program by the interval at which its part is synced."""
    program, launcher = compiled("openmpi", where), ["mpirun.openmpi", "-n", "1"]
    chosen = recorders(arguments, "openmpi")[:1]
    chosen += [Recorder(seconds, recorders(arguments, "openmpi", ["--fsync", seconds])[1].command) for seconds in SYNC_SECONDS]
    runs = rounds(arguments, chosen, launcher, [program, "many", arguments.calls], where, figures)
    median = {name: [common.median([run[k] for run in all_runs]) for k in (1, 2)] for name, all_runs in runs.items()}
    never = median["0"][0]
    for name, (run, finalize) in list(median.items())[1:]:
        common.row(f"many calls, --fsync {name}", f"{run:.2f} s, {(run / never - 1) * 100:+.1f} % against --fsync 0; MPI_Finalize {finalize * 1e3:.0f} ms",
                   "no cost", f"by itself {median['nothing'][0]:.2f} s")


def main():
    parser = common.parser(__doc__)
    parser.add_argument("--hpcc", type=int, default=600, help="the size of HPCC's matrices; 0: without HPCC")
    parser.add_argument("--calls", type=int, default=1000000, help="rounds of the program of many calls")
    parser.add_argument("--only", choices=("event", "hpcc", "buffers", "sync"))
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    common.start(arguments)
    with common.folder(arguments.dir) as where:
        if arguments.only in (None, "event"):
            for mpi in MPIS:
                if shutil.which(f"mpicc.{mpi}"):
                    bench_event(arguments, mpi, where)
        if arguments.only in (None, "hpcc") and arguments.hpcc and shutil.which("hpcc"):
            bench_hpcc(arguments, where)
        if arguments.only in (None, "buffers"):
            bench_buffers(arguments, where)
        if arguments.only in (None, "sync"):
            bench_sync(arguments, where)


if __name__ == "__main__":
    main()
