#include "src/tables/totals/sites/wait-sites.h"

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/totals/location-totals.h"
#include "src/tables/totals/sites/main-sites.h"
#include "src/tables/totals/sites/site-sweep.h"
#include "src/tables/totals/waits/wait-rows.h"
#include "src/trace/select/aggregate-choice.h"
#include "src/trace/select/parallel.h"

enum {
    ROWS_SCANNED = 256,     /* most rows that are read one by one; of more, the index has the sums */
    LOCATIONS_AT_ONCE = 64, /* most locations per step of a thread */
    LEAST_STEPS = 16, /* least number of such steps: fewer locations make them smaller, so that all threads have work */
};

typedef unsigned __int128 Wide;

static const char *const no_keys[] = {NULL};
static const char *const values[] = {"amount", NULL};

typedef struct {
    XtfTraceContext *context;
    const XtfSelection *selection;
    XtfSelectedLocations selected;
    XtfAggregateRef ref; /* aggregate with the sums of the field `amount` */
    unsigned amount;     /* number of the cell with the sum of the field `amount` */
    XtfLocationTotals totals;
    uint64_t *sums; /* by selected location: sum of its waits in ticks */
    Wide whole;
    XtfWaitDraw *draws;
    unsigned n; /* draws so far */
} Sample;

static void sample_finish(Sample *sample)
{
    xtf_selected_locations_finish(&sample->selected);
    xtf_location_totals_finish(&sample->totals);
    g_clear_pointer(&sample->sums, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sample, sample_finish)

/* ---- Sums by location, on all cores. */

typedef struct {
    XtfLocationTotals totals;
    XtfLocationArrays arrays;
} ThreadSums;

static void *begin_thread_sums(void *data)
{
    ThreadSums *sums = g_new0(ThreadSums, 1);

    xtf_location_totals_init_more(&sums->totals, &((const Sample *)data)->totals);
    return sums;
}

static void join_thread_sums(void *thread_data, void *data)
{
    ThreadSums *sums = thread_data;

    xtf_location_totals_finish(&sums->totals);
    xtf_location_arrays_finish(&sums->arrays);
    g_free(sums);
}

/* Returns the sum of the amounts in totals, which have one group at most. */
static uint64_t sum_of(const Sample *sample, const XtfLocationTotals *totals)
{
    return xtf_group_totals_n(totals->groups) ? xtf_group_totals_cells(totals->groups, 0)[sample->amount] : 0;
}

static bool sum_locations(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    Sample *sample = data;
    ThreadSums *sums = thread_data;

    for (uint32_t i = first; i < end; i++) {
        xtf_group_totals_clear(sums->totals.groups);
        if (!xtf_location_arrays_load(&sums->arrays, sample->context, xtf_selected_location(&sample->selected, i),
                                      error) ||
            !xtf_location_totals_add_window(&sums->totals, &sums->arrays, error))
            return false;
        sample->sums[i] = sum_of(sample, &sums->totals);
    }
    return true;
}

/* ---- The sites of a wait. */

/* Finds the site of a record of a location. */
static bool find_site_of_record(XtfTraceContext *context, const XtfLocation *location, uint64_t t, uint64_t seq,
                                uint32_t *site, GError **error)
{
    XtfAggregateRef by_site;
    XtfArray calls;
    bool found;

    *site = UINT32_MAX;
    if (!xtf_aggregate_ref_frames_by_site(&by_site, context))
        return true;
    return xtf_trace_find_array(context->trace, location->id, by_site.schema->id, &calls, &found, error) &&
           (!found || xtf_site_at_record(&calls, &by_site, t, seq, site, error));
}

/* Finds the site after which the culprit of a wait was outside of all calls for longest. */
static bool find_site_before(XtfTraceContext *context, const XtfLocation *culprit, const XtfWaitRow *row,
                             XtfWaitDraw *draw, GError **error)
{
    uint64_t back = row->culprit_met.back == 0 ? UINT64_MAX : row->culprit_met.back; /* 0: they never met */
    uint64_t since = draw->culprit_seq - MIN(back, draw->culprit_seq);
    XtfAggregateRef by_site;
    XtfArray calls;
    bool found;

    if (!xtf_aggregate_ref_frames_by_site(&by_site, context))
        return true;
    return xtf_trace_find_array(context->trace, culprit->id, by_site.schema->id, &calls, &found, error) &&
           (!found ||
            xtf_site_before_record(&calls, &by_site, row->end, draw->culprit_seq, since, &draw->before, error));
}

bool xtf_wait_sites_find(XtfWaitDraw *draw, XtfTraceContext *context, uint32_t location, const XtfArray *waits,
                         uint64_t n, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    XtfWaitRow row;
    bool known;

    *draw = (XtfWaitDraw){XTF_NO_SITE, XTF_NO_SITE, UINT32_MAX, XTF_NO_SITE, 0};
    if (!locations || !xtf_wait_row_read(waits, n, &row, error) ||
        !find_site_of_record(context, &locations->all[location], row.end, row.seq, &draw->waiting, error) ||
        !xtf_wait_row_culprit_in_call(&row, location, context, locations, &draw->culprit, &draw->culprit_seq, &known,
                                      error))
        return false;
    if (!known) {
        draw->culprit = UINT32_MAX;
        return true;
    }
    return find_site_of_record(context, &locations->all[draw->culprit], row.end, draw->culprit_seq, &draw->ending,
                               error) &&
           find_site_before(context, &locations->all[draw->culprit], &row, draw, error);
}

/* ---- Draws of a location. */

/* Returns the place of the next draw: ticks from the begin of the sum of all amounts. */
static Wide next_target(const Sample *sample)
{
    return sample->whole * (2 * sample->n + 1) / (2 * XTF_WAIT_DRAWS);
}

/* True if the place of the next draw is before `before`. */
static bool has_target(const Sample *sample, Wide before)
{
    return sample->n < XTF_WAIT_DRAWS && next_target(sample) < before;
}

/* Draws a row once for each draw whose place is in the row's amount. `before`: the sum of all amounts up to the row's
 * end. */
static bool draw_row(Sample *sample, uint32_t location, const XtfArray *waits, uint64_t n, Wide before, GError **error)
{
    XtfWaitDraw draw;

    if (!has_target(sample, before))
        return true;
    if (!xtf_wait_sites_find(&draw, sample->context, location, waits, n, error))
        return false;
    while (has_target(sample, before))
        sample->draws[sample->n++] = draw;
    return true;
}

/* Draws from rows [lo, hi), which are read one by one. */
static bool draw_scanned(Sample *sample, uint32_t location, const XtfArray *waits, uint64_t lo, uint64_t hi,
                         Wide before, GError **error)
{
    const XtfLocationTotals *totals = &sample->totals;
    const XtfField *amount = xtf_aggregate_ref_value(&sample->ref, sample->amount);
    XtfFilter filter = {totals->matcher, sample->selected.locations->all[location].proc};
    XtfGroupFilter groups = xtf_filter_groups(&filter);
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, waits);
    if (!xtf_cursor_seek_n(&cursor, lo, &found, error))
        return false;
    while (found && cursor.n < hi) {
        const uint8_t *row = xtf_cursor_row(&cursor);
        if ((!totals->matcher || xtf_row_matches(waits->schema, sample->ref.number, &groups, row)) &&
            !xtf_field_is_none(amount, row))
            before += xtf_field_get(amount, row);
        if (!draw_row(sample, location, waits, cursor.n, before, error) || !xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    return true;
}

/* Draws from rows [lo, hi), whose amounts are the ticks from `before` to `end` of the sum of all. */
static bool draw_rows(Sample *sample, uint32_t location, const XtfArray *waits, uint64_t lo, uint64_t hi, Wide before,
                      Wide end, GError **error)
{
    uint64_t proc = sample->selected.locations->all[location].proc, middle = lo + (hi - lo) / 2;

    if (!has_target(sample, end))
        return true;
    if (hi - lo <= ROWS_SCANNED)
        return draw_scanned(sample, location, waits, lo, hi, before, error);
    xtf_group_totals_clear(sample->totals.groups);
    if (!xtf_location_totals_add_rows(&sample->totals, waits, proc, lo, middle, error))
        return false;
    Wide half = before + sum_of(sample, &sample->totals);
    return draw_rows(sample, location, waits, lo, middle, before, half, error) &&
           draw_rows(sample, location, waits, middle, hi, half, end, error);
}

static bool draw_locations(Sample *sample, GError **error)
{
    const XtfSelection *selection = sample->selection;
    Wide before = 0;
    XtfArray waits;
    XtfSpan span;
    bool found;

    for (uint32_t i = 0; i < sample->selected.n; before += sample->sums[i++]) {
        uint32_t location = sample->selected.indices[i];
        if (!has_target(sample, before + sample->sums[i]))
            continue;
        if (!xtf_trace_find_array(sample->context->trace, sample->selected.locations->all[location].id,
                                  sample->ref.schema->id, &waits, &found, error))
            return false;
        if (!found)
            continue;
        xtf_span_init(&span, &waits);
        if (!xtf_span_cut(&span, selection->time_from, selection->time_to, error) ||
            !draw_rows(sample, location, &waits, span.lo, span.hi, before, before + sample->sums[i], error))
            return false;
    }
    return true;
}

bool xtf_wait_sites_draw(XtfWaitDraw *draws, unsigned *n, XtfTraceContext *context, const XtfSelection *selection,
                         GError **error)
{
    XtfParallelWork work = {.begin = begin_thread_sums, .work = sum_locations, .join = join_thread_sums};
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, XTF_DERIVED_WAITS);
    g_auto(Sample) sample = {.context = context, .selection = selection, .draws = draws};
    XtfAggregateRef by_site;

    *n = 0;
    if (!schema || selection->type != schema->id || selection->base ||
        !xtf_aggregate_choose(&sample.ref, schema, selection, &(XtfAggregateNeed){no_keys, values}) ||
        !xtf_aggregate_ref_frames_by_site(&by_site, context))
        return true;
    sample.amount = xtf_aggregate_ref_cell(&sample.ref, values[0]);
    if (!xtf_selected_locations_init(&sample.selected, context, selection, error) ||
        !xtf_location_totals_init(&sample.totals, context, selection, &sample.ref, 0, error))
        return false;
    sample.sums = g_new0(uint64_t, sample.selected.n + 1);
    work.step = CLAMP(sample.selected.n / LEAST_STEPS, 1, LOCATIONS_AT_ONCE);
    if (!xtf_parallel(&work, &sample, sample.selected.n, error))
        return false;
    for (uint32_t i = 0; i < sample.selected.n; i++)
        sample.whole += sample.sums[i];
    if (!draw_locations(&sample, error))
        return false;
    *n = sample.n;
    return true;
}
