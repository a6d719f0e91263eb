#include "libxtf/disk/catalog.h"

#include "libxtf/base/bytes.h"
#include "libxtf/disk/files.h"
#include "libxtf/disk/segment-maps.h"
#include "libxtf/error.h"

void xtf_catalog_finish(XtfCatalog *catalog)
{
    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        xtf_schema_free(catalog->schemas[i]);
        g_free(catalog->limits[i]);
    }
    g_free(catalog->schemas);
    g_free(catalog->limits);
    g_free(catalog->n_rows);
    for (uint32_t i = 0; i < catalog->n_tables; i++)
        g_free(catalog->tables[i].rows.chunks);
    g_free(catalog->schema_chunks.chunks);
    g_free(catalog->strings.chunks);
    g_free(catalog->limit_items);
    xtf_segment_maps_finish(catalog);
    xtf_files_finish(catalog);
    g_free(catalog->segments);
    g_free(catalog->tables);
    g_free(catalog->free_pages);
    g_free(catalog->writer);
    *catalog = (XtfCatalog){0};
}

#define APPEND(bytes, disk) g_byte_array_append(bytes, (const guint8 *)&(disk), sizeof(disk))

static void encode_clock(const XtfCatalog *catalog, GByteArray *bytes)
{
    const XtfClock *clock = &catalog->clock;
    XtfDiskClock disk;

    xtf_write64(&disk.resolution_num, clock->resolution_num);
    xtf_write64(&disk.resolution_den, clock->resolution_den);
    xtf_write64(&disk.origin, clock->origin);
    xtf_write64(&disk.first, clock->first);
    xtf_write64(&disk.last, clock->last);
    xtf_write64(&disk.complete, clock->complete);
    APPEND(bytes, disk);
}

static void encode_segments(const XtfCatalog *catalog, GByteArray *bytes)
{
    for (uint32_t i = 0; i < catalog->n_segments; i++) {
        const XtfSegment *segment = &catalog->segments[i];
        XtfDiskSegment disk = {0};
        xtf_write64(&disk.id, segment->id);
        xtf_write64(&disk.first_page, segment->first_page);
        xtf_write64(&disk.pages, segment->pages);
        xtf_write32(&disk.epoch, segment->epoch);
        APPEND(bytes, disk);
    }
}

static void encode_refs(const XtfRef *refs, uint32_t n, GByteArray *bytes)
{
    for (uint32_t i = 0; i < n; i++) {
        XtfDiskRef disk;
        xtf_ref_write(&disk, refs[i]);
        APPEND(bytes, disk);
    }
}

static void encode_schemas(const XtfCatalog *catalog, GByteArray *bytes)
{
    encode_refs(catalog->schema_chunks.chunks, catalog->schema_chunks.n, bytes);
}

static void encode_counts(const XtfCatalog *catalog, GByteArray *bytes)
{
    for (uint32_t i = 0; i < catalog->n_schemas; i++)
        xtf_bytes_write_u64(bytes, catalog->n_rows[i]);
}

static void encode_limits(const XtfCatalog *catalog, GByteArray *bytes)
{
    encode_refs(catalog->limit_items, catalog->n_schemas, bytes);
}

static void encode_arrays(const XtfCatalog *catalog, GByteArray *bytes)
{
    XtfDiskArrays disk = {0};

    xtf_write64(&disk.n_arrays, catalog->n_arrays);
    xtf_write32(&disk.height, catalog->arrays_height);
    xtf_ref_write(&disk.root, catalog->arrays_root);
    APPEND(bytes, disk);
}

static void encode_tables(const XtfCatalog *catalog, GByteArray *bytes)
{
    for (uint32_t i = 0; i < catalog->n_tables; i++) {
        const XtfTableEntry *table = &catalog->tables[i];
        XtfDiskTable disk;
        xtf_write32(&disk.schema, table->schema);
        xtf_write32(&disk.n_chunks, table->rows.n);
        xtf_write64(&disk.n_rows, table->n_rows);
        APPEND(bytes, disk);
        encode_refs(table->rows.chunks, table->rows.n, bytes);
    }
}

static void encode_strings(const XtfCatalog *catalog, GByteArray *bytes)
{
    encode_refs(catalog->strings.chunks, catalog->strings.n, bytes);
}

static void encode_free(const XtfCatalog *catalog, GByteArray *bytes)
{
    for (uint32_t i = 0; i < catalog->n_free_pages; i++) {
        const XtfFreePages *pages = &catalog->free_pages[i];
        XtfDiskFree disk;
        xtf_write64(&disk.page, pages->page);
        xtf_write64(&disk.n_pages, pages->n_pages);
        xtf_write64(&disk.commit, pages->commit);
        APPEND(bytes, disk);
    }
}

static void encode_clock_maps(const XtfCatalog *catalog, GByteArray *bytes)
{
    XtfDiskClockMaps disk = {0};

    xtf_write32(&disk.n_maps, catalog->n_clock_maps);
    xtf_ref_write(&disk.maps, catalog->clock_maps);
    APPEND(bytes, disk);
}

/* Encodes the name and version of this library. */
static void encode_writer(const XtfCatalog *catalog, GByteArray *bytes)
{
    static const char name[] = "libxtf", version[] = XTF_LIBRARY_VERSION;
    XtfDiskWriter disk;

    xtf_write32(&disk.name_length, sizeof name - 1);
    xtf_write32(&disk.version_length, sizeof version - 1);
    APPEND(bytes, disk);
    g_byte_array_append(bytes, (const guint8 *)name, sizeof name - 1);
    g_byte_array_append(bytes, (const guint8 *)version, sizeof version - 1);
    xtf_bytes_align(bytes);
}

static bool fail_catalog(GError **error, const char *problem)
{
    return xtf_damaged(error, "catalog: %s", problem);
}

static bool decode_clock(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    XtfDiskClock disk;

    xtf_bytes_read(reader, &disk, sizeof disk);
    catalog->clock = (XtfClock){
        .resolution_num = xtf_read64(disk.resolution_num),
        .resolution_den = xtf_read64(disk.resolution_den),
        .origin = xtf_read64(disk.origin),
        .first = xtf_read64(disk.first),
        .last = xtf_read64(disk.last),
        .complete = xtf_read64(disk.complete),
    };
    const XtfClock *clock = &catalog->clock;
    if (reader->failed || clock->resolution_num == 0 || clock->resolution_den == 0)
        return fail_catalog(error, "the clock has no resolution");
    if (clock->first <= clock->last && clock->origin > clock->first)
        return fail_catalog(error, "the clock begins after the first record");
    return true;
}

static bool decode_segments(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    size_t n = reader->left / sizeof(XtfDiskSegment);

    if (n == 0 || n > XTF_SEGMENTS_MAX)
        return fail_catalog(error, n == 0 ? "no segments" : "too many segments");
    catalog->segments = g_new0(XtfSegment, n);
    for (; catalog->n_segments < n; catalog->n_segments++) {
        XtfDiskSegment disk;
        xtf_bytes_read(reader, &disk, sizeof disk);
        XtfSegment *segment = &catalog->segments[catalog->n_segments];
        *segment = (XtfSegment){
            .id = xtf_read64(disk.id),
            .first_page = xtf_read64(disk.first_page),
            .pages = xtf_read64(disk.pages),
            .epoch = xtf_read32(disk.epoch),
        };
        /* within this limit no place times the page size overflows */
        if (segment->first_page > UINT64_MAX >> 24 || segment->pages > UINT64_MAX >> 24)
            return fail_catalog(error, "a segment lies beyond the largest possible file");
    }
    return true;
}

/* Decodes n references to items. */
static bool decode_refs(XtfBytesReader *reader, uint64_t n, XtfRef **refs)
{
    if (n > reader->left / sizeof(XtfDiskRef))
        return false;
    g_free(*refs);
    *refs = g_new(XtfRef, n);
    for (uint64_t i = 0; i < n; i++) {
        XtfDiskRef disk;
        xtf_bytes_read(reader, &disk, sizeof disk);
        (*refs)[i] = xtf_ref_read(&disk);
    }
    return true;
}

static bool decode_chunks(XtfBytesReader *reader, uint64_t n, XtfChunks *chunks)
{
    if (!decode_refs(reader, n, &chunks->chunks))
        return false;
    chunks->n = (uint32_t)n; /* fits: decode_refs() has read n references */
    for (uint32_t i = 0; i < chunks->n; i++) {
        if (chunks->chunks[i].length == 0)
            return false;
        chunks->bytes += chunks->chunks[i].length;
    }
    return true;
}

/* Returns the number of references that fit the remaining bytes. */
static uint64_t n_refs_left(const XtfBytesReader *reader)
{
    return reader->left / sizeof(XtfDiskRef);
}

static bool decode_schema_chunks(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    return decode_chunks(reader, n_refs_left(reader), &catalog->schema_chunks) ||
           fail_catalog(error, "the references to the schemas are invalid");
}

static bool decode_counts(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    size_t n = reader->left / sizeof(XtfLe64);

    if (n > XTF_SCHEMAS_MAX)
        return fail_catalog(error, "too many schemas");
    catalog->schemas = g_new0(XtfSchema *, n + 1);
    catalog->limits = g_new0(XtfLimits *, n + 1);
    catalog->n_rows = g_new0(uint64_t, n + 1);
    for (; catalog->n_counts < n; catalog->n_counts++)
        catalog->n_rows[catalog->n_counts] = xtf_bytes_read_u64(reader);
    return true;
}

static bool decode_limit_items(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    uint64_t n = n_refs_left(reader);

    return (catalog->schemas && n == catalog->n_counts && decode_refs(reader, n, &catalog->limit_items)) ||
           fail_catalog(error, "it has not one item of limits for each count of rows, or limits before the counts");
}

static bool decode_arrays(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    XtfDiskArrays disk;

    xtf_bytes_read(reader, &disk, sizeof disk);
    catalog->n_arrays = xtf_read64(disk.n_arrays);
    catalog->arrays_height = xtf_read32(disk.height);
    catalog->arrays_root = xtf_ref_read(&disk.root);
    if (reader->failed || catalog->arrays_height > XTF_HEIGHT_MAX ||
        (catalog->n_arrays > 0) != (catalog->arrays_height > 0))
        return fail_catalog(error, "the root of the P index is invalid");
    return true;
}

static bool decode_tables(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    catalog->tables = g_new0(XtfTableEntry, MIN(reader->left / sizeof(XtfDiskTable), XTF_SCHEMAS_MAX) + 1);
    while (reader->left > 0) {
        if (catalog->n_tables == XTF_SCHEMAS_MAX)
            return fail_catalog(error, "too many tables");
        XtfTableEntry *table = &catalog->tables[catalog->n_tables++];
        XtfDiskTable disk;
        xtf_bytes_read(reader, &disk, sizeof disk);
        table->schema = xtf_read32(disk.schema);
        table->n_rows = xtf_read64(disk.n_rows);
        if (reader->failed || !decode_chunks(reader, xtf_read32(disk.n_chunks), &table->rows))
            return fail_catalog(error, "a table is cut short");
    }
    return true;
}

static bool decode_strings(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    return (decode_chunks(reader, n_refs_left(reader), &catalog->strings) && catalog->strings.bytes <= UINT32_MAX) ||
           fail_catalog(error, "the references to the heap of strings are invalid");
}

static bool decode_clock_maps(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    XtfDiskClockMaps disk;

    xtf_bytes_read(reader, &disk, sizeof disk);
    catalog->n_clock_maps = xtf_read32(disk.n_maps);
    catalog->clock_maps = xtf_ref_read(&disk.maps);
    return (!reader->failed && catalog->n_clock_maps > 0) || fail_catalog(error, "a section of clock maps has none");
}

static bool decode_free(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    size_t n = reader->left / sizeof(XtfDiskFree);

    catalog->free_pages = g_new0(XtfFreePages, n + 1);
    for (; catalog->n_free_pages < n; catalog->n_free_pages++) {
        XtfDiskFree disk;
        xtf_bytes_read(reader, &disk, sizeof disk);
        const XtfFreePages pages = {
            .page = xtf_read64(disk.page),
            .n_pages = xtf_read64(disk.n_pages),
            .commit = xtf_read64(disk.commit),
        };
        if (pages.page > UINT64_MAX >> 24 || pages.n_pages > UINT64_MAX >> 24)
            return fail_catalog(error, "free pages lie beyond the largest possible file");
        catalog->free_pages[catalog->n_free_pages] = pages;
    }
    return true;
}

static bool decode_writer(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    XtfDiskWriter disk;

    xtf_bytes_read(reader, &disk, sizeof disk);
    uint32_t name = xtf_read32(disk.name_length), version = xtf_read32(disk.version_length);
    const char *text = (const char *)reader->at;
    if (reader->failed || name > XTF_WRITER_TEXT_MAX || version > XTF_WRITER_TEXT_MAX ||
        name + version > reader->left || reader->left - name - version >= XTF_ITEM_ALIGNMENT)
        return fail_catalog(error, "the name or version of its writer is invalid");
    catalog->writer = g_strdup_printf("%.*s %.*s", (int)name, text, (int)version, text + name);
    xtf_bytes_read_part(reader, reader->left);
    return true;
}

static void encode_leaf_lists(const XtfCatalog *catalog, GByteArray *bytes)
{
    encode_refs(&catalog->leaf_lists, 1, bytes);
}

static bool decode_leaf_lists(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    XtfDiskRef disk;

    xtf_bytes_read(reader, &disk, sizeof disk);
    catalog->leaf_lists = xtf_ref_read(&disk);
    return (!reader->failed && catalog->leaf_lists.length > 0) ||
           fail_catalog(error, "the reference to the leaf lists is invalid");
}

static bool has_leaf_lists(const XtfCatalog *catalog)
{
    return catalog->leaf_lists.length > 0;
}

static bool has_free_pages(const XtfCatalog *catalog)
{
    return catalog->n_free_pages > 0;
}

static bool has_clock_maps(const XtfCatalog *catalog)
{
    return catalog->n_clock_maps > 0;
}

static bool has_files(const XtfCatalog *catalog)
{
    return catalog->n_files > 0;
}

static bool has_segment_maps(const XtfCatalog *catalog)
{
    return catalog->segment_maps != NULL;
}

/* Returns true: the section is always written. It is not mandatory, as older files lack it. */
static bool has_writer(const XtfCatalog *catalog)
{
    return true;
}

/* The sections, in the order in which they are written. `present` is NULL for mandatory sections. */
static const struct {
    XtfSectionKind kind;
    bool required; /* readers must know the section */
    bool (*present)(const XtfCatalog *catalog);
    void (*encode)(const XtfCatalog *catalog, GByteArray *bytes);
    bool (*decode)(XtfCatalog *catalog, XtfBytesReader *reader, GError **error);
} sections[] = {
    {XTF_SECTION_CLOCK, true, NULL, encode_clock, decode_clock},
    {XTF_SECTION_SEGMENTS, true, NULL, encode_segments, decode_segments},
    {XTF_SECTION_COUNTS, true, NULL, encode_counts, decode_counts},
    {XTF_SECTION_SCHEMAS, true, NULL, encode_schemas, decode_schema_chunks},
    {XTF_SECTION_LIMITS, true, NULL, encode_limits, decode_limit_items},
    {XTF_SECTION_ARRAYS, true, NULL, encode_arrays, decode_arrays},
    {XTF_SECTION_TABLES, true, NULL, encode_tables, decode_tables},
    {XTF_SECTION_STRINGS, true, NULL, encode_strings, decode_strings},
    {XTF_SECTION_CLOCK_MAPS, true, has_clock_maps, encode_clock_maps, decode_clock_maps},
    {XTF_SECTION_SEGMENT_MAPS, true, has_segment_maps, xtf_segment_maps_encode, xtf_segment_maps_decode},
    {XTF_SECTION_FILES, true, has_files, xtf_files_encode, xtf_files_decode},
    {XTF_SECTION_WRITER, false, has_writer, encode_writer, decode_writer},
    {XTF_SECTION_LEAF_LISTS, false, has_leaf_lists, encode_leaf_lists, decode_leaf_lists},
    {XTF_SECTION_FREE, false, has_free_pages, encode_free, decode_free},
};

void xtf_catalog_encode(const XtfCatalog *catalog, GByteArray *bytes)
{
    XtfDiskCatalog head = {0};
    uint32_t n_sections = 0;

    g_byte_array_set_size(bytes, 0);
    xtf_write32(&head.magic, XTF_CATALOG_MAGIC);
    APPEND(bytes, head);
    for (unsigned i = 0; i < G_N_ELEMENTS(sections); i++) {
        XtfDiskSection section = {0};
        if (sections[i].present && !sections[i].present(catalog))
            continue;
        n_sections++;
        guint start = bytes->len;
        xtf_write32(&section.kind, sections[i].kind);
        xtf_write32(&section.flags, sections[i].required ? XTF_SECTION_REQUIRED : 0);
        APPEND(bytes, section);
        sections[i].encode(catalog, bytes);
        xtf_write64(&section.length, bytes->len - start - sizeof section);
        memcpy(bytes->data + start, &section, sizeof section);
    }
    xtf_write32(&((XtfDiskCatalog *)bytes->data)->n_sections, n_sections);
}

/* Decodes a section of a known kind. Nothing may follow the section's content. */
static bool decode_known_section(XtfCatalog *catalog, unsigned index, XtfBytesReader *reader, GError **error)
{
    if (!sections[index].decode(catalog, reader, error))
        return false;
    return reader->left == 0 || fail_catalog(error, "bytes are left over in a section");
}

static bool decode_section(XtfCatalog *catalog, uint32_t kind, bool required, XtfBytesReader *reader, GError **error)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(sections); i++) {
        if (sections[i].kind != kind)
            continue;
        catalog->unmarked |= sections[i].required && !required;
        return decode_known_section(catalog, i, reader, error);
    }
    catalog->has_unknown = true;
    return !required ||
           xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                    "the catalog has a section of kind %u, which is required but unknown to this version", kind);
}

bool xtf_catalog_decode(XtfCatalog *catalog, const uint8_t *bytes, size_t length, GError **error)
{
    XtfBytesReader reader = {.at = bytes, .left = length};
    XtfDiskCatalog head;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL); /* kinds of the sections met so far */

    xtf_bytes_read(&reader, &head, sizeof head);
    if (reader.failed || xtf_read32(head.magic) != XTF_CATALOG_MAGIC)
        return fail_catalog(error, "it does not begin with the catalog's magic number");
    for (uint32_t n = xtf_read32(head.n_sections); n > 0; n--) {
        XtfDiskSection section;
        xtf_bytes_read(&reader, &section, sizeof section);
        uint32_t kind = xtf_read32(section.kind);
        XtfBytesReader part = xtf_bytes_read_part(&reader, xtf_read64(section.length));
        if (reader.failed)
            return fail_catalog(error, "a section is cut short");
        if (part.left % XTF_ITEM_ALIGNMENT != 0)
            return fail_catalog(error, "the length of a section is not a multiple of 8");
        if (!g_hash_table_add(seen, GUINT_TO_POINTER(kind)))
            return fail_catalog(error, "a section occurs twice");
        if (!decode_section(catalog, kind, xtf_read32(section.flags) & XTF_SECTION_REQUIRED, &part, error))
            return false;
    }
    if (reader.left > 0)
        return fail_catalog(error, "bytes are left over after its sections");
    for (unsigned i = 0; i < G_N_ELEMENTS(sections); i++)
        if (!sections[i].present && !g_hash_table_contains(seen, GUINT_TO_POINTER(sections[i].kind)))
            return fail_catalog(error, "a section is missing");
    return true;
}
