"""Breaks each invariant of docs/FORMAT.md, one field at a time, with correct checksums. Both checkers must report that error.

    test_invariants.py DUMP-TRACE XTF [NAME...]    all rows of INVARIANTS, or the rows with these names
    test_invariants.py table                       writes docs/INVARIANTS.md, which the test compares

A row of INVARIANTS has the section of docs/FORMAT.md, a name, the invariant, the name of the file to change, and the change.
Then follow two expected texts: a part of the message of `xtf check`, and a part of the message of xtf_check.py.
"""
import functools
import gzip
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from invariants_arrays import ARRAY_ROWS
from invariants_batches import BATCH_ROWS, unbatched
from invariants_catalog import CATALOG_ROWS
from invariants_files import FILE_ROWS
from invariants_pages import PAGE_ROWS
from invariants_pieces import PIECE_ROWS
from invariants_schemas import SCHEMA_ROWS
from invariants_totals import TOTALS_AND_MAPS
from xtf_check import check
from xtf_patch import BATCHES_FEATURE, SEGMENT_MAPS, File
from xtf_reader import Trace
from xtf_schema import Damaged

sys.path += [str(pathlib.Path(__file__).resolve().parents[1] / room) for room in ("roundtrip", "format")]
from format_recipes import follow_recipe  # pylint: disable=wrong-import-position
from xtfrun import Xtf, tests_all  # pylint: disable=wrong-import-position

# Arguments of `dump-trace write`: codec, seed, page size, locations, rows.
BASES = {
    "small": ("plain", 2, 4096, 1, 600),    # trees of two levels
    "high": ("plain", 7, 4096, 1, 1800),    # a tree of three levels, with a sealed index page and its companion, without batches
    "batches": ("plain", 7, 4096, 1, 1800),  # the same, with batches
    "many": ("plain", 6, 4096, 40, 6),      # a P index of two levels
    "packed": ("compact", 16, 4096, 2, 600),
    "leaf": ("plain", 9, 65536, 1, 600),  # one leaf
    "groups": ("plain", 3, 131072, 1, 9000),  # filters: a leaf has more groups than are stored by all keys
}
MERGED = ("many", ("plain", 8, 4096, 3, 120, 1000))  # with the first, this trace is merged into the base "merged"
RECIPES = pathlib.Path(__file__).resolve().parents[1] / "format" / "recipes.json.gz"
DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "INVARIANTS.md"
HEAD = """# Invariants of the format, and the tests that break them

Each line is a rule of `docs/FORMAT.md`. `tests/reader/test_invariants.py` breaks it by changing a
field in a small file, and corrects all checksums. `xtf check` and `tests/reader/xtf_check.py` must
both report that error. The test fails if this page differs from its table
(`test_invariants.py table` writes the page).

| section | what must hold | test |
|---|---|---|
"""

INVARIANTS = CATALOG_ROWS + ARRAY_ROWS + TOTALS_AND_MAPS + BATCH_ROWS + SCHEMA_ROWS + FILE_ROWS + PAGE_ROWS + PIECE_ROWS


def expect(condition, *words):
    if not condition:
        sys.exit("FAILED: " + " ".join(map(str, words)))


@functools.cache
def command_of(program):
    return Xtf(program)


def error_of_xtf(xtf, path):
    """Returns the message of `xtf check` about a file; None: no error."""
    done = command_of(xtf).run("check", "--quiet", path)
    expect(done.status in (0, 1), "xtf check ended with", done.status, done.errors)
    return (done.output + done.errors).decode() if done.status else None


def error_of_reader(path):
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
    second = folder / "second.xtf"
    subprocess.run([dump_trace, "write", second, *map(str, MERGED[1])], check=True)
    subprocess.run([xtf, "merge", "--quiet", "-o", folder / "merged.xtf", folder / f"{MERGED[0]}.xtf", second], check=True)
    base = folder / "base_of_companion.xtf"
    subprocess.run([dump_trace, "write", base, *map(str, BASES["small"])], check=True)
    subprocess.run([xtf, "analyze", "--quiet", "-o", folder / "companion.xtf", base], check=True)
    one_superblock(folder / "companion.xtf")
    expect_sound(xtf, folder / "companion.xtf", "companion")
    one_superblock(folder / "anchored.xtf")
    expect_sound(xtf, folder / "anchored.xtf", "anchored")
    volumes = folder / "volumes.xtf"
    subprocess.run([dump_trace, "volumes", volumes, *map(str, BASES["small"])], check=True)
    one_superblock(volumes)
    expect_sound(xtf, volumes, "volumes")
    make_joined(xtf, folder)
    shutil.copy(folder / "small.xtf", folder / "closed.xtf")
    expect_sound(xtf, folder / "closed.xtf", "closed")
    for name in (*BASES, "merged"):
        path = folder / f"{name}.xtf"
        one_superblock(path, unbatched if name == "high" else None)
        expect(File(path.read_bytes()).superblock.incompatible & BATCHES_FEATURE or name != "batches", name, "has no batches")
        expect_sound(xtf, path, name)
        expect_sound(xtf, broken(folder, name, rewritten), f"{name}, its items moved,")


def make_anchor(dump_trace, xtf, folder, name, **parts):
    """Makes an anchor, and beside it the files that it names."""
    scratch = folder / name
    scratch.mkdir()
    for part, sizes in parts.items():
        subprocess.run([dump_trace, "write", scratch / f"{part}.xtf", *map(str, sizes)], check=True)
    subprocess.run([xtf, "merge", "--quiet", "--anchor", scratch], check=True)
    for part in parts:
        (scratch / f"{part}.xtf").rename(folder / f"{part}.xtf")
    path = (scratch / "anchor.xtf").rename(folder / f"{name}.xtf")
    subprocess.run([xtf, "analyze", "--quiet", path], check=True)
    pathlib.Path(f"{path}.analysis").rename(folder / "anchored.xtf")  # of the last anchor
    one_superblock(path)
    expect_sound(xtf, path, name)


def make_joined(xtf, folder):
    """Makes an anchor of runs, and its runs beside it, as tests/format has them."""
    recipes = json.loads(gzip.decompress(RECIPES.read_bytes()))
    for name, made in ("run-1", "run-1"), ("run-2", "run-2"), ("runs", "joined"):
        (folder / f"{made}.xtf").write_bytes(follow_recipe(recipes[f"{name}.xtf"], folder))
    one_superblock(folder / "joined.xtf")
    expect_sound(xtf, folder / "joined.xtf", "joined")


def one_superblock(path, change=None):
    f = File(path.read_bytes()).one_superblock()
    if change:
        change(f)
    f.seal()
    path.write_bytes(f.stored())


def rewritten(f):
    """Moves structures without breaking an invariant."""
    f.store_catalog(f.parts())
    table, (chunk, *_) = next(f.tables())
    f.move(chunk, f.item(chunk))
    for entry in f.arrays()[:3] if SEGMENT_MAPS not in f.sections else ():
        f.move_edge(entry)


def expect_sound(xtf, path, name):
    errors = error_of_xtf(xtf, path), error_of_reader(path)
    expect(errors == (None, None), name, "is damaged before any change:", errors)


def broken(folder, base, patch):
    f = File((folder / f"{base}.xtf").read_bytes())
    f.folder = folder
    patch(f)
    f.seal()
    path = folder / "broken.xtf"
    path.write_bytes(f.stored())
    return path


# FORMAT C1, C7
def run(dump_trace, xtf, folder, wanted):
    failures = 0
    make_bases(dump_trace, xtf, folder)
    for number, (_, name, rule, base, patch, expected_c, expected_python) in enumerate(INVARIANTS):
        if wanted and name not in wanted:
            continue
        path = broken(folder, base, patch)
        results = [("xtf check", expected_c, error_of_xtf(xtf, path))]
        if tests_all() or wanted or number % 3 == 0:  # the independent checker takes most of the time
            results.append(("xtf_check.py", expected_python, error_of_reader(path)))
        for program, expected, message in results:
            if message is None or expected not in message:
                failures += 1
                print(f"{name} ({rule}): {program} reports {message!r}, not {expected!r}", flush=True)
            elif wanted:
                print(f"{name}: {program}: {message}")
    expect(not failures, failures, "errors were not reported as expected")


def table():
    return HEAD + "".join(f"| {section} | {rule} | `{name}` |\n" for section, name, rule, *_ in sorted(INVARIANTS, key=lambda row: int(row[0])))


def main():
    if sys.argv[1] == "table":
        DOCUMENT.write_text(table())
        return
    dump_trace, xtf, *wanted = sys.argv[1:]
    names = [row[1] for row in INVARIANTS]
    expect(len(set(names)) == len(names), "two rows of one name")
    with tempfile.TemporaryDirectory(prefix="xtf-invariants-") as folder:
        run(dump_trace, xtf, pathlib.Path(folder), wanted)
    expect(DOCUMENT.read_text() == table(), DOCUMENT, "differs from the table: write it by `test_invariants.py table`")


if __name__ == "__main__":
    main()
