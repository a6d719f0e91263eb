#include "libxtf/disk/catalog.h"

#include "libxtf/base/bytes.h"
#include "libxtf/error.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/schema/value-limits.h"

void xtf_catalog_finish(XtfCatalog *catalog)
{
    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        xtf_schema_free(catalog->schemas[i]);
        g_free(catalog->limits[i]);
    }
    g_free(catalog->schemas);
    g_free(catalog->limits);
    g_free(catalog->n_rows);
    g_free(catalog->segments);
    g_free(catalog->tables);
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

static void encode_schemas(const XtfCatalog *catalog, GByteArray *bytes)
{
    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        XtfLe64 n_rows;
        xtf_write64(&n_rows, catalog->n_rows[i]);
        APPEND(bytes, n_rows);
        xtf_schema_encode(catalog->schemas[i], bytes);
    }
}

static void encode_limits(const XtfCatalog *catalog, GByteArray *bytes)
{
    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        for (uint32_t f = 0; f < catalog->schemas[i]->n_fields; f++) {
            const XtfLimits *limits = &catalog->limits[i][f];
            XtfDiskLimits disk;
            xtf_write64(&disk.min, limits->min);
            xtf_write64(&disk.max, limits->max);
            xtf_write64(&disk.has_none, limits->has_none);
            APPEND(bytes, disk);
        }
    }
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
        XtfDiskTable disk = {0};
        xtf_write32(&disk.schema, table->schema);
        xtf_write64(&disk.n_rows, table->n_rows);
        xtf_ref_write(&disk.rows, table->rows);
        APPEND(bytes, disk);
    }
}

static void encode_strings(const XtfCatalog *catalog, GByteArray *bytes)
{
    XtfDiskRef strings;

    xtf_ref_write(&strings, catalog->strings);
    APPEND(bytes, strings);
}

static void encode_clock_maps(const XtfCatalog *catalog, GByteArray *bytes)
{
    XtfDiskClockMaps disk = {0};

    xtf_write32(&disk.n_maps, catalog->n_clock_maps);
    xtf_ref_write(&disk.maps, catalog->clock_maps);
    APPEND(bytes, disk);
}

static bool damaged(GError **error, const char *what)
{
    return xtf_damaged(error, "catalog: %s", what);
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
        return damaged(error, "the clock has no resolution");
    if (clock->first <= clock->last && clock->origin > clock->first)
        return damaged(error, "the clock begins after the first record");
    return true;
}

static bool decode_segments(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    size_t n = reader->left / sizeof(XtfDiskSegment);

    if (n == 0 || n > G_MAXUINT16)
        return damaged(error, "no segments, or too many");
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
        /* Below this no place times the page size overflows. */
        if (segment->first_page > UINT64_MAX >> 24 || segment->pages > UINT64_MAX >> 24)
            return damaged(error, "a segment lies beyond any file");
    }
    return true;
}

static bool decode_schemas(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    catalog->schemas = g_new0(XtfSchema *, XTF_SCHEMAS_MAX);
    catalog->limits = g_new0(XtfLimits *, XTF_SCHEMAS_MAX);
    catalog->n_rows = g_new0(uint64_t, XTF_SCHEMAS_MAX);
    while (reader->left > 0) {
        if (catalog->n_schemas == XTF_SCHEMAS_MAX)
            return damaged(error, "too many schemas");
        XtfLe64 n_rows;
        xtf_bytes_read(reader, &n_rows, sizeof n_rows);
        XtfSchema *schema = xtf_schema_decode(reader, error);
        if (!schema)
            return false;
        uint32_t id = catalog->n_schemas;
        for (uint32_t i = 0; i < id; i++) {
            if (g_str_equal(catalog->schemas[i]->name, schema->name)) {
                xtf_schema_free(schema);
                return damaged(error, "two schemas have one name");
            }
        }
        schema->id = id;
        catalog->schemas[id] = schema;
        catalog->n_rows[id] = xtf_read64(n_rows);
        catalog->limits[id] = g_new0(XtfLimits, schema->n_fields);
        for (uint32_t f = 0; f < schema->n_fields; f++)
            catalog->limits[id][f] = xtf_limits_empty();
        catalog->n_schemas++;
    }
    return true;
}

static bool decode_limits(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        for (uint32_t f = 0; f < catalog->schemas[i]->n_fields; f++) {
            XtfDiskLimits disk;
            xtf_bytes_read(reader, &disk, sizeof disk);
            catalog->limits[i][f] = (XtfLimits){
                .min = xtf_read64(disk.min),
                .max = xtf_read64(disk.max),
                .has_none = xtf_read64(disk.has_none) != 0,
            };
        }
    }
    return !reader->failed || damaged(error, "the limits are cut short");
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
        return damaged(error, "the root of the P index makes no sense");
    return true;
}

static bool decode_tables(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    size_t n = reader->left / sizeof(XtfDiskTable);

    if (n > XTF_SCHEMAS_MAX)
        return damaged(error, "too many tables");
    catalog->tables = g_new0(XtfTableEntry, n);
    for (; catalog->n_tables < n; catalog->n_tables++) {
        XtfDiskTable disk;
        xtf_bytes_read(reader, &disk, sizeof disk);
        XtfTableEntry *table = &catalog->tables[catalog->n_tables];
        *table = (XtfTableEntry){
            .schema = xtf_read32(disk.schema),
            .n_rows = xtf_read64(disk.n_rows),
            .rows = xtf_ref_read(&disk.rows),
        };
        const XtfSchema *schema = table->schema < catalog->n_schemas ? catalog->schemas[table->schema] : NULL;
        if (!schema || schema->kind != XTF_SCHEMA_TABLE)
            return damaged(error, "a table has no schema");
        if (table->n_rows > G_MAXUINT32 || table->n_rows * schema->row_size != table->rows.length)
            return damaged(error, "a table's rows do not fill its item");
    }
    return true;
}

static bool decode_strings(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    XtfDiskRef strings;

    xtf_bytes_read(reader, &strings, sizeof strings);
    catalog->strings = xtf_ref_read(&strings);
    return !reader->failed || damaged(error, "the heap of strings is not named");
}

static bool decode_clock_maps(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    XtfDiskClockMaps disk;

    xtf_bytes_read(reader, &disk, sizeof disk);
    catalog->n_clock_maps = xtf_read32(disk.n_maps);
    catalog->clock_maps = xtf_ref_read(&disk.maps);
    return (!reader->failed && catalog->n_clock_maps > 0) || damaged(error, "a section of clock maps has none");
}

static bool has_clock_maps(const XtfCatalog *catalog)
{
    return catalog->n_clock_maps > 0;
}

/* The sections, in the order in which they are written. */
static const struct {
    XtfSectionKind kind;
    bool (*is_needed)(const XtfCatalog *catalog); /* NULL: it is in every catalog */
    void (*encode)(const XtfCatalog *catalog, GByteArray *bytes);
    bool (*decode)(XtfCatalog *catalog, XtfBytesReader *reader, GError **error);
} sections[] = {
    {XTF_SECTION_CLOCK, NULL, encode_clock, decode_clock},
    {XTF_SECTION_SEGMENTS, NULL, encode_segments, decode_segments},
    {XTF_SECTION_SCHEMAS, NULL, encode_schemas, decode_schemas},
    {XTF_SECTION_LIMITS, NULL, encode_limits, decode_limits},
    {XTF_SECTION_ARRAYS, NULL, encode_arrays, decode_arrays},
    {XTF_SECTION_TABLES, NULL, encode_tables, decode_tables},
    {XTF_SECTION_STRINGS, NULL, encode_strings, decode_strings},
    {XTF_SECTION_CLOCK_MAPS, has_clock_maps, encode_clock_maps, decode_clock_maps},
};

static bool is_needed(const XtfCatalog *catalog, unsigned section)
{
    return !sections[section].is_needed || sections[section].is_needed(catalog);
}

void xtf_catalog_encode(const XtfCatalog *catalog, GByteArray *bytes)
{
    XtfDiskCatalog head = {0};
    uint32_t n = 0;

    g_byte_array_set_size(bytes, 0);
    for (unsigned i = 0; i < G_N_ELEMENTS(sections); i++)
        n += is_needed(catalog, i);
    xtf_write32(&head.magic, XTF_CATALOG_MAGIC);
    xtf_write32(&head.n_sections, n);
    APPEND(bytes, head);
    for (unsigned i = 0; i < G_N_ELEMENTS(sections); i++) {
        if (!is_needed(catalog, i))
            continue;
        XtfDiskSection section = {0};
        guint start = bytes->len;
        xtf_write32(&section.kind, sections[i].kind);
        xtf_write32(&section.flags, XTF_SECTION_REQUIRED);
        APPEND(bytes, section);
        sections[i].encode(catalog, bytes);
        xtf_write64(&section.length, bytes->len - start - sizeof section);
        memcpy(bytes->data + start, &section, sizeof section);
    }
}

static bool decode_section(XtfCatalog *catalog, uint32_t kind, bool required, XtfBytesReader *reader, GError **error)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(sections); i++)
        if (sections[i].kind == kind)
            return sections[i].decode(catalog, reader, error);
    return !required ||
           xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                    "the catalog has a section of kind %u, which this version does not know but must", kind);
}

static bool decode(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    XtfDiskCatalog head;
    uint32_t seen = 0; /* a bit for each kind */

    xtf_bytes_read(reader, &head, sizeof head);
    if (reader->failed || xtf_read32(head.magic) != XTF_CATALOG_MAGIC)
        return damaged(error, "it does not begin like one");
    for (uint32_t n = xtf_read32(head.n_sections); n > 0; n--) {
        XtfDiskSection section;
        xtf_bytes_read(reader, &section, sizeof section);
        uint32_t kind = xtf_read32(section.kind), bit = kind < 32 ? 1u << kind : 0;
        XtfBytesReader part = xtf_bytes_read_part(reader, xtf_read64(section.length));
        if (reader->failed)
            return damaged(error, "a section is cut short");
        if (seen & bit)
            return damaged(error, "a section stands in it twice");
        seen |= bit;
        if (!decode_section(catalog, kind, xtf_read32(section.flags) & XTF_SECTION_REQUIRED, &part, error))
            return false;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(sections); i++)
        if (!sections[i].is_needed && !(seen & 1u << sections[i].kind))
            return damaged(error, "a section is missing");
    return true;
}

bool xtf_catalog_decode(XtfCatalog *catalog, const uint8_t *bytes, size_t length, GError **error)
{
    XtfBytesReader reader = {.at = bytes, .left = length};

    if (decode(catalog, &reader, error))
        return true;
    xtf_catalog_finish(catalog);
    return false;
}
