#include "libxtf/records/records-private.h"

#include <stdlib.h>
#include <string.h>

#include "libxtf/base/le.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"

enum {
    GATHERED_INPUTS = 1024, /* most spans whose first rows are read together (xtf_trace_gather()) */
    NEAR_INPUTS = 6,        /* a span's next row is mostly before the next rows of all but a few spans */
};

static inline bool is_before(const XtfRecordKey *a, const XtfRecordKey *b)
{
    if (a->t != b->t)
        return a->t < b->t;
    if (a->location != b->location)
        return a->location < b->location;
    if (a->seq != b->seq)
        return a->seq < b->seq;
    return a->input < b->input;
}

/* Removes the first key of the order, and inserts `moving` where the order requires. */
static void replace_first(XtfRecordReader *reader, XtfRecordKey moving)
{
    XtfRecordKey *order = reader->order;
    uint32_t low = 1, near = MIN(reader->n_order, 1 + (uint32_t)NEAR_INPUTS), high = reader->n_order;

    for (; low < near && is_before(&order[low], &moving); low++)
        order[low - 1] = order[low];
    if (low < near || low == high) {
        order[low - 1] = moving;
        return;
    }
    uint32_t first = low;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (is_before(&order[middle], &moving))
            low = middle + 1;
        else
            high = middle;
    }
    memmove(&order[first - 1], &order[first], (low - first) * sizeof *order);
    order[low - 1] = moving;
}

/* Sets the current run of an input from its span reader, unless the reader is at its end. */
static void enter_run(XtfRecordInput *input, XtfRecordKey *key)
{
    const XtfCursor *cursor = &input->rows.cursor;

    input->left = input->rows.n_rows;
    if (!input->left)
        return;
    input->row = xtf_cursor_row(cursor);
    key->t = xtf_cursor_time(cursor);
    key->seq = xtf_row_seq(input->seq_field, input->row, cursor->n);
}

static int compare_keys(const void *a, const void *b)
{
    return is_before(a, b) ? -1 : 1;
}

/* Positions in the spans of a reader. */
typedef struct {
    const XtfSpans *spans;
    const uint64_t *positions;
} Start;

/* Reads the row at each position. */
static void read_rows_at_start(void *data)
{
    const Start *start = data;
    uint8_t row[XTF_ROW_MAX];
    uint64_t n;

    for (uint32_t i = 0; i < start->spans->n; i++) {
        const XtfSpan *span = &start->spans->spans[i];
        if (start->positions[i] < span->hi && xtf_span_row_number(span, start->positions[i], &n, NULL))
            xtf_array_row(&span->array, n, row, NULL);
    }
}

static bool open_inputs(XtfRecordReader *reader, const uint64_t *positions, GError **error)
{
    const XtfSpans *spans = reader->spans;

    if (spans->n > 0 && spans->n <= GATHERED_INPUTS)
        xtf_trace_gather(spans->spans[0].array.trace, read_rows_at_start, &(Start){spans, positions});
    reader->inputs = g_new0(XtfRecordInput, spans->n);
    reader->order = g_new(XtfRecordKey, spans->n);
    for (uint32_t i = 0; i < spans->n; i++) {
        const XtfSpan *span = &spans->spans[i];
        XtfRecordInput *input = &reader->inputs[reader->n_inputs];
        XtfRecordKey *key = &reader->order[reader->n_order];
        if (positions[i] >= span->hi)
            continue;
        *input = (XtfRecordInput){.span = i, .row_size = span->array.schema->row_size};
        *key = (XtfRecordKey){.location = span->array.location, .input = reader->n_inputs++};
        input->seq_field = xtf_schema_field_by_role(span->array.schema, XTF_ROLE_SEQ);
        xtf_span_reader_init(&input->rows, span);
        if (!xtf_span_reader_seek(&input->rows, positions[i], error))
            return false;
        enter_run(input, key);
        reader->n_order++;
    }
    if (reader->n_order > 1)
        qsort(reader->order, reader->n_order, sizeof *reader->order, compare_keys);
    return true;
}

XtfRecordReader *xtf_record_reader_new(XtfSpans *spans, uint64_t k, GError **error)
{
    g_autofree uint64_t *positions = g_new(uint64_t, spans->n + 1);
    g_autoptr(XtfRecordReader) reader = g_new0(XtfRecordReader, 1);

    reader->spans = xtf_spans_ref(spans);
    if (!xtf_spans_select(spans, k, positions, error))
        return NULL;
    if (spans->n <= XTF_RECORD_INPUTS_MAX) {
        if (!open_inputs(reader, positions, error))
            return NULL;
    } else {
        reader->batches = xtf_record_batches_new(spans, g_steal_pointer(&positions), error);
        if (!reader->batches)
            return NULL;
    }
    return g_steal_pointer(&reader);
}

void xtf_record_reader_free(XtfRecordReader *reader)
{
    if (!reader)
        return;
    for (uint32_t i = 0; i < reader->n_inputs; i++)
        xtf_span_reader_finish(&reader->inputs[i].rows);
    xtf_record_batches_free(reader->batches);
    xtf_record_sorter_free(reader->sorter);
    g_free(reader->inputs);
    g_free(reader->order);
    xtf_spans_unref(reader->spans);
    g_free(reader);
}

size_t xtf_record_reader_bytes(const XtfRecordReader *reader)
{
    size_t bytes =
        sizeof *reader + reader->spans->n * (sizeof(XtfSpan) + sizeof *reader->order + sizeof(XtfRecordInput));

    for (uint32_t i = 0; i < reader->n_order; i++) {
        const XtfRecordInput *input = &reader->inputs[reader->order[i].input];
        bytes += (size_t)input->rows.cursor.leaf_count * input->row_size;
    }
    bytes += reader->sorter ? xtf_record_sorter_bytes(reader->sorter) : 0;
    return bytes + (reader->batches ? xtf_record_batches_bytes(reader->batches) : 0);
}

/* Moves an input past returned rows. It has no rows left when its span ends. */
static bool advance_input(XtfRecordInput *input, XtfRecordKey *key, uint64_t returned, GError **error)
{
    input->left -= returned;
    if (input->left) {
        input->row += returned * input->row_size;
        key->t = xtf_load64(input->row);
        key->seq = input->seq_field ? xtf_field_get(input->seq_field, input->row) : key->seq + returned;
        return true;
    }
    if (!xtf_span_reader_next(&input->rows, error))
        return false;
    enter_run(input, key);
    return true;
}

/* Moves the first input past the returned rows, and then to its place in the order. */
static bool settle_first(XtfRecordReader *reader, GError **error)
{
    XtfRecordKey key = reader->order[0];
    XtfRecordInput *input = &reader->inputs[key.input];
    uint64_t returned = reader->returned;

    reader->returned = 0;
    if (!advance_input(input, &key, returned, error))
        return false;
    if (!input->left)
        memmove(reader->order, reader->order + 1, --reader->n_order * sizeof *reader->order);
    else
        replace_first(reader, key);
    return true;
}

/* Sorts keys by insertion: the inputs without rows in the block are already in order. */
static void sort_keys(XtfRecordKey *keys, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        XtfRecordKey key = keys[i];
        uint32_t at = i;
        for (; at > 0 && is_before(&key, &keys[at - 1]); at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* Moves all inputs past the rows of the last block. */
static bool settle_block(XtfRecordReader *reader, GError **error)
{
    uint32_t kept = 0;

    reader->block_returned = false;
    for (uint32_t i = 0; i < reader->n_order; i++) {
        XtfRecordKey key = reader->order[i];
        XtfRecordInput *input = &reader->inputs[key.input];
        uint64_t returned = input->returned;
        input->returned = 0;
        if (returned && !advance_input(input, &key, returned, error))
            return false;
        if (input->left)
            reader->order[kept++] = key;
    }
    reader->n_order = kept;
    sort_keys(reader->order, kept);
    return true;
}

bool xtf_record_reader_settle(XtfRecordReader *reader, GError **error)
{
    if (reader->block_returned)
        return settle_block(reader, error);
    return !reader->returned || settle_first(reader, error);
}

/* Returns how many rows of the first input, at most `max`, precede all rows of the other inputs. */
static uint64_t run_length(const XtfRecordReader *reader, const XtfRecordInput *input, uint64_t max)
{
    uint64_t limit = MIN(max, input->left), n = 1;
    const XtfRecordKey *first_key = &reader->order[0], *second_key = &reader->order[1];

    if (reader->n_order < 2)
        return limit;
    for (const uint8_t *row = input->row + input->row_size; n < limit; row += input->row_size, n++) {
        uint64_t t = xtf_load64(row);
        if (t < second_key->t)
            continue;
        if (t > second_key->t || first_key->location > second_key->location)
            break;
        if (first_key->location == second_key->location) {
            uint64_t seq = input->seq_field ? xtf_field_get(input->seq_field, row) : first_key->seq + n;
            if (seq > second_key->seq || (seq == second_key->seq && first_key->input > second_key->input))
                break;
        }
    }
    return n;
}

bool xtf_record_reader_next(XtfRecordReader *reader, uint64_t max, XtfRowRun *run, GError **error)
{
    if (reader->batches)
        return xtf_record_batches_next(reader->batches, run, error);
    run->n_rows = 0;
    if (!xtf_record_reader_settle(reader, error))
        return false;
    if (reader->n_order && max) {
        const XtfRecordInput *input = &reader->inputs[reader->order[0].input];
        *run = (XtfRowRun){.span = &reader->spans->spans[input->span],
                           .rows = input->row,
                           .n_rows = run_length(reader, input, max),
                           .first = input->rows.cursor.n + (input->rows.n_rows - input->left)};
        reader->returned = run->n_rows;
    }
    return true;
}

bool xtf_records_each(XtfSpans *spans, XtfRowVisit visit, void *data, GError **error)
{
    g_autoptr(XtfRecordReader) reader = xtf_record_reader_new(spans, 0, error);
    XtfRowRun run;

    if (!reader)
        return false;
    for (;;) {
        if (!xtf_record_reader_next(reader, UINT64_MAX, &run, error))
            return false;
        if (run.n_rows == 0)
            return true;
        uint32_t row_size = run.span->array.schema->row_size;
        for (uint64_t i = 0; i < run.n_rows; i++)
            if (!visit(data, run.span, run.first + i, run.rows + i * row_size, error))
                return false;
    }
}
