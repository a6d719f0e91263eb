"""Arrays for the independent reader of XTF files (xtf_reader.py): pages, trees and rows."""
import struct
import zlib
from bisect import bisect_left, bisect_right
from functools import lru_cache
from typing import NamedTuple

import xtf_unpack
from xtf_format import (ALIGNMENT, ARRAY, COMPACT, COMPACT_FEATURE, EDGE, ENTRY, HEIGHT_MAX, INDEX, JOINED, JOINED_FEATURE, LEAF, LEAF_BYTES_MAX, LEAF_ROWS_PER_BYTE,
                        OPEN_PAGE, PAGE, PAGE_MAGIC, PIECE, PIECE_OF_ARRAY, PIECE_OF_ROWS, PLAIN, REFERENCE, SHIFT, VOLUMES_FEATURE)
from xtf_schema import GREATEST, TABLE_KIND, Bytes, Damaged, Unknown, expect


class Page(NamedTuple):
    """A page, sealed or open."""
    level: int
    first: int  # N of its first row
    rows: int
    before: int
    behind: int
    payload: bytes

    def entries(self):
        return list(ENTRY.iter_unpack(self.payload))

    def time(self, row, row_size):
        return int.from_bytes(self.payload[row * row_size:row * row_size + 8], "little")


class Piece(NamedTuple):
    """Consecutive rows of a joined array: all rows of another array, or rows of its own."""
    first: int
    end: int
    array: "Array"  # None: the piece has rows of its own
    shifts: list    # (field, number) each: what is added to the rows of the other array
    rows: bytes


class Array:
    """The rows of one location and schema, in order of time: the TN index and the leaves."""

    def __init__(self, trace, entry):
        (self.location, schema, self.id, self.rows, self.local_first, self.local_last, edge, segment, self.clock_map, self.height, self.codec, flags) = entry
        expect(schema < len(trace.schemas) and trace.schemas[schema].kind != TABLE_KIND, f"array {self.id}: there is no such schema, {schema}")
        expect(segment < len(trace.segments), f"array {self.id}: there is no segment {segment}")
        expect(self.clock_map <= len(trace.clock_maps), f"array {self.id}: there is no clock map {self.clock_map}")
        self.clock = trace.clock_maps[self.clock_map - 1] if self.clock_map else None
        self.first, self.last = (self.clock.to_global(time) if self.clock else time for time in (self.local_first, self.local_last))
        expect(self.codec != COMPACT or trace.features & COMPACT_FEATURE, f"array {self.id}: it is packed, but the superblock lacks the feature")
        expect(self.rows >= 1 and self.height >= 1, f"array {self.id}: it is empty")
        expect(self.height <= HEIGHT_MAX, f"array {self.id}: {self.height} levels")
        self.trace, self.schema, self.segment = trace, trace.schemas[schema], trace.segments[segment]
        self.label = f"array {self.id} (location {self.location}, {self.schema.name})"
        self.known = self.schema.readable and self.codec in (PLAIN, COMPACT)
        self.numbers = trace.numbers_of(segment, self.schema) if self.known else []
        self.edge_reference = edge
        self.edge_heads, self.edge_pages, self.edge_totals = None, {}, []
        self.joined, self.pieces = bool(flags & JOINED and trace.features & JOINED_FEATURE), []  # without the feature the flags are reserved
        self.visits = 0

    def is_removed(self, place):
        """True if a page, or the page of an item, was removed on purpose with its volume."""
        return self.trace.is_removed(self.segment.first + place)

    @property
    def edge_removed(self):
        offset, length, _ = REFERENCE.unpack(self.edge_reference)
        return length > 0 and self.is_removed(offset // self.trace.page_size)

    def read_edge(self):
        """Reads the right edge, without the rows of the open leaf, which are an item of their own."""
        if self.edge_heads is not None:
            return
        if not self.known:
            raise Unknown(f"{self.label}: unknown codec {self.codec}" if self.schema.readable else self.schema.unknown()[0])
        label = f"{self.label}: right edge"
        data = Bytes(self.trace.item(self.edge_reference, label, self.segment.first), label)
        self.leaf_crc, _ = data.unpack(EDGE)
        heads = [data.unpack(OPEN_PAGE) for _ in range(self.height)]
        for level, (first, place, sealed, rows, size) in enumerate(heads[1:], 1):
            self.edge_pages[level] = Page(level, first, rows, sealed, place, self.unpacked(level, rows, data.take(size), label))
        for _ in range(self.height if self.schema.aggregates else 0):  # from level 1 up, then of the whole array
            length, _ = data.unpack("<II")
            self.edge_totals.append(data.take(length))
        if self.joined:
            self.pieces = self.read_pieces(data, label)
            expect(heads[0][4] == 0, f"{label}: a joined array with an open leaf of its own")
        expect(not data, f"{label}: bytes left over")
        expect(heads[-1][0] == 0, f"{label}: the root does not begin with row 0")
        expect(heads[0][0] + heads[0][3] == self.rows, f"{label}: does not end with row {self.rows}")
        self.edge_heads = heads

    def read_pieces(self, data, label):
        """Returns the pieces of a joined array, which end its right edge."""
        start = data.at
        (count, _) = data.unpack("<II")
        heads = [data.unpack(PIECE) for _ in range(count)]
        ends = [head[0] for head in heads[1:]] + [self.rows]
        expect(heads and heads[0][0] == 0 and all(head[0] < end for head, end in zip(heads, ends)), f"{label}: its pieces are out of order")
        pieces = []
        for (first, offset, length), end in zip(heads, ends):
            expect(offset == data.at - start, f"{label}: a piece does not follow the one before")
            pieces.append(self.read_piece(first, end, Bytes(bytes(data.take(length)), f"{label}: piece of row {first}")))
            expect(not any(data.take(-length % ALIGNMENT)), f"{label}: bytes after a piece")
        return pieces

    def read_piece(self, first, end, body):
        (kind, count) = body.unpack("<II")
        if kind == PIECE_OF_ROWS:
            rows = bytes(body.take((end - first) * self.schema.row_size))
            expect(not body and not count, f"{body.label}: bytes left over")
            times = [rows[at:at + 8][::-1] for at in range(0, len(rows), self.schema.row_size)]
            expect(times == sorted(times), f"{body.label}: times decrease")
            return Piece(first, end, None, [], rows)
        expect(kind == PIECE_OF_ARRAY, f"{body.label}: of unknown kind {kind}")
        array = Array(self.trace, body.unpack(ARRAY))
        expect(array.rows == end - first, f"{body.label}: it has not all rows of its array")
        expect((array.location, array.schema.id, array.joined) == (self.location, self.schema.id, False), f"{body.label}: an array of another kind")
        shifts = [body.unpack(SHIFT) for _ in range(count)]
        fields = [field for field, _ in shifts]
        expect(not body and fields == sorted(set(fields)) and all(0 < field < len(self.schema.fields) for field in fields), f"{body.label}: its shifts")
        expect(all(self.schema.fields[field].type[0] in "UI" for field in fields), f"{body.label}: it shifts a field that is no integer")
        return Piece(first, end, array, shifts, b"")

    def child(self, entry, level, is_open):
        """Returns the page of a level to which an entry leads."""
        if not level and self.joined:
            return self.joined_leaf(*entry[1:])
        return self.open_page(level) if is_open else self.sealed(entry[2], level)

    @lru_cache(maxsize=64)
    def joined_leaf(self, n, place):
        """Returns the leaf of a joined array that begins with row n: a leaf of another array, or rows of a piece."""
        piece = self.pieces[bisect_right(self.pieces, n, key=lambda piece: piece.first) - 1]
        if piece.array is None:
            expect(n == piece.first and not place, f"{self.label}: row {n} does not begin a piece of rows")
            return Page(0, n, piece.end - n, 0, 0, piece.rows)
        leaf = piece.array.sealed(place, 0) if place else piece.array.open_page(0)
        size = self.schema.row_size
        rows = (piece.array.as_global(leaf.payload[at:at + size]) for at in range(0, len(leaf.payload), size))
        return Page(0, leaf.first + piece.first, leaf.rows, 0, 0, b"".join(self.shifted(row, piece.shifts) for row in rows))

    def shifted(self, row, shifts):
        row = bytearray(row)
        for field, by in ((self.schema.fields[number], by) for number, by in shifts):
            own = row[field.offset:field.offset + field.size]
            if not field.optional or own != field.none:
                row[field.offset:field.offset + field.size] = ((int.from_bytes(own, "little") + by) % (1 << 8 * field.size)).to_bytes(field.size, "little")
        return bytes(row)

    def open_page(self, level):
        """Returns the open page of a level."""
        self.read_edge()
        if not level and self.joined:
            return self.joined_leaf(self.edge_heads[0][0], self.edge_heads[0][1])
        if level not in self.edge_pages:
            first, place, sealed, rows, size = self.edge_heads[0]
            offset, length, _ = REFERENCE.unpack(self.edge_reference)
            reference = REFERENCE.pack(-(-(offset + length) // ALIGNMENT) * ALIGNMENT, size, self.leaf_crc)
            label = f"{self.label}: open leaf"
            payload = self.unpacked(0, rows, self.trace.item(reference, label, self.segment.first), label)
            self.edge_pages[0] = Page(0, first, rows, sealed, place, payload)
        return self.edge_pages[level]

    @property
    def root(self):
        return self.open_page(self.height - 1)

    def unpacked(self, level, rows, payload, label):
        """Returns the payload of a page as entries or unpacked rows, with the numbers of the file."""
        payload = self.as_stored(level, rows, payload, label)
        return payload if level or not self.numbers else b"".join(map(self.mapped, (payload[at:at + self.schema.row_size] for at in range(0, len(payload), self.schema.row_size))))

    def mapped(self, row):
        """Returns a row with the numbers of the file instead of the numbers of its segment."""
        stored, nones = self.schema.layout.unpack(row), self.schema.values(row)
        values = list(stored)
        for field, choice, number in self.numbers:
            if nones[field] is not None and (choice is None or stored[choice[0]] == choice[1]):
                values[field] = number(stored[field])
        return self.schema.layout.pack(*values)

    def mapped_key(self, aggregate, key, value):
        """Returns the value of an aggregate's key in the numbers of the file."""
        return next((number(value) for field, choice, number in self.numbers if choice is None and field == aggregate.keys[key]), value)

    def as_stored(self, level, rows, payload, label):
        if level == 0 and self.codec == COMPACT:
            most = min(LEAF_ROWS_PER_BYTE * self.trace.page_size, LEAF_BYTES_MAX // self.schema.row_size)
            expect(1 <= rows <= most, f"{label}: {rows} rows in a leaf")
            try:
                return self.schema.unpack(payload, rows)
            except xtf_unpack.Damaged as error:
                raise Damaged(f"{label}: {error}") from error
        expect(rows >= 1 and len(payload) == rows * (ENTRY.size if level else self.schema.row_size), f"{label}: {rows} rows or entries in {len(payload)} bytes")
        expect(len(payload) <= self.trace.page_size - PAGE.size, f"{label}: more than a page")
        return payload

    @lru_cache(maxsize=64)
    def sealed(self, place, level):
        label = f"{self.label}: page {place}"
        expect(place < self.segment.pages, f"{label}: past the end of its segment")
        data = self.trace.read((self.segment.first + place) * self.trace.page_size, self.trace.page_size, label)
        (magic, kind, codec, own_level, array, epoch, segment, first, rows, size, before, behind, companion, crc) = PAGE.unpack_from(data)
        expect(magic == PAGE_MAGIC, f"{label}: wrong magic")
        expect(size <= len(data) - PAGE.size, f"{label}: its payload is longer than a page")
        payload = data[PAGE.size:PAGE.size + size]
        expect(zlib.crc32(struct.pack("<Q", place) + data[:60] + payload) == crc, f"{label}: wrong checksum")
        expect((array, segment, own_level) == (self.id, self.segment.id, level) and epoch <= self.segment.epoch, f"{label}: belongs to another array, level or segment")
        expect(kind == (INDEX if level else LEAF) and codec == (PLAIN if level else self.codec), f"{label}: of kind {kind}, codec {codec}")
        expect(level or not companion, f"{label}: a leaf with a companion")
        return Page(level, first, rows, before, behind, self.unpacked(level, rows, payload, label))

    def descend(self, choose):
        """Returns the leaf that *choose* leads to. *choose* takes a list of entries and returns the index of one."""
        page, is_open = self.root, True
        self.visits += 1
        while page.level:
            entries = page.entries()
            chosen = choose(entries)
            expect(chosen >= 0, f"{self.label}: an index page that begins too late")
            _, first, place = entries[chosen]
            is_open = is_open and chosen == len(entries) - 1
            page = self.child(entries[chosen], page.level - 1, is_open)
            self.visits += 1
            expect(page.first == first, f"{self.label}: page {place} begins with row {page.first}, its entry says {first}")
        return page

    def leaf_of(self, n):
        return self.descend(lambda entries: bisect_right(entries, n, key=lambda entry: entry[1]) - 1)

    def rank(self, time):
        """Returns the number of rows whose global time is before *time*."""
        time = self.clock.to_local(time) if self.clock else time
        if time is None:
            return self.rows
        leaf = self.descend(lambda entries: max(bisect_left(entries, time, key=lambda entry: entry[0]) - 1, 0))
        return leaf.first + bisect_left(range(leaf.rows), time, key=lambda row: leaf.time(row, self.schema.row_size))

    def count(self, begin=None, end=None):
        return max((self.rows if end is None else self.rank(end)) - (0 if begin is None else self.rank(begin)), 0)

    def read(self, first=0, last=None):
        """Yields the rows [first, last) as bytes, with global times."""
        yield from map(self.as_global, self.read_local(first, last))

    def as_global(self, row):
        """Returns a row with global times."""
        if not self.clock:
            return bytes(row)
        row = bytearray(row)
        for field in (self.schema.fields[i] for i in self.schema.instants):
            own = row[field.offset:field.offset + 8]
            if not field.optional or own != field.none:
                time = min(self.clock.to_global(int.from_bytes(own, "little")), GREATEST - field.optional)
                row[field.offset:field.offset + 8] = time.to_bytes(8, "little")
        return bytes(row)

    def read_local(self, first=0, last=None):
        """Yields the rows [first, last) as bytes, as the file has them, leaf by leaf along the chain."""
        last = self.rows if last is None else min(last, self.rows)
        if first >= last:
            return
        leaf, size = self.leaf_of(first), self.schema.row_size
        while True:
            for row in range(first - leaf.first, min(leaf.rows, last - leaf.first)):
                yield leaf.payload[row * size:(row + 1) * size]
            first = leaf.first + leaf.rows
            if first >= last:
                return
            leaf = self.open_page(0) if first == self.edge_heads[0][0] else self.leaf_of(first) if self.joined or self.trace.features & VOLUMES_FEATURE else self.sealed(leaf.behind, 0)
            expect(leaf.first == first, f"{self.label}: the leaf after row {first - 1} begins with row {leaf.first}")

    def window(self, begin=None, end=None):
        return self.read(0 if begin is None else self.rank(begin), None if end is None else self.rank(end))
