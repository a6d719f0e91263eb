/*
 * The tables and the string heap of a trace. They are loaded when first needed, and held for the trace's life.
 */
#include "libxtf/disk/strings.h"
#include "libxtf/tree/items.h"

/* Reads the rows of a table from its chunks. */
static uint8_t *read_table(XtfTrace *trace, const XtfTableEntry *entry, GError **error)
{
    const char *name = trace->catalog.schemas[entry->schema]->name;
    g_autofree uint8_t *rows = xtf_trace_allocate(entry->rows.bytes, name, error);
    uint64_t at = 0;

    for (uint32_t i = 0; rows && i < entry->rows.n; i++) {
        XtfRef chunk = entry->rows.chunks[i];
        if (!xtf_trace_item_lies_within(trace->source, chunk, name, error) ||
            !xtf_trace_read_item_to(trace, chunk, name, rows + at, error))
            return NULL;
        at += chunk.length;
    }
    return g_steal_pointer(&rows);
}

bool xtf_trace_table(XtfTrace *trace, const char *name, const XtfTable **table, GError **error)
{
    const XtfSchema *schema = xtf_trace_find_schema(trace, name);
    uint32_t i = 0;

    while (i < trace->catalog.n_tables && (!schema || trace->catalog.tables[i].schema != schema->id))
        i++;
    if (i == trace->catalog.n_tables) {
        *table = NULL;
        return true;
    }

    const XtfTableEntry *entry = &trace->catalog.tables[i];
    XtfTable *loaded = &trace->tables[i];
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&trace->lock);
    if (!loaded->rows) {
        loaded->schema = trace->catalog.schemas[entry->schema];
        loaded->n_rows = entry->n_rows;
        loaded->rows = read_table(trace, entry, error);
    }
    if (loaded->rows)
        *table = loaded;
    else
        xtf_trace_explain(trace, error);
    return loaded->rows != NULL;
}

uint8_t *xtf_trace_read_table(XtfTrace *trace, const XtfTableEntry *entry, GError **error)
{
    uint8_t *rows = read_table(trace, entry, error);

    if (!rows)
        xtf_trace_explain(trace, error);
    return rows;
}

/* Returns the chunk of the string heap that holds an id, loading it when first needed; *first gets the chunk's first
 * id. */
static const uint8_t *string_chunk(XtfTrace *trace, uint32_t id, uint64_t *first, uint32_t *length, GError **error)
{
    const XtfChunks *heap = &trace->catalog.strings;
    uint32_t i = 0, end = heap->n;

    if (id >= heap->bytes) {
        xtf_damaged(error, "string %u: the id is outside of the string heap", id);
        return NULL;
    }
    while (end - i > 1) {
        uint32_t middle = i + (end - i) / 2;
        if (trace->string_starts[middle] <= id)
            i = middle;
        else
            end = middle;
    }
    *first = trace->string_starts[i];
    *length = heap->chunks[i].length;
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&trace->lock);
    if (!trace->strings[i])
        trace->strings[i] = xtf_trace_read_item(trace, heap->chunks[i], "strings", error);
    if (!trace->strings[i])
        xtf_trace_explain(trace, error);
    return trace->strings[i];
}

bool xtf_trace_string(XtfTrace *trace, uint32_t string, const char **text, GError **error)
{
    if (string == 0) {
        *text = "";
        return true;
    }
    uint64_t first;
    uint32_t size, length;
    const char *fault = NULL;
    const uint8_t *chunk = string_chunk(trace, string, &first, &size, error);
    if (!chunk)
        return false;
    return xtf_strings_get(chunk, size, string - first, text, &length, &fault) ||
           xtf_damaged(error, "string %u: %s", string, fault);
}
