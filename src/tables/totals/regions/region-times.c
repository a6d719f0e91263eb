#include "src/tables/totals/regions/region-times.h"

#include "libxtf/error.h"
#include "libxtf/slices.h"
#include "libxtf/trace.h"

bool xtf_region_times_exist(const XtfTraceContext *context, const XtfSelection *selection)
{
    XtfAggregateRef frames;

    return !selection->base && !selection->by[XTF_BY_COMM] && !selection->by[XTF_BY_TAG] &&
           !selection->by[XTF_BY_PEER] && xtf_aggregate_ref_frames(&frames, context) &&
           xtf_selection_may_have(selection, frames.schema);
}

/* Prepares for a selection by call site: finds the aggregate by site, which has the totals of its calls. */
static bool init_by_site(XtfRegionTimes *region_times, GError **error)
{
    region_times->sites = xtf_trace_context_sites(region_times->context, error);
    if (!region_times->sites)
        return false;
    if (!xtf_aggregate_ref_frames_by_site(&region_times->by_site, region_times->context))
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the trace has no totals by call site");
    region_times->site_groups = xtf_group_totals_new(region_times->by_site.aggregate, 1);
    return true;
}

bool xtf_region_times_init(XtfRegionTimes *region_times, XtfFormats *formats, const XtfSelection *selection,
                           GError **error)
{
    *region_times = (XtfRegionTimes){.context = formats->context, .selection = selection};
    region_times->locations = xtf_trace_context_locations(region_times->context, error);
    xtf_aggregate_ref_frames(&region_times->frames, formats->context);
    if (!region_times->locations ||
        !xtf_regions_load(&region_times->regions, formats, selection, &region_times->frames, error))
        return false;
    region_times->groups = xtf_group_totals_new(region_times->frames.aggregate, 1);
    return !selection->by[XTF_BY_SITE] || init_by_site(region_times, error);
}

void xtf_region_times_init_more(XtfRegionTimes *region_times, const XtfRegionTimes *from)
{
    *region_times = *from;
    region_times->arrays = (XtfLocationArrays){0};
    region_times->groups = xtf_group_totals_new(from->frames.aggregate, 1);
    region_times->site_groups = from->sites ? xtf_group_totals_new(from->by_site.aggregate, 1) : NULL;
}

void xtf_region_times_finish(XtfRegionTimes *region_times)
{
    xtf_location_arrays_finish(&region_times->arrays);
    g_clear_pointer(&region_times->groups, xtf_group_totals_free);
    g_clear_pointer(&region_times->site_groups, xtf_group_totals_free);
}

/* Adds the totals of the selected sites to their regions. */
static void add_site_totals(XtfRegionTimes *region_times)
{
    const XtfGroupTotals *groups = region_times->site_groups;

    for (uint32_t i = 0; i < xtf_group_totals_n(groups); i++) {
        uint64_t site = *xtf_group_totals_key(groups, i), region = xtf_sites_region(region_times->sites, site);
        if (site < region_times->sites->n && xtf_number_set_contains(region_times->selection->by[XTF_BY_SITE], site))
            xtf_group_totals_add(region_times->groups, &region, xtf_group_totals_cells(groups, i));
    }
}

static bool measure_sites(XtfRegionTimes *region_times, const XtfArray *calls, uint64_t from, uint64_t to,
                          GError **error)
{
    const XtfLocationArrays *arrays = &region_times->arrays;
    XtfGroupTotals *groups = region_times->site_groups;

    xtf_group_totals_clear(groups);
    if (!xtf_array_profile(calls, region_times->by_site.number, from, to, arrays->local_first, arrays->local_last,
                           groups, error))
        return false;
    add_site_totals(region_times);
    return true;
}

/* Measures the ticks of the loaded location in the window [from, to). */
static bool measure_ticks(const XtfRegionTimes *region_times, const XtfArray *calls, uint64_t from, uint64_t to,
                          uint64_t *ticks, GError **error)
{
    const XtfLocationArrays *arrays = &region_times->arrays;
    uint64_t gaps;

    from = MAX(xtf_clock_map_to_local(calls->clock, from), arrays->local_first);
    to = MIN(xtf_clock_map_to_local(calls->clock, to), arrays->local_last);
    if (!xtf_location_gap_ticks(arrays, true, from, to, &gaps, error))
        return false;
    *ticks = to > from ? to - from - gaps : 0;
    return true;
}

/* Loads a location. *calls is its array of calls; NULL: it has none. */
static bool load_location(XtfRegionTimes *region_times, const XtfLocation *location, const XtfArray **calls,
                          GError **error)
{
    XtfLocationArrays *arrays = &region_times->arrays;

    xtf_group_totals_clear(region_times->groups);
    if (!xtf_location_arrays_load(arrays, region_times->context, location, error))
        return false;
    *calls = xtf_location_arrays_find(arrays, region_times->frames.schema);
    return true;
}

bool xtf_region_times_measure(XtfRegionTimes *region_times, const XtfLocation *location, uint64_t *ticks,
                              GError **error)
{
    const XtfSelection *selection = region_times->selection;
    const XtfLocationArrays *arrays = &region_times->arrays;
    const XtfArray *calls;
    uint64_t time_from, time_to;

    *ticks = 0;
    if (!load_location(region_times, location, &calls, error))
        return false;
    if (!calls)
        return true;
    xtf_selection_location_window(selection, location, &time_from, &time_to);
    if (!measure_ticks(region_times, calls, time_from, time_to, ticks, error))
        return false;
    if (region_times->sites)
        return measure_sites(region_times, calls, time_from, time_to, error);
    return xtf_array_profile(calls, region_times->frames.number, time_from, time_to, arrays->local_first,
                             arrays->local_last, region_times->groups, error);
}

typedef struct {
    XtfRegionTimes *region_times;
    const XtfArray *calls;
    const XtfTimeBins *bins;
    uint64_t *edges; /* of the bins, within the window of the location */
    XtfRegionBinVisitor visit;
    void *data;
} BinWalk;

static bool take_bin(const XtfSlice *slice, void *data, GError **error)
{
    const BinWalk *walk = data;
    uint64_t bin = slice->number, ticks;

    if (walk->region_times->sites) {
        xtf_group_totals_clear(walk->region_times->groups);
        add_site_totals(walk->region_times);
    }
    return measure_ticks(walk->region_times, walk->calls, walk->edges[bin], walk->edges[bin + 1], &ticks, error) &&
           walk->visit(walk->region_times, bin, ticks, walk->data, error);
}

/* Visits the bins of a location that has calls. */
static bool visit_bins(BinWalk *walk, GError **error)
{
    const XtfRegionTimes *region_times = walk->region_times;
    const XtfLocationArrays *arrays = &region_times->arrays;
    uint64_t n = walk->bins->n;
    g_autofree uint64_t *edges = g_memdup2(walk->bins->bounds, (n + 1) * sizeof *edges);
    bool by_site = region_times->sites != NULL;
    uint64_t from, to;

    edges[0] = xtf_time_bin_begin(walk->bins, 0);
    edges[n] = xtf_time_bin_end(walk->bins, n - 1);
    xtf_selection_location_window(walk->bins->selection, arrays->location, &from, &to);
    for (uint64_t i = 0; i <= n; i++)
        edges[i] = MIN(MAX(edges[i], from), MAX(from, to));
    walk->edges = edges;
    return xtf_array_slice_profiles(walk->calls, by_site ? region_times->by_site.number : region_times->frames.number,
                                    edges, n + 1, arrays->local_first, arrays->local_last,
                                    by_site ? region_times->site_groups : region_times->groups, take_bin, walk, error);
}

bool xtf_region_times_visit(XtfRegionTimes *region_times, const XtfLocation *location, const XtfTimeBins *bins,
                            XtfRegionBinVisitor visit, void *data, GError **error)
{
    BinWalk walk = {.region_times = region_times, .bins = bins, .visit = visit, .data = data};
    uint64_t ticks;

    if (bins->n == 1)
        return xtf_region_times_measure(region_times, location, &ticks, error) &&
               visit(region_times, 0, ticks, data, error);
    if (!load_location(region_times, location, &walk.calls, error))
        return false;
    if (walk.calls)
        return visit_bins(&walk, error);
    for (uint64_t bin = 0; bin < bins->n; bin++)
        if (!visit(region_times, bin, 0, data, error))
            return false;
    return true;
}

size_t xtf_region_times_width(const XtfRegionTimes *region_times)
{
    const XtfTimeScale *scale = &region_times->context->scale;
    unsigned __int128 longest = xtf_trace_context_longest(region_times->context);

    return xtf_ticks_width(scale, longest * region_times->locations->n);
}
