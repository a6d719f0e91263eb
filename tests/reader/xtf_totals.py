"""The totals in the index of an array: decoded, and computed again from the rows. Written from docs/FORMAT.md, section 7, alone."""
import math
import struct
import zlib
from typing import NamedTuple

from xtf_format import ALIGNMENT, BATCHES_FEATURE, COMPACT, PAGE, PAGE_MAGIC
from xtf_schema import Bytes, Damaged, expect
import xtf_unpack

COMPANION_KIND, SNAPSHOT_FRAMES = 3, 64
TOTALS, BORDERS, SNAPSHOTS, FILTERS = 1, 2, 3, 4
FILTER_PROBES, FILTER_GROUP_BITS = 7, 10
BATCH_BITS = range(4, 17)
BATCH = struct.Struct("<II")
U64, F64 = struct.Struct("<Q"), struct.Struct("<d")
TABLE_HEAD = struct.Struct("<BBHIII")
CHILD_ROWS, CHILD_ROWS_LATE, TABLE_BYTES = 1024, 32, 16 << 20
SMALL_ROWS = 128  # most rows of an array of one leaf without totals
MASK = (1 << 64) - 1
BEFORE = MASK
UNSIGNED, SIGNED, REAL, UNKNOWN = range(4)
NO_NUMBER = 0x7FF8000000000000
ANY_SUM = False  # accepts any sum of doubles without extremes, as C6 of docs/FORMAT.md allows
OPPOSITE = {UNSIGNED: (MASK, 0), SIGNED: ((1 << 63) - 1, -(1 << 63)), REAL: (math.inf, -math.inf), UNKNOWN: (0, 0)}


def value_kind(array, aggregate, value, key, depth):
    field = array.schema.fields[aggregate.values[value]]
    if field.type == "U64" and aggregate.typed_by:
        if depth < aggregate.typed_by:
            return UNKNOWN
        chosen = key[aggregate.typed_by - 1]
        bit = 1 << chosen if chosen < 64 else 0
        return REAL if aggregate.reals & bit else SIGNED if aggregate.signeds & bit else UNSIGNED
    return {"F64": REAL, "I32": SIGNED, "I64": SIGNED}.get(field.type, UNSIGNED)


def number(cell, kind):
    """Returns the number that 64 bits of a cell, or of a field's value, represent."""
    cell &= MASK
    if kind == REAL:
        return F64.unpack(U64.pack(cell))[0]
    return cell - (1 << 64) if kind == SIGNED and cell >> 63 else cell


def bits(value):
    return U64.unpack(F64.pack(value))[0] if isinstance(value, float) else value & MASK


def keys_of(array, aggregate, rows, depth):
    """Yields the key of each row."""
    fields, unpack = aggregate.keys[:depth], array.schema.layout.unpack
    for row in rows:
        raw = unpack(row)
        yield tuple([bits(raw[i]) for i in fields])


def groups_of(array, aggregate, rows, depth):
    """Returns the cells of each key as numbers, computed from unpacked rows."""
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
            cells[at] = cells[at] + value if kind == REAL else number(cells[at] + value, kind)
            if value != value:
                continue
            if aggregate.extremes:
                cells[at + 1] = min(cells[at + 1], value)
                cells[at + 2] = max(cells[at + 2], value)
                cells[at + 3] = value if depth == len(aggregate.keys) else 0
    return groups


class Frames:
    """The effects of rows on totals and stacks.

    For each row: the amounts that it adds to totals, each (key, cell, amount), the number of frames before it, and the number of
    these frames that it leaves open. For each leaf: the stack before it.

    The rows begin with row *start*. *stack* and *before* are the stack and the time before that row.
    """

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
        """Returns the border of rows [first, end).

        It has the ticks since the row before, the number of open frames, and the least number that one of the rows leaves open."""
        return self.times[first] - self.times[first - 1] if first else 0, self.depths[first], min(self.kept[first:end])


def tables(data):
    """Returns {(kind, aggregate): (rows, packed bytes)} of all tables, including unknown kinds."""
    result = {}
    while data:
        kind, aggregate, zero, rows, length, reserved = data.unpack(TABLE_HEAD)
        packed = data.take(length)
        padding = data.take(-length % ALIGNMENT)
        expect((kind, aggregate) not in result, f"{data.label}: two tables of kind {kind}, aggregate {aggregate}")
        expect(kind and rows and not zero and not reserved and not any(padding), f"{data.label}: a table of kind {kind}, {rows} rows")
        result[kind, aggregate] = rows, packed
    return result


class Section(NamedTuple):
    """Tables that lie together, and the children that their rows may name; without batches one section has all tables of a page."""
    children: range
    tables: dict


def table(array, sections, kind, index, widths, label):
    """Returns the rows of a table of all sections as tuples; an empty list if the table is missing."""
    found = []
    for children, decoded in sections:
        rows = table_of_section(array, decoded, kind, index, widths, label)
        expect(len(sections) == 1 or all(row[0] in children for row in rows), f"{label}: a row of kind {kind} is in the section of another batch")
        found += rows
    return found


def table_of_section(array, decoded, kind, index, widths, label):
    if (kind, index) not in decoded:
        return []
    rows, packed = decoded[kind, index]
    layout = struct.Struct("<" + "".join("B" if width == 1 else "Q" for width in widths))
    if array.codec == COMPACT:
        try:
            packed = xtf_unpack.unpack(packed, widths, [False] * len(widths), rows)
        except xtf_unpack.Damaged as error:
            raise Damaged(f"{label}: {error}") from error
    expect(len(packed) == rows * layout.size, f"{label}: {rows} rows in {len(packed)} bytes")
    return list(layout.iter_unpack(packed))


def totals_of(array, sections, index, label):
    aggregate = array.schema.aggregates[index]
    return table(array, sections, TOTALS, index, [8, 1] + [8] * (len(aggregate.keys) + aggregate.cells), label)


def same_sum(computed, stored, error):
    """True if a sum of doubles is off by at most `error`: C6 of docs/FORMAT.md."""
    if math.isnan(computed):
        return stored == NO_NUMBER
    known = number(stored, REAL)
    return computed == known or math.isfinite(known) and math.isfinite(computed) and abs(computed - known) <= error


def same(computed, stored):
    """True if a cell agrees with a number. A sum of doubles may differ a little."""
    return same_sum(computed, stored, 1e-9 * abs(computed)) if isinstance(computed, float) else bits(computed) == stored


def same_cells(aggregate, computed, stored):
    """True if cells agree. Sums of doubles may differ a little. Either zero may be the least or the greatest, but not the last."""
    for i, (mine, cell) in enumerate(zip(computed, stored)):
        if not isinstance(mine, float):
            agree = same(mine, cell)
        elif not aggregate.extremes:
            agree = ANY_SUM or same(mine, cell)
        elif i % 4 == 1:
            agree = same_sum(mine, cell, computed[0] * max(abs(computed[i + 1]), abs(computed[i + 2])) / 2**40)
        else:
            agree = bits(mine) == cell if i % 4 == 0 else mine == number(cell, REAL)
        if not agree:
            return False
    return True


def check_children(array, index, rows, children, all_rows, frames, label):
    """Checks the totals of children, (first row, end) each."""
    aggregate = array.schema.aggregates[index]
    keys = len(aggregate.keys)
    expect(rows == sorted(rows, key=lambda row: (row[0], row[2:2 + keys])), f"{label}: totals out of order")
    # In a merged file the keys are mapped, but still in the order of the stored keys.
    rows = [(*row[:2], *(array.mapped_key(aggregate, k, key) if k < row[1] else key for k, key in enumerate(row[2:2 + keys])), *row[2 + keys:]) for row in rows]
    stored_bytes = 0  # of the previous children
    for i, (first, end) in enumerate(children):
        own = [row for row in rows if row[0] == i]
        most = CHILD_ROWS if stored_bytes < TABLE_BYTES else CHILD_ROWS_LATE
        stored_bytes += sum(1 + 8 * (len(row) - 1) for row in own)
        expect(1 <= len(own) <= most and len({row[1] for row in own}) == 1, f"{label}: child {i} has {len(own)} rows")
        depth = own[0][1]
        expect(depth <= keys, f"{label}: child {i}, aggregate {index}: depth {depth}")
        computed = frames.totals(first, end, depth) if frames else groups_of(array, aggregate, all_rows[first:end], depth)
        expect({row[2:2 + depth] for row in own} == set(computed) and len(own) == len(computed), f"{label}: child {i}, aggregate {index}: the groups differ from those of the rows")
        for row in own:
            expect(not any(row[2 + depth:2 + keys]), f"{label}: child {i}: keys beyond its depth")
            cells = computed[row[2:2 + depth]]
            expect(same_cells(aggregate, cells, row[2 + keys:]), f"{label}: child {i}, aggregate {index}, key {row[2:2 + depth]}: {row[2 + keys:]}, computed {cells}")
    expect(all(row[0] < len(children) for row in rows), f"{label}: totals of a child that does not exist")


def filter_hash(array, aggregate, key):
    """Returns the hash that gives the bits of a group in filters. It depends on the keys that mean the same in every segment."""
    mixed = 0
    for field_number, value in zip(aggregate.keys, key):
        field = array.schema.fields[field_number]
        if field.type != "STRING" and not field.refers_to:
            mixed = ((mixed ^ bits(value)) + 0x9e3779b97f4a7c15) & MASK
            mixed = ((mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9) & MASK
            mixed = ((mixed ^ mixed >> 27) * 0x94d049bb133111eb) & MASK
            mixed ^= mixed >> 31
    return mixed


def check_filters(array, index, sections, children, all_rows, level, label):
    """Checks the filters of leaves: no filter excludes a group that its leaf has."""
    aggregate = array.schema.aggregates[index]
    rows = table(array, sections, FILTERS, index, [8, 8], label)
    if not rows:
        return
    expect(aggregate.filters and level == 1, f"{label}: filters, aggregate {index}, level {level}")
    expect([row[0] for row in rows] == sorted(row[0] for row in rows) and rows[-1][0] < len(children), f"{label}: filters out of order")
    coarse = {row[0] for row in totals_of(array, sections, index, label) if row[1] < len(aggregate.keys)}
    for child, (first, end) in enumerate(children):
        words = [word for number, word in rows if number == child]
        if not words:
            continue
        expect(child in coarse and len(words) <= -(-(end - first) * FILTER_GROUP_BITS // 64), f"{label}: child {child}: a filter of {len(words)} words")
        for key in set(keys_of(array, aggregate, all_rows[first:end], len(aggregate.keys))):
            mixed = filter_hash(array, aggregate, key)
            for i in range(FILTER_PROBES):
                bit = ((mixed & 0xffffffff) + i * (mixed >> 32 | 1)) % (64 * len(words))
                expect(words[bit // 64] >> bit % 64 & 1, f"{label}: child {child}: its filter lacks the group {key}")


def companion(array, place):
    """Returns the companion of a sealed index page: its place, its header, and its payload."""
    label, size = f"{array.label}: companion of page {place}", array.trace.page_size
    head = array.trace.read((array.segment.first + place) * size, PAGE.size, label)
    page = PAGE.unpack(head)
    expect(page[12], f"{label}: it does not exist")
    at = place + page[12]
    expect(at < array.segment.pages, f"{label}: past the end of the segment")
    own = array.trace.read((array.segment.first + at) * size, PAGE.size, label)
    (magic, kind, codec, *rest, length, before, behind, further, crc) = PAGE.unpack(own)
    payload = array.trace.read((array.segment.first + at) * size + PAGE.size, length, label)
    expect(zlib.crc32(struct.pack("<Q", at) + own[:60] + payload) == crc, f"{label}: wrong checksum")
    expect((magic, kind, codec, further) == (PAGE_MAGIC, COMPANION_KIND, array.codec, 0), f"{label}: not a valid companion")
    expect((*rest, before, behind) == (*page[3:9], page[10], page[11]), f"{label}: belongs to another page")
    expect(batch_of(array, head) == batch_of(array, own), f"{label}: batches of {batch_of(array, own)} bits, those of its page have {batch_of(array, head)}")
    return at, own, Bytes(payload, label)


def batch_of(array, head):
    """Returns *batch* of a page's header."""
    return head[7] if array.trace.features & BATCHES_FEATURE else 0


def divided(at, head, payload, n):
    """Returns the bytes of the n + 1 sections of a companion, whose header and place are given."""
    label = payload.label
    crc, _ = payload.unpack("<II")
    entries = [payload.unpack(BATCH) for _ in range(n + 1)]
    expect(zlib.crc32(struct.pack("<Q", at) + head[:60] + payload.data[4:8 + 8 * (n + 1)]) == crc, f"{label}: wrong checksum of the directory")
    expect(all(length % ALIGNMENT == 0 for length, _ in entries), f"{label}: the length of a section is no multiple of {ALIGNMENT}")
    parts = [payload.sub(length) for length, _ in entries]
    expect(not payload, f"{label}: bytes after the last section")
    for number, (part, (_, crc)) in enumerate(zip(parts, entries)):
        expect(zlib.crc32(part.data) == crc, f"{label}: section {number}: wrong checksum")
    return parts


class PageTables(NamedTuple):
    """The tables of an index page. The filters are a section of their own if the page has batches."""
    label: str
    sections: list   # of the children
    batch_size: int  # children of a batch; 0: there are no batches
    batches: list    # one section, of whole batches
    reserved: bytes  # reserved bytes, which a checker looks at


def page_tables(array, page, place):
    """Returns the PageTables of an index page, which is open if `place` is None."""
    if place is None:
        data = Bytes(array.edge_totals[page.level - 1], f"{array.label}: right edge, level {page.level}")
        return PageTables(data.label, [Section(range(page.rows), tables(data))], 0, [], b"")
    at, head, payload = companion(array, place)
    batch = batch_of(array, head)
    if not batch:
        return PageTables(payload.label, [Section(range(page.rows), tables(payload))], 0, [], b"")
    size = 1 << batch
    firsts = range(0, page.rows, size)
    expect(batch in BATCH_BITS and len(firsts) > 1, f"{payload.label}: {len(firsts)} batches of {batch} bits")
    decoded = [tables(part) for part in divided(at, head, payload, len(firsts))]
    for number, section in enumerate(decoded):
        wrong = {BORDERS, SNAPSHOTS} if number == 0 else {FILTERS}
        expect(not wrong & {kind for kind, _ in section}, f"{payload.label}: section {number} has tables of other kinds")
    sums = {key: value for key, value in decoded[0].items() if key[0] == TOTALS}
    others = {key: value for key, value in decoded[0].items() if key[0] != TOTALS}
    sections = [Section(range(first, min(first + size, page.rows)), section) for first, section in zip(firsts, decoded[1:])]
    return PageTables(payload.label, [Section(range(page.rows), others)] + sections, size, [Section(range(len(firsts)), sums)], payload.data[4:8])


def index_pages(array, page, place, end):
    """Yields all index pages that were not removed, each with its place (None: open) and the row after its last one."""
    entries = page.entries()
    yield page, place, end
    for i, entry in enumerate(entries if page.level > 1 else []):
        child = entry[2]
        is_open = place is None and i == len(entries) - 1
        if not is_open and array.is_removed(child):
            continue
        below = array.child(entry, page.level - 1, is_open)
        yield from index_pages(array, below, None if is_open else child, end if i == len(entries) - 1 else entries[i + 1][1])


def check_page(array, page, place, end, all_rows, frames):
    """Checks the totals of an index page's children."""
    label, sections, size, batches, reserved = page_tables(array, page, place)
    expect(not any(reserved), f"{label}: reserved bytes of the directory are {reserved}")
    firsts = [entry[1] for entry in page.entries()]
    children = list(zip(firsts, firsts[1:] + [end]))
    of_batches = [(children[i][0], children[min(i + size, len(children)) - 1][1]) for i in range(0, len(children), size)] if size else []
    expect(all(index < len(frames) for section in sections + batches for _, index in section.tables), f"{label}: totals of an aggregate that does not exist")
    for index in (index for index in range(len(frames)) if array.schema.aggregates[index].known):
        check_children(array, index, totals_of(array, sections, index, label), children, all_rows, frames[index], label)
        if batches:
            check_children(array, index, totals_of(array, batches, index, label), of_batches, all_rows, frames[index], f"{label}, batches")
        check_filters(array, index, sections, children, all_rows, page.level, label)
        borders = table(array, sections, BORDERS, index, [8] * 4, label)
        snapshots = [(child, array.mapped_key(array.schema.aggregates[index], 0, key), *rest) for child, key, *rest in table(array, sections, SNAPSHOTS, index, [8, 8, 8, 8, 1], label)]
        expected = [(i, *frames[index].border(*child)) for i, child in enumerate(children)] if frames[index] else []
        expect(borders == expected, f"{label}: borders, aggregate {index}: {borders}, computed {expected}")
        expected = [(i, *frame) for i, first in enumerate(firsts) for frame in frames[index].snapshots[first]] if frames[index] and page.level == 1 else []
        expect(snapshots == expected, f"{label}: snapshots, aggregate {index}")


def is_small(array):
    """Returns true if the array may have no totals."""
    return array.height == 1 and array.rows <= SMALL_ROWS


def check_totals(array):
    if not array.schema.aggregates:
        return
    array.read_edge()
    pages = list(index_pages(array, array.root, None, array.rows)) if array.height > 1 else []
    leaves = {entry[1] for page, _, _ in pages if page.level == 1 for entry in page.entries()}
    all_rows = list(array.read_local())  # durations are in ticks of the location's clock
    frames = [Frames(array, aggregate, all_rows, leaves) if aggregate.frames and aggregate.known else None for aggregate in array.schema.aggregates]
    for page, place, end in pages:
        check_page(array, page, place, end, all_rows, frames)
    if is_small(array) and not array.edge_totals[-1]:
        return
    label = f"{array.label}: right edge, all rows"
    decoded = tables(Bytes(array.edge_totals[-1], label))
    known = [index for index, aggregate in enumerate(array.schema.aggregates) if aggregate.known]
    expect({key for key in decoded if key[0] <= FILTERS and key[1] in known} == {(TOTALS, index) for index in known}, f"{label}: wrong tables")
    for index in known:
        check_children(array, index, totals_of(array, [Section(range(1), decoded)], index, label), [(0, array.rows)], all_rows, frames[index], label)
