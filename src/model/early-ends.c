#include "src/model/early-ends.h"

#include "libxtf/trace.h"
#include "src/model/schemas.h"

static void clear(gpointer data)
{
    XtfEarlyEnd *end = data;

    g_free(end->why);
}

/* The number of the process in a row of the table of processes; the row where there is no such number. */
static uint32_t process_in(const XtfTable *processes, uint64_t row)
{
    const XtfField *proc = processes ? xtf_schema_field(processes->schema, "proc") : NULL;

    if (!proc || row >= processes->n_rows)
        return (uint32_t)row;
    return (uint32_t)xtf_field_get(proc, processes->rows + row * processes->schema->row_size);
}

static bool add(XtfTrace *trace, const XtfTable *processes, const XtfTable *table, const uint8_t *row, GArray *ends,
                GError **error)
{
    const XtfField *name = xtf_schema_field(table->schema, "name"), *value = xtf_schema_field(table->schema, "value"),
                   *owner = xtf_schema_field(table->schema, "owner");
    const char *key, *text;

    if (!name || !value || !owner)
        return true;
    if (!xtf_trace_string(trace, (uint32_t)xtf_field_get(name, row), &key, error))
        return false;
    if (!g_str_equal(key, XTF_RECORD_ENDED_EARLY))
        return true;
    if (!xtf_trace_string(trace, (uint32_t)xtf_field_get(value, row), &text, error))
        return false;
    const XtfEarlyEnd end = {.proc = process_in(processes, xtf_field_get(owner, row)), .why = g_strdup(text)};
    g_array_append_val(ends, end);
    return true;
}

GArray *xtf_early_ends(XtfTrace *trace, GError **error)
{
    g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(XtfEarlyEnd));
    const XtfTable *processes, *table;

    g_array_set_clear_func(ends, clear);
    if (!xtf_trace_table(trace, XTF_TABLE_PROCESSES, &processes, error) ||
        !xtf_trace_table(trace, XTF_TABLE_DEFINITION_PROPERTIES, &table, error))
        return NULL;
    for (uint64_t i = 0; table && i < table->n_rows; i++)
        if (!add(trace, processes, table, table->rows + i * table->schema->row_size, ends, error))
            return NULL;
    return g_steal_pointer(&ends);
}
