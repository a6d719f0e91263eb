/*
 * totals: the number of records, and the totals of calls and messages, in one line. histogram shows them by slice of
 * time.
 */
#include "src/tables/views/totals.h"
#include "libxtf/slices.h"
#include "libxtf/sweep.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/totals/location-totals.h"
#include "src/tables/totals/time-bins.h"
#include "src/tables/views/info.h"
#include "src/trace/select/parallel.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("count", XTF_COLUMN_NUMBER, NULL, "number of records"),
    XTF_COLUMN("calls", XTF_COLUMN_NUMBER, NULL, "calls that are entered"),
    XTF_COLUMN("sent_messages", XTF_COLUMN_NUMBER, NULL, "messages sent"),
    XTF_COLUMN("sent_bytes", XTF_COLUMN_NUMBER, "B", "bytes of the messages sent"),
    XTF_COLUMN("received_messages", XTF_COLUMN_NUMBER, NULL, "messages received"),
    XTF_COLUMN("received_bytes", XTF_COLUMN_NUMBER, "B", "bytes of the messages received"),
};

enum {
    WALK_ROWS = 1024,    /* most rows of a span that are counted one by one */
    WALK_ROWS_BIN = 256, /* or most rows for each bin: totals of rows read a leaf or two at each bound */
    SPANS_AT_ONCE = 64,  /* most spans in a batch of a thread */
    LEAST_TURNS = 16,    /* least number of batches, which shrinks the batches of few spans */
    MANY_SPANS = 4096,   /* more spans are read through an XtfSweep */
};

enum { CALLS, SENDS, RECVS, N_TYPES };

typedef struct {
    XtfAggregateRef refs[N_TYPES];
    bool unknown[N_TYPES]; /* the trace has rows of the type, but no aggregate of them */
} Aggregates;

static void find_aggregates(const XtfTraceContext *context, const XtfSelection *selection, Aggregates *found)
{
    static const char *const types[N_TYPES] = {XTF_RECORD_ENTERS_LEAVES, XTF_RECORD_SENDS, XTF_RECORD_RECVS};

    for (unsigned i = 0; i < N_TYPES; i++) {
        const XtfSchema *schema = xtf_trace_find_schema(context->trace, types[i]);
        XtfAggregateRef *ref = &found->refs[i];
        bool good = i == CALLS ? xtf_aggregate_ref_frames_of(ref, context, selection)
                               : xtf_aggregate_ref_groups(ref, context, types[i]) && ref->bytes;
        if (!good)
            *ref = (XtfAggregateRef){0};
        found->unknown[i] = !good && schema && xtf_trace_n_rows(context->trace, schema->id);
    }
}

static bool shape_totals(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfTraceContext *context = views->context;
    Aggregates found;
    const XtfAggregateRef *m = found.refs;

    find_aggregates(context, selection, &found);
    shape->n_lines = shape->at_once = 1;
    xtf_grid_add(&shape->grid, "count", xtf_count_width(context, selection));
    xtf_grid_add(&shape->grid, "calls", xtf_aggregate_ref_rows_width(&m[CALLS], context));
    xtf_grid_add(&shape->grid, "sent_messages", xtf_aggregate_ref_rows_width(&m[SENDS], context));
    xtf_grid_add(&shape->grid, "sent_bytes", xtf_aggregate_ref_sum_width(&m[SENDS], context, m[SENDS].bytes));
    xtf_grid_add(&shape->grid, "received_messages", xtf_aggregate_ref_rows_width(&m[RECVS], context));
    xtf_grid_add(&shape->grid, "received_bytes", xtf_aggregate_ref_sum_width(&m[RECVS], context, m[RECVS].bytes));
    return true;
}

typedef struct {
    uint64_t count;
    uint64_t calls, messages[N_TYPES], bytes[N_TYPES];
} Bin;

/* Input and result, shared by all threads. */
typedef struct {
    Aggregates found;
    const XtfLocations *locations;
    XtfSpans *spans;
    const XtfTimeBins *bins;
    XtfLocationTotals totals[N_TYPES]; /* templates without groups: each thread has a copy */
    Bin *counts;                       /* by bin: the sums of all threads */
} Question;

static void question_clear(Question *question)
{
    for (unsigned i = 0; i < N_TYPES; i++)
        xtf_location_totals_finish(&question->totals[i]);
    g_clear_pointer(&question->spans, xtf_spans_unref);
    g_free(question->counts);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Question, question_clear)

/* The counts of one thread. */
typedef struct {
    const Question *question;
    XtfLocationTotals totals[N_TYPES];
    Bin *counts;
    XtfSweep *sweep; /* NULL: there are few spans */
} Histogram;

/* Returns the type of a schema; N_TYPES for any other schema, or if the trace has no aggregate of it. */
static unsigned type_of(const Histogram *histogram, const XtfSchema *schema)
{
    unsigned type = 0;

    while (type < N_TYPES && histogram->question->found.refs[type].schema != schema)
        type++;
    return type;
}

static void add_bin_row(Bin *bin, unsigned type, const XtfAggregateRef *ref, const uint8_t *row)
{
    if (type == CALLS) {
        bin->calls += xtf_field_get(&ref->schema->fields[ref->aggregate->values[0]], row) == 0;
        return;
    }
    const XtfField *bytes = xtf_aggregate_ref_value(ref, ref->bytes);
    bin->messages[type]++;
    if (!xtf_field_is_none(bytes, row))
        bin->bytes[type] += xtf_field_get(bytes, row);
}

/* Adds each row of a span to the bin of its time; for spans of few rows. */
static bool count_rows(Histogram *histogram, const XtfSpan *span, unsigned type, GError **error)
{
    const XtfTimeBins *bins = histogram->question->bins;
    uint32_t row_size = span->array.schema->row_size;
    g_auto(XtfSpanReader) reader;
    uint64_t i = 0;

    xtf_span_reader_init(&reader, span);
    if (!xtf_span_reader_seek(&reader, span->lo, error))
        return false;
    while (reader.n_rows) {
        const uint8_t *row = xtf_cursor_row(&reader.cursor);
        for (uint64_t n = 0; n < reader.n_rows; n++, row += row_size) {
            uint64_t t = xtf_field_get(&span->array.schema->fields[0], row);
            while (i < bins->n - 1 && t >= bins->bounds[i + 1])
                i++;
            histogram->counts[i].count++;
            if (type < N_TYPES)
                add_bin_row(&histogram->counts[i], type, &histogram->question->found.refs[type], row);
        }
        if (!xtf_span_reader_next(&reader, error))
            return false;
    }
    return true;
}

/* A span that is cut at the bounds of the bins. The slices of its rows are the bins. */
typedef struct {
    Histogram *histogram;
    unsigned type;
    bool counts_rows; /* the totals count the span's rows, too */
} CutSpan;

static void add_cut_messages(const CutSpan *cut, const uint64_t *cells, Bin *bin)
{
    bin->messages[cut->type] += cells[XTF_GROUP_ROWS];
    bin->bytes[cut->type] += cells[cut->histogram->totals[cut->type].ref->bytes];
}

static bool take_totals(const XtfSlice *slice, void *data, GError **error)
{
    const CutSpan *cut = data;
    Bin *bin = &cut->histogram->counts[slice->number];

    if (!xtf_group_totals_n(slice->totals))
        return true;
    const uint64_t *cells = xtf_group_totals_cells(slice->totals, 0);
    if (cut->type == CALLS) {
        bin->calls += cells[XTF_FRAMES_BEGUN];
        bin->count += cut->counts_rows ? cells[XTF_FRAMES_BEGUN] + cells[XTF_FRAMES_ENDED] : 0;
    } else {
        add_cut_messages(cut, cells, bin);
        bin->count += cut->counts_rows ? cells[XTF_GROUP_ROWS] : 0;
    }
    return true;
}

static bool take_messages(const XtfSlice *slice, void *data, GError **error)
{
    const CutSpan *cut = data;
    Bin *bin = &cut->histogram->counts[slice->number];

    bin->count += slice->n2 - slice->n1;
    if (xtf_group_totals_n(slice->totals) > 0)
        add_cut_messages(cut, xtf_group_totals_cells(slice->totals, 0), bin);
    return true;
}

static bool take_all_calls(const XtfSlice *slice, void *data, GError **error)
{
    Bin *bin = &((Histogram *)data)->counts[slice->number];

    bin->count += slice->n2 - slice->n1;
    bin->calls += slice->count;
    return true;
}

static bool take_calls(const XtfSlice *slice, void *data, GError **error)
{
    ((Histogram *)data)->counts[slice->number].calls += slice->count;
    return true;
}

static bool take_rows(const XtfSlice *slice, void *data, GError **error)
{
    ((Histogram *)data)->counts[slice->number].count += slice->count;
    return true;
}

/* Adds the totals of the span's type between each two edges, and sets *counted if they count the span's rows, too. */
static bool add_totals(Histogram *histogram, const XtfSpan *span, unsigned type, const uint64_t *edges, bool *counted,
                       GError **error)
{
    XtfLocationTotals *totals = &histogram->totals[type];
    uint64_t proc = histogram->question->locations->all[span->tag].proc;
    const XtfGroupFilter begins = {.begins_only = true};
    unsigned number = totals->ref->number;
    size_t n = histogram->question->bins->n + 1;
    CutSpan cut = {.histogram = histogram, .type = type};

    if (type == CALLS && !totals->matcher && !totals->is_empty)
        return xtf_array_slice_totals(&span->array, number, &begins, edges, n, NULL, take_calls, histogram, error);
    *counted = cut.counts_rows =
        totals->matcher && xtf_span_is_filtered(span) && !span->filter.begins_only && span->aggregate == number;
    return xtf_location_totals_visit(totals, &span->array, proc, edges, n, take_totals, &cut, error);
}

/* True if a span has all rows of an array and, of calls or messages, the totals of all its rows are wanted. A row at
 * the greatest time is before no edge, so no slice by times has it. */
static bool is_all_rows(const Histogram *histogram, const XtfSpan *span, unsigned type)
{
    bool of_all = type == N_TYPES || (!histogram->totals[type].matcher && !histogram->totals[type].is_empty);

    return of_all && !xtf_span_is_filtered(span) && span->lo == 0 && span->hi == span->array.n_rows &&
           span->array.last < UINT64_MAX;
}

/* Adds all rows of an array by their times. */
static bool add_all_rows(Histogram *histogram, const XtfSpan *span, unsigned type, GError **error)
{
    const XtfTimeBins *bins = histogram->question->bins;
    g_autofree uint64_t *times = g_memdup2(bins->bounds, (bins->n + 1) * sizeof *times);
    const XtfGroupFilter begins = {.begins_only = true};
    CutSpan cut = {.histogram = histogram, .type = type};

    times[0] = 0; /* the first and the last bin have all rows before and after */
    times[bins->n] = UINT64_MAX;
    if (type == N_TYPES)
        return xtf_array_slice_counts(&span->array, times, bins->n + 1, take_rows, histogram, error);
    const XtfLocationTotals *totals = &histogram->totals[type];
    if (type == CALLS)
        return xtf_array_slice_totals_by_time(&span->array, totals->ref->number, &begins, times, bins->n + 1, NULL,
                                              take_all_calls, histogram, error);
    return xtf_array_slice_totals_by_time(&span->array, totals->ref->number, NULL, times, bins->n + 1, totals->groups,
                                          take_messages, &cut, error);
}

/* Cuts a span at the bounds of the bins, and adds the totals that the index has between two bounds; for many rows. */
static bool cut_span(Histogram *histogram, const XtfSpan *span, unsigned type, GError **error)
{
    const XtfTimeBins *bins = histogram->question->bins;
    g_autofree uint64_t *edges = g_new(uint64_t, bins->n + 1);
    bool filtered = xtf_span_is_filtered(span), counted = false;
    uint64_t hi;

    if (!xtf_span_rows(span, &edges[0], &hi, error) ||
        !xtf_time_bins_cut(bins, &span->array, edges[0], hi, edges + 1, error) ||
        (type < N_TYPES && !add_totals(histogram, span, type, edges, &counted, error)))
        return false;
    return counted || xtf_array_slice_totals(&span->array, span->aggregate, filtered ? &span->filter : NULL, edges,
                                             bins->n + 1, NULL, take_rows, histogram, error);
}

static bool add_span(Histogram *histogram, const XtfSpan *span, GError **error)
{
    unsigned type = type_of(histogram, span->array.schema);
    bool all = is_all_rows(histogram, span, type);
    /* These read parts of leaves, each once. */
    bool reads_parts = all || (type == N_TYPES && !xtf_span_is_filtered(span));
    uint64_t few = reads_parts ? WALK_ROWS : MAX(WALK_ROWS, histogram->question->bins->n * WALK_ROWS_BIN);

    if (span->hi - span->lo <= few)
        return count_rows(histogram, span, type, error);
    return all ? add_all_rows(histogram, span, type, error) : cut_span(histogram, span, type, error);
}

/* ---- Work on all spans, by several threads. */

static void *begin_thread(void *data)
{
    const Question *question = data;
    Histogram *histogram = g_new(Histogram, 1);

    histogram->question = question;
    histogram->counts = g_new0(Bin, question->bins->n);
    histogram->sweep = question->spans->n > MANY_SPANS ? xtf_sweep_new(question->spans->spans[0].array.trace) : NULL;
    for (unsigned i = 0; i < N_TYPES; i++)
        xtf_location_totals_init_more(&histogram->totals[i], &question->totals[i]);
    return histogram;
}

static bool add_spans(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Question *question = data;
    Histogram *histogram = thread_data;

    for (uint32_t i = first; i < end; i++) {
        XtfSpan span = question->spans->spans[i];
        xtf_sweep_take(histogram->sweep, &span.array);
        if (!add_span(histogram, &span, error))
            return false;
    }
    return true;
}

static void join_counts(void *thread_data, void *data)
{
    Question *question = data;
    Histogram *from = thread_data;

    for (uint64_t i = 0; i < question->bins->n; i++) {
        Bin *to = &question->counts[i];
        to->count += from->counts[i].count;
        to->calls += from->counts[i].calls;
        for (unsigned type = SENDS; type <= RECVS; type++) {
            to->messages[type] += from->counts[i].messages[type];
            to->bytes[type] += from->counts[i].bytes[type];
        }
    }
    for (unsigned i = 0; i < N_TYPES; i++)
        xtf_location_totals_finish(&from->totals[i]);
    xtf_sweep_free(from->sweep);
    g_free(from->counts);
    g_free(from);
}

static void add_bin_lines(const Question *question, XtfLines *lines)
{
    const bool *unknown = question->found.unknown;

    for (uint64_t i = 0; i < question->bins->n; i++) {
        const Bin *bin = &question->counts[i];
        xtf_lines_number(lines, bin->count);
        xtf_lines_number_if(lines, !unknown[CALLS], bin->calls);
        for (unsigned type = SENDS; type <= RECVS; type++) {
            xtf_lines_number_if(lines, !unknown[type], bin->messages[type]);
            xtf_lines_number_if(lines, !unknown[type], bin->bytes[type]);
        }
    }
}

static bool fill_totals(XtfViews *views, const XtfTimeBins *bins, XtfLines *lines, GError **error)
{
    g_auto(Question) question = {.bins = bins};
    XtfParallelWork work = {.begin = begin_thread, .work = add_spans, .join = join_counts};
    XtfSelection *selection = bins->selection;

    if (!(question.spans = xtf_resolver_spans(views->resolver, selection, error)) ||
        !(question.locations = xtf_trace_context_locations(views->context, error)))
        return false;
    find_aggregates(views->context, selection, &question.found);
    question.counts = g_new0(Bin, bins->n);
    for (unsigned i = 0; i < N_TYPES; i++) {
        if (!xtf_location_totals_init(&question.totals[i], views->context, selection, &question.found.refs[i], 0,
                                      error))
            return false;
    }
    work.step = CLAMP(question.spans->n / LEAST_TURNS, 1, SPANS_AT_ONCE);
    if (!xtf_parallel(&work, &question, question.spans->n, error))
        return false;
    add_bin_lines(&question, lines);
    return true;
}

const XtfView xtf_view_totals = {.table = XTF_TABLE("totals", "one line: records, calls and messages", columns),
                                 .final_in_window = true,
                                 .shape = shape_totals,
                                 .fill_bins = fill_totals};
