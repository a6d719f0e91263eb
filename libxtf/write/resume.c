/*
 * Going on with a file that another writer closed, or left when it died.
 *
 * The last whole commit is read back as a reader does. Arrays stay at rest until rows come: then an array's right edge
 * becomes open levels again. The trace that it is read from is kept for that. This writer's own commits may be later,
 * but none of them changes what an array at rest has in the file.
 *
 * Pages that a dead writer put behind the last whole commit are no part of the trace; they are written over in time,
 * and until then the new epoch distinguishes them from live ones. Nodes of the P index, schemas, limits and the catalog
 * are written anew by the first commit, so what lies in the file of them is dropped.
 */
#include "libxtf/disk/strings.h"
#include "libxtf/tree/items.h"
#include "libxtf/write/chunk-writer.h"

enum {
    CACHE_BYTES = 4 << 20, /* of the trace: each array is read once or twice */
};

/* `stored` has local times, as a writer does. */
static bool resume_array(XtfWriter *writer, const XtfArray *stored, GError **error)
{
    if (stored->id == UINT32_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE,
                        "location %" PRIu64 ", %s: its array has the last id, and none is left for others",
                        stored->location, stored->schema->name);
    XtfArrayWriter *array = xtf_writer_array(writer, stored->location, stored->schema->id, error);
    g_autoptr(XtfBlock) edge = array ? xtf_edge_get(stored, error) : NULL;
    if (!edge)
        return false;

    array->codec = stored->codec;
    array->height = stored->height;
    array->id = stored->id;
    array->n_rows = stored->n_rows;
    array->first = stored->first;
    array->last = stored->last;
    array->edge = (XtfRef){stored->edge_offset, stored->edge_length, stored->edge_checksum};
    XtfRef leaf = xtf_edge_leaf(stored, edge->data);
    array->edge_bytes = (uint32_t)(xtf_aligned(leaf.offset + leaf.length) - stored->edge_offset);
    xtf_space_use(writer->space, array->edge.offset, array->edge_bytes);
    xtf_writer_clocks_resume_array(writer, array, stored->clock_map);
    writer->next_array = MAX(writer->next_array, stored->id + 1);
    return true;
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

static void use_chunks(XtfWriter *writer, const XtfChunks *chunks)
{
    for (uint32_t i = 0; i < chunks->n; i++)
        xtf_space_use(writer->space, chunks->chunks[i].offset, chunks->chunks[i].length);
}

/* Adding a schema encodes it anew; the bytes may differ from those that lie in the file, which a later minor version
 * may have written. So chunks of schemas are stored anew by the first commit. */
static bool resume_schemas(XtfWriter *writer, XtfTrace *trace, GError **error)
{
    const XtfCatalog *catalog = &trace->catalog;

    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        uint32_t id;
        if (!xtf_writer_add_schema(writer, catalog->schemas[i], &id, error))
            return false;
        memcpy(writer->catalog.limits[id], catalog->limits[i], catalog->schemas[i]->n_fields * sizeof(XtfLimits));
        writer->limits_changed[id] = catalog->limit_items[i].length > 0;
    }
    return true;
}

static bool resume_tables(XtfWriter *writer, XtfTrace *trace, GError **error)
{
    for (uint32_t i = 0; i < trace->catalog.n_tables; i++) {
        const XtfTableEntry *entry = &trace->catalog.tables[i];
        XtfTableWriter *table = xtf_writer_table(writer, entry->schema, error);
        uint8_t *stored = table ? xtf_trace_read_table(trace, entry, error) : NULL;
        if (!stored)
            return false;
        g_autoptr(GByteArray) rows = g_byte_array_new_take(stored, entry->rows.bytes);
        xtf_chunk_writer_resume(&table->rows, &entry->rows, rows);
        use_chunks(writer, &entry->rows);
        table->n_rows = table->n_limited = entry->n_rows;
    }
    return true;
}

/* The heap as it is, and the ids of the strings in it. */
bool xtf_writer_resume_strings(XtfWriter *writer, XtfTrace *trace, GError **error)
{
    const XtfChunks *stored = &trace->catalog.strings;
    g_autoptr(GByteArray) heap = g_byte_array_new();
    uint64_t id = 0;

    if (stored->bytes < xtf_strings_next(0, 0))
        return xtf_damaged(error, "the heap of strings has no beginning");
    while (id < stored->bytes) {
        const char *text;
        uint32_t length, copied;
        if (!xtf_trace_string(trace, (uint32_t)id, &text, error))
            return false;
        length = (uint32_t)strlen(text);
        if (id > 0)
            g_hash_table_insert(writer->string_ids, g_strdup(text), GUINT_TO_POINTER((guint)id));
        if (!xtf_strings_add(heap, text, &copied) || copied != id)
            return xtf_damaged(error, "string %" PRIu64 ": it does not lie where the one before it ends", id);
        id = xtf_strings_next(id, length);
    }
    xtf_chunk_writer_resume(&writer->strings, stored, heap);
    return true;
}

/* The nodes of the P index, which the first commit writes anew. */
static bool drop_nodes(XtfWriter *writer, XtfTrace *trace, XtfRef ref, unsigned level, uint64_t *n_nodes,
                       GError **error)
{
    const XtfCatalog *catalog = &trace->catalog;
    uint32_t count;

    /* Each node holds an array at least, so there are no more on a level than arrays. */
    if (ref.length == 0 || ref.length > XTF_NODE_BYTES || (*n_nodes)++ / catalog->arrays_height >= catalog->n_arrays)
        return xtf_damaged(error, "P index: it names no node of level %u, or too many", level);
    xtf_space_use(writer->space, ref.offset, ref.length);
    xtf_writer_drop(writer, ref.offset, ref.length);
    if (level == 0)
        return true;
    g_autoptr(XtfBlock) block = xtf_item_get(trace, ref, error);
    if (!block || !xtf_node_valid(block->data, block->length, level, &count))
        return block == NULL ? false : xtf_damaged(error, "P index: no node of level %u", level);
    for (uint32_t i = 0; i < count; i++)
        if (!drop_nodes(writer, trace, xtf_node_branch(block->data, i).child, level - 1, n_nodes, error))
            return false;
    return true;
}

static void drop_item(XtfWriter *writer, XtfRef item)
{
    if (item.length == 0)
        return;
    xtf_space_use(writer->space, item.offset, item.length);
    xtf_writer_drop(writer, item.offset, item.length);
}

/* The catalog, schemas and limits of a superblock. */
static void drop_opening_items(XtfWriter *writer, const XtfSuperblock *superblock, const XtfCatalog *catalog)
{
    drop_item(writer, superblock->catalog);
    for (uint32_t i = 0; i < catalog->schema_chunks.n; i++)
        drop_item(writer, catalog->schema_chunks.chunks[i]);
    for (uint32_t i = 0; i < catalog->n_counts; i++)
        drop_item(writer, catalog->limit_items[i]);
}

/* A page that is called free, and is not, would be written over. */
static bool resume_free_pages(XtfWriter *writer, const XtfCatalog *catalog, GError **error)
{
    uint64_t end = xtf_first_place(writer->page_size);

    for (uint32_t i = 0; i < catalog->n_free_pages; i++) {
        const XtfFreePages *pages = &catalog->free_pages[i];
        if (pages->n_pages == 0)
            continue;
        if (pages->page < end || pages->page + pages->n_pages > writer->pages ||
            xtf_space_is_used(writer->space, pages->page, pages->n_pages))
            return xtf_damaged(error, "the catalog calls pages free, from page %" PRIu64 " on, that are not",
                               pages->page);
        end = pages->page + pages->n_pages;
        xtf_space_add_free(writer->space, pages);
    }
    /* Those that nobody may still read: rows may go there at once. */
    xtf_space_begin_commit(writer->space, writer->commit + 1, g_get_monotonic_time());
    return true;
}

/* What the first commit leaves behind, and what was free before. */
static bool resume_space(XtfWriter *writer, XtfTrace *trace, GError **error)
{
    const XtfCatalog *catalog = &trace->catalog;
    g_auto(XtfTwin) twin = {0};
    uint64_t n_nodes = 0;

    if (catalog->n_arrays > 0 &&
        !drop_nodes(writer, trace, catalog->arrays_root, catalog->arrays_height - 1, &n_nodes, error))
        return false;
    drop_opening_items(writer, &trace->superblock, catalog);
    /* If it is damaged, where its items lie is not known, and nothing will lie there. */
    if (xtf_trace_read_twin(trace, &twin, NULL) && twin.found)
        drop_opening_items(writer, &twin.superblock, &twin.catalog);
    return resume_free_pages(writer, catalog, error);
}

/* Where it was the first record, it stays so if clocks are corrected. */
uint64_t xtf_writer_origin_of(const XtfClock *clock)
{
    bool records = clock->first <= clock->last;
    /* It is the first record's, or, without records, not known: then 0 is stored. */
    bool none = records ? clock->origin == clock->first : clock->origin == 0;

    return none ? UINT64_MAX : clock->origin;
}

static bool resume(XtfWriter *writer, XtfTrace *trace, GError **error)
{
    const XtfTraceInfo *info = &trace->superblock.info;
    const XtfClock *clock = &trace->catalog.clock;

    if (xtf_catalog_is_merged(&trace->catalog))
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "a merged file is not gone on with: add to its parts, and merge them again");
    if (info->passed_over)
        return xtf_damaged(error, "commit %" PRIu64 " is damaged, and would be lost", info->passed_over);
    if (!xtf_trace_is_known(trace, error))
        return false;
    writer->page_size = info->page_size;
    writer->epoch = info->epoch + 1;
    writer->commit = info->commit;
    writer->pages = info->pages;
    writer->segment = trace->catalog.segments[0].id;
    memcpy(writer->file_id, info->file_id, sizeof writer->file_id);
    writer->incompatible = trace->superblock.incompatible;
    writer->catalog.clock = *clock;
    writer->origin = xtf_writer_origin_of(clock);
    /* What a writer that died had promised still holds. A closed file may be gone on with from any time. */
    writer->complete = clock->complete == UINT64_MAX ? 0 : clock->complete;
    writer->last_commit_bytes = 0;
    writer->space = xtf_space_new(writer->page_size, writer->kept_commits, writer->kept_seconds);
    xtf_space_begin_commit(writer->space, info->commit + 1,
                           g_get_monotonic_time()); /* what is free waits from now on */
    xtf_writer_clocks_resume(writer, trace->clocks, trace->n_clocks, trace->catalog.clock_maps);
    use_chunks(writer, &trace->catalog.strings);
    return resume_schemas(writer, trace, error) && xtf_writer_resume_strings(writer, trace, error) &&
           resume_tables(writer, trace, error) && resume_arrays(writer, trace, error) &&
           resume_space(writer, trace, error);
}

XtfWriter *xtf_writer_open(const char *path, const XtfWriterOptions *options, GError **error)
{
    int fd = xtf_writer_open_file(path, 0, error);
    if (fd < 0)
        return NULL;
    g_autoptr(XtfWriter) writer = xtf_writer_new_empty(fd, path);
    writer->resumed = xtf_trace_open(path, &(XtfOpenOptions){.cache_bytes = CACHE_BYTES}, error);
    if (!writer->resumed)
        return NULL;
    if (xtf_writer_set_options(writer, options, error) && resume(writer, writer->resumed, error))
        return g_steal_pointer(&writer);
    g_prefix_error(error, "%s: ", path);
    return NULL;
}
