/*
 * Waits by call site: waits in calls from a site, and waits of any process that such calls caused.
 *
 * Rows of `waits` lead to the record that ended the wait, in another location. These records are collected, sorted by
 * location, and found in one sweep over the calls of each location.
 */
#include <stdlib.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/totals/sites/site-sweep.h"
#include "src/tables/totals/sites/site-totals.h"
#include "src/tables/totals/waits/wait-rows.h"
#include "src/trace/context/analyses.h"
#include "src/trace/select/parallel.h"

enum {
    LOCATIONS_PER_ROUND = 1024, /* locations whose waits are collected before their causes are found */
};

/* A record that ended a wait of another location. */
typedef struct {
    uint32_t location; /* index in XtfLocations */
    uint64_t seq, amount;
} Cause;

typedef struct {
    XtfTraceContext *context;
    const XtfSelection *selection;
    const XtfLocations *locations;
    bool *selected; /* by index in XtfLocations */
    XtfAggregateRef by_site;
    const XtfSchema *waits;
    XtfSiteTotals *totals;
    GArray *causes; /* Cause */
    uint32_t first; /* first location of this round */
} Request;

typedef struct {
    unsigned __int128 *suffered; /* ticks of waits, by call site */
    GArray *causes;
} ThreadWaits;

static void *begin_site_waits(void *data)
{
    const Request *request = data;
    ThreadWaits *waits = g_new0(ThreadWaits, 1);

    waits->suffered = g_new0(unsigned __int128, request->totals->sites->n + 1);
    waits->causes = g_array_new(FALSE, FALSE, sizeof(Cause));
    return waits;
}

static void join_site_waits(void *thread_data, void *data)
{
    const Request *request = data;
    ThreadWaits *waits = thread_data;

    for (uint64_t i = 0; i < request->totals->sites->n; i++)
        request->totals->all[i].suffered += waits->suffered[i];
    g_array_append_vals(request->causes, waits->causes->data, waits->causes->len);
    g_array_unref(waits->causes);
    g_free(waits->suffered);
    g_free(waits);
}

/* Collects the record that ended a wait, if its location is selected. */
static bool collect_cause(const Request *request, ThreadWaits *waits, uint32_t waiter, const XtfWaitRow *row,
                          GError **error)
{
    Cause cause = {.amount = row->amount};
    bool known;

    if (!xtf_wait_row_culprit_in_call(row, waiter, request->context, request->locations, &cause.location, &cause.seq,
                                      &known, error))
        return false;
    if (known && request->selected[cause.location])
        g_array_append_val(waits->causes, cause);
    return true;
}

/* Begins a sweep over the calls of a location, from time t on. *found is false if it has no calls. */
static bool begin_sweep(const Request *request, XtfSiteSweep *sweep, uint32_t location, uint64_t t, bool *found,
                        GError **error)
{
    XtfArray calls;
    uint64_t n;

    if (!xtf_trace_find_array(request->context->trace, request->locations->all[location].id,
                              request->by_site.schema->id, &calls, found, error))
        return false;
    return !*found ||
           (xtf_array_rank(&calls, t, &n, error) && xtf_site_sweep_init(sweep, &calls, &request->by_site, n, error));
}

static bool add_wait(const Request *request, ThreadWaits *waits, XtfSiteSweep *sweep, uint32_t waiter,
                     const XtfWaitRow *row, GError **error)
{
    uint32_t site;

    if (sweep) {
        if (!xtf_site_sweep_find(sweep, row->seq, &site, error))
            return false;
        if (site < request->totals->sites->n)
            waits->suffered[site] += row->amount;
    }
    return collect_cause(request, waits, waiter, row, error);
}

/* Adds the waits of a location that end in the window. */
static bool add_location(const Request *request, ThreadWaits *waits, uint32_t location, GError **error)
{
    const XtfSelection *selection = request->selection;
    g_auto(XtfSiteSweep) sweep = {0};
    bool found, has_calls = false;
    XtfWaitRowFields fields;
    g_auto(XtfCursor) cursor = {0};
    XtfArray array;
    XtfWaitRow row;

    if (!xtf_trace_find_array(request->context->trace, request->locations->all[location].id, request->waits->id, &array,
                              &found, error))
        return false;
    if (!found)
        return true;
    if (request->selected[location] && !begin_sweep(request, &sweep, location, selection->time_from, &has_calls, error))
        return false;
    xtf_wait_row_fields_init(&fields, array.schema);
    xtf_cursor_init(&cursor, &array);
    if (!xtf_cursor_seek_t(&cursor, selection->time_from, &found, error))
        return false;
    while (found && xtf_cursor_time(&cursor) < selection->time_to) {
        if (!xtf_wait_row_parse(&fields, xtf_cursor_row(&cursor), cursor.n, &row, error) ||
            !add_wait(request, waits, has_calls ? &sweep : NULL, location, &row, error) ||
            !xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    return true;
}

static bool add_locations(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Request *request = data;

    for (uint32_t i = first; i < end; i++) {
        if (!add_location(request, thread_data, request->first + i, error))
            return false;
    }
    return true;
}

/* ---- Causes. */

static int compare_causes(const void *a, const void *b)
{
    const Cause *x = a, *y = b;

    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Finds the sites of the collected records, and adds the waits to them. */
static bool add_causes(const Request *request, GError **error)
{
    const Cause *causes = (const Cause *)(void *)request->causes->data;
    uint32_t n = request->causes->len;

    if (n)
        qsort(request->causes->data, n, sizeof *causes, compare_causes);
    for (uint32_t i = 0; i < n;) {
        g_auto(XtfSiteSweep) sweep = {0};
        uint32_t location = causes[i].location, site;
        bool found;
        if (!begin_sweep(request, &sweep, location, 0, &found, error))
            return false;
        for (; i < n && causes[i].location == location; i++) {
            if (found && !xtf_site_sweep_find(&sweep, causes[i].seq, &site, error))
                return false;
            if (found && site < request->totals->sites->n)
                request->totals->all[site].caused += causes[i].amount;
        }
    }
    return true;
}

static bool add_rounds(Request *request, GError **error)
{
    const XtfParallelWork work = {.step = 1, .begin = begin_site_waits, .work = add_locations, .join = join_site_waits};
    uint32_t n = request->locations->n;

    for (; request->first < n; request->first += LOCATIONS_PER_ROUND) {
        g_array_set_size(request->causes, 0);
        if (!xtf_parallel(&work, request, MIN(n - request->first, (uint32_t)LOCATIONS_PER_ROUND), error) ||
            !add_causes(request, error))
            return false;
    }
    return true;
}

bool xtf_site_waits_add(XtfSiteTotals *totals, XtfTraceContext *context, const XtfSelection *selection, GError **error)
{
    Request request = {
        .context = context,
        .selection = selection,
        .locations = xtf_trace_context_locations(context, error),
        .waits = xtf_trace_find_schema(context->trace, XTF_DERIVED_WAITS),
        .totals = totals,
    };
    bool exist, shown;

    if (!request.locations || !xtf_analyses_find_waits(context->trace, &exist, &shown, error))
        return false;
    if (!request.waits || !shown)
        return true;
    g_autoptr(GArray) causes = g_array_new(FALSE, FALSE, sizeof(Cause));
    g_autoptr(GArray) selected = xtf_selection_locations(selection, request.locations);
    g_autofree bool *is_selected = g_new0(bool, request.locations->n + 1);
    for (guint i = 0; i < selected->len; i++)
        is_selected[g_array_index(selected, uint32_t, i)] = true;
    request.causes = causes;
    request.selected = is_selected;
    xtf_aggregate_ref_frames_by_site(&request.by_site, context);
    return add_rounds(&request, error);
}
