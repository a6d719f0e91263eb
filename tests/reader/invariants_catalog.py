"""Rows of INVARIANTS in test_invariants.py: items (section 1), the superblock (2), the catalog and the structures that it names
(3)."""
import struct

from invariants_changes import aggregate, change_sections, drop, empty_chunk, field, longer, schema, shorter, swap
from xtf_patch import CLOCK_KIND, COUNTS, FILE, FILES, FREE_KIND, LEAF, LIMITS, SCHEMAS, SEGMENTS, STRINGS, TABLES, WRITER, plus, set_fields


# ---- Sections 1 and 2.

def misplaced_item(f):
    table, (chunk, *_) = next(f.tables())
    f.move(chunk, f.item(chunk), align=4)


def item_in_page(f):
    """Puts an item into the zeros after a leaf's payload."""
    _, page = f.pages(f.array("all"), LEAF)[0]
    limits = f.references(LIMITS)[1]
    data = f.item(limits)
    at = page.start + 4096 - len(data) - 8 & ~7
    f.data[at:at + len(data)] = data
    limits.at = at


def huge_item(f):
    """Appends 65 MiB of zeros to an item; its checksum is correct."""
    reference = f.references(STRINGS)[-1]
    f.move(reference, f.item(reference) + bytes(65 << 20))


def few_pages(f):
    change_sections(lambda parts: parts.remove(next(part for part in parts if part[0] == FREE_KIND)))(f)
    set_fields(f.superblock, pages=4)


def other_segment(f):
    """Changes the id of the segment, and the file id with it."""
    set_fields(f.segment, id=plus(1))
    set_fields(f.superblock, file_id=lambda v: struct.pack("<Q", f.segment.id) + v[8:])


def past_end(f):
    set_fields(next(f.tables())[1][0], at=lambda at: at + (1 << 20))


# ---- Section 3.

def clock(**fields):
    return lambda f: set_fields(f.clock, **fields)


def frames_value(name, i, value):
    """Changes the i-th value of an aggregate of frames. The one byte of its key precedes the values."""
    def patch(f):
        f.data[f.schema(name)[3][0].end + 1 + i] = value
    return patch


def name_byte(name, byte):
    def patch(f):
        schema_head = f.schema(name)[1]
        f.data[schema_head.end + 1] = byte
    return patch


def same_names(f):
    """Renames schema `narrow` to `all`."""
    chunks = f.references(SCHEMAS)
    data = b"".join(f.item(chunk) for chunk in chunks)
    data = bytearray(data)
    at = next(entry for entry, name in f.schemas() if name == "narrow").start
    base = chunks[0].at
    old = data[at - base:at - base + 4 + struct.unpack_from("<I", data, at - base)[0]]
    new = bytearray(old.replace(b"\x06\x00narrow", b"\x03\x00all"))
    struct.pack_into("<I", new, 0, len(new) - 4)
    f.move(chunks[0], bytes(data).replace(bytes(old), bytes(new)))


def split_schema(f):
    """Splits a schema over two chunks."""
    data = f.item(f.references(SCHEMAS)[0])
    first, second = f.append(data[:40]), f.append(data[40:])
    parts = f.parts()
    part = next(part for part in parts if part[0] == SCHEMAS)
    part[2] = struct.pack("<QIIQII", first, 40, 0, second, len(data) - 40, 0) + part[2][16:]
    f.store_catalog(parts)


def no_table(f):
    set_fields(next(f.tables())[0], schema=0)


def two_tables(f):
    parts = f.parts()
    part = next(part for part in parts if part[0] == TABLES)
    part[2] += part[2]
    f.store_catalog(parts)


def table_within_row(f):
    table, (chunk, *_) = next(f.tables())
    f.move(chunk, f.item(chunk)[:-1])


def string_row(value):
    """Changes the string of a row of array `all`."""
    def patch(f):
        _, _, fields, _ = f.schema("all")
        offset = next(field.offset for field in fields if field.type == 8)
        _, page = f.pages(f.array("all"), LEAF)[0]
        size = f.schema("all")[1].row_size
        for row in range(page.rows):
            at = page.end + row * size + offset
            if f.data[at:at + 4] != b"\xff" * 4:
                struct.pack_into("<I", f.data, at, value(struct.unpack_from("<I", f.data, at)[0]))
                return
    return patch


def string_table(value):
    def patch(f):
        offset = next(field.offset for field in f.schema("names")[2] if field.type == 8)
        chunk = next(f.tables())[1][0]
        struct.pack_into("<I", f.data, chunk.at + offset, value(struct.unpack_from("<I", f.data, chunk.at + offset)[0]))
    return patch


def string_heap(at, data):
    def patch(f):
        chunk = f.references(STRINGS)[0]
        f.data[chunk.at + at:chunk.at + at + len(data)] = data
    return patch


def longer_string(f):
    """Extends a string past its NUL, over the next string."""
    chunk = f.references(STRINGS)[0]
    length, = struct.unpack_from("<I", f.data, chunk.at + 5)
    following, = struct.unpack_from("<I", f.data, chunk.at + 5 + 4 + length + 1)
    struct.pack_into("<I", f.data, chunk.at + 5, length + 1 + 4 + following)


def limit(name, number, **fields):
    return lambda f: set_fields(f.limits(name, number), **fields)


def limits_length(f):
    reference = f.references(LIMITS)[0]
    f.move(reference, f.item(reference) + bytes(24))


def no_limits(f):
    set_fields(f.references(LIMITS)[0], at=0, length=0)


def free_pages(*entries):
    def patch(f):
        parts = [part for part in f.parts() if part[0] != FREE_KIND]
        parts.append([FREE_KIND, 0, b"".join(struct.pack("<QQQ", *(value(f) if callable(value) else value for value in entry)) for entry in entries)])
        f.store_catalog(parts)
    return patch


def part_file(**fields):
    return lambda f: set_fields(f.body(FILES, FILE), **fields)


def part_name(text):
    """Changes the first bytes of a part's name."""
    def patch(f):
        at = f.body(FILES, FILE).end
        f.data[at:at + len(text)] = text
    return patch


def leaf_page(f):
    return f.pages(f.array("narrow"), LEAF)[0][1].start // 4096


def writer_section(body):
    return change_sections(lambda parts: next(part for part in parts if part[0] == WRITER).__setitem__(2, body))


def spare_page(f):
    """Returns the number of a page that nothing uses."""
    return f.append(b"spare") // 4096


CATALOG_ROWS = [
    ("1", "item-alignment", "Items begin at multiples of 8", "small", misplaced_item, "names: invalid reference to an item at byte", "no item lies at"),
    ("1", "item-length", "An item has at most 64 MiB", "small", huge_item, "strings: invalid reference to an item at byte", "strings: no item lies at"),
    ("1", "item-past-end", "Items lie in the file", "small", past_end, "is beyond the end of the file", "past the end of the file"),
    ("1", "item-in-page", "No page holds items and rows", "small", item_in_page, "is used twice", "holds items, and is used twice"),
    # FORMAT R71
    ("2", "magic", "The file begins with the magic", "small", lambda f: set_fields(f.superblock, magic=b"\x89XTG\r\n\x1a\n"),
     "not an XTF file (or has no complete commit", "not an XTF file: it has no intact superblock"),
    ("2", "major", "The major version is 2", "small", lambda f: set_fields(f.superblock, major=3),
     "a newer program is needed (this one reads format", "this reader knows"),
    ("2", "page-size", "The page size is a power of two from 4 KiB to 1 MiB", "small", lambda f: set_fields(f.superblock, page_size=6000),
     "superblock: page size", "impossible page size"),
    ("2", "file-id", "The file id begins with the id of the file's own segment", "small", lambda f: set_fields(f.superblock, file_id=bytes(16)),
     "superblock: the file id does not begin with the", "superblock: the file id is not that of its"),
    ("2", "incompatible", "A file with an unknown incompatible feature is refused", "small", lambda f: set_fields(f.superblock, incompatible=1 << 40),
     "the file uses features that this program does", "it has features that this reader does not know"),
    # FORMAT W4
    ("2", "compact-bit", "Bit 0 of the incompatible features is set if an array has codec compact", "packed", lambda f: set_fields(f.superblock, incompatible=0),
     "its codec is compact, but the superblock lacks", "it is packed, but the superblock lacks the feature"),
    ("2", "commit", "Commits are numbered from 1", "small", lambda f: set_fields(f.superblock, commit=0), "both must be at least", "superblock: commit"),
    ("2", "pages", "All pages in use are allotted", "small", few_pages, "is used, but not allotted", "segments: they overlap, or lie past the end"),
    ("2", "epoch", "Writers are numbered from 1; no segment has a later epoch", "small", lambda f: set_fields(f.superblock, epoch=0),
     "both must be at least", "superblock: commit"),
    ("2", "slot", "A superblock says in which slot it lies", "small", lambda f: set_fields(f.superblock, slot=lambda slot: 1 - slot),
     "both superblocks are damaged", "not an XTF file: it has no intact superblock"),
    ("2", "checksum-kind", "Checksums are of kind 1", "small", lambda f: set_fields(f.superblock, checksum_kind=2),
     "the file has checksums of a kind that is not", "it has checksums of kind"),
    ("2", "opening", "The opening run lies in the file, and holds the catalog", "small", lambda f: set_fields(f.superblock, opening=1 << 40),
     "superblock: the opening run does not contain the", "superblock: the opening run does not hold the"),
    ("2", "kept-commits", "At least 2 commits are kept", "small", lambda f: set_fields(f.superblock, kept_commits=1),
     "commits are kept, fewer than", "commits are kept"),
    ("3", "catalog-magic", "The catalog begins with its magic", "small", lambda f: set_fields(f.catalog, magic=b"XTFd"),
     "catalog: it does not begin with the catalog's magic number", "catalog: wrong magic"),
    ("3", "sections-fewer", "Nothing follows the last section", "small", lambda f: set_fields(f.catalog, sections=plus(-1)),
     "catalog: bytes are left over after its sections", "catalog: bytes left over"),
    ("3", "sections-more", "There are as many sections as the catalog says", "small", lambda f: set_fields(f.catalog, sections=plus(1)),
     "catalog: a section is cut short", "catalog: ends too early"),
    ("3", "section-length", "The length of a section is a multiple of 8", "small", longer(SEGMENTS, bytes(4)),
     "the length of a section is not a multiple of 8", "is no multiple of 8"),
    ("3", "section-twice", "Each kind of section occurs once", "small", change_sections(lambda parts: parts.append(parts[0])),
     "catalog: a section occurs twice", "catalog: two sections of kind"),
    ("3", "section-missing", "Sections 1 to 7 and 9 exist", "small", drop(TABLES), "catalog: a section is missing", "catalog: a section is missing"),
    # FORMAT W25
    ("3", "section-order", "COUNTS precedes LIMITS", "small", swap(COUNTS, LIMITS),
     "catalog: it has not one item of limits for each", "catalog: LIMITS precedes COUNTS"),
    ("3", "section-required", "A required section of an unknown kind is refused", "small", change_sections(lambda parts: parts.append([99, 1, b""])),
     "which is required but unknown to this version", "catalog: a required section of unknown kind"),
    ("3", "clock-length", "The clock has 48 bytes", "small", longer(CLOCK_KIND, bytes(8)),
     "catalog: bytes are left over in a section", "catalog: bytes left over in a section"),
    ("3", "clock-num", "Resolutions are not 0", "small", clock(num=0), "catalog: the clock has no resolution", "clock: no resolution"),
    ("3", "clock-den", "Resolutions are not 0", "small", clock(den=0), "catalog: the clock has no resolution", "clock: no resolution"),
    ("3", "clock-origin", "The origin is no later than the first record", "small", clock(origin=lambda v: (1 << 63)),
     "catalog: the clock begins after the first record", "clock: the records"),
    ("3", "clock-first-less", "first is the least time of all records", "small", clock(first=plus(-1), origin=plus(-1)),
     "s first and last times are not those of the", "clock: the records"),
    ("3", "clock-first-more", "first is the least time of all records", "small", clock(first=plus(1)),
     "s first and last times are not those of the", "clock: the records"),
    ("3", "clock-last-less", "last is the greatest time of all records", "small", clock(last=plus(-1)),
     "s first and last times are not those of the", "clock: the records"),
    ("3", "clock-last-more", "last is the greatest time of all records", "small", clock(last=plus(1)),
     "s first and last times are not those of the", "clock: the records"),
    ("3", "clock-none", "first is greater than last only if there are no records", "small", clock(first=1, last=0),
     "s first and last times are not those of the", "clock: the records"),
    ("3", "segment-id", "Pages have the id of their segment", "small", other_segment, "): it belongs to another file", "belongs to another array, level or segment"),
    ("3", "segment-pages", "All places are smaller than the segment's pages", "small", lambda f: set_fields(f.segment, pages=3),
     "it refers to page", "past the end of its segment"),
    ("3", "segment-epoch", "No page has a later epoch than its segment", "small", lambda f: set_fields(f.segment, epoch=0),
     "): a later writer than the commit", "belongs to another array, level or segment"),
    ("3", "segment-length", "Segments have 32 bytes each", "small", longer(SEGMENTS, bytes(8)),
     "catalog: bytes are left over in a section", "catalog: no whole number of entries"),
    ("3", "schema-length", "A schema has the bytes that its length says", "small", schema("all", length=plus(-8)),
     "catalog: a schema is cut short or exceeds a limit", "schemas: ends too early"),
    ("3", "schema-row-size", "The row size is the sum of the fields' sizes", "small", schema("all", row_size=plus(1)),
     "its row size is wrong or too large", "schema all: the fields do not fill the row"),
    ("3", "schema-no-fields", "A schema has 1 to 64 fields", "small", schema("narrow", fields=0),
     "it has no fields or too many", "schema narrow: the fields do not fill the row"),
    ("3", "schema-fields", "There are as many fields as the schema says", "small", schema("all", fields=plus(1)),
     "catalog: a schema is cut short or exceeds a limit", "schemas: ends too early"),
    ("3", "schema-aggregates", "There are as many aggregates as the schema says", "small", schema("all", aggregates=plus(1)),
     "catalog: a schema is cut short or exceeds a limit", "schemas: ends too early"),
    ("3", "schema-name-utf8", "Names are UTF-8", "small", name_byte("narrow", 0xff), "is not UTF-", "is not UTF-"),
    ("3", "schema-name-nul", "Names are without NUL", "small", name_byte("narrow", 0), "catalog: a schema is cut short or exceeds a limit", "NUL in the name"),
    ("3", "schema-twice", "No two schemas have one name", "small", same_names, "catalog: two schemas have the same name", "schemas: two have the same name"),
    ("3", "schema-split", "A chunk holds whole schemas", "small", split_schema,
     "catalog: a schema is cut short or exceeds a limit", "a chunk of the schemas: ends too early"),
    ("3", "schema-empty-chunk", "No chunk is empty", "small", empty_chunk(SCHEMAS), "catalog: the references to the schemas are invalid", "schemas: an empty chunk"),
    ("3", "field-length", "A field has the bytes that its length says", "small", field("all", 3, length=3),
     "catalog: a schema is cut short or exceeds a limit", "schemas: ends too early"),
    ("3", "field-offset", "Fields follow one another without gaps", "small", field("all", 3, offset=plus(1)),
     "a gap or an overlap before field", "schema all: a gap before field small"),
    ("3", "field-labels", "There are as many labels as the field says", "small", field("all", 2, labels=plus(9)),
     "catalog: a schema is cut short or exceeds a limit", "schemas: ends too early"),
    ("3", "field-time", "The first field of records and side rows is a U64 of role time", "small", field("narrow", 0, type=6),
     "the first field must be the time, a U", "schema narrow: its first field is no time"),
    ("3", "aggregate-key", "Keys are fields", "small", lambda f: f.data.__setitem__(f.schema("all")[3][0].end, 63),
     "aggregate: a key or value is not a field, or occurs", "schema all: an aggregate of a field that does not"),
    ("3", "aggregate-key-twice", "No field is a key twice", "small", lambda f: f.data.__setitem__(f.schema("all")[3][0].end + 1, 2),
     "aggregate: a key or value is not a field, or occurs", "schema all: an aggregate has a field twice"),
    ("3", "aggregate-value", "A STRING is no value", "small", lambda f: f.data.__setitem__(f.schema("all")[3][0].end + 2, 9),
     "aggregate: a string has no sum", "schema all: an aggregate has a STRING as a value"),
    ("3", "aggregate-typed-by", "typed by names a key", "small", aggregate("all", typed_by=3),
     "aggregate: the key that gives the type of values", "schema all: an aggregate is typed by no key"),
    ("3", "aggregate-masks", "No bit is in both masks", "small", aggregate("all", typed_by=1, reals=1, signeds=1),
     "aggregate: a label gives a value two types, or no", "schema all: an aggregate has a bit in both masks"),
    ("3", "aggregate-no-masks", "Both masks are 0 if typed by is 0", "small", aggregate("all", reals=1),
     "aggregate: a label gives a value two types, or no", "schema all: an aggregate has masks, but no type"),
    ("3", "aggregate-frames-key", "An aggregate of frames has one key", "small", aggregate("wide", keys=2, values=2),
     "aggregate: frames have one key and three values,", "schema wide: an aggregate of frames with other"),
    ("3", "aggregate-frames-time", "No value of frames is the row's first field", "small", frames_value("wide", 2, 0),
     "aggregate: the values of frames must be unsigned", "schema wide: an aggregate of frames with other values"),
    ("3", "aggregate-distance", "The distance of frames is a field with flag bit 3", "small", field("wide", 3, flags=0),
     "aggregate: the second value of frames must be a", "schema wide: an aggregate of frames without a"),
    ("3", "arrays-number", "The catalog says the number of arrays", "small", lambda f: set_fields(f.root(), number=plus(1)), "arrays, but the catalog states",
     "arrays, the catalog says"),
    ("3", "arrays-fewer", "The catalog says the number of arrays", "many", lambda f: set_fields(f.root(), number=plus(-1)), "arrays, but the catalog states",
     "arrays, the catalog says"),
    ("3", "arrays-height", "The catalog says the height of the P index", "many", lambda f: set_fields(f.root(), height=1), "P index: invalid node of level",
     "P index: no node of level"),
    ("3", "table-schema", "Tables are of schemas of kind table", "small", no_table, "catalog: a table has no schema", "tables: schema"),
    ("3", "table-twice", "A schema has one table", "small", two_tables, "catalog: two tables have the same schema", "tables: two for schema names"),
    ("3", "table-rows", "A table has the rows that the catalog says", "small", lambda f: set_fields(next(f.tables())[0], rows=plus(-1)),
     "s rows do not fill its chunks, or are too many", "table names"),
    ("3", "table-chunk", "A chunk holds whole rows", "small", table_within_row,
     "s rows do not fill its chunks, or are too many", "table names: a chunk ends within a row"),
    ("3", "string-zero", "Offset 0 is the empty string", "small", string_heap(0, b"\1\0\0\0"),
     "strings: the first is not the empty string", "strings: the first is not empty"),
    ("3", "string-nul", "A NUL follows each string", "small", string_heap(4, b"x"), "strings: the first is not the empty string", "strings: no NUL at byte"),
    ("3", "string-past-end", "STRING fields of records hold offsets of strings", "small", string_row(lambda v: 1 << 30),
     "no string begins at", "schema all: no string begins at"),
    ("3", "string-within", "STRING fields of records hold offsets of strings", "small", string_row(plus(1)),
     "no string begins at", "schema all: no string begins at"),
    ("3", "string-of-table", "STRING fields of tables hold offsets of strings", "small", string_table(plus(1)),
     "no string begins at", "does not end with NUL"),
    ("3", "string-joined", "A string begins where the string before it ends", "small", longer_string,
     "no string begins at", "schema all: no string begins at"),
    ("3", "limit-min-wide", "min is the least value", "small", limit("all", 7, min=plus(-1)),
     "the limits in the catalog are wider than its", "schema all, field offset: limits"),
    ("3", "limit-min-narrow", "min is the least value", "small", limit("all", 7, min=plus(1)),
     "values beyond the limits in the catalog", "schema all, field offset: limits"),
    ("3", "limit-max-wide", "max is the greatest value", "small", limit("narrow", 0, max=plus(1)),
     "the limits in the catalog are wider than its", "schema narrow, field time: limits"),
    ("3", "limit-max-narrow", "max is the greatest value", "small", limit("narrow", 0, max=plus(-1)),
     "values beyond the limits in the catalog", "schema narrow, field time: limits"),
    ("3", "limit-none", "The third number says whether a row has none", "small", limit("narrow", 0, none=1),
     "the limits in the catalog are wider than its", "schema narrow, field time: limits"),
    ("3", "limit-none-not", "The third number says whether a row has none", "small", limit("all", 2, none=0),
     "values beyond the limits in the catalog", "schema all, field event: limits"),
    ("3", "limit-none-other", "The third number is 0 or 1", "small", limit("all", 2, none=2),
     "catalog: limits do not match the schema", "schema all, field event: limits"),
    ("3", "limit-none-mapped", "The third number is exact for mapped fields, too", "merged", limit("all", 10, none=1),
     "the limits in the catalog are wider than its", "schema all, field lost: limits"),
    ("3", "limit-string-wide", "Limits of a STRING are those of its length", "small", limit("all", 9, max=plus(1)),
     "the limits in the catalog are wider than its", "schema all, field text: limits"),
    ("3", "limit-string-narrow", "Limits of a STRING are those of its length", "small", limit("all", 9, max=plus(-1)),
     "values beyond the limits in the catalog", "schema all, field text: limits"),
    ("3", "limit-table", "Limits span the rows of tables, too", "small", limit("names", 1, max=plus(1)),
     "the limits in the catalog are wider than its", "schema names, field name: limits"),
    ("3", "limits-length", "Limits have 24 bytes for each field", "small", limits_length,
     "catalog: limits do not match the schema", "limits of all: bytes left over"),
    ("3", "limits-missing", "Without an item no field has values", "small", no_limits,
     "values beyond the limits in the catalog", "schema all, field time: limits"),
    ("3", "limits-fewer", "LIMITS has a reference for each schema", "small", shorter(LIMITS, 16),
     "catalog: it has not one item of limits for each", "catalog: ends too early"),
    ("3", "counts", "COUNTS has the rows of each schema", "small", lambda f: set_fields(f.count("all"), rows=plus(1)), "rows, the catalog says",
     "rows, the catalog says"),
    ("3", "counts-table", "COUNTS has the rows of tables, too", "small", lambda f: set_fields(f.count("names"), rows=plus(-1)), "rows, the catalog says",
     "rows, the catalog says"),
    ("3", "counts-more", "COUNTS has a number for each schema", "small", longer(COUNTS, bytes(8)),
     "catalog: it has not one item of limits for each", "catalog: it has more counts of rows than schemas"),
    ("3", "free-used", "Free pages hold nothing of the commit", "small", free_pages((leaf_page, 1, 0)), "is used twice", "holds a page, and is used twice"),
    ("3", "free-beyond", "Free pages are allotted", "small", free_pages((1 << 40, 1, 0)), "catalog: free pages lie beyond the largest possible file", "are not allotted"),
    ("3", "free-twice", "Free pages are named once", "small", free_pages((spare_page, 1, 0), (lambda f: f.superblock.pages - 1, 1, 0)),
     "is used twice", "holds nothing, and is used twice"),
    ("3", "free-commit", "Free pages were last named by an earlier commit", "small", free_pages((spare_page, 1, 1 << 40)),
     "catalog: free pages", "named by commit"),
    ("3", "free-length", "FREE has 24 bytes each", "small", change_sections(lambda parts: parts.append([FREE_KIND, 0, bytes(8)])
                                                                       if all(part[0] != FREE_KIND for part in parts) else parts[-1].__setitem__(2, bytes(8))),
     "catalog: bytes are left over in a section", "catalog: no whole number of entries"),
    ("3", "writer-name", "The writer's name has at most 255 bytes", "small", writer_section(struct.pack("<II", 256, 0) + bytes(256)),
     "catalog: the name or version of its writer", "writer: its name or version is too long"),
    ("3", "writer-version", "The writer's version lies in the section", "small", writer_section(struct.pack("<II", 8, 9) + bytes(16)),
     "catalog: the name or version of its writer", "catalog: ends too early"),
    ("3", "writer-length", "Fewer than 8 zeros follow the writer's version", "small", writer_section(struct.pack("<II", 8, 8) + bytes(24)),
     "catalog: the name or version of its writer", "writer: bytes left over"),
    # FORMAT W4
    ("3", "files-bit", "Bit 1 of the incompatible features is set if there are FILES", "anchor", lambda f: set_fields(f.superblock, incompatible=plus(-2)),
     "its feature bit for files does not match the catalog", "files: the superblock does not say"),
    ("3", "files-name", "The name of a file is none of a path", "anchor", part_name(b"../"), "the name of a file is invalid", "files: invalid name"),
    ("3", "files-there", "The files exist", "anchor", part_name(b"y"), "No such file", "No such file"),
    ("3", "files-first", "The first file begins after the anchor", "anchor", part_file(first=2), "overlap the anchor", "do not begin after the end of the file"),
    ("3", "files-far", "The first file begins no more than 1024 pages after it", "anchor", part_file(first=plus(2000)),
     "overlap the anchor", "do not begin after the end of the file"),
    ("3", "files-pages", "The pages of a file hold its bytes", "anchor", part_file(pages=2), "has more bytes than its pages hold", "do not hold it"),
    ("3", "files-size", "A file has the bytes that FILES says", "anchor", part_file(size=plus(-1)), "bytes instead of", "or has another commit"),
    ("3", "files-id", "A file has the id that FILES says", "anchor", part_file(file_id=bytes(16)), "it is another file than expected", "is not the file that the catalog names"),
    ("3", "files-commit", "A file has the commit that FILES says", "anchor", part_file(commit=plus(-1)), "it was appended to", "or has another commit"),
    ("3", "files-time", "A file's commit has the time that FILES says", "anchor", part_file(wall_time=plus(1)), "it is another file than expected", "or has another commit"),
    ("3", "files-epoch", "A file has the epoch that FILES says", "anchor", part_file(epoch=plus(1)), "it is another file than expected", "or has another commit"),
    ("3", "files-segment", "A segment lies in one of the files", "anchor", lambda f: set_fields(f.segment, pages=plus(1)),
     "lies in none of the files", "segments: they overlap, or lie past"),
]
