#include "tests/torture/all-rows.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    XtfTrace *trace;
    AddBytes add;
    void *data;
} Visit;

/* Adds a row, and the texts of its strings. */
static bool add_row(const Visit *visit, const XtfSchema *schema, const uint8_t *row, GError **error)
{
    visit->add(visit->data, row, schema->row_size);
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        const XtfField *field = &schema->fields[f];
        const char *text;
        if (field->type != XTF_TYPE_STRING || xtf_field_is_none(field, row))
            continue;
        if (!xtf_trace_string(visit->trace, (uint32_t)xtf_field_get(field, row), &text, error))
            return false;
        visit->add(visit->data, text, strlen(text));
    }
    return true;
}

static bool add_array(const Visit *visit, const XtfArray *array, GError **error)
{
    g_autofree char *head =
        g_strdup_printf("%" PRIu64 " %s %" PRIu64, array->location, array->schema->name, array->n_rows);
    g_auto(XtfCursor) cursor;
    bool found;

    visit->add(visit->data, head, strlen(head));
    xtf_cursor_init(&cursor, array);
    bool good = xtf_cursor_seek_n(&cursor, 0, &found, error);
    while (good && found)
        good =
            add_row(visit, array->schema, xtf_cursor_row(&cursor), error) && xtf_cursor_next(&cursor, 1, &found, error);
    return good;
}

static bool add_tables(const Visit *visit, GError **error)
{
    for (uint32_t id = 0; id < xtf_trace_n_schemas(visit->trace); id++) {
        const XtfSchema *schema = xtf_trace_schema(visit->trace, id);
        const XtfTable *table = NULL;
        if (schema->kind == XTF_SCHEMA_TABLE && !xtf_trace_table(visit->trace, schema->name, &table, error))
            return false;
        for (uint64_t row = 0; table && row < table->n_rows; row++)
            if (!add_row(visit, schema, table->rows + row * schema->row_size, error))
                return false;
    }
    return true;
}

bool all_rows_visit(XtfTrace *trace, AddBytes add, void *data, GError **error)
{
    const Visit visit = {.trace = trace, .add = add, .data = data};
    uint64_t n = xtf_trace_n_arrays(trace);
    XtfArray array;

    for (uint64_t i = 0; i < n; i++)
        if (!xtf_trace_get_arrays(trace, i, 1, &array, error) || !add_array(&visit, &array, error))
            return false;
    return add_tables(&visit, error);
}
