/*
 * Going on with a file that another writer closed, or left when it died.
 *
 * The last whole commit is read back with the reader's own rooms, and every array's right edge becomes open levels
 * again. What a dead writer put behind that commit is no part of the trace; its pages are written over in time, and the
 * new epoch tells them from live ones meanwhile.
 */
#include <unistd.h>

#include "libxtf/tree/search.h"
#include "libxtf/write/writer-private.h"

/* The open index pages, and what the open leaf is named by. */
static void resume_levels(XtfArrayWriter *array, const XtfArray *stored, const XtfBlock *edge)
{
    const XtfDiskEdge *edges = (const XtfDiskEdge *)edge->data;
    const uint8_t *payload = edge->data + stored->height * sizeof *edges;

    array->height = stored->height;
    array->levels = g_new0(XtfLevel, stored->height);
    for (unsigned i = 0; i < stored->height; i++) {
        XtfLevel *level = &array->levels[i];
        uint32_t length = xtf_read32(edges[i].length);
        *level = (XtfLevel){
            .first_n = xtf_read64(edges[i].first_n),
            .place = xtf_read64(edges[i].place),
            .previous = xtf_read64(edges[i].previous),
        };
        if (i > 0) {
            level->allotted = (uint32_t)sizeof(XtfDiskPage) + length;
            level->count = xtf_read32(edges[i].count);
            level->page = g_malloc0(level->allotted);
            memcpy(level->page + sizeof(XtfDiskPage), payload, length);
        }
        payload += length;
    }
}

/* Takes over the pin of the edge. */
static bool resume_leaf(XtfArrayWriter *array, const XtfArray *stored, XtfBlock *edge, GError **error)
{
    uint32_t length = xtf_read32(((const XtfDiskEdge *)edge->data)->length);
    XtfPageView leaf;

    if (!xtf_leaf_get_open(stored, edge, XTF_LEAF_ROWS, &leaf, error))
        return false;
    xtf_leaf_writer_resume(&array->leaf, leaf.payload, leaf.count, length);
    xtf_cache_put(stored->trace->cache, leaf.block);
    return true;
}

static bool resume_array(XtfWriter *writer, const XtfArray *stored, GError **error)
{
    XtfArrayWriter *array = xtf_writer_array(writer, stored->location, stored->schema->id, error);
    XtfBlock *edge = array ? xtf_edge_get(stored, error) : NULL;
    if (!edge)
        return false;

    xtf_array_writer_set_codec(array, stored->codec);
    array->id = stored->id;
    array->n_rows = stored->n_rows;
    array->first = stored->first;
    array->last = stored->last;
    array->edge = (XtfRef){stored->edge_offset, stored->edge_length, stored->edge_checksum};
    writer->next_array = MAX(writer->next_array, stored->id + 1);
    resume_levels(array, stored, edge);
    return resume_leaf(array, stored, edge, error) && xtf_aggregate_writer_resume(array->aggregates, stored, error);
}

static bool resume_arrays(XtfWriter *writer, XtfTrace *trace, GError **error)
{
    for (uint64_t rank = 0; rank < xtf_trace_n_arrays(trace); rank++) {
        XtfArray array;
        if (!xtf_trace_get_arrays(trace, rank, 1, &array, error) || !resume_array(writer, &array, error))
            return false;
    }
    return true;
}

static bool resume_schemas(XtfWriter *writer, XtfTrace *trace, GError **error)
{
    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++) {
        uint32_t id;
        if (!xtf_writer_add_schema(writer, xtf_trace_schema(trace, i), &id, error))
            return false;
        memcpy(writer->catalog.limits[id], trace->catalog.limits[i],
               xtf_trace_schema(trace, i)->n_fields * sizeof(XtfLimits));
    }
    return true;
}

static bool resume_tables(XtfWriter *writer, XtfTrace *trace, GError **error)
{
    for (uint32_t i = 0; i < trace->catalog.n_tables; i++) {
        const XtfTableEntry *entry = &trace->catalog.tables[i];
        const XtfTable *stored;
        if (!xtf_trace_table(trace, trace->catalog.schemas[entry->schema]->name, &stored, error))
            return false;
        XtfTableWriter *table = xtf_writer_table(writer, entry->schema, error);
        if (!table)
            return false;
        g_byte_array_append(table->rows, stored->rows, entry->rows.length);
        table->n_rows = stored->n_rows;
        table->stored = entry->rows;
        table->changed = false;
    }
    return true;
}

/* The heap as it is, and the ids of the strings in it. */
static bool resume_strings(XtfWriter *writer, XtfTrace *trace, GError **error)
{
    uint64_t size = trace->catalog.strings.length, at = 5; /* behind "" */
    const char *text;

    if (size < at)
        return xtf_damaged(error, "the heap of strings has no beginning");
    while (at < size) {
        if (!xtf_trace_string(trace, (uint32_t)at, &text, error))
            return false;
        g_hash_table_insert(writer->string_ids, g_strdup(text), GUINT_TO_POINTER((guint)at));
        at += 4 + strlen(text) + 1;
    }
    if (size > 5) {
        xtf_trace_string(trace, 5, &text, NULL); /* so the heap is loaded */
        g_byte_array_append(writer->strings, trace->strings, (guint)size);
    } else {
        g_byte_array_append(writer->strings, (const guint8[]){0, 0, 0, 0, 0}, 5);
    }
    writer->strings_stored = trace->catalog.strings;
    return true;
}

static bool resume(XtfWriter *writer, XtfTrace *trace, GError **error)
{
    const XtfTraceInfo *info = &trace->superblock.info;

    if (trace->catalog.n_segments != 1) {
        g_set_error_literal(error, XTF_ERROR, XTF_ERROR_UNSUPPORTED, "a merged file can't be gone on with");
        return false;
    }
    writer->page_size = info->page_size;
    writer->epoch = info->epoch + 1;
    writer->commit = info->commit;
    writer->pages = info->pages;
    writer->segment = trace->catalog.segments[0].id;
    memcpy(writer->file_id, info->file_id, sizeof writer->file_id);
    writer->incompatible = trace->superblock.incompatible;
    writer->catalog.clock = trace->catalog.clock;
    writer->origin = trace->catalog.clock.origin;
    writer->last_commit_bytes = 0;
    return resume_schemas(writer, trace, error) && resume_strings(writer, trace, error) &&
           resume_tables(writer, trace, error) && resume_arrays(writer, trace, error);
}

XtfWriter *xtf_writer_open(const char *path, const XtfWriterOptions *options, GError **error)
{
    int fd = xtf_writer_open_file(path, 0, error);
    if (fd < 0)
        return NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, error);
    if (!trace) {
        close(fd);
        return NULL;
    }
    XtfWriter *writer = xtf_writer_new_empty(fd, path);
    if (xtf_writer_set_options(writer, options, error) && resume(writer, trace, error))
        return writer;
    g_prefix_error(error, "%s: ", path);
    xtf_writer_abort(writer);
    return NULL;
}
