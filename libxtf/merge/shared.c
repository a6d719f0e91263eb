/*
 * Anchors of parts that share their tables: no row is compared with another.
 */
#include <string.h>

#include "libxtf/disk/strings.h"
#include "libxtf/merge/join-private.h"
#include "libxtf/merge/merge-private.h"
#include "libxtf/trace.h"

static const XtfMergeRows *find_rows(const XtfMergeRows *all, size_t n, const char *table)
{
    for (size_t i = 0; i < n; i++)
        if (g_str_equal(all[i].table, table))
            return &all[i];
    return NULL;
}

/* Copies the rows of a table of the first part, with their numbers and ids of strings. */
static void copy_table_rows(const XtfTable *table, XtfJoinedTable *to)
{
    to->n_rows = (uint32_t)table->n_rows;
    g_byte_array_append(to->rows, table->rows, to->n_rows * to->schema->row_size);
}

/* Copies the strings of the first part, with their ids. The heap has the first, empty one. */
static bool copy_strings(GByteArray *heap, XtfTrace *trace, GError **error)
{
    uint64_t id = heap->len;

    while (id < trace->catalog.strings.bytes) {
        const char *text;
        uint32_t copied;
        if (!xtf_trace_string(trace, (uint32_t)id, &text, error))
            return false;
        if (!xtf_strings_add(heap, text, &copied) || copied != id)
            return xtf_damaged(error, "string %" PRIu64 " does not begin where the previous one ends", id);
        id = xtf_strings_next(id, (uint32_t)strlen(text));
    }
    return true;
}

/* Numbers the rows of a part's table: as `rows` says, or as they are in the first part. */
static bool number_rows(const XtfJoinedTable *to, uint64_t n, const XtfMergeRows *rows, uint32_t **numbers,
                        GError **error)
{
    g_autofree uint32_t *numbered = g_new(uint32_t, n);

    if (rows && rows->n != n)
        return xtf_fail(error, XTF_ERROR_INVALID, "table \"%s\" has %" PRIu64 " rows, not %u", to->schema->name, n,
                        rows->n);
    for (uint64_t i = 0; i < n; i++) {
        numbered[i] = rows ? rows->rows[i] : (uint32_t)i;
        if (numbered[i] >= to->n_rows)
            return xtf_fail(error, XTF_ERROR_INVALID, "table \"%s\": the first part has no row %u", to->schema->name,
                            numbered[i]);
    }
    *numbers = g_steal_pointer(&numbered);
    return true;
}

bool xtf_merge_share_tables(const XtfMerge *merge, XtfTrace *trace, XtfPartMap *map, GError **error)
{
    const XtfMergePart *about = &merge->shared[merge->parts->len];
    bool is_first = merge->parts->len == 0;

    if (is_first && !copy_strings(merge->join->strings, trace, error))
        return false;
    for (uint32_t i = 0; i < map->n_schemas; i++) {
        const XtfSchema *schema = xtf_trace_schema(trace, i);
        uint32_t id = map->schemas[i];
        XtfJoinedTable *to = merge->join->tables->pdata[id];
        const XtfTable *table;
        if (!to)
            continue;
        if (!xtf_trace_table(trace, schema->name, &table, error))
            return false;
        if (is_first && table)
            copy_table_rows(table, to);
        map->n_rows[id] = table ? (uint32_t)table->n_rows : 0;
        if (!number_rows(to, map->n_rows[id], find_rows(about->rows, about->n_rows, schema->name), &map->rows[id],
                         error))
            return false;
    }
    return true;
}
