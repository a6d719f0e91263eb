#include "libxtf/records/records-private.h"

#include "libxtf/vocabulary.h"

enum {
    /* Target number of rows of a batch; up to twice the number is acceptable. The first batches are small, for readers
       that need only the first records. Later ones are large, because each batch reads all arrays that have rows in it.
     */
    BATCH_ROWS_FIRST = 2048,
    BATCH_ROWS_MAX = 32768,
    ROWS_PER_SPAN = 16,
    BATCH_BYTES = 16 << 20,
};

typedef struct {
    uint64_t t, location, seq;
    uint64_t n; /* number of the row in its array */
    uint32_t span;
    uint32_t offset; /* offset of the row in `bytes` */
} Entry;

struct XtfRecordBatches {
    const XtfSpans *spans;
    uint64_t *position;   /* for each span: position where the next batch begins */
    uint64_t *time;       /* for each span: time at `position`, if that is less than the span's hi */
    uint64_t *to;         /* for each span: position where the batch ends */
    uint64_t rows_target; /* target rows of the next batch: doubles per batch, up to rows_most */
    uint64_t rows_most;
    uint64_t width;                  /* ticks of a batch, adapted to the number of rows in the last batches */
    GArray *entries;                 /* entries of the batch, sorted */
    GByteArray *bytes;               /* rows of the entries */
    uint32_t next_entry;             /* index in `entries` of the record to return next */
    size_t entries_most, bytes_most; /* sizes of the largest batch so far */
};

void xtf_record_batches_free(XtfRecordBatches *batches)
{
    if (!batches)
        return;
    g_free(batches->position);
    g_free(batches->time);
    g_free(batches->to);
    g_array_unref(batches->entries);
    g_byte_array_unref(batches->bytes);
    g_free(batches);
}

/* Returns the memory in use. GArrays grow by doubling and never shrink, so the largest batch determines it. */
size_t xtf_record_batches_bytes(const XtfRecordBatches *batches)
{
    return sizeof *batches + 3 * batches->spans->n * sizeof(uint64_t) + 2 * batches->entries_most * sizeof(Entry) +
           2 * batches->bytes_most;
}

XtfRecordBatches *xtf_record_batches_new(const XtfSpans *spans, uint64_t *positions, GError **error)
{
    g_autoptr(XtfRecordBatches) batches = g_new0(XtfRecordBatches, 1);
    uint64_t first = UINT64_MAX, last = 0;
    uint32_t row_size = 1;

    batches->spans = spans;
    batches->position = positions;
    batches->time = g_new0(uint64_t, spans->n);
    batches->to = g_new0(uint64_t, spans->n);
    batches->entries = g_array_new(FALSE, FALSE, sizeof(Entry));
    batches->bytes = g_byte_array_new();
    for (uint32_t i = 0; i < spans->n; i++) {
        const XtfArray *array = &spans->spans[i].array;
        batches->time[i] = array->first;
        if ((positions[i] > 0 || xtf_span_is_filtered(&spans->spans[i])) && positions[i] < spans->spans[i].hi &&
            !xtf_span_time(&spans->spans[i], positions[i], &batches->time[i], error))
            return NULL;
        first = MIN(first, array->first);
        last = MAX(last, array->last);
        row_size = MAX(row_size, array->schema->row_size);
    }
    batches->rows_most = MIN(MAX((uint64_t)BATCH_ROWS_MAX, (uint64_t)ROWS_PER_SPAN * spans->n),
                             (uint64_t)BATCH_BYTES / (row_size + sizeof(Entry)));
    batches->rows_target = MIN((uint64_t)BATCH_ROWS_FIRST, batches->rows_most);
    if (spans->count)
        batches->width = (uint64_t)((unsigned __int128)(last - MIN(first, last)) * batches->rows_target / spans->count);
    return g_steal_pointer(&batches);
}

/* Finds the least time of the remaining rows; false if there are none. */
static bool next_time(const XtfRecordBatches *batches, uint64_t *t)
{
    bool found = false;

    for (uint32_t i = 0; i < batches->spans->n; i++) {
        if (batches->position[i] < batches->spans->spans[i].hi && (!found || batches->time[i] < *t)) {
            *t = batches->time[i];
            found = true;
        }
    }
    return found;
}

/* Finds where the rows with a time up to t end in each span, and their number. */
static bool find_ends(XtfRecordBatches *batches, uint64_t t, uint64_t *count, GError **error)
{
    *count = 0;
    for (uint32_t i = 0; i < batches->spans->n; i++) {
        const XtfSpan *span = &batches->spans->spans[i];
        uint64_t from = batches->position[i], to = from;

        if (from < span->hi && batches->time[i] <= t) {
            if (t >= span->array.last)
                to = span->hi;
            else if (!xtf_span_rank_within(span, t + 1, from, span->hi, &to, error))
                return false;
        }
        batches->to[i] = CLAMP(to, from, span->hi);
        *count += batches->to[i] - from;
    }
    return true;
}

/* Determines where the next batch ends: at a time or, if too many rows have one time, among the rows of that time. */
static bool plan_batch(XtfRecordBatches *batches, uint64_t t, uint64_t *count, GError **error)
{
    uint64_t target = batches->rows_target;

    for (;;) {
        uint64_t through = batches->width > UINT64_MAX - t ? UINT64_MAX : t + batches->width;
        if (!find_ends(batches, through, count, error))
            return false;
        if (*count <= 2 * target || through == t)
            break;
        batches->width = MIN(batches->width / 2, (uint64_t)((unsigned __int128)batches->width * target / *count));
    }
    if (*count < target / 2)
        batches->width = batches->width > UINT64_MAX / 2 ? UINT64_MAX : MAX(2 * batches->width, 1);
    if (*count <= 2 * target)
        return true;

    g_autofree uint64_t *cut = g_memdup2(batches->position, batches->spans->n * sizeof *cut);
    if (!xtf_select_ties(batches->spans, target, cut, batches->to, error))
        return false;
    memcpy(batches->to, cut, batches->spans->n * sizeof *cut);
    *count = target;
    return true;
}

/* Adds n_rows contiguous rows of span i, from row n of its array on. */
static void add_batch_rows(XtfRecordBatches *batches, uint32_t i, const uint8_t *row, uint64_t n, uint64_t n_rows)
{
    const XtfSchema *schema = batches->spans->spans[i].array.schema;
    const XtfField *seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);

    for (uint64_t end = n + n_rows; n < end; n++, row += schema->row_size) {
        Entry entry = {.t = xtf_field_get(&schema->fields[0], row),
                       .location = batches->spans->spans[i].array.location,
                       .seq = xtf_row_seq(seq, row, n),
                       .n = n,
                       .span = i,
                       .offset = batches->bytes->len};
        g_array_append_val(batches->entries, entry);
        g_byte_array_append(batches->bytes, row, schema->row_size);
    }
}

/* Copies a span's rows of the batch, and reads the time of the row after them. */
static bool copy_span_rows(XtfRecordBatches *batches, uint32_t i, GError **error)
{
    g_auto(XtfSpanReader) reader;
    uint64_t left = batches->to[i] - batches->position[i];

    xtf_span_reader_init(&reader, &batches->spans->spans[i]);
    if (!xtf_span_reader_seek(&reader, batches->position[i], error))
        return false;
    while (reader.n_rows && left >= reader.n_rows) {
        add_batch_rows(batches, i, xtf_cursor_row(&reader.cursor), reader.cursor.n, reader.n_rows);
        left -= reader.n_rows;
        if (!xtf_span_reader_next(&reader, error))
            return false;
    }
    if (reader.n_rows) {
        const uint8_t *row = xtf_cursor_row(&reader.cursor);
        add_batch_rows(batches, i, row, reader.cursor.n, left);
        batches->time[i] =
            xtf_field_get(&reader.span->array.schema->fields[0], row + left * reader.span->array.schema->row_size);
    }
    batches->position[i] = batches->to[i];
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

static bool fill_batch(XtfRecordBatches *batches, GError **error)
{
    uint64_t t = 0, count;

    g_array_set_size(batches->entries, 0);
    g_byte_array_set_size(batches->bytes, 0);
    batches->next_entry = 0;
    if (!next_time(batches, &t))
        return true;
    if (!plan_batch(batches, t, &count, error))
        return false;
    batches->rows_target = MIN(2 * batches->rows_target, batches->rows_most);
    for (uint32_t i = 0; i < batches->spans->n; i++) {
        if (batches->position[i] < batches->to[i] && !copy_span_rows(batches, i, error))
            return false;
    }
    g_array_sort(batches->entries, compare_entries);
    batches->entries_most = MAX(batches->entries_most, batches->entries->len);
    batches->bytes_most = MAX(batches->bytes_most, batches->bytes->len);
    return true;
}

bool xtf_record_batches_next(XtfRecordBatches *batches, XtfRowRun *run, GError **error)
{
    run->n_rows = 0;
    if (batches->next_entry == batches->entries->len && !fill_batch(batches, error))
        return false;
    if (batches->next_entry < batches->entries->len) {
        const Entry *entry = &g_array_index(batches->entries, Entry, batches->next_entry++);
        *run = (XtfRowRun){&batches->spans->spans[entry->span], batches->bytes->data + entry->offset, 1, entry->n};
    }
    return true;
}
