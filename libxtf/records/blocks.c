/*
 * Blocks of records: the next rows of all spans up to some time. The rows before that time are in the leaves that the
 * span readers have pinned. A radix sort (sorter.c) orders them by time. Rows of one span are already in order and the
 * sort is stable. So a sort key needs only the number of the span besides the time. Rows of one time and location are
 * ordered afterwards. Spans are in the order of their locations, so all other rows are then in order.
 */
#include "libxtf/records/records-private.h"

#include <stdlib.h>
#include <string.h>

#include "libxtf/base/le.h"
#include "libxtf/vocabulary.h"

enum {
    BLOCK_ROWS = 4096,      /* target rows of a block */
    ROWS_LEAST = 128,       /* minimum rows of a block that is worth sorting */
    SPAN_LEAST = 16,        /* rows of each span that a block may have, however many spans there are */
    RUNS_BEFORE_RETRY = 64, /* runs to return one by one when blocks did not pay, before the next attempt */
    SMALL_SHARE = 8,        /* no block if one span has all but 1/8 of its rows: runs of that span are long */
    WIDTH_BITS_MAX = 33,    /* log2 of the most ticks of a block: three digits of the sort */
};

/* A part of a block: the rows of one span before the block's end. */
typedef struct {
    XtfRecordInput *input;
    uint32_t n_rows;
} Part;

typedef struct {
    uint64_t from, to; /* times [from, to), ticks */
    uint32_t n_parts, n_rows;
    Part parts[XTF_RECORD_PARTS_MAX];
} Plan;

static uint64_t time_at(const XtfRecordInput *input, uint64_t n)
{
    return xtf_load64(input->row + n * input->row_size);
}

/* Returns the time at which a block must end because of one of its spans. This is the time of the earlier of two rows:
 * the last pinned row, and the row `most` rows ahead. UINT64_MAX if all remaining rows of the span are pinned. */
static uint64_t block_end(const XtfRecordInput *input, uint64_t most)
{
    const XtfSpanReader *rows = &input->rows;

    if (input->left > most)
        return time_at(input, most);
    if (rows->position + rows->n_rows < rows->span->hi)
        return time_at(input, input->left - 1);
    return UINT64_MAX;
}

/* Returns how many of the first `n` rows are before time t. */
static uint32_t count_before(const XtfRecordInput *input, uint32_t n, uint64_t t)
{
    uint32_t low = 0;

    if (n > 0 && time_at(input, n - 1) < t)
        return n;
    while (low < n) {
        uint32_t middle = low + (n - low) / 2;
        if (time_at(input, middle) < t)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* Inserts a part into a plan, whose parts are in the order of their spans. */
static void insert_part(Plan *plan, XtfRecordInput *input, uint32_t n_rows)
{
    uint32_t at = plan->n_parts++;

    for (; at > 0 && plan->parts[at - 1].input->span > input->span; at--)
        plan->parts[at] = plan->parts[at - 1];
    plan->parts[at] = (Part){input, n_rows};
    plan->n_rows += n_rows;
}

static void plan_block(XtfRecordReader *reader, uint64_t max, Plan *plan)
{
    uint64_t most = MAX((uint64_t)SPAN_LEAST, 2 * MIN(max, (uint64_t)BLOCK_ROWS) / reader->n_order);
    const uint64_t width = UINT64_C(1) << WIDTH_BITS_MAX;

    plan->n_parts = plan->n_rows = 0;
    plan->from = reader->order[0].t;
    plan->to = plan->from > UINT64_MAX - width ? UINT64_MAX : plan->from + width;
    for (uint32_t i = 0; i < reader->n_order && reader->order[i].t < plan->to; i++)
        plan->to = MIN(plan->to, block_end(&reader->inputs[reader->order[i].input], most));
    for (uint32_t i = 0; i < reader->n_order && reader->order[i].t < plan->to; i++) {
        XtfRecordInput *input = &reader->inputs[reader->order[i].input];
        insert_part(plan, input, count_before(input, (uint32_t)MIN(input->left, most), plan->to));
    }
}

static bool is_block_worthwhile(const Plan *plan)
{
    uint32_t largest = 0;

    for (uint32_t i = 0; i < plan->n_parts; i++)
        largest = MAX(largest, plan->parts[i].n_rows);
    return plan->n_rows >= ROWS_LEAST && largest < plan->n_rows - plan->n_rows / SMALL_SHARE;
}

static void make_keys(const Plan *plan, uint64_t *key)
{
    for (uint32_t i = 0; i < plan->n_parts; i++) {
        const XtfRecordInput *input = plan->parts[i].input;
        const uint8_t *row = input->row;
        for (uint32_t n = plan->parts[i].n_rows; n > 0; n--, row += input->row_size)
            *key++ = (xtf_load64(row) - plan->from) << XTF_RECORD_PART_BITS | i;
    }
}

/* Sort key among rows of one time. */
typedef struct {
    uint64_t location, seq, key;
} Tie;

static int compare_ties(const void *a, const void *b)
{
    const Tie *x = a, *y = b;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* Sorts n keys of one time. n_before[i]: number of rows of part i before these. */
static void sort_ties(const Plan *plan, uint64_t *keys, uint32_t n, const uint32_t *n_before)
{
    enum { FEW = 32 };
    Tie few[FEW], *ties = n <= FEW ? few : g_new(Tie, n);
    uint32_t next_row[XTF_RECORD_PARTS_MAX];

    memcpy(next_row, n_before, plan->n_parts * sizeof *next_row);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t part = keys[i] & ((1 << XTF_RECORD_PART_BITS) - 1), row = next_row[part]++;
        const XtfRecordInput *input = plan->parts[part].input;
        const XtfSpanReader *rows = &input->rows;
        uint64_t number = rows->cursor.n + (rows->n_rows - input->left) + row;
        ties[i] = (Tie){rows->span->array.location,
                        xtf_row_seq(input->seq_field, input->row + (size_t)row * input->row_size, number), keys[i]};
    }
    qsort(ties, n, sizeof *ties, compare_ties);
    for (uint32_t i = 0; i < n; i++)
        keys[i] = ties[i].key;
    if (ties != few)
        g_free(ties);
}

/* True if rows of one time are from different parts of one location. */
static bool needs_tie_order(const Plan *plan, const uint64_t *keys, uint32_t n)
{
    const uint64_t parts = (1 << XTF_RECORD_PART_BITS) - 1;

    for (uint32_t i = 1; i < n; i++) {
        const XtfRecordInput *a = plan->parts[keys[i - 1] & parts].input, *b = plan->parts[keys[i] & parts].input;
        if (a != b && a->rows.span->array.location == b->rows.span->array.location)
            return true;
    }
    return false;
}

static void order_ties(const Plan *plan, uint64_t *keys)
{
    uint32_t n_before[XTF_RECORD_PARTS_MAX] = {0};

    for (uint32_t i = 0, end; i < plan->n_rows; i = end) {
        for (end = i + 1; end < plan->n_rows && keys[end] >> XTF_RECORD_PART_BITS == keys[i] >> XTF_RECORD_PART_BITS;)
            end++;
        if (end - i > 1 && needs_tie_order(plan, keys + i, end - i))
            sort_ties(plan, keys + i, end - i, n_before);
        for (uint32_t j = i; j < end; j++)
            n_before[keys[j] & ((1 << XTF_RECORD_PART_BITS) - 1)]++;
    }
}

/* Stores the number of each row's part in `order`, for the first n rows. Returns true if consecutive rows have the same
 * time. */
static bool extract_order(const uint64_t *keys, uint32_t n, uint8_t *order)
{
    uint64_t before = ~keys[0], ties = 0;

    for (uint32_t i = 0; i < n; i++) {
        ties |= (keys[i] ^ before) >> XTF_RECORD_PART_BITS == 0;
        before = keys[i];
        order[i] = keys[i] & ((1 << XTF_RECORD_PART_BITS) - 1);
    }
    return ties;
}

/* Returns the first n rows of the plan in *block. */
static void fill_block(XtfRecordReader *reader, const Plan *plan, uint32_t n, XtfRecordBlock *block)
{
    uint32_t counts[XTF_RECORD_PARTS_MAX] = {0};

    for (uint32_t i = 0; i < n; i++)
        counts[reader->sorter->order[i]]++;
    for (uint32_t i = 0; i < plan->n_parts; i++) {
        XtfRecordInput *input = plan->parts[i].input;
        const XtfSpanReader *rows = &input->rows;
        input->returned = counts[i];
        block->parts[i] = (XtfRowRun){.span = rows->span,
                                      .rows = input->row,
                                      .n_rows = counts[i],
                                      .first = rows->cursor.n + (rows->n_rows - input->left)};
    }
    block->n_rows = n;
    block->n_parts = plan->n_parts;
    block->order = reader->sorter->order;
    reader->block_returned = true;
}

static bool next_run(XtfRecordReader *reader, uint64_t max, XtfRecordBlock *block, GError **error)
{
    block->order = NULL;
    block->n_parts = 1;
    if (!xtf_record_reader_next(reader, MIN(max, (uint64_t)UINT32_MAX), &block->parts[0], error))
        return false;
    block->n_rows = (uint32_t)block->parts[0].n_rows;
    return true;
}

bool xtf_record_reader_next_block(XtfRecordReader *reader, uint64_t max, XtfRecordBlock *block, GError **error)
{
    Plan plan;

    if (reader->batches || reader->runs_left > 0 || max < ROWS_LEAST) {
        reader->runs_left -= reader->runs_left > 0;
        return next_run(reader, max, block, error);
    }
    if (!xtf_record_reader_settle(reader, error))
        return false;
    if (reader->n_order > 1)
        plan_block(reader, max, &plan);
    if (reader->n_order < 2 || !is_block_worthwhile(&plan)) {
        reader->runs_left = reader->n_order > 1 && plan.n_rows < ROWS_LEAST ? plan.n_rows / 2 : RUNS_BEFORE_RETRY;
        return next_run(reader, max, block, error);
    }
    if (!reader->sorter)
        reader->sorter = xtf_record_sorter_new();
    xtf_record_sorter_reserve(reader->sorter, plan.n_rows);
    make_keys(&plan, reader->sorter->keys);
    xtf_record_sorter_sort(reader->sorter, plan.n_rows, plan.to - 1 - plan.from);
    if (extract_order(reader->sorter->sorted, plan.n_rows, reader->sorter->order)) {
        order_ties(&plan, reader->sorter->sorted);
        extract_order(reader->sorter->sorted, plan.n_rows, reader->sorter->order);
    }
    fill_block(reader, &plan, (uint32_t)MIN(max, plan.n_rows), block);
    return true;
}
