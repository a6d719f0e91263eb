#include "libxtf/totals/tables/stored.h"

#include "libxtf/disk/page.h"
#include "libxtf/totals/tables/read-tables.h"

/* Totals to decode, and the page or right edge that has them. */
typedef struct {
    const XtfArray *array;
    /* The page; NULL: the totals of the whole array, as the only child of a page above the root. */
    const XtfDescentPage *descent;
    XtfBlock *edge;
    unsigned index, level;
    uint32_t n; /* number of children */
    uint64_t first_n;
    bool open;
    uint64_t place;       /* place of a sealed page's companion */
    const uint8_t *bytes; /* the tables, once they are found in the right edge or read from the companion */
    uint32_t length;
    XtfBlockMaker decode; /* decodes source->bytes */
    uint32_t name;        /* distinguishes the block from others made of the same bytes */
} TableSource;

static bool fail_damaged(const TableSource *source, const char *fault, GError **error)
{
    const XtfArray *array = source->array;

    if (source->open)
        return xtf_damaged(error, "array %u: its right edge (byte %" PRIu64 "): totals of level %u: %s", array->id,
                           array->edge_offset, source->level, fault);
    return xtf_damaged(error, "page %" PRIu64 ": totals of array %u, level %u: %s", source->place, array->id,
                       source->level, fault);
}

static bool has_borders(const TableSource *source)
{
    return source->descent && source->array->schema->aggregates[source->index].kind == XTF_AGGREGATE_FRAMES;
}

/* Finds the tables of an aggregate, by kind. Skips tables of other kinds. Returns a fault, or NULL. */
static const char *find_tables(const TableSource *source, XtfPackedRows tables[XTF_TOTALS_KINDS])
{
    XtfBytesReader reader = {.at = source->bytes, .left = source->length};

    memset(tables, 0, XTF_TOTALS_KINDS * sizeof *tables);
    while (reader.left > 0 && !reader.failed) {
        XtfPackedRows table = xtf_stored_rows_next(&reader);
        if (table.aggregate != source->index || table.kind >= XTF_TOTALS_KINDS)
            continue;
        if (tables[table.kind].n > 0)
            return "a table occurs twice";
        if (table.n == 0)
            return "a table has no rows";
        tables[table.kind] = table;
    }
    return reader.failed ? "the tables are truncated" : NULL;
}

/* Decodes source->bytes. */
static bool decode_totals(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    const TableSource *source = context;
    g_autoptr(XtfChildTotalsBuilder) builder =
        xtf_child_totals_builder_new(source->array, source->index, source->level, source->first_n);
    XtfPackedRows tables[XTF_TOTALS_KINDS];
    const char *fault = find_tables(source, tables);
    const XtfChildren below = {.array = source->array, .page = source->descent, .n = source->n};
    g_auto(XtfMappedGroups) to = {0};

    if (!xtf_mapped_groups_init(&to, source->array, source->index, builder, error))
        return false;
    if (!fault)
        fault = xtf_groups_read(&below, &tables[XTF_TOTALS_OF_GROUPS], &to);
    if (!fault && has_borders(source))
        fault = xtf_stacks_read(&below, tables, &to);
    if (fault)
        return fail_damaged(source, fault, error);
    XtfChildTotals *children = xtf_child_totals_builder_finish(builder, length, error);
    *data = (uint8_t *)children;
    return children != NULL;
}

static XtfTotalsPage identify_page(const TableSource *source)
{
    return (XtfTotalsPage){
        .schema = source->array->schema,
        .first_n = source->first_n,
        .array = source->array->id,
        .segment = source->array->segment,
        .n = source->n,
        .index = (uint8_t)source->index,
        .level = (uint8_t)source->level,
    };
}

static bool is_page(const TableSource *source, const XtfTotalsPage *page)
{
    const XtfTotalsPage expected = identify_page(source);

    return page->schema == expected.schema && page->first_n == expected.first_n && page->array == expected.array &&
           page->segment == expected.segment && page->n == expected.n && page->index == expected.index &&
           page->level == expected.level;
}

/* Decodes the numbers of begun frames in source->bytes. */
static bool decode_begun(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    const TableSource *source = context;
    const XtfChildren below = {.array = source->array, .page = source->descent, .n = source->n};
    const uint32_t size = (uint32_t)(sizeof(XtfBegunFrames) + (source->n + 1) * sizeof(uint64_t));
    g_autofree uint8_t *bytes = g_malloc(size);
    uint64_t *before = (uint64_t *)(void *)(bytes + sizeof(XtfBegunFrames));
    XtfPackedRows tables[XTF_TOTALS_KINDS];
    const char *fault = find_tables(source, tables);

    if (!fault)
        fault = xtf_groups_count_begun(&below, &source->array->schema->aggregates[source->index],
                                       &tables[XTF_TOTALS_OF_GROUPS], before);
    if (fault)
        return fail_damaged(source, fault, error);
    *(XtfBegunFrames *)(void *)bytes = (XtfBegunFrames){.page = identify_page(source), .before = before};
    *length = size;
    *data = g_steal_pointer(&bytes);
    return true;
}

/* Reads the depths of the page's borders; returns a fault, or NULL. */
static const char *read_depths(const TableSource *source, const XtfPackedRows *packed, uint64_t *depths)
{
    const XtfChildren below = {.array = source->array, .page = source->descent, .n = source->n};
    const char *fault = NULL;
    g_autofree XtfBorder *borders = xtf_borders_read(&below, packed, &fault);

    for (uint32_t child = 0; borders && child < source->n; child++)
        depths[child] = borders[child].depth;
    return fault;
}

/* Decodes the depths in source->bytes. */
static bool decode_depths(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    const TableSource *source = context;
    const uint32_t size = (uint32_t)(sizeof(XtfFrameDepths) + source->n * sizeof(uint64_t));
    g_autofree uint8_t *bytes = g_malloc(size);
    uint64_t *depths = (uint64_t *)(void *)(bytes + sizeof(XtfFrameDepths));
    XtfPackedRows tables[XTF_TOTALS_KINDS];
    const char *fault = find_tables(source, tables);

    if (!fault)
        fault = read_depths(source, &tables[XTF_TOTALS_BORDERS], depths);
    if (fault)
        return fail_damaged(source, fault, error);
    *(XtfFrameDepths *)(void *)bytes = (XtfFrameDepths){.page = identify_page(source), .depths = depths};
    *length = size;
    *data = g_steal_pointer(&bytes);
    return true;
}

/* Decodes the filters in source->bytes. */
static bool decode_filters(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    const TableSource *source = context;
    const XtfTotalsPage page = identify_page(source);
    XtfPackedRows tables[XTF_TOTALS_KINDS];
    const char *fault = find_tables(source, tables);
    const XtfPackedRows *packed = &tables[XTF_TOTALS_FILTERS];
    uint64_t below_page = xtf_descent_child_end(source->descent, source->n - 1) - source->first_n;
    g_autofree uint8_t *rows = NULL;

    if (!fault && packed->n > 0)
        rows = xtf_stored_rows_unpack(xtf_stored_filter_schema(), xtf_codec(source->array->codec), packed,
                                      xtf_filter_words_most(below_page, source->n), &fault);
    XtfFilters *filters = fault ? NULL : xtf_filters_read(&page, rows, packed->n, length, &fault);
    if (!filters)
        return fail_damaged(source, fault, error);
    *data = (uint8_t *)filters;
    return true;
}

/* Returns a fault of a companion's head, compared with its index page, or NULL. */
static const char *companion_fault(const TableSource *source, const XtfDiskPage *head, uint64_t room)
{
    const XtfDiskPage *page = xtf_page_head(source->descent->page.block);

    if (xtf_read32(head->magic) != XTF_PAGE_MAGIC || head->kind != XTF_PAGE_TOTALS)
        return "the companion has no valid head";
    if (head->codec != source->array->codec)
        return "the companion's codec differs from that of the rows";
    if (head->level != page->level || xtf_read32(head->array) != source->array->id ||
        xtf_read64(head->segment) != xtf_read64(page->segment) || xtf_read64(head->first_n) != source->first_n ||
        xtf_read32(head->count) != source->n)
        return "the companion belongs to another page";
    if (xtf_read32(head->epoch) != xtf_read32(page->epoch))
        return "the companion and its page have different epochs";
    if (xtf_read64(head->previous) != xtf_read64(page->previous) || xtf_read64(head->next) != xtf_read64(page->next) ||
        xtf_read32(head->companion) != 0)
        return "the companion's head differs from that of its page";
    if (xtf_read32(head->length) > XTF_COMPANION_BYTES_MAX)
        return "the companion has more than 256 MiB";
    return xtf_read32(head->length) > room ? "the companion is truncated" : NULL;
}

/* Finds the bytes of an open page's tables in the right edge. */
static bool find_open_tables(TableSource *source, GError **error)
{
    const XtfBlock *edge = source->edge;
    XtfBytesReader tables = xtf_edge_totals(edge->data, edge->length, source->array->height, source->level);

    if (tables.failed)
        return fail_damaged(source, "the tables are truncated", error);
    source->bytes = tables.at;
    source->length = (uint32_t)tables.left;
    return true;
}

/* Finds the place of a sealed page's companion. */
static bool find_companion(TableSource *source, GError **error)
{
    const XtfArray *array = source->array;
    const XtfBlock *page = source->descent->page.block;
    uint32_t companion = xtf_read32(xtf_page_head(page)->companion);

    source->place = xtf_place_at(xtf_array_segment(array), xtf_array_page_size(array), page->offset) + companion;
    return companion > 0 || fail_damaged(source, "the page has no companion", error);
}

/* Reads a companion without the cache: only its decoded totals are cached. The caller frees source->bytes. */
static bool read_companion(TableSource *source, GError **error)
{
    const XtfSegment *segment = xtf_array_segment(source->array);
    XtfSource *file = source->array->trace->source;
    uint32_t page_size = xtf_array_page_size(source->array);
    XtfDiskPage head;

    if (source->place >= segment->pages)
        return fail_damaged(source, "the companion is beyond the last page", error);
    uint64_t offset = xtf_page_offset(segment, page_size, source->place);
    if (offset > xtf_source_size(file) || xtf_source_size(file) - offset < page_size)
        return fail_damaged(source, "the companion is beyond the end of the file", error);
    if (!file->ops->read(file, offset, (uint8_t *)&head, sizeof head, error))
        return false;
    uint64_t room = MIN((segment->pages - source->place) * page_size, xtf_source_size(file) - offset) - sizeof head;
    const char *fault = companion_fault(source, &head, room);
    if (fault)
        return fail_damaged(source, fault, error);

    uint32_t bytes = xtf_read32(head.length);
    g_autofree uint8_t *payload = g_malloc(MAX(bytes, 1));
    if (!file->ops->read(file, offset + sizeof head, payload, bytes, error))
        return false;
    if (xtf_read32(head.checksum) != xtf_page_checksum(&head, source->place, payload, bytes)) {
        fail_damaged(source, "the companion's checksum is wrong", error);
        if (file->ops->name_file)
            file->ops->name_file(file, offset, error);
        return false;
    }
    source->bytes = g_steal_pointer(&payload);
    source->length = bytes;
    return true;
}

static bool make_sealed(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    TableSource *source = context;

    if (!read_companion(source, error)) {
        xtf_trace_explain(source->array->trace, error);
        return false;
    }
    g_autofree uint8_t *bytes = (uint8_t *)source->bytes;
    return source->decode(source, data, length, error);
}

/* Returns the block decoded from a page's totals. The cache identifies it by the offset of their bytes. */
static XtfBlock *make_totals_block(TableSource *source, GError **error)
{
    const XtfArray *array = source->array;
    XtfCache *cache = xtf_array_cache(array);

    if (source->open)
        return find_open_tables(source, error)
                   ? xtf_cache_make(cache, source->edge->offset + (uint64_t)(source->bytes - source->edge->data),
                                    source->name, source->edge->version, source->decode, source, error)
                   : NULL;
    if (!find_companion(source, error))
        return NULL;
    return xtf_cache_make(cache, xtf_page_offset(xtf_array_segment(array), xtf_array_page_size(array), source->place),
                          source->name, xtf_array_page_version(array), make_sealed, source, error);
}

static XtfBlock *get_totals(TableSource *source, GError **error)
{
    source->decode = decode_totals;
    source->name = source->index + 1;
    g_autoptr(XtfBlock) block = make_totals_block(source, error);

    if (!block)
        return NULL;
    if (xtf_child_totals_are_of(xtf_block_child_totals(block), source->array, source->index, source->level,
                                source->first_n, source->n))
        return g_steal_pointer(&block);
    fail_damaged(source, "the cached totals belong to another page", error);
    return NULL;
}

static TableSource table_source(const XtfDescentPage *descent, unsigned index)
{
    return (TableSource){.array = descent->array,
                         .descent = descent,
                         .edge = descent->edge,
                         .index = index,
                         .level = descent->level,
                         .n = descent->page.count,
                         .first_n = descent->page.first_n,
                         .open = descent->open};
}

XtfBlock *xtf_stored_totals_get(const XtfDescentPage *descent, unsigned index, GError **error)
{
    TableSource source = table_source(descent, index);

    return get_totals(&source, error);
}

/* Tables of a page that are decoded from the totals of an aggregate. Their numbers give each cached blocks of its own;
 * get_totals() has number 0. */
typedef enum { FILTERS_OF_PAGE = 1, BEGUN_OF_PAGE, DEPTHS_OF_PAGE } PageTable;

/* Returns a decoded table of a page, pinned. Each kind of table begins with its XtfTotalsPage. */
static XtfBlock *get_page_table(const XtfDescentPage *descent, unsigned index, PageTable table, XtfBlockMaker decode,
                                GError **error)
{
    TableSource source = table_source(descent, index);
    source.decode = decode;
    source.name = table * XTF_AGGREGATES_MAX + index + 1;
    g_autoptr(XtfBlock) block = make_totals_block(&source, error);

    if (!block)
        return NULL;
    if (is_page(&source, (const XtfTotalsPage *)(const void *)block->data))
        return g_steal_pointer(&block);
    fail_damaged(&source, "the cached table belongs to another page", error);
    return NULL;
}

XtfBlock *xtf_stored_begun_get(const XtfDescentPage *descent, unsigned index, GError **error)
{
    return get_page_table(descent, index, BEGUN_OF_PAGE, decode_begun, error);
}

XtfBlock *xtf_stored_depths_get(const XtfDescentPage *descent, unsigned index, GError **error)
{
    return get_page_table(descent, index, DEPTHS_OF_PAGE, decode_depths, error);
}

XtfBlock *xtf_stored_filters_get(const XtfDescentPage *descent, unsigned index, GError **error)
{
    return get_page_table(descent, index, FILTERS_OF_PAGE, decode_filters, error);
}

bool xtf_stored_totals_tables(const XtfDescentPage *page, uint8_t **bytes, XtfBytesReader *tables, GError **error)
{
    TableSource source = table_source(page, 0);

    if (!(page->open ? find_open_tables(&source, error)
                     : find_companion(&source, error) && read_companion(&source, error)))
        return false;
    *bytes = page->open ? NULL : (uint8_t *)source.bytes;
    *tables = (XtfBytesReader){.at = source.bytes, .left = source.length};
    return true;
}

XtfBlock *xtf_stored_totals_of_array(const XtfArray *array, XtfBlock *edge, unsigned index, GError **error)
{
    return get_totals(
        &(TableSource){.array = array, .edge = edge, .index = index, .level = array->height, .n = 1, .open = true},
        error);
}
