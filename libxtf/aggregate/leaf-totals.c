/*
 * Adds rows of one leaf to a query of totals: row by row or, if the leaf is read again and again, by its digest.
 */
#include "libxtf/aggregate/digest.h"
#include "libxtf/aggregate/frames.h"
#include "libxtf/aggregate/query.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/totals/group-totals-private.h"

/* The rows of a leaf that a query reads: rows or, for totals of frames, columns of frames. */
typedef struct {
    const XtfDescentLeaf *leaf;
    bool of_frames;
    XtfPageView rows;    /* unless of_frames */
    XtfFrameLeaf frames; /* if of_frames */
    XtfOuterFrames outer;
    const XtfChildTotals *chunks; /* the leaf's digest; NULL: all rows are added without it */
} LeafRows;

static void finish_leaf_rows(LeafRows *rows)
{
    xtf_page_view_finish(&rows->rows);
    xtf_frame_leaf_finish(&rows->frames);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LeafRows, finish_leaf_rows)

static bool read_leaf_rows(const XtfTotalsQuery *query, const XtfDescentLeaf *leaf, LeafRows *rows, GError **error)
{
    *rows = (LeafRows){.leaf = leaf, .of_frames = query->totals && query->aggregate->kind == XTF_AGGREGATE_FRAMES};
    xtf_outer_frames_init(&rows->outer, query->array, query->index);
    return rows->of_frames ? xtf_frame_leaf_init(&rows->frames, leaf, query->index, &rows->outer.loader, error)
                           : xtf_descent_leaf_rows(leaf, &rows->rows, error);
}

static const XtfPageView *leaf_view(const LeafRows *rows)
{
    return rows->of_frames ? &rows->frames.view : &rows->rows;
}

static void capture_stack(XtfTotalsQuery *query, const XtfFrameStack *stack)
{
    for (unsigned i = 0; i < query->n_captures; i++) {
        XtfStackCapture *capture = &query->captures[i];
        if (capture->captured || capture->n != stack->n)
            continue;
        xtf_frame_stack_copy(capture->stack, stack);
        capture->captured = true;
    }
}

bool xtf_totals_query_adds_rows(const XtfTotalsQuery *query)
{
    const XtfGroupTotals *totals = query->totals;

    return !query->filter && (totals->depth == query->aggregate->n_keys || totals->plain);
}

void xtf_totals_query_add_groups(XtfTotalsQuery *query, const XtfGroupTotals *totals)
{
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++)
        if (xtf_totals_query_matches(query, xtf_group_totals_key(totals, i)))
            xtf_group_totals_add(query->totals, xtf_group_totals_key(totals, i), xtf_group_totals_cells(totals, i));
}

XtfLeafPart xtf_totals_query_part(const XtfTotalsQuery *query)
{
    const XtfGroupTotals *totals = query->totals;

    if (!totals && !query->filter)
        return XTF_LEAF_TIMES;
    return totals && totals->plain && totals->depth == 0 && !query->filter ? XTF_LEAF_SUMS + query->index
                                                                           : XTF_LEAF_ROWS;
}

/* Adds the sums over rows [from, to) of a leaf to the only group of totals without keys. */
static void add_sums(const XtfPageView *leaf, uint32_t from, uint32_t to, XtfGroupTotals *totals)
{
    const uint64_t no_key = 0;
    uint64_t *cells = xtf_group_totals_cells_of(totals, &no_key);

    cells[XTF_GROUP_ROWS] += to - from;
    for (unsigned i = 0; i < totals->aggregate->n_values; i++)
        cells[1 + i] += xtf_leaf_sum(leaf, i, from, to);
}

bool xtf_totals_query_add_group_rows(const XtfTotalsQuery *query, const XtfPageView *rows, uint32_t from, uint32_t to,
                                     XtfGroupTotals *totals, GError **error)
{
    const XtfSchema *schema = query->array->schema;

    if (rows->sums) {
        if (from < to) /* else there is no group */
            add_sums(rows, from, to, totals);
        return true;
    }
    return xtf_accumulate_rows(schema, query->aggregate, rows->payload + (size_t)from * schema->row_size, to - from,
                               NULL, NULL, totals, error);
}

/* Adds rows [from, to) of a leaf to totals of frames, which have all keys. */
static bool add_frame_rows(XtfTotalsQuery *query, LeafRows *leaf, uint32_t from, uint32_t to, XtfGroupTotals *totals,
                           GError **error)
{
    uint32_t start = leaf->chunks ? from / XTF_CHUNK_ROWS * XTF_CHUNK_ROWS : 0;
    XtfFrameLeaf *frames = &leaf->frames;
    g_auto(XtfFrameStack) stack;

    xtf_frame_stack_init(&stack);
    if (leaf->chunks)
        xtf_child_totals_stack(leaf->chunks, start / XTF_CHUNK_ROWS, leaf->leaf->first_n + start, &stack);
    else if (!xtf_frames_before_leaf(leaf->leaf, query->index, &stack, error))
        return false;
    if (!xtf_frame_leaf_seek(frames, start, leaf->chunks && leaf->chunks->nests, error) ||
        !xtf_frame_leaf_add(frames, from, &stack, NULL, error))
        return false;
    capture_stack(query, &stack);
    if (!xtf_frame_leaf_add(frames, to, &stack, totals, error))
        return false;
    capture_stack(query, &stack);
    return true;
}

/* Adds rows [from, to). */
static bool add_leaf_rows(XtfTotalsQuery *query, LeafRows *leaf, uint32_t from, uint32_t to, GError **error)
{
    g_autoptr(XtfGroupTotals) row_totals =
        xtf_totals_query_adds_rows(query) ? NULL : xtf_group_totals_new(query->aggregate, query->aggregate->n_keys);
    XtfGroupTotals *totals = row_totals ? row_totals : query->totals;

    if (!(leaf->of_frames ? add_frame_rows(query, leaf, from, to, totals, error)
                          : xtf_totals_query_add_group_rows(query, &leaf->rows, from, to, totals, error)))
        return false;
    if (row_totals)
        xtf_totals_query_add_groups(query, row_totals);
    return true;
}

bool xtf_row_matches(const XtfSchema *schema, unsigned index, const XtfGroupFilter *filter, const uint8_t *row)
{
    const XtfAggregate *aggregate = &schema->aggregates[index];
    uint64_t key[XTF_AGGREGATE_KEYS_MAX];

    if (!filter)
        return true;
    if (filter->begins_only && xtf_field_get(&schema->fields[aggregate->values[0]], row) != 0)
        return false;
    if (filter->exact) {
        bool same = true;
        for (unsigned k = aggregate->n_keys; k > 0 && same; k--) /* the last differs most often */
            same = xtf_field_get(&schema->fields[aggregate->keys[k - 1]], row) == filter->exact[k - 1];
        return same;
    }
    if (filter->accepts_row)
        return filter->accepts_row(row, filter->data);
    if (!filter->match)
        return true;
    xtf_aggregate_row_key(schema, aggregate, row, key);
    return filter->match(key, aggregate->n_keys, filter->data) == XTF_MATCH_ALL;
}

void xtf_totals_query_count_rows(XtfTotalsQuery *query, const XtfPageView *rows, uint32_t from, uint32_t to)
{
    const XtfSchema *schema = query->array->schema;

    for (uint32_t i = from; i < to; i++)
        query->count +=
            xtf_row_matches(schema, query->index, query->filter, rows->payload + (size_t)i * schema->row_size);
}

/* Adds rows [from, to) of a leaf, possibly none. With a digest, the rows are all in one chunk. */
static bool add_rows_of_chunk(XtfTotalsQuery *query, LeafRows *leaf, uint32_t from, uint32_t to, GError **error)
{
    if (from >= to)
        return true;
    if (query->totals)
        return add_leaf_rows(query, leaf, from, to, error);
    xtf_totals_query_count_rows(query, &leaf->rows, from, to);
    return true;
}

/* Adds rows [from, to) of a leaf by its digest. */
static bool add_rows_by_digest(XtfTotalsQuery *query, LeafRows *leaf, uint32_t from, uint32_t to, GError **error)
{
    g_autoptr(XtfBlock) block = xtf_leaf_digest_get(leaf->leaf, query->index, error);
    if (!block)
        return false;

    const XtfChildTotals *chunks = leaf->chunks = xtf_block_child_totals(block);
    uint32_t first = (from + XTF_CHUNK_ROWS - 1) / XTF_CHUNK_ROWS; /* whole chunks are [first, last) */
    uint32_t last = to == leaf_view(leaf)->count ? chunks->n : to / XTF_CHUNK_ROWS;
    if (first > last) /* both edges are in one chunk */
        return add_rows_of_chunk(query, leaf, from, to, error);
    if (!add_rows_of_chunk(query, leaf, from, MIN(first * XTF_CHUNK_ROWS, to), error))
        return false;
    XtfPageTotals totals;
    xtf_page_totals_init(&totals, query, chunks);
    for (uint32_t i = first; i < last;) {
        const XtfTotalsTier *tier;
        uint32_t item;
        i = xtf_page_totals_next(&totals, i, last, &tier, &item);
        xtf_page_totals_add(&totals, tier, item);
    }
    xtf_page_totals_finish(&totals);
    return add_rows_of_chunk(query, leaf, last * XTF_CHUNK_ROWS, to, error);
}

bool xtf_totals_query_begun_rows(const XtfTotalsQuery *query, const XtfDescentLeaf *leaf, XtfLeafZeros *zeros,
                                 GError **error)
{
    *zeros = (XtfLeafZeros){0};
    if (!xtf_totals_query_counts_begun(query))
        return true;
    return xtf_descent_leaf_zeros(leaf, query->aggregate->values[0], zeros, error);
}

/* Counts the rows of a leaf that begin frames of any key, without unpacking them. Sets *counted to false if the query
 * or the leaf does not allow it. */
static bool count_begun(XtfTotalsQuery *query, const XtfDescentLeaf *leaf, uint32_t from, uint32_t to, bool *counted,
                        GError **error)
{
    g_auto(XtfLeafZeros) zeros = {0};

    *counted = false;
    if (!xtf_totals_query_begun_rows(query, leaf, &zeros, error))
        return false;
    *counted = zeros.block != NULL;
    if (*counted)
        query->count += xtf_leaf_zeros_count(&zeros, from, to);
    return true;
}

bool xtf_totals_query_add_leaf(XtfTotalsQuery *query, const XtfDescentLeaf *leaf, uint64_t n1, uint64_t n2,
                               GError **error)
{
    uint32_t from = (uint32_t)(n1 - leaf->first_n), to = (uint32_t)(n2 - leaf->first_n);
    g_auto(LeafRows) rows = {0};
    bool counted;

    if (!count_begun(query, leaf, from, to, &counted, error) || counted)
        return counted;
    if (!read_leaf_rows(query, leaf, &rows, error))
        return false;
    XtfLeafRead read = query->n_captures > 0 ? XTF_READ_FOR_PROFILE : XTF_READ_FOR_TOTALS;
    if (xtf_leaf_needs_no_digest(leaf) || xtf_leaf_is_new(leaf_view(&rows), read))
        return add_rows_of_chunk(query, &rows, from, to, error);
    return add_rows_by_digest(query, &rows, from, to, error);
}

bool xtf_totals_query_scan_leaf(XtfTotalsQuery *query, const XtfDescentLeaf *leaf, uint64_t n1, uint64_t n2,
                                GError **error)
{
    g_auto(XtfPageView) rows = {0};

    if (!xtf_descent_leaf_rows(leaf, &rows, error))
        return false;
    xtf_totals_query_count_rows(query, &rows, (uint32_t)(n1 - leaf->first_n), (uint32_t)(n2 - leaf->first_n));
    return true;
}
