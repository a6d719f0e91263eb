"""Measures a collector whose process does nothing, and one whose process records little: share of a core, and memory.

usage: record-idle.py XTF [SECONDS]
"""

import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "record/collect"))
from wire import OWN, RUNNING, Traced, define_region, record


def nanoseconds(pid):
    """Returns the processor time of a process in nanoseconds."""
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def measure_collector(xtf, seconds, events):
    with tempfile.TemporaryDirectory(prefix="xtf-idle-") as folder, Traced(xtf, folder, rank=0, world=1, phase=RUNNING, clock=(1, 0, 0, 10**18, 1)) as traced:
        now = time.monotonic_ns()
        traced.memory.append(0, record("OWNER", now, 0, 0, 1) + define_region(now, OWN, "work"))
        time.sleep(1.5)
        begin, pid = time.monotonic(), traced.collector.pid
        before = nanoseconds(pid)
        while time.monotonic() < begin + seconds:
            time.sleep(0.1)
            now = time.monotonic_ns()
            traced.memory.append(0, b"".join(record("ENTER", now + i, OWN) + record("LEAVE", now + i, OWN) for i in range(events // 20)))
        used, elapsed = (nanoseconds(pid) - before) / 1e9, time.monotonic() - begin
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        kib = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
        traced.end()
        print(f"{events} events a second: {100 * used / elapsed:.3f} % of a core, {kib / 1024:.1f} MiB")


def main():
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 10
    for events in 0, 2000, 20000:
        measure_collector(sys.argv[1], seconds, events)


if __name__ == "__main__":
    main()
