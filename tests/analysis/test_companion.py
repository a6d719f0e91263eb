#!/usr/bin/env python3
"""An analysis in a separate file, by `xtf analyze -o`. A trace with a companion must equal an analysed trace. A companion of
another file or commit must not be used. Further tests: damage, copies, merged files, read-only folders and files, full disks,
interrupts.

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
from xtfrun import Failure, Xtf, run_test, tests_all, without_name

XTF, CHECKER, SPLIT, *ARCHIVES = sys.argv[1:]
COMMAND = Xtf(XTF)
AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
# Folders whose files are compared. Folders of an analysis are not listed, and neither are folders of windows.
ANALYSIS = ["waits", "delays", "critical", "waits/late_sender", "proc/1/waits", "proc/0-2/waits", "time/20%-60%/waits", "time/20%-60%/delays",
            "time/20%-60%/critical", "proc/1/time/10%-90%/waits", "proc/1/time/10%-90%/critical"]
REMARK = "an analysis beside the trace is not used"


def run_served(*arguments):
    """Runs xtf as subprocess.run() does, but within a server process."""
    done = COMMAND.run(*arguments)
    return subprocess.CompletedProcess(done.command, done.status, done.output, done.errors)


def run_xtf(*arguments, status=0, before=(), **options):
    done = (subprocess.run([*before, XTF, *map(str, arguments)], capture_output=True, check=False, **options) if before or options
            else run_served(*arguments))
    if done.returncode != status:
        raise Failure(f"xtf {' '.join(map(str, arguments))}: status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr.decode()}")
    return done


def check_that(condition, *what):
    if not condition:
        raise Failure(" ".join(map(str, what)))


def files_of(trace, folders):
    """Returns the files in directories, and the directories in them."""
    files, below = [], []
    for block in run_xtf("ls", "-l", trace, *["/" + folder for folder in folders[:1] + folders]).stdout.decode().split("\n\n")[1:]:
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
    return without_name(run_xtf("cat", trace, *paths).stdout, trace)


def compare(first, second, paths):
    a, b = (printed(trace, *paths) for trace in (first, second))
    if a != b:
        for path in paths:
            check_that(printed(first, path) == printed(second, path), first, second, path, "differ")
        raise Failure(f"{first} and {second} differ")


def export(trace, folder):
    """Returns the exported files except the anchor, which has a random id."""
    folder.mkdir()
    run_xtf("export", "otf2", "-o", folder / "otf2", trace)
    run_xtf("export", "cube", "-o", folder / "cube", trace)
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".otf2"}


def check_sound(trace):
    check_that(b" 0 problems" in run_xtf("check", trace).stdout, trace, "is not sound")
    done = subprocess.run([sys.executable, CHECKER, trace], capture_output=True, text=True, check=False)
    check_that(done.returncode == 0, trace, done.stdout, done.stderr)


class Pair:
    """A trace with a companion, and one that was analysed in place."""

    def __init__(self, folder, archive, align):
        self.plain, self.inside, self.trace = (folder / name for name in ("plain.xtf", "inside.xtf", "trace.xtf"))
        self.companion, self.archive = folder / "trace.xtf.analysis", pathlib.Path(archive)
        run_xtf("import", "-q", "-o", self.plain, archive)
        if align:
            run_xtf("align", "-q", self.plain)
            check_that(b"clock maps" in run_xtf("info", self.plain).stdout, "no clock was aligned")
        shutil.copy(self.plain, self.inside)
        shutil.copy(self.plain, self.trace)
        self.report = run_xtf("analyze", self.inside).stdout
        check_that(self.report == run_xtf("analyze", "-o", self.companion, self.trace).stdout, "the reports differ")

    def check_without_companion(self, *arguments):
        """Checks that the trace is shown without its companion, with a remark."""
        done = run_xtf("cat", self.trace, *arguments)
        check_that(REMARK in done.stderr.decode(), "no remark", done.stderr)
        check_that(done.stdout == run_xtf("cat", self.plain, *arguments).stdout, "the trace shows something else")


# FORMAT R59
def check_equal(pair, folder):
    """Compares the whole tree, and exports."""
    check_that(pair.trace.read_bytes() == pair.plain.read_bytes(), "the trace was written")
    check_that(pair.companion.stat().st_size < pair.inside.stat().st_size, "the companion is as large as the whole")
    paths = all_files(pair.inside)
    check_that(len(paths) > 100 and any("/waits/matrix" in path for path in paths), "too few files", len(paths))
    compare(pair.inside, pair.trace, paths)
    check_that(export(pair.trace, folder / "a") == export(pair.inside, folder / "b"), "exports differ")
    for trace in (pair.trace, pair.companion):
        check_sound(trace)
    info = run_xtf("info", pair.trace).stdout.decode()
    check_that(str(pair.companion) in info and "xtf analyze" in info, info)
    check_that(b".analysis.analysis" not in run_xtf("info", pair.companion).stdout, "info names a file that does not exist")
    copy = folder / "copy.xtf"
    check_that("with its analysis" in run_xtf("copy", pair.trace, copy).stdout.decode(), "copy does not say what it does with the analysis")
    compare(pair.inside, copy, paths)
    check_that("analysis" not in run_xtf("copy", "--force", pair.plain, copy).stdout.decode(), "copy mentions an analysis that does not exist")
    copy.unlink()
    return len(paths)


def check_again(pair):
    """Checks that an analysis replaces an analysis, and that no other file is replaced without --force."""
    before = run_xtf("cat", pair.trace, "waits/records").stdout
    run_xtf("analyze", "-q", "-o", pair.companion, pair.trace)
    check_that(before == run_xtf("cat", pair.trace, "waits/records").stdout, "the second analysis differs")
    for other in (pair.plain, pair.trace):
        output = run_xtf("analyze", "-q", "-o", other, pair.trace, status=1).stderr.decode()
        check_that("--force" in output, output)
    check_that(pair.trace.read_bytes() == pair.plain.read_bytes(), "the trace was replaced")


# FORMAT R60
def check_elsewhere(pair, folder):
    """Checks that a companion in another folder is found if it is named, and one in the trace's folder under the trace's name."""
    place = folder / "elsewhere"
    place.mkdir()
    pair.companion.unlink()
    run_xtf("analyze", "-q", "-o", place, pair.trace)
    other = place / pair.companion.name
    check_that(b"none" in run_xtf("info", pair.trace).stdout, "a companion in another folder was used")
    if mounts():
        point = folder / "mnt"
        point.mkdir()
        run_xtf("mount", "-q", "-o", f"analysis={other}", pair.trace, point)
        shown = (point / "waits" / "records").read_bytes()
        run_xtf("unmount", point)
        check_that(shown == run_xtf("cat", pair.inside, "waits/records").stdout, "mounted, it shows other waits")
        for wrong in (pair.plain, folder / "none", CHECKER):
            output = run_xtf("mount", "-q", "-o", f"analysis={wrong}", pair.trace, point, status=1).stderr.decode()
            check_that(str(wrong) in output, output)
        for trace in (pair.archive, pair.archive.parent):
            output = run_xtf("mount", "-q", "-o", f"analysis={other},cachedir={folder}", trace, point, status=1).stderr.decode()
            check_that(str(other) in output and "analysis of" in output, output)
    renamed = place / "renamed.xtf"
    shutil.copy(pair.trace, renamed)
    other.rename(place / "renamed.xtf.analysis")
    compare(pair.inside, renamed, ["/waits/records", "/records"])
    run_xtf("analyze", "-q", "-o", pair.companion, pair.trace)
    if mounts():
        run_xtf("mount", "-q", pair.trace, point)
        shown = (point / "proc" / "1" / "waits" / "records").read_bytes()
        run_xtf("unmount", point)
        check_that(shown == run_xtf("cat", pair.inside, "proc/1/waits/records").stdout, "mounted, it shows other waits")


def check_mount_analyze(pair, folder):
    """Checks where `mount --analyze` looks for an analysis and where it stores one. It must not analyse a trace again that has a
    named analysis or one beside it. For a merged file it must store the analysis where `analyze` does. For parts it must print
    the error of `analyze`."""
    point, elsewhere, merged, parts = folder / "mnt", folder / "named.analysis", folder / "merged.xtf", folder / "some"
    beside = pathlib.Path(f"{merged}.analysis")
    run_xtf("merge", "-q", "-o", merged, pair.plain)
    run_xtf("analyze", "-q", merged)
    check_that(beside.exists(), "the analysis of a file that was merged of one part is not beside it")
    beside.unlink()
    if not mounts():
        merged.unlink()
        return
    before, waits = pair.trace.read_bytes(), run_xtf("cat", pair.inside, "waits/records").stdout

    def shown(*arguments):
        run_xtf("mount", "-q", "--analyze", *arguments, point)
        found = (point / "waits" / "records").read_bytes()
        run_xtf("unmount", point)
        return found

    check_that(shown(pair.trace) == waits, "mounted with what lies beside it, it shows other waits")
    pair.companion.rename(elsewhere)
    check_that(shown("-o", f"analysis={elsewhere}", pair.trace) == waits, "mounted with the one that is named, it shows other waits")
    check_that(pair.trace.read_bytes() == before, "a trace with an analysis was analysed again")
    elsewhere.rename(pair.companion)
    for _ in range(2):
        check_that(shown(merged) == waits, "merged, it shows other waits")
    check_that(beside.exists(), "the analysis of a merged file is not beside it")
    parts.mkdir()
    shutil.copy(pair.plain, parts)
    output = run_xtf("mount", "-q", "--analyze", parts, point, status=1).stderr.decode()
    check_that("is in several files" in output and "xtf analyze -o" in output, output)
    for path in (merged, beside):
        path.unlink()
    shutil.rmtree(parts)


def mounts():
    return os.path.exists("/dev/fuse") and shutil.which("fusermount3")


# FORMAT R59
def check_misfits(pair, folder):
    """Checks that a companion of another file, or of an earlier commit, is not used."""
    kept = pair.companion.read_bytes()
    other = folder / "other.xtf"
    run_xtf("copy", "-q", pair.plain, other)
    run_xtf("analyze", "-q", "-o", pair.companion, "-f", other)
    pair.check_without_companion("/info", "/records", "/proc/0/profile")
    check_that("another file" in run_xtf("info", pair.trace).stdout.decode(), "info does not say why")
    check_that("another file" in run_xtf("check", pair.trace).stderr.decode() and not run_xtf("check", "-q", pair.trace).stderr, "check does not say why")
    output = run_xtf("analyze", "-q", "-o", pair.companion, pair.trace, status=1).stderr.decode()
    check_that("--force" in output, "the analysis of another trace was replaced", output)
    other.unlink()
    pair.companion.write_bytes(kept)
    run_xtf("analyze", "-q", pair.trace)  # in place
    done = run_xtf("cat", pair.trace, "waits/records")
    check_that(REMARK in done.stderr.decode() and done.stdout == run_xtf("cat", pair.inside, "waits/records").stdout, "the trace's own analysis is not shown")
    for asked in (run_xtf("info", pair.trace).stdout, run_xtf("check", pair.trace).stderr, run_xtf("info", pair.companion, status=1).stderr):
        check_that(b"appended to" in asked, "the output does not say why", asked)
    run_xtf("analyze", "-q", "-o", pair.companion, pair.trace)  # the companion of an earlier commit is replaced
    check_that(str(pair.companion) in run_xtf("info", pair.trace).stdout.decode(), "the stale companion was not replaced")
    pair.companion.write_bytes(kept)
    shutil.copy(pair.plain, pair.trace)
    run_xtf("cat", pair.trace, "waits/records")


def check_damage(pair, seed):
    """Checks a companion that was cut short or has a changed byte: xtf ignores it with a remark, fails, or answers correctly."""
    kept, pick = pair.companion.read_bytes(), random.Random(seed)
    paths = ["/waits/records", "/delays/profile", "/critical/segments", "/records"]
    right, counts = [run_xtf("cat", pair.inside, path).stdout for path in paths], [0, 0, 0]
    for turn in range(36):
        damaged = bytearray(kept[:pick.randrange(len(kept))] if turn % 3 == 0 else kept)
        if turn % 3:
            damaged[pick.randrange(len(damaged))] ^= 1 << pick.randrange(8)
        pair.companion.write_bytes(damaged)
        for path, wanted in zip(paths, right):
            done = run_served("cat", pair.trace, path)
            if done.returncode == 0 and done.stdout == wanted:
                counts[0] += 1
            elif done.returncode == 1 and REMARK in done.stderr.decode():
                counts[1] += 1
            else:
                check_that(done.returncode == 1 and done.stderr.startswith(b"xtf: "), f"damaged (turn {turn}): {path}: {done.returncode}", done.stderr)
                check_that(wanted.startswith(done.stdout), f"damaged (turn {turn}): {path} is wrong")
                counts[2] += 1
    for damaged in (b"x", bytes(16384) + kept[16384:], kept[:len(kept) // 2]):
        pair.companion.write_bytes(damaged)
        for options in ((), ("-q",)):
            output = run_xtf("check", *options, pair.trace, status=1).stdout.decode()
            check_that(str(pair.companion) in output, "check does not say that the analysis is damaged:", output)
    pair.companion.write_bytes(kept)
    check_that(all(counts), "some outcome of damage did not occur:", counts)


def check_parts(place, folder, waits):
    """Checks that the analysis of parts in a folder without an anchor goes into a copy. The command that the error suggests must lead
    to the waits of all parts."""
    before = {path: path.read_bytes() for path in place.iterdir()}
    output = run_xtf("analyze", "-q", place, status=1).stderr.decode()
    check_that("is in several files" in output, output)
    command = output.split("'")[3].replace("ONE.xtf", str(folder / "all.xtf")).split()
    run_xtf(*command[1:], "-q")
    check_that(run_xtf("cat", folder / "all.xtf", "waits/profile").stdout == waits, output)
    run_xtf("check", "-q", folder / "all.xtf")
    run_xtf("analyze", "-q", "-o", folder / "all.xtf", place, status=1)  # it exists
    (folder / "all.xtf").unlink()
    check_that({path: path.read_bytes() for path in place.iterdir()} == before, "the parts have changed")


# FORMAT R36
def check_merged(pair, folder):
    """Checks that a file merged from analysed parts shows no analysis, and gets a companion when analysed."""
    place = folder / "parts"
    place.mkdir()
    subprocess.run([SPLIT, pair.plain, place / "part", "3", "7"], check=True)
    parts = [place / f"part-{i}.xtf" for i in range(3)]
    for part in parts:
        run_xtf("analyze", "-q", part)
    merged, copy = folder / "merged.xtf", folder / "one.xtf"
    done = run_xtf("merge", "-o", merged, *parts).stdout.decode()
    check_that("analyses of the parts are kept, but not shown" in done, "merge does not say what it does with analyses:", done)
    output = run_xtf("cat", merged, "waits/records", status=1).stderr.decode()
    check_that("analyse the trace again" in output, output)
    run_xtf("analyze", "-q", merged)
    beside = pathlib.Path(f"{merged}.analysis")
    check_that(beside.exists(), "the analysis of a merged file is not beside it")
    output = run_xtf("analyze", merged).stderr.decode()
    check_that(beside.name in output, output)
    beside.write_text("mine")
    output = run_xtf("analyze", merged, status=1).stderr.decode()
    check_that("--force replaces it" in output and beside.read_text() == "mine", output)
    run_xtf("analyze", "-q", "--force", merged)
    output = run_xtf("analyze", "-q", "--force", pair.inside, status=1).stderr.decode()
    check_that("--force is for -o" in output, output)
    check_sound(merged)
    run_xtf("copy", "-q", merged, copy)
    compare(copy, merged, ["/waits/records", "/delays/profile", "/critical/segments", "/records", "/efficiency"])
    check_that(run_xtf("cat", merged, "waits/profile").stdout == run_xtf("cat", pair.inside, "waits/profile").stdout, "merged, its waits are different")
    check_parts(place, folder, run_xtf("cat", merged, "waits/profile").stdout)
    if mounts():
        output = run_xtf("mount", "-q", "-o", f"analysis={merged}.analysis", place, folder / "mnt", status=1).stderr.decode()
        check_that("is a folder" in output, output)
    for path in (merged, copy, beside):
        path.unlink()


def check_archive(pair, folder):
    """Checks that analysing an archive analyses its cached import, and that -o writes a file with both. Both must equal an import
    that is analysed in place."""
    place = folder / "of-archive"
    place.mkdir()
    here = {"env": {**os.environ, "XTF_CACHE_DIR": str(place / "cache")}}
    plain, file = place / "plain.xtf", place / "file.xtf"
    run_xtf("import", "-q", "-o", plain, pair.archive)
    report = run_xtf("analyze", plain).stdout
    check_that(run_xtf("analyze", "-o", file, pair.archive, **here).stdout == report, "an archive's analysis has another report")
    compare(plain, file, ["/waits/records", "/delays/callpaths", "/critical/segments", "/records", "/definitions/regions"])
    check_sound(file)
    output = run_xtf("analyze", "-q", "-o", file, pair.archive, status=1, **here).stderr.decode()
    check_that("exists already" in output and "--force replaces it" in output, output)
    run_xtf("analyze", "-q", "--force", "-o", file, pair.archive, **here)
    output = run_xtf("cat", pair.archive, "waits/count", status=1, **here).stderr.decode()
    check_that("once the trace is analysed" in output, "-o leaves the import as it was:", output)
    check_that(run_xtf("analyze", pair.archive, **here).stdout == report, "an archive has another report")
    for path in ("waits/records", "critical/profile"):
        check_that(run_xtf("cat", pair.archive, path, **here).stdout == run_xtf("cat", plain, path).stdout, path, "of an archive differs")
    shutil.rmtree(place)


def check_copied_onto(pair):
    """Checks that a copy of a trace does not replace the trace's own analysis, even with --force."""
    before = pair.companion.read_bytes()
    for command in ("copy", "-q", "-f", pair.trace, pair.companion), ("align", "-q", "-f", "-o", pair.companion, pair.trace):
        errors = run_xtf(*command, status=1).stderr.decode()
        check_that("the output is the analysis of the trace to be read" in errors and pair.companion.read_bytes() == before, command, errors)


def check_refused(pair, folder):
    """Checks that without permission to write, or on a full disk, nothing is left behind and the trace is unchanged."""
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}

    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    for arguments in (("-o", folder / "new.analysis"), ("-o", pair.companion), ()):
        for limit in 1 << 12, pair.companion.stat().st_size - 5000:  # the results may not fit the temporary files, or the trace
            output = run_xtf("analyze", "-q", *arguments, pair.trace, status=1, preexec_fn=full).stderr.decode()
            check_that("File too large" in output, output)
        check_that(before == {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}, f"a full disk, {arguments}: files changed")
    if os.getuid() == 0 and shutil.which("setpriv"):
        folder.chmod(0o755)
        for path in before:
            path.chmod(0o644)
        output = run_xtf("analyze", "-q", pair.trace, status=1, before=AS_NOBODY).stderr.decode()
        check_that("Permission denied" in output and f"-o '{pair.trace}.analysis'" in output, output)
        output = run_xtf("analyze", "-q", "-o", folder / "new.analysis", pair.trace, status=1, before=AS_NOBODY).stderr.decode()
        check_that("Permission denied" in output and "new.analysis" in output, output)
        check_that(before == {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}, "without a right to write: files changed")


def check_interrupted(pair, folder):
    """Checks that after Ctrl-C at any time there is the whole analysis, or none."""
    new, right = folder / "new.analysis", run_xtf("cat", pair.trace, "waits/records").stdout
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    for step in range(10):
        with subprocess.Popen([XTF, "analyze", "-q", "-o", new, pair.trace], stderr=subprocess.PIPE) as process:
            time.sleep(step * 0.004)
            process.send_signal(signal.SIGINT)
            output = process.communicate(timeout=60)[1].decode()
        if process.returncode == 0 or new.exists():  # the signal may arrive after the last step
            new.rename(pair.companion)
            check_that(run_xtf("cat", pair.trace, "waits/records").stdout == right, "interrupted, the analysis is not whole")
            pair.companion.write_bytes(before[pair.companion])
        else:
            check_that(process.returncode == -signal.SIGINT or "interrupted" in output, process.returncode, output)
        check_that(before == {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}, "interrupted, xtf left files behind")


def main():
    for i, archive in enumerate(ARCHIVES if tests_all() else ARCHIVES[:1]):
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
            check_copied_onto(pair)
            check_refused(pair, folder)
            check_interrupted(pair, folder)
            print(f"{archive}: {n} files are the same")
    return 0


if __name__ == "__main__":
    run_test(main)
