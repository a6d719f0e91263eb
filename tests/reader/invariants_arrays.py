"""Rows of INVARIANTS in test_invariants.py: pages (section 4), the P index and right edges (5), packed rows (6)."""
from xtf_patch import ENTRY, INDEX, LEAF, plus, set_fields


def page(of, which, number, **fields):
    return lambda f: set_fields(f.pages(f.array(of), which)[number][1], **fields)


def entry(name, number, **fields):
    """Changes an entry of a sealed index page."""
    return lambda f: set_fields(f.entry(f.pages(f.array(name), INDEX)[0][1], number), **fields)


def swapped_rows(f):
    _, leaf = f.pages(f.array("narrow"), LEAF)[0]
    at, size = leaf.end, f.schema("narrow")[1].row_size
    last = at + (leaf.rows - 1) * size
    f.data[at:at + size], f.data[last:last + size] = f.data[last:last + size], f.data[at:at + size]


def fewer_rows(f):
    _, leaf = f.pages(f.array("narrow"), LEAF)[0]
    set_fields(leaf, rows=plus(-1), bytes=plus(-8))


def array(name, **fields):
    return lambda f: set_fields(f.array(name), **fields)


def same_id(f):
    set_fields(f.array("narrow"), id=f.array("wide").id)
    for _, page in f.pages():
        if page.array not in (f.array("all").id, f.array("wide").id):
            set_fields(page, array=f.array("wide").id)


def head(name, level, **fields):
    return lambda f: set_fields(f.edge(f.array(name))[level][0], **fields)


def edge_entry(name, number, **fields):
    """Changes an entry of the open index page of level 1."""
    def patch(f):
        page, at = f.edge(f.array(name))[1]
        set_fields(f.at(at + 24 * (number % page.rows), ENTRY), **fields)
    return patch


def longer_edge(f):
    f.move_edge(f.array("narrow"), bytes(8))


def node(number, **fields):
    return lambda f: set_fields([node for _, node, _ in f.nodes()][number], **fields)


def branch(number, **fields):
    return lambda f: set_fields(next(f.nodes())[2][number], **fields)


def swapped_arrays(f):
    first, second = f.arrays()[:2]
    f.data[first.start:first.end], f.data[second.start:second.end] = second.raw(), first.raw()


def longer_node(f):
    reference = next(f.nodes())[0]
    f.move(reference, f.item(reference) + bytes(8))


def packed_tail(f):
    """Appends a byte to the last stream of a leaf."""
    found = next(page for _, page in f.pages(f.array("all"), LEAF) if page.bytes < 4096 - 64)
    set_fields(found, bytes=plus(1))


def packed_byte(at, value):
    """Changes a byte of the packed rows of the first leaf."""
    def patch(f):
        _, found = f.pages(f.array("all"), LEAF)[0]
        f.data[found.end + at] = value
    return patch


ARRAY_ROWS = [
    ("4", "page-magic", "A page begins with its magic", "small", page("narrow", LEAF, 0, magic=b"XTFq"), "): it does not begin with the magic number of pages", "narrow): page"),
    ("4", "page-kind", "Pages are of their kind", "small", page("narrow", LEAF, 0, kind=INDEX), "): its kind does not match its level", "narrow): page"),
    ("4", "page-codec", "Leaves have the array's codec", "small", page("narrow", LEAF, 0, codec=1), "but found array", "narrow): page"),
    ("4", "page-codec-index", "Index pages have codec 0", "high", page("wide", INDEX, 0, codec=1), "): its codec is not known", "wide): page"),
    ("4", "page-level", "Pages have their level", "small", page("narrow", LEAF, 0, level=1), "): its kind does not match its level", "belongs to another array, level or segment"),
    # FORMAT R43
    ("4", "page-array", "Pages have the id of their array", "small", page("narrow", LEAF, 0, array=77),
     "but found array", "belongs to another array, level or segment"),
    ("4", "page-epoch", "Pages have an epoch of their segment", "small", page("narrow", LEAF, 0, epoch=99),
     "): a later writer than the commit", "belongs to another array, level or segment"),
    ("4", "page-segment", "Pages have the id of their segment", "small", page("narrow", LEAF, 0, segment=7),
     "): it belongs to another file", "belongs to another array, level or segment"),
    ("4", "page-first", "A page says the N of its first row", "small", page("wide", LEAF, 1, first=plus(1)),
     "does not match its entry in the parent page", "its row or its neighbours are wrong"),
    ("4", "page-rows", "A page has at least a row", "small", page("narrow", LEAF, 0, rows=0), "): its rows are too short", "rows or entries in"),
    ("4", "page-bytes", "Rows fill the payload", "small", page("narrow", LEAF, 0, bytes=plus(-8)), "): its rows are too short", "rows or entries in"),
    ("4", "page-too-long", "The payload lies in the page", "small", page("narrow", LEAF, 0, bytes=1 << 20),
     "): its payload is longer than a page", "its payload is longer than a page"),
    ("4", "page-before", "A page names the page before it", "small", page("wide", LEAF, 1, before=plus(1)),
     "as its previous page, not", "its row or its neighbours are wrong"),
    ("4", "page-no-before", "The first page of a level has none before it", "small", page("wide", LEAF, 0, before=1),
     "as its previous page, not", "its row or its neighbours are wrong"),
    ("4", "page-behind", "A page names the page after it", "small", page("wide", LEAF, 0, behind=plus(1)),
     "as its next page, not", "its row or its neighbours are wrong"),
    ("4", "page-last-behind", "The last sealed page of a level names the open page's place", "small", page("wide", LEAF, -1, behind=plus(1)),
     "as its next page, not", "its row or its neighbours are wrong"),
    ("4", "page-companion", "An index page leads to its companion", "high", page("wide", INDEX, 0, companion=0),
     "totals of array", "wide): companion of page"),
    ("4", "page-companion-else", "An index page leads to its companion", "high", page("wide", INDEX, 0, companion=plus(1)),
     "is used twice", "wide): companion of page"),
    ("4", "page-leaf-companion", "A leaf has no companion", "small", page("wide", LEAF, 0, companion=1),
     "): it is a leaf but names a companion", "a leaf with a companion"),
    ("4", "page-full", "Sealed pages are full", "small", fewer_rows, "does not match its entry in the parent page", "rows or entries of"),
    ("4", "row-times", "Times never fall along an array", "small", swapped_rows, "): time goes backwards in it", "its first time is not its entry"),
    ("4", "entry-time", "An entry has the time of its child's first row", "high", entry("wide", 3, time=plus(1)),
     "does not match its entry in the parent page", "its first time is not its entry"),
    ("4", "entry-first", "An entry has the N of its child's first row", "high", entry("wide", 3, first=plus(1)),
     "does not match its entry in the parent page", "its row or its neighbours are wrong"),
    ("4", "entry-place", "An entry has its child's place", "high", entry("wide", 3, place=2),
     "but found array", "its row or its neighbours are wrong"),
    ("4", "entry-far", "Places lie in the segment", "high", entry("wide", 3, place=1 << 40), "it refers to page", "its row or its neighbours are wrong"),
    ("4", "packed-rows", "A leaf has a bounded number of rows, and none after the end of its array", "packed", page("all", LEAF, 0, rows=16385),
     "it extends beyond the last row of array", "rows in a leaf"),
    ("5", "node-magic", "A node begins with its magic", "small", node(0, magic=b"XTFo"), "P index: invalid node of level", "P index: no node of level"),
    ("5", "node-level", "A node says its level", "many", node(1, level=1), "P index: invalid node of level", "P index: no node of level"),
    ("5", "node-empty", "A node has at least an entry", "small", node(0, entries=0), "P index: invalid node of level", "P index: no node of level"),
    ("5", "node-fewer", "Nothing follows the entries of a node", "small", node(0, entries=plus(-1)),
     "P index: invalid node of level", "P index: a node is out of order"),
    ("5", "node-longer", "Nothing follows the entries of a node", "small", longer_node, "P index: invalid node of level", "P index: a node is out of order"),
    # FORMAT R68
    ("5", "node-order", "Entries are ordered by location, then schema", "small", swapped_arrays, "P index: the entries of the node at byte", "P index: a node is out of order"),
    ("5", "branch-location", "A branch begins with its child's first location", "many", branch(1, location=plus(-1)),
     "does not match the node below it (location", "P index: a node begins with"),
    ("5", "branch-schema", "A branch begins with its child's first schema", "many", branch(1, schema=lambda v: v ^ 1),
     "does not match the node below it (location", "P index: a node begins with"),
    ("5", "branch-arrays", "A branch counts the arrays below it", "many", branch(0, arrays=plus(-1)),
     "does not match the node below it (location", ") arrays and rows, below it are"),
    ("5", "branch-rows", "A branch counts the rows below it", "many", branch(0, rows=plus(1)),
     "does not match the node below it (location", ") arrays and rows, below it are"),
    ("5", "array-schema", "An array has a schema of another kind than table", "small", array("wide", schema=3), "it has no schema", "there is no such schema"),
    ("5", "array-no-schema", "An array has a schema of the catalog", "small", array("wide", schema=77), "it has no schema", "there is no such schema"),
    ("5", "array-id", "Pages have the id of their array", "small", array("wide", id=77), "but found array", "belongs to another array, level or segment"),
    ("5", "array-same-id", "No two arrays of a segment have the same id", "small", same_id, "two arrays of segment", "two arrays of a segment have the same id"),
    ("5", "array-rows", "An array has the rows that its entry says", "small", array("wide", rows=plus(1)),
     "): its rows do not end where the array does", "wide): right edge: does not end with row"),
    ("5", "array-first", "An array has the first time that its entry says", "small", array("wide", first=plus(-1)),
     "its number of rows or its times are invalid", "its first time is not its entry"),
    ("5", "array-last", "An array has the last time that its entry says", "small", array("wide", last=plus(1)),
     "its first and last times are not those in the P", "wide): its number of rows or last time is wrong"),
    ("5", "array-segment", "An array is of a segment of the catalog", "small", array("wide", segment=1),
     "it belongs to a segment that does not exist", "there is no segment"),
    ("5", "array-height", "An array has the height that its entry says", "small", array("wide", height=1),
     "): its root does not begin with the first row", "wide): right edge: bytes left over"),
    ("5", "edge-first", "Open pages say the N of their first row", "small", head("wide", 0, first=plus(-1)),
     "): a level does not lead to the one below it", "wide): right edge: does not end with row"),
    ("5", "edge-root-first", "The root begins with row 0", "small", head("wide", 1, first=1),
     "): its root does not begin with the first row", "wide): right edge: the root does not begin with"),
    ("5", "edge-place", "The sealed page before an open page names its place", "small", head("wide", 0, place=plus(1)),
     "): a level does not lead to the one below it", "its row or its neighbours are wrong"),
    ("5", "edge-no-place", "A level without sealed pages has no place", "small", head("wide", 1, place=2),
     "is reserved, but no page is sealed", "wide): a place is reserved on a level without"),
    ("5", "edge-sealed", "An open page names the last sealed page of its level", "small", head("wide", 0, sealed=plus(-1)),
     "as its previous page, not", "its row or its neighbours are wrong"),
    # FORMAT C10
    ("9", "volume-sealed", "An open page names the last sealed page of its level, in volumes too", "volumes", head("wide", 0, sealed=plus(-1)),
     "as its previous page, not", "its row or its neighbours are wrong"),
    ("5", "edge-rows", "Open pages have at least a row", "small", head("wide", 0, rows=0),
     "its rows do not end where the array does", "wide): right edge"),
    ("5", "edge-bytes", "Rows fill the payload of an open page", "small", head("wide", 0, bytes=plus(-8)),
     "its rows do not fill its leaf", "rows or entries in"),
    ("5", "edge-longer", "Nothing follows the last part of an edge", "small", longer_edge,
     "its right edge is not as long as its parts", "narrow): right edge: bytes left over"),
    ("5", "edge-entry-time", "An entry has the time of its child's first row", "small", edge_entry("wide", 1, time=plus(1)),
     "does not match its entry in the parent page", "its first time is not its entry"),
    ("5", "edge-entry-first", "An entry has the N of its child's first row", "small", edge_entry("wide", 1, first=plus(1)),
     "does not match its entry in the parent page", "its row or its neighbours are wrong"),
    ("5", "edge-entry-place", "An entry has its child's place", "small", edge_entry("wide", 1, place=plus(1)),
     "does not match its entry in the parent page", "its row or its neighbours are wrong"),
    ("5", "edge-entry-open", "The last entry has the place of the open page below", "small", edge_entry("wide", -1, place=plus(1)),
     "): a level does not lead to the one below it", "its row or its neighbours are wrong"),
    # FORMAT R48
    ("6", "packed-tail", "Nothing follows the last stream", "packed", packed_tail, "there are bytes after its rows", "bytes after the end"),
    ("6", "packed-fewer", "A stream of heads has a byte for each row", "packed", page("all", LEAF, 0, rows=plus(-1)),
     "a stream of it has a wrong length", "a stream of a wrong length"),
    # FORMAT R47
    ("6", "packed-kind", "Streams are of kinds 0 to 2", "packed", packed_byte(0, 0x0f), "a stream of it has an unknown kind", "a stream of an unknown kind"),
]
