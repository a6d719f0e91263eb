"""Breaks each invariant of docs/FORMAT.md, one field at a time, with checksums put right: both checkers must object, and for that reason.

    test_invariants.py DUMP-TRACE XTF [NAME...]    all rows of INVARIANTS, or those of these names
    test_invariants.py table                       docs/INVARIANTS.md, which the test compares

A row: the section of docs/FORMAT.md; a name; what must hold; the file that is changed; how; a part of what `xtf check` says; a part of
what xtf_check.py says.
"""
import functools
import pathlib
import shutil
import subprocess
import sys
import tempfile

from invariants_arrays import ARRAY_ROWS
from invariants_catalog import CATALOG_ROWS
from invariants_files import FILE_ROWS
from invariants_pages import PAGE_ROWS
from invariants_schemas import SCHEMA_ROWS
from invariants_totals import TOTALS_AND_MAPS
from xtf_check import check
from xtf_patch import SEGMENT_MAPS, File
from xtf_reader import Trace
from xtf_schema import Damaged

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "roundtrip"))
from xtfrun import Xtf, takes_fewer  # pylint: disable=wrong-import-position

# Arguments of `dump-trace write`: codec, seed, page size, locations, rows.
BASES = {
    "small": ("plain", 2, 4096, 1, 600),    # trees of two levels
    "high": ("plain", 7, 4096, 1, 1800),    # a tree of three levels, with a sealed index page and its companion
    "many": ("plain", 6, 4096, 40, 6),      # a P index of two levels
    "packed": ("compact", 16, 4096, 2, 600),
    "leaf": ("plain", 9, 65536, 1, 600),  # one leaf
    "groups": ("plain", 3, 131072, 1, 9000),  # more groups in a leaf than are stored by all keys: filters
}
MERGED = ("many", ("plain", 8, 4096, 3, 120, 1000))  # and merged with another one: the base "merged"
DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "INVARIANTS.md"
HEAD = """# Invariants of the format, and the tests that break them

Each line is a sentence of `docs/FORMAT.md`. `tests/reader/test_invariants.py` changes the field that breaks it, in a small file, and puts all checksums right:
`xtf check` and `tests/reader/xtf_check.py` must both object, and for that reason. The test fails if this page is not what its table says
(`test_invariants.py table` writes it).

| section | what must hold | test |
|---|---|---|
"""

INVARIANTS = CATALOG_ROWS + ARRAY_ROWS + TOTALS_AND_MAPS + SCHEMA_ROWS + FILE_ROWS + PAGE_ROWS


def expect(truth, *words):
    if not truth:
        sys.exit("FAILED: " + " ".join(map(str, words)))


@functools.cache
def command_of(program):
    return Xtf(program)


def asked_c(xtf, path):
    """What `xtf check` says against a file; None: nothing."""
    done = command_of(xtf).run("check", "--quiet", path)
    expect(done.status in (0, 1), "xtf check ended with", done.status, done.errors)
    return (done.output + done.errors).decode() if done.status else None


def asked_python(path):
    try:
        trace = Trace(path)
        try:
            check(trace)
        finally:
            trace.close()
    except Damaged as error:
        return str(error)
    return None


def make_bases(dump_trace, xtf, folder):
    make_anchor(dump_trace, xtf, folder, "anchor", xpart=BASES["small"])
    make_anchor(dump_trace, xtf, folder, "another_anchor_1", other_part=BASES["small"])
    make_anchor(dump_trace, xtf, folder, "pair", one_of_two_parts=BASES["small"], two_of_two_parts=MERGED[1])
    for name, sizes in BASES.items():
        subprocess.run([dump_trace, "write", folder / f"{name}.xtf", *map(str, sizes)], check=True)
    other = folder / "other.xtf"
    subprocess.run([dump_trace, "write", other, *map(str, MERGED[1])], check=True)
    subprocess.run([xtf, "merge", "--quiet", "-o", folder / "merged.xtf", folder / f"{MERGED[0]}.xtf", other], check=True)
    base = folder / "base_of_companion.xtf"
    subprocess.run([dump_trace, "write", base, *map(str, BASES["small"])], check=True)
    subprocess.run([xtf, "analyze", "--quiet", "-o", folder / "companion.xtf", base], check=True)
    one_superblock(folder / "companion.xtf")
    expect_sound(xtf, folder / "companion.xtf", "companion")
    shutil.copy(folder / "small.xtf", folder / "closed.xtf")
    expect_sound(xtf, folder / "closed.xtf", "closed")
    for name in (*BASES, "merged"):
        path = folder / f"{name}.xtf"
        one_superblock(path)
        expect_sound(xtf, path, name)
        expect_sound(xtf, broken(folder, name, rewritten), f"{name}, its items moved,")


def make_anchor(dump_trace, xtf, folder, name, **parts):
    """An anchor, and beside it the files that it names."""
    scratch = folder / name
    scratch.mkdir()
    for part, sizes in parts.items():
        subprocess.run([dump_trace, "write", scratch / f"{part}.xtf", *map(str, sizes)], check=True)
    subprocess.run([xtf, "merge", "--quiet", "--anchor", scratch], check=True)
    for part in parts:
        (scratch / f"{part}.xtf").rename(folder / f"{part}.xtf")
    path = (scratch / "anchor.xtf").rename(folder / f"{name}.xtf")
    one_superblock(path)
    expect_sound(xtf, path, name)


def one_superblock(path):
    f = File(path.read_bytes()).one_superblock()
    f.seal()
    path.write_bytes(f.data)


def rewritten(f):
    """Changes that break nothing."""
    f.store_catalog(f.parts())
    table, (chunk, *_) = next(f.tables())
    f.move(chunk, f.item(chunk))
    for entry in f.arrays()[:3] if SEGMENT_MAPS not in f.sections else ():
        f.move_edge(entry)


def expect_sound(xtf, path, what):
    said = asked_c(xtf, path), asked_python(path)
    expect(said == (None, None), what, "is no sound file:", said)


def broken(folder, base, patch):
    f = File((folder / f"{base}.xtf").read_bytes())
    f.folder = folder
    patch(f)
    f.seal()
    path = folder / "broken.xtf"
    path.write_bytes(f.data)
    return path


# FORMAT C1, C7
def run(dump_trace, xtf, folder, wanted):
    failures = 0
    make_bases(dump_trace, xtf, folder)
    for _, name, what, base, patch, c_says, python_says in INVARIANTS:
        if wanted and name not in wanted:
            continue
        path = broken(folder, base, patch)
        asked = [("xtf check", c_says, asked_c(xtf, path))]
        if not takes_fewer(xtf):  # the second checker has no sanitizer, and reads the same files in the ordinary build
            asked.append(("xtf_check.py", python_says, asked_python(path)))
        for who, parts, said in asked:
            if said is None or parts not in said:
                failures += 1
                print(f"{name} ({what}): {who} says {said!r}, not {parts!r}", flush=True)
            elif wanted:
                print(f"{name}: {who}: {said}")
    expect(not failures, failures, "invariants are not checked")


def table():
    return HEAD + "".join(f"| {section} | {what} | `{name}` |\n" for section, name, what, *_ in sorted(INVARIANTS, key=lambda row: int(row[0])))


def main():
    if sys.argv[1] == "table":
        DOCUMENT.write_text(table())
        return
    dump_trace, xtf, *wanted = sys.argv[1:]
    names = [row[1] for row in INVARIANTS]
    expect(len(set(names)) == len(names), "two rows of one name")
    with tempfile.TemporaryDirectory(prefix="xtf-invariants-") as folder:
        run(dump_trace, xtf, pathlib.Path(folder), wanted)
    expect(DOCUMENT.read_text() == table(), DOCUMENT, "is not what the table says: write it by `test_invariants.py table`")


if __name__ == "__main__":
    main()
