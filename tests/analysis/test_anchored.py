#!/usr/bin/env python3
"""The analysis of a folder of parts, in the companion of its anchor. It must equal the analysis of the merged file. If a part or the
anchor has changed, is missing or was replaced, the companion must not be used. A remark must name the file. Further tests:
places, damage, hostile companions, folders without a right to write.

usage: test_anchored.py XTF CHECKER SPLIT_TRACE ARCHIVE KEEP_VOLUMES
"""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path += [str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("roundtrip", "reader")]
# pylint: disable=wrong-import-position
from test_companion import AS_NOBODY, CHECKER, REMARK, SPLIT, all_files, check_sound, check_that, compare, export, mounts, run_served, run_xtf
from xtf_patch import FILE, FILES, File
from xtfrun import run_test

ARCHIVE, KEEP_VOLUMES = sys.argv[4:6]
N_PARTS = 3
PATHS = ["/waits/records", "/delays/profile", "/critical/segments", "/records"]
SECONDS = 30  # until a mount shows an analysis


class Folder:
    """Parts of a trace in a folder with an anchor, and the same parts merged into one file. Both are analysed."""

    def __init__(self, folder):
        self.plain, self.parts, self.merged = (folder / name for name in ("plain.xtf", "parts", "merged.xtf"))
        self.anchor, self.companion = self.parts / "anchor.xtf", self.parts / "anchor.xtf.analysis"
        self.parts.mkdir()
        run_xtf("import", "-q", "-o", self.plain, ARCHIVE)
        run_xtf("align", "-q", self.plain)
        subprocess.run([SPLIT, self.plain, self.parts / "part", str(N_PARTS), "7"], check=True)
        self.files = sorted(self.parts.iterdir())
        run_xtf("analyze", "-q", self.files[1])  # the anchor shows no analyses of its parts
        run_xtf("merge", "-q", "-o", self.merged, *self.files)
        run_xtf("merge", "-q", "--anchor", self.parts)
        self.before = {path: path.read_bytes() for path in self.parts.iterdir()}
        report = run_xtf("analyze", self.merged).stdout
        done = run_xtf("analyze", self.parts)
        check_that(done.stdout == report, "the reports differ")
        check_that(str(self.companion) in done.stderr.decode(), "analyze does not say where the analysis is", done.stderr)
        self.kept = self.companion.read_bytes()
        self.records = run_xtf("cat", self.merged, "records").stdout

    def restore(self):
        for path in set(self.parts.iterdir()) - self.before.keys():
            path.unlink()
        for path, data in self.before.items():
            path.write_bytes(data)
        self.companion.write_bytes(self.kept)


# FORMAT R59, R60
def check_equal(made, folder):
    """Compares the whole tree with that of the merged file, and exports."""
    check_that({path: path.read_bytes() for path in made.before} == made.before, "an anchor or a part was written")
    paths = all_files(made.merged)
    check_that(len(paths) > 100 and any("/waits/matrix" in path for path in paths), "too few files", len(paths))
    compare(made.merged, made.parts, paths)
    compare(made.merged, made.anchor, PATHS)
    compare(made.merged, made.companion, PATHS)
    check_that(export(made.merged, folder / "a") == export(made.parts, folder / "b"), "exports differ")
    check_sound(made.companion)
    for trace in made.parts, made.anchor:
        output = run_xtf("check", trace).stdout.decode()
        check_that(output.count(" 0 problems") == 2 and "with its analysis" in output, output)
        info = run_xtf("info", trace).stdout.decode()
        check_that(str(made.companion) in info and "xtf analyze" in info and f"{N_PARTS} files beside the anchor" in info, info)
    copy = folder / "copy.xtf"
    check_that("with its analysis" in run_xtf("copy", made.parts, copy).stdout.decode(), "copy does not say what it does with the analysis")
    compare(made.merged, copy, paths)
    check_sound(copy)
    moved = made.parts.rename(folder / "elsewhere")
    compare(made.merged, moved, PATHS)
    moved.rename(made.parts)
    link = folder / "linked.xtf"
    link.symlink_to(made.anchor)
    pathlib.Path(f"{link}.analysis").symlink_to(made.companion)
    compare(made.merged, link, PATHS)
    return len(paths)


def check_places(made, folder):
    """Checks the places of the analysis: beside the anchor, in another folder, in a copy."""
    run_xtf("analyze", "-q", made.anchor)  # replaces the analysis
    compare(made.merged, made.parts, PATHS)
    place, point = folder / "place", folder / "mnt"
    place.mkdir()
    point.mkdir()
    run_xtf("analyze", "-q", "-o", place, made.parts)
    run_xtf("analyze", "-q", "-o", folder / "all.xtf", made.parts)
    compare(made.merged, folder / "all.xtf", PATHS)
    check_sound(folder / "all.xtf")
    (other,) = place.iterdir()
    check_that(other.name == "parts.analysis", other)
    for output in made.parts, made.companion:  # not a copy, nor a file that no command finds
        made.companion.unlink()
        run_xtf("analyze", "-q", "-o", output, made.parts)
        check_that(set(made.parts.iterdir()) == {*made.before, made.companion}, f"-o {output} writes another file")
        compare(made.merged, made.parts, PATHS)
    for output in made.anchor, made.files[0]:
        for command in ("analyze", "-q", "-f", "-o", output, made.parts), ("copy", "-q", "-f", made.parts, output), ("align", "-q", "-f", "-o", output, made.parts):
            errors = run_xtf(*command, status=1).stderr.decode()
            check_that("to be read" in errors and output.read_bytes() == made.before[output], f"{command} replaces a file of the trace", errors)
    output = run_xtf("analyze", "-q", made.companion, status=1).stderr.decode()
    check_that("is the analysis of a trace" in output, output)
    made.companion.unlink()
    made.companion.mkdir()
    run_xtf("analyze", "-q", "--force", made.parts, status=1)
    check_that(not any(made.companion.iterdir()), "an analysis went into a folder that the user did not name")
    made.companion.rmdir()
    made.companion.write_text("mine")
    output = run_xtf("analyze", "-q", made.parts, status=1).stderr.decode()
    check_that("--force replaces it" in output and made.companion.read_text() == "mine", output)
    run_xtf("analyze", "-q", "--force", made.parts)
    compare(made.merged, made.parts, PATHS)
    waits = run_xtf("cat", made.merged, "waits/records").stdout
    if mounts():
        for source, options in (made.parts, ()), (made.anchor, ()), (made.parts, ("-o", f"analysis={other}")):
            run_xtf("mount", "-q", *options, source, point)
            shown = (point / "waits" / "records").read_bytes()
            run_xtf("unmount", point)
            check_that(shown == waits, f"{source} {options}: mounted, it shows other waits")
        made.companion.unlink()
        run_xtf("mount", "-q", "--analyze", made.parts, point)
        shown = (point / "waits" / "records").read_bytes()
        run_xtf("unmount", point)
        check_that(shown == waits and made.companion.exists(), "mounted and analysed, it shows other waits")
        check_later(made, made.parts, made.companion, point, waits)
        made.restore()
        made.companion.unlink()
        linked = folder / "linked"
        linked.mkdir()
        (linked / "anchor.xtf").symlink_to(made.anchor)
        for link in linked, folder / "link.xtf":
            companion = linked / "anchor.xtf.analysis" if link == linked else folder / "link.xtf.analysis"
            if link != linked:
                link.symlink_to(made.anchor)
            check_later(made, link, companion, point, waits)
            companion.unlink()
    made.restore()


def check_later(made, source, companion, point, waits):
    """Checks that a mount of a folder or an anchor, also a linked one, finds an analysis that is written after mounting."""
    companion.unlink(missing_ok=True)
    run_xtf("mount", "-q", source, point)
    try:
        records = (point / "records").read_bytes()
        check_that(not (point / "waits" / "records").exists(), "the mount has waits before the analysis")
        check_that(records == made.records, f"{source}: the mount shows other records than the merged file has")
        run_xtf("analyze", "-q", source)
        check_that(companion.exists(), f"{source}: the analysis is not at {companion}")
        end = time.monotonic() + SECONDS
        while not (point / "waits" / "records").exists() and time.monotonic() < end:
            os.listdir(point)  # the kernel has no answer to this, so the mount gets a request
            time.sleep(0.05)
        check_that((point / "waits" / "records").read_bytes() == waits, "the mount shows other waits than the later analysis has")
        check_that((point / "records").read_bytes() == records, "the mount shows other records than before")
    finally:
        run_xtf("unmount", point)


def without_companion(made, *arguments):
    """Runs a command as if there were no companion."""
    away = made.companion.rename(made.parts / "away")
    done = run_served(*arguments)
    away.rename(made.companion)
    return done


# FORMAT R59, R90
def check_misfits(made):
    """Checks that a companion is not used if a file of its base is not the one that it names. The remark names the file."""
    last = made.files[-1]
    changes = {
        "a later commit of a part": (lambda: run_xtf("analyze", "-q", last), last, "was appended to"),
        "another part": (lambda: shutil.copy(made.files[0], last), last, "another file"),
        "a copy of a part": (lambda: run_xtf("copy", "-q", "-f", made.merged, last), last, "another file"),
        "a longer part": (lambda: last.write_bytes(last.read_bytes() + b"x"), last, "bytes instead of"),
        "a shorter part": (lambda: os.truncate(last, last.stat().st_size - 8), last, "bytes instead of"),
        "no trace": (lambda: last.write_text("no trace"), last, "not an XTF file"),
        "a missing part": (last.unlink, last, "No such file"),
        "a part that is a folder": (lambda: (last.unlink(), last.mkdir()), last, ""),
        "another anchor of the same parts": (lambda: run_xtf("merge", "-q", "--anchor", made.parts), made.anchor, "another file"),
        "a part in place of the anchor": (lambda: shutil.copy(last, made.anchor), made.anchor, "no anchor of parts"),
        "the companion in place of the anchor": (lambda: shutil.copy(made.companion, made.anchor), made.anchor, ""),
        "no anchor": (made.anchor.unlink, made.anchor, "no anchor.xtf any more"),
    }
    for name, (change, culprit, reason) in changes.items():
        change()
        for arguments in ("info", made.parts), ("cat", made.parts, "/proc/0/profile"), ("cat", made.parts, "/records"), ("ls", made.parts):
            done, plain = run_served(*arguments), without_companion(made, *arguments)
            check_that((done.returncode, done.stdout if arguments[0] != "info" else b"") == (plain.returncode, plain.stdout if arguments[0] != "info" else b""),
                       f"{name}: {arguments} shows something else", done.stderr, plain.stderr)
            told = (done.stdout if arguments[0] == "info" else done.stderr).decode()
            check_that(done.returncode or "not used: " in told and culprit.name in told and reason in told, f"{name}: {arguments} does not say why:", told)
        check_that(run_served("cat", made.parts, "waits/records").returncode == 1, f"{name}: the analysis is shown")
        checked, plain = run_served("check", made.parts), without_companion(made, "check", made.parts)
        check_that(checked.returncode == plain.returncode, f"{name}: check ends with", checked.returncode, checked.stdout)
        if last.is_dir():
            last.rmdir()
        made.restore()
    compare(made.merged, made.parts, PATHS)


def check_replaced(made):
    """Checks which analyses a later one replaces: that of an earlier commit of a part, but not that of another anchor."""
    last = made.files[-1]
    run_xtf("analyze", "-q", last)
    output = run_xtf("analyze", "-q", made.parts, status=1).stderr.decode()  # the anchor, too, names the earlier commit
    check_that(last.name in output and "appended to" in output, output)
    run_xtf("merge", "-q", "--anchor", made.parts)
    output = run_xtf("analyze", "-q", made.parts, status=1).stderr.decode()
    check_that("--force replaces it" in output, output)
    run_xtf("analyze", "-q", "--force", made.parts)
    compare(made.merged, made.parts, PATHS)
    made.restore()


def answers(made, path, wanted):
    """True if the answer about a changed companion is right, or refused with a reason."""
    done = run_served("cat", made.parts, path)
    if done.returncode == 0:
        return done.stdout == wanted
    return done.returncode == 1 and done.stderr.startswith(b"xtf: ") and wanted.startswith(done.stdout)


def check_damage(made, seed):
    """Checks companions that are cut short, or have a changed byte."""
    pick, remarks = random.Random(seed), 0
    right = [run_xtf("cat", made.merged, path).stdout for path in PATHS]
    for turn in range(36):
        damaged = bytearray(made.kept[:pick.randrange(len(made.kept))] if turn % 3 == 0 else made.kept)
        if turn % 3:
            damaged[pick.randrange(len(damaged))] ^= 1 << pick.randrange(8)
        made.companion.write_bytes(damaged)
        for path, wanted in zip(PATHS, right):
            check_that(answers(made, path, wanted), f"damaged (turn {turn}): {path} is wrong")
        remarks += REMARK in run_served("cat", made.parts, "info").stderr.decode()
    check_that(remarks > 5, "hardly any damage was found when the companion was opened")
    made.restore()


def entries(f):
    """Returns the entries of FILES."""
    found, section = [], f.sections[FILES]
    at = section.end
    while at < section.end + section.length:
        found.append(f.at(at, FILE))
        at = found[-1].end + -(-found[-1].length // 8) * 8
    return found


# FORMAT R91
def check_hostile(made):
    """Checks companions whose checksums are right, but that name other files than they should."""
    def rename(number, name):
        def change(f):
            entry = entries(f)[number]
            f.data[entry.end:entry.end + entry.length] = name[:entry.length].ljust(entry.length, "x").encode()
        return change

    def names(number, path):
        """Names a file that exists, as it is."""
        def change(f):
            entry, block = entries(f)[number], File(path.read_bytes()).superblock
            for field in "file_id", "commit", "wall_time", "epoch":
                setattr(entry, field, getattr(block, field))
            entry.size = len(path.read_bytes())
            if path.name != "anchor.xtf":
                f.data[entry.end:entry.end + entry.length] = path.name.encode()
        return change

    def clear_bit(f):
        f.superblock.incompatible &= ~16

    def joined_bit(f):
        f.superblock.incompatible |= 8

    def move(f):
        entries(f)[0].first += 4000

    def more_pages(f):
        entries(f)[-1].pages += 1 << 38

    right = [run_xtf("cat", made.merged, path).stdout for path in PATHS]
    for number, change in enumerate((rename(1, "../part-0.xtf"), rename(2, "/etc/passwd"), rename(1, "\0"), names(1, made.files[1]), clear_bit, joined_bit, move, more_pages)):
        f = File(made.kept).one_superblock()
        change(f)
        f.seal()
        made.companion.write_bytes(f.stored())
        for path, wanted in zip(PATHS, right):
            check_that(answers(made, path, wanted), f"hostile {number}: {path} is wrong")
        check_that(run_served("check", "-q", made.companion).returncode == 1, f"hostile {number}: check finds nothing")
        done = subprocess.run([sys.executable, CHECKER, made.companion], capture_output=True, text=True, check=False)
        check_that(done.returncode == 1 and "Traceback" not in done.stderr, f"hostile {number}: the Python reader finds nothing", done.stderr)
    made.restore()


# FORMAT W72
def check_refused(made, folder):
    """Checks that nothing is left behind where an analysis cannot be written."""
    made.companion.unlink()
    joined = folder / "joined"
    joined.mkdir()
    for path in made.files:
        shutil.copy(path, joined)
    output = run_xtf("analyze", "-q", joined, status=1).stderr.decode()
    check_that("is in several files" in output and f"xtf merge --anchor {joined}" in output, output)
    if os.getuid() == 0 and shutil.which("setpriv"):
        for path in folder, made.parts:
            path.chmod(0o755)
        output = run_xtf("analyze", "-q", made.parts, status=1, before=AS_NOBODY).stderr.decode()
        check_that("Permission denied" in output and "anchor.xtf.analysis" in output and "-o FOLDER" in output, output)
        writable = folder / "writable"
        writable.mkdir()
        writable.chmod(0o777)
        run_xtf("analyze", "-q", "-o", writable, made.parts, before=(*AS_NOBODY, "env", f"TMPDIR={writable}"))
        check_that([path.name for path in writable.iterdir()] == ["parts.analysis"], "a user without a right to write in the folder has no analysis")
    os.unlink(made.files[0])
    run_xtf("analyze", "-q", made.parts, status=1)
    check_that(set(made.parts.iterdir()) == made.before.keys() - {made.files[0]}, "an analysis that failed left files behind")
    made.restore()


def check_numbers(trace):
    """Checks that waits have the numbers of records of the same location."""
    records, waits = (numbered(trace, path) for path in ("records", "waits/records"))
    check_that(len(waits) > 20, trace, "has hardly any waits")
    check_that(waits <= records, trace, "has waits with numbers of other records", sorted(waits - records)[:3])


def numbered(trace, path):
    """Returns the process, thread and number of each row."""
    return {tuple(row.split()[1:4]) for row in run_xtf("cat", trace, path).stdout.decode().splitlines()}


def check_removed(made, folder):
    """Checks the analysis of an anchor with a part whose first volumes were removed on purpose."""
    place, copy = folder / "kept", folder / "kept.xtf"
    place.mkdir()
    for path in made.files[1:]:
        shutil.copy(path, place)
    subprocess.run([KEEP_VOLUMES, made.files[0], place, "kept.xtf", "6", "3", "compact"], check=True, capture_output=True)
    run_xtf("merge", "-q", "--anchor", place)
    records = run_xtf("cat", place, "records").stdout
    run_xtf("analyze", "-q", place)
    check_that(run_xtf("cat", place, "records").stdout == records, "removed volumes: the analysis changes records")
    check_numbers(place)
    output = run_xtf("analyze", "-q", "-o", copy, place, status=1).stderr.decode()
    check_that("other numbers" in output and f"'xtf copy {place} {copy}'" in output and not copy.exists(), output)
    run_xtf("copy", "-q", place, copy)
    run_xtf("analyze", "-q", copy)
    check_numbers(copy)
    check_sound(place / "anchor.xtf.analysis")
    (place / "kept.xtf.0004").unlink()
    output = run_served("cat", place, "waits/count").stderr.decode()
    check_that(REMARK in output and "kept.xtf.0004: No such file" in output, output)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made = Folder(folder)
        n = check_equal(made, folder)
        check_places(made, folder)
        check_misfits(made)
        check_replaced(made)
        check_damage(made, 11)
        check_hostile(made)
        check_refused(made, folder)
        check_removed(made, folder)
        print(f"{n} files are the same")
    return 0


if __name__ == "__main__":
    run_test(main)
