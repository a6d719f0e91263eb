#include "src/cli/trace/copy-trace.h"

#include "libxtf/array.h"

typedef struct {
    XtfTrace *trace;
    XtfWriter *writer;
    const XtfCopyOptions *options;
    uint64_t done, total; /* rows of arrays */
    GHashTable *strings;  /* ids in the trace -> ids in the copy, plus 1 */
} Copy;

/* The copy's id of a string of the trace. */
static bool copy_string(Copy *copy, uint32_t there, uint32_t *here, GError **error)
{
    gpointer known = g_hash_table_lookup(copy->strings, GUINT_TO_POINTER(there));
    const char *text;

    if (known) {
        *here = GPOINTER_TO_UINT(known) - 1;
        return true;
    }
    if (!xtf_trace_string(copy->trace, there, &text, error) || !xtf_writer_add_string(copy->writer, text, here, error))
        return false;
    g_hash_table_insert(copy->strings, GUINT_TO_POINTER(there), GUINT_TO_POINTER(*here + 1));
    return true;
}

/* The row as the copy has it: its strings may have other ids. */
static bool copy_row(Copy *copy, const XtfSchema *schema, const uint8_t *row, uint8_t *to, GError **error)
{
    memcpy(to, row, schema->row_size);
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        const XtfField *field = &schema->fields[f];
        uint32_t id;
        if (field->type != XTF_TYPE_STRING || xtf_field_is_none(field, row))
            continue;
        if (!copy_string(copy, (uint32_t)xtf_field_get(field, row), &id, error))
            return false;
        xtf_field_set(field, to, id);
    }
    return true;
}

static bool has_strings(const XtfSchema *schema)
{
    for (uint32_t f = 0; f < schema->n_fields; f++)
        if (schema->fields[f].type == XTF_TYPE_STRING)
            return true;
    return false;
}

static bool append(Copy *copy, XtfArrayWriter *to, const XtfSchema *schema, const uint8_t *rows, uint64_t count,
                   GError **error)
{
    bool strings = has_strings(schema);
    uint8_t own[XTF_ROW_MAX];

    for (uint64_t i = 0; i < count; i++, rows += schema->row_size) {
        if (strings && !copy_row(copy, schema, rows, own, error))
            return false;
        if (!xtf_array_writer_append(to, strings ? own : rows, error))
            return false;
    }
    return true;
}

/* After each leaf. */
static bool go_on(Copy *copy, GError **error)
{
    const XtfCopyOptions *options = copy->options;

    options->progress(copy->done, copy->total, options->progress_data);
    return !atomic_load(options->cancel) || xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
}

static bool copy_array(Copy *copy, const XtfArray *array, GError **error)
{
    XtfArrayWriter *to = xtf_writer_array(copy->writer, array->location, array->schema->id, error);
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, array);
    if (!to || !xtf_cursor_seek_n(&cursor, 0, &found, error))
        return false;
    while (found) {
        uint64_t n = xtf_cursor_available(&cursor);
        if (!append(copy, to, array->schema, xtf_cursor_row(&cursor), n, error))
            return false;
        copy->done += n;
        if (!go_on(copy, error) || !xtf_cursor_next(&cursor, (int64_t)n, &found, error))
            return false;
    }
    return xtf_array_writer_close(to, error);
}

static bool copy_arrays(Copy *copy, GError **error)
{
    for (uint64_t rank = 0; rank < xtf_trace_n_arrays(copy->trace); rank++) {
        XtfArray array;
        if (!xtf_trace_get_arrays(copy->trace, rank, 1, &array, error) || !copy_array(copy, &array, error))
            return false;
    }
    return true;
}

static bool copy_schemas(Copy *copy, GError **error)
{
    for (uint32_t i = 0; i < xtf_trace_n_schemas(copy->trace); i++) {
        const XtfSchema *schema = xtf_trace_schema(copy->trace, i);
        uint32_t id;
        if (!xtf_writer_add_schema(copy->writer, schema, &id, error))
            return false;
        if (id != i) /* ids are given in the order of adding */
            return xtf_fail(error, XTF_ERROR_DAMAGED, "schema \"%s\" is there twice", schema->name);
        if (schema->kind != XTF_SCHEMA_TABLE)
            copy->total += xtf_trace_n_rows(copy->trace, i);
    }
    return true;
}

static bool copy_table(Copy *copy, const XtfTable *table, GError **error)
{
    XtfTableWriter *to = xtf_writer_table(copy->writer, table->schema->id, error);
    uint8_t row[XTF_ROW_MAX];

    for (uint64_t i = 0; to && i < table->n_rows; i++)
        if (!copy_row(copy, table->schema, table->rows + i * table->schema->row_size, row, error) ||
            !xtf_table_writer_append(to, row, NULL, error))
            return false;
    return to;
}

static bool copy_tables(Copy *copy, GError **error)
{
    for (uint32_t i = 0; i < xtf_trace_n_schemas(copy->trace); i++) {
        const XtfSchema *schema = xtf_trace_schema(copy->trace, i);
        const XtfTable *table = NULL;
        if (schema->kind == XTF_SCHEMA_TABLE && !xtf_trace_table(copy->trace, schema->name, &table, error))
            return false;
        if (table && !copy_table(copy, table, error))
            return false;
    }
    return true;
}

bool xtf_copy_trace(XtfTrace *trace, XtfWriter *writer, const XtfCopyOptions *options, GError **error)
{
    g_autoptr(GHashTable) strings = g_hash_table_new(NULL, NULL);
    Copy copy = {.trace = trace, .writer = writer, .options = options, .strings = strings};

    return copy_schemas(&copy, error) && copy_tables(&copy, error) && copy_arrays(&copy, error);
}
