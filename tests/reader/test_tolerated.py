"""Files that readers accept: with reserved bytes that are not 0, more bytes at the ends of schemas, unknown tables, useless hints. Rows, counts
and totals stay the same. Extremes may be either zero. Two more tests have the slot of another file, and leaves in a circle.

    test_tolerated.py DUMP-TRACE XTF
"""
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path += [str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("roundtrip", "format")]
# pylint: disable=wrong-import-position
from invariants_pages import edge_with, table_of
import test_format_files
from test_reader import text_of
from xtf_check import check
from xtf_patch import BATCHES_FEATURE, LEAF, SCHEMAS, SEGMENT, SEGMENTS, File, set_fields
from xtf_reader import Trace
from xtf_schema import Damaged
from xtfrun import Xtf

# Arguments of `dump-trace write`: codec, seed, page size, locations, rows.
BASES = {"plain": ("plain", 7, 4096, 2, 1800), "compact": ("compact", 16, 4096, 2, 600)}
TIMEOUT_S = 120


def expect(truth, *words):
    if not truth:
        sys.exit("FAILED: " + " ".join(map(str, words)))


def set_bytes(f, begin, end):
    f.data[begin:end] = b"\xa5" * (end - begin)


# FORMAT R1
def set_reserved(f):
    """Sets reserved bytes wherever a reader passes."""
    set_bytes(f, f.superblock.start + 87, f.superblock.start + 88)
    set_bytes(f, f.superblock.start + 124, f.superblock.start + 252)
    f.superblock.flags |= 0xfe
    for _, page in f.pages():
        if page.kind == LEAF or not f.superblock.incompatible & BATCHES_FEATURE:
            set_bytes(f, page.start + 7, page.start + 8)
        directory, _ = f.batches(page)
        if directory:
            directory.reserved = 0xa5a5a5a5
    for _, node, entries in f.nodes():
        set_bytes(f, node.start + 5, node.start + 8)
        set_bytes(f, node.start + 12, node.start + 16)
        for entry in entries:
            set_bytes(f, entry.start + (66 if node.level == 0 else 12), entry.start + (80 if node.level == 0 else 16))
    for array in f.arrays():
        edge = f.base(array) + array.at
        set_bytes(f, edge + 4, edge + 8)
    for segment in f.bodies(SEGMENTS, SEGMENT):
        set_bytes(f, segment.start + 28, segment.start + 32)
    for section in f.sections.values():
        section.flags |= 0xfffffffe
    for _, knots in f.clock_maps():
        for knot in knots:
            set_bytes(f, knot.start + 20, knot.start + 24)
            knot.flags |= 0xfffffffe
    for schema, name in f.schemas():
        set_bytes(f, schema.start + 5, schema.start + 6)
        for field in f.schema(name)[2]:
            set_bytes(f, field.start + 3, field.start + 4)
            field.flags |= 0x8000


def lengthened(f, structure, length_code, tail):
    """Returns the bytes of a schema's part with more bytes at its end."""
    width = struct.calcsize(length_code)
    raw = bytes(f.data[structure.start:structure.start + width + structure.length])
    return struct.pack(length_code, structure.length + len(tail)) + raw[width:] + tail


# FORMAT R33
def lengthen_schemas(f):
    """Appends bytes to each schema, field and aggregate."""
    for chunk in f.references(SCHEMAS):
        schemas = []
        for schema, name in f.schemas():
            if not chunk.at <= schema.start < chunk.at + chunk.length:
                continue
            _, _, fields, aggregates = f.schema(name)
            body = bytes(f.data[schema.start + 4:schema.end + schema.name_length])
            body += b"".join(lengthened(f, part, "<H", b"later") for part in (*fields, *aggregates)) + b"still later"
            schemas.append(struct.pack("<I", len(body)) + body)
        f.move(chunk, b"".join(schemas))


# FORMAT R50
def add_tables(f):
    """Adds tables of an unknown kind to the open page of level 1 and to the whole array."""
    for level in 1, f.array("wide").height:
        edge_with(f, "wide", level, table_of(77, b"unknown to all"))


# FORMAT R8
def move_opening(f):
    set_fields(f.superblock, opening=8192, opening_bytes=16)


# FORMAT R8
def lose_opening(f):
    set_fields(f.superblock, opening=1 << 60, opening_bytes=0xffffffff)


# (name, change, bases, whether a checker accepts it)
CASES = [
    ("reserved bytes", set_reserved, BASES, False),
    ("longer schemas", lengthen_schemas, BASES, True),
    ("unknown tables", add_tables, ["plain"], True),
    ("another opening", move_opening, BASES, False),
    ("no opening", lose_opening, BASES, False),
]


def asked(dump, *arguments):
    done = subprocess.run([dump, *map(str, arguments)], capture_output=True, timeout=TIMEOUT_S, check=False)
    expect(done.returncode in (0, 1), *arguments, "ended with", done.returncode, done.stderr)
    return done.returncode == 0, done.stdout


def read_by_python(path):
    """Returns all rows, or None if the file is damaged."""
    try:
        trace = Trace(path)
        try:
            return text_of(trace)
        finally:
            trace.close()
    except Damaged:
        return None


def check_cases(dump, xtf, folder):
    for name, change, bases, accepted in CASES:
        for base in bases:
            before, path = folder / f"{base}.xtf", folder / "changed.xtf"
            f = File(before.read_bytes()).one_superblock()
            f.folder = folder
            change(f)
            f.seal()
            path.write_bytes(f.data)
            for question in ("rows",), ("counts", 1, 40), ("totals", 1, 40):
                good, said = asked(dump, question[0], path, *question[1:])
                expect(good and said == asked(dump, question[0], before, *question[1:])[1], name, base, question[0], "differ")
            expect(read_by_python(path) == read_by_python(before), name, base, "rows differ to the reader in Python")
            if accepted:
                done = xtf.completed("check", path)
                expect(done.returncode == 0 and ": 0 problems" in done.stdout, name, base, "check says", done.stdout)
                check(Trace(path))


# FORMAT R7
def check_slots(dump, folder):
    """Readers fall back to a slot of the same file when a catalog is lost, and not to the slot of another file."""
    path, whole = folder / "slots.xtf", (folder / "plain.xtf").read_bytes()
    for own in True, False:
        f = File(whole)
        other = next(slot for slot in f.slots if slot is not f.superblock)
        if not own:
            other.file_id = bytes(16)
        f.seal_superblock()
        f.data[f.superblock.catalog_at + 20] ^= 1
        path.write_bytes(f.data)
        expect(asked(dump, "rows", path)[0] == own, "a slot of", "the same" if own else "another", "file")
        expect((read_by_python(path) is not None) == own, "to Python, a slot of", "the same" if own else "another", "file")


# FORMAT R45
def check_circle(dump, folder):
    """Leaves that name themselves or an earlier leaf as the one behind them: reading ends, with an error or with all rows."""
    path, whole = folder / "circle.xtf", folder / "plain.xtf"
    rows = asked(dump, "rows", whole)[1]
    for back in 0, 3:
        f = File(whole.read_bytes()).one_superblock()
        leaves = f.pages(f.array("wide"), LEAF)
        leaves[5][1].behind = leaves[5 - back][0]
        f.seal()
        path.write_bytes(f.data)
        good, said = asked(dump, "rows", path)
        expect(not good or said == rows, "a circle of", back + 1, "leaves gives other rows")
        expect(read_by_python(path) in (None, rows.decode("utf-8", "surrogateescape").split("\n")[:-1]), "a circle gives Python other rows")


def check_zeros(xtf, folder):
    """Either zero is the least and the greatest of zeros. The last value is that of a row."""
    test_format_files.expand(folder)
    path, negative = folder / "totals.xtf", 1 << 63
    whole = path.read_bytes()
    for cell, accepted in ("cell2", True), ("cell3", True), ("cell4", False):
        f = File(whole).one_superblock()
        names = [name for _, name in f.schemas()]
        arrays = [array for array in f.arrays() if array.codec == 0 and array.length > 8 + 32 * array.height]
        tables = [(names[array.schema], table) for array in arrays for level in range(1, array.height + 1) for table in f.edge_tables(array, level)]
        row = next(row for name, table in tables if table.kind == 1 for row in f.totals_rows(name, table)
                   if "cell4" in row.layout.fields and (row.cell2, row.cell3, row.cell4) == (negative, negative, 0))
        setattr(row, cell, getattr(row, cell) ^ negative)
        f.seal()
        path.write_bytes(f.data)
        expect((xtf.completed("check", path).returncode == 0) == accepted, "check with another zero in", cell)
        try:
            check(Trace(path))
            expect(accepted, "the reader in Python accepts another zero in", cell)
        except Damaged:
            expect(not accepted, "the reader in Python refuses another zero in", cell)


def main():
    dump, xtf = sys.argv[1], Xtf(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="xtf-tolerated-") as name:
        folder = pathlib.Path(name)
        for base, sizes in BASES.items():
            subprocess.run([dump, "write", folder / f"{base}.xtf", *map(str, sizes)], check=True)
        check_cases(dump, xtf, folder)
        check_slots(dump, folder)
        check_circle(dump, folder)
        check_zeros(xtf, folder)
    print(f"{len(CASES)} cases")


if __name__ == "__main__":
    main()
