#include "src/tables/totals/waits/kind-totals.h"

#include <stdlib.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/trace/select/parallel.h"
#include "src/trace/text/lines.h"

enum {
    LOCATIONS_AT_ONCE = 64, /* most locations per step of a thread */
    LEAST_STEPS = 16,       /* least number of steps, which shrinks the steps of few locations */
};

static const char *const by_region[] = {"event", "region", NULL};
static const char *const by_callpath[] = {"event", "region", "context", NULL};

const XtfKindSource xtf_kinds_of_waits = {XTF_DERIVED_WAITS, "amount", {"amount", "indirect", "propagating"}, false};
const XtfKindSource xtf_callpaths_of_waits = {XTF_DERIVED_WAITS, "amount", {"amount", "indirect", "propagating"}, true};
const XtfKindSource xtf_kinds_of_delays = {XTF_DERIVED_DELAYS, NULL, {"short_term", "long_term"}, false};
const XtfKindSource xtf_callpaths_of_delays = {XTF_DERIVED_DELAYS, NULL, {"short_term", "long_term"}, true};

unsigned xtf_kind_source_n(const XtfKindSource *source)
{
    return g_strv_length((char **)source->values);
}

/* Returns the number of leading keys of a source's groups. */
static unsigned count_keys(const XtfKindSource *source)
{
    return source->by_callpath ? 3 : 2;
}

static XtfKindTotal make_total(const XtfKindSource *source, const uint64_t *key)
{
    return (XtfKindTotal){.kind = key[0], .region = key[1], .callpath = source->by_callpath ? key[2] : 0};
}

/* Finds an aggregate with the source's keys and values. Returns false if there is none. */
static bool choose_kind_aggregate(XtfAggregateRef *ref, const XtfTraceContext *context, const XtfSelection *selection,
                                  const XtfKindSource *source)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, source->type);
    const XtfAggregateNeed need = {source->by_callpath ? by_callpath : by_region, source->values};

    *ref = (XtfAggregateRef){0};
    return schema && schema->kind == XTF_SCHEMA_DERIVED && selection->type == schema->id && !selection->base &&
           xtf_aggregate_choose(ref, schema, selection, &need);
}

bool xtf_kind_totals_exist(const XtfTraceContext *context, const XtfSelection *selection, const XtfKindSource *source)
{
    XtfAggregateRef ref;
    return choose_kind_aggregate(&ref, context, selection, source);
}

/* ---- Lines. */

static int compare_totals(const void *a, const void *b)
{
    const XtfKindTotal *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->region != y->region)
        return x->region < y->region ? -1 : 1;
    return x->callpath < y->callpath ? -1 : x->callpath > y->callpath;
}

static bool is_listed(const XtfSelection *selection, const XtfAggregateRef *ref, const uint64_t *key)
{
    const XtfNumberSet *regions = selection->by[XTF_BY_REGION];

    return xtf_number_set_contains(selection->by[XTF_BY_KIND], key[0]) &&
           (!regions ||
            (!xtf_key_is_none(xtf_aggregate_ref_key(ref, 1), key[1]) && xtf_number_set_contains(regions, key[1])));
}

bool xtf_kind_totals_list(XtfKindTotals *totals, XtfKeeper *lists, XtfTraceContext *context,
                          const XtfSelection *selection, const XtfKindSource *source, GError **error)
{
    *totals = (XtfKindTotals){0};
    choose_kind_aggregate(&totals->ref, context, selection, source);
    XtfGroupList *list = xtf_group_lists_take(lists, context, &totals->ref, count_keys(source), error);
    if (!list)
        return false;
    totals->all = g_new0(XtfKindTotal, list->n + 1);
    for (uint32_t i = 0; i < list->n; i++) {
        const uint64_t *key = xtf_group_list_key(list, i);
        if (is_listed(selection, &totals->ref, key))
            totals->all[totals->n++] = make_total(source, key);
    }
    xtf_group_lists_put(lists, list);
    return true;
}

void xtf_kind_totals_finish(XtfKindTotals *totals)
{
    g_clear_pointer(&totals->all, g_free);
}

/* ---- Totals, on all cores. */

/* A request for totals, shared by all threads. */
typedef struct {
    XtfKindTotals *totals;
    const XtfSelection *selection;
    const XtfKindSource *source;
    XtfTraceContext *context;
    const XtfSelectedLocations *selected;
    XtfLastingTotals lasting; /* without groups: each thread has its own */
    const XtfSchema *calls;   /* NULL: the trace has no calls */
    unsigned n_values, cells[XTF_KIND_VALUES_MAX];
} Request;

typedef struct {
    XtfKindTotals totals;
    XtfLastingTotals lasting;
    XtfLocationArrays arrays;
} ThreadTotals;

static void *begin_kind_totals(void *data)
{
    const Request *request = data;
    const XtfKindTotals *all = request->totals;
    ThreadTotals *thread = g_new0(ThreadTotals, 1);

    thread->totals = (XtfKindTotals){.ref = all->ref, .n = all->n};
    thread->totals.all = g_memdup2(all->all, (all->n + 1) * sizeof *all->all);
    xtf_lasting_totals_init_more(&thread->lasting, &request->lasting);
    return thread;
}

static void add_kind_groups(ThreadTotals *thread, const Request *request)
{
    const XtfGroupTotals *groups = thread->lasting.totals.groups;

    for (uint32_t i = 0; i < xtf_group_totals_n(groups); i++) {
        const uint64_t *key = xtf_group_totals_key(groups, i), *cells = xtf_group_totals_cells(groups, i);
        const XtfKindTotal wanted = make_total(request->source, key);
        XtfKindTotal *total = bsearch(&wanted, thread->totals.all, thread->totals.n, sizeof wanted, compare_totals);
        if (!total)
            continue;
        total->rows += cells[XTF_GROUP_ROWS];
        for (unsigned j = 0; j < request->n_values; j++)
            total->values[j] += cells[request->cells[j]];
    }
}

static bool add_location_totals(ThreadTotals *thread, const Request *request, const XtfLocation *location,
                                GError **error)
{
    const XtfSelection *selection = request->selection;
    XtfLocationArrays *arrays = &thread->arrays;

    if (!xtf_location_arrays_load(arrays, request->context, location, error))
        return false;
    uint64_t from = MAX(selection->time_from, arrays->first), to = MIN(selection->time_to, arrays->last);
    uint64_t gaps;
    if (!xtf_location_gap_ticks(arrays, false, from, to, &gaps, error))
        return false;
    /* As in profiles, a location without calls, such as a thread of MPI itself, has no time. */
    if (!request->calls || xtf_location_arrays_find(arrays, request->calls))
        thread->totals.whole += to > from ? to - from - gaps : 0;
    const XtfArray *array = xtf_location_arrays_find(arrays, thread->totals.ref.schema);
    if (!array)
        return true;
    xtf_group_totals_clear(thread->lasting.totals.groups);
    if (!xtf_lasting_totals_add(&thread->lasting, array, location->proc, selection->time_from, selection->time_to,
                                error))
        return false;
    add_kind_groups(thread, request);
    return true;
}

static bool add_range_totals(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Request *request = data;

    for (uint32_t i = first; i < end; i++) {
        if (!add_location_totals(thread_data, request, xtf_selected_location(request->selected, i), error))
            return false;
    }
    return true;
}

static void join_kind_totals(void *thread_data, void *data)
{
    XtfKindTotals *to = ((const Request *)data)->totals;
    ThreadTotals *thread = thread_data;

    to->whole += thread->totals.whole;
    for (uint32_t i = 0; i < to->n; i++) {
        to->all[i].rows += thread->totals.all[i].rows;
        for (unsigned j = 0; j < XTF_KIND_VALUES_MAX; j++)
            to->all[i].values[j] += thread->totals.all[i].values[j];
    }
    xtf_kind_totals_finish(&thread->totals);
    xtf_lasting_totals_finish(&thread->lasting);
    xtf_location_arrays_finish(&thread->arrays);
    g_free(thread);
}

bool xtf_kind_totals_load(XtfKindTotals *totals, XtfKeeper *lists, XtfTraceContext *context,
                          const XtfSelection *selection, const XtfKindSource *source, GError **error)
{
    XtfParallelWork work = {.begin = begin_kind_totals, .work = add_range_totals, .join = join_kind_totals};
    g_auto(XtfSelectedLocations) selected = {0};
    Request request = {.totals = totals, .selection = selection, .source = source, .context = context};
    XtfAggregateRef frames;

    if (!xtf_kind_totals_list(totals, lists, context, selection, source, error) ||
        !xtf_selected_locations_init(&selected, context, selection, error))
        return false;
    request.selected = &selected;
    request.calls = xtf_aggregate_ref_frames(&frames, context) ? frames.schema : NULL;
    request.n_values = xtf_kind_source_n(source);
    for (unsigned i = 0; i < request.n_values; i++)
        request.cells[i] = xtf_aggregate_ref_cell(&totals->ref, source->values[i]);
    work.step = CLAMP(selected.n / LEAST_STEPS, 1, LOCATIONS_AT_ONCE);
    bool good = xtf_lasting_totals_init(&request.lasting, context, selection, &totals->ref, count_keys(source),
                                        source->length, error) &&
                xtf_parallel(&work, &request, selected.n, error);
    xtf_lasting_totals_finish(&request.lasting);
    return good;
}

bool xtf_kind_ticks_width(XtfTraceContext *context, size_t *width, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    uint64_t longest = xtf_trace_context_longest(context);

    if (locations)
        *width = xtf_ticks_width(&context->scale, (unsigned __int128)longest * locations->n);
    return locations;
}
