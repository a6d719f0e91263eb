#!/usr/bin/env python3
"""Reads a whole XTF file with the independent reader, and verifies every invariant in docs/FORMAT.md."""
import os
import struct
import sys

from xtf_check_file import check_arrays, check_file, check_leaf_lists, check_pages
from xtf_format import ALIGNMENT, ANCHORED_FEATURE, CLOSED, COMPACT, ENTRY, JOINED_FEATURE, KNOWN, LIMITS, PAGE, REFERENCE, SCHEMAS, VOLUMES_FEATURE
from xtf_reader import Trace
from xtf_schema import DERIVED, RECORD, TABLE_KIND, Damaged, expect
from xtf_totals import check_totals


def check_level(array, level, expected):
    """Checks the pages of one level against the entries of the level above: (time, row, place) each, or None below a
    removed page. Returns the entries for the level below; for level 0, a list of the time of each row."""
    below, before = [], 0
    width = ENTRY.size if level else array.schema.row_size
    full = (array.trace.page_size - PAGE.size) // width
    for i, entry in enumerate(expected):
        is_open = i == len(expected) - 1
        if entry is None or not is_open and array.is_removed(entry[2]):
            below, before = below + [None], None
            continue
        time, first, place = entry
        page = array.child(entry, level, is_open)
        elsewhere = array.joined and not level
        if elsewhere:  # its neighbours are in other arrays
            before = None
        linked = not elsewhere and not array.trace.features & VOLUMES_FEATURE  # else a link leads nowhere where a volume ends
        behind = expected[i + 1][2] if linked and not is_open else page.behind if elsewhere or not is_open else place
        label = f"{array.label}: page {place}"
        expect((page.first, page.behind) == (first, behind) and before in (None, page.before), f"{label}: its row or its neighbours are wrong")
        expect(page.time(0, 0) == time, f"{label}: its first time is not its entry's")
        packed = level == 0 and array.codec == COMPACT  # the number of rows that fit a packed leaf is not known
        expect(is_open or packed or elsewhere or page.rows == full, f"{label}: sealed, with {page.rows} rows or entries of {full}")
        below += page.entries() if level else ((page.time(row, width),) for row in range(page.rows))
        before = place
    times = [entry[0] for entry in below if entry]
    expect(times == sorted(times), f"{array.label}: times decrease on level {level}")
    return below


def check_array(array):
    """Checks the pages of an array. Returns the number of its first row from which on no page was removed."""
    if array.edge_removed:
        offset, *_ = REFERENCE.unpack(array.edge_reference)
        expect(array.local_first <= array.local_last and offset % ALIGNMENT == 0, f"{array.label}: its times, or the place of its right edge, are invalid")
        return array.rows
    expected = [(array.local_first, 0, array.root.behind)]
    for level in reversed(range(array.height)):
        expected = check_level(array, level, expected)
    n_last = next((i for i, entry in enumerate(reversed(expected)) if entry is None), len(expected))
    whole = n_last == array.rows or None in expected
    expect(whole and expected[-1][0] == array.local_last, f"{array.label}: its number of rows or last time is wrong")
    return array.rows - n_last


PER_SLOT = {"slot": 0, "catalog": b"", "opening": 0, "opening_bytes": 0, "crc": 0}  # fields in which the superblocks of a closed file differ


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
        """Returns the limits as the catalog stores them."""
        if not self.values:
            return (1, 0, int(self.none))
        code = {"F64": "<dd", "I32": "<qq", "I64": "<qq"}.get(self.field.type, "<QQ")
        return (*struct.unpack("<QQ", struct.pack(code, *self.values)), int(self.none))


def same_superblocks(a, b):
    """True if they differ only in what differs from slot to slot, in unknown flags, or in reserved bytes."""
    a, b = (block._replace(**PER_SLOT, flags=block.flags & CLOSED, own_first=block.own_first if block.incompatible & VOLUMES_FEATURE else 0) for block in (a, b))
    return a == b


def check_superblocks(trace):
    """Checks that both superblocks of a closed file are intact, and lead to different catalogs with the same contents."""
    own, whole = trace.superblock, trace.superblocks()
    expect(trace.damaged_commit is None, f"commit {trace.damaged_commit}: its catalog is damaged")
    expect(len(whole) == 2 or trace.has_empty_slot(), "a superblock is damaged")
    if not own.flags & CLOSED or len(whole) == 1 or whole[0].commit != whole[1].commit:
        return
    expect(whole[0].catalog != whole[1].catalog, "closed, but both superblocks refer to the same catalog")
    expect(same_superblocks(*whole), "the two superblocks differ")
    contents, items = [], []
    for superblock in whole:
        trace.open_commit(superblock)
        bodies = trace.sections()
        items.append({reference[:8] for kind in (SCHEMAS, LIMITS) for reference, in bodies[kind].all_of(struct.Struct("16s")) if any(reference[8:12])})
        schemas = b"".join(trace.item(reference, "schemas") for reference, in trace.sections()[SCHEMAS].all_of(struct.Struct("16s")))
        contents.append((schemas, trace.limits, {kind: body.data for kind, body in bodies.items() if kind in KNOWN - {SCHEMAS, LIMITS}}))
    trace.open_commit(own)
    expect(contents[0] == contents[1], "the two catalogs differ")
    expect(not items[0] & items[1], "the two catalogs share schemas or limits")


# FORMAT C14
def check_base(trace):
    """Checks that the companion file of an anchor names the files that the anchor names, at the same distances."""
    if not trace.features & ANCHORED_FEATURE:
        return
    anchor, *parts = trace.files
    base = type(trace)(anchor.path)
    named = [(part.first + anchor.first, *part.entry(), os.path.basename(part.path)) for part in base.files]
    base.close()
    expect([(part.first, *part.entry(), os.path.basename(part.path)) for part in parts] == named, f"files: {anchor.path} names other files")


def check_segments(trace, arrays):
    """Checks that segments do not overlap and are within the file's pages, and that a segment and an id identify an array."""
    spans = sorted((segment.first, segment.first + segment.pages) for segment in trace.segments)
    expect(all(a[1] <= b[0] for a, b in zip(spans, spans[1:])) and spans[-1][1] <= trace.pages, f"segments: they overlap, or lie past the end: {spans}")
    expect(len({segment.id for segment in trace.segments}) == len(trace.segments), "segments: two have the same id")
    if trace.segment_maps:
        own, first = int.from_bytes(trace.file_id[:8], "little"), trace.segments[0]
        has_own = (len(trace.files) == 1 or trace.features & (JOINED_FEATURE | ANCHORED_FEATURE)) and first.id == own and first.first == 0
        expect(own not in (segment.id for segment in trace.segments[bool(has_own):]), "segments: the file's own one is among those of parts")
    else:
        expect([segment.first for segment in trace.segments] == [0], "segments: there are several, or one from elsewhere, without maps")
    for array in (array for array in arrays if array.joined and array.known):
        array.read_edge()
    all_arrays = arrays + [piece.array for array in arrays for piece in array.pieces if piece.array]
    known = {(array.segment.id, array.id) for array in all_arrays}
    expect(len(known) == len(all_arrays), "P index: two arrays of a segment have the same id")


def encloses(known, computed, field, partial=False):
    """Returns true if the known limits enclose the others; with `partial`, others may have been computed from some rows."""
    code = {"I32": "<qq", "I64": "<qq"}.get(field.type, "<QQ")
    (low, high), (least, greatest) = (struct.unpack(code, struct.pack("<QQ", *limits[:2])) for limits in (known, computed))
    nones = known[2] in (0, 1) and known[2] >= computed[2] if partial else known[2] == computed[2]
    return nones and (least > greatest or low <= least and greatest <= high)


def check(trace):
    """Checks everything; returns the number of rows in arrays."""
    check_superblocks(trace)
    check_base(trace)
    starts = check_file(trace)
    counts = [0] * len(trace.schemas)
    limits = [[Limits(field) for field in schema.fields] for schema in trace.schemas]

    def pass_rows(schema, rows):
        """Counts rows, and adds the values of each field to its limits."""
        counts[schema.id] += len(rows)
        for field_limits, column in zip(limits[schema.id], zip(*map(schema.values, rows))):
            values = set(column)
            if field_limits.field.type == "STRING":
                wrong = values - starts - {None}
                expect(not wrong, f"schema {schema.name}: no string begins at {wrong}")
            if field_limits.field.known:
                field_limits.add(trace, values)
            if field_limits.field.type == "STRING" or field_limits.field.refers_to: # the text of other fields needs no other data
                for value in values:
                    trace.value_text(field_limits.field, value)

    arrays = list(trace.arrays())
    expect(len(arrays) == trace.array_count, f"P index: {len(arrays)} arrays, the catalog says {trace.array_count}")
    check_segments(trace, arrays)
    check_arrays(trace, arrays)
    clocks, unread, partial = {}, set(), set()
    for array in arrays:
        expect(clocks.setdefault(array.location, array.clock_map) == array.clock_map, f"location {array.location}: its arrays have several clock maps")
        if not array.known:
            counts[array.schema.id] += array.rows
            unread.add(array.schema.id)
            continue
        present = check_array(array)
        pass_rows(array.schema, list(array.read_local(present)))
        if present:
            counts[array.schema.id] += present
            partial.add(array.schema.id)
        else:
            check_totals(array)
    for number, rows in trace.unknown_tables:
        counts[number] += rows
        unread.add(number)
    for schema, rows in trace.tables.values():
        pass_rows(schema, rows)
    check_pages(trace, arrays)
    check_leaf_lists(trace, arrays)
    for schema in trace.schemas:
        n_rows = counts[schema.id]
        expect(n_rows == schema.rows, f"schema {schema.name}: {n_rows} rows, the catalog says {schema.rows}")
        mapped = {field for field, *_ in schema.references()} if trace.segment_maps and schema.kind != TABLE_KIND else ()
        for at, (field, computed, known) in enumerate(zip(schema.fields, limits[schema.id], trace.limits[schema.id])):
            if schema.id in unread or not field.known:
                continue
            if schema.id in partial:
                expect(encloses(known, computed.stored(), field, partial=True), f"schema {schema.name}, field {field.name}: limits {known}, without those of the removed rows {computed.stored()}")
                continue
            expect(computed.stored() == known or at in mapped and field.type != "STRING" and encloses(known, computed.stored(), field), f"schema {schema.name}, field {field.name}: limits {known}, computed {computed.stored()}")
    times = [(array.first, array.last) for array in arrays if array.schema.kind == RECORD]
    for array in (array for array in arrays if array.schema.kind == DERIVED):
        expect(times and min(times)[0] <= array.first and array.last <= max(last for _, last in times), f"{array.label}: derived rows are outside of the records' times")
    for number, clock in enumerate(trace.clock_maps, 1):
        expect(clock.locals != clock.globals, f"clock map {number}: it changes nothing")
    if times:
        interval = (min(first for first, _ in times), max(last for _, last in times))
        removed = any(part.length == 0 for part in trace.files)  # then the trace begins later
        expect(interval == (min(trace.first, interval[0]) if removed else trace.first, trace.last) and trace.origin <= trace.first, f"clock: the records' times are {interval}")
    else:
        expect(trace.first > trace.last, "clock: it has times, but there are no records")
    return sum(counts[schema.id] for schema in trace.schemas if schema.kind != TABLE_KIND)


if __name__ == "__main__":
    try:
        print(f"whole: {check(Trace(sys.argv[1]))} rows")
    except (Damaged, OSError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
