#include "src/query/select/merge.h"

#include <string.h>

#include "libxtf/vocabulary.h"
#include "src/query/select/merge-batches.h"
#include "src/query/select/select.h"

enum {
    HEAP_MAX = 64, /* spans: more are read in slices */
};

/* One span on its way. The key of its current row is kept beside it: (t, location, seq, span). */
typedef struct {
    uint64_t t, location, seq;
    uint32_t span;
    uint32_t row_size;
    const uint8_t *row; /* the current one */
    uint64_t left;      /* rows in the walk's run, the current one included */
    const XtfField *seq_field;
    XtfSpanReader walk;
} Input;

struct XtfMerge {
    XtfSpans *spans;
    XtfMergeBatches *slices; /* for many; else NULL, and: */
    Input *inputs;
    uint32_t n_inputs; /* made */
    uint32_t *heap;    /* of inputs with rows left; the first is the least */
    uint32_t n_heap;
    uint64_t taken; /* rows of the first that the last run gave out */
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

static void sift_down(XtfMerge *merge, uint32_t at)
{
    uint32_t moving = merge->heap[at];

    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= merge->n_heap)
            break;
        if (child + 1 < merge->n_heap &&
            before(&merge->inputs[merge->heap[child + 1]], &merge->inputs[merge->heap[child]]))
            child++;
        if (!before(&merge->inputs[merge->heap[child]], &merge->inputs[moving]))
            break;
        merge->heap[at] = merge->heap[child];
        at = child;
    }
    merge->heap[at] = moving;
}

static uint64_t load_time(const uint8_t *row)
{
    uint64_t t;
    memcpy(&t, row, sizeof t);
    return GUINT64_FROM_LE(t);
}

/* Looks at the run that the walk has come to, if it is not at its end. */
static void enter_run(Input *input)
{
    const XtfCursor *cursor = &input->walk.cursor;

    input->left = input->walk.n_rows;
    if (!input->left)
        return;
    input->row = xtf_cursor_row(cursor);
    input->t = xtf_cursor_time(cursor);
    input->seq = xtf_row_seq(input->seq_field, input->row, cursor->n);
}

static bool input_open(Input *input, const XtfSpan *span, uint32_t index, uint64_t position, GError **error)
{
    input->location = span->array.location;
    input->span = index;
    input->row_size = span->array.schema->row_size;
    input->seq_field = xtf_schema_field_by_role(span->array.schema, XTF_ROLE_SEQ);
    if (!xtf_span_reader_seek(&input->walk, position, error))
        return false;
    enter_run(input);
    return true;
}

static bool open_heap(XtfMerge *merge, const uint64_t *positions, GError **error)
{
    XtfSpans *spans = merge->spans;

    merge->inputs = g_new0(Input, spans->n);
    merge->heap = g_new(uint32_t, spans->n);
    for (uint32_t i = 0; i < spans->n; i++) {
        if (positions[i] >= spans->spans[i].hi)
            continue;
        Input *input = &merge->inputs[merge->n_inputs];
        xtf_span_reader_init(&input->walk, &spans->spans[i]);
        merge->heap[merge->n_heap++] = merge->n_inputs++;
        if (!input_open(input, &spans->spans[i], i, positions[i], error))
            return false;
    }
    for (uint32_t i = merge->n_heap / 2; i-- > 0;)
        sift_down(merge, i);
    return true;
}

XtfMerge *xtf_merge_new(XtfSpans *spans, uint64_t k, GError **error)
{
    g_autofree uint64_t *positions = g_new(uint64_t, spans->n + 1);
    g_autoptr(XtfMerge) merge = g_new0(XtfMerge, 1);

    merge->spans = xtf_spans_ref(spans);
    if (!xtf_select(spans, k, positions, error))
        return NULL;
    if (spans->n <= HEAP_MAX) {
        if (!open_heap(merge, positions, error))
            return NULL;
    } else {
        merge->slices = xtf_merge_batches_new(spans, g_steal_pointer(&positions), error);
        if (!merge->slices)
            return NULL;
    }
    return g_steal_pointer(&merge);
}

void xtf_merge_free(XtfMerge *merge)
{
    if (!merge)
        return;
    for (uint32_t i = 0; i < merge->n_inputs; i++)
        xtf_span_reader_finish(&merge->inputs[i].walk);
    xtf_merge_batches_free(merge->slices);
    g_free(merge->inputs);
    g_free(merge->heap);
    xtf_spans_unref(merge->spans);
    g_free(merge);
}

size_t xtf_merge_bytes(const XtfMerge *merge)
{
    size_t bytes = sizeof *merge + merge->spans->n * (sizeof(XtfSpan) + sizeof *merge->heap + sizeof(Input));

    for (uint32_t i = 0; i < merge->n_heap; i++) {
        const Input *input = &merge->inputs[merge->heap[i]];
        bytes += (size_t)input->walk.cursor.leaf_count * input->row_size;
    }
    return bytes + (merge->slices ? xtf_merge_batches_bytes(merge->slices) : 0);
}

/* Moves the first input past the rows that were given out, and puts the heap in order again. */
static bool settle(XtfMerge *merge, GError **error)
{
    Input *input = &merge->inputs[merge->heap[0]];
    uint64_t taken = merge->taken;

    merge->taken = 0;
    input->left -= taken;
    if (input->left) {
        input->row += taken * input->row_size;
        input->t = load_time(input->row);
        input->seq = input->seq_field ? xtf_field_get(input->seq_field, input->row) : input->seq + taken;
    } else {
        if (!xtf_span_reader_next(&input->walk, error))
            return false;
        enter_run(input);
        if (!input->left)
            merge->heap[0] = merge->heap[--merge->n_heap];
    }
    if (merge->n_heap > 1)
        sift_down(merge, 0);
    return true;
}

/* How many rows of the first input come before all others. */
static uint64_t run_length(const XtfMerge *merge, const Input *input, uint64_t max)
{
    uint64_t limit = MIN(max, input->left), n = 1;
    const Input *rival;

    if (merge->n_heap < 2)
        return limit;
    rival = &merge->inputs[merge->heap[1]];
    if (merge->n_heap > 2 && before(&merge->inputs[merge->heap[2]], rival))
        rival = &merge->inputs[merge->heap[2]];
    for (const uint8_t *row = input->row + input->row_size; n < limit; row += input->row_size, n++) {
        uint64_t t = load_time(row);
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

bool xtf_merge_next(XtfMerge *merge, uint64_t max, XtfRowRun *run, GError **error)
{
    if (merge->slices)
        return xtf_merge_batches_next(merge->slices, run, error);
    run->n_rows = 0;
    if (merge->taken && !settle(merge, error))
        return false;
    if (merge->n_heap && max) {
        const Input *input = &merge->inputs[merge->heap[0]];
        *run = (XtfRowRun){&merge->spans->spans[input->span], input->row, run_length(merge, input, max)};
        merge->taken = run->n_rows;
    }
    return true;
}
