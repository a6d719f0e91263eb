"""Checks of an XTF file's structures besides its rows: superblocks, names, strings, the P index, and the use of each page."""
import struct

import xtf_unpack
from xtf_format import (ARRAY, BRANCH, CLOCK_MAPS, COMPACT_FEATURE, COUNTS, ENTRY, FREE_KIND, KNOWN, LIMITS, NODE, OPTIONAL, PAGE, REFERENCE, SCHEMAS, SEGMENT_MAPS, SEGMENTS, STRINGS, TABLE, TABLES,
                        VOLUMES_FEATURE)
from xtf_schema import TABLE_KIND, Bytes, Damaged, Schema, expect
from xtf_totals import index_pages

IDENTIFIES, LIST, ORDERS = 1 << 8, 1 << 9, 1 << 10  # flags of fields of tables
SCHEMAS_MAX, FIELDS_MAX, ROW_MAX, AGGREGATES_MAX, KEYS_MAX, VALUES_MAX = 4096, 64, 1024, 4, 6, 4
NODE_MAX = 4096
CLAIMED_MAX = 1 << 24
ITEM, PAGE_USE, RESERVED_USE, FREE_USE = "items", "a page", "an open page", "nothing"


def check_superblock(trace):
    block, size = trace.superblock, trace.size()
    offset, length, _ = REFERENCE.unpack(block.catalog)
    expect(block.commit >= 1 and block.epoch >= 1, f"superblock: commit {block.commit} of writer {block.epoch}")
    expect(block.kept_commits >= 2, f"superblock: {block.kept_commits} commits are kept")
    expect(block.opening <= offset and offset + length <= block.opening + block.opening_bytes <= size, "superblock: the opening run does not hold the catalog")
    for segment in (segment for segment in trace.segments if not segment.first):  # a merged file does not list its own segment
        expect(segment.id == int.from_bytes(block.file_id[:8], "little"), "superblock: the file id is not that of its segment")
        expect(segment.epoch <= block.epoch, f"superblock: writer {block.epoch}, pages of writer {segment.epoch}")


def check_catalog(trace):
    kinds = list(trace.sections())
    expect(kinds.index(COUNTS) < kinds.index(LIMITS), "catalog: LIMITS precedes COUNTS")
    expect(SEGMENT_MAPS not in kinds or kinds.index(SEGMENTS) < kinds.index(SEGMENT_MAPS), "catalog: SEGMENT_MAPS precedes SEGMENTS")
    for kind, flags in trace.section_flags().items():
        expect(flags & 1 or kind not in KNOWN - OPTIONAL, f"catalog: section {kind} does not say that it is required")
    expect(trace.resolution_num and trace.resolution_den, "clock: no resolution")


def check_choice(schema, field):
    """Checks the reference of a field whose target another field chooses: its name, a colon, and LABEL=TABLE,LABEL=TABLE,..."""
    name, colon, choices = field.refers_to.partition(":")
    if colon and field.known:
        chooser = next((chooser for chooser in schema.fields if chooser.name == name), None)
        expect(chooser and chooser is not field and chooser.type != "STRING" and chooser.known and chooser.labels and not chooser.refers_to,
               f"schema {schema.name}: field {field.name}: no other field selects the table")
        expect(all("=" in choice for choice in choices.split(",")), f"schema {schema.name}: field {field.name}: a choice that is no LABEL=TABLE")


def check_fields(schema):
    label, names = f"schema {schema.name}:", [field.name for field in schema.fields]
    expect(len(set(names)) == len(names), f"{label} two fields with the same name")
    for field, following in zip(schema.fields, [*schema.fields[1:], None]):
        expect(field.name, f"{label} a field has no name")
        expect(schema.kind == TABLE_KIND or not field.flags & (IDENTIFIES | LIST | ORDERS), f"{label} field {field.name} has flags of tables")
        expect(not field.flags & LIST or following and following.type[0] == "U" and field.refers_to, f"{label} field {field.name}: a list without a number of rows")
        check_choice(schema, field)


def check_aggregate(schema, aggregate):
    label = f"schema {schema.name}: an aggregate"
    types = [schema.fields[i].type for i in aggregate.values]
    keys = [schema.fields[i] for i in aggregate.keys]
    expect(len(aggregate.keys) <= KEYS_MAX and len(aggregate.values) <= VALUES_MAX, f"{label} of too many fields")
    expect(all(len(set(part)) == len(part) for part in (aggregate.keys, aggregate.values)), f"{label} has a field twice")
    expect(not any(":" in key.refers_to for key in keys), f"{label} has a key that refers to one of several tables")
    expect("STRING" not in types, f"{label} has a STRING as a value")
    if aggregate.frames:
        key_types = [key.type for key in keys]
        expect(not (aggregate.extremes or aggregate.filters or aggregate.typed_by), f"{label} of frames with flags, or a type")
        expect(len(key_types) == 1 and key_types[0] in ("U8", "U16", "U32"), f"{label} of frames with other keys: {key_types}")
        expect(len(types) == 3 and 0 not in aggregate.values and all(kind[0] == "U" for kind in types), f"{label} of frames with other values: {types}")
        expect(schema.fields[aggregate.values[1]].flags & 8, f"{label} of frames without a distance")
    expect(not aggregate.filters or any(key.type != "STRING" and not key.refers_to for key in keys), f"{label} has filters without a key that goes into them")
    expect(aggregate.typed_by <= len(aggregate.keys), f"{label} is typed by no key")
    expect(not aggregate.typed_by or "U64" in types, f"{label} is typed by a key, but has no U64")
    expect(not aggregate.reals & aggregate.signeds, f"{label} has a bit in both masks")
    expect(aggregate.typed_by or not aggregate.reals | aggregate.signeds, f"{label} has masks, but no type")


def check_schema(schema):
    label = f"schema {schema.name}:"
    names = [schema.name] + [name for field in schema.fields for name in (field.name, field.role, field.unit, field.refers_to, *field.labels)]
    for name in names:
        expect("\0" not in name, f"schema {schema.name!r}: NUL in the name {name!r}")
        expect(not any("\udc80" <= c <= "\udcff" for c in name), f"schema {schema.name!r}: the name {name!r} is not UTF-8")
    expect(schema.name, f"{label} it has no name")
    expect(len(schema.fields) <= FIELDS_MAX and len(schema.aggregates) <= AGGREGATES_MAX, f"{label} of {len(schema.fields)} fields and {len(schema.aggregates)} aggregates")
    expect(not schema.known or schema.row_size <= ROW_MAX, f"{label} rows of {schema.row_size} bytes")
    expect(schema.kind != TABLE_KIND or not schema.aggregates, f"{label} a table with aggregates")
    if schema.known:
        check_fields(schema)
        for aggregate in schema.aggregates:
            if aggregate.known:
                check_aggregate(schema, aggregate)


def check_schemas(trace):
    names = [schema.name for schema in trace.schemas]
    expect(len(names) <= SCHEMAS_MAX, f"schemas: more than {SCHEMAS_MAX} schemas")
    expect(len(set(names)) == len(names), "schemas: two have the same name")
    for schema in trace.schemas:
        check_schema(schema)
    for reference, in trace.sections()[SCHEMAS].all_of(struct.Struct("16s")):
        chunk = Bytes(trace.item(reference, "schemas"), "a chunk of the schemas")
        expect(chunk, "schemas: an empty chunk")
        while chunk:
            Schema(0, chunk.sub(*chunk.unpack("<I")), 0)


def check_strings(trace):
    """Checks the strings, and returns the offsets at which they begin."""
    starts, at = {0}, 0
    for reference, in trace.sections()[STRINGS].all_of(struct.Struct("16s")):
        end = at + REFERENCE.unpack(reference)[1]
        expect(at < end, "strings: an empty chunk")
        while at < end:
            starts.add(at)
            length = int.from_bytes(trace.strings[at:at + 4], "little")
            expect(at + 4 + length + 1 <= end, f"string {at}: its chunk ends")
            expect(at or not length, "strings: the first is not empty")
            at += 4 + length + 1
            expect(trace.strings[at - 1] == 0, f"strings: no NUL at byte {at - 1}")
    return starts


def check_nodes(trace, reference, level):
    """Returns the numbers of arrays and rows below a node."""
    data = Bytes(trace.item(reference, "P index"), "P index")
    expect(len(data.data) <= NODE_MAX, f"P index: a node of {len(data.data)} bytes")
    count = data.unpack(NODE)[2]
    if not level:
        return count, sum(data.unpack(ARRAY)[3] for _ in range(count))
    entries = [data.unpack(BRANCH) for _ in range(count)]
    for entry in entries:
        below = check_nodes(trace, entry[5], level - 1)
        expect(below == entry[3:5], f"P index: a branch says {entry[3:5]} arrays and rows, below it are {below}")
    return sum(entry[3] for entry in entries), sum(entry[4] for entry in entries)


class Pages:
    """The use of each page of the file."""

    def __init__(self, trace):
        self.sealed = []  # (page, bytes used from its beginning)
        self.trace, self.uses = trace, {page: ITEM for page in range(max(8192 // trace.page_size, 1))}

    def use(self, first, count, use):
        for page in range(first, first + count):
            expect(page < self.trace.pages, f"page {page} is used, but not allotted")
            expect(self.uses.get(page, use) == use == ITEM or page not in self.uses, f"page {page} holds {self.uses.get(page)}, and is used twice")
            self.uses[page] = use

    def item(self, reference, segment=None):
        offset, length, _ = REFERENCE.unpack(reference)
        offset += segment.first * self.trace.page_size if segment else 0
        if length:
            first = offset // self.trace.page_size
            expect(offset >= 8192 and first, f"byte {offset}: an item in the pages of the superblocks")
            self.use(first, (offset + length - 1) // self.trace.page_size + 1 - first, ITEM)

    def nodes(self, reference, level):
        self.item(reference)
        data = Bytes(self.trace.item(reference, "P index"), "P index")
        for _ in range(data.unpack(NODE)[2] if level else 0):
            self.nodes(data.unpack(BRANCH)[5], level - 1)

    def array(self, array):
        size, base = self.trace.page_size, array.segment.first
        self.item(array.edge_reference, array.segment)
        if not array.known or array.edge_removed:
            return
        array.read_edge()
        offset, length, _ = REFERENCE.unpack(array.edge_reference)
        self.item(REFERENCE.pack(-(-(offset + length) // 8) * 8, array.edge_heads[0][4], 0), array.segment)
        for level, (_, place, sealed, _, _) in enumerate(array.edge_heads):
            if place:
                expect(sealed and 8192 // size <= place < array.segment.pages, f"{array.label}: level {level}: a place outside of its segment is reserved: {place}")
                self.use(base + place, 1, RESERVED_USE)
        for page, place, _ in index_pages(array, array.root, None, array.rows) if array.height > 1 else ():
            if place is not None:
                head = self.page(base + place)
                if head[12]:
                    self.page(base + place + head[12])
            if page.level == 1:
                for _, _, child in page.entries()[:-1] if place is None else page.entries():
                    if not array.joined and not array.is_removed(child):
                        self.page(base + child)
        self.pieces(array)

    def pieces(self, array):
        """Adds the right edges and leaves of the arrays that are pieces of a joined one."""
        for source in (piece.array for piece in array.pieces if piece.array):
            self.item(source.edge_reference, source.segment)
            source.read_edge()
            offset, length, _ = REFERENCE.unpack(source.edge_reference)
            self.item(REFERENCE.pack(-(-(offset + length) // 8) * 8, source.edge_heads[0][4], 0), source.segment)
        for page in (page for page, _, _ in index_pages(array, array.root, None, array.rows) if page.level == 1) if array.joined and array.height > 1 else ():
            for _, first, place in page.entries():
                source = next(piece.array for piece in array.pieces if piece.first <= first < piece.end)
                if place:
                    self.page(source.segment.first + place)

    def page(self, page):
        """Adds a sealed page, and returns its header. A companion may continue on the following pages."""
        head = PAGE.unpack(self.trace.read(page * self.trace.page_size, PAGE.size, "a page"))
        used = PAGE.size + head[9]
        self.use(page, -(-used // self.trace.page_size), PAGE_USE)
        self.sealed.append((page, used))
        return head


def check_claims(trace):
    """Checks that named files claim few pages that they do not have: C8 of docs/FORMAT.md."""
    claimed = sum(part.pages - part.length // trace.page_size for part in trace.files)
    expect(claimed <= CLAIMED_MAX, f"files: they claim {claimed} pages more than they have")
    for part, following in zip(trace.files, [*trace.files[1:], None]):
        earlier = trace.own_start or following and following.file_id == part.file_id
        expect(part.length or earlier and trace.features & VOLUMES_FEATURE, f"files: {part.path} has 0 bytes, but is no earlier volume")


def check_pages(trace, arrays):
    pages, bodies = Pages(trace), trace.sections()
    pages.item(trace.superblock.catalog)
    for kind in (SCHEMAS, STRINGS, LIMITS):
        for reference, in bodies[kind].all_of(struct.Struct("16s")):
            pages.item(reference)
    while bodies[TABLES]:
        for _ in range(bodies[TABLES].unpack(TABLE)[1]):
            pages.item(bodies[TABLES].take(16))
    if CLOCK_MAPS in bodies:
        pages.item(bodies[CLOCK_MAPS].unpack("<II16s")[2])
    for reference in trace.segment_map_items:
        pages.item(reference)
    if trace.leaf_lists:
        pages.item(trace.leaf_lists_item)
    if trace.array_count:
        pages.nodes(trace.p_root, trace.p_height - 1)
    for array in arrays:
        pages.array(array)
    before = 0
    for first, count, commit in trace.free:
        if count:
            expect(commit <= trace.commit, f"free pages {first}: named by commit {commit}, this is {trace.commit}")
            expect(first + count <= trace.pages, f"free pages {first} to {first + count} are not allotted")
            expect(first >= before, f"free pages {first} to {first + count}: out of order")
            before = first
            pages.use(first, count, FREE_USE)
    check_padding(trace, pages.sealed)


def check_padding(trace, sealed):
    """Checks that zeros follow the contents of pages."""
    for page, used in sealed:
        label, end = f"page {page}", -(-used // trace.page_size) * trace.page_size
        expect(not any(trace.read(page * trace.page_size + used, end - used, label)), f"{label}: bytes after its payload")


def check_arrays(trace, arrays):
    for a, b in zip(arrays, arrays[1:]):
        expect((a.location, a.schema.id) < (b.location, b.schema.id), f"P index: location {b.location} follows location {a.location}")
    if trace.array_count:
        check_nodes(trace, trace.p_root, trace.p_height - 1)
    for array in (array for array in arrays if array.known and not array.edge_removed):
        expect(array.codec == 0 or trace.features & COMPACT_FEATURE, f"{array.label}: it is packed, but the superblock lacks the feature")
        expect(all(page.before or not page.behind for page in map(array.open_page, range(array.height))), f"{array.label}: a place is reserved on a level without sealed pages")


# FORMAT C12
def check_leaf_lists(trace, arrays):
    """Compares the lists with the entries of level 1 in the index pages."""
    of_arrays = {(trace.segments.index(array.segment), array.id): array for array in arrays}
    for key, (count, packed) in trace.leaf_lists.items():
        label = f"leaf list of array {key[1]}"
        expect(key in of_arrays, f"{label}: there is no such array in segment {key[0]}")
        array = of_arrays[key]
        if not array.known:
            continue
        array.read_edge()
        expect(array.height > 1, f"{label}: it has no index pages")
        expect(count <= array.segment.pages + 1, f"{label}: {count} entries")
        pages = sorted((page.first, page.entries()) for page, _, _ in index_pages(array, array.root, None, array.rows) if page.level == 1)
        entries = [entry for _, of_page in pages for entry in of_page]
        expect(count == len(entries), f"{label}: {count} entries, the index has {len(entries)}")
        try:
            listed = list(ENTRY.iter_unpack(xtf_unpack.unpack(packed, [8, 8, 8], [False] * 3, count)))
        except xtf_unpack.Damaged as error:
            raise Damaged(f"{label}: {error}") from error
        expect(listed == entries, f"{label}: it differs from the index")


def check_file(trace):
    """Checks everything but arrays; returns the offsets at which strings begin."""
    check_superblock(trace)
    check_claims(trace)
    check_catalog(trace)
    check_schemas(trace)
    return check_strings(trace)
