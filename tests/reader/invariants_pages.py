"""Rows of INVARIANTS in test_invariants.py: the uses of pages (sections 1 to 5), nodes, right edges, packed rows (6), and
misplaced tables (7)."""
import struct

from invariants_totals import BORDERS, FILTERS, SNAPSHOTS, TOTALS_KIND, one_table
from xtf_patch import COMPANION, FREE_KIND, LEAF, LIMITS, SEGMENT, SEGMENTS, set_fields
from xtf_reader import Trace
from xtf_totals import CHILD_ROWS, bits, groups_of

ALL_BITS = (1 << 64) - 1
NODE_HEAD = struct.Struct("<4sB3xII")


# ---- The use of pages.

def reserve(f, name, place, level=0):
    """Makes an array reserve another place for the open page of a level with sealed pages."""
    array = f.array(name)
    levels = f.edge(array)
    set_fields(levels[level][0], place=place)
    above, at = levels[level + 1]
    set_fields(f.at(at + 24 * (above.rows - 1), "time:Q first:Q place:Q"), place=place)
    set_fields(f.pages(array, LEAF)[-1][1], behind=place)


def reserved(name, place):
    return lambda f: reserve(f, name, place(f))


def place_of(f, name):
    return f.edge(f.array(name))[0][0].place


def item_below(f):
    """Puts an item into page 1, after the second superblock."""
    limits = f.references(LIMITS)[1]
    data = f.item(limits)
    f.data[4096 + 512:4096 + 512 + len(data)] = data
    limits.at = 4096 + 512


def behind_payload(name, kind):
    """Changes the last byte of a page."""
    def patch(f):
        page = f.pages(f.array(name), kind)[0][1]
        used = page.end + page.bytes - page.start
        f.data[page.start + -(-used // 4096) * 4096 - 1] = 1
    return patch


def free_pages(*wanted):
    """Adds free pages: given by number, or "first" and "second" of two unused pages."""
    def patch(f):
        spare = {name: f.append(b"spare") // 4096 for name in ("first", "second")}
        parts = [part for part in f.parts() if part[0] != FREE_KIND]
        parts.append([FREE_KIND, 0, b"".join(struct.pack("<QQQ", spare.get(page, page), 1, 0) for page in wanted)])
        f.store_catalog(parts)
    return patch


# ---- The P index.

def one_node(f):
    """Puts all arrays into one node."""
    arrays = f.arrays()
    node = NODE_HEAD.pack(b"XTFn", 0, len(arrays), 0) + b"".join(array.raw() for array in arrays)
    set_fields(f.root(), height=1)
    f.move(f.root(), node)


def last_of_first_node(f):
    """Makes the location of the first node's last array greater than all others."""
    arrays = [entries for _, node, entries in f.nodes() if node.level == 0][0]
    set_fields(arrays[-1], location=1 << 60, clock_map=0)


# ---- Right edges.

def full_open_leaf(f):
    """Puts all rows of an array into its open leaf, which then is longer than a page."""
    array = f.array("narrow")
    sealed, (head, at) = f.pages(array, LEAF), f.edge(array)[0]
    rows = b"".join(bytes(f.data[page.end:page.end + page.bytes]) for _, page in sealed) + bytes(f.data[at:at + head.bytes])
    edge = bytes(8) + struct.pack("<QQQII", 0, 0, 0, len(rows) // 8, len(rows))
    set_fields(array, height=1, length=len(edge))
    set_fields(array, at=f.append(edge + rows) - f.base(array))


def edge_with(f, name, level, tables):
    """Adds tables to a level in the right edge."""
    array = f.array(name)
    base, leaf = f.base(array) + array.at, f.leaf_rows(array)
    edge, rows = bytearray(f.data[base:base + array.length]), bytes(f.data[leaf:leaf + f.edge(array)[0][0].bytes])
    head, at = f.edge(array)[-1]
    at = (base + 8 + 32 * array.height if array.height == 1 else at + head.bytes) - base
    for _ in range(1, level):
        at += 8 + struct.unpack_from("<I", edge, at)[0]
    length, = struct.unpack_from("<I", edge, at)
    struct.pack_into("<I", edge, at, length + len(tables))
    edge[at + 8 + length:at + 8 + length] = tables
    set_fields(array, at=f.append(bytes(edge) + bytes(-len(edge) % 8) + rows) - base + array.at, length=len(edge))


def table_of(kind, row):
    """Returns a table of one row."""
    return struct.pack("<BBHIII", kind, 0, 0, 1, len(row), 0) + row + bytes(-len(row) % 8)


def stray(name, level, kind, row):
    """Adds a table at a level that may not have it; level None: at the totals of the whole array."""
    return lambda f: edge_with(f, name, level or f.array(name).height, table_of(kind, row))


A_BORDER, A_SNAPSHOT, A_FILTER = struct.pack("<4Q", 0, 0, 0, 0), struct.pack("<4QB", 0, 0, 0, 0, 0), struct.pack("<2Q", 0, ALL_BITS)


def no_whole(f):
    """Removes the totals of an array of one leaf that has too many rows to be without totals."""
    array = f.array("all")
    assert array.height == 1 and array.rows > 128
    base, leaf = f.base(array) + array.at, f.leaf_rows(array)
    rows = bytes(f.data[leaf:leaf + f.edge(array)[0][0].bytes])
    edge = bytes(f.data[base:base + 40]) + bytes(8)
    set_fields(array, at=f.append(edge + rows) - f.base(array), length=len(edge))


def store_filters(f, rows):
    """Replaces the filters of level 1."""
    for table in f.edge_tables(f.array("all"), 1):
        if table.kind == FILTERS:
            set_fields(table, kind=99)
    data = b"".join(struct.pack("<QQ", *row) for row in rows)
    edge_with(f, "all", 1, struct.pack("<BBHIII", FILTERS, 0, 0, len(rows), len(data), 0) + data)


def filters_of(f):
    return [(row.child, row.bits) for table in f.edge_tables(f.array("all"), 1) if table.kind == FILTERS for row in f.totals_rows("all", table)]


def long_filter(f):
    """Makes a filter have more words than any leaf's rows need."""
    rows = filters_of(f)
    store_filters(f, [(rows[0][0], ALL_BITS)] * 10 + [row for row in rows if row[0] != rows[0][0]])


def filter_of_all_keys(f):
    """Adds a filter for a leaf whose totals have all keys."""
    totals = f.totals_rows("all", one_table(f, "all", "edge", TOTALS_KIND))
    child = next(row.child for row in totals if row.depth == 2)
    store_filters(f, sorted(filters_of(f) + [(child, ALL_BITS)], key=lambda row: row[0]))


def many_groups(f):
    """Gives a child correct totals by all keys, with more groups than allowed."""
    trace = Trace(f.folder / "groups.xtf")
    array = next(array for array in trace.arrays() if array.schema.name == "all")
    aggregate, entries = array.schema.aggregates[0], array.root.entries()
    rows = list(array.read_local(0, entries[1][1]))
    trace.close()
    groups = groups_of(array, aggregate, rows, len(aggregate.keys))
    assert len(groups) > CHILD_ROWS
    table = one_table(f, "all", "edge", TOTALS_KIND)
    kept_rows = [row for row in f.totals_rows("all", table) if row.child]
    data = b"".join(struct.pack("<QB", 0, len(aggregate.keys)) + struct.pack(f"<{len(key + tuple(cells))}Q", *map(bits, key + tuple(cells))) for key, cells in sorted(groups.items()))
    data += b"".join(row.raw() for row in kept_rows)
    set_fields(table, kind=98)
    store_filters(f, [row for row in filters_of(f) if row[0]])
    edge_with(f, "all", 1, struct.pack("<BBHIII", TOTALS_KIND, 0, 0, len(groups) + len(kept_rows), len(data), 0) + data + bytes(-len(data) % 8))


# ---- The packed rows of the first leaf, replaced.

def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)


def repeated(length, byte):
    return varint(length << 2 | 2) + bytes([byte])


def stored(data):
    return varint(len(data) << 2) + data


VALUE, STEP, DISTANCE, COLUMN = range(4)


def templates(fields, *entries, n=1, rows=b"", mode=VALUE):
    """Returns templates in which all fields have the same mode and entries."""
    return stored(bytes([mode] * fields) + bytes([n - 1]) + b"".join(entries) * fields + rows)


def packed(name, streams):
    """Replaces the packed rows. `streams` makes them from the number of rows, and of the fields except the time."""
    def patch(f):
        _, page = f.pages(f.array(name), LEAF)[0]
        payload = streams(page.rows, f.schema(name)[1].fields - 1)
        f.data[page.end:page.start + 4096] = payload.ljust(4096 - 64, b"\0")
        set_fields(page, bytes=len(payload))
    return patch


def times(n):
    """Returns times that are all 0."""
    return repeated(n, 0) + stored(b"")


def huge_times(n, _):
    """Returns steps of 2^64 - 1."""
    return repeated(n, 255) + repeated(8 * n, 255)


PAGE_ROWS = [
    ("2", "item-below", "No item lies in the pages of the superblocks", "small", item_below, "but reserved for superblocks", "in the pages of the superblocks"),
    ("3", "reserved-far", "Reserved places are smaller than the segment's pages", "merged", reserved("all", lambda f: f.bodies(SEGMENTS, SEGMENT)[f.array("all").segment].pages + 9),
     "is reserved after the end of the array's segment", "a place outside of its segment is reserved"),
    ("4", "reserved-twice", "No place is reserved twice", "small", reserved("all", lambda f: place_of(f, "wide")), "is used twice", "and is used twice"),
    ("4", "reserved-used", "No place that is reserved has another use", "small", reserved("all", lambda f: f.pages(f.array("wide"), LEAF)[0][0]), "is used twice", "and is used twice"),
    ("4", "page-tail", "Zeros follow the payload of a page", "small", behind_payload("wide", LEAF), "there are bytes after its payload", "bytes after its payload"),
    ("4", "page-tail-packed", "Zeros follow the payload of a page", "packed", behind_payload("all", LEAF), "there are bytes after its payload", "bytes after its payload"),
    ("7", "companion-tail", "Zeros follow the payload of a companion", "high", behind_payload("wide", COMPANION), "there are bytes after its payload", "bytes after its payload"),
    ("3", "free-order", "Free pages ascend", "small", free_pages("second", "first"), "are out of order", "out of order"),
    ("3", "free-below", "Free pages are none of the superblocks", "small", free_pages(1), "are outside of the file", "is used twice"),
    ("5", "node-order-across", "Entries are ordered from node to node, too", "many", last_of_first_node, "overlaps the next one", "P index: location"),
    # FORMAT R66
    ("11", "bound-node", "A node has at most 4096 bytes", "many", one_node, "P index: invalid reference to a node at byte", "P index: a node of"),
    ("11", "bound-height", "An array has at most 12 levels", "small", lambda f: set_fields(f.array("narrow"), height=13), "its height is invalid", "levels"),
    ("11", "bound-p-index", "The P index has at most 12 levels", "small", lambda f: set_fields(f.root(), height=13), "the root of the P index is invalid", "levels"),
    ("5", "array-empty", "An array has a row at least", "small", lambda f: set_fields(f.array("narrow"), rows=0), "its number of rows or its times are invalid", "it is empty"),
    ("5", "array-no-height", "An array has a level at least", "small", lambda f: set_fields(f.array("narrow"), height=0), "its height is invalid", "it is empty"),
    ("5", "edge-too-long", "The payload of an open page fits a page", "small", full_open_leaf, "its leaf takes more than a page", "more than a page"),
    ("6", "packed-times", "The sum of times does not pass 2^64 - 1", "packed", packed("all", huge_times), "its times", "times decrease"),
    # FORMAT R47
    ("6", "packed-mode", "Modes are 0 to 5", "packed", packed("all", lambda n, fields: times(n) + templates(fields, b"\0", mode=6)), "mode", "a field with an unknown mode"),
    ("6", "packed-template", "Rows have templates that exist", "packed", packed("all", lambda n, fields: times(n) + templates(fields, b"\0\0", n=2, rows=b"\2" * n)), "template", "a template that does not exist"),
    # FORMAT R48
    ("6", "packed-templates-tail", "Nothing follows the templates in their stream", "packed", packed("all", lambda n, fields: times(n) + templates(fields, b"\0", rows=b"\0")), "template", "bytes after the end"),
    ("6", "packed-distance", "An entry of a distance is one, or chained", "packed", packed("all", lambda n, fields: times(n) + templates(fields, b"\2", mode=DISTANCE)), "distance", "a distance of an unknown kind"),
    ("6", "packed-chained", "Row 0 is not chained", "packed", packed("all", lambda n, fields: times(n) + templates(fields, b"\1", mode=DISTANCE)), "chained", "the first row is chained"),
    # FORMAT R46
    ("6", "packed-inflated", "A stream inflates to its length", "packed", packed("all", lambda n, fields: varint(n << 2 | 1) + b"\2\3\0"), "stream", "a stream that inflates to another length"),
    ("6", "packed-varint", "A varint has at most 10 bytes", "packed", packed("all", lambda n, fields: b"\xff" * 10 + b"\1"), "a number that does not end", "a number that does not end"),
    ("7", "whole-missing", "An array of one leaf and more than 128 rows has totals", "leaf", no_whole, "the groups do not count all rows", "wrong tables"),
    ("7", "borders-of-groups", "Borders are of aggregates of frames", "small", stray("all", 1, BORDERS, A_BORDER), "borders are not allowed here", "borders, aggregate 0"),
    ("7", "snapshots-of-groups", "Snapshots are of aggregates of frames", "small", stray("all", 1, SNAPSHOTS, A_SNAPSHOT), "snapshots are not allowed here", "snapshots, aggregate 0"),
    ("7", "snapshots-upper", "Snapshots are on level 1 only", "high", stray("wide", 2, SNAPSHOTS, A_SNAPSHOT), "snapshots are not allowed here", "snapshots, aggregate 0"),
    ("7", "borders-of-whole", "The whole array has no borders", "small", stray("wide", None, BORDERS, A_BORDER), "borders are not allowed here", "wrong tables"),
    ("7", "snapshots-of-whole", "The whole array has no snapshots", "small", stray("wide", None, SNAPSHOTS, A_SNAPSHOT), "snapshots are not allowed here", "wrong tables"),
    ("7", "filters-of-whole", "The whole array has no filters", "small", stray("all", None, FILTERS, A_FILTER), "filters are not allowed here", "wrong tables"),
    ("11", "bound-groups", "A child has at most 1024 rows of totals", "groups", many_groups, "it has more groups than allowed", "child 0 has"),
    ("7", "filter-long", "A filter has at most 10/64 words for each row", "small", long_filter, "its filter is longer than its rows need", "a filter of 10 words"),
    ("7", "filter-of-all-keys", "A leaf whose totals have all keys has no filter", "groups", filter_of_all_keys, "it has a filter although its totals have all keys", "a filter of"),
]
