/*
 * Packs the tables of an index page: of all children together, or in batches of children (totals/tables/batches.h).
 *
 * A reader of one child unpacks its batch and, to sum many children, the totals of whole batches. So small batches are
 * read fast. But they pack worse, and the totals of batches take space, too. In a trace of 46 regions, batches of 16
 * children make companions a fifth longer, and the file 1.7 %. A profile of 100 slices then takes half of the time.
 */
#include "libxtf/totals/tables/batches.h"
#include "libxtf/write/aggregates/aggregate-writer-private.h"

enum {
    BATCH_ROWS = 512,  /* least rows of totals of a batch, of the aggregate that has most */
    BATCHES_LEAST = 3, /* with fewer batches a reader would save too little */
    FEW_GROUPS = 16,   /* the totals of a batch may have this many groups, even if they save nothing */
};

/* Rows of a table that grow, and their schema; the rows are NULL if the page has no such table. */
typedef struct {
    const XtfSchema *schema;
    const GByteArray *rows;
} OpenTable;

static OpenTable get_table(const XtfAggregateWriter *writer, unsigned index, const XtfOpenPageTotals *totals,
                           XtfTotalsKind kind)
{
    switch (kind) {
    case XTF_TOTALS_OF_GROUPS:
        return (OpenTable){xtf_stored_totals_schema(&writer->schema->aggregates[index]), totals->rows};
    case XTF_TOTALS_BORDERS:
        return (OpenTable){xtf_stored_border_schema(), totals->borders};
    case XTF_TOTALS_SNAPSHOTS:
        return (OpenTable){xtf_stored_snapshot_schema(), totals->snapshots};
    default:
        return (OpenTable){xtf_stored_filter_schema(), totals->filters};
    }
}

bool xtf_aggregate_writer_append_totals(GByteArray *rows, uint32_t number, XtfGroupTotals *totals, uint64_t most)
{
    most = CLAMP(most, XTF_CHILD_GROUPS_LEAST, rows->len < XTF_TABLE_BYTES ? XTF_CHILD_GROUPS : XTF_CHILD_GROUPS_LEAST);
    g_autoptr(XtfGroupTotals) coarse =
        totals->n > most && totals->depth > 0 ? xtf_group_totals_coarsen(totals, most) : NULL;
    XtfGroupTotals *stored = coarse ? coarse : totals;

    xtf_group_totals_sort(stored);
    for (uint32_t i = 0; i < stored->n; i++)
        xtf_stored_totals_append(rows, number, stored->aggregate, stored->depth, xtf_group_totals_key(stored, i),
                                 xtf_group_totals_cells(stored, i));
    return coarse;
}

void xtf_aggregate_writer_pack_tables(const XtfAggregateWriter *writer, unsigned index, const XtfOpenPageTotals *totals,
                                      GByteArray *payload)
{
    for (XtfTotalsKind kind = XTF_TOTALS_OF_GROUPS; kind < XTF_TOTALS_KINDS; kind++) {
        const OpenTable table = get_table(writer, index, totals, kind);
        const XtfDiskTotals head = {.kind = (uint8_t)kind, .aggregate = (uint8_t)index};
        if (table.rows)
            xtf_stored_rows_pack(head, table.schema, xtf_codec(writer->codec), table.rows->data,
                                 table.rows->len / table.schema->row_size, payload);
    }
}

/* ---- Batches. */

/* Returns the base-2 logarithm of the children of a batch, or 0. */
static unsigned choose_batch(const XtfAggregateWriter *writer, const XtfOpenPage *page)
{
    const uint64_t n = page->n_children;
    uint64_t rows = 0;
    unsigned bits = XTF_BATCH_BITS_LEAST;

    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        const OpenTable table = get_table(writer, index, &page->totals[index], XTF_TOTALS_OF_GROUPS);
        rows = MAX(rows, table.rows->len / table.schema->row_size);
    }
    while (bits < XTF_BATCH_BITS_MOST && (rows << bits) < n * BATCH_ROWS)
        bits++;
    return xtf_batches_count(page->n_children, bits) >= BATCHES_LEAST ? bits : 0;
}

/* Rows of a table, from the next one to be packed on. */
typedef struct {
    OpenTable table;
    uint32_t at, n;
} TableRows;

static TableRows rows_of_table(OpenTable table)
{
    return (TableRows){.table = table, .n = table.rows ? table.rows->len / table.schema->row_size : 0};
}

static const uint8_t *next_row(const TableRows *rows)
{
    return rows->table.rows->data + (size_t)rows->at * rows->table.schema->row_size;
}

/* Takes the rows of the children before `end`. Returns the first row, and sets *n to their number. */
static const uint8_t *take_rows(TableRows *rows, uint32_t end, uint32_t *n)
{
    const uint32_t first = rows->at;
    const uint8_t *row = rows->n > 0 ? next_row(rows) : NULL;

    while (rows->at < rows->n && xtf_load64(next_row(rows)) < end) /* every row begins with its child */
        rows->at++;
    *n = rows->at - first;
    return row;
}

/* Returns the totals of rows of totals, by the keys that all of them have. */
static XtfGroupTotals *sum_rows(const XtfAggregate *aggregate, const XtfSchema *schema, const uint8_t *row, uint32_t n)
{
    const XtfField *fields = schema->fields;
    const unsigned n_keys = aggregate->n_keys, n_cells = xtf_aggregate_n_cells(aggregate);
    uint64_t depth = n_keys, numbers[XTF_AGGREGATE_KEYS_MAX + XTF_AGGREGATE_CELLS_MAX];

    for (uint32_t i = 0; i < n; i++)
        depth = MIN(depth, xtf_field_get(&fields[XTF_TOTALS_DEPTH], row + (size_t)i * schema->row_size));
    XtfGroupTotals *totals = xtf_group_totals_new(aggregate, (unsigned)depth);
    for (; n > 0; n--, row += schema->row_size) {
        for (unsigned i = 0; i < n_keys + n_cells; i++)
            numbers[i] = xtf_field_get(&fields[XTF_TOTALS_KEYS + i], row);
        /* Rows that end frames that never began are also counted under their own keys. */
        if (aggregate->kind == XTF_AGGREGATE_FRAMES && depth == 0 && numbers[0] == XTF_FRAMES_BEFORE)
            continue;
        xtf_group_totals_add(totals, numbers, numbers + n_keys);
    }
    return totals;
}

/* Appends the tables of an aggregate that section 0 has: totals of the batches, and filters. */
static void pack_sums(const XtfAggregateWriter *writer, unsigned index, const XtfOpenPage *page, unsigned bits,
                      GByteArray *payload)
{
    const XtfAggregate *aggregate = &writer->schema->aggregates[index];
    const XtfOpenPageTotals *totals = &page->totals[index];
    const XtfCodec *codec = xtf_codec(writer->codec);
    const OpenTable filters = get_table(writer, index, totals, XTF_TOTALS_FILTERS);
    TableRows rows = rows_of_table(get_table(writer, index, totals, XTF_TOTALS_OF_GROUPS));
    g_autoptr(GByteArray) sums = g_byte_array_new();
    XtfDiskTotals head = {.kind = XTF_TOTALS_OF_GROUPS, .aggregate = (uint8_t)index};

    for (uint32_t batch = 0; batch < xtf_batches_count(page->n_children, bits); batch++) {
        uint32_t n;
        const uint8_t *first = take_rows(&rows, (batch + 1) << bits, &n);
        g_autoptr(XtfGroupTotals) sum = sum_rows(aggregate, rows.table.schema, first, n);
        xtf_aggregate_writer_append_totals(sums, batch, sum,
                                           aggregate->n_keys > 1 ? MAX(n / 4, (uint32_t)FEW_GROUPS) : XTF_CHILD_GROUPS);
    }
    xtf_stored_rows_pack(head, rows.table.schema, codec, sums->data, sums->len / rows.table.schema->row_size, payload);
    head.kind = XTF_TOTALS_FILTERS;
    if (filters.rows)
        xtf_stored_rows_pack(head, filters.schema, codec, filters.rows->data,
                             filters.rows->len / filters.schema->row_size, payload);
}

/* Appends the tables of the children before `end` that are not packed yet. */
static void pack_batch(const XtfAggregateWriter *writer, TableRows rows[XTF_AGGREGATES_MAX][XTF_TOTALS_KINDS],
                       uint32_t end, GByteArray *payload)
{
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++)
        for (XtfTotalsKind kind = XTF_TOTALS_OF_GROUPS; kind <= XTF_TOTALS_SNAPSHOTS; kind++) {
            const XtfDiskTotals head = {.kind = (uint8_t)kind, .aggregate = (uint8_t)index};
            TableRows *table = &rows[index][kind];
            uint32_t n;
            const uint8_t *first = take_rows(table, end, &n);
            xtf_stored_rows_pack(head, table->table.schema, xtf_codec(writer->codec), first, n, payload);
        }
}

unsigned xtf_aggregate_writer_pack_batches(const XtfAggregateWriter *writer, const XtfOpenPage *page,
                                           GByteArray *payload)
{
    const unsigned bits = choose_batch(writer, page);
    TableRows rows[XTF_AGGREGATES_MAX][XTF_TOTALS_KINDS];

    if (bits == 0)
        return 0;
    const uint32_t n = xtf_batches_count(page->n_children, bits);
    const guint directory = payload->len;
    g_byte_array_set_size(payload, directory + xtf_batches_directory_size(n));
    memset(payload->data + directory, 0, payload->len - directory);
    guint start = payload->len;
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        pack_sums(writer, index, page, bits, payload);
        for (XtfTotalsKind kind = XTF_TOTALS_OF_GROUPS; kind <= XTF_TOTALS_SNAPSHOTS; kind++)
            rows[index][kind] = rows_of_table(get_table(writer, index, &page->totals[index], kind));
    }
    xtf_batches_end_section(payload, directory, 0, start);
    for (uint32_t batch = 0; batch < n; batch++) {
        start = payload->len;
        pack_batch(writer, rows, MIN((batch + 1) << bits, page->n_children), payload);
        xtf_batches_end_section(payload, directory, 1 + batch, start);
    }
    return bits;
}
