#!/usr/bin/env python3
"""xtf copy --compensate, judged by SimGrid: smpirun runs a program in simulated time, with and without the costs of its probes
(smpi-probes.c). The trace with costs, compensated, must end within 2 % of the run without, and each record lie near its time there.

usage: test_compensate_simgrid.py XTF OTF2-SCRIPT SOURCE-ROOT [SEED]
"""

import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "predict")]
# pylint: disable=wrong-import-position
import simgrid
from shown import ticks_of
from xtfrun import Xtf, check, need_programs, run_test, some_of, temporary_folder

OPTIONS = ["--cfg=smpi/simulate-computation:no", "--cfg=smpi/wtime:0", "--cfg=smpi/send-is-detached-thresh:1000000",
           "--cfg=smpi/async-small-thresh:1000000", "--log=root.thres:critical"]
REGIONS = ["main", "solve", "tiny", "MPI_Send", "MPI_Isend", "MPI_Recv", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce", "MPI_Barrier", "MPI_Finalize"]
N, ROUNDS = 6, 30
COSTS = {"even and odd": [2000, 20000] * 3, "one": [0, 0, 9000, 0, 0, 0], "all": [3000] * N}


def simulate(folder, seed, costs):
    """Returns the events of a run, as lines of a script, by process."""
    done = simgrid.smpirun(folder, N, *OPTIONS, folder / "probes", str(ROUNDS), str(seed), *map(str, costs))
    check(done.returncode == 0, f"smpirun: {done.stderr}")
    events = {rank: [] for rank in range(N)}
    for line in done.stdout.splitlines():
        events[int(line.split()[0])].append(line)
    return events


def make_trace(xtf, otf2_script, folder, name, events):
    lines = [line for own in events.values() for line in own]
    lines += [f"clock 1000000000 0 {max(int(line.split()[1]) for line in lines) + 10}", f"processes {N}"]
    lines += [f"location {rank} {rank} process {rank}" for rank in range(N)]
    lines += [f"construct {i} {4 if name.startswith('MPI_') else 2} 1 {name}" for i, name in enumerate(REGIONS)]
    lines.append("world 0 " + " ".join(map(str, range(N))))
    done = subprocess.run([otf2_script, folder, name], input="\n".join(lines) + "\n", text=True, capture_output=True, check=False)
    check(done.returncode == 0, f"otf2-script: {done.stderr}")
    xtf.import_archive(folder / f"{name}.otf2", folder / f"{name}.xtf")
    return folder / f"{name}.xtf"


def compare(xtf, folder, name, truth, recorded, costs, otf2_script):
    trace = make_trace(xtf, otf2_script, folder, name, recorded)
    copy = folder / f"{name}-copy.xtf"
    probes = ",".join(f"{rank}:{kind}={cost}ns" for rank, cost in enumerate(costs) for kind in ("ENTER", "LEAVE", "MPI"))
    xtf.expect("copy", "--compensate", "--probe", probes, trace, copy)
    xtf.expect("check", copy)
    length = max(int(own[-1].split()[1]) for own in truth.values())
    before = max(int(own[-1].split()[1]) for own in recorded.values())
    worst = after = 0
    for rank, own in truth.items():
        found = [ticks_of(line.split()[0], 1000000000, 0) for line in xtf.expect("cat", copy, f"proc/{rank}/records").decode().splitlines()]
        check(len(found) == len(own), f"{name}: process {rank} has {len(found)} records, should have {len(own)}")
        worst = max([worst, *(abs(time - int(line.split()[1])) for time, line in zip(found, own))])
        after = max(after, found[-1])
    print(f"{name}: {length} ns without probes, {before} recorded, {after} compensated; a record is at most {worst} ns off")
    check(before > 1.05 * length, f"{name}: the probes are not dear enough to test anything")
    check(abs(after - length) <= 0.02 * length and worst <= 0.02 * length, f"{name}: {after}, should be {length}; {worst} off")


def main():
    need_programs("smpicc", "smpirun")
    xtf, otf2_script, root = Xtf(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        simgrid.write_platform(folder, simgrid.cluster(N, "1250MBps", "1us"), N)
        subprocess.run(["smpicc", "-w", "-O1", "-o", folder / "probes", root / "tests/analysis/smpi-probes.c", "-lm"], check=True)
        for seed in ([int(sys.argv[4])] if len(sys.argv) > 4 else some_of((1, 2), 1)):
            truth = simulate(folder, seed, [])
            for kind, costs in COSTS.items():
                compare(xtf, folder, f"{kind.replace(' ', '-')}-{seed}", truth, simulate(folder, seed, costs), costs, otf2_script)
    return 0


if __name__ == "__main__":
    run_test(main)
