#include "fuzz-structure.h"

#include "libxtf/base/checksum.h"
#include "libxtf/disk/address.h"
#include "libxtf/disk/page.h"
#include "libxtf/totals/tables/batches.h"

/* A walk over a file that may be damaged anywhere. The walk stays inside the file, and visits at most BUDGET
 * structures. */
typedef struct {
    uint8_t *data;
    size_t size;
    GArray *parts; /* FuzzPart */
    unsigned budget;
    uint32_t page_size;
    const XtfDiskSegment *segments; /* of the catalog; NULL: no catalog was found */
    size_t n_segments;
} Walk;

enum { BUDGET = 20000 };

static void *structure_at(Walk *walk, FuzzKind kind, uint64_t offset, uint64_t length)
{
    if (walk->budget == 0 || length > walk->size || offset > walk->size - length)
        return NULL;
    walk->budget--;
    if (walk->parts && length > 0)
        g_array_append_val(walk->parts, ((FuzzPart){kind, offset, length, 0}));
    return walk->data + offset;
}

/* Adds a sequence of records without gaps to the parts. */
static void add_records(Walk *walk, const void *first, uint64_t n, size_t record)
{
    size_t offset = (size_t)((const uint8_t *)first - walk->data);

    if (walk->parts && n > 0 && record > 0 && n <= (walk->size - offset) / record)
        g_array_append_val(walk->parts, ((FuzzPart){FUZZ_RECORDS, offset, n * record, record}));
}

static void *item_of(Walk *walk, FuzzKind kind, const XtfDiskRef *ref)
{
    return structure_at(walk, kind, xtf_read64(ref->offset), xtf_read32(ref->length));
}

static void correct_item(Walk *walk, FuzzKind kind, XtfDiskRef *ref)
{
    const void *item = item_of(walk, kind, ref);
    if (item)
        xtf_write32(&ref->checksum, xtf_checksum(item, xtf_read32(ref->length)));
}

/* Corrects the checksum of the open leaf that follows a right edge, then that of the edge. The edge's offset is
 * relative to its segment. */
static void correct_edge(Walk *walk, XtfDiskArray *array)
{
    XtfDiskRef *ref = &array->edge;
    uint64_t segment = xtf_read32(array->segment), length = xtf_read32(ref->length);
    uint64_t base = segment < walk->n_segments ? xtf_read64(walk->segments[segment].first_page) * walk->page_size : 0;
    uint64_t offset = base + xtf_read64(ref->offset);
    XtfDiskEdge *edge =
        length >= sizeof *edge + sizeof(XtfDiskOpen) ? structure_at(walk, FUZZ_ITEM, offset, length) : NULL;

    if (!edge)
        return;
    add_records(walk, edge + 1, MIN(array->height, (length - sizeof *edge) / sizeof(XtfDiskOpen)), sizeof(XtfDiskOpen));
    uint32_t bytes = xtf_read32(((const XtfDiskOpen *)(edge + 1))->length);
    const void *leaf = structure_at(walk, FUZZ_PAYLOAD, xtf_aligned(offset + length), bytes);
    if (leaf)
        xtf_write32(&edge->leaf_checksum, xtf_checksum(leaf, bytes));
    xtf_write32(&ref->checksum, xtf_checksum(edge, length));
}

static void correct_node(Walk *walk, XtfDiskRef *ref, unsigned level)
{
    XtfDiskNode *node = xtf_read32(ref->length) >= sizeof *node ? item_of(walk, FUZZ_NODE, ref) : NULL;
    if (!node)
        return;
    size_t entry = level > 0 ? sizeof(XtfDiskBranch) : sizeof(XtfDiskArray);
    size_t room = (xtf_read32(ref->length) - sizeof *node) / entry;
    add_records(walk, node + 1, MIN(room, xtf_read32(node->count)), entry);
    for (size_t i = 0; i < MIN(room, xtf_read32(node->count)); i++) {
        if (level > 0)
            correct_node(walk, &((XtfDiskBranch *)(node + 1))[i].child, level - 1);
        else
            correct_edge(walk, (XtfDiskArray *)(node + 1) + i);
    }
    correct_item(walk, FUZZ_NODE, ref);
}

/* Returns the place of a page in the segment that probably contains the page. */
static uint64_t place_of(const Walk *walk, uint64_t page)
{
    uint64_t first = 0;

    for (size_t i = 0; i < walk->n_segments; i++) {
        uint64_t first_page = xtf_read64(walk->segments[i].first_page);
        first = first_page <= page ? MAX(first, first_page) : first;
    }
    return page - first;
}

/* Corrects the checksums of a companion's sections, and of their directory, if its totals are in batches. Its payload
 * has `length` bytes in the file. Sections that lie outside are left alone. */
static void correct_batches(Walk *walk, XtfDiskPage *head, uint64_t place, uint64_t length)
{
    const uint32_t count = xtf_read32(head->count);
    const uint32_t n = xtf_batches_are_valid(count, head->batch) ? xtf_batches_count(count, head->batch) : 0;
    uint8_t *payload = (uint8_t *)(head + 1);
    XtfDiskBatch *entries = (XtfDiskBatch *)(payload + sizeof(XtfDiskBatches));
    uint64_t at = xtf_batches_directory_size(n);

    if (head->kind != XTF_PAGE_TOTALS || n == 0 || at > length)
        return;
    add_records(walk, entries, (uint64_t)n + 1, sizeof *entries);
    for (uint32_t section = 0; section <= n && xtf_read32(entries[section].length) <= length - at; section++) {
        const uint32_t bytes = xtf_read32(entries[section].length);
        structure_at(walk, FUZZ_PAYLOAD, (uint64_t)(payload - walk->data) + at, bytes);
        xtf_write32(&entries[section].checksum, xtf_checksum(payload + at, bytes));
        at += bytes;
    }
    xtf_batches_set_checksum(head, place, payload);
}

static void correct_pages(Walk *walk, bool batches)
{
    uint32_t page_size = walk->page_size;

    for (uint64_t page = 0; (page + 1) * page_size <= walk->size; page++) {
        XtfDiskPage *head = (XtfDiskPage *)(walk->data + page * page_size);
        if (xtf_read32(head->magic) != XTF_PAGE_MAGIC)
            continue;
        /* A companion page may be longer than one page. */
        uint64_t room = head->kind == XTF_PAGE_TOTALS ? walk->size - page * page_size : page_size;
        uint64_t length = MIN(xtf_read32(head->length), room - sizeof *head);
        structure_at(walk, FUZZ_HEADER, page * page_size, sizeof *head);
        structure_at(walk, FUZZ_PAYLOAD, page * page_size + sizeof *head, length);
        if (head->kind == XTF_PAGE_INDEX)
            add_records(walk, head + 1, length / sizeof(XtfDiskEntry), sizeof(XtfDiskEntry));
        if (batches)
            correct_batches(walk, head, place_of(walk, page), length);
        xtf_write32(&head->checksum,
                    xtf_page_checksum(head, place_of(walk, page), (const uint8_t *)(head + 1), length));
    }
}

static void correct_refs(Walk *walk, uint8_t *refs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        correct_item(walk, FUZZ_ITEM, (XtfDiskRef *)refs + i);
}

/* Adds the rows of a table that has a single chunk. */
static void add_rows(Walk *walk, const XtfDiskRef *chunk, size_t n_chunks, uint64_t n_rows)
{
    Walk quiet = *walk;
    quiet.parts = NULL;
    const uint8_t *rows = n_chunks == 1 && n_rows > 0 ? item_of(&quiet, FUZZ_ITEM, chunk) : NULL;

    if (rows)
        add_records(walk, rows, n_rows, xtf_read32(chunk->length) / n_rows);
}

/* Adds the knots of the first clock map. */
static void add_knots(Walk *walk, const XtfDiskRef *maps)
{
    Walk quiet = *walk;
    quiet.parts = NULL;
    const XtfDiskClockMap *map = item_of(&quiet, FUZZ_ITEM, maps);
    size_t length = xtf_read32(maps->length);

    if (map && length >= sizeof *map)
        add_records(walk, map + 1, MIN(xtf_read32(map->n_knots), (length - sizeof *map) / sizeof(XtfDiskClockKnot)),
                    sizeof(XtfDiskClockKnot));
}

static void correct_tables(Walk *walk, uint8_t *body, size_t length)
{
    while (length >= sizeof(XtfDiskTable)) {
        size_t n_chunks = xtf_read32(((XtfDiskTable *)body)->n_chunks);
        uint64_t n_rows = xtf_read64(((XtfDiskTable *)body)->n_rows);
        body += sizeof(XtfDiskTable);
        length -= sizeof(XtfDiskTable);
        n_chunks = MIN(n_chunks, length / sizeof(XtfDiskRef));
        add_rows(walk, (const XtfDiskRef *)body, n_chunks, n_rows);
        correct_refs(walk, body, n_chunks);
        body += n_chunks * sizeof(XtfDiskRef);
        length -= n_chunks * sizeof(XtfDiskRef);
    }
}

static void correct_segment_maps(Walk *walk, uint8_t *body, size_t length)
{
    while (length >= sizeof(XtfDiskSegmentMap)) {
        size_t n_tables = xtf_read32(((XtfDiskSegmentMap *)body)->n_tables);
        XtfDiskTableMap *tables = (XtfDiskTableMap *)(body + sizeof(XtfDiskSegmentMap));
        length -= sizeof(XtfDiskSegmentMap);
        n_tables = MIN(n_tables, length / sizeof *tables);
        for (size_t i = 0; i < n_tables; i++)
            correct_item(walk, FUZZ_ITEM, &tables[i].rows);
        body = (uint8_t *)(tables + n_tables);
        length -= n_tables * sizeof *tables;
    }
}

static void correct_section(Walk *walk, uint32_t kind, uint8_t *body, size_t length)
{
    XtfDiskArrays *arrays = (XtfDiskArrays *)body;

    if (kind == XTF_SECTION_ARRAYS && length >= sizeof *arrays && xtf_read32(arrays->height) > 0)
        correct_node(walk, &arrays->root, MIN(xtf_read32(arrays->height), XTF_HEIGHT_MAX) - 1);
    if (kind == XTF_SECTION_STRINGS || kind == XTF_SECTION_SCHEMAS || kind == XTF_SECTION_LIMITS)
        correct_refs(walk, body, length / sizeof(XtfDiskRef));
    if (kind == XTF_SECTION_SEGMENTS)
        add_records(walk, body, length / sizeof(XtfDiskSegment), sizeof(XtfDiskSegment));
    if (kind == XTF_SECTION_TABLES)
        correct_tables(walk, body, length);
    if (kind == XTF_SECTION_SEGMENT_MAPS)
        correct_segment_maps(walk, body, length);
    if (kind == XTF_SECTION_CLOCK_MAPS && length >= sizeof(XtfDiskClockMaps)) {
        add_knots(walk, &((XtfDiskClockMaps *)body)->maps);
        correct_item(walk, FUZZ_ITEM, &((XtfDiskClockMaps *)body)->maps);
    }
}

/* Finds the segments that a catalog names. */
static void find_segments(Walk *walk, const XtfDiskRef *ref)
{
    Walk quiet = *walk;
    quiet.parts = NULL;
    const uint8_t *bytes = item_of(&quiet, FUZZ_SECTION, ref);
    size_t length = xtf_read32(ref->length), offset = sizeof(XtfDiskCatalog);

    while (bytes && offset + sizeof(XtfDiskSection) <= length) {
        const XtfDiskSection *section = (const XtfDiskSection *)(bytes + offset);
        offset += sizeof *section;
        uint64_t body = MIN(xtf_read64(section->length), length - offset);
        if (xtf_read32(section->kind) == XTF_SECTION_SEGMENTS) {
            walk->segments = (const XtfDiskSegment *)(bytes + offset);
            walk->n_segments = body / sizeof *walk->segments;
        }
        offset += body;
    }
}

static void correct_catalog(Walk *walk, XtfDiskRef *ref)
{
    uint8_t *bytes = item_of(walk, FUZZ_SECTION, ref);
    size_t length = xtf_read32(ref->length), offset = sizeof(XtfDiskCatalog);

    while (bytes && offset + sizeof(XtfDiskSection) <= length) {
        XtfDiskSection *section = (XtfDiskSection *)(bytes + offset);
        offset += sizeof *section;
        uint64_t body = MIN(xtf_read64(section->length), length - offset);
        structure_at(walk, FUZZ_SECTION, (size_t)(bytes - walk->data) + offset - sizeof *section,
                     sizeof *section + body);
        correct_section(walk, xtf_read32(section->kind), bytes + offset, body);
        offset += body;
    }
    if (bytes)
        correct_item(walk, FUZZ_SECTION, ref);
}

void fuzz_correct_checksums(uint8_t *data, size_t size, GArray *parts)
{
    Walk walk = {.data = data, .size = size, .parts = parts, .budget = BUDGET};

    for (unsigned slot = 0; slot < XTF_SUPERBLOCK_SLOTS; slot++) {
        XtfDiskSuperblock *superblock =
            structure_at(&walk, FUZZ_SUPERBLOCK, slot * XTF_SUPERBLOCK_STRIDE, sizeof *superblock);
        if (!superblock)
            continue;
        walk.page_size = xtf_read32(superblock->page_size);
        find_segments(&walk, &superblock->catalog);
        if (slot == 0 && walk.page_size >= XTF_SUPERBLOCK_STRIDE && walk.page_size <= size)
            correct_pages(&walk, xtf_read64(superblock->incompatible) & XTF_FEATURE_BATCHES);
        correct_catalog(&walk, &superblock->catalog);
        xtf_write32(&superblock->checksum, xtf_checksum(superblock, offsetof(XtfDiskSuperblock, checksum)));
    }
}

bool fuzz_names_files(const uint8_t *data, size_t size)
{
    for (unsigned slot = 0; slot < XTF_SUPERBLOCK_SLOTS; slot++) {
        const XtfDiskSuperblock *superblock = (const XtfDiskSuperblock *)(data + slot * XTF_SUPERBLOCK_STRIDE);
        if (slot * XTF_SUPERBLOCK_STRIDE + sizeof *superblock <= size &&
            xtf_read64(superblock->incompatible) & XTF_FEATURE_FILES)
            return true;
    }
    return false;
}

/* Returns a value at which number handling often fails, a change of the old value, or a value from elsewhere in the
 * file. */
static uint64_t pick_value(GRand *random, const uint8_t *data, size_t size, uint64_t before)
{
    static const uint64_t edges[] = {0,   1,    2,    7,     8,         12,         13,        63,        64,
                                     255, 4095, 4096, 65535, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
    uint64_t value;

    switch (g_rand_int_range(random, 0, 6)) {
    case 0:
        return edges[g_rand_int_range(random, 0, G_N_ELEMENTS(edges))];
    case 1:
        return before + 1;
    case 2:
        return before - 1;
    case 3:
        return before ^ UINT64_C(1) << g_rand_int_range(random, 0, 64);
    case 4:
        return (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);
    default:
        memcpy(&value, data + (g_rand_int(random) % (size - sizeof value) & ~3u), sizeof value);
        return value;
    }
}

/* Changes one field of a part. Most structures have their fields at multiples of 4, and the most important ones in
 * their first bytes. */
static void change_field(GRand *random, uint8_t *data, size_t size, FuzzPart part)
{
    static const size_t widths[] = {1, 2, 4, 8};
    size_t width = widths[g_rand_int_range(random, 0, 4)];
    size_t reach = g_rand_boolean(random) ? MIN(part.length, 128) : part.length;
    uint64_t value = 0;

    width = MIN(width, part.length);
    size_t place = g_rand_int(random) % (reach - width + 1);
    if (g_rand_int_range(random, 0, 4))
        place -= place % width;
    memcpy(&value, data + part.offset + place, width);
    value = pick_value(random, data, size, value);
    memcpy(data + part.offset + place, &value, width);
}

/* Returns a part of a random kind. The kind is chosen first, since there are many pages and few nodes. Superblocks are
 * rare, since a damaged one makes the reader refuse the whole file. */
static FuzzPart pick_part(GRand *random, const GArray *parts)
{
    static const FuzzKind kinds[] = {FUZZ_SECTION, FUZZ_SECTION, FUZZ_NODE,    FUZZ_NODE,    FUZZ_ITEM,
                                     FUZZ_ITEM,    FUZZ_ITEM,    FUZZ_ITEM,    FUZZ_HEADER,  FUZZ_HEADER,
                                     FUZZ_HEADER,  FUZZ_HEADER,  FUZZ_PAYLOAD, FUZZ_PAYLOAD, FUZZ_PAYLOAD,
                                     FUZZ_RECORDS, FUZZ_RECORDS, FUZZ_RECORDS, FUZZ_RECORDS, FUZZ_RECORDS};
    FuzzKind kind =
        g_rand_int_range(random, 0, 40) ? kinds[g_rand_int_range(random, 0, G_N_ELEMENTS(kinds))] : FUZZ_SUPERBLOCK;
    FuzzPart part = {0};

    for (int tries = 0; tries < 200 && (tries == 0 || part.kind != kind); tries++)
        part = g_array_index(parts, FuzzPart, g_rand_int(random) % parts->len);
    return part;
}

static void swap_bytes(uint8_t *a, uint8_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* Copies one field, or all fields, of a record over another record of the same list, or swaps two records. Sorted
 * records then are out of order, and references refer to other objects. */
static void change_record(GRand *random, uint8_t *data, size_t size, FuzzPart part)
{
    size_t n = part.length / part.record, i = g_rand_int(random) % n;
    size_t j = g_rand_boolean(random) ? (i + 1) % n : g_rand_int(random) % n;
    uint8_t *own = data + part.offset + i * part.record, *source = data + part.offset + j * part.record;
    size_t wide = g_rand_boolean(random) ? 8 : 4, width = MIN(wide, part.record);
    size_t place = g_rand_int(random) % (part.record - width + 1);

    switch (g_rand_int_range(random, 0, 6)) {
    case 0:
        swap_bytes(own, source, part.record);
        break;
    case 1:
        memmove(own, source, part.record);
        break;
    case 2:
        change_field(random, data, size, (FuzzPart){FUZZ_RECORDS, (size_t)(own - data), part.record, 0});
        break;
    default:
        place -= place % width;
        memmove(own + place, source + place, width);
    }
}

static void change_part(GRand *random, uint8_t *data, size_t size, const GArray *parts)
{
    FuzzPart part = pick_part(random, parts), source = pick_part(random, parts);

    if (part.record > 0)
        change_record(random, data, size, part);
    else if (g_rand_int_range(random, 0, 8) == 0)
        memmove(data + part.offset, data + source.offset, MIN(part.length, source.length));
    else
        change_field(random, data, size, part);
}

void fuzz_change_payload(uint8_t *data, size_t size, uint32_t seed)
{
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(FuzzPart));
    GRand *random = g_rand_new_with_seed(seed);
    size_t n = 0;

    fuzz_correct_checksums(data, size, parts);
    for (size_t i = 0; i < parts->len; i++)
        if (g_array_index(parts, FuzzPart, i).kind == FUZZ_PAYLOAD)
            g_array_index(parts, FuzzPart, n++) = g_array_index(parts, FuzzPart, i);
    if (n > 0)
        change_field(random, data, size, g_array_index(parts, FuzzPart, g_rand_int(random) % n));
    fuzz_correct_checksums(data, size, NULL);
    g_rand_free(random);
}

size_t fuzz_mutate(uint8_t *data, size_t size, uint32_t seed)
{
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(FuzzPart));
    GRand *random = g_rand_new_with_seed(seed);

    fuzz_correct_checksums(data, size, parts);
    for (int n = parts->len > 0 ? g_rand_int_range(random, 1, 5) : 0; n > 0; n--)
        change_part(random, data, size, parts);
    if (g_rand_int_range(random, 0, 50) == 0)
        size = g_rand_int(random) % size;
    if (g_rand_int_range(random, 0, 20))
        fuzz_correct_checksums(data, size, NULL);
    g_rand_free(random);
    return size;
}
