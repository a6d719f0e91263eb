/*
 * Right edges in memory, of new arrays or read from the file of another writer.
 */
#include "libxtf/tree/leaf.h"
#include "libxtf/write/writer-private.h"

XtfOpenEdge *xtf_open_edge_new(const XtfArrayWriter *array)
{
    const XtfWriter *writer = array->writer;
    XtfOpenEdge *open = g_new0(XtfOpenEdge, 1);

    open->aggregates = xtf_aggregate_writer_new(array->schema, (XtfCodecId)array->codec);
    xtf_leaf_writer_init(&open->leaf, array->schema, (XtfCodecId)array->codec, writer->level,
                         xtf_page_room(writer->page_size));
    return open;
}

void xtf_open_edge_free(XtfOpenEdge *open, unsigned height)
{
    if (!open)
        return;
    for (unsigned i = 0; open->levels && i < height; i++)
        g_free(open->levels[i].page);
    g_free(open->levels);
    xtf_leaf_writer_finish(&open->leaf);
    xtf_pieces_encoder_finish(&open->pieces);
    xtf_aggregate_writer_free(open->aggregates);
    g_free(open);
}

/* ---- Opening the stored edge of an array. */

XtfArray xtf_array_writer_stored(const XtfArrayWriter *array)
{
    return (XtfArray){
        .schema = array->schema,
        .location = array->location,
        .n_rows = array->n_rows,
        .local_first = array->first,
        .local_last = array->last,
        .id = array->id,
        .edge_offset = array->edge.offset,
        .edge_length = array->edge.length,
        .edge_checksum = array->edge.checksum,
        .height = array->height,
        .codec = array->codec,
        .segment = array->segment,
        .clock_map = array->clock_map,
        .joined = array->joined,
    };
}

/* Returns the array as readers of the file see it, but with local times and without a clock map. */
static XtfArray array_in_file(const XtfArrayWriter *array)
{
    XtfTrace *trace = array->writer->resumed;
    XtfArray stored = xtf_array_writer_stored(array);

    stored.trace = trace;
    stored.schema = trace->catalog.schemas[array->schema->id];
    stored.first = array->first;
    stored.last = array->last;
    stored.segment = stored.clock_map = 0;
    return stored;
}

/* Restores the open index pages, and the places of the open leaf. */
static void open_levels(XtfOpenEdge *open, const XtfArray *stored, const XtfBlock *edge)
{
    open->levels = g_new0(XtfLevel, stored->height);
    for (unsigned i = 0; i < stored->height; i++) {
        XtfLevel *level = &open->levels[i];
        XtfEdgeLevel from = xtf_edge_level(edge->data, stored->height, i);
        *level = (XtfLevel){.first_n = from.first_n, .place = from.place, .previous = from.previous};
        if (i > 0) {
            level->allotted = (uint32_t)sizeof(XtfDiskPage) + from.length;
            level->count = from.count;
            level->page = g_malloc0(level->allotted);
            memcpy(level->page + sizeof(XtfDiskPage), from.payload, from.length);
        }
    }
}

static bool open_leaf(XtfOpenEdge *open, const XtfArray *stored, XtfBlock *edge, GError **error)
{
    g_auto(XtfPageView) leaf = {0};

    if (!xtf_leaf_get_open(stored, edge, XTF_LEAF_ROWS, &leaf, error))
        return false;
    xtf_leaf_writer_resume(&open->leaf, leaf.payload, leaf.count, xtf_edge_level(edge->data, stored->height, 0).length);
    return true;
}

bool xtf_array_writer_open_stored(XtfArrayWriter *array, GError **error)
{
    const XtfArray stored = array_in_file(array);
    g_autoptr(XtfBlock) edge = xtf_edge_get(&stored, error);
    XtfOpenEdge *open = edge ? xtf_open_edge_new(array) : NULL;

    if (open) {
        open_levels(open, &stored, edge);
        if (open_leaf(open, &stored, edge, error) && xtf_aggregate_writer_resume(open->aggregates, &stored, error)) {
            array->open = open;
            return true;
        }
        xtf_open_edge_free(open, stored.height);
    }
    g_prefix_error(error, "%s: ", array->writer->path);
    return false;
}
