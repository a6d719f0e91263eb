"""Rows of INVARIANTS in test_invariants.py: totals in batches (section 7). A file without batches is made from one that has some."""
from invariants_totals import BORDERS, FILTERS, SNAPSHOTS, TOTALS_KIND
from xtf_patch import BATCHES_FEATURE, COMPANION, DIRECTORY, INDEX, SECTIONS, plus, set_fields


def unbatched(f):
    """Stores the totals of all pages without batches, and removes the feature bit. The codec is plain."""
    for _, page in f.pages(kind=COMPANION):
        _, sections = f.batches(page)
        rows = {}
        for at, entry in sections:
            for table in f.tables_at(at, at + entry.length):
                if (at, table.kind) != (sections[0][0], TOTALS_KIND):
                    found = rows.setdefault((table.kind, table.aggregate), [0, b""])
                    found[:] = found[0] + table.rows, found[1] + bytes(f.data[table.end:table.end + table.bytes])
        if sections:
            store_tables(f, page, rows)
    for _, page in f.pages():
        page.batch = 0
    for slot in f.slots:
        if slot.magic[1:4] == b"XTF":
            slot.incompatible &= ~BATCHES_FEATURE


def store_tables(f, page, rows):
    """Replaces the payload of a companion by tables, which are shorter."""
    at, end = page.end, page.end + page.bytes
    f.data[at:end] = bytes(end - at)
    for (kind, aggregate), (count, data) in rows.items():
        head = f.at(at, "kind:B aggregate:B zero:H rows:I bytes:I reserved:I")
        set_fields(head, kind=kind, aggregate=aggregate, rows=count, bytes=len(data))
        f.data[head.end:head.end + len(data)] = data
        at = head.end + -(-len(data) // 8) * 8
    page.bytes = at - page.end


def companion_of(f):
    return f.pages(f.array("wide"), COMPANION)[0][1]


def batch(kinds, value):
    """Sets *batch* in the headers of an index page, of its companion, or of both."""
    def patch(f):
        for kind in kinds:
            f.pages(f.array("wide"), kind, level=1)[0][1].batch = value
    return patch


def directory(**fields):
    return lambda f: set_fields(f.batches(companion_of(f))[0], **fields)


def section(number, **fields):
    return lambda f: set_fields(f.batches(companion_of(f))[1][number][1], **fields)


def shorter(n):
    """Replaces the last bytes of a companion by zeros behind it."""
    def patch(f):
        page = companion_of(f)
        end = page.end + page.bytes
        f.data[end - n:end] = bytes(n)
        page.bytes -= n
    return patch


def with_wrong(checksums, change):
    """Makes a change after which some checksums stay as they are."""
    def patch(f):
        f.seal()
        f.left_wrong = checksums
        change(f)
    return patch


def table_of(f, number, kind):
    at, entry = f.batches(companion_of(f))[1][number]
    return next(table for table in f.tables_at(at, at + entry.length) if table.kind == kind)


def table(number, kind, /, **fields):
    return lambda f: set_fields(table_of(f, number, kind), **fields)


def row(number, kind, at, /, **fields):
    return lambda f: set_fields(f.totals_rows("wide", table_of(f, number, kind))[at], **fields)


BOTH = (INDEX, COMPANION)

BATCH_ROWS = [
    # FORMAT W4
    ("7", "batches-bit", "Batches need their feature bit", "batches", lambda f: set_fields(f.superblock, incompatible=lambda bits: bits & ~BATCHES_FEATURE), "unused bytes of a table are not 0", "a table of kind"),
    ("7", "batches-of-page", "The header of a companion is that of its index page", "batches", batch((COMPANION,), 5), "the companion's head differs from that of its page", "those of its page have 6"),
    ("7", "batches-small", "A batch has at least 16 children", "batches", batch(BOTH, 3), "its batches have a wrong size", "batches of 3 bits"),
    ("7", "batches-large", "A batch has at most 65536 children", "batches", batch(BOTH, 17), "its batches have a wrong size", "1 batches of 17 bits"),
    ("7", "batches-one", "There are at least two batches", "batches", batch(BOTH, 8), "its batches have a wrong size", "1 batches of 8 bits"),
    ("7", "batches-directory", "The checksum of a directory is right", "batches", with_wrong((DIRECTORY,), directory(crc=plus(1))), "the checksum of its batches is wrong", "wrong checksum of the directory"),
    ("7", "batches-place", "The checksum of a directory covers its page's header", "batches", with_wrong((DIRECTORY,), shorter(8)),
     "the checksum of its batches is wrong", "wrong checksum of the directory"),
    # FORMAT W1
    ("7", "batches-reserved", "Reserved bytes of directories are 0", "batches", directory(reserved=1), "unused bytes of the batches are not 0", "reserved bytes of the directory"),
    ("7", "batches-checksum", "The checksum of a section is right", "batches", with_wrong((SECTIONS,), section(2, crc=plus(1))), "the checksum of a batch is wrong", "section 2: wrong checksum"),
    ("7", "batches-length", "The length of a section is a multiple of 8", "batches", section(1, length=plus(4)), "the length of a batch is no multiple of 8", "is no multiple of 8"),
    ("7", "batches-longer", "Sections fill the payload", "batches", section(-1, length=plus(8)), "the batches do not fill the companion", "ends too early"),
    ("7", "batches-shorter", "Sections fill the payload", "batches", section(-1, length=plus(-8)), "the batches do not fill the companion", "bytes after the last section"),
    ("7", "batches-cut", "The payload of a companion has a whole directory", "batches", lambda f: shorter(companion_of(f).bytes - 16)(f), "its batches are truncated", "ends too early"),
    ("7", "batches-sum", "Section 0 has the totals of whole batches", "batches", row(0, TOTALS_KIND, 0, cell3=plus(1)), "those of its batch do not match the rows of the batch", "batches: child 0, aggregate 0, key"),
    ("7", "batches-rows", "Section 0 has the totals of whole batches", "batches", row(0, TOTALS_KIND, 0, cell0=plus(1)), "the groups count more rows than are below the child", "batches: child 0, aggregate 0, key"),
    ("7", "batches-number", "Totals of batches name batches", "batches", row(0, TOTALS_KIND, -1, child=plus(1)), "a group names a child that does not exist", "batches: child 2, aggregate 0: the groups differ"),
    ("7", "batches-missing", "Section 0 has the totals of whole batches", "batches", table(0, TOTALS_KIND, kind=99), "the groups do not count all rows below the child", "batches: child 0 has 0 rows"),
    ("7", "batches-borders", "Section 0 has no borders", "batches", table(0, TOTALS_KIND, kind=BORDERS), "borders are not allowed here", "section 0 has tables of other kinds"),
    ("7", "batches-filters", "Sections of batches have no filters", "batches", table(2, SNAPSHOTS, kind=FILTERS), "filters are not allowed here", "section 2 has tables of other kinds"),
    ("7", "batches-twice", "There is one table at most of a kind for an aggregate in a section", "batches", table(3, BORDERS, kind=TOTALS_KIND), "a table occurs twice", "two tables of kind"),
    ("7", "batches-child", "Tables of a batch are of its children", "batches", row(2, TOTALS_KIND, 0, child=0), "the groups do not count all rows below the child", "another batch"),
    ("7", "batches-border", "Tables of a batch are of its children", "batches", row(2, BORDERS, 0, child=0), "a border names another child", "another batch"),
    ("7", "batches-totals", "Totals in batches are those of a child's rows", "batches", row(2, TOTALS_KIND, 0, cell3=plus(1)), "they do not match its rows", "aggregate 0, key"),
    ("7", "batches-snapshot", "Snapshots are the frames open before a child", "batches", row(3, SNAPSHOTS, -1, time=plus(-1)), "the stack before it does not match the earlier rows", "snapshots, aggregate 0"),
]
