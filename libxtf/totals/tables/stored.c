#include "libxtf/totals/tables/stored.h"

#include "libxtf/totals/tables/read-tables.h"

/* Totals to decode, and the page or right edge that has them. */
typedef struct {
    const XtfArray *array;
    /* The page; NULL: the totals of the whole array, as the only child of a page above the root. */
    const XtfDescentPage *descent;
    XtfBlock *edge;
    unsigned index, level;
    uint32_t n; /* number of the page's children */
    uint64_t first_n;
    bool open;
    uint64_t place;            /* place of a sealed page's companion */
    unsigned batch_bits;       /* base-2 logarithm of the children of a batch; 0: no batches */
    uint32_t section;          /* of a companion in batches: the section to decode; ALL_SECTIONS */
    XtfCompanionTables tables; /* bytes read from the companion */
    XtfBytesReader bytes;      /* the tables, once they are found in the right edge or read from the companion */
    XtfBlockMaker decode;      /* decodes source->bytes */
    uint32_t name;             /* distinguishes the block from others made of the same bytes */
} TableSource;

enum { ALL_SECTIONS = UINT32_MAX };

static bool fail_damaged(const TableSource *source, const char *fault, GError **error)
{
    const XtfArray *array = source->array;

    if (!source->open)
        return xtf_companion_fail(source->descent, source->place, fault, error);
    return xtf_damaged(error, "array %u: its right edge (byte %" PRIu64 "): totals of level %u: %s", array->id,
                       array->edge_offset, source->level, fault);
}

static bool has_borders(const TableSource *source)
{
    return source->descent && source->array->schema->aggregates[source->index].kind == XTF_AGGREGATE_FRAMES;
}

/* Finds the tables of an aggregate, by kind. Skips tables of other kinds. Returns a fault, or NULL. */
static const char *find_tables(XtfBytesReader reader, unsigned index, XtfPackedRows tables[XTF_TOTALS_KINDS])
{
    memset(tables, 0, XTF_TOTALS_KINDS * sizeof *tables);
    while (reader.left > 0 && !reader.failed) {
        XtfPackedRows table = xtf_stored_rows_next(&reader);
        if (table.aggregate != index || table.kind >= XTF_TOTALS_KINDS)
            continue;
        if (tables[table.kind].n > 0)
            return "a table occurs twice";
        if (table.n == 0)
            return "a table has no rows";
        tables[table.kind] = table;
    }
    return reader.failed ? "the tables are truncated" : NULL;
}

static uint32_t count_batches(const TableSource *source)
{
    return source->batch_bits > 0 ? xtf_batches_count(source->n, source->batch_bits) : 1;
}

/* Returns the children of a batch; without batches, all. */
static XtfChildren children_of_batch(const TableSource *source, uint32_t batch)
{
    const uint32_t size = source->batch_bits > 0 ? UINT32_C(1) << source->batch_bits : source->n, first = batch * size;

    return (XtfChildren){
        .array = source->array, .page = source->descent, .first = first, .n = MIN(size, source->n - first), .step = 1};
}

/* Returns the children, or the batches, whose totals source->bytes has. */
static XtfChildren children_of_source(const TableSource *source)
{
    if (source->batch_bits > 0 && source->section == 0)
        return (XtfChildren){.array = source->array,
                             .page = source->descent,
                             .n = count_batches(source),
                             .step = UINT32_C(1) << source->batch_bits};
    return children_of_batch(source, source->batch_bits > 0 ? source->section - 1 : 0);
}

/* Finds the tables of a batch of a companion that was read whole, as find_tables() does; without batches, all. */
static const char *find_tables_of_batch(const TableSource *source, uint32_t batch,
                                        XtfPackedRows tables[XTF_TOTALS_KINDS])
{
    return find_tables(source->batch_bits > 0 ? xtf_companion_section(source->descent, &source->tables, 1 + batch)
                                              : source->bytes,
                       source->index, tables);
}

/* Decodes source->bytes. */
static bool decode_totals(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    const TableSource *source = context;
    g_autoptr(XtfChildTotalsBuilder) builder =
        xtf_child_totals_builder_new(source->array, source->index, source->level, source->first_n);
    XtfPackedRows tables[XTF_TOTALS_KINDS];
    const char *fault = find_tables(source->bytes, source->index, tables);
    const XtfChildren below = children_of_source(source);
    g_auto(XtfMappedGroups) to = {0};

    xtf_child_totals_builder_set_children(builder, below.first, below.step);
    if (!xtf_mapped_groups_init(&to, source->array, source->index, builder, error))
        return false;
    if (!fault)
        fault = xtf_groups_read(&below, &tables[XTF_TOTALS_OF_GROUPS], &to);
    if (!fault && below.step == 1 && has_borders(source))
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

/* Counts the frames that begin below all children; returns a fault, or NULL. */
static const char *count_begun(const TableSource *source, uint64_t *before)
{
    const XtfAggregate *aggregate = &source->array->schema->aggregates[source->index];
    const char *fault = NULL;

    before[0] = 0;
    for (uint32_t batch = 0; !fault && batch < count_batches(source); batch++) {
        const XtfChildren below = children_of_batch(source, batch);
        XtfPackedRows tables[XTF_TOTALS_KINDS];
        fault = find_tables_of_batch(source, batch, tables);
        if (!fault)
            fault = xtf_groups_count_begun(&below, aggregate, &tables[XTF_TOTALS_OF_GROUPS], before + below.first);
    }
    return fault;
}

/* Reads the depths of the borders of all children; returns a fault, or NULL. */
static const char *read_depths(const TableSource *source, uint64_t *depths)
{
    const char *fault = NULL;

    for (uint32_t batch = 0; !fault && batch < count_batches(source); batch++) {
        const XtfChildren below = children_of_batch(source, batch);
        XtfPackedRows tables[XTF_TOTALS_KINDS];
        fault = find_tables_of_batch(source, batch, tables);
        g_autofree XtfBorder *borders = fault ? NULL : xtf_borders_read(&below, &tables[XTF_TOTALS_BORDERS], &fault);
        for (uint32_t i = 0; borders && i < below.n; i++)
            depths[below.first + i] = borders[i].depth;
    }
    return fault;
}

/* Sets numbers from all tables of a page; returns a fault, or NULL. */
typedef const char *(*ReadPageNumbers)(const TableSource *source, uint64_t *numbers);

/* Decodes n numbers, at most one more than the page has children. */
static bool decode_numbers(const TableSource *source, uint32_t n, ReadPageNumbers read, uint8_t **data,
                           uint32_t *length, GError **error)
{
    const uint32_t size = (uint32_t)(sizeof(XtfPageNumbers) + n * sizeof(uint64_t));
    g_autofree uint8_t *bytes = g_malloc(size);
    uint64_t *numbers = (uint64_t *)(void *)(bytes + sizeof(XtfPageNumbers));
    const char *fault = read(source, numbers);

    if (fault)
        return fail_damaged(source, fault, error);
    *(XtfPageNumbers *)(void *)bytes = (XtfPageNumbers){.page = identify_page(source), .numbers = numbers};
    *length = size;
    *data = g_steal_pointer(&bytes);
    return true;
}

static bool decode_begun(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    const TableSource *source = context;

    return decode_numbers(source, source->n + 1, count_begun, data, length, error);
}

static bool decode_depths(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    const TableSource *source = context;

    return decode_numbers(source, source->n, read_depths, data, length, error);
}

/* Decodes the filters in source->bytes. */
static bool decode_filters(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    const TableSource *source = context;
    const XtfTotalsPage page = identify_page(source);
    XtfPackedRows tables[XTF_TOTALS_KINDS];
    const char *fault = find_tables(source->bytes, source->index, tables);
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

/* Finds the bytes of an open page's tables in the right edge. */
static bool find_open_tables(TableSource *source, GError **error)
{
    const XtfBlock *edge = source->edge;

    source->bytes = xtf_edge_totals(edge->data, edge->length, source->array->height, source->level);
    return !source->bytes.failed || fail_damaged(source, "the tables are truncated", error);
}

/* Reads the tables of a sealed page that the source needs. */
static bool read_sealed_tables(TableSource *source, GError **error)
{
    const bool all = source->batch_bits == 0 || source->section == ALL_SECTIONS;

    if (!(all ? xtf_companion_read(source->descent, source->place, &source->tables, error)
              : xtf_companion_read_section(source->descent, source->place, source->section, &source->tables, error)))
        return false;
    source->bytes = (XtfBytesReader){.at = source->tables.bytes, .left = source->tables.length};
    return true;
}

static bool make_sealed(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    TableSource *source = context;

    if (!read_sealed_tables(source, error)) {
        xtf_trace_explain(source->array->trace, error);
        return false;
    }
    bool decoded = source->decode(source, data, length, error);
    xtf_companion_tables_finish(&source->tables);
    return decoded;
}

/* Returns the offset that identifies the bytes to be decoded: that of the companion or, for a section, that of its
 * entry in the directory. */
static uint64_t offset_of_bytes(const TableSource *source)
{
    const uint64_t companion =
        xtf_page_offset(xtf_array_segment(source->array), xtf_array_page_size(source->array), source->place);

    if (source->batch_bits == 0 || source->section == ALL_SECTIONS)
        return companion;
    return companion + sizeof(XtfDiskPage) + sizeof(XtfDiskBatches) + source->section * sizeof(XtfDiskBatch);
}

/* Returns the block decoded from a page's totals. The cache identifies it by the offset of their bytes. */
static XtfBlock *make_totals_block(TableSource *source, GError **error)
{
    const XtfArray *array = source->array;
    XtfCache *cache = xtf_array_cache(array);

    if (source->open)
        return find_open_tables(source, error)
                   ? xtf_cache_make(cache, source->edge->offset + (uint64_t)(source->bytes.at - source->edge->data),
                                    source->name, source->edge->version, source->decode, source, error)
                   : NULL;
    if (!xtf_companion_find(source->descent, &source->place, error))
        return NULL;
    return xtf_cache_make(cache, offset_of_bytes(source), source->name, xtf_array_page_version(array), make_sealed,
                          source, error);
}

/* Tables of a page that are decoded from the totals of an aggregate. Their numbers give each cached blocks of its own.
 */
typedef enum { TOTALS_OF_PAGE, FILTERS_OF_PAGE, BEGUN_OF_PAGE, DEPTHS_OF_PAGE } PageTable;

static uint32_t name_table(const TableSource *source, PageTable table)
{
    return table * XTF_AGGREGATES_MAX + source->index + 1;
}

static XtfBlock *get_totals(TableSource *source, GError **error)
{
    const XtfChildren below = children_of_source(source);

    source->decode = decode_totals;
    source->name = name_table(source, TOTALS_OF_PAGE);
    g_autoptr(XtfBlock) block = make_totals_block(source, error);

    if (!block)
        return NULL;
    const XtfChildTotals *totals = xtf_block_child_totals(block);
    if (xtf_child_totals_are_of(totals, source->array, source->index, source->level, source->first_n, below.n) &&
        totals->first == below.first && totals->step == below.step)
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
                         .open = descent->open,
                         .batch_bits = xtf_companion_batch_bits(descent)};
}

uint32_t xtf_stored_batch_size(const XtfDescentPage *descent)
{
    const unsigned bits = xtf_companion_batch_bits(descent);

    return bits > 0 ? UINT32_C(1) << bits : descent->page.count;
}

XtfBlock *xtf_stored_totals_get(const XtfDescentPage *descent, unsigned index, uint32_t child, GError **error)
{
    TableSource source = table_source(descent, index);

    source.section = 1 + (child >> source.batch_bits);
    return get_totals(&source, error);
}

XtfBlock *xtf_stored_totals_of_batches(const XtfDescentPage *descent, unsigned index, GError **error)
{
    TableSource source = table_source(descent, index);

    return get_totals(&source, error);
}

/* Returns a decoded table of a page, pinned. Each kind of table begins with its XtfTotalsPage. */
static XtfBlock *get_page_table(const XtfDescentPage *descent, unsigned index, PageTable table, XtfBlockMaker decode,
                                GError **error)
{
    TableSource source = table_source(descent, index);
    source.decode = decode;
    source.section = table == FILTERS_OF_PAGE ? 0 : ALL_SECTIONS;
    source.name = name_table(&source, table);
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

bool xtf_stored_totals_tables(const XtfDescentPage *page, XtfCompanionTables *tables, XtfBytesReader *bytes,
                              GError **error)
{
    TableSource source = table_source(page, 0);

    source.section = ALL_SECTIONS;
    if (!(page->open ? find_open_tables(&source, error)
                     : xtf_companion_find(page, &source.place, error) && read_sealed_tables(&source, error)))
        return false;
    *tables = source.tables;
    *bytes = source.bytes;
    return true;
}

XtfBlock *xtf_stored_totals_of_array(const XtfArray *array, XtfBlock *edge, unsigned index, GError **error)
{
    return get_totals(
        &(TableSource){.array = array, .edge = edge, .index = index, .level = array->height, .n = 1, .open = true},
        error);
}
