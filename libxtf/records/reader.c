#include "libxtf/records/records-private.h"

#include "libxtf/base/le.h"
#include "libxtf/vocabulary.h"

enum {
    HEAP_MAX = 64, /* spans: more are read in batches */
};

/* A span and its current row, with the key of that row beside it: (t, location, seq, span). */
typedef struct {
    uint64_t t, location, seq;
    uint32_t span;
    uint32_t row_size;
    const uint8_t *row;
    uint64_t left; /* rows in the run, the current row included */
    const XtfField *seq_field;
    XtfSpanReader rows;
} Input;

struct XtfRecordReader {
    XtfSpans *spans;
    XtfRecordBatches *batches; /* of many spans; NULL: few, and: */
    Input *inputs;
    uint32_t n_inputs; /* made */
    uint32_t *heap;    /* of inputs with rows left; the first is the least */
    uint32_t n_heap;
    uint64_t taken; /* rows of the first input that the last run gave out */
};

static bool before(const Input *a, const Input *b)
{
    if (a->t != b->t)
        return a->t < b->t;
    if (a->location != b->location)
        return a->location < b->location;
    if (a->seq != b->seq)
        return a->seq < b->seq;
    return a->span < b->span;
}

static void sift_down(XtfRecordReader *reader, uint32_t at)
{
    uint32_t moving = reader->heap[at];

    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= reader->n_heap)
            break;
        if (child + 1 < reader->n_heap &&
            before(&reader->inputs[reader->heap[child + 1]], &reader->inputs[reader->heap[child]]))
            child++;
        if (!before(&reader->inputs[reader->heap[child]], &reader->inputs[moving]))
            break;
        reader->heap[at] = reader->heap[child];
        at = child;
    }
    reader->heap[at] = moving;
}

/* Begins the run that the span reader has come to, unless it is at its end. */
static void enter_run(Input *input)
{
    const XtfCursor *cursor = &input->rows.cursor;

    input->left = input->rows.n_rows;
    if (!input->left)
        return;
    input->row = xtf_cursor_row(cursor);
    input->t = xtf_cursor_time(cursor);
    input->seq = xtf_row_seq(input->seq_field, input->row, cursor->n);
}

static bool open_heap(XtfRecordReader *reader, const uint64_t *positions, GError **error)
{
    const XtfSpans *spans = reader->spans;

    reader->inputs = g_new0(Input, spans->n);
    reader->heap = g_new(uint32_t, spans->n);
    for (uint32_t i = 0; i < spans->n; i++) {
        const XtfSpan *span = &spans->spans[i];
        Input *input = &reader->inputs[reader->n_inputs];
        if (positions[i] >= span->hi)
            continue;
        *input = (Input){.location = span->array.location, .span = i, .row_size = span->array.schema->row_size};
        input->seq_field = xtf_schema_field_by_role(span->array.schema, XTF_ROLE_SEQ);
        xtf_span_reader_init(&input->rows, span);
        reader->heap[reader->n_heap++] = reader->n_inputs++;
        if (!xtf_span_reader_seek(&input->rows, positions[i], error))
            return false;
        enter_run(input);
    }
    for (uint32_t i = reader->n_heap / 2; i-- > 0;)
        sift_down(reader, i);
    return true;
}

XtfRecordReader *xtf_record_reader_new(XtfSpans *spans, uint64_t k, GError **error)
{
    g_autofree uint64_t *positions = g_new(uint64_t, spans->n + 1);
    g_autoptr(XtfRecordReader) reader = g_new0(XtfRecordReader, 1);

    reader->spans = xtf_spans_ref(spans);
    if (!xtf_spans_select(spans, k, positions, error))
        return NULL;
    if (spans->n <= HEAP_MAX) {
        if (!open_heap(reader, positions, error))
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
    g_free(reader->inputs);
    g_free(reader->heap);
    xtf_spans_unref(reader->spans);
    g_free(reader);
}

size_t xtf_record_reader_bytes(const XtfRecordReader *reader)
{
    size_t bytes = sizeof *reader + reader->spans->n * (sizeof(XtfSpan) + sizeof *reader->heap + sizeof(Input));

    for (uint32_t i = 0; i < reader->n_heap; i++) {
        const Input *input = &reader->inputs[reader->heap[i]];
        bytes += (size_t)input->rows.cursor.leaf_count * input->row_size;
    }
    return bytes + (reader->batches ? xtf_record_batches_bytes(reader->batches) : 0);
}

/* Moves the first input past the rows that were given out, and puts the heap in order again. */
static bool settle(XtfRecordReader *reader, GError **error)
{
    Input *input = &reader->inputs[reader->heap[0]];
    uint64_t taken = reader->taken;

    reader->taken = 0;
    input->left -= taken;
    if (input->left) {
        input->row += taken * input->row_size;
        input->t = xtf_load64(input->row);
        input->seq = input->seq_field ? xtf_field_get(input->seq_field, input->row) : input->seq + taken;
    } else {
        if (!xtf_span_reader_next(&input->rows, error))
            return false;
        enter_run(input);
        if (!input->left)
            reader->heap[0] = reader->heap[--reader->n_heap];
    }
    if (reader->n_heap > 1)
        sift_down(reader, 0);
    return true;
}

/* The number of rows of the first input, at most `max`, that come before all rows of the others. */
static uint64_t run_length(const XtfRecordReader *reader, const Input *input, uint64_t max)
{
    uint64_t limit = MIN(max, input->left), n = 1;
    const Input *rival;

    if (reader->n_heap < 2)
        return limit;
    rival = &reader->inputs[reader->heap[1]];
    if (reader->n_heap > 2 && before(&reader->inputs[reader->heap[2]], rival))
        rival = &reader->inputs[reader->heap[2]];
    for (const uint8_t *row = input->row + input->row_size; n < limit; row += input->row_size, n++) {
        uint64_t t = xtf_load64(row);
        if (t < rival->t)
            continue;
        if (t > rival->t || input->location > rival->location)
            break;
        if (input->location == rival->location) {
            uint64_t seq = input->seq_field ? xtf_field_get(input->seq_field, row) : input->seq + n;
            if (seq > rival->seq || (seq == rival->seq && input->span > rival->span))
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
    if (reader->taken && !settle(reader, error))
        return false;
    if (reader->n_heap && max) {
        const Input *input = &reader->inputs[reader->heap[0]];
        *run = (XtfRowRun){.span = &reader->spans->spans[input->span],
                           .rows = input->row,
                           .n_rows = run_length(reader, input, max),
                           .first = input->rows.cursor.n + (input->rows.n_rows - input->left)};
        reader->taken = run->n_rows;
    }
    return true;
}
