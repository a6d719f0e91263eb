#include "src/network/tables/clusters.h"

#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"

GArray *xtf_link_portions(XtfTrace *trace, GError **error)
{
    g_autoptr(GArray) portions = g_array_new(FALSE, FALSE, sizeof(XtfLinkPortion));
    const XtfTable *table;

    if (!xtf_trace_table(trace, XTF_TABLE_PORTIONS, &table, error))
        return NULL;
    const XtfField *from = table ? xtf_schema_field(table->schema, "from") : NULL;
    const XtfField *to = table ? xtf_schema_field(table->schema, "to") : NULL;
    const XtfField *matrices = table ? xtf_schema_field(table->schema, "matrices") : NULL;
    const XtfField *clusters = table ? xtf_schema_field(table->schema, "clusters") : NULL;
    for (uint64_t i = 0; from && to && matrices && clusters && i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        const XtfLinkPortion portion = {.from = xtf_field_get(from, row),
                                        .to = xtf_field_get(to, row),
                                        .matrices = (uint32_t)xtf_field_get(matrices, row),
                                        .clusters = (uint32_t)xtf_field_get(clusters, row)};
        g_array_append_val(portions, portion);
    }
    return g_steal_pointer(&portions);
}

const XtfLinkPortion *xtf_link_portion_of(const GArray *portions, uint64_t length, GError **error)
{
    for (guint i = 0; i < portions->len; i++) {
        const XtfLinkPortion *portion = &g_array_index(portions, XtfLinkPortion, i);
        if (portion->from <= length && length < portion->to)
            return portion;
    }
    xtf_fail(error, XTF_ERROR_NOT_FOUND, "no portion has messages of %" PRIu64 " bytes: see clusters/portions", length);
    return NULL;
}

typedef struct {
    const XtfField *peer, *cluster;
} Fields;

/* Reads the clusters of a sender's pairs: its rows at the first length of the portion. */
static bool read_sender_clusters(const XtfArray *array, const Fields *fields, const XtfLinkSides *sides,
                                 uint64_t length, uint32_t *clusters, GError **error)
{
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, array);
    if (!xtf_cursor_seek_t(&cursor, length, &found, error))
        return false;
    while (found && xtf_cursor_time(&cursor) == length) {
        const uint8_t *row = xtf_cursor_row(&cursor);
        uint32_t receiver = xtf_link_receiver(sides, xtf_field_get(fields->peer, row));
        if (receiver != UINT32_MAX)
            clusters[receiver] = (uint32_t)xtf_field_get(fields->cluster, row);
        if (!xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    return true;
}

uint32_t *xtf_link_clusters(XtfTrace *trace, const XtfLinkSides *sides, const XtfLinkPortion *portion, uint32_t first,
                            uint32_t n, GError **error)
{
    const XtfSchema *schema = xtf_trace_find_schema(trace, XTF_SIDE_LINK_CLUSTERS);
    const Fields fields = {.peer = schema ? xtf_schema_field_by_role(schema, XTF_ROLE_PEER) : NULL,
                           .cluster = schema ? xtf_schema_field(schema, "cluster") : NULL};
    g_autofree uint32_t *clusters = g_try_new(uint32_t, (size_t)n * sides->n_receivers + 1);

    if (!clusters) {
        xtf_links_fail_too_large(sides, error);
        return NULL;
    }
    memset(clusters, 0xff, (size_t)n * sides->n_receivers * sizeof *clusters);
    for (uint32_t s = 0; s < n && fields.peer && fields.cluster; s++) {
        const XtfLocation *sender = &sides->locations->all[g_array_index(sides->senders, uint32_t, first + s)];
        XtfArray array;
        bool found;
        if (!xtf_trace_find_array(trace, sender->id, schema->id, &array, &found, error) ||
            (found && !read_sender_clusters(&array, &fields, sides, portion->from,
                                            clusters + (size_t)s * sides->n_receivers, error)))
            return NULL;
    }
    return g_steal_pointer(&clusters);
}
