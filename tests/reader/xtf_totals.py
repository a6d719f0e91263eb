"""The totals in the index of an array: decoded, and computed anew from the rows. Written from docs/FORMAT.md, section 7, alone."""
import math
import struct
import zlib

from xtf_format import ALIGNMENT, COMPACT, PAGE, PAGE_MAGIC
from xtf_schema import Bytes, Damaged, expect
import xtf_unpack

COMPANION_KIND, SNAPSHOT_FRAMES = 3, 64
TOTALS, BORDERS, SNAPSHOTS, FILTERS = 1, 2, 3, 4
FILTER_PROBES, FILTER_GROUP_BITS = 7, 10
U64, F64 = struct.Struct("<Q"), struct.Struct("<d")
TABLE_HEAD = struct.Struct("<BBHIII")
CHILD_ROWS, CHILD_ROWS_LATE, TABLE_BYTES = 1024, 32, 16 << 20
SMALL_ROWS = 128  # of an array of one leaf that may have no totals
MASK = (1 << 64) - 1
BEFORE = MASK
UNSIGNED, SIGNED, REAL, UNKNOWN = range(4)
OPPOSITE = {UNSIGNED: (MASK, 0), SIGNED: ((1 << 63) - 1, -(1 << 63)), REAL: (math.inf, -math.inf), UNKNOWN: (0, 0)}


def value_kind(array, aggregate, value, key, depth):
    field = array.schema.fields[aggregate.values[value]]
    if field.type == "U64" and aggregate.typed_by:
        if depth < aggregate.typed_by:
            return UNKNOWN
        bit = 1 << key[aggregate.typed_by - 1]
        return REAL if aggregate.reals & bit else SIGNED if aggregate.signeds & bit else UNSIGNED
    return {"F64": REAL, "I32": SIGNED, "I64": SIGNED}.get(field.type, UNSIGNED)


def number(cell, kind):
    """The number that 64 bits of a cell, or of a field's value, stand for."""
    cell &= MASK
    if kind == REAL:
        return F64.unpack(U64.pack(cell))[0]
    return cell - (1 << 64) if kind == SIGNED and cell >> 63 else cell


def bits(value):
    return U64.unpack(F64.pack(value))[0] if isinstance(value, float) else value & MASK


def keys_of(array, aggregate, rows, depth):
    """The key of each row."""
    fields, unpack = aggregate.keys[:depth], array.schema.layout.unpack
    for row in rows:
        raw = unpack(row)
        yield tuple([bits(raw[i]) for i in fields])


def groups_of(array, aggregate, rows, depth):
    """The cells of each key, as numbers, computed from unpacked rows."""
    groups, kinds_of, width = {}, {}, 4 if aggregate.extremes else 1
    for row, key in zip(rows, keys_of(array, aggregate, rows, depth)):
        if key not in groups:
            kinds = kinds_of[key] = [value_kind(array, aggregate, i, key, depth) for i in range(len(aggregate.values))]
            groups[key] = [0] + [c for kind in kinds for c in ((0, *OPPOSITE[kind], 0) if aggregate.extremes else (0,))]
        cells = groups[key]
        cells[0] += 1
        if not aggregate.values:
            continue
        values = array.schema.values(row)
        for i, kind in enumerate(kinds_of[key]):
            value = values[aggregate.values[i]]
            if value is None or kind == UNKNOWN:
                continue
            value, at = number(bits(value), kind), 1 + i * width
            if value != value:
                continue
            cells[at] = cells[at] + value if kind == REAL else number(cells[at] + value, kind)
            if aggregate.extremes:
                cells[at + 1] = min(cells[at + 1], value)
                cells[at + 2] = max(cells[at + 2], value)
                cells[at + 3] = value if depth == len(aggregate.keys) else 0
    return groups


class Frames:
    """For each row the amounts that it adds to totals, (key, cell, amount) each, and the frames before it and those of them that it
    leaves open; and the stack before each leaf. The rows begin with row *start*, and the stack and the time before it."""

    def __init__(self, array, aggregate, rows, leaves, start=0, stack=(), before=0):
        self.charges, self.snapshots, stack, before = [], {}, list(stack), before if start else None
        self.times, self.depths, self.kept, self.stack = [], [], [], stack
        for n, row in enumerate(rows, start):
            if n in leaves:
                self.snapshots[n] = stack[-SNAPSHOT_FRAMES:]
            values = array.schema.layout.unpack(row)
            time, key = values[0], values[aggregate.keys[0]]
            is_end, distance, outermost = (values[i] for i in aggregate.values)
            around = next((i for i, frame in enumerate(stack) if distance and frame[1] == n - distance), None)
            ticks = 0 if before is None else time - before
            charge = [(key, 1 if is_end else 0, 1)]
            if stack:
                charge.append((stack[-1][0], 3, ticks))
            if is_end and around is None:
                charge.append((BEFORE, 0, 1))
                charge += [] if stack else [(BEFORE, 2, ticks), (BEFORE, 3, ticks)]
            kept = len(stack) if is_end and around is None else around if is_end else around + 1 if around is not None else 0
            charge += [(frame[0], 2, time - frame[2] if frame[3] else 0) for frame in stack[kept:]]
            charge += [(frame[0], 4, time - frame[2]) for frame in stack[kept:]]
            self.times.append(time)
            self.depths.append(len(stack))
            self.kept.append(kept)
            del stack[kept:]
            if not is_end:
                stack.append((key, n, time, int(outermost != 0)))
            self.charges.append(charge)
            before = time

    def totals(self, first, end, depth):
        groups = {}
        for charge in self.charges[first:end]:
            for key, cell, amount in charge:
                if depth or key != BEFORE:
                    cells = groups.setdefault((key,)[:depth], [0] * 5)
                    cells[cell] = max(cells[cell], amount) if cell == 4 else (cells[cell] + amount) & MASK
        return groups

    def border(self, first, end):
        """Between rows [first, end) and the row before them: ticks, open frames; and the fewest that one of these rows leaves open."""
        return self.times[first] - self.times[first - 1] if first else 0, self.depths[first], min(self.kept[first:end])


def tables(data):
    """{(kind, aggregate): (rows, packed bytes)} of all tables, those of unknown kinds too."""
    found = {}
    while data:
        kind, aggregate, zero, rows, length, reserved = data.unpack(TABLE_HEAD)
        packed = data.take(length)
        padding = data.take(-length % ALIGNMENT)
        expect((kind, aggregate) not in found, f"{data.what}: two tables of kind {kind}, aggregate {aggregate}")
        expect(kind and rows and not zero and not reserved and not any(padding), f"{data.what}: a table of kind {kind}, {rows} rows")
        found[kind, aggregate] = rows, packed
    return found


def table(array, found, kind, index, widths, what):
    """The rows of a table, as tuples; none if it is not there."""
    if (kind, index) not in found:
        return []
    rows, packed = found[kind, index]
    layout = struct.Struct("<" + "".join("B" if width == 1 else "Q" for width in widths))
    if array.codec == COMPACT:
        try:
            packed = xtf_unpack.unpack(packed, widths, [False] * len(widths), rows)
        except xtf_unpack.Damaged as error:
            raise Damaged(f"{what}: {error}") from error
    expect(len(packed) == rows * layout.size, f"{what}: {rows} rows in {len(packed)} bytes")
    return list(layout.iter_unpack(packed))


def totals_of(array, found, index, what):
    aggregate = array.schema.aggregates[index]
    return table(array, found, TOTALS, index, [8, 1] + [8] * (len(aggregate.keys) + aggregate.cells), what)


def same(found, stored):
    if isinstance(found, float):
        if math.isnan(found):
            return stored == 0x7FF8000000000000
        return found == number(stored, REAL) or math.isclose(found, number(stored, REAL), rel_tol=1e-9)
    return bits(found) == stored


def check_children(array, index, rows, children, all_rows, frames, what):
    """The totals of children, (first row, end) each."""
    aggregate = array.schema.aggregates[index]
    keys = len(aggregate.keys)
    expect(rows == sorted(rows, key=lambda row: (row[0], row[2:2 + keys])), f"{what}: totals out of order")
    # In a merged file the keys are mapped, and stand in the order of the stored ones.
    rows = [(*row[:2], *(array.mapped_key(aggregate, k, key) if k < row[1] else key for k, key in enumerate(row[2:2 + keys])), *row[2 + keys:]) for row in rows]
    stored_bytes = 0  # of the children before
    for i, (first, end) in enumerate(children):
        own = [row for row in rows if row[0] == i]
        most = CHILD_ROWS if stored_bytes < TABLE_BYTES else CHILD_ROWS_LATE
        stored_bytes += sum(1 + 8 * (len(row) - 1) for row in own)
        expect(1 <= len(own) <= most and len({row[1] for row in own}) == 1, f"{what}: child {i} has {len(own)} rows")
        depth = own[0][1]
        expect(depth <= keys, f"{what}: child {i}, aggregate {index}: depth {depth}")
        found = frames.totals(first, end, depth) if frames else groups_of(array, aggregate, all_rows[first:end], depth)
        expect({row[2:2 + depth] for row in own} == set(found) and len(own) == len(found), f"{what}: child {i}, aggregate {index}: other groups")
        for row in own:
            expect(not any(row[2 + depth:2 + keys]), f"{what}: child {i}: keys beyond its depth")
            cells = found[row[2:2 + depth]]
            expect(all(map(same, cells, row[2 + keys:])), f"{what}: child {i}, aggregate {index}, key {row[2:2 + depth]}: {row[2 + keys:]}, found {cells}")
    expect(all(row[0] < len(children) for row in rows), f"{what}: totals of a child that is not there")


def filter_hash(array, aggregate, key):
    """What the bits of a group in filters follow from: its keys that mean the same in every segment."""
    mixed = 0
    for number_of_field, value in zip(aggregate.keys, key):
        field = array.schema.fields[number_of_field]
        if field.type != "STRING" and not field.refers_to:
            mixed = ((mixed ^ bits(value)) + 0x9e3779b97f4a7c15) & MASK
            mixed = ((mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9) & MASK
            mixed = ((mixed ^ mixed >> 27) * 0x94d049bb133111eb) & MASK
            mixed ^= mixed >> 31
    return mixed


def check_filters(array, index, found, children, all_rows, level, what):
    """The filters of leaves: none is of a group that the leaf does have."""
    aggregate = array.schema.aggregates[index]
    rows = table(array, found, FILTERS, index, [8, 8], what)
    if not rows:
        return
    expect(aggregate.filters and level == 1, f"{what}: filters, aggregate {index}, level {level}")
    expect([row[0] for row in rows] == sorted(row[0] for row in rows) and rows[-1][0] < len(children), f"{what}: filters out of order")
    coarse = {row[0] for row in totals_of(array, found, index, what) if row[1] < len(aggregate.keys)}
    for child, (first, end) in enumerate(children):
        words = [word for of, word in rows if of == child]
        if not words:
            continue
        expect(child in coarse and len(words) <= -(-(end - first) * FILTER_GROUP_BITS // 64), f"{what}: child {child}: a filter of {len(words)} words")
        for key in set(keys_of(array, aggregate, all_rows[first:end], len(aggregate.keys))):
            mixed = filter_hash(array, aggregate, key)
            for i in range(FILTER_PROBES):
                bit = ((mixed & 0xffffffff) + i * (mixed >> 32 | 1)) % (64 * len(words))
                expect(words[bit // 64] >> bit % 64 & 1, f"{what}: child {child}: its filter has not the group {key}")


def companion(array, place):
    """The totals of a sealed index page: the payload of its companion."""
    what, size = f"{array.what}: companion of page {place}", array.trace.page_size
    head = array.trace.read((array.segment.first + place) * size, PAGE.size, what)
    page = PAGE.unpack(head)
    expect(page[12], f"{what}: there is none")
    at = place + page[12]
    expect(at < array.segment.pages, f"{what}: past the end of the segment")
    own = array.trace.read((array.segment.first + at) * size, PAGE.size, what)
    (magic, kind, codec, *rest, length, before, behind, further, crc) = PAGE.unpack(own)
    payload = array.trace.read((array.segment.first + at) * size + PAGE.size, length, what)
    expect(zlib.crc32(struct.pack("<Q", at) + own[:60] + payload) == crc, f"{what}: wrong checksum")
    expect((magic, kind, codec, further) == (PAGE_MAGIC, COMPANION_KIND, array.codec, 0), f"{what}: it is none")
    expect((*rest, before, behind) == (*page[3:9], page[10], page[11]), f"{what}: of another page")
    return Bytes(payload, what)


def index_pages(array, page, place, end):
    """All index pages, each with its place (None: open) and the row that it ends before."""
    entries = page.entries()
    yield page, place, end
    for i, (_, first, child) in enumerate(entries if page.level > 1 else []):
        is_open = place is None and i == len(entries) - 1
        below = array.open_page(page.level - 1) if is_open else array.sealed(child, page.level - 1)
        yield from index_pages(array, below, None if is_open else child, end if i == len(entries) - 1 else entries[i + 1][1])


def check_page(array, page, place, end, all_rows, frames):
    """The totals of an index page's children."""
    data = companion(array, place) if place is not None else Bytes(array.edge_totals[page.level - 1], f"{array.what}: right edge, level {page.level}")
    found, firsts = tables(data), [entry[1] for entry in page.entries()]
    children = list(zip(firsts, firsts[1:] + [end]))
    expect(all(index < len(frames) for _, index in found), f"{data.what}: totals of an aggregate that is not there")
    for index in (index for index in range(len(frames)) if array.schema.aggregates[index].known):
        check_children(array, index, totals_of(array, found, index, data.what), children, all_rows, frames[index], data.what)
        check_filters(array, index, found, children, all_rows, page.level, data.what)
        borders = table(array, found, BORDERS, index, [8] * 4, data.what)
        snapshots = [(child, array.mapped_key(array.schema.aggregates[index], 0, key), *rest) for child, key, *rest in table(array, found, SNAPSHOTS, index, [8, 8, 8, 8, 1], data.what)]
        expected = [(i, *frames[index].border(*child)) for i, child in enumerate(children)] if frames[index] else []
        expect(borders == expected, f"{data.what}: borders, aggregate {index}: {borders}, found {expected}")
        expected = [(i, *frame) for i, first in enumerate(firsts) for frame in frames[index].snapshots[first]] if frames[index] and page.level == 1 else []
        expect(snapshots == expected, f"{data.what}: snapshots, aggregate {index}")


def is_small(array):
    """Whether it may have no totals."""
    return array.height == 1 and array.rows <= SMALL_ROWS


def check_totals(array):
    if not array.schema.aggregates:
        return
    array.read_edge()
    pages = list(index_pages(array, array.root, None, array.rows)) if array.height > 1 else []
    leaves = {entry[1] for page, _, _ in pages if page.level == 1 for entry in page.entries()}
    all_rows = list(array.read_local())  # durations are those of the location's clock
    frames = [Frames(array, aggregate, all_rows, leaves) if aggregate.frames else None for aggregate in array.schema.aggregates]
    for page, place, end in pages:
        check_page(array, page, place, end, all_rows, frames)
    if is_small(array) and not array.edge_totals[-1]:
        return
    what = f"{array.what}: right edge, all rows"
    found = tables(Bytes(array.edge_totals[-1], what))
    known = [index for index, aggregate in enumerate(array.schema.aggregates) if aggregate.known]
    expect({key for key in found if key[0] <= FILTERS and key[1] in known} == {(TOTALS, index) for index in known}, f"{what}: other tables")
    for index in known:
        check_children(array, index, totals_of(array, found, index, what), [(0, array.rows)], all_rows, frames[index], what)
