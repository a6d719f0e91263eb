"""Kills the collector of a traced process, the process, or both, at random instants, and then uses the folder of parts again.

The process is made up (tests/record/collect/wire.py), so the harness knows all records. The part must have all records of the last
commit that the collector reported, and no other ones. A collector of another process and `xtf merge` must then succeed.
"""
import os
import re
import shutil
import subprocess
import time

from wire import DRAIN, DRAINED, OWN, RUNNING, TAIL, Traced, define_region, record
from xtfrun import Failure

ROWS = ("collector", "collector-volumes")
# Writes to the part take longer, so that on a busy machine, too, a kill can hit between a report and its commit.
SLOW = "pwrite 1 slow on"
BEGINNING, LATEST, REPORT = 0.02, 0.4, 5  # seconds
# Seconds in which a part begins its second volume.
ROTATION = 0.99, 1.06
LATER_CALLS = 10  # calls of the second process
RING = 1 << 16  # bytes
REGIONS = 61


def region(call):
    return call % REGIONS


def calls(first, n):
    """Returns the records of n calls, each of the next region."""
    return b"".join(record("ENTER", 10 + 2 * i, OWN + region(i)) + record("LEAVE", 11 + 2 * i, OWN + region(i)) for i in range(first, first + n))


class Process:
    """A traced process that makes calls."""

    def __init__(self, traced):
        self.traced, self.memory = traced, traced.memory
        self.put = self.reported = 0  # calls made; calls in a commit that the collector has reported
        self.memory.append(0, record("OWNER", 1, 0, 0, 1) + b"".join(define_region(1, OWN + i, f"work-{i}") for i in range(REGIONS)))

    def has_space(self, n):
        """True if the ring has space for n bytes."""
        ring = self.memory.ring_at(0)
        return self.memory.u64(ring) + n - self.memory.u64(ring + TAIL) <= RING

    def make_calls(self, n):
        """Makes calls, if the ring has space for them."""
        data = calls(self.put, n)
        if self.has_space(len(data)):
            self.memory.append(0, data)
            self.put += n

    def await_commit(self, end):
        """Asks the collector for a commit, and waits for it until a time."""
        wanted, put = self.memory.u32(DRAIN) + 1, self.put
        self.memory.u32(DRAIN, wanted)
        while time.monotonic() < end and self.memory.u32(DRAINED) != wanted:
            pass  # a kill follows at once
        if self.memory.u32(DRAINED) == wanted:
            self.reported = put

    def run_until(self, end, draw):
        while time.monotonic() < end:
            self.make_calls(draw.randrange(1, 100))
            if draw.random() < 0.5:
                self.await_commit(end)
            else:
                time.sleep(draw.uniform(0, 0.003))


class Row:
    """The kills of collectors. `xtf` runs the command, `folder` is the place of temporary files."""

    def __init__(self, torture, xtf, folder, name):
        self.torture, self.xtf, self.name = torture, xtf, name
        self.program, self.folder = str(torture.program("src/cli/xtf")), folder / "collector"

    def count_calls(self, trace, process):
        """Returns the number of calls of a process in a trace. Raises a Failure if a record is not as expected."""
        done = self.xtf.run("cat", trace, f"/proc/{process}/records")
        if done.status != 0 and re.search(b"the trace has no process|there is no process", done.errors):
            return 0  # the first commit has no records
        if done.status != 0:
            raise Failure(str(done))
        words = [line.split() for line in done.output.decode().splitlines() if not line.startswith("#")]
        made = [(line[4], line[-1]) for line in words if line[4] in ("ENTER", "LEAVE")]
        others = [line[4] for line in words if line[4] not in ("ENTER", "LEAVE")]
        if made != [(event, f"work-{region(i)}") for i in range(len(made) // 2) for event in ("ENTER", "LEAVE")]:
            raise Failure(f"process {process} of {trace.name} has other records")
        if others not in ([], ["PROGRAM_BEGIN"], ["PROGRAM_BEGIN", "PROGRAM_END"]):
            raise Failure(f"process {process} of {trace.name} has {others}")
        return len(made) // 2

    def slow_writes(self):
        """Returns the environment of a collector whose writes take longer."""
        counts = self.folder.parent / "counts"
        counts.write_bytes(bytes(4096))
        return {"LD_PRELOAD": str(self.torture.program("tests/torture/call-fault.so")), "XTF_TORTURE_FAULT": SLOW, "XTF_TORTURE_FOLDER": str(self.folder),
                "XTF_TORTURE_COUNTS": str(counts)}

    def run_and_kill(self, number):
        """Runs a process and its collector, and kills. Returns the process, who was killed, and the words for the instant."""
        draw = self.torture.random(self.name, number)
        at_report = number % 4 < 2
        victim = draw.choice(("collector", "both") if at_report else ("collector", "process", "both"))
        rotates = self.name == "collector-volumes"
        instant = draw.uniform(*ROTATION) if rotates else draw.uniform(0, BEGINNING if number % 2 else LATEST)
        environment = ({"XTF_RECORD_ROTATE": "1"} if rotates else {}) | (self.slow_writes() if at_report else {})
        with Traced(self.program, self.folder, rank=0, world=2, phase=RUNNING, ring_size=RING, environment=environment) as traced:
            began = time.monotonic()
            process = Process(traced)
            process.run_until(began + instant, draw)
            if at_report:
                process.make_calls(draw.randrange(1, 100))
                process.await_commit(time.monotonic() + REPORT)
            if victim != "process":
                traced.collector.kill()
            if victim != "collector":
                traced.process.kill()
            status, errors = traced.finish() if victim != "process" else traced.end()
        return process, victim, f"{victim} killed after {instant * 1000:.1f} ms{', at a report' if at_report else ''}: ", status, errors

    def faults_of_part(self, process, victim):
        """Yields what is wrong with the part after the kill."""
        part = self.folder / "000000.xtf"
        if not part.exists() or self.xtf.run("info", part).status != 0:
            if process.reported > 0 or victim == "process":
                yield f"no commit can be read, of {process.reported} calls"
            return
        checked = self.xtf.run("check", "-q", part)
        if checked.status != 0:
            yield f"check: {checked.output.decode()[-500:]}"
        n, least = self.count_calls(part, 0), process.put if victim == "process" else process.reported
        if not least <= n <= process.put:
            yield f"the part has {n} calls, expected {least} to {process.put}"

    def faults_of_next(self, victim):
        """Yields what is wrong when another process is recorded into the folder, and the parts are merged."""
        part, merged = self.folder / "000000.xtf", self.folder.parent / "merged.xtf"
        readable = part.exists() and self.xtf.run("info", part).status == 0
        with Traced(self.program, self.folder, rank=1, world=2, phase=RUNNING, ring_size=RING) as traced:
            process = Process(traced)
            process.make_calls(LATER_CALLS)
            if (ended := traced.end()) != (0, ""):
                yield f"the next collector ends with {ended}"
        self.xtf.expect("merge", "-qf", *([] if readable else ["-k"]), "-o", merged, self.folder)
        self.xtf.expect("check", "-q", merged)
        if readable and self.count_calls(merged, 0) != self.count_calls(part, 0):
            yield "the merged trace has other records than the part"
        if self.count_calls(merged, 1) != LATER_CALLS:
            yield "the merged trace lacks records of the next process"
        # By HOST-PID.starting `xtf record` sees that a collector was killed (docs/RECORD.md).
        allowed = ("000000.xtf", "000001.xtf", *(() if victim == "process" else [path.name for path in self.folder.glob("*.starting")][:1]))
        if self.name == "collector-volumes":  # the next volume, which is not complete yet, may be left
            allowed += ("000000.xtf.0001", ".000000.xtf.new")
        left = sorted(name for name in os.listdir(self.folder) if not name.startswith("clock-") and name not in allowed)
        if left:
            yield f"left behind: {left}"

    def run_case(self, number):
        words = ""
        try:
            process, victim, words, status, errors = self.run_and_kill(number)
            faults = [] if victim != "process" or (status, errors) == (0, "") else [f"the collector ends with {status}: {errors}"]
            faults += [*self.faults_of_part(process, victim), *self.faults_of_next(victim)]
        except (Failure, OSError, subprocess.TimeoutExpired) as failure:
            faults = [str(failure)]
        shutil.rmtree(self.folder)
        self.torture.check(not faults, self.name, number, words + "; ".join(faults))
