#!/usr/bin/env python3
"""Measures the cost of recording: for an event, for a whole program, the paper's table of buffers, and syncing. Compares it with
no recording and with eztrace, by turns.

usage: record.sh [--hpcc N] [--calls CALLS] [--only WHAT] [options of all benches]

WHAT is event, sites, hpcc, buffers or sync. Figures of an event are the least of many short slices, so that other programs do not
matter. Figures of programs are medians of --times rounds; each round runs all recorders. --hpcc (600): the size of HPCC's
matrices, 0 for none.
"""

import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import time

import common

# Events of a round of `record-calls many`: ENTER and LEAVE of three calls, and a posting, a send and both completions.
# eztrace does not record the completion of the receive.
EVENTS_OF_A_ROUND = {"record": 10, "eztrace": 9}
EVENTS_OF_SENDRECV = 4
MPIS = ("openmpi", "mpich")
SYNC_SECONDS = ("0", "1", "5")  # of --fsync; 0: only at the end
SITES = ("0", "1", "2", "4", "8")  # frames of a call site
FRAME_POINTERS = {"with frame pointers": "-fno-omit-frame-pointer", "without": "-fomit-frame-pointer"}
BUFFERS = ("64K", "256K", "1M", "4M", "16M", "32M")
HPCC_INPUT = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1")


class Recorder:
    """A way to run a program: without a recorder, under `xtf record`, or under eztrace."""

    def __init__(self, name, command, inner=()):
        self.name, self.command, self.inner = name, command, list(inner)

    def run(self, launcher, program, folder):
        """Returns the program's output, and the seconds until all work is done, including merging."""
        shutil.rmtree(folder / "out", ignore_errors=True)
        (folder / "out").mkdir()
        command = [*self.command(folder / "out"), *launcher, *(str(word).replace("OUT", str(folder / "out")) for word in self.inner), *program]
        begin = time.monotonic()
        done = subprocess.run([str(word) for word in command], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
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


def run_rounds(arguments, chosen, launcher, program, folder, measure):
    """Returns for each recorder the results of measure() of its runs."""
    results = {recorder.name: [] for recorder in chosen}
    for _ in range(arguments.times):
        for recorder in chosen:
            results[recorder.name].append(measure(*recorder.run(launcher, program, folder)))
    return results


def compile_program(mpi, folder, *options):
    program = folder / f"record-calls-{mpi}{''.join(options)}"
    source = pathlib.Path(__file__).with_name("record-calls.c")
    subprocess.run([f"mpicc.{mpi}", "-O2", "-w", *options, "-o", program, source], check=True)
    return program


def read_figures(stdout, seconds):
    """Returns the three numbers that record-calls prints."""
    return [float(word) for word in stdout.split()[-3:]]


def bench_event(arguments, mpi, folder):
    program, launcher = compile_program(mpi, folder), [f"mpirun.{mpi}", "-n", "1"]
    chosen = recorders(arguments, mpi)
    many = run_rounds(arguments, chosen, launcher, [program, "many", arguments.calls], folder, read_figures)
    least = {name: min(run[0] for run in runs) for name, runs in many.items()}
    costs = {name: (least[name] - least["nothing"]) / n for name, n in EVENTS_OF_A_ROUND.items() if name in least}
    common.row(f"an event with requests, {mpi}", f"{costs['record']:.1f} ns", "12 ns",
               f"eztrace {costs['eztrace']:.1f} ns" if "eztrace" in costs else "")
    blocking = run_rounds(arguments, chosen[:2], launcher, [program, "blocking", arguments.calls], folder, read_figures)
    least = {name: min(run[0] for run in runs) for name, runs in blocking.items()}
    common.row(f"an event of MPI_Sendrecv, {mpi}", f"{(least['record'] - least['nothing']) / EVENTS_OF_SENDRECV:.1f} ns", "12 ns")
    recorders_of_all = recorders(arguments, mpi, ["--all-calls"])[:2]
    size = run_rounds(arguments, recorders_of_all, launcher, [program, "size", arguments.calls], folder, read_figures)
    off = run_rounds(arguments, chosen[:2], launcher, [program, "size", arguments.calls], folder, read_figures)
    least_by = {key: min(run[0] for run in runs) for key, runs in
          {"nothing": off["nothing"] + size["nothing"], "off": off["record"], "on": size["record"]}.items()}
    common.row(f"an event, ENTER or LEAVE, {mpi}", f"{(least_by['on'] - least_by['nothing']) / 2:.1f} ns", "10 ns")
    common.row(f"a call that is not recorded, {mpi}", f"{least_by['off'] - least_by['nothing']:.1f} ns", "3 ns")
    finalize = {name: common.median([run[2] for run in runs]) for name, runs in many.items()}
    common.row(f"MPI_Finalize longer, {mpi}", f"{(finalize['record'] - finalize['nothing']) * 1e3:.0f} ms", "50 ms",
               f"eztrace {(finalize['eztrace'] - finalize['nothing']) * 1e3:.0f} ms" if "eztrace" in finalize else "")


def bench_sites(arguments, mpi, folder):
    """Prints the cost of a call for its site, by the number of frames."""
    launcher = [f"mpirun.{mpi}", "-n", "1"]
    chosen = [Recorder(n, recorders(arguments, mpi, ["--sites", n])[1].command) for n in SITES]
    for name, option in FRAME_POINTERS.items():
        program = compile_program(mpi, folder, option)
        runs = run_rounds(arguments, chosen, launcher, [program, "deep", arguments.calls], folder, read_figures)
        least = {n: min(run[0] for run in of_n) for n, of_n in runs.items()}
        costs = ", ".join(f"{n}: {least[n] - least['0']:.1f} ns" for n in SITES[1:])
        common.row(f"a site of 1 to 8 frames, {name}, {mpi}", costs)


def hpcc_input(size, ranks):
    path = HPCC_INPUT if HPCC_INPUT.exists() else HPCC_INPUT.with_suffix(".txt.gz")
    text = (gzip.open if path.suffix == ".gz" else open)(path, "rt").read()
    values = {"Ns": size, "Ps": 2, "Qs": ranks // 2}
    lines = [f"{values[words[1]]} {words[1]}" if len(words) == 2 and words[1] in values else line
             for line in text.splitlines() for words in [line.split()]]
    return "\n".join(lines) + "\n"


# Runs a launcher, and writes its time to a file.
TIMED = """begin=$(date +%s%N)
"$@" || exit
echo $(($(date +%s%N) - begin)) > launcher-ns
"""


def bench_hpcc(arguments, folder):
    """Measures the launcher's time, which the program's user notices. Merging follows it, in a time that does not depend on the
    program."""
    (folder / "hpccinf.txt").write_text(hpcc_input(arguments.hpcc, 4))
    chosen = recorders(arguments, "openmpi", ["--mpi=openmpi"])
    launcher = ["sh", "-c", TIMED, "timed", "mpirun.openmpi", "-n", "4"]
    runs = run_rounds(arguments, chosen, launcher, ["hpcc"], folder,
                  lambda stdout, seconds: (int((folder / "launcher-ns").read_text()) / 1e9, seconds))
    median = {name: [common.median(column) for column in zip(*pairs)] for name, pairs in runs.items()}
    by_itself = median["nothing"][0]
    texts = {name: f"{launched:.2f} s, {(launched / by_itself - 1) * 100:+.1f} %" for name, (launched, _) in median.items()}
    common.row(f"HPCC, N = {arguments.hpcc}, 4 ranks on {os.cpu_count()} cores, {by_itself:.2f} s by itself", texts["record"], "+5 %",
               f"eztrace {texts['eztrace']}" if "eztrace" in texts else "")
    common.row("from the launcher's end to the merged trace", f"{(median['record'][1] - median['record'][0]) * 1e3:.0f} ms")


def bench_buffers(arguments, folder):
    """Prints the overhead by the size of the buffer, as the table of the paper on UPC."""
    program, launcher = compile_program("openmpi", folder), ["mpirun.openmpi", "-n", "1"]
    print("\n| program | buffer | asynchronous: run, MPI_Finalize | synchronous: run, MPI_Finalize |\n|---|---|---|---|")
    for mode, amount in ("many", arguments.calls), ("few", 3):
        for buffer in BUFFERS:
            chosen = recorders(arguments, "openmpi", ["--buffer", buffer])[:2]
            chosen.append(Recorder("synchronous", recorders(arguments, "openmpi", ["--buffer", buffer, "--when-full=flush"])[1].command))
            runs = run_rounds(arguments, chosen, launcher, [program, mode, amount], folder, read_figures)
            median = {name: [common.median([run[k] for run in all_runs]) for k in (1, 2)] for name, all_runs in runs.items()}
            by_itself = median["nothing"][0]
            cells = [f"{(run / by_itself - 1) * 100:+.1f} %, {finalize * 1e3:.0f} ms" for name, (run, finalize) in median.items() if name != "nothing"]
            print(f"| {mode} calls, {by_itself:.2f} s | {buffer} | {' | '.join(cells)} |", flush=True)


def bench_sync(arguments, folder):
    """Measures the program by the interval at which its part is synced."""
    program, launcher = compile_program("openmpi", folder), ["mpirun.openmpi", "-n", "1"]
    chosen = recorders(arguments, "openmpi")[:1]
    chosen += [Recorder(seconds, recorders(arguments, "openmpi", ["--fsync", seconds])[1].command) for seconds in SYNC_SECONDS]
    runs = run_rounds(arguments, chosen, launcher, [program, "many", arguments.calls], folder, read_figures)
    median = {name: [common.median([run[k] for run in all_runs]) for k in (1, 2)] for name, all_runs in runs.items()}
    never = median["0"][0]
    for name, (run, finalize) in list(median.items())[1:]:
        common.row(f"many calls, --fsync {name}", f"{run:.2f} s, {(run / never - 1) * 100:+.1f} % against --fsync 0; MPI_Finalize {finalize * 1e3:.0f} ms",
                   "no cost", f"by itself {median['nothing'][0]:.2f} s")


def main():
    parser = common.parser(__doc__)
    parser.add_argument("--hpcc", type=int, default=600, help="size of HPCC's matrices; 0: without HPCC")
    parser.add_argument("--calls", type=int, default=1000000, help="rounds of the program of many calls")
    parser.add_argument("--only", choices=("event", "sites", "hpcc", "buffers", "sync"))
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    common.start(arguments)
    with common.folder(arguments.dir) as folder:
        if arguments.only in (None, "event"):
            for mpi in MPIS:
                if shutil.which(f"mpicc.{mpi}"):
                    bench_event(arguments, mpi, folder)
        if arguments.only in (None, "sites"):
            for mpi in MPIS:
                if shutil.which(f"mpicc.{mpi}"):
                    bench_sites(arguments, mpi, folder)
        if arguments.only in (None, "hpcc") and arguments.hpcc and shutil.which("hpcc"):
            bench_hpcc(arguments, folder)
        if arguments.only in (None, "buffers"):
            bench_buffers(arguments, folder)
        if arguments.only in (None, "sync"):
            bench_sync(arguments, folder)


if __name__ == "__main__":
    main()
