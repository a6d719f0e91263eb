#!/usr/bin/env python3
"""Each call fails in turn. For each command, the N-th call of a kind fails with EIO or ENOSPC, once or from then on. Or the call is
interrupted, or does half of its work. A limit bounds the size of files, and the disk is full at one of 15 sizes (as root).

After a failure the command must give status 1 and a message, and leave the files as they were. If it gives status 0, its result must
be the result without the fault. An interruption or a short count must not change the result.

usage: calls.py --build FOLDER [--long] [--seed N] [--case N] [ROW...]
"""
import errno
import hashlib
import os
import pathlib
import re
import resource
import shutil
import struct
import subprocess
import sys

from torture import Torture, scratch_folder

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / folder) for folder in ("outputs", "torture/sites")]
from output_commands import Command, fill_disk, make_inputs, outputs, printed  # noqa: E402
import sited  # noqa: E402

EXAMPLES = TESTS.parent / "examples"
MELT, ROD, NETWORK = EXAMPLES / "melt-4/eztrace_log.otf2", EXAMPLES / "rod-4/rod.xtf", EXAMPLES / "network-8/net_median.nc"
KINDS = re.findall(r"KIND\((\w+)\)", (TESTS / "torture/call-fault.c").read_text().split("#define ENUM")[0].split("KINDS(KIND)")[1])
ERRORS = [(str(number), extent) for number in (errno.EIO, errno.ENOSPC) for extent in ("once", "on")]
HARMLESS = [(str(errno.EINTR), "once"), ("short", "once"), ("short", "on")]
MAY_BE_SHORT = ("pread", "pwrite", "write", "copy_file_range")
DISKS, LIMITS = 15, 15
PAGE = 4096
TIMEOUT = 60
QUICK, LONG = 12, 3000
# A trace in several files, of which the last one is written.
VOLUMES = {name: name for name in ("volumes.xtf", "volumes.xtf.0001", "volumes.xtf.0002")}
OF_VOLUMES = [Command("analyze volumes in place", "analyze", "-q", "@/volumes.xtf", files=VOLUMES, in_place="volumes.xtf"),
              Command("copy volumes", "copy", "-q", "kept.xtf", "@/out")]
OTHERS = [Command("merge --runs", "merge", "-q", "--runs", "-o", "@/out.xtf", "run1.xtf", "run2.xtf"),
          Command("merge --runs --anchor", "merge", "-q", "--runs", "--anchor", "-o", "@/out.xtf", "@/run1.xtf", "@/run2.xtf",
                  files={"run1.xtf": "run1.xtf", "run2.xtf": "run2.xtf"}),
          Command("merge --anchor", "merge", "-q", "--anchor", "@/parts", files={"parts": "parts"}),
          Command("align --undo", "align", "-q", "--undo", "@/aligned.xtf", files={"aligned.xtf": "aligned.xtf"}, in_place="aligned.xtf"),
          Command("record --names", "record", "--names", "-q", "@/sited.xtf", files={"sited.xtf": "sited.xtf"}, in_place="sited.xtf"),
          Command("record --names -o", "record", "--names", "-q", "-o", "@/out.xtf", "sited.xtf")]
NETCDF = ("cluster", "export network")  # netCDF's library writes their files, and does not repeat interrupted writes
ROWS = {command.name.replace(" ", "-").replace(",", ""): command
        for command in [*outputs(str(MELT), str(NETWORK), "@@PROGRAM"), *OF_VOLUMES, *OTHERS, *(command for command in printed() if len(command.arguments) > 1)]}


class Result:
    """Result of a run: status, output and messages, and a digest of each file and of the output."""

    def __init__(self, done, files):
        self.status, self.output, self.messages = done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        self.files = {**files, "its output": hashlib.sha256(done.stdout).hexdigest()[:8]}


class Calls(Torture):
    def __init__(self, folder):
        super().__init__(__doc__.splitlines()[0], ROWS)
        self.xtf, self.states, self.module = map(self.program, ("src/cli/xtf", "tests/torture/states", "tests/torture/call-fault.so"))
        self.folder = folder
        self.inputs, self.disk, self.counts = folder / "inputs", folder / "disk", folder.parent / (folder.name + ".counts")
        for made in (self.inputs, self.disk, folder / "tmp"):
            made.mkdir(parents=True)
        make_inputs(self.xtf, self.inputs, str(MELT), str(NETWORK))
        for name, kept in (("volumes.xtf", 0), ("kept.xtf", 1)):
            self.make("tests/merge/keep-volumes", "melt.xtf", ".", name, 3, kept, "plain")
        self.make_other_inputs()

    def make(self, program, *arguments):
        subprocess.run([self.program(program), *map(str, arguments)], cwd=self.inputs, check=True, stdout=subprocess.DEVNULL)

    def make_other_inputs(self):
        """Makes the inputs of OTHERS."""
        (self.inputs / "parts").mkdir()
        self.make("tests/merge/split-trace", "melt.xtf", "parts/part", 3, 1)
        shutil.copy(ROD, self.inputs / "run1.xtf")
        self.make("tests/merge/make-run", "run1.xtf", "run2.xtf", 10**10, 10**8)
        self.make("src/cli/xtf", "align", "-q", "--always", "-o", "aligned.xtf", "melt.xtf")
        if sited.can_be_made(self):
            sited.record_sites(self, self.inputs, self.inputs / "sited.xtf")

    def prepare(self, command):
        """Puts the command's files on the empty disk."""
        fill_disk(self.disk, self.inputs, command)

    def run(self, command, fault="none 0 0 once", limit=None):
        """Runs a command with a fault. Returns what it left."""
        self.counts.write_bytes(bytes(8 * len(KINDS)))
        on_disk = lambda text: str(text).replace("@@PROGRAM", str(self.program("tests/outputs/program"))).replace("@", str(self.disk))
        environment = {**os.environ, "XTF_TMPDIR": str(self.folder / "tmp"), "LD_PRELOAD": str(self.module), "XTF_TORTURE_FAULT": fault,
                       "XTF_TORTURE_FOLDER": str(self.folder), "XTF_TORTURE_COUNTS": str(self.counts),
                       "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0",
                       **{name: on_disk(value) for name, value in command.environment.items()}}
        bound = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit is not None else None
        done = subprocess.run([self.xtf, *map(on_disk, command.arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=self.inputs, env=environment, timeout=TIMEOUT, check=False, preexec_fn=bound)
        return Result(done, self.summaries(command))

    def counted(self):
        """Returns {kind: number of calls} of the last run."""
        return dict(zip(KINDS, struct.unpack(f"<{len(KINDS)}Q", self.counts.read_bytes())))

    def summaries(self, command):
        """Returns {name: digest of the rows, or of the bytes} of the files on the disk."""
        files = [path for path in sorted(self.disk.rglob("*")) if path.is_file()]
        found = {str(path.relative_to(self.disk)): hashlib.sha256(path.read_bytes()).hexdigest()[:8] for path in files}
        traces = [path for path in files if path.read_bytes()[:4] == b"\x89XTF"]
        if traces:
            judged = subprocess.run([self.states, "judge", "read", *traces], stdout=subprocess.PIPE, text=True, check=True, timeout=TIMEOUT)
            for line in judged.stdout.splitlines():
                path, *words = line.split("\t")
                if words[0] != "!":
                    found[str(pathlib.Path(path).relative_to(self.disk))] = " ".join(words[2:])
        return found


class Row:
    """A command, what it leaves without a fault, and its possible faults."""

    def __init__(self, calls, name):
        self.calls, self.name, self.command = calls, name, ROWS[name]
        calls.prepare(self.command)
        self.before = calls.summaries(self.command)
        self.room = self.space()
        self.whole = calls.run(self.command)
        if self.whole.status != 0:
            sys.exit(f"{name}: status {self.whole.status}: {self.whole.messages}")
        self.growth = max(0, self.space() - self.room)
        self.written = [path.stat().st_size for path in calls.disk.rglob("*") if path.is_file()]
        calls.prepare(self.command)
        again = calls.run(self.command)
        self.counted = calls.counted()
        self.faults = self.list_faults(self.counted)
        # Files whose bytes differ from run to run, as they have times or random numbers.
        # The rows of traces do not.
        self.varying = {file for file in self.whole.files.keys() | again.files.keys() if self.whole.files.get(file) != again.files.get(file)}

    def space(self):
        """Returns the bytes that the disk's files and folders need on a tmpfs."""
        return sum(PAGE + (path.stat().st_size + PAGE - 1) // PAGE * PAGE for path in self.calls.disk.rglob("*"))

    def list_faults(self, counted):
        """Returns all faults: (call, number, how, extent), ("size", bytes) and ("disk", share)."""
        faults = []
        for kind, n in counted.items():
            ways = ERRORS + (HARMLESS if kind in MAY_BE_SHORT else [])
            faults += [(kind, number, how, extent) for number in range(1, n + 1) for how, extent in ways]
        if self.written:
            faults += [("size", max(self.written) * step // LIMITS) for step in range(LIMITS)]
            faults += [("disk", step / DISKS) for step in range(DISKS)] if os.geteuid() == 0 else []
        return faults

    @staticmethod
    def reason(fault):
        """Returns the message of the error with which a call fails."""
        return os.strerror(int(fault[2])) if len(fault) == 4 and fault[2].isdigit() else "no reason"

    def same(self, result):
        """Returns true if the result is as without a fault. `cat` writes only its cache, which need not exist."""
        if self.command.arguments[0] == "cat":
            return result.files["its output"] == self.whole.files["its output"]
        return {name: None if name in self.varying else text for name, text in result.files.items()} == \
            {name: None if name in self.varying else text for name, text in self.whole.files.items()}

    def judge(self, fault, result):
        """Returns what is wrong with the result of a fault, or None."""
        if result.status == 0:
            if not self.written and (self.reason(fault) in result.output or "clocks are not judged" in result.output):
                return None  # `info` prints what it cannot find out and why, pictures only what
            if fault[0] == "fsync" and not self.command.answer:
                return "status 0, but the file was not synced"
            return None if self.same(result) else f"status 0, but another result: {self.difference(self.whole.files, result.files)}"
        if fault[2:] in HARMLESS and not (fault[0] == "write" and self.command.name.startswith(NETCDF)):
            return f"status {result.status}: {result.messages}"
        if result.status != 1:
            return f"status {result.status}: {result.messages}"
        if not re.search(r"^xtf: \S", result.messages, re.M) and self.reason(fault) not in result.output:
            return f"no message: {result.messages!r}"
        left = {name: text for name, text in result.files.items() if name != "its output"}
        if left == self.before or self.command.answer:
            return None
        if self.command.in_place and left == {name: text for name, text in self.whole.files.items() if name != "its output"}:
            return None
        return f"left {self.difference(self.before, left)}; {result.messages}"

    @staticmethod
    def difference(wanted, found):
        return ", ".join(f"{name}: {wanted.get(name)} -> {found.get(name)}" for name in sorted(wanted.keys() | found.keys())
                         if wanted.get(name) != found.get(name))

    def run_on_full_disk(self, share):
        """Runs the command on a disk with room for a share of its outputs."""
        room = self.room + int(share * (self.growth or sum(self.written))) + 4 * PAGE
        try:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room},mode=700", "xtf-torture", self.calls.disk], check=True)
            self.calls.prepare(self.command)
            return self.calls.run(self.command)
        finally:
            subprocess.run(["umount", self.calls.disk], check=True)

    def run_fault(self, fault):
        if fault[0] == "disk":
            return self.run_on_full_disk(fault[1])
        self.calls.prepare(self.command)
        if fault[0] == "size":
            return self.calls.run(self.command, limit=fault[1])
        return self.calls.run(self.command, " ".join(map(str, fault)))

    def unsynced(self):
        """Returns how many files the command wrote but did not sync. The cache and recordings need no sync."""
        changed = [name for name, text in self.whole.files.items() if name != "its output" and text != self.before.get(name)]
        return 0 if self.command.answer else max(0, len(changed) - self.counted["fsync"])

    def is_extreme(self, fault):
        """Returns true if files may have no bytes, or if the fault lasts from the last call of its kind on. Libraries write then, and
        forget the error."""
        return fault == ("size", 0) or len(fault) == 4 and fault[1] == self.counted[fault[0]] and fault[2:] in ERRORS and fault[3] == "on"

    def shuffled_faults(self):
        """Returns the faults in a random order, in which the first ones have all calls, extreme ones first."""
        random, places = self.calls.random(self.name, "order"), {}
        faults = sorted(random.sample(self.faults, len(self.faults)), key=lambda fault: not self.is_extreme(fault))
        turns = [places.setdefault(fault[0], []).append(0) or len(places[fault[0]]) for fault in faults]
        return [fault for _, fault in sorted(zip(turns, faults), key=lambda pair: pair[0])]

    def run(self):
        faults = self.shuffled_faults()
        self.calls.check(not self.unsynced(), self.name, 0, f"{self.unsynced()} files are not synced")
        for number in self.calls.numbers(QUICK, LONG):
            if number < len(faults):
                self.calls.count()
                wrong = self.judge(faults[number], self.run_fault(faults[number]))
                self.calls.check(not wrong, self.name, number, f"{' '.join(map(str, faults[number]))}:", wrong)


def main():
    with scratch_folder("calls") as folder:
        calls = Calls(pathlib.Path(os.path.realpath(folder)) / "watched")
        for name in calls.rows:
            if "sited.xtf" in " ".join(ROWS[name].arguments) and not (calls.inputs / "sited.xtf").exists():
                continue
            Row(calls, name).run()
    calls.finish()


if __name__ == "__main__":
    main()
