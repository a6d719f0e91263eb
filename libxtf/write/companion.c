#include "libxtf/write/companion.h"

#include "libxtf/error.h"
#include "libxtf/tree/trace-private.h"

void xtf_writer_base_free(XtfWriterBase *base)
{
    if (!base)
        return;
    for (uint32_t i = 0; i < base->n_segments; i++)
        g_free(base->maps[i].tables);
    xtf_trace_unref(base->trace);
    g_free(base->file.name);
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

bool xtf_writer_base_store(XtfCommitBlock *block, GError **error)
{
    XtfWriterBase *base = block->writer->base;
    g_autoptr(GHashTable) stored = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    const XtfSegmentMap *maps = base->trace->catalog.segment_maps;

    for (uint32_t i = 1; maps && i < base->n_segments; i++)
        if (!store_segment_map(block, base, stored, &maps[i - 1], &base->maps[i], error))
            return false;
    return true;
}

uint64_t xtf_writer_base_pages(const XtfWriterBase *base)
{
    return base->file.pages;
}

void xtf_writer_base_name(const XtfWriter *writer, XtfCatalog *catalog)
{
    XtfWriterBase *base = writer->base;
    const XtfCatalog *of_base = &base->trace->catalog;

    base->file.first_page = writer->pages;
    base->segments[0] = catalog->segments[0];
    for (uint32_t i = 1; i < base->n_segments; i++) {
        base->segments[i] = of_base->segments[i - 1];
        base->segments[i].first_page += base->file.first_page;
    }
    base->strings = g_renew(XtfRef, base->strings, catalog->strings.n + 1);
    for (uint32_t i = 0; i < catalog->strings.n; i++) {
        base->strings[i] = catalog->strings.chunks[i];
        if (i < base->n_strings)
            base->strings[i].offset += base->file.first_page * writer->page_size;
    }
    catalog->segments = base->segments;
    catalog->segment_maps = base->maps;
    catalog->n_segments = base->n_segments;
    catalog->strings.chunks = base->strings;
    catalog->files = &base->file;
    catalog->n_files = 1;
}
