#!/usr/bin/env python3
"""Tests that merged parts show the same bytes as the whole trace: every file of the tree, and files of windows.

split-trace splits a trace into parts that number regions, communicators, metrics and strings differently.
The parts are merged at once, in steps, and in reverse order, where all numbers differ.
The result is compared with a rewrite, row by row (xtf copy). The parts as a folder, with an anchor and without, must show the
same.
All of this is repeated with a trace whose clocks were corrected.

usage: test_merge.py XTF SPLIT_TRACE DUMP_TRACE XTF_CHECK_PY TRACE...      a TRACE that is no .xtf file is imported first
"""
import fcntl
import functools
import itertools
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import zlib

sys.path += [str(pathlib.Path(__file__).resolve().parents[1] / room) for room in ("roundtrip", "reader")]
# pylint: disable=wrong-import-position
from xtf_files import intact_superblocks
from xtf_format import VOLUMES_FEATURE
from xtf_patch import File
from xtfrun import Xtf, is_sanitized, some_of, tests_all, without_name

XTF, SPLIT, DUMP, CHECKER, *TRACES = sys.argv[1:]
COMMAND = Xtf(XTF)
# Definitions in the order of the parts: not the same order as in the whole trace.
IN_ORDER_OF_PARTS = {"definitions/definition_order", "definitions/definition_references"}
WINDOWS = ["time/10%-30%", "time/0%-100%", "time/47%-48%", "num/5-400", "proc/1/time/20%-80%", "time/33%-66%/enters_leaves"]


def run(*arguments, status=0):
    done = COMMAND.run(*arguments)
    assert done.status == status, f"xtf {' '.join(map(str, arguments))}: status {done.status}\n{done.output}\n{done.errors.decode()}"
    return done.output if status == 0 else done.errors.decode()


def listings(trace, folders):
    """Returns the paths of the files in directories, and the paths of their subdirectories."""
    files = {"-": [], "d": [], "l": []}
    # The first folder is listed twice: with a single directory `xtf ls` would not print its name.
    for block in run("ls", "-l", trace, *["/" + folder for folder in folders[:1] + folders]).split(b"\n\n")[1:]:
        folder, *lines = block.decode("utf-8", "surrogateescape").splitlines()
        for line in lines:
            files[line[0]].append(f"{folder[1:-1]}/{re.sub('^.[ ]+[0-9]+ ', '', line)}".lstrip("/"))
    return files["-"], files["d"]


def paths_of(trace, seed):
    """Returns files of the whole trace, of some locations and types, of definitions, and of windows."""
    pick = random.Random(seed)
    files, folders = listings(trace, [""])
    more, folders = listings(trace, folders)
    below, _ = listings(trace, folders)
    return files + more + pick.sample(below, min(60, len(below))) + listings(trace, WINDOWS)[0]


def compare_trees(first, second, paths, subject):
    """Compares all files by one command for each trace, and one by one only if they differ, to name the file."""
    selected = ["/" + path for path in paths]
    if without_name(run("cat", first, *selected), first) == without_name(run("cat", second, *selected), second):
        return
    for path in selected:
        a, b = without_name(run("cat", first, path), first), without_name(run("cat", second, path), second)
        pairs = itertools.zip_longest(a.splitlines(), b.splitlines())
        pair = next(((i, *pair) for i, pair in enumerate(pairs) if pair[0] != pair[1]), None)
        assert not pair, f"{subject}: {path}, line {pair[0]}:\n{pair[1]}\n{pair[2]}"
    assert False, f"{subject}: all files printed together differ from the same files one by one"


def check_trace(trace, by_second_reader=False):
    output = run("check", trace).decode()
    assert ": 0 problems" in output, output
    if not by_second_reader or is_sanitized(XTF):  # the reader has no sanitizer, and has read the same file with the ordinary build
        return
    done = subprocess.run([sys.executable, CHECKER, trace], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def split_trace(folder, trace, parts, seed, codec, volume_rows=0):
    """Splits a trace. With `volume_rows` each part has volumes of this number of rows."""
    subprocess.run([SPLIT, trace, folder / "part", str(parts), str(seed), codec, str(volume_rows)], check=True)
    return [folder / f"part-{i}.xtf" for i in range(parts)]


# FORMAT W43, R52
def test_same(folder, trace, parts, seed, codec):
    names, merged = split_trace(folder, trace, parts, seed, codec), folder / "merged.xtf"
    before = [name.read_bytes() for name in names]
    run("merge", "-qf", "-o", merged, *names)
    assert [name.read_bytes() for name in names] == before, "merging changed a part"
    check_trace(merged, by_second_reader=True)
    paths = [path for path in paths_of(merged, seed) if path not in IN_ORDER_OF_PARTS]
    if is_sanitized(XTF) or not tests_all():  # the sanitized build merges the same, and other tests of it read all files
        paths = random.Random(seed).sample(paths, 50)
    compare_trees(trace, merged, paths, "split and merged")

    parts_folder = folder / f"parts-{seed}.d"
    test_folder(parts_folder, trace, merged, names, paths)

    half, remerged, rewritten = folder / "half.xtf", folder / "remerged.xtf", folder / "rewritten.xtf"
    if parts > 2:
        run("merge", "-qf", "-o", half, *names[1:])
        run("merge", "-qf", "-o", remerged, names[0], half)
        check_trace(remerged)
        compare_trees(trace, remerged, paths, "split and merged in steps")
    run("merge", "-qf", "-o", remerged, *reversed(names))
    check_trace(remerged, by_second_reader=tests_all())
    run("copy", "-qf", remerged, rewritten)
    check_trace(rewritten)
    compare_trees(remerged, rewritten, paths, "merged and rewritten")
    print(f"{pathlib.Path(trace).name}: {parts} parts, {codec}: {len(paths)} files")


# FORMAT W54, R72
def test_folder(folder, trace, merged, parts, paths):
    """Checks a folder of parts: without an anchor, with one, and merged into a file."""
    folder.mkdir()
    for part in parts:
        (folder / part.name).write_bytes(part.read_bytes())
    sample = random.Random(len(paths)).sample(paths, 20)
    compare_trees(trace, folder, sample, "parts in a folder")
    assert ": 0 problems" in run("check", folder).decode()
    run("merge", "-q", "--anchor", folder)
    anchor = folder / "anchor.xtf"
    assert [(folder / part.name).read_bytes() for part in parts] == [part.read_bytes() for part in parts], "an anchor changed a part"
    check_trace(anchor, by_second_reader=True)
    compare_trees(trace, anchor, paths, "split and anchored")
    assert run("check", anchor) == run("check", merged)
    whole = folder.with_suffix(".xtf")
    run("merge", "-q", "-o", whole, folder)
    compare_trees(folder, whole, sample, "a folder, and the file that its parts were merged into")


def has_volumes(file):
    """Returns the bit VOLUMES and *own first* of a file."""
    with open(file, "rb") as opened:
        superblock = intact_superblocks(opened.fileno(), file.name)[0]
    return bool(superblock.incompatible & VOLUMES_FEATURE), superblock.own_first


# FORMAT W63, W64, R81, R83, C10
def test_volumes(folder, trace, seed, codec):
    """Checks that parts in several volumes show what the whole trace shows: alone, merged, in a folder, anchored and copied."""
    rows = int(re.search(r"^\d+ arrays, (\d+) rows", run("check", trace).decode(), re.M)[1])
    for parts in 1, 3:
        parts_folder, merged, copied = folder / f"volumes-{parts}.d", folder / "volumes.xtf", folder / "copied.xtf"
        parts_folder.mkdir()
        names = split_trace(parts_folder, trace, parts, seed, codec, rows // parts // 7)
        files = {file: file.read_bytes() for file in parts_folder.iterdir()}
        assert len(files) >= 6 * parts and all(has_volumes(name)[1] > 0 for name in names), files.keys()
        for name in names:
            check_trace(name, by_second_reader=name == names[0] or tests_all())
        run("merge", "-qf", "-o", merged, *names)
        assert has_volumes(merged) == (True, 0), has_volumes(merged)
        check_trace(merged, by_second_reader=parts > 1 or tests_all())
        paths = [path for path in paths_of(merged, seed) if path not in IN_ORDER_OF_PARTS]
        paths = random.Random(seed).sample(paths, min(len(paths), 400 if tests_all() and not is_sanitized(XTF) else 50))
        compare_trees(trace, merged, paths, "volumes, merged")
        for whole in [parts_folder] + names[:1] * (parts == 1):
            compare_trees(trace, whole, paths, f"volumes of {whole.name}")
            run("copy", "-qf", whole, copied)
            assert has_volumes(copied) == (False, 0), has_volumes(copied)
            check_trace(copied, by_second_reader=parts == 1 and whole == names[0] or tests_all())
            compare_trees(trace, copied, paths, f"volumes of {whole.name}, copied")
        run("merge", "-q", "--anchor", parts_folder)
        check_trace(parts_folder / "anchor.xtf", by_second_reader=True)
        compare_trees(trace, parts_folder / "anchor.xtf", paths, "volumes, anchored")
        assert all(file.read_bytes() == data for file, data in files.items()), "a command changed a volume"
        test_missing_volumes(parts_folder, names, merged, parts)


# FORMAT W63, R56, R82, C9
def test_missing_volumes(parts_folder, names, merged, first_fault):
    """Checks what is read without a volume, and with another file in its place: windows that do not need it, with the same answers.
    Without XTF_TEST_ALL two of five faults are planted."""
    volume, anchor, name = pathlib.Path(f"{names[0]}.0003"), parts_folder / "anchor.xtf", names[0]
    data, other = volume.read_bytes(), pathlib.Path(f"{name}.0002").read_bytes()
    whole, count = {source: run("cat", source, "/records") for source in (name, anchor)}, run("cat", anchor, "/count")
    windows = [f"/time/{i}%-{i + 2}%/records" for i in range(0, 100, 7)]
    answers = {(source, window): run("cat", source, window) for source in (name, anchor) for window in windows}
    faults = [None, other, data[:-4096], data + bytes(4096), b"something else" * 500]
    for faulty in some_of(faults[first_fault:] + faults[:first_fault], 2):
        volume.unlink()
        if faulty is not None:
            volume.write_bytes(faulty)
        for source in name, anchor:
            output = run("cat", source, "/records", status=1)
            assert str(volume) in output, output
            checked = COMMAND.completed("check", source)
            assert checked.returncode == 1 and str(volume) in checked.stdout, checked.stdout
            asked = [(window, COMMAND.completed("cat", source, window, text=False)) for window in windows]
            good = [window for window, done in asked if done.returncode == 0]
            assert all(done.stdout == answers[source, window] for window, done in asked if done.returncode == 0), source
            assert 0 < len(good), f"{source}: no window can be read without {volume.name}"
            done = subprocess.run([sys.executable, CHECKER, source], capture_output=True, text=True)
            assert done.returncode != 0 and str(volume) in done.stderr, done.stderr
        assert run("cat", anchor, "/count") == count
        output = run("merge", "-f", "-o", merged, *names, status=1)
        assert str(volume) in output, output
        if faulty is None:
            volume.write_bytes(data)
    volume.write_bytes(data)
    assert all(run("cat", source, "/records") == answer for source, answer in whole.items())


# FORMAT W39, R55, R56, R57
def test_broken_folder(folder, trace):
    """Checks that an error in one part names that part, and that the other parts and the anchor's data can still be read."""
    parts_folder = folder / "broken.d"
    parts_folder.mkdir()
    a, b = split_trace(parts_folder, trace, 2, 5, "compact")
    run("merge", "-q", "-a", parts_folder)
    anchor, original = parts_folder / "anchor.xtf", b.read_bytes()
    count = run("cat", anchor, "/count")
    all_arrays, all_rows = map(int, re.search(r"^(\d+) arrays, (\d+) rows", run("check", anchor).decode(), re.M).groups())
    whole = {path: run("cat", anchor, path) for path in ("/records", "/proc/0/records", "/proc/1/records", "/profile")}

    def assert_broken(expected):
        for path in "/records", "/profile":
            output = run("cat", anchor, path, status=1)
            assert str(b) in output and expected in output, output
        done = COMMAND.completed("check", anchor)
        assert done.returncode == 1 and str(b) in done.stdout and expected in done.stdout, done.stdout
        arrays, rows = map(int, re.search(r"^(\d+) arrays, (\d+) rows", done.stdout, re.M).groups())
        assert arrays == all_arrays and 0 < rows < all_rows, f"the check did not go on: {done.stdout}"
        done = subprocess.run([sys.executable, CHECKER, anchor], capture_output=True, text=True)
        assert done.returncode != 0 and str(b) in done.stderr, done.stderr
        assert run("cat", anchor, "/count") == count
        good = [path for path in ("/proc/0/records", "/proc/1/records")
                if COMMAND.completed("cat", anchor, path, text=False).stdout == whole[path]]
        assert len(good) == 1, f"{expected}: {good}"

    b.unlink()
    assert_broken("No such file")
    good = a.read_bytes()
    damaged = bytearray(good)
    damaged[next(at for at in range(8192, len(good), 4096) if good.startswith(b"XTFp", at)) + 100] ^= 0xff
    a.write_bytes(damaged)
    output = COMMAND.completed("check", anchor).stdout
    assert str(b) in output and re.search(re.escape(str(a)) + ".*checksum", output), f"damage beside a file that is missing: {output}"
    a.write_bytes(good)
    b.write_bytes(a.read_bytes())
    assert_broken("another file")
    b.write_bytes(original[:-4096])
    assert_broken("bytes instead of")
    b.write_bytes(original + bytes(4096))
    assert_broken("bytes instead of")
    b.write_bytes(b"something else" * 1000)
    assert_broken("not an XTF file")
    b.write_bytes(original)
    subprocess.run([DUMP, "align", b, "3"], check=True)
    assert_broken("was appended to")
    b.unlink()
    os.mkfifo(b)
    assert_broken("FIFO")
    b.unlink()
    elsewhere = folder / "elsewhere.xtf"
    elsewhere.write_bytes(original)
    for slot in 0, 4096:  # one intact superblock is enough
        elsewhere.write_bytes(original[:slot] + bytes(256) + original[slot + 256:])
        b.unlink(missing_ok=True)
        b.symlink_to(elsewhere)
        assert run("cat", anchor, "/records") == whole["/records"]
    elsewhere.write_bytes(original)  # a symbolic link to a part is followed
    assert run("cat", anchor, "/records") == whole["/records"]
    link = folder / "link.xtf"
    link.symlink_to(anchor)  # and a link to the anchor, too
    assert run("cat", link, "/records") == whole["/records"]
    b.unlink()
    for at in range(8192, len(original), 4096):  # damage of a page or an item: the command that reads it names this file
        damaged = bytearray(original)
        damaged[at + 100] ^= 0xff
        b.write_bytes(damaged)
        done = COMMAND.completed("cat", anchor, "/records")
        if done.returncode == 0:
            assert done.stdout.encode() == whole["/records"]
            continue
        where = re.search(r"byte (\d+)", done.stderr)
        assert str(b) in done.stderr and (not where or int(where[1]) < len(original)), done.stderr
    b.write_bytes(original)
    assert run("cat", anchor, "/records") == whole["/records"]
    output = run("merge", "-o", folder / "of-anchor.xtf", anchor, status=1)
    assert "is an anchor: give its folder instead" in output, output
    (parts_folder / "odd.xtf").write_bytes(b"something else")
    assert "odd.xtf" in run("merge", "--anchor", parts_folder, status=1)
    assert run("cat", anchor, "/records") == whole["/records"], "the failed command removed the anchor"
    anchor.unlink()
    assert "odd.xtf" in run("cat", parts_folder, "/count", status=1)
    (parts_folder / "odd.xtf").unlink()
    run("merge", "-a", status=2)
    run("merge", "-a", "-o", "x", parts_folder, status=2)
    run("merge", "-a", "-f", parts_folder, status=2)
    run("merge", "-o", "x", status=2)
    empty = folder / "empty.d"
    empty.mkdir()
    assert "no part" in run("merge", "-a", empty, status=1)


# FORMAT R64
def test_vanished(folder, trace):
    """Checks that a part that a power cut emptied is an error, or with --incomplete a remark: no process is left out silently."""
    parts_folder = folder / "vanished.d"
    parts_folder.mkdir()
    a, b = split_trace(parts_folder, trace, 2, 11, "compact")
    b = b.rename(parts_folder / "000001.xtf")
    original, rest_count = b.read_bytes(), run("cat", a, "/count")
    for data in (b"", bytes(4096), bytes(8192), bytes(8192) + original[8192:], bytes(len(original))):
        b.write_bytes(data)
        for command in ("cat", parts_folder, "/count"), ("info", parts_folder), ("ls", parts_folder), ("merge", "-a", parts_folder):
            output = run(*command, status=1)
            assert str(b) in output, output
        done = COMMAND.completed("check", parts_folder)
        assert done.returncode == 1 and str(b) in done.stdout and ": 1 problem\n" in done.stdout, done.stdout
        done = COMMAND.completed("cat", "--incomplete", parts_folder, "/count", text=False)
        assert done.returncode == 0 and done.stdout == rest_count, done.stderr
        assert re.fullmatch(rb"xtf: remark: process 1 \(000001.xtf\): it is damaged: .*; it is left out\n", done.stderr), done.stderr
        shown = run("info", "--incomplete", parts_folder).decode()
        assert re.search(r"^left out +process 1 \(000001.xtf\): it is damaged: ", shown, re.M), shown
    b.write_bytes(original[:100] + bytes(8192))  # damages both superblocks
    assert str(b) in run("cat", parts_folder, "/count", status=1)
    assert run("cat", "--incomplete", parts_folder, "/count") == rest_count
    b.write_bytes(original)
    assert int(run("cat", parts_folder, "/count")) > int(rest_count)


# FORMAT R64
def test_running(folder, trace):
    """Checks that a part without a commit is awaited while another part is written, and that `info` names it. A part that no
    process writes ended early."""
    parts_folder = folder / "running.d"
    parts_folder.mkdir()
    a, b = split_trace(parts_folder, trace, 2, 13, "compact")
    unclosed = File(a.read_bytes()).one_superblock()
    unclosed.seal_superblock()
    a.write_bytes(unclosed.data)
    original = b.read_bytes()
    b.write_bytes(b"")
    with open(a, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        shown = run("info", parts_folder).decode()
        assert re.search(r"part-1.xtf: it has no commit yet$", shown, re.M) and "ended early" not in shown, shown
        done = COMMAND.completed("cat", parts_folder, "/count", check=True)
        assert "remark" not in done.stderr, done.stderr
        assert ": 0 problems" in run("check", parts_folder).decode()
    b.write_bytes(original)
    os.utime(a, (0, 0))  # sets a time long ago
    shown = run("info", parts_folder).decode()
    assert re.search(r"part-0.xtf: it ended early: ", shown), shown
    done = COMMAND.completed("cat", parts_folder, "/count", check=True)
    assert "remark: part-0.xtf: it ended early" in done.stderr, done.stderr
    b.write_bytes(b"")
    assert str(b) in run("cat", parts_folder, "/count", status=1), "no part is written, so none is awaited"


def test_named_parts_are_awaited(folder, trace):
    """Checks that merging waits for a named part that is being closed: the launcher ends before the collectors.

    Merging refuses a part that a program keeps writing."""
    parts_folder, merged = folder / "named.d", folder / "named.xtf"
    parts_folder.mkdir()
    parts = split_trace(parts_folder, trace, 2, 19, "compact")
    with open(parts[1], "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "part-1.xtf: another program is writing it" in run("merge", "-o", merged, *parts, status=1)
        merging = subprocess.Popen([XTF, "merge", "--quiet", "-o", merged, *parts], stderr=subprocess.PIPE, text=True)
        time.sleep(0.3)
        assert merging.poll() is None, merging.stderr.read()
        fcntl.flock(held, fcntl.LOCK_UN)
        assert merging.wait() == 0, merging.stderr.read()
        merging.stderr.close()
    assert run("cat", merged, "/count") == run("cat", trace, "/count")


# FORMAT W44
def test_damage_is_seen(folder, trace):
    """Checks that `check` of a folder finds the damage that `check` of a part finds, and that merging refuses such a part.

    The damage is changed bytes, and files that are cut short."""
    parts_folder, merged = folder / "seen.d", folder / "seen.xtf"
    parts_folder.mkdir()
    a, b = split_trace(parts_folder, trace, 2, 17, "compact")
    original, pick, n_bad = b.read_bytes(), random.Random(4), 0
    superblock = int.from_bytes(original[88:96], "little"), int.from_bytes(original[4096 + 88:4096 + 96], "little")  # the places of their catalogs
    places = [30, 200, 4096 + 30, 4096 + 200, *(at + 20 for at in superblock), *(pick.randrange(len(original)) for _ in range(40 if not is_sanitized(XTF) else 8))]
    damaged = [original[:at] + bytes([original[at] ^ 1 << pick.randrange(8)]) + original[at + 1:] for at in places]
    damaged += [original[:4096] + bytes(256) + original[4352:], *(original[:len(original) - cut] for cut in (1, 100, 4096, len(original) // 4))]
    for data in damaged:
        b.write_bytes(data)
        part_status = COMMAND.completed("check", "-q", b, text=False).returncode
        folder_check = COMMAND.completed("check", "-q", parts_folder)
        merging = COMMAND.completed("merge", "-qf", "-o", merged, parts_folder)
        anchoring = COMMAND.completed("merge", "-q", "-a", parts_folder)
        (parts_folder / "anchor.xtf").unlink(missing_ok=True)
        assert part_status == folder_check.returncode == merging.returncode == anchoring.returncode, (part_status, folder_check, merging, anchoring)
        if part_status:
            n_bad += 1
            assert str(b) in folder_check.stdout and str(b) in merging.stderr and str(b) in anchoring.stderr and not merged.exists(), folder_check.stdout
        merged.unlink(missing_ok=True)
    assert n_bad > 10, n_bad
    b.write_bytes(original[:4096] + bytes([original[4096] ^ 1]) + original[4097:])
    skipping = COMMAND.completed("merge", "-qk", "-o", merged, parts_folder, check=True)
    assert f"left out: {b}: " in skipping.stderr, skipping.stderr
    compare_trees(a, merged, ["records"], "without the damaged part")


# FORMAT R16, C4, C5
def test_interrupted_closing(folder, trace):
    """Checks a file whose closing a power cut interrupted: one superblock is of an earlier commit, or empty. `check` remarks on
    it, and the file is whole."""
    a, b = split_trace(folder, trace, 2, 19, "compact")
    original = a.read_bytes()
    slot, commit = 4096 * (1 - original[84]), int.from_bytes(original[56:64], "little")
    earlier = bytearray(original[slot:slot + 256])
    earlier[56:64], earlier[85] = (commit - 1).to_bytes(8, "little"), 0
    earlier[252:256] = zlib.crc32(earlier[:252]).to_bytes(4, "little")
    for number, superblock in enumerate((bytes(256), bytes(earlier))):
        a.write_bytes(original[:slot] + superblock + original[slot + 256:])
        checked = run("check", a).decode()
        assert "only one superblock is of the last commit" in checked and ": 0 problems" in checked, checked
        assert not run("check", "-q", a)
        merged = folder / f"interrupted-{number}.xtf"
        run("merge", "-q", "-o", merged, a, b)
        assert ": 0 problems" in run("check", merged).decode()
    a.write_bytes(original[:slot] + bytes([original[slot] ^ 1]) + original[slot + 1:])
    assert "is damaged" in COMMAND.completed("check", a).stdout


# FORMAT W3, W39, W40
def test_refusals(folder, trace):
    """Checks that an error names the parts that do not fit. A failed merge leaves no file; -k leaves out damaged parts."""
    a, b = split_trace(folder, trace, 2, 7, "compact")
    merged, odd = folder / "refused.xtf", folder / "odd.xtf"
    merged.write_bytes(b"kept")

    def assert_refused(*parts, names=(), expected=""):
        output = run("merge", "-f", "-o", merged, *parts, status=1)
        assert all(str(name) in output for name in names) and expected in output, output
        assert merged.read_bytes() == b"kept" and len(list(folder.iterdir())) == before, "the refused merge left a file behind"

    odd.write_bytes(a.read_bytes())
    before = len(list(folder.iterdir()))
    assert_refused(a, odd, names=(a, odd), expected="location")
    assert_refused(a, b, a, names=(a,), expected="same file")
    run("copy", "-qf", "--page-size", "8K", b, odd)
    assert_refused(a, odd, names=(a, odd), expected="xtf copy --page-size 4096")
    for data in (b"", b"something else", b.read_bytes()[:5000]):
        odd.write_bytes(data)
        assert_refused(a, odd, b, names=(odd,))
    whole, partial = folder / "whole.xtf", folder / "partial.xtf"
    run("merge", "-q", "-o", whole, a, b)
    assert str(odd) in COMMAND.completed("merge", "-k", "-q", "-o", partial, a, odd, b, check=True).stderr
    compare_trees(whole, partial, ["records", "definitions/regions"], "without the damaged part")
    os.mkfifo(folder / "fifo")
    before = len(list(folder.iterdir()))
    assert_refused(a, folder / "fifo", names=(folder / "fifo",))
    assert "exists already" in run("merge", "-o", merged, a, b, status=1) and merged.read_bytes() == b"kept"
    output = run("merge", "-fo", a, a, b, status=1)
    assert "one of the parts" in output and a.read_bytes() != b"", output


def test_aligned(folder, trace, seed):
    aligned = folder / "aligned.xtf"
    aligned.write_bytes(pathlib.Path(trace).read_bytes())
    subprocess.run([DUMP, "align", aligned, str(seed)], check=True)
    test_same(folder, aligned, 3, seed + 200, "compact")


def steps_with(folder, trace, seed):
    """Returns the tests with a trace."""
    return [
        *([lambda: test_same(folder, trace, 4, seed + 100, "plain")] if tests_all() else []),
        lambda: test_same(folder, trace, 2, seed, "compact"),
        lambda: test_aligned(folder, trace, seed),
        lambda: test_volumes(folder, trace, seed, "compact" if seed % 2 else "plain"),
        *(functools.partial(test, folder, trace) for test in (test_vanished, test_refusals, test_running, test_interrupted_closing,
                                                              test_named_parts_are_awaited, test_damage_is_seen, test_broken_folder)),
    ]


def main():
    for i, trace in enumerate(TRACES):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            if not trace.endswith(".xtf"):
                run("import", "-qf", "-o", folder / "trace.xtf", trace)
                trace = folder / "trace.xtf"
            for step in steps_with(folder, trace, i):
                step()


main()
