#include "src/tables/totals/waits/wait-work.h"

#include <stdlib.h>

#include "libxtf/aggregates.h"
#include "libxtf/error.h"
#include "libxtf/spans.h"
#include "libxtf/vocabulary.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/trace/select/location-arrays.h"

/* Arrays of a location. */
typedef struct {
    XtfArray calls, waits; /* schema NULL: none */
    XtfWaitRowFields fields;
    uint64_t first;      /* time of its first record */
    bool counts_outside; /* true if its time outside of calls is the program's */
} Side;

/* ---- Locations. */

static uint32_t find_child_callpath(void *data, uint32_t parent, uint32_t region, uint32_t depth)
{
    return xtf_callpath_find(data, parent, region, depth);
}

bool xtf_wait_sides_init(XtfWaitSides *sides, XtfTraceContext *context, GError **error)
{
    XtfAggregateRef frames;

    *sides = (XtfWaitSides){.context = context};
    sides->locations = xtf_trace_context_locations(context, error);
    if (!sides->locations || !xtf_callpaths_load(&sides->callpaths, context, error) ||
        !xtf_callpaths_check(&sides->callpaths, error))
        return false;
    sides->sides = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    xtf_callpath_times_init(&sides->times, xtf_aggregate_ref_frames(&frames, context) ? frames.number : 0,
                            find_child_callpath, &sides->callpaths);
    return true;
}

void xtf_wait_sides_finish(XtfWaitSides *sides)
{
    g_clear_pointer(&sides->sides, g_hash_table_unref);
    xtf_callpath_times_finish(&sides->times);
}

static void take_array(Side *side, const XtfTraceContext *context, const XtfArray *array)
{
    XtfAggregateRef frames;

    if (g_str_equal(array->schema->name, XTF_DERIVED_WAITS)) {
        side->waits = *array;
        xtf_wait_row_fields_init(&side->fields, array->schema);
    } else if (xtf_aggregate_ref_frames(&frames, context) && array->schema == frames.schema) {
        side->calls = *array;
    } else if (g_str_equal(array->schema->name, xtf_model_schema(XTF_MODEL_PROGRAMS)->name)) {
        side->counts_outside = true;
    }
}

/* Returns the data of a location, and loads it when first used. NULL with an error. */
static const Side *find_side(XtfWaitSides *sides, uint32_t location, GError **error)
{
    gpointer key = GUINT_TO_POINTER(location + 1);
    Side *side = g_hash_table_lookup(sides->sides, key);
    g_auto(XtfLocationArrays) arrays = {0};

    if (side)
        return side;
    if (!xtf_location_arrays_load(&arrays, sides->context, &sides->locations->all[location], error))
        return NULL;
    side = g_new0(Side, 1);
    side->first = arrays.first;
    for (uint32_t i = 0; i < arrays.n; i++)
        take_array(side, sides->context, &arrays.all[i]);
    g_hash_table_insert(sides->sides, key, side);
    return side;
}

/* ---- Sums. */

void xtf_wait_work_init(XtfWaitWork *work, const XtfWaitSides *sides)
{
    *work = (XtfWaitWork){.waits = g_array_new(FALSE, FALSE, sizeof(XtfWorkWait))};
    xtf_callpath_sums_init(&work->sums, sides->callpaths.n + 1);
}

void xtf_wait_work_finish(XtfWaitWork *work)
{
    xtf_callpath_sums_finish(&work->sums);
    g_clear_pointer(&work->waits, g_array_unref);
}

static void clear_work(XtfWaitWork *work)
{
    xtf_callpath_sums_clear(&work->sums);
    g_array_set_size(work->waits, 0);
    work->waited = 0;
}

/* ---- One side of a wait. */

/* Counts the call events before a record. */
static bool count_calls(const Side *side, uint64_t seq, uint64_t *n, GError **error)
{
    XtfSpan span;

    *n = 0;
    if (!side->calls.schema)
        return true;
    xtf_span_init(&span, &side->calls);
    return xtf_span_rank_of_seq(&span, seq, 0, side->calls.n_rows, n, error);
}

/* Finds the time of the last of n call events; for n = 0, the time of the first record. */
static bool find_time_after(const Side *side, uint64_t n, uint64_t *time, GError **error)
{
    *time = side->first;
    return n == 0 || xtf_array_time(&side->calls, n - 1, time, error);
}

/* Finds the call path after n call events. XTF_NONE32: outside of all calls. */
static bool find_callpath_after(XtfWaitSides *sides, const Side *side, uint64_t n, uint32_t *callpath, GError **error)
{
    g_autofree XtfOpenFrame *frames = NULL;
    uint32_t found = XTF_OUTSIDE_CALLS;
    size_t depth = 0;

    if (n > 0 && !xtf_array_stack(&side->calls, sides->times.aggregate, n, &frames, &depth, error))
        return false;
    for (size_t i = 0; i < depth; i++)
        found = xtf_callpath_find(&sides->callpaths, found, (uint32_t)frames[i].key, (uint32_t)i);
    *callpath = found == XTF_OUTSIDE_CALLS ? XTF_NONE32 : found;
    return true;
}

/* Adds row n of `waits`, which lies between the two records. */
static bool add_work_wait(XtfWaitWork *work, const XtfWaitSides *sides, const XtfWaitRow *row, uint64_t n,
                          GError **error)
{
    uint32_t n_callpaths = sides->callpaths.n;

    if (row->met.back == UINT64_MAX)
        return true;
    if ((row->callpath != UINT64_MAX && row->callpath >= n_callpaths) || row->amount > INT64_MAX - work->waited)
        return xtf_damaged(error,
                           "wait %" PRIu64 " of %" PRIu64 " ticks is on call path %" PRIu64
                           ": it is too long, or there are only %u call paths",
                           n, row->amount, row->callpath, n_callpaths);
    const XtfWorkWait wait = {.row = n, .end = row->end, .amount = row->amount};
    g_array_append_val(work->waits, wait);
    work->waited += row->amount;
    if (row->callpath != UINT64_MAX)
        xtf_callpath_sums_add(&work->sums, (uint32_t)row->callpath, -(int64_t)row->amount);
    return true;
}

/* The interval between two records, by `seq`, and its times. */
typedef struct {
    uint64_t from, to;   /* `from` UINT64_MAX: from the first record on */
    uint64_t begin, end; /* interval of the time of calls */
    uint64_t met;        /* end of all waiting at record `from` up to the meeting */
} Interval;

/* True if a wait lies in the interval. Waits of a kind that shares records must begin before the end of the time of
 * calls. At record `from`, they must begin after the meeting. */
static bool lies_in_interval(const XtfWaitRow *row, uint64_t end, const Interval *interval)
{
    uint64_t begin = end - MIN(row->amount, end);

    if (!xtf_wait_row_shares_record(row))
        return row->seq != interval->from;
    return begin < interval->end && (row->seq != interval->from || begin >= interval->met);
}

/* Adds the waits in an interval between two records. Waits at the second record do not count, and waits at the first
 * only as lies_in_interval() says. */
static bool add_interval_waits(XtfWaitWork *work, XtfWaitSides *sides, const Side *side, const Interval *interval,
                               GError **error)
{
    g_auto(XtfCursor) cursor = {0};
    bool found, good;
    XtfWaitRow row;
    uint64_t n = 0;
    XtfSpan span;

    if (!side->waits.schema)
        return true;
    xtf_span_init(&span, &side->waits);
    if (interval->from != UINT64_MAX && !xtf_span_rank_of_seq(&span, interval->from, 0, side->waits.n_rows, &n, error))
        return false;
    xtf_cursor_init(&cursor, &side->waits);
    for (good = xtf_cursor_seek_n(&cursor, n, &found, error); good && found;
         n++, good = xtf_cursor_next(&cursor, 1, &found, error)) {
        if (!xtf_wait_row_parse(&side->fields, xtf_cursor_row(&cursor), n, &row, error))
            return false;
        if (row.seq >= interval->to)
            break;
        if (sides->n_waits++ >= XTF_WAIT_SIDES_MAX)
            return xtf_fail(error, XTF_ERROR_TOO_LARGE, "there are more than %d waits since both sides met",
                            XTF_WAIT_SIDES_MAX);
        if (lies_in_interval(&row, xtf_cursor_time(&cursor), interval) && !add_work_wait(work, sides, &row, n, error))
            return false;
    }
    return good;
}

static bool add_call_times(XtfWaitWork *work, XtfWaitSides *sides, const Side *side, uint64_t begin, uint64_t end,
                           GError **error)
{
    XtfCallpathTimes *times = &sides->times;

    xtf_callpath_times_clear(times);
    if (!xtf_callpath_times_add(times, side->calls.schema ? &side->calls : NULL, begin, end, error))
        return false;
    for (guint i = 0; i < times->entries->len; i++) {
        const XtfCallpathTime *time = &g_array_index(times->entries, XtfCallpathTime, i);
        xtf_callpath_sums_add(&work->sums, time->callpath, (int64_t)MIN(time->ticks, (uint64_t)INT64_MAX));
    }
    if (side->counts_outside)
        xtf_callpath_sums_add(&work->sums, sides->callpaths.n, (int64_t)MIN(times->outside.ticks, (uint64_t)INT64_MAX));
    return true;
}

/* Adds the times of calls from call event `first` to `end`. Sets the interval's times. */
static bool add_calls(XtfWaitWork *work, XtfWaitSides *sides, const Side *side, uint64_t first, uint64_t end,
                      Interval *interval, GError **error)
{
    if (!find_time_after(side, first, &interval->begin, error) || !find_time_after(side, end, &interval->end, error))
        return false;
    sides->n_rows += end - MIN(first, end);
    return add_call_times(work, sides, side, interval->begin, interval->end, error);
}

bool xtf_wait_sides_callpath(XtfWaitSides *sides, uint32_t location, uint64_t seq, uint32_t *callpath, GError **error)
{
    const Side *side = find_side(sides, location, error);
    uint64_t n;

    return side && count_calls(side, seq, &n, error) && find_callpath_after(sides, side, n, callpath, error);
}

/* Skips an ENTER at which threads of a team met: the interval begins after it, inside its call. */
static bool skip_enter(const XtfWaitSides *sides, const Side *side, uint64_t seq, uint64_t *n, GError **error)
{
    const XtfAggregate *frames;
    uint8_t row[XTF_ROW_MAX];

    if (!side->calls.schema || *n >= side->calls.n_rows)
        return true;
    if (!xtf_array_row(&side->calls, *n, row, error))
        return false;
    frames = &side->calls.schema->aggregates[sides->times.aggregate];
    *n += xtf_row_seq(xtf_schema_field_by_role(side->calls.schema, XTF_ROLE_SEQ), row, *n) == seq &&
          xtf_field_get(&side->calls.schema->fields[frames->values[0]], row) == 0;
    return true;
}

bool xtf_wait_work_find(XtfWaitWork *work, XtfWaitSides *sides, uint32_t location, uint64_t seq,
                        const XtfWaitMeeting *meeting, GError **error)
{
    const Side *side = find_side(sides, location, error);
    Interval interval = {.from = meeting->back == 0 ? UINT64_MAX : seq - meeting->back, .to = seq};
    uint64_t first = 0, end;
    uint32_t callpath;

    if (!side)
        return false;
    if (meeting->back > seq)
        return xtf_damaged(error,
                           "record %" PRIu64 " of location %" PRIu64 " names a meeting %" PRIu64
                           " records before, which do not exist",
                           seq, sides->locations->all[location].id, meeting->back);
    clear_work(work);
    if ((interval.from != UINT64_MAX &&
         (!count_calls(side, interval.from, &first, error) ||
          (meeting->of_team && !skip_enter(sides, side, interval.from, &first, error)))) ||
        !count_calls(side, seq, &end, error) || !add_calls(work, sides, side, first, end, &interval, error))
        return false;
    interval.met = interval.begin + (uint64_t)MAX(meeting->idle, 0);
    if (!add_interval_waits(work, sides, side, &interval, error))
        return false;
    xtf_callpath_sums_none_negative(&work->sums);
    if (interval.from == UINT64_MAX)
        return true;
    if (!find_callpath_after(sides, side, first, &callpath, error))
        return false;
    if (callpath != XTF_NONE32)
        xtf_callpath_sums_add(&work->sums, callpath, meeting->idle == INT64_MIN ? INT64_MAX : -meeting->idle);
    xtf_callpath_sums_not_negative(&work->sums, callpath);
    return true;
}

/* Adds the waits that end in [begin, end], without their parts before `begin`. */
static bool add_waits_within(XtfWaitWork *work, XtfWaitSides *sides, const Side *side, uint64_t begin, uint64_t end,
                             GError **error)
{
    g_auto(XtfCursor) cursor = {0};
    bool found, good;
    XtfWaitRow row;
    uint64_t n = 0;

    if (!side->waits.schema)
        return true;
    if (!xtf_array_rank(&side->waits, begin, &n, error))
        return false;
    xtf_cursor_init(&cursor, &side->waits);
    for (good = xtf_cursor_seek_n(&cursor, n, &found, error); good && found;
         n++, good = xtf_cursor_next(&cursor, 1, &found, error)) {
        uint64_t time = xtf_cursor_time(&cursor);
        if (!xtf_wait_row_parse(&side->fields, xtf_cursor_row(&cursor), n, &row, error))
            return false;
        if (time > end)
            break;
        if (sides->n_waits++ >= XTF_WAIT_SIDES_MAX)
            return xtf_fail(error, XTF_ERROR_TOO_LARGE, "there are more than %d waits to read", XTF_WAIT_SIDES_MAX);
        row.amount = time > begin ? MIN(row.amount, time - begin) : 0;
        if (row.amount > 0 && !add_work_wait(work, sides, &row, n, error))
            return false;
    }
    return good;
}

/* Counts the call events from one time to another as rows to read. */
static bool count_call_events(XtfWaitSides *sides, const Side *side, uint64_t begin, uint64_t end, GError **error)
{
    uint64_t from, to;

    if (!side->calls.schema)
        return true;
    if (!xtf_array_rank(&side->calls, begin, &from, error) || !xtf_array_rank(&side->calls, end, &to, error))
        return false;
    sides->n_rows += to - MIN(from, to);
    return true;
}

bool xtf_wait_work_within(XtfWaitWork *work, XtfWaitSides *sides, uint32_t location, uint64_t begin, uint64_t end,
                          GError **error)
{
    const Side *side = find_side(sides, location, error);

    clear_work(work);
    if (!side || !count_call_events(sides, side, begin, end, error) ||
        !add_call_times(work, sides, side, begin, end, error) ||
        !add_waits_within(work, sides, side, begin, end, error))
        return false;
    xtf_callpath_sums_none_negative(&work->sums);
    return true;
}
