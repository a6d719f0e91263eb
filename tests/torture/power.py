#!/usr/bin/env python3
"""Power loss. A command or a writer runs while a preloaded library logs its writes, truncations, renames and syncs. After any of these
calls the power may fail. The harness builds what the disk may hold then, and opens the traces there.

A trace must open at its last synced commit or a later one. The checker must find no problem, and the rows must be the rows of that
commit. Then a writer opens and closes the file, if it may, and must keep all rows. An ended writer must have synced its last commit.

Writers that sync only some commits may leave a newest commit without all its pages (docs/RECORD.md, "A power cut"). Then the file must
open, and the commit before the newest one must have all rows and no problem. `xtf copy --older-commit` must copy it.

usage: power.py --build FOLDER [--long] [--seed N] [--case N] [ROW...]
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from disk_states import COMMIT_STYLES, Disk, SLOTS, STYLES, read_log
from torture import Torture, scratch_folder

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / folder) for folder in ("record/collect", "torture/sites")]
import sited  # noqa: E402
MELT, ROD = TESTS.parent / "examples/melt-4/eztrace_log.otf2", TESTS.parent / "examples/rod-4/rod.xtf"
TRACES = (".xtf", ".analysis")
VOLUME = re.compile(r"\.xtf\.\d{4}$")
SUPERBLOCK = 256  # bytes
BATCH = 64
COPIES = 5
TIMEOUT = 120
SYNC_MS = 300  # of the collector's first sync; it commits every 100 ms


class Row:
    """A writer. `files` are there before: names and their sources. `run` makes the files. `resumes`: a writer may go on with them.
    `late`: it syncs only some commits."""

    def __init__(self, *command, files=None, resumes=True, late=False, run=None):
        self.command, self.files, self.resumes, self.late, self.run = command, files or {}, resumes, late, run


def run_collector(power, environment):
    """Lets a collector record a made-up process that runs for some syncs."""
    from wire import RUNNING, Traced, record  # pylint: disable=import-outside-toplevel
    from wire import OWN, define_region  # pylint: disable=import-outside-toplevel

    def calls(first):
        return b"".join(record("ENTER", first + 2 * i, OWN) + record("LEAVE", first + 2 * i + 1, OWN) for i in range(400))

    with Traced(power.xtf, power.disk, rank=0, world=1, phase=RUNNING, environment={**environment, "XTF_RECORD_FSYNC": "1", "XTF_TORTURE_SYNC_MS": str(SYNC_MS)}) as traced:
        traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + define_region(1, OWN, "work"))
        for step in range(24):
            traced.memory.append(0, calls(1000 + 1000 * step))
            traced.memory.drain()
            time.sleep(0.1)
        status, printed = traced.end()
    assert status == 0, printed


ROWS = {
    "writer": Row("states", "write", "@/t.xtf", "each", "8"),
    "writer-late": Row("states", "write", "@/t.xtf", "late", "20", late=True),
    "writer-volumes": Row("states", "write", "@/t.xtf", "each", "12", "4"),
    "writer-late-volumes": Row("states", "write", "@/t.xtf", "late", "20", "7", late=True),
    "import": Row("xtf", "import", "-q", "-o", "@/t.xtf", MELT),
    "import-force": Row("xtf", "import", "-q", "--force", "-o", "@/t.xtf", MELT, files={"t.xtf": "left.xtf"}),
    "merge": Row("xtf", "merge", "-q", "-o", "@/t.xtf", "left.xtf", "right.xtf", resumes=False),
    "merge-force": Row("xtf", "merge", "-q", "--force", "-o", "@/t.xtf", "left.xtf", "right.xtf", files={"t.xtf": "melt.xtf"}, resumes=False),
    "merge-runs": Row("xtf", "merge", "-q", "--runs", "-o", "@/t.xtf", "run1.xtf", "run2.xtf"),
    "merge-runs-anchor": Row("xtf", "merge", "-q", "--runs", "--anchor", "-o", "@/t.xtf", "@/run1.xtf", "@/run2.xtf",
                             files={"run1.xtf": "run1.xtf", "run2.xtf": "run2.xtf"}, resumes=False),
    "anchor": Row("xtf", "merge", "-q", "--anchor", "@/run.d", files={"run.d/left.xtf": "left.xtf", "run.d/right.xtf": "right.xtf"}, resumes=False),
    "analyze": Row("xtf", "analyze", "-q", "@/t.xtf", files={"t.xtf": "melt.xtf"}),
    "analyze-again": Row("xtf", "analyze", "-q", "@/t.xtf", files={"t.xtf": "aligned.xtf"}),
    "companion": Row("xtf", "analyze", "-q", "-o", "@/t.xtf.analysis", "@/t.xtf", files={"t.xtf": "melt.xtf"}, resumes=False),
    "copy": Row("xtf", "copy", "-q", "melt.xtf", "@/t.xtf"),
    "copy-volumes": Row("xtf", "copy", "-q", "volumes.xtf", "@/t.xtf"),
    "align": Row("xtf", "align", "-q", "@/t.xtf", files={"t.xtf": "melt.xtf"}),
    "align-copy": Row("xtf", "align", "-q", "--always", "-o", "@/t.xtf", "melt.xtf"),
    "align-undo": Row("xtf", "align", "-q", "--undo", "@/t.xtf", files={"t.xtf": "aligned.xtf"}),
    "names": Row("xtf", "record", "--names", "-q", "@/t.xtf", files={"t.xtf": "sited.xtf"}),
    "names-copy": Row("xtf", "record", "--names", "-q", "-o", "@/t.xtf", "sited.xtf"),
    "collector": Row(run=run_collector, late=True),
    "collector-volumes": Row(run=lambda power, environment: run_collector(power, {**environment, "XTF_RECORD_ROTATE": "1"}), late=True),
}


class Power(Torture):
    def __init__(self, folder):
        super().__init__(__doc__.splitlines()[0], ROWS)
        self.xtf, self.states = self.program("src/cli/xtf"), self.program("tests/torture/states")
        self.inputs, self.disk, self.log, self.place = (folder / name for name in ("inputs", "disk", "log", "states"))
        self.inputs.mkdir()
        self.make_inputs()

    def make_inputs(self):
        def run(program, *arguments):
            subprocess.run([program, *arguments], cwd=self.inputs, check=True, stdout=subprocess.DEVNULL, timeout=TIMEOUT)

        run(self.xtf, "import", "-q", "-o", "melt.xtf", MELT)
        run(self.program("tests/merge/split-trace"), "melt.xtf", "part", "2", "1")
        for number, name in enumerate(("left", "right")):
            (self.inputs / f"part-{number}.xtf").rename(self.inputs / f"{name}.xtf")
        run(self.program("tests/merge/keep-volumes"), "melt.xtf", ".", "volumes.xtf", "3", "0")
        shutil.copy(ROD, self.inputs / "run1.xtf")
        run(self.program("tests/merge/make-run"), "run1.xtf", "run2.xtf", str(10**10), str(10**8))
        if sited.can_be_made(self):
            sited.record_sites(self, self.inputs, self.inputs / "sited.xtf")
        shutil.copy(self.inputs / "melt.xtf", self.inputs / "aligned.xtf")
        run(self.xtf, "analyze", "-q", "aligned.xtf")
        run(self.xtf, "align", "-q", "aligned.xtf")

    def record(self, row):
        """Runs a row under the log. Returns the disk."""
        for path in (self.disk, self.place):
            shutil.rmtree(path, ignore_errors=True)
        self.disk.mkdir()
        self.log.unlink(missing_ok=True)
        for name, source in row.files.items():
            (self.disk / name).parent.mkdir(exist_ok=True)
            shutil.copy(self.inputs / source, self.disk / name)
        disk = Disk(self.disk)
        asan = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        environment = {"LD_PRELOAD": str(self.program("tests/torture/disk-log.so")), "XTF_TORTURE_FOLDER": str(self.disk),
                       "XTF_TORTURE_LOG": str(self.log), "ASAN_OPTIONS": asan}
        if row.run:
            row.run(self, environment)
        else:
            program, *arguments = (str(part).replace("@", str(self.disk)) for part in row.command)
            subprocess.run([{"xtf": self.xtf, "states": self.states}[program], *arguments], cwd=self.inputs, check=True, timeout=TIMEOUT,
                           env={**os.environ, **environment})
        disk.ops = read_log(self.log)
        return disk

    def judge(self, paths, mode="read"):
        """Returns {path: (commit, digest, the checker's problem or "") or what is wrong}."""
        found = {}
        while len(found) < len(paths):
            rest = paths[len(found):]
            done = subprocess.run([self.states, "judge", mode, *rest], stdout=subprocess.PIPE, text=True, check=False,
                                  timeout=TIMEOUT)
            for line in done.stdout.splitlines():
                path, *words = line.split("\t")
                found[path] = " ".join(words) if words[0] == "!" else (int(words[0]), words[2], words[3])
            if len(found) < len(paths):  # it crashed
                found[paths[len(found)]] = f"! status {done.returncode}"
        return found


class Writing:
    """A row's calls, and the commits of each file that they wrote."""

    def __init__(self, power, name):
        self.power, self.name, self.row = power, name, ROWS[name]
        self.disk = power.record(self.row)
        self.commits = {}  # {inode: {commit: digest}}
        self.at_sync = {}  # {(inode, number of calls): commit}, for syncs
        self.states = self.list_states()
        self.copied = 0  # damaged traces whose older commit was copied
        self.learn_commits()

    def is_trace(self, path):
        return path.endswith(TRACES)

    def learn_commits(self):
        """Opens each file as it was after each call that wrote a superblock, and at each sync."""
        ops = self.disk.ops
        traces = {inode for cut in range(len(ops) + 1) if cut in (0, len(ops)) or ops[cut - 1].kind in "nru"
                  for path, inode in self.disk.named(cut).items() if self.is_trace(path)}
        points = {(inode, 0) for inode in traces}
        for i, op in enumerate(ops):
            if op.inode in traces and op.kind == "w" and op.offset < SLOTS:
                points.add((op.inode, i + 1))
            elif op.inode in traces and op.kind == "b":
                points.add((op.inode, i))
        folder = self.power.place / "whole"
        folder.mkdir(parents=True)
        for path, inode in self.disk.names.items():
            if inode not in traces or not self.row.resumes:
                self.place_before(path, inode, folder)
        for path, inode in self.disk.named(len(ops)).items():
            if VOLUME.search(path):  # it has ended, and later volumes refer to it
                (folder / pathlib.Path(path).relative_to(self.disk.folder)).write_bytes(self.disk.image(inode, len(ops)))
        paths = {}
        for inode, cut in sorted(points, key=lambda point: point[1]):
            paths[self.place_point(inode, cut, folder)] = (inode, cut)
        for path, answer in self.power.judge(list(paths)).items():
            if not isinstance(answer, str):
                inode, cut = paths[path]
                self.commits.setdefault(inode, {}).setdefault(answer[0], answer[1])
                self.at_sync[inode, cut] = answer[0]

    def place_before(self, path, inode, folder):
        place = folder / pathlib.Path(path).relative_to(self.disk.folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(self.disk.before[inode])

    def place_point(self, inode, cut, folder):
        """Writes a file as it was after a number of calls, beside the files that it may refer to."""
        names = [path for path, named in self.disk.named(len(self.disk.ops)).items() if named == inode]
        beside = folder / pathlib.Path(names[0]).relative_to(self.disk.folder).parent if names else folder
        beside.mkdir(parents=True, exist_ok=True)
        place = beside / f"{inode}-{cut}"
        place.write_bytes(self.disk.image(inode, cut))
        return str(place)

    def fault(self, name, inode, cut, answer):
        """Returns what is wrong with the answer for a trace after a power cut, or None. A name that a trace had before always has one."""
        synced = self.at_sync.get((inode, self.disk.synced_image(inode, cut)))
        if isinstance(answer, str):
            had_one = self.disk.folder + "/" + name in self.disk.names
            return f"commit {synced} was synced: {answer}" if synced is not None or had_one or "status" in answer else None
        commit, digest, problem = answer
        damaged = re.fullmatch(r"commit (\d+) is damaged; commit \d+ was opened instead", problem)
        if problem and not (damaged and int(damaged[1]) > (synced or 0)):
            return f"commit {synced} was synced: {problem}"
        if synced is not None and commit < synced:
            return f"commit {synced} was synced, the file has {commit}"
        if self.commits[inode].get(commit) != digest:
            return f"commit {synced} was synced: the rows are not those of commit {commit}, {digest} instead of {self.commits[inode].get(commit)}; {problem}"
        return None

    def unsynced_at_end(self):
        """Yields traces whose last commit was not synced when their writer ended."""
        end = len(self.disk.ops)
        for path, inode in self.disk.named(end).items():
            last, synced = max(self.commits.get(inode, [0])), self.at_sync.get((inode, self.disk.synced_image(inode, end)))
            if self.is_trace(path) and synced != last:
                yield f"at the end: commit {last} of {pathlib.Path(path).name} was not synced (last synced: {synced})"

    def lost_names(self, cut):
        """Yields traces without a synced name. Before the end a name may wait until a commit is synced."""
        certain, pending = self.disk.pending_names(cut)
        for path, inode in self.disk.named(cut).items():
            changed = [i for i in pending if path in (self.disk.ops[i].path, self.disk.ops[i].data.decode(errors="ignore"))]
            if self.is_trace(path) and changed and certain.get(path) != inode:
                synced = self.disk.synced_image(inode, cut)
                if cut == len(self.disk.ops) or (synced > changed[-1] and (inode, synced) in self.at_sync):
                    yield f"after call {cut} of {len(self.disk.ops)}: the name {pathlib.Path(path).name} was not synced"

    def has_whole_older_commit(self, path, inode, cut):
        """Returns true if a trace opens, and the commit before the newest one is whole and the synced one or a later one. A commit that the
        collector makes while the thread of a sync starts is not kept. So this function also accepts its commit before the synced one."""
        synced = self.at_sync.get((inode, self.disk.synced_image(inode, cut)))
        if synced is None or isinstance(self.power.judge([path], "open")[path], str):
            return False
        answer = self.power.judge([path], "older")[path]
        if isinstance(answer, str) or answer[2] or answer[1] != self.commits[inode].get(answer[0]):
            return False
        if self.row.run is not None:
            synced = max((commit for commit in self.commits[inode] if commit < synced), default=synced)
        return answer[0] >= synced and self.can_be_copied(path)

    def can_be_copied(self, path):
        """Returns true if `xtf check` says how to copy the older commit, and the copy has its records. Tries a few traces of the collector, which
        hold records of the model. Without its newest superblock, a file shows the older commit."""
        if self.name != "collector" or self.copied == COPIES:
            return True
        self.copied += 1
        power, copy, alone = self.power, path + "-copy", path + "-alone"
        checked = subprocess.run([power.xtf, "check", path], stdout=subprocess.PIPE, text=True, check=False, timeout=TIMEOUT)
        done = subprocess.run([power.xtf, "copy", "-q", "--older-commit", path, copy], check=False, timeout=TIMEOUT)
        data = bytearray(pathlib.Path(path).read_bytes())
        numbers = [int.from_bytes(data[slot + 56:slot + 64], "little") for slot in (0, SLOTS // 2)]
        newest = numbers.index(max(numbers)) * SLOTS // 2
        data[newest:newest + SUPERBLOCK] = bytes(SUPERBLOCK)
        pathlib.Path(alone).write_bytes(data)
        shown = [subprocess.run([power.xtf, "cat", file, "records"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, timeout=TIMEOUT)
                 for file in (copy, alone)]
        return checked.returncode == 1 and f"`xtf copy --older-commit {path} COPY`" in checked.stdout and done.returncode == 0 and \
            shown[0].returncode == shown[1].returncode == 0 and shown[0].stdout == shown[1].stdout

    def list_states(self):
        """Returns the states to try first: (number of calls before the power cut, style; None: a random one)."""
        cuts = range(1, len(self.disk.ops) + 1)
        commits = [cut for cut in cuts if self.disk.ops[cut - 1].kind == "w" and self.disk.ops[cut - 1].offset < SLOTS]
        return [(cut, style) for cut in commits for style in COMMIT_STYLES] + [(cut, None) for cut in cuts if cut not in commits]

    def run(self):
        unsynced = list(self.unsynced_at_end())
        self.power.check(not unsynced, self.name, 0, *unsynced)
        numbers = list(self.power.numbers(100, 4000))
        for cut in range(1, len(self.disk.ops) + 1):
            self.power.count()
            lost = list(self.lost_names(cut))
            if not self.power.check(not lost, self.name, 0, *lost):
                break
        for at in range(0, len(numbers), BATCH):
            self.run_batch(numbers[at:at + BATCH])

    def run_batch(self, numbers):
        states = self.power.place / "cut"
        wanted = {}
        for number in numbers:
            random = self.power.random(self.name, number)
            cut, style = self.states[number] if number < len(self.states) else (random.randint(1, len(self.disk.ops)), None)
            style = style or random.choice(STYLES)
            for path, inode in self.disk.write_state(cut, style, random, states / str(number)).items():
                if self.is_trace(path):
                    wanted[path] = (number, inode, cut, style)
            self.power.count()
        changed = {op.inode for op in self.disk.ops}
        paths = [path for path, (_, inode, _, _) in wanted.items() if inode in changed]
        for path, answer in self.power.judge(paths, "resume" if self.row.resumes else "read").items():
            number, inode, cut, style = wanted[path]
            name = str(pathlib.Path(path).relative_to(states / str(number)))
            fault = self.fault(name, inode, cut, answer)
            if fault and self.row.late and self.has_whole_older_commit(path, inode, cut):
                continue
            self.power.check(not fault, self.name, number, f"call {cut} of {len(self.disk.ops)}, {style}, {name}:", fault)
        shutil.rmtree(states, ignore_errors=True)


def main():
    with scratch_folder("power") as folder:
        power = Power(pathlib.Path(os.path.realpath(folder)))
        for name in power.rows:
            if name.startswith("names") and not (power.inputs / "sited.xtf").exists():
                continue
            Writing(power, name).run()
    power.finish()


if __name__ == "__main__":
    main()
