/*
 * Schemas and limits, which are in items beside the catalog's own; and the check that all sections of the catalog
 * agree.
 */
#include "libxtf/base/bytes.h"
#include "libxtf/disk/catalog.h"
#include "libxtf/error.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/schema/value-limits.h"

void xtf_catalog_encode_limits(const XtfCatalog *catalog, uint32_t schema, GByteArray *bytes)
{
    for (uint32_t f = 0; f < catalog->schemas[schema]->n_fields; f++) {
        const XtfLimits *limits = &catalog->limits[schema][f];
        XtfDiskLimits disk;
        xtf_write64(&disk.min, limits->min);
        xtf_write64(&disk.max, limits->max);
        xtf_write64(&disk.has_none, limits->has_none);
        g_byte_array_append(bytes, (const guint8 *)&disk, sizeof disk);
    }
}

static bool has_schema(const XtfCatalog *catalog, const char *name)
{
    for (uint32_t i = 0; i < catalog->n_schemas; i++)
        if (xtf_names_equal(catalog->schemas[i]->name, name))
            return true;
    return false;
}

bool xtf_catalog_decode_schemas(XtfCatalog *catalog, const uint8_t *bytes, size_t length, GError **error)
{
    XtfBytesReader reader = {.at = bytes, .left = length};

    while (reader.left > 0) {
        if (catalog->n_schemas == catalog->n_counts)
            return xtf_damaged(error, "catalog: it has more schemas than counts of rows");
        g_autoptr(XtfSchema) schema = xtf_schema_decode(&reader, error);
        if (!schema)
            return false;
        if (has_schema(catalog, schema->name))
            return xtf_damaged(error, "catalog: two schemas have the same name");
        uint32_t id = schema->id = catalog->n_schemas++;
        catalog->limits[id] = g_new(XtfLimits, schema->n_fields);
        for (uint32_t f = 0; f < schema->n_fields; f++)
            catalog->limits[id][f] = xtf_limits_empty();
        catalog->schemas[id] = g_steal_pointer(&schema);
    }
    return true;
}

bool xtf_catalog_decode_limits(XtfCatalog *catalog, uint32_t schema, const uint8_t *bytes, size_t length,
                               GError **error)
{
    XtfBytesReader reader = {.at = bytes, .left = length};

    for (uint32_t f = 0; f < catalog->schemas[schema]->n_fields; f++) {
        XtfDiskLimits disk;
        xtf_bytes_read(&reader, &disk, sizeof disk);
        catalog->limits[schema][f] = (XtfLimits){
            .min = xtf_read64(disk.min),
            .max = xtf_read64(disk.max),
            .has_none = xtf_read64(disk.has_none) != 0,
        };
        reader.failed |= xtf_read64(disk.has_none) > 1;
    }
    return (!reader.failed && reader.left == 0) ||
           xtf_damaged(error, "catalog: limits do not match the schema's fields");
}

static bool check_table(const XtfCatalog *catalog, uint32_t number, GError **error)
{
    const XtfTableEntry *table = &catalog->tables[number];
    const XtfSchema *schema = table->schema < catalog->n_schemas ? catalog->schemas[table->schema] : NULL;

    if (!schema || (schema->kind != XTF_SCHEMA_TABLE && xtf_schema_kind_is_supported(schema)))
        return xtf_damaged(error, "catalog: a table has no schema");
    for (uint32_t i = 0; i < number; i++)
        if (catalog->tables[i].schema == table->schema)
            return xtf_damaged(error, "catalog: two tables have the same schema");
    if (!xtf_schema_kind_is_supported(schema))
        return true; /* no reader uses the table */
    if (table->n_rows > XTF_TABLE_MAX || table->rows.bytes > XTF_TABLE_MAX ||
        table->n_rows * schema->row_size != table->rows.bytes)
        return xtf_damaged(error, "catalog: a table's rows do not fill its chunks, or are too many");
    for (uint32_t i = 0; i < table->rows.n; i++)
        if (table->rows.chunks[i].length % schema->row_size != 0)
            return xtf_damaged(error, "catalog: a table's chunk ends within a row");
    return true;
}

bool xtf_catalog_check(const XtfCatalog *catalog, GError **error)
{
    if (catalog->n_schemas != catalog->n_counts)
        return xtf_damaged(error, "catalog: it has more counts of rows than schemas");
    for (uint32_t i = 0; i < catalog->n_tables; i++)
        if (!check_table(catalog, i, error))
            return false;
    return true;
}
