/*
 * Replaces the schema of rows that are derived from other rows and are written anew.
 */
#include "libxtf/error.h"
#include "libxtf/references.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/schema/value-limits.h"
#include "libxtf/write/chunk-writer.h"
#include "libxtf/write/writer-private.h"

static bool refers_to(const XtfSchema *schema, const char *table)
{
    g_autoptr(GArray) references = xtf_schema_references(schema);

    for (guint i = 0; i < references->len; i++)
        if (g_strcmp0(xtf_reference_at(references, i)->table, table) == 0)
            return true;
    return false;
}

static bool may_replace(const XtfCatalog *catalog, const XtfSchema *old, const XtfSchema *schema, GError **error)
{
    bool table = old->kind == XTF_SCHEMA_TABLE;

    if (old->kind != schema->kind || (!table && old->kind != XTF_SCHEMA_DERIVED))
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "schema \"%s\": only tables and derived schemas can be replaced, by one of the same kind",
                        old->name);
    for (uint32_t i = 0; table && i < catalog->n_schemas; i++) {
        const XtfSchema *candidate = catalog->schemas[i];
        if (candidate != old && candidate->kind != XTF_SCHEMA_DERIVED && refers_to(candidate, old->name))
            return xtf_fail(error, XTF_ERROR_INVALID, "rows of \"%s\" refer to table \"%s\", which cannot be replaced",
                            candidate->name, old->name);
    }
    return true;
}

/* Clears the derived rows that refer to a table, because the table's rows are about to change. */
static bool clear_referring(XtfWriter *writer, const XtfSchema *table, GError **error)
{
    const XtfCatalog *catalog = &writer->catalog;

    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        const XtfSchema *candidate = catalog->schemas[i];
        if (candidate->kind == XTF_SCHEMA_DERIVED && refers_to(candidate, table->name) &&
            !xtf_writer_clear_arrays(writer, i, error))
            return false;
    }
    return true;
}

static bool clear_rows(XtfWriter *writer, const XtfSchema *old, GError **error)
{
    if (old->kind != XTF_SCHEMA_TABLE)
        return xtf_writer_clear_arrays(writer, old->id, error);
    XtfTableWriter *table = xtf_writer_table(writer, old->id, error);
    if (!table || !clear_referring(writer, old, error))
        return false;
    xtf_table_writer_clear(table);
    return true;
}

/* Gives the arrays and the table of the old schema the new one. They are empty, so none of their content depends on the
 * old schema. */
static void switch_schema(XtfWriter *writer, const XtfSchema *old, const XtfSchema *schema)
{
    XtfArrayWriter *array;
    XtfObjectIter arrays;

    xtf_object_iter_init(&arrays, &writer->arrays);
    while ((array = xtf_object_iter_next(&arrays))) {
        if (array->schema == old)
            array->schema = schema;
    }
    for (guint i = 0; i < writer->tables->len; i++) {
        XtfTableWriter *table = writer->tables->pdata[i];
        if (table->schema == old)
            table->schema = schema;
    }
}

void xtf_writer_encode_schemas(XtfWriter *writer)
{
    g_byte_array_set_size(writer->schema_rows.bytes, 0);
    g_array_set_size(writer->schema_rows.starts, 0);
    writer->schema_rows.stored = 0;
    for (uint32_t i = 0; i < writer->catalog.n_schemas; i++) {
        xtf_chunk_writer_begin_unit(&writer->schema_rows);
        xtf_schema_encode(writer->catalog.schemas[i], writer->schema_rows.bytes);
    }
}

static XtfSchema *find_schema(const XtfCatalog *catalog, const char *name)
{
    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        if (g_str_equal(catalog->schemas[i]->name, name))
            return catalog->schemas[i];
    }
    return NULL;
}

bool xtf_writer_replace_schema(XtfWriter *writer, const XtfSchema *schema, uint32_t *id, GError **error)
{
    XtfCatalog *catalog = &writer->catalog;
    XtfSchema *old = find_schema(catalog, schema->name);

    if (!old)
        return xtf_writer_add_schema(writer, schema, id, error);
    if (!xtf_schema_validate(schema, error) || !xtf_schema_encodable(schema, error) ||
        !may_replace(catalog, old, schema, error) || !clear_rows(writer, old, error))
        return false;
    *id = old->id;
    if (xtf_schema_equal(old, schema))
        return true;
    XtfSchema *copy = xtf_schema_copy(schema);
    copy->id = old->id;
    switch_schema(writer, old, copy);
    catalog->schemas[copy->id] = copy;
    catalog->limits[copy->id] = g_renew(XtfLimits, catalog->limits[copy->id], copy->n_fields);
    for (uint32_t f = 0; f < copy->n_fields; f++)
        catalog->limits[copy->id][f] = xtf_limits_empty();
    writer->limits_changed[copy->id] = true;
    xtf_writer_encode_schemas(writer);
    xtf_schema_free(old);
    return true;
}
