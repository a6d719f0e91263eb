/*
 * Resumes a file that another writer closed, or left when it crashed.
 *
 * The writer reads the last complete commit with a reader. It reads the right edge of an array into memory only when a
 * row is appended to the array, so it keeps the reader open. Later commits of this writer do not change the stored
 * bytes of an unopened array.
 *
 * Pages that a crashed writer wrote behind its last complete commit are not part of the trace. They are overwritten in
 * time; until then the new epoch distinguishes them from live pages. The first commit writes the nodes of the P index,
 * schemas, limits and the catalog anew, so the stored ones are dropped.
 */
#include "libxtf/disk/strings.h"
#include "libxtf/tree/items.h"
#include "libxtf/write/chunk-writer.h"
#include "libxtf/write/volume-list.h"

enum {
    CACHE_BYTES = 4 << 20, /* bytes of the reader's cache; each array is read once or twice */
};

/* Restores an array, unopened. `stored` has local times. */
static bool resume_array(XtfWriter *writer, const XtfArray *stored, GError **error)
{
    if (stored->id == UINT32_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE,
                        "location %" PRIu64 ", %s: its array has the last id, so the file has no ids for more arrays",
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
    if (array->edge.offset >= writer->own_first * writer->page_size) { /* an earlier volume keeps its edges */
        array->edge_bytes = (uint32_t)(xtf_aligned(leaf.offset + leaf.length) - stored->edge_offset);
        xtf_space_use(writer->space, array->edge.offset, array->edge_bytes);
    }
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

/* Adds the file's schemas and limits. The encoded bytes may differ from the stored ones, which a later minor version
 * may have written. So the first commit stores the chunks of schemas anew. */
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

/* Copies the string heap and fills the map from strings to ids. */
bool xtf_writer_resume_strings(XtfWriter *writer, XtfTrace *trace, GError **error)
{
    const XtfChunks *stored = &trace->catalog.strings;
    g_autoptr(GByteArray) heap = g_byte_array_new();
    uint64_t id = 0;

    if (stored->bytes < xtf_strings_next(0, 0))
        return xtf_damaged(error, "the string heap lacks its first string");
    while (id < stored->bytes) {
        const char *text;
        uint32_t length, copied;
        if (!xtf_trace_string(trace, (uint32_t)id, &text, error))
            return false;
        length = (uint32_t)strlen(text);
        if (id > 0)
            g_hash_table_insert(writer->string_ids, g_strdup(text), GUINT_TO_POINTER((guint)id));
        if (!xtf_strings_add(heap, text, &copied) || copied != id)
            return xtf_damaged(error, "string %" PRIu64 ": it does not begin where the previous one ends", id);
        id = xtf_strings_next(id, length);
    }
    xtf_chunk_writer_resume(&writer->strings, stored, heap);
    return true;
}

/* Drops the nodes of the P index below `ref`; the first commit writes them anew. */
static bool drop_nodes(XtfWriter *writer, XtfTrace *trace, XtfRef ref, unsigned level, uint64_t *n_nodes,
                       GError **error)
{
    const XtfCatalog *catalog = &trace->catalog;
    uint32_t count;

    /* Each node holds at least one array, so no level has more nodes than there are arrays. */
    if (ref.length == 0 || ref.length > XTF_NODE_BYTES || (*n_nodes)++ / catalog->arrays_height >= catalog->n_arrays)
        return xtf_damaged(error, "P index: a reference to a node of level %u is invalid, or there are too many nodes",
                           level);
    xtf_space_use(writer->space, ref.offset, ref.length);
    xtf_writer_drop(writer, ref.offset, ref.length);
    if (level == 0)
        return true;
    g_autoptr(XtfBlock) block = xtf_item_get(trace, ref, error);
    if (!block || !xtf_node_valid(block->data, block->length, level, &count))
        return block == NULL ? false : xtf_damaged(error, "P index: a node of level %u is invalid", level);
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

/* Drops the catalog, schemas and limits of a superblock. */
static void drop_opening_items(XtfWriter *writer, const XtfSuperblock *superblock, const XtfCatalog *catalog)
{
    drop_item(writer, superblock->catalog);
    for (uint32_t i = 0; i < catalog->schema_chunks.n; i++)
        drop_item(writer, catalog->schema_chunks.chunks[i]);
    for (uint32_t i = 0; i < catalog->n_counts; i++)
        drop_item(writer, catalog->limit_items[i]);
}

/* Restores the free pages. Fails if a listed page is in use: it would be overwritten. */
static bool resume_free_pages(XtfWriter *writer, const XtfCatalog *catalog, GError **error)
{
    uint64_t end = writer->own_first + xtf_first_place(writer->page_size);

    for (uint32_t i = 0; i < catalog->n_free_pages; i++) {
        const XtfFreePages *pages = &catalog->free_pages[i];
        if (pages->n_pages == 0)
            continue;
        if (pages->page < end || pages->page + pages->n_pages > writer->pages ||
            xtf_space_is_used(writer->space, pages->page, pages->n_pages))
            return xtf_damaged(
                error, "the catalog lists %" PRIu64 " pages from page %" PRIu64 " on as free, but some are in use",
                pages->n_pages, pages->page);
        end = pages->page + pages->n_pages;
        xtf_space_add_free(writer->space, pages);
    }
    /* Frees the pages that no kept commit names: rows may use them at once. */
    xtf_space_begin_commit(writer->space, writer->commit + 1, g_get_monotonic_time());
    return true;
}

/* Restores the space: drops the items that the first commit replaces, and restores the free pages. */
static bool resume_space(XtfWriter *writer, XtfTrace *trace, GError **error)
{
    const XtfCatalog *catalog = &trace->catalog;
    g_auto(XtfTwin) twin = {0};
    uint64_t n_nodes = 0;

    if (catalog->n_arrays > 0 &&
        !drop_nodes(writer, trace, catalog->arrays_root, catalog->arrays_height - 1, &n_nodes, error))
        return false;
    drop_item(writer, catalog->leaf_lists);
    drop_opening_items(writer, &trace->superblock, catalog);
    /* If the other superblock is damaged, it is unknown where its items are. Their pages are not free, so they stay
     * unused. */
    if (xtf_trace_read_twin(trace, &twin, NULL) && twin.found)
        drop_opening_items(writer, &twin.superblock, &twin.catalog);
    return resume_free_pages(writer, catalog, error);
}

/* Returns UINT64_MAX if the stored origin is that of the first record, so that it stays so when clocks are corrected.
 */
uint64_t xtf_writer_origin_of(const XtfClock *clock)
{
    bool records = clock->first <= clock->last;
    /* Without records the first record's time is unknown, and 0 is stored. */
    bool follows_first_record = records ? clock->origin == clock->first : clock->origin == 0;

    return follows_first_record ? UINT64_MAX : clock->origin;
}

static bool resume_file(XtfWriter *writer, XtfTrace *trace, GError **error)
{
    const XtfTraceInfo *info = &trace->superblock.info;
    const XtfClock *clock = &trace->catalog.clock;

    uint64_t own_first = trace->superblock.own_first;

    if (own_first == 0 && xtf_catalog_is_merged(&trace->catalog))
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "cannot add to a merged file: add to its parts, and merge them again");
    if (info->damaged_commit)
        return xtf_damaged(error, "commit %" PRIu64 " is damaged; resuming would lose it", info->damaged_commit);
    if (!xtf_trace_is_supported(trace, error))
        return false;
    writer->page_size = info->page_size;
    writer->epoch = info->epoch + 1;
    writer->commit = info->commit;
    writer->pages = info->pages;
    writer->segment = trace->catalog.segments[0].id;
    memcpy(writer->file_id, info->file_id, sizeof writer->file_id);
    writer->incompatible = trace->superblock.incompatible;
    xtf_writer_volumes_resume(writer, &trace->catalog, own_first);
    writer->catalog.clock = *clock;
    writer->origin = xtf_writer_origin_of(clock);
    /* The promise of a crashed writer still holds. A closed file may be resumed from any time. */
    writer->complete = clock->complete == UINT64_MAX ? 0 : clock->complete;
    writer->last_commit_bytes = 0;
    writer->space = xtf_space_new(writer->page_size, writer->kept_commits, writer->kept_seconds);
    xtf_space_begin_commit(writer->space, info->commit + 1, g_get_monotonic_time()); /* free pages wait from now on */
    xtf_writer_clocks_resume(writer, trace->clocks, trace->n_clocks, trace->catalog.clock_maps);
    use_chunks(writer, &trace->catalog.strings);
    return resume_schemas(writer, trace, error) && xtf_writer_resume_strings(writer, trace, error) &&
           resume_tables(writer, trace, error) && resume_arrays(writer, trace, error) &&
           resume_space(writer, trace, error);
}

/* Makes the resumed commit durable for a writer that syncs late. Otherwise two commits without a sync would overwrite
 * both superblocks. */
static bool keep_resumed(XtfWriter *writer, GError **error)
{
    if (!writer->late_sync || writer->no_sync)
        return true;
    if (!xtf_writer_sync(writer, error))
        return false;
    xtf_writer_keep_synced(writer);
    return true;
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
    if (xtf_writer_set_options(writer, options, error) && resume_file(writer, writer->resumed, error) &&
        keep_resumed(writer, error))
        return g_steal_pointer(&writer);
    g_prefix_error(error, "%s: ", path);
    return NULL;
}
