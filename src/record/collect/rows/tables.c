#include "src/record/collect/rows/tables.h"

#include <string.h>

void xtf_collect_tables_init(XtfCollectTables *tables, XtfWriter *writer)
{
    *tables = (XtfCollectTables){.writer = writer};
}

void xtf_collect_tables_finish(XtfCollectTables *tables)
{
    for (unsigned i = 0; i < XTF_N_MODEL_SCHEMAS; i++) {
        XtfCollectTable *table = &tables->tables[i];
        if (!table->schema)
            continue;
        g_byte_array_unref(table->rows);
        xtf_id_map_finish(&table->by_id);
        *table = (XtfCollectTable){0};
    }
    g_clear_error(&tables->error);
}

void xtf_collect_tables_use(XtfCollectTables *tables, unsigned tag, const XtfSchema *schema)
{
    XtfCollectTable *table = &tables->tables[tag];

    table->schema = schema;
    table->id = xtf_schema_field(table->schema, "id");
    table->rows = g_byte_array_new();
    xtf_id_map_init(&table->by_id);
}

static XtfCollectTable *table_of(XtfCollectTables *tables, unsigned tag)
{
    XtfCollectTable *table = &tables->tables[tag];

    if (!table->schema)
        xtf_collect_tables_use(tables, tag, xtf_model_schema(tag));
    return table;
}

void xtf_collect_empty_row(unsigned tag, void *row)
{
    const XtfSchema *schema = xtf_model_schema(tag);

    for (uint32_t i = 0; i < schema->n_fields; i++)
        xtf_field_set(&schema->fields[i], row, schema->fields[i].flags & XTF_FIELD_OPTIONAL ? XTF_NONE64 : 0);
}

uint32_t xtf_collect_add_row(XtfCollectTables *tables, unsigned tag, const void *row)
{
    XtfCollectTable *table = table_of(tables, tag);

    g_byte_array_append(table->rows, row, table->schema->row_size);
    return table->n_rows++;
}

uint32_t xtf_collect_new_row(XtfCollectTables *tables, unsigned tag, uint32_t id, bool *is_new)
{
    XtfCollectTable *table = table_of(tables, tag);
    uint8_t empty[XTF_ROW_MAX];
    uint32_t row;

    bool is_known = xtf_id_map_find(&table->by_id, id, &row);
    if (is_new)
        *is_new = !is_known;
    if (is_known)
        return row;
    xtf_collect_empty_row(tag, empty);
    if (table->id)
        xtf_field_set(table->id, empty, id);
    row = xtf_collect_add_row(tables, tag, empty);
    xtf_id_map_insert(&table->by_id, id, row);
    return row;
}

const void *xtf_collect_see_row(const XtfCollectTables *tables, unsigned tag, uint32_t row)
{
    const XtfCollectTable *table = &tables->tables[tag];

    return table->rows->data + (size_t)row * table->schema->row_size;
}

void *xtf_collect_change_row(XtfCollectTables *tables, unsigned tag, uint32_t row)
{
    XtfCollectTable *table = &tables->tables[tag];

    if (row < table->n_stored)
        table->n_stored = 0;
    return table->rows->data + (size_t)row * table->schema->row_size;
}

uint32_t xtf_collect_n_rows(const XtfCollectTables *tables, unsigned tag)
{
    return tables->tables[tag].n_rows;
}

void xtf_collect_set_list(XtfCollectTables *tables, unsigned tag, uint32_t row, unsigned parts_tag, const void *parts,
                          uint32_t n)
{
    struct __attribute__((packed)) {
        uint64_t first, count;
    } list = {.first = table_of(tables, parts_tag)->n_rows, .count = n};
    uint32_t part_size = table_of(tables, parts_tag)->schema->row_size;

    for (uint32_t i = 0; i < n; i++)
        xtf_collect_add_row(tables, parts_tag, (const uint8_t *)parts + (size_t)i * part_size);
    memcpy(xtf_collect_change_row(tables, tag, row), &list, sizeof list);
}

void xtf_collect_clear_table(XtfCollectTables *tables, unsigned tag)
{
    XtfCollectTable *table = table_of(tables, tag);

    g_byte_array_set_size(table->rows, 0);
    table->n_rows = table->n_stored = 0;
}

uint32_t xtf_collect_string(XtfCollectTables *tables, const char *text)
{
    uint32_t id = 0;

    if (!tables->error)
        xtf_writer_add_string(tables->writer, text, &id, &tables->error);
    return id;
}

/* Writes a table's new rows. If a stored row has changed, rewrites the whole table, since the writer cannot change
 * rows. */
static bool write_table(XtfCollectTables *tables, XtfCollectTable *table, GError **error)
{
    uint32_t schema, row_size = table->schema->row_size;

    if (!table->writer && (!xtf_writer_add_schema(tables->writer, table->schema, &schema, error) ||
                           !(table->writer = xtf_writer_table(tables->writer, schema, error))))
        return false;
    if (xtf_table_writer_n_rows(table->writer) != table->n_stored)
        xtf_table_writer_clear(table->writer);
    for (; table->n_stored < table->n_rows; table->n_stored++)
        if (!xtf_table_writer_append(table->writer, table->rows->data + (size_t)table->n_stored * row_size, NULL,
                                     error))
            return false;
    return true;
}

bool xtf_collect_tables_write(XtfCollectTables *tables, GError **error)
{
    if (tables->error) {
        g_propagate_error(error, g_error_copy(tables->error));
        return false;
    }
    for (unsigned i = 0; i < XTF_N_MODEL_SCHEMAS; i++)
        if (tables->tables[i].schema && !write_table(tables, &tables->tables[i], error))
            return false;
    return true;
}
