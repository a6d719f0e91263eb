#!/usr/bin/env python3
"""xtf export ti: the naive judge replays the exported actions on another network, and also the archive. All ranks must end at the same
times. SimGrid, if it is installed, replays the export, too.

usage: test_ti.py XTF OTF2-SCRIPT
"""

import pathlib
import shutil
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / folder) for folder in ("roundtrip", "match", "analysis")]
# pylint: disable=wrong-import-position
import naive_replay
import predict_programs
import random_programs
import simgrid
from simgrid import ENVELOPE
from naive_replay import Exported, Network, Recorded
from naive_waits import Waits
from xtfrun import Xtf, check, need_programs, n_rounds, run_test, shared_traces, temporary_folder

LATENCY, BANDWIDTH = 10e-6, 10**9
RENDEZVOUS, EAGER = 0, 10**9
# Seconds by which a rank may end at another time: a rank's computing is in whole nanoseconds, and SimGrid counts in them. The errors of
# ranks that wait for each other add up.
TOLERANCE = 1e-7
N_RANDOM = 12
SHARED = {"stencil4d-32": 32, "coverage-10": 10, "comm-create-4": 4, "pingpong-2": 2}


def make_trace(xtf, script, folder, name, lines):
    done = subprocess.run([script, folder, name], input="\n".join(lines) + "\n", text=True, capture_output=True, check=False)
    check(done.returncode == 0, f"otf2-script: {done.stderr}")
    xtf.import_archive(folder / f"{name}.otf2", folder / f"{name}.xtf")
    return folder / f"{name}.otf2", folder / f"{name}.xtf"


def export(xtf, trace, out, *options):
    """Exports a trace anew, and returns what the command says."""
    return xtf.expect("export", "ti", *options, "--force", "-o", out, trace).decode()


def compare_ends(name, found, expected):
    worst = max(abs(a - b) for a, b in zip(found, expected, strict=True))
    check(worst <= TOLERANCE, f"{name}: a rank ends {worst * 1e9:.0f} ns off: {found}, should be {expected}")


def simulate(folder, out, name, n, eager, expected):
    if not shutil.which("smpirun"):
        return
    simgrid.write_platform(folder, simgrid.mesh(n, LATENCY, BANDWIDTH), n)
    compare_ends(f"{name}, SimGrid", simgrid.replay(folder, out, n, eager), expected)


def compare(xtf, folder, name, archive, trace, modes):
    """Compares the export of a trace with its archive."""
    out, waits = folder / f"{name}.ti", Waits(str(archive))
    export(xtf, trace, out, "--expand")
    for eager in modes:
        network = Network(LATENCY, BANDWIDTH, eager, ENVELOPE)
        expected = naive_replay.replay(Recorded(waits).ranks, network)
        compare_ends(name, naive_replay.replay(Exported(out).ranks, network), expected)
        simulate(folder, out, name, len(expected), eager, expected)
        print(f"{name}: {max(expected) * 1e3:.3f} ms, {'eager' if eager else 'rendezvous'}")


def check_programs(xtf, script, folder):
    for name, make in predict_programs.PROGRAMS.items():
        archive, trace = make_trace(xtf, script, folder, name, predict_programs.script(*make()))
        compare(xtf, folder, name, archive, trace, [RENDEZVOUS, EAGER])
    for seed in range(n_rounds(N_RANDOM)):
        program = random_programs.Program(seed, n_procs=5, steps=120, overtake=seed % 2 == 1)
        archive, trace = make_trace(xtf, script, folder, f"random-{seed}", program.script())
        compare(xtf, folder, f"random-{seed}", archive, trace, [EAGER])


def check_shared(xtf, folder):
    for name in SHARED if shared_traces() else ():
        archive, trace = shared_traces() / name / "traces.otf2", folder / f"{name}.xtf"
        xtf.import_archive(archive, trace)
        compare(xtf, folder, name, archive, trace, [RENDEZVOUS, EAGER])


# ---- Single actions.


def actions_of(out):
    """Returns the actions of each rank, without the rank and without computing."""
    lines = [(out / name).read_text(encoding="utf-8").splitlines() for name in (out / "trace.ti").read_text(encoding="utf-8").split()]
    return [[line.split(" ", 1)[1] for line in own if " compute " not in line] for own in lines]


# The world's operations with root 2 and blocks of 40 bytes, as SimGrid's documentation of its format has them.
NATIVE = {"MPI_Barrier": "barrier", "MPI_Bcast": "bcast 40 2 6", "MPI_Reduce": "reduce 40 0 2 6", "MPI_Allreduce": "allreduce 40 0 6",
          "MPI_Alltoall": "alltoall 40 40 6 6", "MPI_Allgather": "allgather 40 40 6 6", "MPI_Gather": "gather 40 40 2 6 6",
          "MPI_Scatter": "scatter 40 40 2 6 6"}  # yapf: disable


def check_operations(xtf, script, folder):
    """The world's operations are SimGrid's own. It must understand all of them."""
    n = 4
    ranks = [predict_programs.Rank(i) for i in range(n)]
    for name in NATIVE:
        for rank in ranks:
            rank.compute(1000)
            rank.operate(name, 0, n, rank.rank, 2, 40)
    _, trace = make_trace(xtf, script, folder, "native", predict_programs.script(ranks, {}))
    out = folder / "native.ti"
    export(xtf, trace, out)
    for own in actions_of(out):
        check(own == ["init", *NATIVE.values(), "finalize"], f"the world's operations: {own}")
    if shutil.which("smpirun"):
        simgrid.write_platform(folder, simgrid.mesh(n, LATENCY, BANDWIDTH), n)
        ends = simgrid.replay(folder, out, n, RENDEZVOUS)
        check(all(len(NATIVE) * LATENCY < end < 10 * len(NATIVE) * LATENCY for end in ends), f"SimGrid's operations end at {ends}")


def check_sizes(xtf, script, folder):
    """Sizes that no int of SMPI can hold are in doubles."""
    ranks = [predict_programs.Rank(i) for i in range(2)]
    for size in (2**31 - 1, 2**31, 5 * 10**9 + 1):
        ranks[0].send(1, size)
        ranks[1].recv(0, size)
    _, trace = make_trace(xtf, script, folder, "sizes", predict_programs.script(ranks, {}))
    export(xtf, trace, folder / "sizes.ti")
    sizes = [action.split()[3:] for action in actions_of(folder / "sizes.ti")[0][1:-1]]
    check(sizes == [["2147483647", "6"], ["268435456", "0"], ["625000001", "0"]], f"sizes: {sizes}")
    ends = naive_replay.replay(Exported(folder / "sizes.ti").ranks, Network(LATENCY, BANDWIDTH, RENDEZVOUS, ENVELOPE))
    simulate(folder, folder / "sizes.ti", "sizes", 2, RENDEZVOUS, ends)


def check_left_out(xtf, script, folder):
    """Messages without a certain other end are left out, and named. The rest must not wait for it."""
    ranks = [predict_programs.Rank(i) for i in range(3)]
    ranks[0].send(1, 800, tag=5)                                # never received
    ranks[1].irecv(2, 800, tag=6)                               # never completed
    ranks[2].send(2, 800)
    ranks[2].recv(2, 800)
    ranks[2].call("MPI_Barrier", ("B",), ("D", 0, 0, predict_programs.NO_ROOT, 0, 0))
    ranks[0].send(2, 800, tag=5)
    ranks[2].recv(0, 800, tag=5)
    _, trace = make_trace(xtf, script, folder, "lossy", predict_programs.script(ranks, {}))
    out = folder / "lossy.ti"
    said = export(xtf, trace, out)
    check(actions_of(out) == [["init", "send 2 0 800 6", "finalize"], ["init", "finalize"], ["init", "recv 0 0 800 6", "finalize"]],
          f"left out: {actions_of(out)}")
    for text in ("1 sends without a certain receive left out", "1 messages of a process to itself left out",
                 "1 ends of collective operations left out: they do not block, or it is uncertain who waits for whom"):
        check(text in said, f"{text!r} is not in {said!r}")


def check_windows(xtf, folder):
    """A window has the messages of which it has both ends. Its ranks must not wait for others."""
    names = ("halo", "pairs-1", "exchanges", "operations", "random-0")
    for name in names:
        for window in ("30%-60%", "0-0.0002", "50%-", "-50%"):
            out = folder / "window.ti"
            xtf.expect("export", "ti", "--expand", "--force", "-o", out, folder / f"{name}.xtf", f"time/{window}")
            ranks = Exported(out).ranks
            ends = naive_replay.replay(ranks, Network(LATENCY, BANDWIDTH, EAGER, ENVELOPE))
            simulate(folder, out, f"{name}, {window}", len(ends), EAGER, ends)


def check_refusals(xtf, folder):
    out = folder / "ring.ti"
    for path in ("proc/0", "sends", "region/MPI_Send", "num/0-10", "calls"):
        refused = xtf.run("export", "ti", "-o", folder / "no", folder / "ring.xtf", path)
        check(refused.status == 1 and b"choose only a window" in refused.errors, f"{path}: {refused}")
    refused = xtf.run("export", "csv", "--expand", "-o", folder / "no", folder / "ring.xtf")
    check(refused.status == 2 and b"--expand is not for csv" in refused.errors, f"--expand: {refused}")
    check(not (folder / "no").exists(), "a refused export left a file")
    before = sorted(path.name for path in out.iterdir())
    check(before == sorted([*(f"rank-{i}.ti" for i in range(8)), "trace.ti"]), f"the files are {before}")
    (out / "rank-x.ti").write_text("mine", encoding="utf-8")
    check(xtf.run("export", "ti", "--force", "-o", out, folder / "ring.xtf").status == 1, "a folder with another file was replaced")


def main():
    need_programs("otf2-print")
    xtf, script = Xtf(sys.argv[1]), sys.argv[2]
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        check_programs(xtf, script, folder)
        check_shared(xtf, folder)
        check_operations(xtf, script, folder)
        check_sizes(xtf, script, folder)
        check_left_out(xtf, script, folder)
        check_windows(xtf, folder)
        check_refusals(xtf, folder)
    return 0


if __name__ == "__main__":
    run_test(main)
