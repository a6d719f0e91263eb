#include "src/query/select/merge-batches.h"

#include <string.h>

#include "libxtf/vocabulary.h"
#include "src/query/select/select.h"

enum {
    /* Rows that a slice aims at; twice as many are fine. Whoever wants the first lines only should not wait for more,
     * and whoever reads on wants large ones: each costs a visit to all arrays that have rows in it. */
    FIRST_ROWS = 2048,
    MANY_ROWS = 32768,
    ROWS_EACH = 16, /* of a span */
    SLICE_BYTES = 16 << 20,
};

typedef struct {
    uint64_t t, location, seq;
    uint32_t span;
    uint32_t offset; /* of the row in `bytes` */
} Entry;

struct XtfMergeBatches {
    const XtfSpans *spans;
    uint64_t *position;  /* by span: the row to go on with */
    uint64_t *time;      /* by span: its time, where there is one */
    uint64_t *to;        /* by span: where the slice ends */
    uint64_t rows_aimed; /* a slice's; of each twice the last one's, up to rows_most */
    uint64_t rows_most;
    uint64_t width;                  /* of a slice, ticks; follows from how many rows the last ones held */
    GArray *entries;                 /* of the slice, in order */
    GByteArray *bytes;               /* their rows */
    uint32_t at;                     /* the next entry */
    size_t entries_most, bytes_most; /* that a slice had so far */
};

void xtf_merge_batches_free(XtfMergeBatches *slices)
{
    if (!slices)
        return;
    g_free(slices->position);
    g_free(slices->time);
    g_free(slices->to);
    g_array_unref(slices->entries);
    g_byte_array_unref(slices->bytes);
    g_free(slices);
}

/* Arrays grow by doubling, and never shrink: the largest slice so far decides. */
size_t xtf_merge_batches_bytes(const XtfMergeBatches *slices)
{
    return sizeof *slices + 3 * slices->spans->n * sizeof(uint64_t) + 2 * slices->entries_most * sizeof(Entry) +
           2 * slices->bytes_most;
}

XtfMergeBatches *xtf_merge_batches_new(const XtfSpans *spans, uint64_t *positions, GError **error)
{
    XtfMergeBatches *slices = g_new0(XtfMergeBatches, 1);
    uint64_t first = UINT64_MAX, last = 0;
    uint32_t row_size = 1;

    slices->spans = spans;
    slices->position = positions;
    slices->time = g_new0(uint64_t, spans->n);
    slices->to = g_new0(uint64_t, spans->n);
    slices->entries = g_array_new(FALSE, FALSE, sizeof(Entry));
    slices->bytes = g_byte_array_new();
    for (uint32_t i = 0; i < spans->n; i++) {
        const XtfArray *array = &spans->spans[i].array;
        slices->time[i] = array->first;
        if ((positions[i] > 0 || spans->spans[i].filter.matcher) && positions[i] < spans->spans[i].hi &&
            !xtf_span_time(&spans->spans[i], positions[i], &slices->time[i], error)) {
            xtf_merge_batches_free(slices);
            return NULL;
        }
        first = MIN(first, array->first);
        last = MAX(last, array->last);
        row_size = MAX(row_size, array->schema->row_size);
    }
    slices->rows_most = MIN(MAX((uint64_t)MANY_ROWS, (uint64_t)ROWS_EACH * spans->n),
                            (uint64_t)SLICE_BYTES / (row_size + sizeof(Entry)));
    slices->rows_aimed = MIN((uint64_t)FIRST_ROWS, slices->rows_most);
    if (spans->count)
        slices->width = (uint64_t)((unsigned __int128)(last - MIN(first, last)) * slices->rows_aimed / spans->count);
    return slices;
}

/* The least time of a row that is left; false if none is. */
static bool next_time(const XtfMergeBatches *slices, uint64_t *t)
{
    bool found = false;

    for (uint32_t i = 0; i < slices->spans->n; i++) {
        if (slices->position[i] < slices->spans->spans[i].hi && (!found || slices->time[i] < *t)) {
            *t = slices->time[i];
            found = true;
        }
    }
    return found;
}

/* Where the rows up to time t end, and how many they are. */
static bool measure(XtfMergeBatches *slices, uint64_t t, uint64_t *count, GError **error)
{
    *count = 0;
    for (uint32_t i = 0; i < slices->spans->n; i++) {
        const XtfSpan *span = &slices->spans->spans[i];
        uint64_t from = slices->position[i], to = from;

        if (from < span->hi && slices->time[i] <= t) {
            if (t >= span->array.last)
                to = span->hi;
            else if (!xtf_span_rank_within(span, t + 1, from, span->hi, &to, error))
                return false;
        }
        slices->to[i] = CLAMP(to, from, span->hi);
        *count += slices->to[i] - from;
    }
    return true;
}

/* Decides where the next slice ends: in time, or, where too many rows share one tick, among these. */
static bool plan(XtfMergeBatches *slices, uint64_t t, uint64_t *count, GError **error)
{
    uint64_t aimed = slices->rows_aimed;

    for (;;) {
        uint64_t through = slices->width > UINT64_MAX - t ? UINT64_MAX : t + slices->width;
        if (!measure(slices, through, count, error))
            return false;
        if (*count <= 2 * aimed || through == t)
            break;
        slices->width = MIN(slices->width / 2, (uint64_t)((unsigned __int128)slices->width * aimed / *count));
    }
    if (*count < aimed / 2)
        slices->width = slices->width > UINT64_MAX / 2 ? UINT64_MAX : MAX(2 * slices->width, 1);
    if (*count <= 2 * aimed)
        return true;

    g_autofree uint64_t *cut = g_memdup2(slices->position, slices->spans->n * sizeof *cut);
    if (!xtf_select_ties(slices->spans, aimed, cut, slices->to, error))
        return false;
    memcpy(slices->to, cut, slices->spans->n * sizeof *cut);
    *count = aimed;
    return true;
}

/* Of a span's rows, which lie side by side; row n is the first. */
static void add_rows(XtfMergeBatches *slices, uint32_t i, const uint8_t *row, uint64_t n, uint64_t n_rows)
{
    const XtfSchema *schema = slices->spans->spans[i].array.schema;
    const XtfField *seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);

    for (uint64_t end = n + n_rows; n < end; n++, row += schema->row_size) {
        Entry entry = {.t = xtf_field_get(&schema->fields[0], row),
                       .location = slices->spans->spans[i].array.location,
                       .seq = xtf_row_seq(seq, row, n),
                       .span = i,
                       .offset = slices->bytes->len};
        g_array_append_val(slices->entries, entry);
        g_byte_array_append(slices->bytes, row, schema->row_size);
    }
}

/* Copies a span's share, and learns the time of the row after it. */
static bool gather(XtfMergeBatches *slices, uint32_t i, GError **error)
{
    g_auto(XtfSpanReader) walk;
    uint64_t left = slices->to[i] - slices->position[i];

    xtf_span_reader_init(&walk, &slices->spans->spans[i]);
    if (!xtf_span_reader_seek(&walk, slices->position[i], error))
        return false;
    while (walk.n_rows && left >= walk.n_rows) {
        add_rows(slices, i, xtf_cursor_row(&walk.cursor), walk.cursor.n, walk.n_rows);
        left -= walk.n_rows;
        if (!xtf_span_reader_next(&walk, error))
            return false;
    }
    if (walk.n_rows) {
        const uint8_t *row = xtf_cursor_row(&walk.cursor);
        add_rows(slices, i, row, walk.cursor.n, left);
        slices->time[i] =
            xtf_field_get(&walk.span->array.schema->fields[0], row + left * walk.span->array.schema->row_size);
    }
    slices->position[i] = slices->to[i];
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    if (x->span != y->span)
        return x->span < y->span ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool fill(XtfMergeBatches *slices, GError **error)
{
    uint64_t t = 0, count;

    g_array_set_size(slices->entries, 0);
    g_byte_array_set_size(slices->bytes, 0);
    slices->at = 0;
    if (!next_time(slices, &t))
        return true;
    if (!plan(slices, t, &count, error))
        return false;
    slices->rows_aimed = MIN(2 * slices->rows_aimed, slices->rows_most);
    for (uint32_t i = 0; i < slices->spans->n; i++) {
        if (slices->position[i] < slices->to[i] && !gather(slices, i, error))
            return false;
    }
    g_array_sort(slices->entries, compare_entries);
    slices->entries_most = MAX(slices->entries_most, slices->entries->len);
    slices->bytes_most = MAX(slices->bytes_most, slices->bytes->len);
    return true;
}

bool xtf_merge_batches_next(XtfMergeBatches *slices, XtfRowRun *run, GError **error)
{
    run->n_rows = 0;
    if (slices->at == slices->entries->len && !fill(slices, error))
        return false;
    if (slices->at < slices->entries->len) {
        const Entry *entry = &g_array_index(slices->entries, Entry, slices->at++);
        *run = (XtfRowRun){&slices->spans->spans[entry->span], slices->bytes->data + entry->offset, 1};
    }
    return true;
}
