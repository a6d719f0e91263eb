#!/usr/bin/env python3
"""Walks a whole XTF file with the independent reader, and verifies every invariant that docs/FORMAT.md states."""
import struct
import sys

from xtf_check_file import check_arrays, check_file, check_pages
from xtf_format import CLOSED, COMPACT, ENTRY, KNOWN, LIMITS, PAGE, SCHEMAS
from xtf_reader import Trace
from xtf_schema import DERIVED, RECORD, TABLE_KIND, Damaged, expect
from xtf_totals import check_totals


def check_level(array, level, expected):
    """Checks the pages of one level against the entries of the level above: (time, row, place) each. Returns the entries for the level
    below; of level 0, the rows' times."""
    below, before = [], 0
    width = ENTRY.size if level else array.schema.row_size
    full = (array.trace.page_size - PAGE.size) // width
    for i, (time, first, place) in enumerate(expected):
        is_open = i == len(expected) - 1
        page = array.open_page(level) if is_open else array.sealed(place, level)
        behind = place if is_open else expected[i + 1][2]
        what = f"{array.what}: page {place}"
        expect((page.first, page.before, page.behind) == (first, before, behind), f"{what}: its row or its neighbours are wrong")
        expect(page.time(0, 0) == time, f"{what}: its first time is not its entry's")
        packed = level == 0 and array.codec == COMPACT  # then the number of rows that fit is not known
        expect(is_open or packed or page.rows == full, f"{what}: sealed, with {page.rows} rows or entries of {full}")
        below += page.entries() if level else ((page.time(row, width),) for row in range(page.rows))
        before = place
    expect(all(a[0] <= b[0] for a, b in zip(below, below[1:])), f"{array.what}: times fall on level {level}")
    return below


def check_array(array):
    expected = [(array.local_first, 0, array.root.behind)]
    for level in reversed(range(array.height)):
        expected = check_level(array, level, expected)
    expect(len(expected) == array.rows and expected[-1][0] == array.local_last, f"{array.what}: its number of rows or last time is wrong")


OF_A_SLOT = {"slot": 0, "catalog": b"", "opening": 0, "opening_bytes": 0, "crc": 0}  # what differs in the superblocks of a closed file


class Limits:
    """The limits of a field, computed from its values."""

    def __init__(self, field):
        self.field, self.values, self.none = field, [], False

    def add(self, trace, values):
        self.none |= None in values
        known = [value for value in values if value is not None and value == value]  # a NaN cannot be compared
        if self.field.type == "STRING":
            known = [len(trace.string(value).encode("utf-8", "surrogateescape")) for value in known]
        if known:
            self.values = [min(self.values + known), max(self.values + known)]

    def stored(self):
        """As the catalog stores them."""
        if not self.values:
            return (1, 0, int(self.none))
        code = {"F64": "<dd", "I32": "<qq", "I64": "<qq"}.get(self.field.type, "<QQ")
        return (*struct.unpack("<QQ", struct.pack(code, *self.values)), int(self.none))


def check_superblocks(trace):
    """Both superblocks of a closed file are whole, and lead to catalogs of their own that say the same."""
    own, whole = trace.superblock, trace.superblocks()
    expect(trace.damaged_commit is None, f"commit {trace.damaged_commit}: its catalog is damaged")
    if not own.flags & CLOSED:
        return
    if len(whole) == 1 or whole[0].commit != whole[1].commit:
        expect(len(whole) == 2 or trace.has_empty_slot(), "closed, and a superblock is damaged")
        return
    expect(whole[0].catalog != whole[1].catalog, "closed, but both superblocks name one catalog")
    expect(whole[0]._replace(**OF_A_SLOT) == whole[1]._replace(**OF_A_SLOT), "the two superblocks differ")
    said, items = [], []
    for superblock in whole:
        trace.open_commit(superblock)
        bodies = trace.sections()
        items.append({reference[:8] for kind in (SCHEMAS, LIMITS) for reference, in bodies[kind].all_of(struct.Struct("16s")) if any(reference[8:12])})
        schemas = b"".join(trace.item(reference, "schemas") for reference, in trace.sections()[SCHEMAS].all_of(struct.Struct("16s")))
        said.append((schemas, trace.limits, {kind: body.data for kind, body in bodies.items() if kind in KNOWN - {SCHEMAS, LIMITS}}))
    trace.open_commit(own)
    expect(said[0] == said[1], "the two catalogs differ")
    expect(not items[0] & items[1], "the two catalogs share schemas or limits")


def check_segments(trace, arrays):
    """Segments lie apart and within the file's pages, and arrays are known by segment and id."""
    spans = sorted((segment.first, segment.first + segment.pages) for segment in trace.segments)
    expect(all(a[1] <= b[0] for a, b in zip(spans, spans[1:])) and spans[-1][1] <= trace.pages, f"segments: they overlap, or lie past the end: {spans}")
    expect(len({segment.id for segment in trace.segments}) == len(trace.segments), "segments: two have one id")
    if trace.segment_maps:
        own, first = int.from_bytes(trace.file_id[:8], "little"), trace.segments[0]
        companion = len(trace.files) == 1 and first.id == own and first.first == 0
        expect(own not in (segment.id for segment in trace.segments[companion:]), "segments: the file's own one is among those of parts")
    else:
        expect([segment.first for segment in trace.segments] == [0], "segments: there are several, or one from elsewhere, without maps")
    known = {(array.segment.id, array.id) for array in arrays}
    expect(len(known) == len(arrays), "P index: two arrays of a segment have one id")


def wider(known, found, field):
    """Whether limits hold others."""
    code = {"I32": "<qq", "I64": "<qq"}.get(field.type, "<QQ")
    (low, high), (least, greatest) = (struct.unpack(code, struct.pack("<QQ", *limits[:2])) for limits in (known, found))
    return known[2] == found[2] and (least > greatest or low <= least and greatest <= high)


def check(trace):
    """Reads everything; returns the number of rows in arrays."""
    check_superblocks(trace)
    starts = check_file(trace)
    counts = [0] * len(trace.schemas)
    limits = [[Limits(field) for field in schema.fields] for schema in trace.schemas]

    def pass_rows(schema, rows):
        """Each field's values, once each."""
        counts[schema.id] += len(rows)
        for found, column in zip(limits[schema.id], zip(*map(schema.values, rows))):
            values = set(column)
            if found.field.type == "STRING":
                lost = values - starts - {None}
                expect(not lost, f"schema {schema.name}: no string begins at {lost}")
            if found.field.known:
                found.add(trace, values)
            if found.field.type == "STRING" or found.field.refers_to: # what other fields have is text by itself
                for value in values:
                    trace.value_text(found.field, value)

    arrays = list(trace.arrays())
    expect(len(arrays) == trace.array_count, f"P index: {len(arrays)} arrays, the catalog says {trace.array_count}")
    check_segments(trace, arrays)
    check_arrays(trace, arrays)
    clocks, unread = {}, set()
    for array in arrays:
        expect(clocks.setdefault(array.location, array.clock_map) == array.clock_map, f"location {array.location}: its arrays have several clock maps")
        if not array.known:
            counts[array.schema.id] += array.rows
            unread.add(array.schema.id)
            continue
        check_array(array)
        pass_rows(array.schema, list(array.read_local()))
        check_totals(array)
    for number, rows in trace.unknown_tables:
        counts[number] += rows
        unread.add(number)
    for schema, rows in trace.tables.values():
        pass_rows(schema, rows)
    check_pages(trace, arrays)
    for schema in trace.schemas:
        found = counts[schema.id]
        expect(found == schema.rows, f"schema {schema.name}: {found} rows, the catalog says {schema.rows}")
        mapped = {field for field, *_ in schema.references()} if trace.segment_maps and schema.kind != TABLE_KIND else ()
        for at, (field, found, known) in enumerate(zip(schema.fields, limits[schema.id], trace.limits[schema.id])):
            if schema.id in unread or not field.known:
                continue
            expect(found.stored() == known or at in mapped and field.type != "STRING" and wider(known, found.stored(), field), f"schema {schema.name}, field {field.name}: limits {known}, found {found.stored()}")
    times = [(array.first, array.last) for array in arrays if array.schema.kind == RECORD]
    for array in (array for array in arrays if array.schema.kind == DERIVED):
        expect(times and min(times)[0] <= array.first and array.last <= max(last for _, last in times), f"{array.what}: derived rows lie outside of the records' times")
    for number, clock in enumerate(trace.clock_maps, 1):
        expect(clock.locals != clock.globals, f"clock map {number}: it changes nothing")
    if times:
        found = (min(first for first, _ in times), max(last for _, last in times))
        expect(found == (trace.first, trace.last) and trace.origin <= trace.first, f"clock: the records' times are {found}")
    else:
        expect(trace.first > trace.last, "clock: it has times, but there are no records")
    return sum(counts[schema.id] for schema in trace.schemas if schema.kind != TABLE_KIND)


if __name__ == "__main__":
    try:
        print(f"whole: {check(Trace(sys.argv[1]))} rows")
    except (Damaged, OSError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
