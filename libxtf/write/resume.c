/*
 * Going on with a file that another writer closed, or left when it died.
 *
 * The last whole commit is read back as a reader does, and every array's right edge becomes open levels again. Pages
 * that a dead writer put behind that commit are no part of the trace; they are written over in time, and until then the
 * new epoch distinguishes them from live ones.
 */
#include "libxtf/disk/strings.h"
#include "libxtf/tree/leaf.h"
#include "libxtf/write/writer-private.h"

/* The open index pages, and the places of the open leaf. */
static void resume_levels(XtfArrayWriter *array, const XtfArray *stored, const XtfBlock *edge)
{
    array->height = stored->height;
    array->levels = g_new0(XtfLevel, stored->height);
    for (unsigned i = 0; i < stored->height; i++) {
        XtfLevel *level = &array->levels[i];
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

static bool resume_leaf(XtfArrayWriter *array, const XtfArray *stored, XtfBlock *edge, GError **error)
{
    g_auto(XtfPageView) leaf = {0};

    if (!xtf_leaf_get_open(stored, edge, XTF_LEAF_ROWS, &leaf, error))
        return false;
    xtf_leaf_writer_resume(&array->leaf, leaf.payload, leaf.count,
                           xtf_edge_level(edge->data, stored->height, 0).length);
    return true;
}

/* `stored` has local times, as a writer does. */
static bool resume_array(XtfWriter *writer, const XtfArray *stored, GError **error)
{
    XtfArrayWriter *array = xtf_writer_array(writer, stored->location, stored->schema->id, error);
    g_autoptr(XtfBlock) edge = array ? xtf_edge_get(stored, error) : NULL;
    if (!edge)
        return false;

    xtf_array_writer_set_codec(array, (XtfCodecId)stored->codec);
    array->id = stored->id;
    array->n_rows = stored->n_rows;
    array->first = stored->first;
    array->last = stored->last;
    array->edge = (XtfRef){stored->edge_offset, stored->edge_length, stored->edge_checksum};
    xtf_writer_clocks_resume_array(writer, array, stored->clock_map);
    writer->next_array = MAX(writer->next_array, stored->id + 1);
    resume_levels(array, stored, edge);
    return resume_leaf(array, stored, edge, error) && xtf_aggregate_writer_resume(array->aggregates, stored, error);
}

static bool resume_arrays(XtfWriter *writer, XtfTrace *trace, GError **error)
{
    for (uint64_t rank = 0; rank < xtf_trace_n_arrays(trace); rank++) {
        XtfArray array;
        if (!xtf_trace_get_arrays(trace, rank, 1, &array, error))
            return false;
        array = xtf_array_local(&array);
        if (!resume_array(writer, &array, error))
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
    const char *text;
    uint64_t size = trace->catalog.strings.length, id = 0;

    if (size < xtf_strings_next(0, 0))
        return xtf_damaged(error, "the heap of strings has no beginning");
    /* "" is in every heap, but asking for it does not load one. */
    if (size == xtf_strings_next(0, 0)) {
        xtf_strings_encode(writer->strings);
    } else {
        while ((id = xtf_strings_next(id, id > 0 ? (uint32_t)strlen(text) : 0)) < size) {
            if (!xtf_trace_string(trace, (uint32_t)id, &text, error))
                return false;
            g_hash_table_insert(writer->string_ids, g_strdup(text), GUINT_TO_POINTER((guint)id));
        }
        g_byte_array_append(writer->strings, trace->strings, (guint)size);
    }
    writer->strings_stored = trace->catalog.strings;
    return true;
}

static bool resume(XtfWriter *writer, XtfTrace *trace, GError **error)
{
    const XtfTraceInfo *info = &trace->superblock.info;
    const XtfClock *clock = &trace->catalog.clock;

    if (trace->catalog.n_segments != 1)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "a merged file cannot be written to");
    writer->page_size = info->page_size;
    writer->epoch = info->epoch + 1;
    writer->commit = info->commit;
    writer->pages = info->pages;
    writer->segment = trace->catalog.segments[0].id;
    memcpy(writer->file_id, info->file_id, sizeof writer->file_id);
    writer->incompatible = trace->superblock.incompatible;
    writer->catalog.clock = *clock;
    /* Where it was the first record, it stays so if clocks are corrected. */
    writer->origin = clock->first <= clock->last && clock->origin == clock->first ? UINT64_MAX : clock->origin;
    xtf_writer_clocks_resume(writer, &trace->clock_maps, trace->catalog.clock_maps);
    /* What a writer that died had promised still holds. A closed file may be gone on with from any time. */
    writer->complete = clock->complete == UINT64_MAX ? 0 : clock->complete;
    writer->last_commit_bytes = 0;
    return resume_schemas(writer, trace, error) && resume_strings(writer, trace, error) &&
           resume_tables(writer, trace, error) && resume_arrays(writer, trace, error);
}

XtfWriter *xtf_writer_open(const char *path, const XtfWriterOptions *options, GError **error)
{
    int fd = xtf_writer_open_file(path, 0, error);
    if (fd < 0)
        return NULL;
    g_autoptr(XtfWriter) writer = xtf_writer_new_empty(fd, path);
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, error);
    if (!trace)
        return NULL;
    if (xtf_writer_set_options(writer, options, error) && resume(writer, trace, error))
        return g_steal_pointer(&writer);
    g_prefix_error(error, "%s: ", path);
    return NULL;
}
