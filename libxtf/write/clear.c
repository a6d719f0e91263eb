/*
 * Taking all rows out of arrays that a file has: their pages and edges are named no more by the next commit.
 */
#include "libxtf/schema/value-limits.h"
#include "libxtf/write/array-pages.h"

/* The array is as new, but for its place in the P index. A new id keeps its old pages from being taken for its own.
 * `search` is NULL if nobody knows its pages; those of an array that is damaged are not known either. */
static void clear_array(XtfWriter *writer, XtfArrayWriter *array, XtfPageSearch *search)
{
    if (search && (array->open || (!array->closed && xtf_array_writer_wake(array, NULL))))
        xtf_page_search_array(search, array, writer->dropped_pages);
    /* The edge of one that was closed since the last commit is not in the file yet. */
    if (!g_ptr_array_remove(writer->pending_arrays, array))
        xtf_writer_drop(writer, array->edge.offset, array->edge_bytes);
    xtf_array_writer_reset(array);
    array->id = writer->next_array++;
    xtf_array_writer_hold_to_promise(array);
}

static void clear_arrays(XtfWriter *writer, uint32_t schema)
{
    g_auto(XtfPageSearch) search = {0};
    bool begun = false, with_pages = false;

    for (guint i = 0; i < writer->nodes->len; i++) {
        XtfNodeWriter *node = writer->nodes->pdata[i];
        for (uint32_t a = 0; a < node->n; a++) {
            XtfArrayWriter *array = node->entries[a].array;
            if (node->entries[a].schema != schema || array->n_rows == 0)
                continue;
            with_pages = begun ? with_pages : xtf_page_search_init(&search, writer);
            begun = true;
            clear_array(writer, array, with_pages ? &search : NULL);
            node->changed = true;
        }
        xtf_writer_rest_sometimes(writer, node->n);
    }
}

bool xtf_writer_clear_arrays(XtfWriter *writer, uint32_t schema, GError **error)
{
    const XtfCatalog *catalog = &writer->catalog;

    if (schema >= catalog->n_schemas || catalog->schemas[schema]->kind == XTF_SCHEMA_TABLE)
        return xtf_fail(error, XTF_ERROR_INVALID, "schema %" PRIu32 " is of no arrays", schema);
    if (writer->arrays.n_objects > UINT32_MAX - writer->next_array)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "the file has no ids for more arrays");
    clear_arrays(writer, schema);
    for (uint32_t f = 0; f < catalog->schemas[schema]->n_fields; f++)
        catalog->limits[schema][f] = xtf_limits_empty();
    writer->limits_changed[schema] = true;
    return true;
}
