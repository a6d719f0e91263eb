"""Kills `xtf record`, its program, or both, at random instants, and records the program again.

The program counts the regions that it leaves (tests/record/core/die.c), so the harness knows how many the trace must have. Only a
killed `xtf record` may leave a folder of parts, which `xtf merge` then makes a trace of (docs/RECORD.md).
"""
import collections
import os
import shutil
import signal
import time

from processes import TIMEOUT, Processes, children_of
from xtfrun import Failure

ROWS = ("record",)
BEGINNING, LATEST = 0.02, 0.3  # seconds
N = 200  # rounds of the program that nothing kills; a round has three regions


class Row:
    """The kills of recorded programs. `xtf` runs the command, `folder` is the place of temporary files."""

    def __init__(self, torture, xtf, folder, name):
        self.torture, self.xtf, self.name, self.folder = torture, xtf, name, folder / "record"
        self.program, self.die = torture.program("src/cli/xtf"), str(torture.program("tests/record/core/die"))
        self.parts, self.trace, self.counts = (self.folder / path for path in ("parts", "run.xtf", "counts"))

    def start(self, n, way):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI", "XTF_", "LD_PRELOAD"))}
        command = [self.program, "record", "-qf", "--brake=0", "-o", self.trace, self.die, self.counts, str(n), way]
        with open(self.folder / "errors", "wb") as errors:
            return Processes(command, self.folder, environment | {"XTF_TMPDIR": str(self.parts)}, errors)

    def find_program(self, processes):
        """Returns the one of these processes that runs the program. Returns None if there is none."""
        for process in processes:
            try:
                if os.readlink(f"/proc/{process}/exe") == os.path.realpath(self.die):
                    return process
            except OSError:
                pass
        return None

    def kill(self, number):
        """Runs the program and kills. Returns the status, who was killed, and the words for the instant."""
        draw = self.torture.random(self.name, number)
        victim = draw.choice(("record", "program", "group"))
        instant = draw.uniform(0, BEGINNING) if number % 2 else draw.uniform(0, LATEST)
        processes = self.start(0, "never")
        time.sleep(instant)
        program = self.find_program(children_of(processes.parent.pid))
        if victim == "program" and not program:
            victim = "group"
        if victim == "program":
            os.kill(program, signal.SIGKILL)
        else:
            processes.kill("parent" if victim == "record" else "group")
        processes.wait_for_parent()
        end = time.monotonic() + TIMEOUT
        while (orphans := processes.orphans()) and time.monotonic() < end:
            if left := self.find_program(orphans):  # it outlives `xtf record`
                os.kill(left, signal.SIGKILL)
            for orphan in orphans:
                os.waitpid(orphan, os.WNOHANG)
            time.sleep(0.001)
        return processes.wait(), victim, f"{victim} killed after {instant * 1000:.1f} ms: "

    def counted(self):
        """Returns the number of regions that the program left."""
        return int.from_bytes(self.counts.read_bytes()[:8], "little") if self.counts.exists() else 0

    def faults_of_trace(self, trace, done):
        """Yields what is wrong with a trace of a program that left `done` regions."""
        checked = self.xtf.run("check", "-q", trace)
        if checked.status != 0:
            yield f"check: {checked.output.decode()[-500:]}"
        kinds = collections.Counter(line.split()[4] for line in self.xtf.expect("cat", trace, "records").decode().splitlines())
        # The region that ended at that very instant may not have been counted.
        if kinds["LEAVE"] - done not in (0, 1) or not 0 <= kinds["ENTER"] - kinds["LEAVE"] <= 3:
            yield f"the program left {done} regions, but the trace has {dict(kinds)}"

    def faults_after_kill(self, status, victim):
        """Yields what is wrong after the kill. Merges the parts if `xtf record` was killed."""
        folders, done = list(self.parts.iterdir()), self.counted()
        if victim == "program":
            if status not in (1, 128 + signal.SIGKILL):
                yield f"status {status}"
            if folders and self.trace.exists():
                yield f"left behind: {[str(path) for path in self.parts.rglob('*')]}"
        elif self.trace.exists():
            yield "a trace, though `xtf record` was killed"
        elif folders and list(folders[0].glob("*.xtf")):
            self.xtf.expect("merge", "-qf", "-o", self.trace, folders[0])
        if self.trace.exists():
            yield from self.faults_of_trace(self.trace, done)
        elif done > 0:
            yield f"there is no trace, though the program left {done} regions: {sorted(map(str, self.parts.rglob('*')))}"
        unexpected = {path.name for path in self.folder.iterdir()} - {"parts", "run.xtf", "counts", "errors"}
        if unexpected:
            yield f"left behind: {sorted(unexpected)}"

    def faults_of_next(self):
        """Yields what is wrong when the program is recorded again. Its record may leave nothing."""
        before = sorted(self.parts.iterdir())
        self.counts.unlink(missing_ok=True)
        if (status := self.start(N, "return").wait()) != 0:
            raise Failure(f"the second run has status {status}: {(self.folder / 'errors').read_text()}")
        yield from self.faults_of_trace(self.trace, 3 * N)
        if sorted(self.parts.iterdir()) != before:
            yield f"the second run leaves {sorted(self.parts.iterdir())}"

    def run_case(self, number):
        self.parts.mkdir(parents=True, mode=0o700)
        words = ""
        try:
            status, victim, words = self.kill(number)
            faults = [*self.faults_after_kill(status, victim), *self.faults_of_next()]
        except (Failure, OSError) as failure:
            faults = [str(failure)]
        shutil.rmtree(self.folder)
        self.torture.check(not faults, self.name, number, words + "; ".join(faults))
