#include "libxtf/disk/address.h"
#include "libxtf/disk/node-tree.h"
#include "libxtf/disk/strings.h"
#include "libxtf/merge/merge-private.h"

/* ---- The P index. */

static bool add_lowest_node(XtfMergeOutput *output, const XtfArray *arrays, guint n, XtfBranch *branch, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    xtf_node_encode(bytes, 0);
    *branch = (XtfBranch){.location = arrays->location, .schema = arrays->schema->id, .arrays = n};
    for (guint i = 0; i < n; i++) {
        xtf_node_add_array(bytes, &arrays[i]);
        branch->n_rows += arrays[i].n_rows;
    }
    return xtf_merge_output_add(output, bytes->data, bytes->len, &branch->child, error);
}

static bool add_node_above(void *data, const GByteArray *node, XtfRef *ref, GError **error)
{
    return xtf_merge_output_add(data, node->data, node->len, ref, error);
}

static bool write_arrays(const XtfMerge *merge, XtfMergeOutput *output, XtfCatalog *catalog, GError **error)
{
    g_autoptr(GArray) branches = g_array_new(FALSE, FALSE, sizeof(XtfBranch));
    XtfBranch branch;

    for (guint i = 0; i < merge->arrays->len; i += XTF_NODE_ARRAYS) {
        guint n = MIN(merge->arrays->len - i, (guint)XTF_NODE_ARRAYS);
        if (!add_lowest_node(output, &g_array_index(merge->arrays, XtfArray, i), n, &branch, error))
            return false;
        g_array_append_val(branches, branch);
    }
    return xtf_node_tree_store(branches, add_node_above, output, catalog, error);
}

static bool write_leaf_lists(const XtfMerge *merge, XtfMergeOutput *output, XtfCatalog *catalog, GError **error)
{
    if (merge->leaf_heads->len == 0)
        return true;
    g_autoptr(GByteArray) item = xtf_leaf_lists_encode(merge->leaf_heads, merge->leaf_lists);
    return xtf_merge_output_add(output, item->data, item->len, &catalog->leaf_lists, error);
}

/* ---- Tables and strings. */

static bool write_rows(XtfMergeOutput *output, const XtfJoinedTable *table, XtfChunks *chunks, GError **error)
{
    uint32_t step = MAX(XTF_CHUNK_BYTES / table->schema->row_size, 1) * table->schema->row_size;

    for (uint32_t at = 0; at < table->rows->len; at += step)
        if (!xtf_merge_add_chunk(output, table->rows->data + at, MIN(table->rows->len - at, step), chunks, error))
            return false;
    return true;
}

static bool write_tables(const XtfMerge *merge, XtfMergeOutput *output, XtfCatalog *catalog, GError **error)
{
    catalog->tables = g_new0(XtfTableEntry, merge->join->tables->len);
    for (guint id = 0; id < merge->join->tables->len; id++) {
        const XtfJoinedTable *table = merge->join->tables->pdata[id];
        if (!table)
            continue;
        XtfTableEntry *entry = &catalog->tables[catalog->n_tables++];
        *entry = (XtfTableEntry){.schema = id, .n_rows = table->n_rows};
        catalog->n_rows[id] = table->n_rows;
        if (!write_rows(output, table, &entry->rows, error))
            return false;
    }
    return true;
}

/* Writes the strings of the tables, in chunks that end with a string. */
static bool write_own_strings(const XtfMerge *merge, XtfMergeOutput *output, XtfChunks *chunks, GError **error)
{
    const GByteArray *heap = merge->join->strings;
    uint64_t start = 0, at = 0;

    while (at < heap->len) {
        const char *text, *fault;
        uint32_t length = 0;
        xtf_strings_get(heap->data, heap->len, at, &text, &length, &fault);
        at = xtf_strings_next(at, length);
        if (at - start < XTF_CHUNK_BYTES && at < heap->len)
            continue;
        if (!xtf_merge_add_chunk(output, heap->data + start, at - start, chunks, error))
            return false;
        start = at;
    }
    return true;
}

/* Adds the strings of the parts to the heap of the whole; their bytes stay where they are. */
static bool add_part_strings(const XtfMerge *merge, XtfChunks *chunks, GError **error)
{
    for (guint i = 0; i < merge->parts->len; i++) {
        XtfPart *part = merge->parts->pdata[i];
        if (!part->has_strings)
            continue;
        part->strings_base = chunks->bytes;
        chunks->chunks = g_renew(XtfRef, chunks->chunks, chunks->n + part->strings.n);
        for (uint32_t c = 0; c < part->strings.n; c++) {
            XtfRef ref = part->strings.chunks[c];
            ref.offset += part->first_page * merge->page_size;
            chunks->chunks[chunks->n++] = ref;
        }
        chunks->bytes += part->strings.bytes;
    }
    return chunks->bytes <= INT32_MAX ||
           xtf_fail(error, XTF_ERROR_TOO_LARGE, "the strings of all parts exceed the limit of a file");
}

static bool write_clock_maps(const XtfMerge *merge, XtfMergeOutput *output, XtfCatalog *catalog, GError **error)
{
    catalog->n_clock_maps = g_hash_table_size(merge->clocks);
    return xtf_merge_output_add(output, merge->clock_bytes->data, merge->clock_bytes->len, &catalog->clock_maps, error);
}

/* ---- Segments. */

static void add_segments(const XtfMerge *merge, XtfCatalog *catalog)
{
    catalog->segments = g_new0(XtfSegment, merge->n_segments);
    for (guint i = 0; i < merge->parts->len; i++) {
        const XtfPart *part = merge->parts->pdata[i];
        for (guint s = 0; s < part->segments->len; s++) {
            XtfSegment *segment = &catalog->segments[catalog->n_segments++];
            *segment = g_array_index(part->segments, XtfPartSegment, s).segment;
            segment->first_page += part->first_page;
        }
    }
}

/* True if a map changes nothing. */
static bool is_identity(const XtfJoinedTable *table, const XtfNumbersMap *map)
{
    if (map->n != table->n_rows)
        return false;
    for (uint32_t i = 0; i < map->n; i++)
        if (xtf_joined_row(table, map->rows[i]) != i)
            return false;
    return true;
}

/* Stores a map; segments with equal maps share it. `stored`: bytes -> XtfRef. */
static bool write_map(const XtfMerge *merge, XtfMergeOutput *output, const XtfNumbersMap *map, GHashTable *stored,
                      XtfSegmentMap *segment, GError **error)
{
    const XtfJoinedTable *table = merge->join->tables->pdata[map->table];
    g_autofree XtfLe32 *numbers = g_new(XtfLe32, map->n);
    XtfRef ref;

    if (is_identity(table, map))
        return true;
    for (uint32_t i = 0; i < map->n; i++)
        xtf_write32(&numbers[i], xtf_joined_row(table, map->rows[i]));
    size_t length = map->n * sizeof *numbers;
    g_autoptr(GBytes) bytes = g_bytes_new_take(g_steal_pointer(&numbers), length);
    XtfRef *known = g_hash_table_lookup(stored, bytes);
    if (known)
        ref = *known;
    else if (!xtf_merge_output_add(output, g_bytes_get_data(bytes, NULL), length, &ref, error))
        return false;
    if (!known)
        g_hash_table_insert(stored, g_steal_pointer(&bytes), g_memdup2(&ref, sizeof ref));
    segment->tables[segment->n_tables++] = (XtfTableMap){.schema = map->table, .rows = ref};
    return true;
}

static bool write_segment_map(const XtfMerge *merge, XtfMergeOutput *output, const XtfPart *part,
                              const XtfPartSegment *segment, GHashTable *stored, XtfSegmentMap *map, GError **error)
{
    map->tables = g_new0(XtfTableMap, segment->maps->len);
    if (part->has_strings) {
        map->strings = (uint32_t)(part->strings_base + segment->strings);
        map->strings_length = (uint32_t)segment->strings_length;
    }
    for (guint i = 0; i < segment->maps->len; i++)
        if (!write_map(merge, output, &g_array_index(segment->maps, XtfNumbersMap, i), stored, map, error))
            return false;
    return true;
}

static bool write_segment_maps(const XtfMerge *merge, XtfMergeOutput *output, XtfCatalog *catalog, GError **error)
{
    g_autoptr(GHashTable) stored =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, g_free);
    uint32_t n = 0;

    catalog->segment_maps = g_new0(XtfSegmentMap, catalog->n_segments);
    for (guint i = 0; i < merge->parts->len; i++) {
        const XtfPart *part = merge->parts->pdata[i];
        for (guint s = 0; s < part->segments->len; s++)
            if (!write_segment_map(merge, output, part, &g_array_index(part->segments, XtfPartSegment, s), stored,
                                   &catalog->segment_maps[n++], error))
                return false;
    }
    return true;
}

/* Frees the catalog, except the schemas and limits that it borrows from the merge. */
static void finish_catalog(XtfCatalog *catalog)
{
    g_clear_pointer(&catalog->schemas, g_free);
    g_clear_pointer(&catalog->limits, g_free);
    catalog->n_schemas = 0;
    xtf_catalog_finish(catalog);
}

bool xtf_merge_write_whole(XtfMerge *merge, XtfMergeOutput *output, GError **error)
{
    guint n_schemas = merge->join->schemas->len;
    XtfCatalog catalog = {
        .clock = merge->clock,
        .schemas = g_memdup2(merge->join->schemas->pdata, n_schemas * sizeof(XtfSchema *)),
        .limits = g_memdup2(merge->limits->pdata, n_schemas * sizeof(XtfLimits *)),
        .n_rows = g_memdup2(merge->n_rows->data, n_schemas * sizeof(uint64_t)),
        .n_schemas = n_schemas,
        .n_counts = n_schemas,
    };

    add_segments(merge, &catalog);
    bool good = write_leaf_lists(merge, output, &catalog, error);
    uint64_t index = xtf_merge_output_align(output);
    good = good && write_arrays(merge, output, &catalog, error) && write_tables(merge, output, &catalog, error) &&
           write_clock_maps(merge, output, &catalog, error) &&
           write_own_strings(merge, output, &catalog.strings, error);
    uint32_t own_strings = catalog.strings.n;
    good = good && add_part_strings(merge, &catalog.strings, error) &&
           write_segment_maps(merge, output, &catalog, error) &&
           (!merge->in_place || xtf_merge_name_files(merge, output, &catalog, own_strings, error)) &&
           xtf_merge_write_ends(merge, output, index, &catalog, error);
    finish_catalog(&catalog);
    return good;
}
