#!/usr/bin/env python3
"""An independent reader of XTF files, written from docs/FORMAT.md alone.

It shares no code with libxtf. If the two agree, the document is right; if they differ, the document or one of them is wrong.
The reader is simple and trusts nothing: it checks every length and every checksum before it uses the data.
"""
import argparse
import heapq
import itertools
import os
import struct
import sys
import zlib
from typing import NamedTuple

from xtf_array import Array
from xtf_format import (ALIGNMENT, ANCHORED_FEATURE, ARRAY, ARRAYS, BATCHES_FEATURE, BRANCH, CATALOG_MAGIC, CLOCK, CLOCK_KIND, CLOCK_MAPS, COMPACT_FEATURE, COUNTS, CRC32, FILE, FILES, FILE_PAGES_MAX, FILES_FEATURE,
                        FREE, FREE_KIND, HEIGHT_MAX, ITEM_MAX, JOINED_FEATURE, KNOT, KNOWN, LEAF_LIST, LEAF_LISTS, LIMIT, LIMITS, NODE, NODE_MAGIC, NO_STRING, PAGES_BETWEEN_MAX, PAGES_MAX, REFERENCE,
                        REQUIRED, SCHEMAS, SEGMENT, SEGMENTS, SEGMENT_MAPS, STRINGS, SUPERBLOCK, TABLE, TABLES, TABLE_MAX, VOLUMES_FEATURE, WRITER,
                        WRITER_TEXT_MAX)
from xtf_files import Part, intact_superblocks, read_whole
from xtf_schema import TABLE_KIND, Bytes, ClockMap, Damaged, Schema, expect


class Segment(NamedTuple):
    id: int
    first: int
    pages: int
    epoch: int
    reserved: int


class Trace:
    """An open file. The catalog is read at once, all other data on request."""

    def __init__(self, path):
        self.fd, self.path, self.files = os.open(path, os.O_RDONLY), path, []
        try:
            self.open_last_commit()
        except BaseException:
            self.close()
            raise

    def open_last_commit(self):
        """Opens the newest commit that is whole."""
        superblocks = self.superblocks()
        self.damaged_commit = None
        try:
            self.open_commit(superblocks[0])
        except Damaged:
            if len(superblocks) == 1 or superblocks[1].file_id != superblocks[0].file_id:
                raise
            self.open_commit(superblocks[1])
            self.damaged_commit = superblocks[0].commit

    def open_commit(self, superblock):
        self.close_files()
        self.superblock, self.own_start = superblock, 0
        self.read_superblock()
        self.read_catalog()

    def close_files(self):
        """Closes the other files, and forgets them."""
        for file in self.files:
            file.close()
        self.files = []

    def close(self):
        self.close_files()
        os.close(self.fd)

    def size(self):
        """Returns the end of this file's bytes, counted through all volumes."""
        return self.own_start + os.fstat(self.fd).st_size

    def part_at(self, offset):
        """Returns the file that the catalog names for an offset, or None."""
        part = next((part for part in reversed(self.files) if part.first * self.page_size <= offset), None)
        return None if 0 < self.own_start <= offset else part

    def is_removed(self, page):
        """True if a page is in a volume that was removed on purpose."""
        part = self.part_at(page * self.page_size)
        return part is not None and part.length == 0

    def read(self, offset, length, label):
        part = self.part_at(offset)
        if part:
            return part.read(offset - part.first * self.page_size, length, label)
        expect(offset + length <= self.size(), f"{label}: past the end of the file")
        expect(offset >= self.own_start, f"{label}: in an earlier volume that the catalog does not name")
        return read_whole(self.fd, offset - self.own_start, length, label)

    def own_item(self, reference, label):
        """Returns an item that is in this file, not in a part."""
        offset, length, _ = REFERENCE.unpack(reference)
        expect(not length or offset + length <= self.size(), f"{label}: past the end of the file")
        return self.item(reference, label)

    def item(self, reference, label, first_page=0):
        offset, length, crc = REFERENCE.unpack(reference)
        expect(not length or offset % 8 == 0 and length <= ITEM_MAX, f"{label}: no item lies at {offset}, {length} bytes")
        data = self.read(first_page * self.page_size + offset, length, label) if length else b""
        expect(not length or zlib.crc32(data) == crc, f"{label}: wrong checksum")
        return data

    def superblocks(self):
        return intact_superblocks(self.fd)

    def has_empty_slot(self):
        return any(not any(os.pread(self.fd, SUPERBLOCK.size, slot)) for slot in (0, 4096))

    def read_superblock(self):
        block = self.superblock
        expect(block.major == 2, f"version {block.major}.{block.minor}: this reader knows 2")
        known = COMPACT_FEATURE | FILES_FEATURE | VOLUMES_FEATURE | JOINED_FEATURE | ANCHORED_FEATURE | BATCHES_FEATURE
        expect(block.incompatible & ~known == 0, f"it has features that this reader does not know: {block.incompatible:#x}")
        expect(block.checksum_kind == CRC32, f"it has checksums of kind {block.checksum_kind}")
        self.version, self.features = (block.major, block.minor), block.incompatible
        self.file_id, self.commit, self.pages, self.epoch = block.file_id, block.commit, block.pages, block.epoch
        size = self.page_size = block.page_size
        expect(4096 <= size <= 1 << 20 and size & (size - 1) == 0, f"impossible page size {size}")
        expect(self.pages <= PAGES_MAX, f"superblock: {self.pages} pages")
        own_first = block.own_first if self.features & VOLUMES_FEATURE else 0  # else the bytes are reserved
        expect(own_first <= self.pages, f"superblock: its first page is {own_first}")
        self.own_start = own_first * size

    def sections(self):
        """Returns the bodies of the catalog's sections."""
        data = Bytes(self.item(self.superblock.catalog, "catalog"), "catalog")
        magic, sections = data.unpack("<4sI")
        expect(magic == CATALOG_MAGIC, "catalog: wrong magic")
        bodies = {}
        for _ in range(sections):
            kind, flags, length = data.unpack("<IIQ")
            expect(length % 8 == 0, "catalog: the length of a section is no multiple of 8")
            expect(kind in KNOWN or not flags & 1, f"catalog: a required section of unknown kind {kind}")
            expect(kind not in bodies, f"catalog: two sections of kind {kind}")
            bodies[kind] = data.sub(length)
        expect(not data, "catalog: bytes left over")
        expect(REQUIRED <= bodies.keys(), "catalog: a section is missing")
        return bodies

    def section_flags(self):
        """Returns the flags of each kind of section."""
        data = Bytes(self.item(self.superblock.catalog, "catalog"), "catalog")
        _, sections = data.unpack("<4sI")
        section_flags = {}
        for _ in range(sections):
            kind, flags, length = data.unpack("<IIQ")
            data.take(length)
            section_flags[kind] = flags
        return section_flags

    def chunks(self, references, label):
        return b"".join(self.item(reference, label) for reference in references)

    def read_catalog(self):
        bodies = self.sections()
        self.resolution_num, self.resolution_den, self.origin, self.first, self.last, self.complete = bodies[CLOCK_KIND].unpack(CLOCK)
        self.clock_maps = self.read_clock_maps(*bodies[CLOCK_MAPS].unpack("<II16s")) if CLOCK_MAPS in bodies else []
        self.segments = [Segment(*entry) for entry in bodies[SEGMENTS].all_of(SEGMENT)]
        expect(all(max(segment.first, segment.pages) <= PAGES_MAX for segment in self.segments), "segments: one has too many pages")
        counts = [rows for rows, in bodies[COUNTS].all_of(struct.Struct("<Q"))]
        schemas = Bytes(self.chunks((reference for reference, in bodies[SCHEMAS].all_of(struct.Struct("16s"))), "schemas"), "schemas")
        self.schemas, self.segment_map_items = [], []
        while schemas:
            (length,) = schemas.unpack("<I")
            expect(len(self.schemas) < len(counts), "catalog: it has more schemas than counts of rows")
            self.schemas.append(Schema(len(self.schemas), schemas.sub(length), counts[len(self.schemas)]))
        expect(len(self.schemas) == len(counts), "catalog: it has more counts of rows than schemas")
        for schema in (schema for schema in self.schemas if schema.kind == TABLE_KIND and schema.known):
            expect(schema.rows * schema.row_size <= TABLE_MAX, f"catalog: table {schema.name} of {schema.rows} rows")
        self.files = self.read_files(bodies[FILES]) if FILES in bodies else []
        expect(bool(self.files) == bool(self.features & FILES_FEATURE), "files: the superblock does not say that there are some, or says so without any")
        if self.features & ANCHORED_FEATURE:
            self.open_base()
        self.array_count, self.p_height, _, self.p_root = bodies[ARRAYS].unpack("<QII16s")
        self.strings = self.chunks((reference for reference, in bodies[STRINGS].all_of(struct.Struct("16s"))), "strings")
        expect(self.files or len(self.strings) <= self.size(), f"strings: {len(self.strings)} bytes, more than the file has")
        self.tables, self.unknown_tables = {}, []
        while bodies[TABLES]:
            self.read_table(*bodies[TABLES].unpack(TABLE), bodies[TABLES])
        self.limits = [self.read_limits(schema, bodies[LIMITS].take(16)) for schema in self.schemas]
        self.segment_maps = self.read_segment_maps(bodies[SEGMENT_MAPS]) if SEGMENT_MAPS in bodies else None
        self.writer = self.read_writer(bodies[WRITER]) if WRITER in bodies else None
        self.leaf_lists_item = bodies[LEAF_LISTS].take(16) if LEAF_LISTS in bodies else b""
        self.leaf_lists = self.read_leaf_lists() if LEAF_LISTS in bodies else {}
        self.free = list(bodies[FREE_KIND].all_of(FREE)) if FREE_KIND in bodies else []
        expect(not any(bodies[kind] for kind in (REQUIRED | {CLOCK_MAPS, LEAF_LISTS}) & bodies.keys()), "catalog: bytes left over in a section")

    @staticmethod
    def read_writer(body):
        """Returns name and version of the program that made the commit."""
        lengths = body.unpack("<II")
        expect(max(lengths) <= WRITER_TEXT_MAX, "writer: its name or version is too long")
        name, version = (bytes(body.take(length)) for length in lengths)
        expect(len(body.data) - body.at < ALIGNMENT, "writer: bytes left over")
        return tuple(text.decode("utf-8", "surrogateescape") for text in (name, version))

    def read_leaf_lists(self):
        """Returns for each listed array, a segment's number and an id: the number of entries, and the packed entries."""
        data = Bytes(self.own_item(self.leaf_lists_item, "leaf lists"), "leaf lists")
        expect(data, "leaf lists: there is no item")
        (count, _) = data.unpack("<II")
        heads = [data.unpack(LEAF_LIST) for _ in range(count)]
        expect(heads and all(a[:2] < b[:2] for a, b in zip(heads, heads[1:])), "leaf lists: there are none, or they are out of order")
        lists = {}
        for segment, array, entries, length in heads:
            expect(entries >= 2, f"leaf lists: one of {entries} entries")
            lists[segment, array] = entries, bytes(data.take(length))
            data.take(-length % ALIGNMENT)
        expect(not data, "leaf lists: bytes left over")
        return lists

    def read_table(self, number, chunks, rows, data):
        expect(number < len(self.schemas) and (self.schemas[number].kind == TABLE_KIND or not self.schemas[number].known), f"tables: schema {number} is no table")
        schema = self.schemas[number]
        expect(rows * schema.row_size <= TABLE_MAX, f"table {schema.name}: {rows} rows")
        parts = [self.own_item(data.take(16), f"table {number}") for _ in range(chunks)]
        expect(schema.name not in self.tables and number not in (known for known, _ in self.unknown_tables), f"tables: two for schema {schema.name}")
        if not schema.known:
            self.unknown_tables.append((number, rows))
            return
        expect(all(part and len(part) % schema.row_size == 0 for part in parts), f"table {schema.name}: a chunk ends within a row")
        table = b"".join(parts)
        expect(len(table) == rows * schema.row_size, f"table {schema.name}: {len(table)} bytes for {rows} rows")
        self.tables[schema.name] = (schema, [table[at:at + schema.row_size] for at in range(0, len(table), schema.row_size)])

    def read_files(self, data):
        files, end = [], None
        while data:
            entry = data.unpack(FILE)
            name = data.take(entry[-1])
            expect(not any(data.take(-len(name) % ALIGNMENT)), "files: bytes after a name")
            expect(0 < len(name) <= 255 and name not in (b".", b"..") and not set(b"/\0") & set(name), f"files: invalid name: {name}")
            expect(max(entry[:2]) <= FILE_PAGES_MAX, f"files: pages {entry[0]} and {entry[1]} more")
            files.append(Part(self, entry, name, bool(self.features & ANCHORED_FEATURE) and not files))
            expect(end in (None, files[-1].first), "files: their pages do not follow one another")
            end = files[-1].first + files[-1].pages
        expect(files, "files: the section is empty")
        runs = [(file_id, [part.commit for part in run]) for file_id, run in itertools.groupby(files, lambda part: part.file_id)]  # a run: volumes of a trace
        expect(len({file_id for file_id, _ in runs}) == len(runs), "files: the volumes of a trace do not follow one another")
        expect(all(commits == sorted(set(commits)) for _, commits in runs), "files: one is named twice, or volumes are out of order")
        if self.own_start:
            expect(files[0].first == 0 and end * self.page_size == self.own_start, "files: the earlier volumes do not have the pages before this one's")
            return files
        gap = files[0].first * self.page_size - self.size()
        expect(0 <= gap <= PAGES_BETWEEN_MAX * self.page_size, "files: their pages do not begin after the end of the file")
        return files

    def open_base(self):
        """Compares an anchor and its parts with their entries in the companion file."""
        own = self.segments[0]
        expect(len(self.files) > 1 and own.first == 0 and own.id == int.from_bytes(self.superblock.file_id[:8], "little") and not self.features & JOINED_FEATURE,
               "files: it is no companion file of an anchor, but has the feature bit of one")
        for part in self.files:
            if part.length:
                part.open("files")

    def read_segment_maps(self, data):
        """Returns for each segment: the offset of its strings, their bytes, and the rows of its tables by schema."""
        maps = []
        for _ in self.segments:
            strings, length, tables = data.unpack("<III4x")
            maps.append((strings, length, {}))
            expect(strings + length <= len(self.strings), "segment maps: strings outside of the heap")
            before = -1
            for _ in range(tables):
                schema, reference = data.unpack("<I4x16s")
                expect(before < schema < len(self.schemas) and (self.schemas[schema].kind == TABLE_KIND or not self.schemas[schema].known), "segment maps: a schema is no table, or out of order")
                self.segment_map_items.append(reference)
                rows = [row for row, in Bytes(self.own_item(reference, "segment map"), "segment map").all_of(struct.Struct("<I"))]
                expect(len(set(rows)) == len(rows) and max(rows, default=-1) < self.schemas[schema].rows, f"segment maps: rows of {self.schemas[schema].name}")
                maps[-1][2][schema] = rows
                before = schema
        expect(not data, "segment maps: bytes left over")
        return maps

    def numbers_of(self, segment, schema):
        """Returns how numbers in the rows of a segment are mapped to numbers of the file: (field, choice, function),
        as references()."""
        if not self.segment_maps:
            return []
        strings, length, tables = self.segment_maps[segment]
        numbers = []
        for field, table, choice in schema.references():
            target = next((schema for schema in self.schemas if schema.name == table), None) if table else None
            if table is None and strings:
                numbers.append((field, choice, lambda s: s + strings if s < length else NO_STRING))
            elif target and target.id in tables:
                def number(r, rows=tables[target.id], m=target.rows):
                    return rows[r] if 0 <= r < len(rows) else r - len(rows) + m if 0 <= r < m else r
                numbers.append((field, choice, number))
        return numbers

    def read_limits(self, schema, reference):
        data = Bytes(self.own_item(reference, f"limits of {schema.name}"), f"limits of {schema.name}")
        if not data:
            return [(1, 0, 0)] * len(schema.fields)
        limits = [data.unpack(LIMIT) for _ in schema.fields]
        expect(not data, f"limits of {schema.name}: bytes left over")
        return limits

    def read_clock_maps(self, count, _, reference):
        data = Bytes(self.own_item(reference, "clock maps"), "clock maps")
        expect(count, "clock maps: the section is empty")
        maps = []
        for number in range(1, count + 1):
            data.label = f"clock map {number}"
            (knots, _) = data.unpack("<II")
            maps.append(ClockMap(list(data.sub(knots * KNOT.size).all_of(KNOT))))
            expect(not maps[-1].fault(), f"{data.label}: {maps[-1].fault()}")
        expect(not data, "clock maps: bytes left over")
        return maps

    def string(self, at):
        if at == 0:
            return ""
        expect(at + 4 <= len(self.strings), f"string {at}: past the end of the heap")
        end = at + 4 + int.from_bytes(self.strings[at:at + 4], "little")
        expect(end < len(self.strings) and self.strings[end] == 0, f"string {at}: does not end with NUL")
        return self.strings[at + 4:end].decode("utf-8", "surrogateescape")

    def arrays(self, location=None, schema=None):
        """Yields arrays by location and schema. With a location, reads only the nodes of the P index on the way to it."""
        if self.array_count:
            expect(1 <= self.p_height <= HEIGHT_MAX, f"P index: {self.p_height} levels")
            for array in self.walk(self.p_root, self.p_height - 1, location):
                if location in (None, array.location) and schema in (None, array.schema.id):
                    yield array

    def walk(self, reference, level, location, expected=None):
        data = Bytes(self.own_item(reference, "P index"), "P index")
        magic, own_level, entries, _ = data.unpack(NODE)
        expect(magic == NODE_MAGIC and own_level == level and entries, f"P index: no node of level {level}")
        entries = [data.unpack(BRANCH if level else ARRAY) for _ in range(entries)]
        keys = [entry[:2] for entry in entries]
        expect(not data and all(a < b for a, b in zip(keys, keys[1:])), "P index: a node is out of order")
        expect(expected in (None, keys[0]), f"P index: a node begins with {keys[0]}, its branch says {expected}")
        for i, entry in enumerate(entries):
            if location is not None and (keys[i][0] > location or i + 1 < len(keys) and keys[i + 1] <= (location, 0)):
                continue
            if level:
                yield from self.walk(entry[5], level - 1, location, keys[i])
            else:
                yield Array(self, entry)

    def value_text(self, field, value):
        if value is None:
            return "-"
        if not field.known:
            return value.hex()
        if field.type == "STRING":
            return self.string(value)
        if field.refers_to in self.tables:
            schema, rows = self.tables[field.refers_to]
            if schema.name_at is not None and 0 <= value < len(rows):
                name = schema.values(rows[value])[schema.name_at]
                return "-" if name is None else self.string(name)
        if field.type == "F64":
            return f"{value:.17g}"
        return field.labels[value] if 0 <= value < len(field.labels) else str(value)

    def texts(self, schema, row):
        """Returns a row's values as text: labels and names if they exist, '-' for "none"."""
        return [self.value_text(field, value) for field, value in zip(schema.fields, schema.values(row))]


def escape(text):
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def merged(trace, arrays, begin, end):
    """Yields the rows of several arrays in the order of the trace: time, location, seq."""
    def keyed(array):
        for row in array.window(begin, end):
            values = array.schema.values(row)
            yield (values[0], array.location, values[array.schema.seq_at] if array.schema.seq_at is not None else 0), array, row
    yield from ((array, row) for _, array, row in heapq.merge(*map(keyed, arrays), key=lambda item: item[0]))


def print_info(trace, _arrays, _arguments):
    print(f"version {trace.version[0]}.{trace.version[1]}, pages of {trace.page_size} bytes, commit {trace.commit}, epoch {trace.epoch}")
    print(f"{trace.resolution_num}/{trace.resolution_den} ticks a second, origin {trace.origin}, times {trace.first} to {trace.last}")
    print(f"{trace.array_count} arrays, {len(trace.segments)} segments, {len(trace.strings)} bytes of strings")
    for schema in trace.schemas:
        print(f"{('record', 'side', 'table', 'derived')[schema.kind - 1] if schema.known else 'unknown'} {schema.name}: {schema.rows} rows: {', '.join(f.name for f in schema.fields)}")


def print_arrays(_trace, arrays, _arguments):
    for a in arrays:
        print(a.location, a.schema.name, a.rows, a.first, a.last, a.height, sep="\t")


def print_count(_trace, arrays, arguments):
    total = 0
    for a in arrays:
        count = a.count(arguments.begin, arguments.end)
        total += count
        print(a.location, a.schema.name, count, sep="\t")
    print("total", total, sep="\t")


def print_rows(trace, arrays, arguments):
    for a, row in merged(trace, list(arrays), arguments.begin, arguments.end):
        print(a.location, a.schema.name, *map(escape, trace.texts(a.schema, row)), sep="\t")


def print_table(trace, _arrays, arguments):
    schema, rows = trace.tables.get(arguments.schema, (None, []))
    for row in rows:
        print(*map(escape, trace.texts(schema, row)), sep="\t")


def main():
    parser = argparse.ArgumentParser(description="Read an XTF file, without libxtf.")
    commands = {"info": print_info, "arrays": print_arrays, "count": print_count, "rows": print_rows, "table": print_table}
    parser.add_argument("file")
    parser.add_argument("command", choices=commands)
    parser.add_argument("--location", type=int)
    parser.add_argument("--schema", help="name of a record, side or table schema")
    parser.add_argument("--from", dest="begin", type=int, help="first time, in ticks")
    parser.add_argument("--to", dest="end", type=int, help="time to end before, in ticks")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(errors="surrogateescape")
    try:
        trace = Trace(arguments.file)
        wanted = next((schema.id for schema in trace.schemas if schema.name == arguments.schema), None)
        if arguments.schema is not None and wanted is None:
            raise Damaged(f"no schema {arguments.schema}")
        commands[arguments.command](trace, trace.arrays(arguments.location, wanted), arguments)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader of the pipe has closed it
    except (Damaged, OSError) as error:
        sys.exit(f"{arguments.file}: {error}")


if __name__ == "__main__":
    main()
