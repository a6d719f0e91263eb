#!/usr/bin/env python3
"""xtf predict, judged by SimGrid: smpirun replays the export of a trace. All ranks of generated programs, recorded examples and real
traces must end within 0.5 us of their predictions. They run with and without contention, with eager messages and without.

usage: test_predict_simgrid.py XTF OTF2-SCRIPT ARCHIVE...
"""

import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / folder) for folder in ("roundtrip", "match", "analysis")]
# pylint: disable=wrong-import-position
import otf2print
import predict_programs
import simgrid
from test_predict import Prediction
from test_ti import BANDWIDTH, EAGER, LATENCY, RENDEZVOUS, export, make_trace
from xtfrun import Xtf, check, need_programs, run_test, shared_traces, some_of, temporary_folder

TOLERANCE = 5e-7  # seconds; errors of whole nanoseconds add up
SHARED = ["stencil4d-32", "coverage-10"]
# Senders of buffered messages do not wait. For us they are under way at once; for SimGrid, when their receives are posted.
ONLY_EAGER = ["buffered"]
# Recorded programs may rely on eager messages, and wait for ever without.
RECORDED = (1 << 16, EAGER)
PLATFORMS = {"none": simgrid.mesh, "nic": simgrid.star}


def compare(xtf, folder, name, resolution, trace, modes=(RENDEZVOUS, EAGER)):
    """Returns by how many seconds a prediction is off, if it is by more than TOLERANCE: {(name, contention, eager): seconds}."""
    out, worst = folder / "out.ti", {}
    export(xtf, trace, out, "--expand")
    simgrid.scale_messages(out)
    n = len((out / "trace.ti").read_text(encoding="utf-8").split())
    for contention, platform in PLATFORMS.items():
        simgrid.write_platform(folder, platform(n, LATENCY, BANDWIDTH * simgrid.SCALE), n)
        for eager in modes:
            found = Prediction(xtf, trace, "--latency", f"{LATENCY * 1e6:.0f}us", "--bandwidth", BANDWIDTH, "--overhead", "0", "--eager", eager,
                               "--contention", contention, resolution=resolution).ends()
            expected = simgrid.replay(folder, out, n, min(eager * simgrid.SCALE, 2**31 - 1))
            off = [abs(a / resolution - b) for a, b in zip(found, expected, strict=True)]
            worst[contention, eager] = max(off)
    print(f"{name}: " + ", ".join(f"{contention} {eager} {off * 1e6:.3f} us" for (contention, eager), off in worst.items()), flush=True)
    return {(name, *key): off for key, off in worst.items() if off > TOLERANCE}


def resolution_of(archive):
    return otf2print.clock(otf2print.definitions(str(archive)))[0]


def main():
    need_programs("otf2-print", "smpirun")
    xtf, script, wrong = Xtf(sys.argv[1]), sys.argv[2], {}
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        for what, make in some_of(predict_programs.PROGRAMS.items(), 6):
            made = make_trace(xtf, script, folder, what, predict_programs.script(*make()))
            wrong |= compare(xtf, folder, what, resolution_of(made[0]), made[1], *([(EAGER,)] if what in ONLY_EAGER else []))
        archives = [*map(pathlib.Path, sys.argv[3:]), *(shared_traces() / what / "traces.otf2" for what in SHARED if shared_traces())]
        for archive in archives:
            xtf.import_archive(archive, folder / "trace.xtf")
            wrong |= compare(xtf, folder, archive.parent.name, resolution_of(archive), folder / "trace.xtf", RECORDED)
    check(not wrong, f"a rank ends elsewhere: {wrong}")
    return 0


if __name__ == "__main__":
    run_test(main)
