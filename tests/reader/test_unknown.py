"""Tests files with extensions of a later version: kinds of schemas, types of fields, kinds and flags of aggregates, codecs.

Patched files have such extensions. libxtf and the independent reader must read the known contents as before, and no checker may
report damage.
No command may append to, copy or merge a file whose extensions it would lose.

    test_unknown.py DUMP-TRACE XTF
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "roundtrip"))
# pylint: disable=wrong-import-position
from xtf_check import check
from invariants_changes import change_sections
from xtf_format import CLOSED
from xtf_patch import LIMITS, SCHEMAS, File
from xtf_reader import Trace, escape
from xtf_schema import Damaged, Unknown
from xtfrun import Xtf

# Arguments of `dump-trace write`: codec, seed, page size, locations, rows.
BASES = {"plain": ("plain", 2, 4096, 2, 400), "compact": ("compact", 16, 4096, 2, 400)}


def expect(condition, *words):
    if not condition:
        sys.exit("FAILED: " + " ".join(map(str, words)))


def asked(*command):
    program, *arguments = command
    if isinstance(program, Xtf):
        done = program.completed(*arguments, text=False)
    else:
        done = subprocess.run(list(map(str, command)), capture_output=True, timeout=180, check=False)
    expect(done.returncode in (0, 1), command, "ended with", done.returncode, done.stderr)
    return done.returncode == 0, done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode()


# ---- Changes.

def schema_kind(f):
    f.schema("wide")[1].kind = 77


def table_kind(f):
    f.schema("names")[1].kind = 78


def field_type(name):
    def change(f):
        fields = f.schema("all")[2]
        next(field for field in fields if bytes(f.data[field.end:field.end + field.name_length]) == name.encode()).type = 99
    return change


def distance_type(f):
    """Changes the type of the field from which an aggregate of frames is computed."""
    f.schema("wide")[2][3].type = 99


def time_type(f):
    f.schema("narrow")[2][0].type = 99


def table_field(f):
    f.schema("names")[2][0].type = 99


def wide_field(f):
    """Joins the last two fields into one of 16 bytes."""
    number, schema, fields, _ = f.schema("all")
    last = fields[-1]
    end = last.start + 2 + last.length
    fields[-2].type = 99
    schema.fields -= 1
    schema.length -= end - last.start
    chunk = next(chunk for chunk in f.references(SCHEMAS) if chunk.at <= schema.start < chunk.at + chunk.length)
    f.move(chunk, bytes(f.data[chunk.at:last.start] + f.data[end:chunk.at + chunk.length]))
    f.find_sections()
    limits = f.references(LIMITS)[number]
    f.move(limits, f.item(limits)[:-24])


def aggregate(name, **fields):
    def change(f):
        for key, value in fields.items():
            setattr(f.schema(name)[3][0], key, value)
    return change


def codec(f):
    """Sets a codec of a later edition, whose files state a greater minor version."""
    f.array("wide").codec = 77
    f.superblock.minor = 7


def private_codec(f):
    """Sets a private codec, and adds the section of its owner."""
    f.array("narrow").codec = 200
    change_sections(lambda parts: parts.append([0x80000001, 0, bytes(range(16))]))(f)


# (name, change, base files that can be changed so, a part of the message, schemas whose arrays are refused)
CASES = [
    ("schema kind", schema_kind, BASES, "no schemas of kind 77", {"wide"}),
    ("table kind", table_kind, BASES, "no schemas of kind 78", set()),
    ("field type", field_type("small"), BASES, "no types of fields of kind 99", set()),
    ("type of a value", field_type("bytes"), BASES, "no types of fields of kind 99", set()),
    ("type of a key", field_type("event"), BASES, "no types of fields of kind 99", set()),
    ("type of a reference", field_type("name"), BASES, "no types of fields of kind 99", set()),
    ("type of seq", field_type("seq"), BASES, "no types of fields of kind 99", set()),
    ("type of a distance", distance_type, BASES, "no types of fields of kind 99", set()),
    ("type of a time", time_type, BASES, "no types of fields of kind 99", {"narrow"}),
    ("type in a table", table_field, BASES, "no types of fields of kind 99", set()),
    ("wide field", wide_field, ["plain"], "no types of fields of kind 99", set()),
    ("aggregate", aggregate("all", kind=77), BASES, "no aggregates of kind 77", set()),
    ("aggregate of frames", aggregate("wide", kind=77), BASES, "no aggregates of kind 77", set()),
    ("flag of an aggregate", aggregate("all", flags=0x83), BASES, "no aggregates with these flags, of kind 1", set()),
    ("codec", codec, BASES, "the codec or schema of 1 of the arrays", {"wide"}),
    ("private codec", private_codec, BASES, "the codec or schema of 1 of the arrays", {"narrow"}),
]


# ---- Changes of the whole file: version, features, sections.

def set_superblock(**fields):
    def change(f):
        for name, value in fields.items():
            setattr(f.superblock, name, value)
    return change


def optional_section(f):
    change_sections(lambda parts: parts.append([99, 0, b"anything"]))(f)


# (name, change, a part of the message)
WHOLE = [
    ("higher minor", set_superblock(minor=7), "format 2.7"),
    ("read-only feature", set_superblock(read_only=4), "bits 0x4"),
    ("compatible feature", set_superblock(compatible=8), "bits 0x8"),
    ("optional section", optional_section, "has an unknown section that this program would lose"),
]


# ---- Comparisons.

def rows_of(trace):
    """Returns the rows of all readable arrays as dump-trace prints them."""
    lines = []
    for array in trace.arrays():
        try:
            lines += ["\t".join([str(array.location), array.schema.name, *map(escape, trace.texts(array.schema, row))]) for row in array.read()]
        except Unknown:
            pass
    for schema, rows in trace.tables.values():
        lines += ["\t".join(map(escape, trace.texts(schema, row))) for row in rows]
    return lines


# FORMAT R9, R10, R11, R12, R13
def check_reading(dump, path, name, refused):
    trace = Trace(path)
    expect({array.schema.name for array in trace.arrays() if not array.known} == refused, name, "refuses other arrays")
    check(trace)
    own_rows = rows_of(trace)
    good, printed, complaint = asked(dump, "rows", path)
    expect(good and printed.split("\n")[:-1] == own_rows, name, "rows differ:", complaint)
    for question in ("counts", "totals"):
        good, _, complaint = asked(dump, question, path, 1, 40)
        expect(good or refused and ("not known" in complaint or "knows no" in complaint), name, question, complaint)
    trace.close()


def refused_rows(path):
    """Returns the number of refused arrays, and the numbers of their rows by schema, as the reader counts."""
    trace = Trace(path)
    arrays = [array for array in trace.arrays() if not array.known]
    trace.close()
    return len(arrays), {name: sum(array.rows for array in arrays if array.schema.name == name) for name in ("all", "narrow", "wide")}


# FORMAT R14
def check_tree(xtf, path, before, name, refused):
    """Compares the tree's files with the files before the change: only rows of refused arrays are missing."""
    n_arrays, refused_of = refused_rows(path)
    n_rows = sum(refused_of.values())
    for file in ("count", "info", "narrow/count", "histogram", "definitions/names", "all/num/3/record", "num/0-40/records", "all/num/0-40/records", "narrow/records",
                 "records", "time/0-50%/count", "proc/0/count", "totals"):
        good, text, complaint = asked(xtf, "cat", path, file)
        names_refused = name == "type of a time" and file.startswith("narrow/") or name == "table kind" and file == "definitions/names"
        expect(good != names_refused, name, file, complaint)
        if names_refused:
            expect("knows no" in complaint or name == "table kind", name, file, complaint)
        elif n_arrays > 0 and not file.startswith("definitions"):
            expect(f"{n_rows} rows of {n_arrays} arrays are left out: " in complaint, name, file, complaint)
        if file == "info" and n_arrays > 0:
            expect(["refused", str(n_rows), "rows"] in [line.split() for line in text.splitlines()], name, text)
        if file in ("count", "narrow/count") and not names_refused:
            was = int(asked(xtf, "cat", before, file)[1])
            expect(int(text) == was - refused_of["narrow"] - (refused_of["all"] if file == "count" else 0), name, file, "is", text, "and was", was)
    lines = asked(xtf, "cat", path, "records")[1].splitlines()
    expect(len(lines) == int(asked(xtf, "cat", path, "count")[1]), name, "records has", len(lines), "lines")


# FORMAT W2, W3
def check_writing(dump, xtf, path, folder, expected, name, closed=False):
    """Checks that each command that would lose unknown contents refuses the file, and leaves no new file."""
    before, files = path.read_bytes(), sorted(folder.rglob("*"))
    beside, parts = folder / "beside.analysis", folder / "parts"
    for command in ((dump, "align", path, 1), (xtf, "copy", path, folder / "copy.xtf"), (xtf, "align", "--always", "-o", folder / "aligned.xtf", path),
                    (xtf, "merge", "-o", folder / "merged.xtf", path, folder / "other.xtf"), (xtf, "merge", "-a", parts),
                    *(((xtf, "analyze", path), (xtf, "analyze", "-o", beside, path)) if closed else ())):
        good, _, complaint = asked(*command)
        expect(not good and (expected in complaint or "is not known" in complaint or "would lose" in complaint), name, command[1:3], "reports", complaint)
    expect(path.read_bytes() == before and sorted(folder.rglob("*")) == files, name, "files are changed")


# FORMAT W2, R15, C2
def check_whole(dump, xtf, folder):
    """Checks that files with unknown features of the whole file are read as before, and that no command writes them."""
    base, path, parts = folder / "plain.xtf", folder / "new.xtf", folder / "parts"
    for name, change, expected in WHOLE:
        f = File(base.read_bytes()).one_superblock()  # one superblock is enough, as after a power cut at closing
        f.superblock.flags |= CLOSED
        change(f)
        f.seal()
        path.write_bytes(f.data)
        parts.mkdir(exist_ok=True)
        (parts / "part.xtf").write_bytes(f.data)
        for command in (xtf, "check"), (xtf, "info"), (xtf, "ls"):
            good, output, complaint = asked(*command, path)
            expect(good, name, command[1], "prints", output, complaint)
        check(Trace(path))
        for file in "records", "info", "definitions/names":
            expect(asked(xtf, "cat", path, file) == asked(xtf, "cat", base, file), name, file, "differs")
        check_writing(dump, xtf, path, folder, expected, name, closed=True)


# FORMAT C2, C3
def run(dump, xtf, folder):
    asked(dump, "write", folder / "other.xtf", "plain", 3, 4096, 2, 60)
    for name, change, bases, expected, refused in CASES:
        for base in bases:
            before, path = folder / f"{base}.xtf", folder / "new.xtf"
            if not before.exists():
                asked(dump, "write", before, *BASES[base])
            f = File(before.read_bytes()).one_superblock()
            change(f)
            f.seal()
            path.write_bytes(f.data)
            good, output, complaint = asked(xtf, "check", path)
            expect(good and expected in output and ": 0 problems" in output, name, "check prints", output, complaint)
            good, output, complaint = asked(xtf, "info", path)
            expect(good and (expected in output or name.endswith("codec")), name, "info prints", output, complaint)
            try:
                check_reading(dump, path, name, refused)
            except Damaged as error:
                expect(False, name, "is damaged to the reader:", error)
            check_tree(xtf, path, before, name, refused)
            (folder / "parts").mkdir(exist_ok=True)
            (folder / "parts" / "part.xtf").write_bytes(f.data)
            check_writing(dump, xtf, path, folder, expected, name)
    check_whole(dump, xtf, folder)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="xtf-unknown-") as scratch:
        run(sys.argv[1], Xtf(sys.argv[2]), pathlib.Path(scratch))
    print(f"{len(CASES) + len(WHOLE)} cases")
