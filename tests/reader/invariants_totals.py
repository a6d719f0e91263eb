"""Rows of INVARIANTS in test_invariants.py: totals (section 7), clock maps, segments and their maps (sections 3 and 9), derived
rows."""
import struct

from xtf_patch import CLOCK_MAPS, CLOCK_MAPS_KIND, COMPANION, INDEX, SEGMENT_MAPS, SEGMENTS, SEGMENT, plus, set_fields

TOTALS_KIND, BORDERS, SNAPSHOTS, FILTERS = 1, 2, 3, 4


# ---- Tables of totals.

def tables_of(f, name, location):
    """Returns tables: of level 1 of the right edge ("edge"), of the whole array ("whole"), or of a sealed index page's companion
    ("companion")."""
    array = f.array(name)
    if location == "companion":
        return f.companion_tables(f.pages(array, COMPANION)[0][1])
    return f.edge_tables(array, 1 if location == "edge" else array.height)


def one_table(f, name, location, kind):
    return next(table for table in tables_of(f, name, location) if table.kind == kind)


def table(name, location, kind, /, **fields):
    return lambda f: set_fields(one_table(f, name, location, kind), **fields)


def row(name, location, kind, number, /, **fields):
    """Changes a row. `number` is its number, or a condition: then the first row that meets it is changed."""
    def patch(f):
        rows = f.totals_rows(name, one_table(f, name, location, kind))
        set_fields(next(row for row in rows if number(row)) if callable(number) else rows[number], **fields)
    return patch


def swapped(name, location, kind, number):
    def patch(f):
        a, b = f.totals_rows(name, one_table(f, name, location, kind))[number:number + 2]
        f.data[a.start:a.end], f.data[b.start:b.end] = b.raw(), a.raw()
    return patch


def padding(f):
    table = next(table for table in tables_of(f, "wide", "edge") if table.bytes % 8)
    f.data[table.end + table.bytes] = 1


def companion(**fields):
    return lambda f: set_fields(f.pages(f.array("wide"), COMPANION)[0][1], **fields)


def exact(row):
    return row.depth == 2


def coarse(row):
    return row.depth == 1


def filtered(f):
    return f.totals_rows("all", one_table(f, "all", "edge", FILTERS))


def no_bits(f):
    """Clears all bits of the first filter."""
    rows = filtered(f)
    for row in rows:
        if row.child == rows[0].child:
            row.bits = 0


# ---- Maps and segments.

def knot(number, **fields):
    return lambda f: set_fields(long_map(f)[1][number], **fields)


def long_map(f):
    """Returns a clock map that has several knots."""
    return max(f.clock_maps(), key=lambda pair: pair[0].knots)


def backward_jump(f):
    knots = long_map(f)[1]
    i = next(i for i in range(len(knots) - 1) if knots[i + 1].global_ - knots[i].global_ < knots[i + 1].local - knots[i].local and not knots[i].flags)
    knots[i].flags = 1


def drifting(f):
    knots = long_map(f)[1]
    set_fields(next(b for a, b in zip(knots, knots[1:]) if not a.flags), global_=plus(1 << 40))


def same_knots(f):
    for knot in long_map(f)[1]:
        knot.global_ = knot.local


def clock_maps(**fields):
    return lambda f: set_fields(f.body(CLOCK_MAPS_KIND, CLOCK_MAPS), **fields)


def longer_maps(f):
    maps = f.body(CLOCK_MAPS_KIND, CLOCK_MAPS)
    f.move(maps, f.item(maps) + bytes(8))


def no_map(f):
    """Makes one array name no map, unlike the other arrays of its location."""
    set_fields(f.array("all"), clock_map=0)


def mapped(f):
    """Returns the maps of a segment that has some, and its first map of a table with several rows."""
    head, tables = next((head, tables) for head, tables in f.segment_maps() if any(table.length >= 8 for table in tables))
    return head, next(table for table in tables if table.length >= 8)


def segment_map(**fields):
    return lambda f: set_fields(list(f.segment_maps())[-1][0], **fields)


def table_map(**fields):
    return lambda f: set_fields(mapped(f)[1], **fields)


def mapped_row(number, value):
    def patch(f):
        table = mapped(f)[1]
        first, = struct.unpack_from("<I", f.data, table.at)
        struct.pack_into("<I", f.data, table.at + 4 * number, value(first))
    return patch


def segments(number, **fields):
    return lambda f: set_fields(f.bodies(SEGMENTS, SEGMENT)[number], **fields)


def sections(kind, change):
    def patch(f):
        parts = f.parts()
        part = next(part for part in parts if part[0] == kind)
        part[2] = change(part[2])
        f.store_catalog(parts)
    return patch


def derived(f):
    """Makes a schema one of derived rows; they begin before the first record."""
    set_fields(f.schema("narrow")[1], kind=4)


TOTALS_AND_MAPS = [
    ("7", "totals-sum", "Totals are those of a child's rows", "small", row("all", "edge", TOTALS_KIND, 0, cell1=plus(1)), "they do not match its rows", "aggregate 0, key"),
    ("7", "totals-least", "Totals are those of a child's rows", "small", row("all", "edge", TOTALS_KIND, 0, cell2=plus(1)), "they do not match its rows", "aggregate 0, key"),
    ("7", "totals-greatest", "Totals are those of a child's rows", "small", row("all", "edge", TOTALS_KIND, 0, cell3=plus(1)), "they do not match its rows", "aggregate 0, key"),
    ("7", "totals-last", "Totals are those of a child's rows", "groups", row("all", "edge", TOTALS_KIND, exact, cell4=plus(1)), "they do not match its rows", "aggregate 0, key"),
    ("7", "totals-rows", "The groups of a child count its rows", "small", row("all", "edge", TOTALS_KIND, 0, cell0=plus(1)), "the groups count more rows than are below the child", "aggregate 0, key"),
    ("7", "totals-fewer-rows", "The groups of a child count its rows", "small", row("all", "edge", TOTALS_KIND, 0, cell0=plus(-1)), "the groups do not count all rows below the child", "aggregate 0, key"),
    ("7", "totals-key", "A child has a row for each of its groups", "small", row("all", "edge", TOTALS_KIND, -1, key0=plus(1 << 20)), "they do not match its rows", "the groups differ from those of the rows"),
    ("7", "totals-order", "Rows of totals are ordered by child, then by key", "small", swapped("all", "edge", TOTALS_KIND, 0), "the groups are out of order", "totals out of order"),
    ("7", "totals-child", "There are totals of each child", "small", row("all", "edge", TOTALS_KIND, -1, child=plus(1)), "the groups do not count all rows below the child", "the groups differ from those of the rows"),
    ("7", "totals-depth", "No more keys count than there are", "small", row("all", "edge", TOTALS_KIND, 0, depth=3), "a group has too many keys", "rows"),
    ("7", "totals-depths", "All rows of a child have the same depth", "small", row("all", "edge", TOTALS_KIND, coarse, depth=0, key0=0), "the groups of a child have different numbers of keys", "rows"),
    ("7", "totals-beyond", "Keys beyond the depth are 0", "small", row("all", "edge", TOTALS_KIND, coarse, key1=1), "a group has a key beyond its depth", "keys beyond its depth"),
    ("7", "totals-unknown-last", "Last values of coarse totals are 0", "small", row("all", "edge", TOTALS_KIND, coarse, cell4=1), "they do not match its rows", "aggregate 0, key"),
    ("7", "totals-missing", "There are totals of every aggregate", "small", table("all", "edge", TOTALS_KIND, kind=99), "the groups do not count all rows below the child", "has 0 rows"),
    ("7", "totals-twice", "There is one table at most of a kind for an aggregate", "small", table("wide", "edge", BORDERS, kind=TOTALS_KIND), "a table occurs twice", "two tables of kind"),
    ("7", "totals-table-no-kind", "Kinds of tables are numbered from 1", "small", table("wide", "edge", SNAPSHOTS, kind=0), "a table has an invalid aggregate or kind", "a table of kind 0"),
    ("7", "totals-table-aggregate", "A table is of an aggregate of the schema", "small", table("all", "edge", TOTALS_KIND, aggregate=1), "a table has an invalid aggregate or kind", "an aggregate that does not exist"),
    ("7", "totals-table-rows", "A table has a row at least", "small", table("wide", "edge", SNAPSHOTS, rows=0), "a table has no rows", "a table of kind 3"),
    ("7", "totals-table-fewer", "Rows fill their table", "small", table("all", "edge", TOTALS_KIND, rows=plus(-1)), "its rows do not fill it", "rows in"),
    ("7", "totals-table-bytes", "Tables follow one another without gaps", "small", table("all", "edge", TOTALS_KIND, bytes=plus(1 << 20)), "cut short", "ends too early"),
    ("7", "totals-table-padding", "Tables end with zeros", "small", padding, "unused bytes of a table are not 0", "a table of kind"),
    # FORMAT W1
    ("7", "totals-table-reserved", "Reserved bytes of tables are 0", "small", table("all", "edge", TOTALS_KIND, reserved=1), "unused bytes of a table are not 0", "a table of kind"),
    ("7", "whole-sum", "The edge has the totals of the whole array", "small", row("all", "whole", TOTALS_KIND, 0, cell1=plus(1)), "totals of all rows: they do not match its rows", "all rows: child 0"),
    ("7", "whole-child", "The whole array is child 0", "small", row("all", "whole", TOTALS_KIND, -1, child=1), "the groups do not count all rows below the child", "all rows"),
    ("7", "whole-only-totals", "The whole array has totals alone", "small", table("wide", "whole", TOTALS_KIND, kind=BORDERS), "the groups do not count all rows below the child", "wrong tables"),
    ("7", "frames-begun", "Frames begun and rows that end frames are counted", "small", row("wide", "edge", TOTALS_KIND, 0, cell0=plus(1)), "the groups count more rows than are below the child", "aggregate 0, key"),
    ("7", "frames-inclusive", "A frame that ends adds its duration to its key's inclusive time", "small", row("wide", "edge", TOTALS_KIND, 0, cell2=plus(1)), "they do not match its rows", "aggregate 0, key"),
    ("7", "frames-exclusive", "Ticks since the row before are exclusive time of the key on top", "small", row("wide", "edge", TOTALS_KIND, 0, cell3=plus(1)), "they do not match its rows", "aggregate 0, key"),
    ("7", "frames-longest", "The longest duration is that of a frame", "small", row("wide", "edge", TOTALS_KIND, 0, cell4=plus(1)), "they do not match its rows", "aggregate 0, key"),
    ("7", "border-gap", "gap is the ticks since the row before", "small", row("wide", "edge", BORDERS, 2, gap=plus(1)), "its border does not match its rows", "borders, aggregate 0"),
    ("7", "border-frames", "frames is the number of frames that are open", "small", row("wide", "edge", BORDERS, 2, frames=plus(1)), "frames", "borders, aggregate 0"),
    ("7", "border-least", "least is the least number of frames that a row leaves open", "small", row("wide", "edge", BORDERS, lambda row: row.frames > row.least, least=plus(1)), "its border does not match its rows", "borders, aggregate 0"),
    ("7", "border-child", "There is a border for each child, in order", "small", swapped("wide", "edge", BORDERS, 1), "a border names another child", "borders, aggregate 0"),
    ("7", "border-missing", "There is a border for each child", "small", table("wide", "edge", BORDERS, kind=99), "the number of borders differs from that of the children", "borders, aggregate 0"),
    ("7", "border-upper", "Levels above the first have borders", "high", lambda f: set_fields(f.totals_rows("wide", next(t for t in f.edge_tables(f.array("wide"), 2) if t.kind == BORDERS))[-1], gap=plus(1)),
     "its border does not match its rows", "borders, aggregate 0"),
    ("7", "snapshot-key", "Snapshots are the frames open before a child", "small", row("wide", "edge", SNAPSHOTS, 0, key=plus(1)), "the stack before it does not match the earlier rows", "snapshots, aggregate 0"),
    ("7", "snapshot-row", "Snapshots are the frames open before a child", "small", row("wide", "edge", SNAPSHOTS, 0, row=plus(1)), "stack", "snapshots, aggregate 0"),
    ("7", "snapshot-time", "Snapshots are the frames open before a child", "small", row("wide", "edge", SNAPSHOTS, 0, time=plus(-1)), "the stack before it does not match the earlier rows", "snapshots, aggregate 0"),
    ("7", "snapshot-outermost", "Snapshots are the frames open before a child", "small", row("wide", "edge", SNAPSHOTS, 0, outermost=lambda v: 1 - v), "the stack before it does not match the earlier rows", "snapshots, aggregate 0"),
    ("7", "snapshot-outermost-other", "outermost is 0 or 1", "small", row("wide", "edge", SNAPSHOTS, lambda row: row.outermost == 1, outermost=2), "a frame's outermost flag is neither 0 nor 1", "snapshots, aggregate 0"),
    ("7", "snapshot-child", "Snapshots are ordered by child", "small", row("wide", "edge", SNAPSHOTS, 0, child=plus(1)), "a stack has too few or too many frames", "snapshots, aggregate 0"),
    ("7", "snapshot-missing", "There are snapshots on level 1", "small", table("wide", "edge", SNAPSHOTS, kind=99), "a stack has too few frames", "snapshots, aggregate 0"),
    ("7", "companion-kind", "A companion is a page of kind 3", "high", companion(kind=INDEX), "the companion has no valid head", "not a valid companion"),
    ("7", "companion-codec", "A companion has the array's codec", "high", companion(codec=1), "the companion's codec differs from that of the rows", "not a valid companion"),
    ("7", "companion-level", "The header of a companion is that of its index page", "high", companion(level=2), "the companion belongs to another page", "belongs to another page"),
    ("7", "companion-array", "The header of a companion is that of its index page", "high", companion(array=77), "the companion belongs to another page", "belongs to another page"),
    ("7", "companion-epoch", "The header of a companion is that of its index page", "high", companion(epoch=plus(1)), "the companion and its page have different epochs", "belongs to another page"),
    ("7", "companion-segment", "The header of a companion is that of its index page", "high", companion(segment=7), "the companion belongs to another page", "belongs to another page"),
    ("7", "companion-first", "The header of a companion is that of its index page", "high", companion(first=plus(1)), "the companion belongs to another page", "belongs to another page"),
    ("7", "companion-rows", "The header of a companion is that of its index page", "high", companion(rows=plus(-1)), "the companion belongs to another page", "belongs to another page"),
    ("7", "companion-before", "The header of a companion is that of its index page", "high", companion(before=plus(1)), "the companion's head differs from that of its page", "belongs to another page"),
    ("7", "companion-behind", "The header of a companion is that of its index page", "high", companion(behind=plus(1)), "the companion's head differs from that of its page", "belongs to another page"),
    ("7", "companion-further", "A companion has no companion", "high", companion(companion=1), "the companion's head differs from that of its page", "not a valid companion"),
    ("7", "companion-bytes", "The payload of a companion is its tables", "high", companion(bytes=plus(8)), "cut short", "ends too early"),
    ("7", "companion-totals", "Totals in companions are those of a child's rows", "high", row("wide", "companion", TOTALS_KIND, 0, cell3=plus(1)), "they do not match its rows", "aggregate 0, key"),
    ("7", "filter-bits", "The bits of every group of a leaf are set in its filter", "small", no_bits, "its filter lacks some of its groups", "its filter lacks the group"),
    ("7", "filter-order", "The rows of filters are ordered by child", "small", lambda f: set_fields(filtered(f)[0], child=plus(1)), "filter", "filter"),
    ("7", "filter-child", "A filter is of a child of the page", "small", lambda f: set_fields(filtered(f)[-1], child=1 << 30), "filter", "filters out of order"),
    ("7", "filter-whole", "The whole array has no filters", "small", table("all", "whole", TOTALS_KIND, kind=FILTERS), "filters are not allowed here", "wrong tables"),
    ("7", "filter-not-declared", "Filters are of aggregates with flag bit 1", "small", lambda f: set_fields(f.schema("all")[3][0], flags=1), "filters are not allowed here", "filters, aggregate 0"),
    ("3", "clock-maps-none", "A section of clock maps has one at least", "small", clock_maps(maps=0), "a section of clock maps has none", "clock maps: the section is empty"),
    ("3", "clock-maps-more", "There are as many clock maps as the catalog says", "small", clock_maps(maps=plus(1)), "clock map", "ends too early"),
    ("3", "clock-maps-longer", "Nothing follows the last clock map", "small", longer_maps, "clock map", "clock maps: bytes left over"),
    ("3", "clock-map-empty", "A clock map has a knot at least", "small", lambda f: set_fields(f.clock_maps()[-1][0], knots=0), "clock map", "clock map"),
    ("3", "knot-local", "Local times rise from knot to knot", "many", lambda f: set_fields(long_map(f)[1][1], local=long_map(f)[1][0].local), "its local time is not after", "a time does not rise"),
    ("3", "knot-global", "Global times never fall from knot to knot", "many", lambda f: set_fields(long_map(f)[1][1], global_=long_map(f)[1][0].global_ - 1), "its global time is before", "a time does not rise"),
    ("3", "knot-drift", "No clock drifts more than a thousandth", "many", drifting, "drifts more than the format allows", "a slope is invalid"),
    ("3", "knot-jump", "A jump never goes backwards", "many", backward_jump, "the jump to it goes backwards", "a slope is invalid"),
    # FORMAT W31
    ("3", "clock-map-same", "A map that changes nothing is not stored", "many", same_knots, "changes nothing", "it changes nothing"),
    ("3", "clock-map-unnamed", "All arrays of a location name the same map", "small", no_map, "its arrays have clock maps", "several clock maps"),
    ("5", "array-clock-map", "An array names a clock map of the catalog", "small", lambda f: set_fields(f.array("all"), clock_map=999), "its clock map 999 does not exist", "there is no clock map 999"),
    ("3", "segments-ids", "Segments have different ids", "merged", lambda f: set_fields(f.bodies(SEGMENTS, SEGMENT)[1], id=f.segment.id), "another segment has the same id", "segments: two have the same id"),
    ("3", "segments-overlap", "Segments do not overlap", "merged", segments(0, pages=plus(8)), "two segments overlap", "segments: they overlap"),
    ("3", "segments-allotted", "Segments lie within the pages allotted", "merged", segments(1, pages=plus(1 << 30)), "lies past the pages that are allotted", "segments: they overlap, or lie past"),
    ("3", "segments-first", "A segment begins where it says", "merged", segments(1, first=plus(1)), "its right edge", "right edge"),
    ("3", "segment-maps-fewer", "There is a map for each segment", "merged", sections(SEGMENT_MAPS, lambda body: body[:-8]), "segment map", "catalog: ends too early"),
    ("3", "segment-maps-more", "There is a map for each segment", "merged", sections(SEGMENT_MAPS, lambda body: body + bytes(16)), "there are more segment maps than segments", "segment maps: bytes left over"),
    ("3", "segment-map-strings", "A segment's strings lie in the heap", "merged", segment_map(strings=1 << 30), "its strings lie outside of the heap", "strings outside of the heap"),
    ("3", "segment-map-length", "A segment's strings lie in the heap", "merged", segment_map(length=1 << 30), "its strings lie outside of the heap", "strings outside of the heap"),
    ("3", "segment-map-tables", "A segment has as many maps of tables as it says", "merged", segment_map(tables=plus(1)), "segment map", "catalog: ends too early"),
    ("3", "segment-map-schema", "Maps are of schemas of kind table", "merged", table_map(schema=0), "it maps a schema that is not a table", "a schema is no table, or out of order"),
    ("3", "segment-map-no-schema", "Maps are of schemas of kind table", "merged", table_map(schema=99), "it maps a schema that is not a table", "a schema is no table, or out of order"),
    ("3", "segment-map-row", "Rows of maps are rows of the file's table", "merged", mapped_row(0, lambda first: 1 << 20), "it refers to a row that does not exist", "rows of names"),
    ("3", "segment-map-row-twice", "No two rows of a map are the same", "merged", mapped_row(1, lambda first: first), "it refers to a row twice", "rows of names"),
    ("3", "segment-map-item", "Maps hold whole numbers", "merged", table_map(length=plus(-1)), "is not a multiple of 4", "no whole number of entries"),
    ("3", "derived-times", "Times of derived rows lie between the first and the last record's", "small", derived, "derived rows lie before the first record or after the last", "derived rows are outside of the records"),
]
