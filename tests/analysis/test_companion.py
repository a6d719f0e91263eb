#!/usr/bin/env python3
"""An analysis in a file of its own, `xtf analyze -o`: a trace with it is as an analysed one; it is not used if it is of another file or commit; damage; copies; merged files;
a folder and a file that may not be written, and a full disk.

usage: test_companion.py XTF CHECKER SPLIT_TRACE ARCHIVE...
"""

import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "roundtrip"))
# pylint: disable=wrong-import-position
from xtfrun import Failure, Xtf, rounds, run_test, without_name

XTF, CHECKER, SPLIT, *ARCHIVES = sys.argv[1:]
COMMAND = Xtf(XTF)
AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
# Folders whose files are compared; those of an analysis are listed nowhere, as windows are.
ANALYSIS = ["waits", "delays", "critical", "waits/late_sender", "proc/1/waits", "proc/0-2/waits", "time/20%-60%/waits", "time/20%-60%/delays",
            "time/20%-60%/critical", "proc/1/time/10%-90%/waits", "proc/1/time/10%-90%/critical"]
REMARK = "an analysis beside the trace is not used"


def ask(*arguments):
    """As subprocess.run() has it, without a process that is started for it."""
    done = COMMAND.run(*arguments)
    return subprocess.CompletedProcess(done.command, done.status, done.output, done.errors)


def run(*arguments, status=0, before=(), **how):
    done = (subprocess.run([*before, XTF, *map(str, arguments)], capture_output=True, check=False, **how) if before or how
            else ask(*arguments))
    if done.returncode != status:
        raise Failure(f"xtf {' '.join(map(str, arguments))}: status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr.decode()}")
    return done


def say(condition, *what):
    if not condition:
        raise Failure(" ".join(map(str, what)))


def files_of(trace, folders):
    """The files in directories, and the directories in them."""
    files, below = [], []
    for block in run("ls", "-l", trace, *["/" + folder for folder in folders[:1] + folders]).stdout.decode().split("\n\n")[1:]:
        folder, *lines = block.splitlines()
        for line in lines:
            kind, _, name = line.split(None, 2)
            (files if kind == "-" else below if kind == "d" else []).append(f"{folder[:-1]}/{name}".replace("//", "/"))
    return files, below


def all_files(trace):
    top, folders = files_of(trace, ["/"])
    more, folders = files_of(trace, [folder.lstrip("/") for folder in folders])
    below, _ = files_of(trace, [folder.lstrip("/") for folder in folders])
    return top + more + below + files_of(trace, ANALYSIS)[0] + files_of(trace, ["time/20%-60%", "proc/1/time/10%-30%"])[0]


def printed(trace, *paths):
    return without_name(run("cat", trace, *paths).stdout, trace)


def compare(one, other, paths):
    a, b = (printed(trace, *paths) for trace in (one, other))
    if a != b:
        for path in paths:
            say(printed(one, path) == printed(other, path), one, other, path, "differ")
        raise Failure(f"{one} and {other} differ")


def export(trace, folder):
    """What is exported, but the anchor, which has a random id."""
    folder.mkdir()
    run("export", "otf2", "-o", folder / "otf2", trace)
    run("export", "cube", "-o", folder / "cube", trace)
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".otf2"}


def sound(trace):
    say(b" 0 problems" in run("check", trace).stdout, trace, "is not sound")
    done = subprocess.run([sys.executable, CHECKER, trace], capture_output=True, text=True, check=False)
    say(done.returncode == 0, trace, done.stdout, done.stderr)


class Pair:
    """A trace with a companion, and one that was analysed in place."""

    def __init__(self, folder, archive, align):
        self.plain, self.inside, self.trace = (folder / name for name in ("plain.xtf", "inside.xtf", "trace.xtf"))
        self.companion, self.archive = folder / "trace.xtf.analysis", pathlib.Path(archive)
        run("import", "-q", "-o", self.plain, archive)
        if align:
            run("align", "-q", self.plain)
            say(b"clock maps" in run("info", self.plain).stdout, "no clock was aligned")
        shutil.copy(self.plain, self.inside)
        shutil.copy(self.plain, self.trace)
        self.report = run("analyze", self.inside).stdout
        say(self.report == run("analyze", "-o", self.companion, self.trace).stdout, "two reports")

    def is_plain(self, *arguments):
        """The trace is shown without its companion, with a remark."""
        done = run("cat", self.trace, *arguments)
        say(REMARK in done.stderr.decode(), "no remark", done.stderr)
        say(done.stdout == run("cat", self.plain, *arguments).stdout, "it is another trace")


# FORMAT R59
def check_equal(pair, folder):
    """All of the tree, and exports."""
    say(pair.trace.read_bytes() == pair.plain.read_bytes(), "the trace was written")
    say(pair.companion.stat().st_size < pair.inside.stat().st_size, "the companion is as large as the whole")
    paths = all_files(pair.inside)
    say(len(paths) > 100 and any("/waits/matrix" in path for path in paths), "too few files", len(paths))
    compare(pair.inside, pair.trace, paths)
    say(export(pair.trace, folder / "a") == export(pair.inside, folder / "b"), "exports differ")
    for trace in (pair.trace, pair.companion):
        sound(trace)
    info = run("info", pair.trace).stdout.decode()
    say(str(pair.companion) in info and "xtf analyze" in info, info)
    say(b".analysis.analysis" not in run("info", pair.companion).stdout, "info names a file that is not there")
    copy = folder / "copy.xtf"
    say("with its analysis" in run("copy", pair.trace, copy).stdout.decode(), "copy does not say what it does with the analysis")
    compare(pair.inside, copy, paths)
    say("analysis" not in run("copy", "--force", pair.plain, copy).stdout.decode(), "copy speaks of an analysis that is not there")
    copy.unlink()
    return len(paths)


def check_again(pair):
    """An analysis replaces one; nothing else is replaced without --force."""
    before = run("cat", pair.trace, "waits/records").stdout
    run("analyze", "-q", "-o", pair.companion, pair.trace)
    say(before == run("cat", pair.trace, "waits/records").stdout, "the second analysis is another one")
    for other in (pair.plain, pair.trace):
        said = run("analyze", "-q", "-o", other, pair.trace, status=1).stderr.decode()
        say("--force" in said, said)
    say(pair.trace.read_bytes() == pair.plain.read_bytes(), "the trace was replaced")


# FORMAT R60
def check_elsewhere(pair, folder):
    """In another folder it is found by those who name it; in its own, under the name of the trace."""
    place = folder / "elsewhere"
    place.mkdir()
    pair.companion.unlink()
    run("analyze", "-q", "-o", place, pair.trace)
    other = place / pair.companion.name
    say(b"none" in run("info", pair.trace).stdout, "it was found elsewhere")
    if mounts():
        point = folder / "mnt"
        point.mkdir()
        run("mount", "-q", "-o", f"analysis={other}", pair.trace, point)
        shown = (point / "waits" / "records").read_bytes()
        run("unmount", point)
        say(shown == run("cat", pair.inside, "waits/records").stdout, "mounted, it shows other waits")
        for wrong in (pair.plain, folder / "none", CHECKER):
            said = run("mount", "-q", "-o", f"analysis={wrong}", pair.trace, point, status=1).stderr.decode()
            say(str(wrong) in said, said)
        for trace in (pair.archive, pair.archive.parent):
            said = run("mount", "-q", "-o", f"analysis={other},cachedir={folder}", trace, point, status=1).stderr.decode()
            say(str(other) in said and "analysis of" in said, said)
    renamed = place / "renamed.xtf"
    shutil.copy(pair.trace, renamed)
    other.rename(place / "renamed.xtf.analysis")
    compare(pair.inside, renamed, ["/waits/records", "/records"])
    run("analyze", "-q", "-o", pair.companion, pair.trace)
    if mounts():
        run("mount", "-q", pair.trace, point)
        shown = (point / "proc" / "1" / "waits" / "records").read_bytes()
        run("unmount", point)
        say(shown == run("cat", pair.inside, "proc/1/waits/records").stdout, "mounted, it shows other waits")


def check_mount_analyze(pair, folder):
    """`mount --analyze` leaves a trace alone that has the analysis which is named, or one beside it; it puts that of a merged file where
    `analyze` does; and says of parts what `analyze` says."""
    point, elsewhere, merged, parts = folder / "mnt", folder / "named.analysis", folder / "merged.xtf", folder / "some"
    beside = pathlib.Path(f"{merged}.analysis")
    run("merge", "-q", "-o", merged, pair.plain)
    run("analyze", "-q", merged)
    say(beside.exists(), "the analysis of a file that was merged of one part is not beside it")
    beside.unlink()
    if not mounts():
        merged.unlink()
        return
    before, waits = pair.trace.read_bytes(), run("cat", pair.inside, "waits/records").stdout

    def shown(*arguments):
        run("mount", "-q", "--analyze", *arguments, point)
        found = (point / "waits" / "records").read_bytes()
        run("unmount", point)
        return found

    say(shown(pair.trace) == waits, "mounted with what lies beside it, it shows other waits")
    pair.companion.rename(elsewhere)
    say(shown("-o", f"analysis={elsewhere}", pair.trace) == waits, "mounted with the one that is named, it shows other waits")
    say(pair.trace.read_bytes() == before, "what has an analysis was analysed again")
    elsewhere.rename(pair.companion)
    for _ in range(2):
        say(shown(merged) == waits, "merged, it shows other waits")
    say(beside.exists(), "the analysis of a merged file is not beside it")
    parts.mkdir()
    shutil.copy(pair.plain, parts)
    said = run("mount", "-q", "--analyze", parts, point, status=1).stderr.decode()
    say("is in several files" in said and "xtf merge" in said, said)
    for path in (merged, beside):
        path.unlink()
    shutil.rmtree(parts)


def mounts():
    return os.path.exists("/dev/fuse") and shutil.which("fusermount3")


# FORMAT R59
def check_misfits(pair, folder):
    """A companion of another file, or of an earlier commit."""
    kept = pair.companion.read_bytes()
    other = folder / "other.xtf"
    run("copy", "-q", pair.plain, other)
    run("analyze", "-q", "-o", pair.companion, "-f", other)
    pair.is_plain("/info", "/records", "/proc/0/profile")
    say("another file" in run("info", pair.trace).stdout.decode(), "info does not say why")
    say("another file" in run("check", pair.trace).stderr.decode() and not run("check", "-q", pair.trace).stderr, "check does not say why")
    said = run("analyze", "-q", "-o", pair.companion, pair.trace, status=1).stderr.decode()
    say("--force" in said, "the analysis of another trace was replaced", said)
    other.unlink()
    pair.companion.write_bytes(kept)
    run("analyze", "-q", pair.trace)  # in place
    done = run("cat", pair.trace, "waits/records")
    say(REMARK in done.stderr.decode() and done.stdout == run("cat", pair.inside, "waits/records").stdout, "the trace's own is not shown")
    for asked in (run("info", pair.trace).stdout, run("check", pair.trace).stderr, run("info", pair.companion, status=1).stderr):
        say(b"appended to" in asked, "it is not said why", asked)
    run("analyze", "-q", "-o", pair.companion, pair.trace)  # the one of an earlier commit is replaced
    say(str(pair.companion) in run("info", pair.trace).stdout.decode(), "it is as stale as before")
    pair.companion.write_bytes(kept)
    shutil.copy(pair.plain, pair.trace)
    run("cat", pair.trace, "waits/records")


def check_damage(pair, seed):
    """Cut short, or with a byte changed: as without it and with a remark, an error, or right."""
    kept, pick = pair.companion.read_bytes(), random.Random(seed)
    paths = ["/waits/records", "/delays/profile", "/critical/segments", "/records"]
    right, counts = [run("cat", pair.inside, path).stdout for path in paths], [0, 0, 0]
    for turn in range(36):
        damaged = bytearray(kept[:pick.randrange(len(kept))] if turn % 3 == 0 else kept)
        if turn % 3:
            damaged[pick.randrange(len(damaged))] ^= 1 << pick.randrange(8)
        pair.companion.write_bytes(damaged)
        for path, wanted in zip(paths, right):
            done = ask("cat", pair.trace, path)
            if done.returncode == 0 and done.stdout == wanted:
                counts[0] += 1
            elif done.returncode == 1 and REMARK in done.stderr.decode():
                counts[1] += 1
            else:
                say(done.returncode == 1 and done.stderr.startswith(b"xtf: "), f"damaged (turn {turn}): {path}: {done.returncode}", done.stderr)
                say(wanted.startswith(done.stdout), f"damaged (turn {turn}): {path} is wrong")
                counts[2] += 1
    for damaged in (b"x", bytes(16384) + kept[16384:], kept[:len(kept) // 2]):
        pair.companion.write_bytes(damaged)
        for options in ((), ("-q",)):
            said = run("check", *options, pair.trace, status=1).stdout.decode()
            say(str(pair.companion) in said, "check does not say that the analysis is damaged:", said)
    pair.companion.write_bytes(kept)
    say(all(counts), "damage showed too little:", counts)


def check_parts(place, folder, waits):
    """Parts that stay in their folder, with an anchor or without, are not analysed, in place or aside; what the refusal says to do
    instead is done, and leads to the waits of all."""
    for anchored in (False, True):
        if anchored:
            run("merge", "-q", "--anchor", place)
        for source in (place, place / "anchor.xtf")[:1 + anchored]:
            for arguments in ((), ("-o", folder / "x")):
                said = run("analyze", "-q", *arguments, source, status=1).stderr.decode()
                say("is in several files" in said and not (folder / "x").exists(), said)
                done = [command.replace("ONE.xtf", str(folder / "all.xtf")).split() for command in said.split("'")[3::2]]
                for command in done:
                    run(*command[1:], "-q")
                say(len(done) == 2 and run("cat", folder / "all.xtf", "waits/profile").stdout == waits, said)
                for path in (folder / "all.xtf", folder / "all.xtf.analysis"):
                    path.unlink()
    (place / "anchor.xtf").unlink()


# FORMAT R36
def check_merged(pair, folder):
    """What is merged of analysed parts shows no analysis, and is analysed into a companion."""
    place = folder / "parts"
    place.mkdir()
    subprocess.run([SPLIT, pair.plain, place / "part", "3", "7"], check=True)
    parts = [place / f"part-{i}.xtf" for i in range(3)]
    for part in parts:
        run("analyze", "-q", part)
    merged, copy = folder / "merged.xtf", folder / "one.xtf"
    done = run("merge", "-o", merged, *parts).stdout.decode()
    say("analyses of the parts are kept, but not shown" in done, "merge does not say what it does with analyses:", done)
    said = run("cat", merged, "waits/records", status=1).stderr.decode()
    say("analyse the trace again" in said, said)
    run("analyze", "-q", merged)
    beside = pathlib.Path(f"{merged}.analysis")
    say(beside.exists(), "the analysis of a merged file is not beside it")
    said = run("analyze", merged).stderr.decode()
    say(beside.name in said, said)
    beside.write_text("mine")
    said = run("analyze", merged, status=1).stderr.decode()
    say("--force replaces it" in said and beside.read_text() == "mine", said)
    run("analyze", "-q", "--force", merged)
    said = run("analyze", "-q", "--force", pair.inside, status=1).stderr.decode()
    say("--force is for -o" in said, said)
    sound(merged)
    run("copy", "-q", merged, copy)
    compare(copy, merged, ["/waits/records", "/delays/profile", "/critical/segments", "/records", "/efficiency"])
    say(run("cat", merged, "waits/profile").stdout == run("cat", pair.inside, "waits/profile").stdout, "merged, its waits are others")
    check_parts(place, folder, run("cat", merged, "waits/profile").stdout)
    if mounts():
        said = run("mount", "-q", "-o", f"analysis={merged}.analysis", place, folder / "mnt", status=1).stderr.decode()
        say("is a folder" in said, said)
    for path in (merged, copy, beside):
        path.unlink()


def check_archive(pair, folder):
    """Of an archive its import in the cache is analysed; with -o a file has both. They are as an import that is analysed in place."""
    place = folder / "of-archive"
    place.mkdir()
    here = {"env": {**os.environ, "XTF_CACHE_DIR": str(place / "cache")}}
    plain, file = place / "plain.xtf", place / "file.xtf"
    run("import", "-q", "-o", plain, pair.archive)
    report = run("analyze", plain).stdout
    say(run("analyze", "-o", file, pair.archive, **here).stdout == report, "an archive's analysis has another report")
    compare(plain, file, ["/waits/records", "/delays/callpaths", "/critical/segments", "/records", "/definitions/regions"])
    sound(file)
    said = run("analyze", "-q", "-o", file, pair.archive, status=1, **here).stderr.decode()
    say("exists already" in said and "--force replaces it" in said, said)
    run("analyze", "-q", "--force", "-o", file, pair.archive, **here)
    said = run("cat", pair.archive, "waits/count", status=1, **here).stderr.decode()
    say("once the trace is analysed" in said, "-o leaves the import as it was:", said)
    say(run("analyze", pair.archive, **here).stdout == report, "an archive has another report")
    for path in ("waits/records", "critical/profile"):
        say(run("cat", pair.archive, path, **here).stdout == run("cat", plain, path).stdout, path, "of an archive is another")
    shutil.rmtree(place)


def check_refused(pair, folder):
    """Who may not write, and full disks: nothing is left behind, and the trace is as it was."""
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}

    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    for arguments in (("-o", folder / "new.analysis"), ("-o", pair.companion), ()):
        for limit in 1 << 12, pair.companion.stat().st_size - 5000:  # what is found may not fit its temporary files, nor the trace
            said = run("analyze", "-q", *arguments, pair.trace, status=1, preexec_fn=full).stderr.decode()
            say("File too large" in said, said)
        say(before == {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}, f"a full disk, {arguments}: files changed")
    if os.getuid() == 0 and shutil.which("setpriv"):
        folder.chmod(0o755)
        for path in before:
            path.chmod(0o644)
        said = run("analyze", "-q", pair.trace, status=1, before=AS_NOBODY).stderr.decode()
        say("Permission denied" in said and f"-o '{pair.trace}.analysis'" in said, said)
        said = run("analyze", "-q", "-o", folder / "new.analysis", pair.trace, status=1, before=AS_NOBODY).stderr.decode()
        say("Permission denied" in said and "new.analysis" in said, said)
        say(before == {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}, "without a right to write: files changed")


def check_interrupted(pair, folder):
    """Ctrl-C, whenever it comes: there is the whole analysis, or nothing."""
    new, right = folder / "new.analysis", run("cat", pair.trace, "waits/records").stdout
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    for step in range(10):
        with subprocess.Popen([XTF, "analyze", "-q", "-o", new, pair.trace], stderr=subprocess.PIPE) as process:
            time.sleep(step * 0.004)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[1].decode()
        if process.returncode == 0 or new.exists():  # the signal may come after the last step
            new.rename(pair.companion)
            say(run("cat", pair.trace, "waits/records").stdout == right, "interrupted, it was not whole")
            pair.companion.write_bytes(before[pair.companion])
        else:
            say(process.returncode == -signal.SIGINT or "interrupted" in said, process.returncode, said)
        say(before == {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}, "interrupted, it left something")


def main():
    for i, archive in enumerate(ARCHIVES[:rounds(XTF, len(ARCHIVES))]):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            pair = Pair(folder, archive, i % 2 == 1)
            n = check_equal(pair, folder)
            check_again(pair)
            check_elsewhere(pair, folder)
            check_mount_analyze(pair, folder)
            check_misfits(pair, folder)
            check_damage(pair, 7)
            check_merged(pair, folder)
            check_archive(pair, folder)
            check_refused(pair, folder)
            check_interrupted(pair, folder)
            print(f"{archive}: {n} files are the same")
    return 0


if __name__ == "__main__":
    run_test(main)
