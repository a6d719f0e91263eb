"""Files that every reader refuses, and files that every reader reads although they look odd. Each is a changed test file.

A row of BROKEN has these members:

- the name of the file
- the test file that is changed
- the rule of docs/FORMAT.md that the file breaks, with its section
- the change
- a part of the message of `xtf check`
- a part of the message of the Python reader

Each change computes the checksums anew, except where a wrong checksum is the change.
"""
import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "reader"))
from xtf_patch import FILE, FILES, LEAF, SCHEMAS, STRINGS, TABLES, File  # pylint: disable=wrong-import-position

UNKNOWN_SECTION = 99


def flip(f, at):
    f.data[at] ^= 1


def torn(f):
    """Changes a byte of both superblocks."""
    f.seal()
    for slot in (0, 4096):
        flip(f, slot + 64)


def torn_newest(f):
    f.seal()
    flip(f, f.superblock.start + 64)


def catalog(f):
    f.seal()
    flip(f, f.superblock.catalog_at + 24)


def superblock(**fields):
    def change(f):
        for name, value in fields.items():
            setattr(f.superblock, name, value)
        f.seal()
    return change


def section(flags):
    def change(f):
        f.store_catalog(f.parts() + [[UNKNOWN_SECTION, flags, b"anything"]])
        f.seal()
    return change


def newer(f):
    """Adds things of a later minor version, which readers ignore."""
    f.superblock.minor, f.superblock.compatible, f.superblock.read_only = 9, 1 << 60, 1 << 61
    section(0)(f)


def split(f, kind, at):
    """Returns the body of a section whose one item becomes two chunks: the bytes before `at`, and the others."""
    item = f.item(f.references(kind)[0])
    return struct.pack("<QIIQII", f.append(item[:at]), at, 0, f.append(item[at:]), len(item) - at, 0)


def chunks(f):
    """Splits schemas, strings and a table into two chunks each."""
    schema = list(f.schemas())[1][0]
    string = 5 + 4 + len("main") + 1
    table, (chunk, *_) = next(f.tables())
    bodies = {SCHEMAS: split(f, SCHEMAS, schema.start - f.references(SCHEMAS)[0].at), STRINGS: split(f, STRINGS, string)}
    first = 2 * chunk.length // table.rows
    bodies[TABLES] = struct.pack("<IIQQIIQII", table.schema, 2, table.rows, chunk.at, first, 0, chunk.at + first, chunk.length - first, 0)
    f.store_catalog([[kind, flags, bodies.get(kind, body)] for kind, flags, body in f.parts()])
    f.seal()


def leaf_checksum(f):
    f.seal()
    flip(f, f.pages(f.array("calls"), LEAF)[0][1].end + 8)


def leaf_circle(f):
    """Makes the first leaf name itself as the leaf behind it."""
    place, page = f.pages(f.array("calls"), LEAF)[0]
    page.behind = place
    f.seal()


def array(name, location=None, **fields):
    def change(f):
        entry = f.array(name, location)
        for key, value in fields.items():
            setattr(entry, key, value(getattr(entry, key)) if callable(value) else value)
        f.seal()
    return change


def packed(name, location, at, old, new):
    """Changes bytes of the packed rows of an open leaf, `at` bytes from the first one."""
    def change(f):
        entry = f.array(name, location)
        where = f.leaf_rows(entry) + at
        if bytes(f.data[where:where + len(old)]) != old:
            raise ValueError(f"{name}: {bytes(f.data[where:where + 8]).hex()} is not {old.hex()}")
        f.data[where:where + len(new)] = new
        f.seal()
    return change


def templates(f):
    """Changes the last byte of `sends`. It is the template of the last row: no stream follows the templates."""
    entry = f.array("sends")
    f.data[f.leaf_rows(entry) + f.edge(entry)[0][0].bytes - 1] = 255
    f.seal()


def misaligned(f):
    _, (chunk, *_) = next(f.tables())
    f.move(chunk, f.item(chunk), align=4)
    f.seal()


def long_item(f):
    f.references(SCHEMAS)[0].length = (64 << 20) + 8
    f.seal()


def string_end(f):
    """Changes the NUL behind the last string."""
    chunk = f.references(STRINGS)[0]
    f.data[chunk.at + chunk.length - 1] = 1
    f.seal()


def string_past_heap(f):
    """Changes the string of the first row of a table."""
    chunk = next(f.tables())[1][0]
    f.data[chunk.at + 1] = 0xff
    f.seal()


def part(number=0, **fields):
    """Adds to fields of an entry of FILES."""
    def change(f):
        entry = f.body(FILES, FILE)
        for _ in range(number):
            entry = f.at(entry.end + -(-entry.length // 8) * 8, FILE)
        for name in fields:
            setattr(entry, name, getattr(entry, name) + fields[name])
        f.seal()
    return change


def volume_name(f):
    """Makes the last digit of an earlier volume's name a 9."""
    entry = f.body(FILES, FILE)
    f.data[entry.end + entry.length - 1] = ord("9")
    f.seal()


def volume_page(f):
    """Changes a byte of the leaf in the last volume."""
    f.seal()
    flip(f, f.pages(f.array("calls", 1), LEAF)[-1][1].end + 8)


def falling_clock(f):
    """Gives the second knot of the map an earlier global time than the first has."""
    f.clock_maps()[0][1][1].global_ = 9
    f.seal()


def short(f):
    f.seal()
    del f.data[9000:]


BROKEN = [
    ("torn", "plain", "2: a superblock counts if its checksum is right", torn, "both superblocks are damaged", "no intact superblock"),
    ("short", "plain", "2: the catalog lies in the file", short, "beyond the end of the file", "past the end of the file"),
    ("major", "plain", "2: a reader refuses another major version", superblock(major=3), "a newer program is needed", "this reader knows 2"),
    ("page-size", "plain", "2: the page size is a power of two", superblock(page_size=6000), "superblock: page size", "impossible page size"),
    ("checksum-kind", "plain", "2: a reader refuses an unknown kind of checksum", superblock(checksum_kind=2), "checksums of a kind that is not known", "checksums of kind 2"),
    ("incompatible", "plain", "2: a reader refuses an unknown incompatible feature", superblock(incompatible=1 << 7), "features that this program does not know", "features that this reader does not know"),
    ("catalog", "plain", "1: the checksum of an item is right", catalog, "its checksum is wrong", "catalog: wrong checksum"),
    ("required-section", "plain", "3: a reader refuses an unknown required section", section(1), "which is required but unknown", "required section of unknown kind 99"),
    ("misaligned", "plain", "1: items begin at multiples of 8", misaligned, "invalid reference to an item at byte", "no item lies at"),
    ("long-item", "plain", "1: an item has at most 64 MiB", long_item, "67108872 bytes is beyond the end of the file", "no item lies at"),
    ("string-end", "plain", "3: a string ends with a NUL", string_end, "no NUL follows its bytes", "does not end with NUL"),
    ("string-past-heap", "plain", "3: a string lies in the heap", string_past_heap, "no string begins at", "past the end of the heap"),
    ("falling-clock", "plain", "3: global times of knots never fall", falling_clock, "is before that of the previous knot", "a time does not rise"),
    ("array-beyond", "plain", "5: the right edge lies in the file", array("events", 3, at=lambda at: at + (1 << 20)), "beyond the end of the file", "past the end of the file"),
    ("array-schema", "plain", "5: an array has a schema", array("values", schema=77), "schema", "there is no such schema, 77"),
    ("array-rows", "plain", "5: the right edge ends with the last row", array("events", 3, rows=8), "its rows do not end where the array does", "does not end with row 8"),
    ("array-clock", "plain", "5: an array has one of the clock maps, or none", array("events", 3, clock_map=2), "its clock map 2 does not exist", "there is no clock map 2"),
    ("height", "plain", "11: a tree has at most 12 levels", array("events", 3, height=13), "its height is invalid", "13 levels"),
    ("leaf-checksum", "totals", "4: the checksum of a page is right", leaf_checksum, "its checksum is wrong", "wrong checksum"),
    ("leaf-circle", "totals", "5: the leaf behind a leaf begins with the next row", leaf_circle, "names page 2 as its next page", "the leaf after row 46 begins with row 0"),
    ("varint", "compact", "6: a varint has 1 to 10 bytes", packed("states", 2, 0, b"", b"\xff" * 11), "a number that does not end", "a number that does not end"),
    ("head-tail", "compact", "6: the tails have the bytes that the heads say", packed("ticks", 3, 0, b"\x06\x01", b"\x06\xff"), "has a wrong length", "a stream of a wrong length"),
    ("stream-kind", "compact", "6: a stream is of kind 0, 1 or 2", packed("ticks", 3, 0, b"\x06", b"\x07"), "has an unknown kind", "a stream of an unknown kind"),
    ("template", "compact", "6: the template of a row exists", templates, "template", "a template that does not exist"),
    ("part-replaced", "anchor", "9: a file is the one that its entry names", part(commit=1), "it is another file than expected", "is not the file that the catalog names"),
    ("part-changed", "anchor", "9: a file has as many bytes as its entry says", part(size=-8), "bytes instead of", "is not the file that the catalog names"),
    ("base-replaced", "companion", "9: the base is of the commit that the companion file names", part(wall_time=1), "it is another file than expected", "is not the file that the catalog names"),
    # FORMAT R90
    ("anchored-anchor", "anchored", "9: an anchor is of the commit that the companion file names", part(wall_time=1), "it is another file than expected", "is not the file that the catalog names"),
    ("anchored-part", "anchored", "9: a part of an anchor is of the commit that the companion file names", part(2, wall_time=1), "it is another file than expected", "is not the file that the catalog names"),
    # FORMAT R91
    ("anchored-bit", "companion", "9: the companion file of an anchor names the anchor and its parts", superblock(incompatible=18), "marked as the companion of an anchor", "it is no companion file of an anchor"),
    ("volume-missing", "volumes", "9: the earlier volumes are in the folder", volume_name, "volumes.xtf.0009: No such file", "volumes.xtf.0009: No such file"),
    ("volume-replaced", "volumes", "9: an earlier volume is the one that its entry names", part(wall_time=1), "it is another file than expected", "is not the file that the catalog names"),
    ("volume-changed", "volumes", "9: an earlier volume has as many bytes as its entry says", part(size=-8), "bytes instead of", "is not the file that the catalog names"),
    ("volume-gap", "volumes", "9: FILES has the pages before *own first*", part(pages=1), "are not those before this one", "do not have the pages before this one"),
    ("volume-first", "volumes", "9: *own first* is at most *pages allotted*", superblock(own_first=1 << 20), "", "its first page is 1048576"),
    ("volume-page", "volumes", "4: the checksum of a page is right", volume_page, "its checksum is wrong", "wrong checksum"),
]

# Files that are read. A row: the name, the test file, the rule, the change, the name of the JSON with the rows.
READ = [
    ("newer", "plain", "2: a reader ignores a greater minor version, and features and sections that are not required", newer, "plain"),
    ("chunks", "plain", "3: schemas, strings and tables may lie in several chunks", chunks, "plain"),
    ("torn-newest", "growing", "2: if the newer superblock is torn, the other one is the file's", torn_newest, "torn-newest"),
]


def change(name, base, data):
    """Returns a file that a row of BROKEN or READ describes; `data` is the stored one. The file has one superblock only.
    So readers cannot use the other one. Changes of `growing` and `torn` need both."""
    f = File(data)
    if base != "growing" and name != "torn":
        f.one_superblock()
    return f
