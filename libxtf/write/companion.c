#include "libxtf/write/companion.h"

#include "libxtf/error.h"
#include "libxtf/tree/trace-private.h"

static void clear_file(gpointer file)
{
    g_free(((XtfPartFile *)file)->name);
}

static void clear_table(gpointer table)
{
    g_byte_array_unref(((XtfPartTable *)table)->rows);
}

XtfWriterBase *xtf_writer_base_new(XtfTrace *trace)
{
    XtfWriterBase *base = g_new0(XtfWriterBase, 1);

    base->trace = trace ? xtf_trace_ref(trace) : NULL;
    base->files = g_array_new(FALSE, FALSE, sizeof(XtfPartFile));
    g_array_set_clear_func(base->files, clear_file);
    base->part_segments = g_array_new(FALSE, FALSE, sizeof(XtfSegment));
    base->tables = g_array_new(FALSE, FALSE, sizeof(XtfPartTable));
    g_array_set_clear_func(base->tables, clear_table);
    xtf_writer_base_add_segments(base, NULL, 0, 0);
    return base;
}

void xtf_writer_base_add_file(XtfWriterBase *base, XtfPartFile file)
{
    file.first_page = base->pages;
    base->pages += file.pages;
    g_array_append_val(base->files, file);
}

void xtf_writer_base_add_segments(XtfWriterBase *base, const XtfSegment *segments, uint32_t n, uint64_t first_page)
{
    for (uint32_t i = 0; i < n; i++) {
        XtfSegment segment = segments[i];
        segment.first_page += first_page;
        g_array_append_val(base->part_segments, segment);
    }
    uint32_t before = base->n_segments;
    base->n_segments = base->part_segments->len + 1;
    base->maps = g_renew(XtfSegmentMap, base->maps, base->n_segments);
    memset(base->maps + before, 0, (base->n_segments - before) * sizeof *base->maps);
    base->segments = g_renew(XtfSegment, base->segments, base->n_segments);
}

void xtf_writer_base_free(XtfWriterBase *base)
{
    if (!base)
        return;
    for (uint32_t i = 0; i < base->n_segments; i++)
        g_free(base->maps[i].tables);
    if (base->trace)
        xtf_trace_unref(base->trace);
    g_array_unref(base->files);
    g_array_unref(base->part_segments);
    g_array_unref(base->tables);
    g_free(base->named);
    g_free(base->schemas);
    g_free(base->segments);
    g_free(base->maps);
    g_free(base->strings);
    g_free(base);
}

/* Stores the row map of a table for a segment of a merged file. The map is an item; segments that share an item in the
 * base share one in the companion. */
static bool store_table_map(XtfCommitBlock *block, XtfWriterBase *base, GHashTable *stored, const XtfTableMap *from,
                            XtfTableMap *to, GError **error)
{
    *to = (XtfTableMap){.schema = base->schemas[from->schema]};
    XtfRef *known = g_hash_table_lookup(stored, &from->rows.offset);
    if (known || from->rows.length == 0) {
        to->rows = known ? *known : from->rows;
        return true;
    }
    g_autoptr(XtfBlock) item = xtf_item_get(base->trace, from->rows, error);
    if (!item)
        return false;
    const GByteArray bytes = {.data = (guint8 *)item->data, .len = item->length};
    if (!xtf_commit_block_add(block, &bytes, &to->rows, error))
        return false;
    g_hash_table_insert(stored, g_memdup2(&from->rows.offset, sizeof from->rows.offset),
                        g_memdup2(&to->rows, sizeof to->rows));
    return true;
}

static bool store_segment_map(XtfCommitBlock *block, XtfWriterBase *base, GHashTable *stored, const XtfSegmentMap *from,
                              XtfSegmentMap *to, GError **error)
{
    const XtfCatalog *catalog = &base->trace->catalog;

    *to = (XtfSegmentMap){.strings = from->strings, .strings_length = from->strings_length};
    to->tables = g_new0(XtfTableMap, from->n_tables + 1);
    for (uint32_t i = 0; i < from->n_tables; i++) {
        uint32_t schema = from->tables[i].schema;
        if (schema >= catalog->n_schemas || base->schemas[schema] == UINT32_MAX)
            return xtf_damaged(error, "the catalog's segment maps name schema %u, which is missing or derived", schema);
        if (!store_table_map(block, base, stored, &from->tables[i], &to->tables[to->n_tables++], error))
            return false;
    }
    return true;
}

/* Stores the maps of an anchor's tables. */
static bool store_part_tables(XtfCommitBlock *block, XtfWriterBase *base, GError **error)
{
    for (guint i = 0; i < base->tables->len; i++) {
        const XtfPartTable *table = &g_array_index(base->tables, XtfPartTable, i);
        XtfSegmentMap *map = &base->maps[table->segment];
        map->tables = g_renew(XtfTableMap, map->tables, map->n_tables + 1);
        XtfTableMap *to = &map->tables[map->n_tables++];
        *to = (XtfTableMap){.schema = table->schema};
        if (table->rows->len > 0 && !xtf_commit_block_add(block, table->rows, &to->rows, error))
            return false;
    }
    return true;
}

bool xtf_writer_base_store(XtfCommitBlock *block, GError **error)
{
    XtfWriterBase *base = block->writer->base;

    if (!base->trace)
        return store_part_tables(block, base, error);
    g_autoptr(GHashTable) stored = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    const XtfSegmentMap *maps = base->trace->catalog.segment_maps;

    for (uint32_t i = 1; maps && i < base->n_segments; i++)
        if (!store_segment_map(block, base, stored, &maps[i - 1], &base->maps[i], error))
            return false;
    return true;
}

void xtf_writer_base_name(const XtfWriter *writer, XtfCatalog *catalog)
{
    XtfWriterBase *base = writer->base;

    base->segments[0] = catalog->segments[0];
    for (uint32_t i = 1; i < base->n_segments; i++) {
        base->segments[i] = g_array_index(base->part_segments, XtfSegment, i - 1);
        base->segments[i].first_page += writer->pages;
    }
    base->named = g_renew(XtfPartFile, base->named, base->files->len);
    for (guint i = 0; i < base->files->len; i++) {
        base->named[i] = g_array_index(base->files, XtfPartFile, i);
        base->named[i].first_page += writer->pages;
    }
    base->strings = g_renew(XtfRef, base->strings, catalog->strings.n + 1);
    for (uint32_t i = 0; i < catalog->strings.n; i++) {
        base->strings[i] = catalog->strings.chunks[i];
        if (i < base->n_strings)
            base->strings[i].offset += writer->pages * writer->page_size;
    }
    catalog->segments = base->segments;
    catalog->segment_maps = base->maps;
    catalog->n_segments = base->n_segments;
    catalog->strings.chunks = base->strings;
    catalog->files = base->named;
    catalog->n_files = base->files->len;
}
