"""Changes fields of an XTF file, and corrects all checksums. Written from docs/FORMAT.md alone.

A File knows the places of its structures. A field has the name that docs/FORMAT.md gives it: `file.superblock.page_size = 5000`.
seal() computes the checksums again, from the pages up to the superblock, along all references. It accepts any values of fields.
"""
import struct
import zlib

SUPERBLOCK = ("magic:8s major:H minor:H page_size:I file_id:16s incompatible:Q read_only:Q compatible:Q commit:Q pages:Q wall_time:Q epoch:I slot:B flags:B "
              "checksum_kind:B _:x catalog_at:Q catalog_length:I catalog_crc:I opening:Q opening_bytes:I kept_commits:I kept_seconds:I _:4x own_first:Q _:116s crc:I")
REFERENCE = "at:Q length:I crc:I"
CATALOG = "magic:4s sections:I"
SECTION = "kind:I flags:I length:Q"
CLOCK = "num:Q den:Q origin:Q first:Q last:Q complete:Q"
SEGMENT = "id:Q first:Q pages:Q epoch:I _:I"
SCHEMA = "length:I kind:B _:B row_size:H fields:H aggregates:H name_length:H"
FIELD = "length:H type:B _:B flags:H offset:H labels:H name_length:H"
AGGREGATE = "length:H kind:B flags:B keys:B values:B typed_by:B _:B reals:Q signeds:Q"
ARRAYS = "number:Q height:I _:I at:Q length:I crc:I"
TABLE = "schema:I chunks:I rows:Q"
LIMIT = "min:Q max:Q none:Q"
FREE = "page:Q pages:Q commit:Q"
FILE = "first:Q pages:Q size:Q file_id:16s commit:Q wall_time:Q epoch:I length:I"
PAGE = "magic:4s kind:B codec:B level:B batch:B array:I epoch:I segment:Q first:Q rows:I bytes:I before:Q behind:Q companion:I crc:I"
ENTRY = "time:Q first:Q place:Q"
NODE = "magic:4s level:B _:3s entries:I _:I"
ARRAY = "location:Q schema:I id:I rows:Q first:Q last:Q at:Q length:I crc:I segment:I clock_map:I height:B codec:B flags:B _:13s"
BRANCH = "location:Q schema:I _:I arrays:Q rows:Q at:Q length:I crc:I"
EDGE = "leaf_crc:I _:I"
OPEN_PAGE = "first:Q place:Q sealed:Q rows:I bytes:I"
LENGTH = "bytes:I _:I"
TOTALS = "kind:B aggregate:B zero:H rows:I bytes:I reserved:I"
BATCHES = "crc:I reserved:I"
BATCH = "length:I crc:I"
BORDER = "child:Q gap:Q frames:Q least:Q"
SNAPSHOT = "child:Q key:Q row:Q time:Q outermost:B"
FILTER = "child:Q bits:Q"
CLOCK_MAPS = "maps:I _:I at:Q length:I crc:I"
LEAF_LISTS = "lists:I _:I"
LEAF_LIST = "segment:I array:I entries:I bytes:I"
KNOTS = "knots:I _:I"
KNOT = "local:Q global_:Q flags:I _:I"
SEGMENT_MAP = "strings:I length:I tables:I _:I"
TABLE_MAP = "schema:I _:I at:Q length:I crc:I"
CLOCK_KIND, SEGMENTS, SCHEMAS, ARRAYS_KIND, TABLES, STRINGS, LIMITS, CLOCK_MAPS_KIND, COUNTS, FREE_KIND, SEGMENT_MAPS, FILES, WRITER, LEAF_LISTS_KIND = range(1, 15)
LEAF, INDEX, COMPANION = 1, 2, 3
VOLUMES_FEATURE = 4
BATCHES_FEATURE = 32
DIRECTORY, SECTIONS = "directory", "sections"  # checksums of batches
CLOSED = 1


class Layout:
    """The offset and the packing of each field of a structure."""
    known = {}

    def __init__(self, text):
        self.fields, self.size = {}, 0
        for name, _, code in (word.partition(":") for word in text.split()):
            self.fields[name] = (self.size, "<" + code)
            self.size += struct.calcsize("<" + code)

    @classmethod
    def of(cls, text):
        if text not in cls.known:
            cls.known[text] = cls(text)
        return cls.known[text]


class At:
    """A structure at a byte of the file."""

    def __init__(self, data, at, text):
        object.__setattr__(self, "data", data)
        object.__setattr__(self, "start", at)
        object.__setattr__(self, "layout", Layout.of(text))

    @property
    def end(self):
        return self.start + self.layout.size

    def __getattr__(self, name):
        offset, code = self.layout.fields[name]
        return struct.unpack_from(code, self.data, self.start + offset)[0]

    def __setattr__(self, name, value):
        offset, code = self.layout.fields[name]
        if isinstance(value, int):
            value &= (1 << 8 * struct.calcsize(code)) - 1
        struct.pack_into(code, self.data, self.start + offset, value)

    def raw(self):
        return bytes(self.data[self.start:self.end])


def set_fields(structure, /, **fields):
    """Sets fields of a structure. A value may be a function of the old value."""
    for name, value in fields.items():
        setattr(structure, name, value(getattr(structure, name)) if callable(value) else value)


def plus(n):
    return lambda value: value + n


class File:
    """A file. In a later volume, zeros for the earlier volumes precede its bytes in `data`, so that all offsets are indices of `data`."""

    def __init__(self, data):
        self.data, self.start = bytearray(data), 0
        self.left_wrong = ()  # checksums that seal() leaves as they are: of DIRECTORY, SECTIONS
        superblock = self.at(0, SUPERBLOCK)
        if superblock.incompatible & VOLUMES_FEATURE and superblock.own_first:
            self.start = superblock.own_first * superblock.page_size
            self.data = bytearray(self.start) + self.data
        self.slots = [self.at(self.start + offset, SUPERBLOCK) for offset in (0, 4096)]
        self.superblock = max(self.slots, key=lambda slot: slot.commit if slot.magic[1:4] == b"XTF" else -1)
        self.find_sections()

    def at(self, offset, text):
        return At(self.data, offset, text)

    def stored(self):
        """Returns the bytes of the file."""
        return bytes(self.data[self.start:])

    def find_sections(self):
        self.catalog = self.at(self.superblock.catalog_at, CATALOG)
        self.sections, at = {}, self.catalog.end
        for _ in range(self.catalog.sections):
            section = self.at(at, SECTION)
            self.sections[section.kind] = section
            at = section.end + section.length

    def one_superblock(self):
        """Removes one superblock, and marks the file as not closed."""
        slot_to_clear = next(slot for slot in self.slots if slot is not self.superblock)
        self.data[slot_to_clear.start:slot_to_clear.end] = bytes(slot_to_clear.layout.size)
        self.superblock.flags &= ~CLOSED
        return self

    # ---- The contents of the catalog.

    def body(self, kind, text, number=0):
        return self.at(self.sections[kind].end + number * Layout.of(text).size, text)

    def end(self, kind):
        """Returns the byte behind a section; its length may be wrong."""
        return min(self.sections[kind].end + self.sections[kind].length, len(self.data))

    def bodies(self, kind, text):
        return [self.body(kind, text, i) for i in range((self.end(kind) - self.sections[kind].end) // Layout.of(text).size)]

    @property
    def clock(self):
        return self.body(CLOCK_KIND, CLOCK)

    @property
    def segment(self):
        return self.body(SEGMENTS, SEGMENT)

    def references(self, kind):
        """Returns the references in the body of SCHEMAS, STRINGS or LIMITS."""
        return self.bodies(kind, REFERENCE)

    def tables(self):
        """Yields each table with its references."""
        if TABLES not in self.sections:
            return
        at, end = self.sections[TABLES].end, self.end(TABLES)
        while at + 16 <= end:
            table = self.at(at, TABLE)
            references = [self.at(table.end + 16 * i, REFERENCE) for i in range(min(table.chunks, (end - table.end) // 16))]
            yield table, references
            at = table.end + 16 * len(references)

    def schemas(self):
        """Yields each schema with its name."""
        for reference in self.references(SCHEMAS):
            at = reference.at
            while at < reference.at + reference.length:
                schema = self.at(at, SCHEMA)
                yield schema, bytes(self.data[schema.end:schema.end + schema.name_length]).decode()
                at += 4 + schema.length

    def schema(self, name):
        """Returns (number, the schema, its fields, its aggregates)."""
        number, schema = next((i, schema) for i, (schema, own) in enumerate(self.schemas()) if own == name)
        at, parts = schema.end + schema.name_length, []
        for text, count in ((FIELD, schema.fields), (AGGREGATE, schema.aggregates)):
            parts.append([])
            for _ in range(count):
                parts[-1].append(self.at(at, text))
                at += 2 + parts[-1][-1].length
        return number, schema, *parts

    def limits(self, name, field):
        number = self.schema(name)[0]
        return self.at(self.references(LIMITS)[number].at + 24 * field, LIMIT)

    def count(self, name):
        return self.body(COUNTS, "rows:Q", self.schema(name)[0])

    # ---- The P index, arrays, pages.

    def root(self):
        return self.body(ARRAYS_KIND, ARRAYS)

    def nodes(self, reference=None, level=None):
        """Yields (reference, node, its entries) from the root down. A changed height may lead in a circle: 12 levels end it."""
        reference = reference or self.root()
        level = min(self.root().height - 1, 12) if level is None else level
        if reference.at + 16 > len(self.data):
            return
        node = self.at(reference.at, NODE)
        text = BRANCH if level else ARRAY
        room = max(min(reference.length, len(self.data) - reference.at) - 16, 0) // Layout.of(text).size
        entries = [self.at(node.end + i * Layout.of(text).size, text) for i in range(min(node.entries, room))]
        yield reference, node, entries
        for entry in entries if level else ():
            if entry.at + 16 <= len(self.data):
                yield from self.nodes(entry, level - 1)

    def arrays(self):
        return [entry for _, node, entries in self.nodes() if node.level == 0 for entry in entries if entry.layout.size == Layout.of(ARRAY).size]

    def array(self, name, location=None):
        """Returns the array of a schema that has the most rows."""
        number = self.schema(name)[0]
        return max((a for a in self.arrays() if a.schema == number and location in (None, a.location)), key=lambda a: a.rows)

    def edge(self, array):
        """Returns (head, first byte of its payload) of each level, the leaf first."""
        base = self.base(array) + array.at
        heads, at = [self.at(base + 8 + 32 * i, OPEN_PAGE) for i in range(array.height)], base + 8 + 32 * array.height
        levels = [(heads[0], self.leaf_rows(array))]
        for head in heads[1:]:
            levels.append((head, at))
            at += head.bytes
        return levels

    def base(self, array):
        """Returns the byte at which the array's segment begins."""
        segments = self.bodies(SEGMENTS, SEGMENT)
        return segments[min(array.segment, len(segments) - 1)].first * self.superblock.page_size

    def leaf_rows(self, array):
        """Returns the byte at which the rows of the open leaf begin: after the edge."""
        return -(-(self.base(array) + array.at + array.length) // 8) * 8

    def move_edge(self, array, more=b""):
        """Stores an edge at another place, with more bytes at its end, and the rows of its open leaf."""
        base, leaf = self.base(array) + array.at, self.leaf_rows(array)
        edge = bytes(self.data[base:base + array.length]) + more
        rows = bytes(self.data[leaf:leaf + self.edge(array)[0][0].bytes])
        array.at, array.length = self.append(edge + bytes(-len(edge) % 8) + rows) - self.base(array), len(edge)

    def pages(self, array=None, kind=None, level=None):
        """Returns sealed pages as (place, page); pages of an array are in the order of its rows."""
        size, pages = self.superblock.page_size, []
        for number in range(2 if size == 4096 else 1, len(self.data) // size):
            page = self.at(number * size, PAGE)
            if page.magic == b"XTFp" and kind in (None, page.kind) and level in (None, page.level) and (array is None or page.array == array.id):
                pages.append((number - self.first_of(number), page))
        return sorted(pages, key=lambda pair: (pair[1].level, pair[1].first))

    def first_of(self, page):
        """Returns the first page of the segment that contains a page."""
        return max((segment.first for segment in self.bodies(SEGMENTS, SEGMENT) if segment.first <= page), default=0)

    # ---- Totals of arrays of codec plain.

    def tables_at(self, at, end):
        """Yields the tables of totals between two bytes."""
        while at < end:
            table = self.at(at, TOTALS)
            yield table
            at = -(-(table.end + table.bytes) // 8) * 8

    def edge_tables(self, array, level):
        """Returns the tables in the right edge of a level from 1 up; level *height*: of the whole array."""
        head, at = self.edge(array)[-1]
        at = self.base(array) + array.at + 8 + 32 * array.height if array.height == 1 else at + head.bytes
        for _ in range(1, level):
            at = self.at(at, LENGTH).end + self.at(at, LENGTH).bytes
        return list(self.tables_at(at + 8, at + 8 + self.at(at, LENGTH).bytes))

    def companion_tables(self, page):
        """Returns the tables in a companion. If it has batches, the totals of whole batches are left out."""
        _, sections = self.batches(page)
        if not sections:
            return list(self.tables_at(page.end, page.end + page.bytes))
        return [table for at, batch in sections[1:] for table in self.tables_at(at, at + batch.length)]

    def batches(self, page):
        """Returns the directory of a companion in batches, and of each section its first byte and its entry; of others (None, [])."""
        has_batches = page.kind == COMPANION and self.superblock.incompatible & BATCHES_FEATURE and 4 <= page.batch <= 16
        n = -(-page.rows // (1 << page.batch)) if has_batches else 0
        at = page.end + 8 + 8 * (n + 1)
        if n < 2 or at > page.end + page.bytes:
            return None, []
        sections = []
        for entry in (self.at(page.end + 8 + 8 * number, BATCH) for number in range(n + 1)):
            sections.append((at, entry))
            at += entry.length
        return self.at(page.end, BATCHES), sections

    def totals_rows(self, name, table):
        """Returns the rows of a table, with the layout of its kind."""
        aggregate = self.schema(name)[3][table.aggregate]
        cells = 5 if aggregate.kind == 2 else 1 + aggregate.values * (4 if aggregate.flags & 1 else 1)
        totals = "child:Q depth:B " + " ".join([f"key{i}:Q" for i in range(aggregate.keys)] + [f"cell{i}:Q" for i in range(cells)])
        text = {1: totals, 2: BORDER, 3: SNAPSHOT, 4: FILTER}[table.kind]
        return [self.at(table.end + i * Layout.of(text).size, text) for i in range(table.rows)]

    # ---- Maps.

    def clock_maps(self):
        """Returns each clock map with its knots."""
        at, maps = self.body(CLOCK_MAPS_KIND, CLOCK_MAPS).at, []
        for _ in range(self.body(CLOCK_MAPS_KIND, CLOCK_MAPS).maps):
            head = self.at(at, KNOTS)
            maps.append((head, [self.at(head.end + 24 * i, KNOT) for i in range(head.knots)]))
            at = head.end + 24 * head.knots
        return maps

    def segment_maps(self):
        """Yields each segment map with its maps of tables."""
        if SEGMENT_MAPS not in self.sections:
            return
        at, end = self.sections[SEGMENT_MAPS].end, self.end(SEGMENT_MAPS)
        while at + 16 <= end:
            head = self.at(at, SEGMENT_MAP)
            tables = [self.at(head.end + 24 * i, TABLE_MAP) for i in range(min(head.tables, (end - head.end) // 24))]
            yield head, tables
            at = head.end + 24 * len(tables)

    def leaf_lists(self):
        """Returns the head of the item of leaf lists, and the heads of the lists."""
        head = self.at(self.body(LEAF_LISTS_KIND, REFERENCE).at, LEAF_LISTS)
        return head, [self.at(head.end + 16 * i, LEAF_LIST) for i in range(head.lists)]

    def entry(self, page, number):
        return self.at(page.end + 24 * number, ENTRY)

    # ---- Changes of length.

    def append(self, item, align=8):
        """Appends an item at the end of the file, and returns its first byte."""
        size = self.superblock.page_size
        self.data += bytes(-len(self.data) % size)
        at = len(self.data) + (0 if align == 8 else align)
        self.data += bytes(at - len(self.data)) + item
        self.data += bytes(-len(self.data) % size)
        pages = len(self.data) // size
        self.superblock.pages = max(self.superblock.pages, pages)
        if SEGMENT_MAPS not in self.sections:  # the segments of a merged file are adjacent
            self.segment.pages = max(self.segment.pages, pages - self.segment.first)
        return at

    def move(self, reference, item, align=8):
        """Stores an item at another place."""
        reference.at, reference.length = self.append(item, align), len(item)

    def item(self, reference):
        return bytes(self.data[reference.at:reference.at + reference.length])

    def parts(self):
        """Returns the catalog's sections: [kind, flags, body] each."""
        return [[s.kind, s.flags, bytes(self.data[s.end:s.end + s.length])] for s in self.sections.values()]

    def store_catalog(self, parts, tail=b"", sections=None):
        catalog = b"XTFc" + struct.pack("<I", len(parts) if sections is None else sections)
        for kind, flags, body in parts:
            catalog += struct.pack("<IIQ", kind, flags, len(body)) + body
        self.superblock.catalog_at, self.superblock.catalog_length = self.append(catalog + tail), len(catalog + tail)
        self.superblock.opening, self.superblock.opening_bytes = self.superblock.catalog_at, self.superblock.catalog_length
        self.find_sections()

    # ---- Checksums.

    def seal_reference(self, reference, base=0):
        at, end = base + reference.at, base + reference.at + reference.length
        if end <= len(self.data):
            reference.crc = zlib.crc32(self.data[at:end])

    def seal_edge(self, array):
        if self.base(array) + array.at < self.start:  # in an earlier volume
            return
        edge, rows = self.at(self.base(array) + array.at, EDGE), self.leaf_rows(array)
        if array.height and self.base(array) + array.at + 40 <= len(self.data):
            edge.leaf_crc = zlib.crc32(self.data[rows:rows + self.edge(array)[0][0].bytes])
        self.seal_reference(array, self.base(array))

    def seal_batches(self, place, page):
        directory, sections = self.batches(page)
        for at, entry in sections if SECTIONS not in self.left_wrong else ():
            entry.crc = zlib.crc32(self.data[at:at + entry.length])
        if directory and DIRECTORY not in self.left_wrong:
            own = self.data[directory.start + 4:sections[-1][1].end]
            directory.crc = zlib.crc32(struct.pack("<Q", place) + self.data[page.start:page.start + 60] + own)

    def seal_pages(self):
        for place, page in self.pages():
            self.seal_batches(place, page)
            payload = self.data[page.end:page.end + page.bytes]
            page.crc = zlib.crc32(struct.pack("<Q", place) + self.data[page.start:page.end - 4] + payload)

    def seal(self):
        self.seal_pages()
        for _, node, entries in reversed(list(self.nodes()) if self.root().height else []):
            for entry in entries:
                if entry.layout is Layout.of(ARRAY):
                    self.seal_edge(entry)
                else:
                    self.seal_reference(entry)
        references = [self.root(), *self.references(SCHEMAS), *self.references(STRINGS), *self.references(LIMITS)]
        references += [self.body(CLOCK_MAPS_KIND, CLOCK_MAPS)] if CLOCK_MAPS_KIND in self.sections else []
        references += [self.body(LEAF_LISTS_KIND, REFERENCE)] if LEAF_LISTS_KIND in self.sections else []
        references += [table for _, tables in self.segment_maps() for table in tables]
        for reference in references + [reference for _, chunks in self.tables() for reference in chunks]:
            self.seal_reference(reference)
        self.seal_superblock()

    def seal_superblock(self):
        block = self.superblock
        block.catalog_crc = zlib.crc32(self.data[block.catalog_at:block.catalog_at + block.catalog_length])
        for slot in self.slots:
            if slot.magic[1:4] == b"XTF":
                slot.crc = zlib.crc32(self.data[slot.start:slot.end - 4])
