#!/usr/bin/env python3
"""Kills each command that writes files by SIGKILL, at random instants and at random calls, and runs it again.

After the kill each file is the old one, the new one or absent, as one commit, and `check` finds no problem in it. The second run
must succeed, with the result of a run that nothing disturbs, and no other file may remain.

usage: crash.py --build FOLDER [--long] [--seed N] [--case N] [ROW...]
"""
import dataclasses
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("roundtrip", "record/collect", "torture/sites")]
from processes import Processes, become_subreaper, kill_children  # noqa: E402  pylint: disable=wrong-import-position
from torture import Torture, scratch_folder  # noqa: E402  pylint: disable=wrong-import-position
from xtfrun import Failure, Xtf  # noqa: E402  pylint: disable=wrong-import-position
import crash_collector  # noqa: E402  pylint: disable=wrong-import-position
import crash_record  # noqa: E402  pylint: disable=wrong-import-position
import sited  # noqa: E402  pylint: disable=wrong-import-position

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
ARCHIVE, NETWORK = EXAMPLES / "melt-4" / "eztrace_log.otf2", EXAMPLES / "network-8" / "net_median.nc"
QUICK, LONG = 6, 200  # kills of each row
BEGINNING = 0.02  # seconds


@dataclasses.dataclass
class Writer:
    """A command that writes files.

    `inputs` are the files in its folder at the start, and the names of their sources. `supervised`: the command writes in a child.
    `temporary`: beginnings of names that a killed run may leave until the next run. `once`: a second run fails, with nothing to do."""
    arguments: tuple
    inputs: dict = dataclasses.field(default_factory=dict)
    supervised: bool = False
    temporary: tuple = ()
    once: bool = False


MELT, OTHER, WRONG_CLOCKS = ({name: name} for name in ("melt.xtf", "other.xtf", "clocks.xtf"))
PARTS = {"parts": "parts"}
OLD = {"out.xtf": "other.xtf"}
RUNS = {name: name for name in ("run1.xtf", "run2.xtf")}
VOLUMES = {name: name for name in ("volumes.xtf", "volumes.xtf.0001", "volumes.xtf.0002")}
VOLUME = re.compile(r"\.xtf\.\d{4}$")

# A row for each writer. Commands overwrite their outputs, because a killed run may have finished its output.
WRITERS = {
    "import": Writer(("import", "-qf", "-o", "out.xtf", ARCHIVE), supervised=True),
    "import-again": Writer(("import", "-qf", "-o", "out.xtf", ARCHIVE), OLD, supervised=True),
    "import-network": Writer(("import", "-qf", "-o", "out.xtf", NETWORK), OLD, supervised=True),
    "merge": Writer(("merge", "-qf", "-o", "out.xtf", "parts"), PARTS),
    "merge-again": Writer(("merge", "-qf", "-o", "out.xtf", "parts"), PARTS | OLD),
    "merge-runs": Writer(("merge", "-qf", "--runs", "-o", "out.xtf", *RUNS), RUNS | OLD),
    "merge-runs-anchor": Writer(("merge", "-qf", "--runs", "--anchor", "-o", "out.xtf", *RUNS), RUNS | OLD),
    "anchor": Writer(("merge", "-q", "--anchor", "parts"), PARTS),
    "anchor-again": Writer(("merge", "-q", "--anchor", "anchored"), {"anchored": "anchored"}),
    "analyze": Writer(("analyze", "-q", "melt.xtf"), MELT),
    "analyze-again": Writer(("analyze", "-q", "melt.xtf"), {"melt.xtf": "analysed.xtf"}),
    "analyze-volumes": Writer(("analyze", "-q", "volumes.xtf"), VOLUMES),
    "companion": Writer(("analyze", "-q", "-o", "melt.xtf.analysis", "melt.xtf"), MELT),
    "companion-again": Writer(("analyze", "-qf", "-o", "melt.xtf.analysis", "melt.xtf"), MELT | {"melt.xtf.analysis": "other.xtf"}),
    "analyze-archive": Writer(("analyze", "-qf", "-o", "out.xtf", ARCHIVE), temporary=("cache/",), supervised=True),
    "align": Writer(("align", "-q", "clocks.xtf"), WRONG_CLOCKS),
    "align-again": Writer(("align", "-q", "--always", "clocks.xtf"), {"clocks.xtf": "aligned.xtf"}),
    "align-undo": Writer(("align", "-q", "--undo", "clocks.xtf"), {"clocks.xtf": "aligned.xtf"}, once=True),
    "align-copy": Writer(("align", "-qf", "-o", "out.xtf", "clocks.xtf"), WRONG_CLOCKS | OLD),
    "cluster": Writer(("cluster", "-qf", "-o", "out.nc", NETWORK)),
    "cluster-two": Writer(("cluster", "-qf", "--two-files", "-o", "out.nc", NETWORK)),
    "copy": Writer(("copy", "-qf", "melt.xtf", "out.xtf"), MELT),
    "copy-again": Writer(("copy", "-qf", "melt.xtf", "out.xtf"), MELT | OLD),
    "copy-volumes": Writer(("copy", "-qf", "volumes.xtf", "out.xtf"), VOLUMES | OLD),
    **{name: Writer(("record", "--names", "-q", *options, "sited.xtf"), {"sited.xtf": "sited.xtf"} | files)
       for name, options, files in (("names", (), {}), ("names-copy", ("-f", "-o", "out.xtf"), OLD))},
    "cache": Writer(("cat", ARCHIVE, "count"), temporary=("cache/",), supervised=True),
    "cache-clear": Writer(("cache", "--clear"), {"cache": "cache"}, temporary=("cache/",)),
    "export-otf2": Writer(("export", "otf2", "-qf", "-o", "out", "melt.xtf"), MELT, supervised=True),
    "export-otf2-again": Writer(("export", "otf2", "-qf", "-o", "out", "melt.xtf"), MELT | {"out": "exported"}, supervised=True),
    "export-cube": Writer(("export", "cube", "-qf", "-o", "out.cubex", "analysed.xtf"), {"analysed.xtf": "analysed.xtf"}, supervised=True),
}


class Crash:
    """The inputs of all rows, and a cache of the contents of files."""

    def __init__(self, torture, folder):
        self.torture, self.folder, self.inputs = torture, folder, folder / "inputs"
        self.program = torture.program("src/cli/xtf")
        self.dump, self.fail_writes = torture.program("tests/reader/dump-trace"), torture.build / "tests/outputs/fail-writes"
        self.xtf = Xtf(str(self.program))
        self.known = {}  # hash of a file's bytes: its contents
        self.runs = 0
        self.make_inputs()

    def make_inputs(self):
        self.inputs.mkdir()
        for name in "parts", "cache":
            (self.inputs / name).mkdir()
        (self.inputs / "cache").chmod(0o700)
        melt, clocks, other = (self.inputs / name for name in ("melt.xtf", "clocks.xtf", "other.xtf"))
        self.xtf.expect("import", "-q", "-o", melt, ARCHIVE)
        self.make("tests/analysis/make-clocks", clocks, self.folder / "truth", "--offsets", 30000000, "--drift", 50000)
        self.make("tests/reader/dump-trace", "write", other, "compact", 1, 4096, 3, 500)
        self.make("tests/merge/split-trace", melt, self.inputs / "parts" / "part", 3, 1)
        self.make("tests/merge/keep-volumes", melt, self.inputs, "volumes.xtf", 3, 0)
        shutil.copy(EXAMPLES / "rod-4" / "rod.xtf", self.inputs / "run1.xtf")
        self.make("tests/merge/make-run", self.inputs / "run1.xtf", self.inputs / "run2.xtf", 10**10, 10**8)
        if sited.can_be_made(self.torture):
            sited.record_sites(self.torture, self.inputs, self.inputs / "sited.xtf")
        shutil.copytree(self.inputs / "parts", self.inputs / "anchored")
        self.xtf.expect("merge", "-q", "--anchor", self.inputs / "anchored")
        for name, source, command in ("analysed.xtf", melt, "analyze"), ("aligned.xtf", clocks, "align"):
            shutil.copy(source, self.inputs / name)
            self.xtf.expect(command, "-q", self.inputs / name)
        self.xtf.expect("export", "otf2", "-q", "-o", self.inputs / "exported", clocks)
        subprocess.run([self.program, "cat", ARCHIVE, "count"], env=self.environment(self.inputs), stdout=subprocess.DEVNULL, check=True)

    def make(self, program, *arguments):
        subprocess.run([self.torture.program(program), *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    def environment(self, folder):
        return os.environ | {"XTF_CACHE_DIR": str(folder / "cache"), "TMPDIR": str(self.folder / "tmp")}

    # ---- The contents of files.

    def rows(self, path):
        """Returns a hash of all rows of a trace. Checks the trace, too."""
        checked = self.xtf.run("check", "-q", path)
        if checked.status != 0:
            return f"damaged: {checked.output.decode()[-500:]}{checked.errors.decode()[-500:]}"
        done = subprocess.run([self.dump, "rows", path], capture_output=True, check=False)
        return hashlib.sha256(done.stdout).hexdigest() if done.returncode == 0 else f"not readable: {done.stderr.decode()}"

    def contents_of_file(self, path):
        """Returns a hash of a file's bytes, or of the rows of a trace. A trace in volumes is its first file."""
        if VOLUME.search(path.name):
            return "a volume"
        volumes = sorted(other for other in path.parent.glob(f"{path.name}.*") if VOLUME.search(other.name))
        key = hashlib.sha256(b"".join(file.read_bytes() for file in (path, *volumes))).hexdigest()
        if path.suffix not in (".xtf", ".analysis"):
            return key
        if key not in self.known:
            self.known[key] = self.rows(path)
        return self.known[key]

    def contents_of_archive(self, archive):
        """Returns a hash of the records of an exported archive and of the names of its files."""
        names = sorted(str(path.relative_to(archive.parent)) for path in archive.parent.rglob("*"))
        trace = self.folder / "imported.xtf"
        done = self.xtf.run("import", "-qf", "-o", trace, archive)
        if done.status != 0:
            return f"not readable: {done.errors.decode()}"
        return hashlib.sha256("\n".join(names).encode() + self.xtf.expect("cat", trace, "records")).hexdigest()

    def state(self, folder):
        """Returns {name: contents} of all files in a folder. An exported archive counts as one file."""
        found = {}
        for path in sorted(folder.iterdir()):
            if path.is_dir() and (path / "traces.otf2").exists():
                found[path.name] = self.contents_of_archive(path / "traces.otf2")
            elif path.is_dir():
                found |= {f"{path.name}/{name}": contents for name, contents in self.state(path).items()} or {path.name: "an empty folder"}
            else:
                found[path.name] = self.contents_of_file(path)
        return found

    # ---- Runs.

    def prepare(self, writer):
        """Returns a new folder with the inputs of a row."""
        folder = self.folder / f"run-{self.runs}"
        self.runs += 1
        folder.mkdir()
        for temporary in folder / "cache", self.folder / "tmp":
            if not temporary.exists():
                temporary.mkdir(mode=0o700)
        for name, source in writer.inputs.items():
            path = self.inputs / source
            (shutil.copytree if path.is_dir() else shutil.copy)(path, folder / name, **({"dirs_exist_ok": True} if path.is_dir() else {}))
        return folder

    def start(self, writer, folder, number=None, victim="group"):
        """Starts the command of a row, under a supervisor that kills it at a call if `number` is given."""
        command = [self.program, *map(str, writer.arguments)]
        if number is not None:
            command = [self.fail_writes, folder, str(number), "kill", victim, self.folder / "count", *command]
        with open(self.folder / "errors", "wb") as errors:
            return Processes(command, folder, self.environment(folder), errors)

    def errors(self):
        return (self.folder / "errors").read_text(errors="replace")[-1000:]

    def run_whole(self, writer, folder):
        """Runs a command to its end. Returns the state of the folder."""
        status = self.start(writer, folder).wait()
        if status != 0:
            raise Failure(f"status {status}: {self.errors()}")
        return self.state(folder)

    def count_calls(self, writer):
        """Returns the number of calls at which a run may be killed. Returns 0 if this kernel or container supports no supervisor."""
        if not self.fail_writes.exists():
            return 0
        folder = self.prepare(writer)
        status = self.start(writer, folder, 0).wait()
        shutil.rmtree(folder)
        return int((self.folder / "count").read_text().split()[0]) if status == 0 else 0


class Row:
    """The kills of one writer."""

    def __init__(self, crash, name):
        self.crash, self.name, self.writer = crash, name, WRITERS[name]
        folder = crash.prepare(self.writer)
        self.old = crash.state(folder)
        began = time.monotonic()
        self.new = crash.run_whole(self.writer, folder)
        self.duration = time.monotonic() - began
        self.twice = self.new if self.writer.once else crash.run_whole(self.writer, folder)
        shutil.rmtree(folder)
        self.calls = crash.count_calls(self.writer)
        for state in self.old, self.new, self.twice:
            bad = [f"{name}: {contents}" for name, contents in state.items() if contents.startswith(("damaged", "not readable"))]
            if bad:
                raise Failure(f"{name}: without a kill: {bad}")

    def kill(self, folder, number):
        """Runs the command and kills it. Returns the status, and the words for the instant."""
        draw = self.crash.torture.random(self.name, number)
        victim = draw.choice(("group", "parent", "caller")) if self.writer.supervised else "group"
        if self.calls and number % 2:
            # Outputs get their names in the last calls.
            least = max(1, self.calls - 4) if number % 4 == 1 else 1
            at = self.calls if number == 1 else draw.randrange(least, self.calls + 1)
            return self.crash.start(self.writer, folder, at, victim).wait(), f"{victim} killed at call {at} of {self.calls}"
        instant = draw.uniform(0, BEGINNING) if number % 4 else draw.uniform(0, 1.3 * self.duration)
        processes = self.crash.start(self.writer, folder)
        time.sleep(instant)
        processes.kill(victim)
        return processes.wait(), f"{victim} killed after {instant * 1000:.1f} ms"

    def faults_after_kill(self, status, state):
        """Yields what is wrong with the folder after the kill."""
        wrong = [f"{name}: {contents or 'gone'}" for name in {*self.old, *state}
                 if not name.startswith(self.writer.temporary or "\0")
                 and (contents := state.get(name)) not in (self.old.get(name), self.new.get(name)) and name in {*self.old, *self.new}]
        if wrong:
            yield f"files are neither old nor new: {wrong}"
        if status == 0 and state != self.new:
            yield f"status 0, but {self.differences(state, self.new)}"
        if status not in (0, 1, -signal.SIGKILL, 128 + signal.SIGKILL):
            yield f"status {status}"
        if status == 1 and not self.crash.errors():
            yield "status 1 without a message"

    @staticmethod
    def differences(state, wanted):
        return [f"{name}: {state.get(name, 'missing')}, expected {wanted.get(name, 'nothing')}" for name in sorted({*state, *wanted})
                if state.get(name) != wanted.get(name)]

    def run_case(self, number):
        folder = self.crash.prepare(self.writer)
        words = ""
        try:
            status, words = self.kill(folder, number)
            state = self.crash.state(folder)
            faults = list(self.faults_after_kill(status, state))
            again = state if self.writer.once and state == self.new else self.crash.run_whole(self.writer, folder)
            wanted = self.twice if state == self.new else self.new
            if again != wanted:
                faults.append(f"after the second run: {self.differences(again, wanted)}; after the kill: {sorted(state)}")
            if os.listdir(self.crash.folder / "tmp"):
                faults.append(f"left in TMPDIR: {os.listdir(self.crash.folder / 'tmp')}")
        except (Failure, OSError) as failure:
            faults = [f"the second run fails: {failure}"] if words else [str(failure)]
        shutil.rmtree(folder)
        self.crash.torture.check(not faults, self.name, number, words + ":", "; ".join(faults))


def run_rows(torture, others, folder):
    crash = Crash(torture, folder)
    for name in torture.rows:
        if name.startswith("names") and not sited.can_be_made(torture):
            continue
        row = Row(crash, name) if name in WRITERS else others[name].Row(torture, crash.xtf, folder, name)
        for number in torture.numbers(QUICK, LONG):
            torture.count()
            row.run_case(number)


def main():
    others = {name: module for module in (crash_collector, crash_record) for name in module.ROWS}
    torture = Torture(__doc__.splitlines()[0], [*WRITERS, *others])
    become_subreaper()
    with scratch_folder("crash") as scratch:
        try:
            run_rows(torture, others, pathlib.Path(os.path.realpath(scratch)))
        except BaseException:
            kill_children()
            raise
    torture.finish()


if __name__ == "__main__":
    main()
