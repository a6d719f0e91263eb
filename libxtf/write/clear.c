/*
 * Removes all rows of arrays that are in the file: the next commit no longer names their pages and edges.
 */
#include "libxtf/schema/value-limits.h"
#include "libxtf/write/array-pages.h"

/* Resets the array to an empty one that keeps its entry in the P index. It gets a new id, so that its old
 * pages are not mistaken for pages of the new array. `search` is NULL if the pages of arrays cannot be identified. The
 * pages of a damaged array are not dropped either. */
static void clear_array(XtfWriter *writer, XtfArrayWriter *array, XtfPageSearch *search)
{
    if (search && (array->open || (!array->closed && xtf_array_writer_open_stored(array, NULL))))
        xtf_page_search_array(search, array, writer->dropped_pages);
    /* The edge of an array closed since the last commit is not in the file yet. */
    if (!g_ptr_array_remove(writer->pending[XTF_PENDING_LARGE].arrays, array) &&
        !g_ptr_array_remove(writer->pending[XTF_PENDING_SMALL].arrays, array))
        xtf_writer_drop(writer, array->edge.offset, array->edge_bytes);
    xtf_array_writer_reset(array);
    array->id = writer->next_array++;
    xtf_array_writer_update_earliest(array);
}

static void clear_arrays(XtfWriter *writer, uint32_t schema)
{
    g_auto(XtfPageSearch) search = {0};
    bool search_begun = false, search_valid = false;

    for (guint i = 0; i < writer->nodes->len; i++) {
        XtfNodeWriter *node = writer->nodes->pdata[i];
        for (uint32_t a = 0; a < node->n; a++) {
            XtfArrayWriter *array = node->entries[a].array;
            if (node->entries[a].schema != schema || array->n_rows == 0)
                continue;
            search_valid = search_begun ? search_valid : xtf_page_search_init(&search, writer);
            search_begun = true;
            clear_array(writer, array, search_valid ? &search : NULL);
            node->changed = true;
        }
        xtf_writer_trim_pools(writer, node->n);
    }
}

bool xtf_writer_clear_arrays(XtfWriter *writer, uint32_t schema, GError **error)
{
    const XtfCatalog *catalog = &writer->catalog;

    if (schema >= catalog->n_schemas || catalog->schemas[schema]->kind == XTF_SCHEMA_TABLE)
        return xtf_fail(error, XTF_ERROR_INVALID, "schema %" PRIu32 " is a table or does not exist: it has no arrays",
                        schema);
    if (writer->arrays.n_objects > UINT32_MAX - writer->next_array)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "the file has no ids for more arrays");
    clear_arrays(writer, schema);
    for (uint32_t f = 0; f < catalog->schemas[schema]->n_fields; f++)
        catalog->limits[schema][f] = xtf_limits_empty();
    writer->limits_changed[schema] = true;
    return true;
}
