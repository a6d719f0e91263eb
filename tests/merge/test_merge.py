#!/usr/bin/env python3
"""Merged parts show what the whole showed: every file of the tree, in windows too, byte for byte.

A trace is split into parts that number regions, communicators, metrics and strings differently (split-trace), and the parts are merged:
at once, in steps, and the other way round, when all numbers are others; then the result is compared with a rewrite, row by row (xtf copy).
The parts as a folder, with an anchor and without, show the same.
The same of a trace whose clocks were corrected.

usage: test_merge.py XTF SPLIT_TRACE DUMP_TRACE XTF_CHECK_PY TRACE...      a TRACE that is no .xtf file is imported first
"""
import fcntl
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
from xtf_patch import File
from xtfrun import Xtf, is_sanitized, without_name

XTF, SPLIT, DUMP, CHECKER, *TRACES = sys.argv[1:]
COMMAND = Xtf(XTF)
# The definitions of one part after those of another.
IN_ORDER_OF_PARTS = {"definitions/definition_order", "definitions/definition_references"}
WINDOWS = ["time/10%-30%", "time/0%-100%", "time/47%-48%", "num/5-400", "proc/1/time/20%-80%", "time/33%-66%/enters_leaves"]


def run(*arguments, status=0):
    done = COMMAND.run(*arguments)
    assert done.status == status, f"xtf {' '.join(map(str, arguments))}: status {done.status}\n{done.output}\n{done.errors.decode()}"
    return done.output if status == 0 else done.errors.decode()


def listings(trace, folders):
    """Of directories: the paths of their files, and those of the directories in them."""
    found = {"-": [], "d": [], "l": []}
    # The first one, once more: of a single directory `xtf ls` would not say the name.
    for block in run("ls", "-l", trace, *["/" + folder for folder in folders[:1] + folders]).split(b"\n\n")[1:]:
        folder, *lines = block.decode("utf-8", "surrogateescape").splitlines()
        for line in lines:
            found[line[0]].append(f"{folder[1:-1]}/{re.sub('^.[ ]+[0-9]+ ', '', line)}".lstrip("/"))
    return found["-"], found["d"]


def paths_of(trace, seed):
    """Files of the whole trace, of some locations and types, of definitions, and of windows."""
    pick = random.Random(seed)
    found, folders = listings(trace, [""])
    more, folders = listings(trace, folders)
    below, _ = listings(trace, folders)
    return found + more + pick.sample(below, min(60, len(below))) + listings(trace, WINDOWS)[0]


def compare(one, other, paths, what):
    """All files by one command a trace; one by one only where they differ, to say which does."""
    selected = ["/" + path for path in paths]
    if without_name(run("cat", one, *selected), one) == without_name(run("cat", other, *selected), other):
        return
    for path in selected:
        a, b = without_name(run("cat", one, path), one), without_name(run("cat", other, path), other)
        pairs = itertools.zip_longest(a.splitlines(), b.splitlines())
        pair = next(((i, *pair) for i, pair in enumerate(pairs) if pair[0] != pair[1]), None)
        assert not pair, f"{what}: {path}, line {pair[0]}:\n{pair[1]}\n{pair[2]}"
    assert False, f"{what}: all files together are others than one by one"


def check(trace, by_second_reader=False):
    said = run("check", trace).decode()
    assert ": 0 problems" in said, said
    if not by_second_reader or is_sanitized(XTF):  # which has no sanitizer, and read the same file of the ordinary build
        return
    done = subprocess.run([sys.executable, CHECKER, trace], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def split(folder, trace, parts, seed, codec):
    subprocess.run([SPLIT, trace, folder / "part", str(parts), str(seed), codec], check=True)
    return [folder / f"part-{i}.xtf" for i in range(parts)]


# FORMAT W43, R52
def test_same(folder, trace, parts, seed, codec):
    names, merged = split(folder, trace, parts, seed, codec), folder / "merged.xtf"
    before = [name.read_bytes() for name in names]
    run("merge", "-qf", "-o", merged, *names)
    assert [name.read_bytes() for name in names] == before, "merging changed a part"
    check(merged, by_second_reader=True)
    paths = [path for path in paths_of(merged, seed) if path not in IN_ORDER_OF_PARTS]
    if is_sanitized(XTF):  # which merges the same, and has other tests that read all files
        paths = random.Random(seed).sample(paths, 50)
    compare(trace, merged, paths, "split and merged")

    parts_folder = folder / f"parts-{seed}.d"
    test_folder(parts_folder, trace, merged, names, paths)

    half, other, rewritten = folder / "half.xtf", folder / "other.xtf", folder / "rewritten.xtf"
    if parts > 2:
        run("merge", "-qf", "-o", half, *names[1:])
        run("merge", "-qf", "-o", other, names[0], half)
        check(other)
        compare(trace, other, paths, "split and merged in steps")
    run("merge", "-qf", "-o", other, *reversed(names))
    check(other, by_second_reader=True)
    run("copy", "-qf", other, rewritten)
    check(rewritten)
    compare(other, rewritten, paths, "merged and rewritten")
    print(f"{pathlib.Path(trace).name}: {parts} parts, {codec}: {len(paths)} files")


# FORMAT W54, R72
def test_folder(folder, trace, merged, parts, paths):
    """The parts in a folder, as they are, and with an anchor; and merged from there."""
    folder.mkdir()
    for part in parts:
        (folder / part.name).write_bytes(part.read_bytes())
    some = random.Random(len(paths)).sample(paths, 20)
    compare(trace, folder, some, "parts in a folder")
    assert ": 0 problems" in run("check", folder).decode()
    run("merge", "-q", "--anchor", folder)
    anchor = folder / "anchor.xtf"
    assert [(folder / part.name).read_bytes() for part in parts] == [part.read_bytes() for part in parts], "an anchor changed a part"
    check(anchor, by_second_reader=True)
    compare(trace, anchor, paths, "split and anchored")
    assert run("check", anchor) == run("check", merged)
    whole = folder.with_suffix(".xtf")
    run("merge", "-q", "-o", whole, folder)
    compare(folder, whole, some, "a folder and what was merged of it")


# FORMAT W39, R55, R56, R57
def test_broken_folder(folder, trace):
    """What is wrong with a part is said with its name; the other parts, and what the anchor knows, are as they were."""
    parts_folder = folder / "broken.d"
    parts_folder.mkdir()
    a, b = split(parts_folder, trace, 2, 5, "compact")
    run("merge", "-q", "-a", parts_folder)
    anchor, kept = parts_folder / "anchor.xtf", b.read_bytes()
    count = run("cat", anchor, "/count")
    all_arrays, all_rows = map(int, re.search(r"^(\d+) arrays, (\d+) rows", run("check", anchor).decode(), re.M).groups())
    whole = {path: run("cat", anchor, path) for path in ("/records", "/proc/0/records", "/proc/1/records", "/profile")}

    def broken(says):
        for path in "/records", "/profile":
            said = run("cat", anchor, path, status=1)
            assert str(b) in said and says in said, said
        done = COMMAND.completed("check", anchor)
        assert done.returncode == 1 and str(b) in done.stdout and says in done.stdout, done.stdout
        arrays, rows = map(int, re.search(r"^(\d+) arrays, (\d+) rows", done.stdout, re.M).groups())
        assert arrays == all_arrays and 0 < rows < all_rows, f"the check did not go on: {done.stdout}"
        done = subprocess.run([sys.executable, CHECKER, anchor], capture_output=True, text=True)
        assert done.returncode != 0 and str(b) in done.stderr, done.stderr
        assert run("cat", anchor, "/count") == count
        good = [path for path in ("/proc/0/records", "/proc/1/records")
                if COMMAND.completed("cat", anchor, path, text=False).stdout == whole[path]]
        assert len(good) == 1, f"{says}: {good}"

    b.unlink()
    broken("No such file")
    good = a.read_bytes()
    damaged = bytearray(good)
    damaged[next(at for at in range(8192, len(good), 4096) if good.startswith(b"XTFp", at)) + 100] ^= 0xff
    a.write_bytes(damaged)
    said = COMMAND.completed("check", anchor).stdout
    assert str(b) in said and re.search(re.escape(str(a)) + ".*checksum", said), f"damage beside a file that is missing: {said}"
    a.write_bytes(good)
    b.write_bytes(a.read_bytes())
    broken("another file")
    b.write_bytes(kept[:-4096])
    broken("bytes instead of")
    b.write_bytes(kept + bytes(4096))
    broken("bytes instead of")
    b.write_bytes(b"something else" * 1000)
    broken("not an XTF file")
    b.write_bytes(kept)
    subprocess.run([DUMP, "align", b, "3"], check=True)
    broken("was appended to")
    b.unlink()
    os.mkfifo(b)
    broken("FIFO")
    b.unlink()
    elsewhere = folder / "elsewhere.xtf"
    elsewhere.write_bytes(kept)
    for slot in 0, 4096:  # one superblock is as good as both
        elsewhere.write_bytes(kept[:slot] + bytes(256) + kept[slot + 256:])
        b.unlink(missing_ok=True)
        b.symlink_to(elsewhere)
        assert run("cat", anchor, "/records") == whole["/records"]
    elsewhere.write_bytes(kept)  # a link is as good as the file
    assert run("cat", anchor, "/records") == whole["/records"]
    link = folder / "link.xtf"
    link.symlink_to(anchor)  # and so is one to the anchor
    assert run("cat", link, "/records") == whole["/records"]
    b.unlink()
    for at in range(8192, len(kept), 4096):  # a page, or an item: found where it is read, in this file
        damaged = bytearray(kept)
        damaged[at + 100] ^= 0xff
        b.write_bytes(damaged)
        done = COMMAND.completed("cat", anchor, "/records")
        if done.returncode == 0:
            assert done.stdout.encode() == whole["/records"]
            continue
        where = re.search(r"byte (\d+)", done.stderr)
        assert str(b) in done.stderr and (not where or int(where[1]) < len(kept)), done.stderr
    b.write_bytes(kept)
    assert run("cat", anchor, "/records") == whole["/records"]
    said = run("merge", "-o", folder / "of-anchor.xtf", anchor, status=1)
    assert "is an anchor: give its folder instead" in said, said
    (parts_folder / "odd.xtf").write_bytes(b"something else")
    assert "odd.xtf" in run("merge", "--anchor", parts_folder, status=1)
    assert run("cat", anchor, "/records") == whole["/records"], "the anchor went with a failure"
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
    """A part that a power cut emptied is an error, or, if one asks to go on, a remark: never a process less in silence."""
    parts_folder = folder / "vanished.d"
    parts_folder.mkdir()
    a, b = split(parts_folder, trace, 2, 11, "compact")
    b = b.rename(parts_folder / "000001.xtf")
    kept, rest = b.read_bytes(), run("cat", a, "/count")
    for data in (b"", bytes(4096), bytes(8192), bytes(8192) + kept[8192:], bytes(len(kept))):
        b.write_bytes(data)
        for command in ("cat", parts_folder, "/count"), ("info", parts_folder), ("ls", parts_folder), ("merge", "-a", parts_folder):
            said = run(*command, status=1)
            assert str(b) in said, said
        done = COMMAND.completed("check", parts_folder)
        assert done.returncode == 1 and str(b) in done.stdout and ": 1 problem\n" in done.stdout, done.stdout
        done = COMMAND.completed("cat", "--incomplete", parts_folder, "/count", text=False)
        assert done.returncode == 0 and done.stdout == rest, done.stderr
        assert re.fullmatch(rb"xtf: remark: process 1 \(000001.xtf\): it is damaged: .*; it is left out\n", done.stderr), done.stderr
        shown = run("info", "--incomplete", parts_folder).decode()
        assert re.search(r"^left out +process 1 \(000001.xtf\): it is damaged: ", shown, re.M), shown
    b.write_bytes(kept[:100] + bytes(8192))  # both superblocks are torn
    assert str(b) in run("cat", parts_folder, "/count", status=1)
    assert run("cat", "--incomplete", parts_folder, "/count") == rest
    b.write_bytes(kept)
    assert int(run("cat", parts_folder, "/count")) > int(rest)


# FORMAT R64
def test_running(folder, trace):
    """While another part is written, one without a commit is awaited, and `info` names it; one that nobody writes ended early."""
    parts_folder = folder / "running.d"
    parts_folder.mkdir()
    a, b = split(parts_folder, trace, 2, 13, "compact")
    unclosed = File(a.read_bytes()).one_superblock()
    unclosed.seal_superblock()
    a.write_bytes(unclosed.data)
    kept = b.read_bytes()
    b.write_bytes(b"")
    with open(a, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        shown = run("info", parts_folder).decode()
        assert re.search(r"part-1.xtf: it has no commit yet$", shown, re.M) and "ended early" not in shown, shown
        done = COMMAND.completed("cat", parts_folder, "/count", check=True)
        assert "remark" not in done.stderr, done.stderr
        assert ": 0 problems" in run("check", parts_folder).decode()
    b.write_bytes(kept)
    os.utime(a, (0, 0))  # long ago
    shown = run("info", parts_folder).decode()
    assert re.search(r"part-0.xtf: it ended early: ", shown), shown
    done = COMMAND.completed("cat", parts_folder, "/count", check=True)
    assert "remark: part-0.xtf: it ended early" in done.stderr, done.stderr
    b.write_bytes(b"")
    assert str(b) in run("cat", parts_folder, "/count", status=1), "no part is written, so none is awaited"


def test_named_parts_are_awaited(folder, trace):
    """A part that is named may still be being closed: the launcher ends before the collectors do. One that is written on is refused."""
    parts_folder, merged = folder / "named.d", folder / "named.xtf"
    parts_folder.mkdir()
    parts = split(parts_folder, trace, 2, 19, "compact")
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
    """What `check` says of a part it says of its folder, and merging refuses it: wherever a byte is changed, or the file cut off."""
    parts_folder, merged = folder / "seen.d", folder / "seen.xtf"
    parts_folder.mkdir()
    a, b = split(parts_folder, trace, 2, 17, "compact")
    kept, pick, n_bad = b.read_bytes(), random.Random(4), 0
    superblock = int.from_bytes(kept[88:96], "little"), int.from_bytes(kept[4096 + 88:4096 + 96], "little")  # their catalogs
    places = [30, 200, 4096 + 30, 4096 + 200, *(at + 20 for at in superblock), *(pick.randrange(len(kept)) for _ in range(40 if not is_sanitized(XTF) else 8))]
    damaged = [kept[:at] + bytes([kept[at] ^ 1 << pick.randrange(8)]) + kept[at + 1:] for at in places]
    damaged += [kept[:4096] + bytes(256) + kept[4352:], *(kept[:len(kept) - cut] for cut in (1, 100, 4096, len(kept) // 4))]
    for data in damaged:
        b.write_bytes(data)
        alone = COMMAND.completed("check", "-q", b, text=False).returncode
        whole = COMMAND.completed("check", "-q", parts_folder)
        taken = COMMAND.completed("merge", "-qf", "-o", merged, parts_folder)
        anchored = COMMAND.completed("merge", "-q", "-a", parts_folder)
        (parts_folder / "anchor.xtf").unlink(missing_ok=True)
        assert alone == whole.returncode == taken.returncode == anchored.returncode, (alone, whole, taken, anchored)
        if alone:
            n_bad += 1
            assert str(b) in whole.stdout and str(b) in taken.stderr and str(b) in anchored.stderr and not merged.exists(), whole.stdout
        merged.unlink(missing_ok=True)
    assert n_bad > 10, n_bad
    b.write_bytes(kept[:4096] + bytes([kept[4096] ^ 1]) + kept[4097:])
    less = COMMAND.completed("merge", "-qk", "-o", merged, parts_folder, check=True)
    assert f"left out: {b}: " in less.stderr, less.stderr
    compare(a, merged, ["records"], "without the damaged part")


# FORMAT R16, C4, C5
def test_interrupted_closing(folder, trace):
    """A power cut at closing may leave the other superblock of an earlier commit, or none: that is remarked on, and the file is whole."""
    a, b = split(folder, trace, 2, 19, "compact")
    kept = a.read_bytes()
    slot, commit = 4096 * (1 - kept[84]), int.from_bytes(kept[56:64], "little")
    earlier = bytearray(kept[slot:slot + 256])
    earlier[56:64], earlier[85] = (commit - 1).to_bytes(8, "little"), 0
    earlier[252:256] = zlib.crc32(earlier[:252]).to_bytes(4, "little")
    for number, other in enumerate((bytes(256), bytes(earlier))):
        a.write_bytes(kept[:slot] + other + kept[slot + 256:])
        checked = run("check", a).decode()
        assert "only one superblock is of the last commit" in checked and ": 0 problems" in checked, checked
        assert not run("check", "-q", a)
        merged = folder / f"interrupted-{number}.xtf"
        run("merge", "-q", "-o", merged, a, b)
        assert ": 0 problems" in run("check", merged).decode()
    a.write_bytes(kept[:slot] + bytes([kept[slot] ^ 1]) + kept[slot + 1:])
    assert "is damaged" in COMMAND.completed("check", a).stdout


# FORMAT W3, W39, W40
def test_refusals(folder, trace):
    """What does not fit is refused by name, and leaves nothing behind; what is damaged may be left out."""
    a, b = split(folder, trace, 2, 7, "compact")
    merged, odd = folder / "refused.xtf", folder / "odd.xtf"
    merged.write_bytes(b"kept")

    def refused(*parts, names=(), says=""):
        said = run("merge", "-f", "-o", merged, *parts, status=1)
        assert all(str(name) in said for name in names) and says in said, said
        assert merged.read_bytes() == b"kept" and len(list(folder.iterdir())) == before, "something is left behind"

    odd.write_bytes(a.read_bytes())
    before = len(list(folder.iterdir()))
    refused(a, odd, names=(a, odd), says="location")
    refused(a, b, a, names=(a,), says="same file")
    run("copy", "-qf", "--page-size", "8K", b, odd)
    refused(a, odd, names=(a, odd), says="xtf copy --page-size 4096")
    for data in (b"", b"something else", b.read_bytes()[:5000]):
        odd.write_bytes(data)
        refused(a, odd, b, names=(odd,))
    whole, less = folder / "whole.xtf", folder / "less.xtf"
    run("merge", "-q", "-o", whole, a, b)
    assert str(odd) in COMMAND.completed("merge", "-k", "-q", "-o", less, a, odd, b, check=True).stderr
    compare(whole, less, ["records", "definitions/regions"], "without the damaged part")
    os.mkfifo(folder / "fifo")
    before = len(list(folder.iterdir()))
    refused(a, folder / "fifo", names=(folder / "fifo",))
    assert "exists already" in run("merge", "-o", merged, a, b, status=1) and merged.read_bytes() == b"kept"
    said = run("merge", "-fo", a, a, b, status=1)
    assert "one of the parts" in said and a.read_bytes() != b"", said


def main():
    for i, trace in enumerate(TRACES):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            if not trace.endswith(".xtf"):
                run("import", "-qf", "-o", folder / "trace.xtf", trace)
                trace = folder / "trace.xtf"
            test_same(folder, trace, 2, i, "compact")
            test_same(folder, trace, 4, i + 100, "plain")
            aligned = folder / "aligned.xtf"
            aligned.write_bytes(pathlib.Path(trace).read_bytes())
            subprocess.run([DUMP, "align", aligned, str(i)], check=True)
            test_same(folder, aligned, 3, i + 200, "compact")
            test_refusals(folder, trace)
            test_vanished(folder, trace)
            test_interrupted_closing(folder, trace)
            test_running(folder, trace)
            test_named_parts_are_awaited(folder, trace)
            test_damage_is_seen(folder, trace)
            test_broken_folder(folder, trace)


main()
