#include "src/tables/totals/regions/region-times.h"

#include "libxtf/error.h"
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
static bool measure_sites(XtfRegionTimes *region_times, const XtfArray *calls, uint64_t from, uint64_t to,
                          GError **error)
{
    const XtfSelection *selection = region_times->selection;
    const XtfLocationArrays *arrays = &region_times->arrays;
    XtfGroupTotals *groups = region_times->site_groups;

    xtf_group_totals_clear(groups);
    if (!xtf_array_profile(calls, region_times->by_site.number, from, to, arrays->local_first, arrays->local_last,
                           groups, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(groups); i++) {
        uint64_t site = *xtf_group_totals_key(groups, i), region = xtf_sites_region(region_times->sites, site);
        if (site < region_times->sites->n && xtf_number_set_contains(selection->by[XTF_BY_SITE], site))
            xtf_group_totals_add(region_times->groups, &region, xtf_group_totals_cells(groups, i));
    }
    return true;
}

bool xtf_region_times_measure(XtfRegionTimes *region_times, const XtfLocation *location, uint64_t *ticks,
                              GError **error)
{
    const XtfSelection *selection = region_times->selection;
    XtfLocationArrays *arrays = &region_times->arrays;
    const XtfArray *calls;
    uint64_t time_from, time_to;

    *ticks = 0;
    xtf_group_totals_clear(region_times->groups);
    if (!xtf_location_arrays_load(arrays, region_times->context, location, error))
        return false;
    if (!(calls = xtf_location_arrays_find(arrays, region_times->frames.schema)))
        return true;
    xtf_selection_location_window(selection, location, &time_from, &time_to);
    uint64_t from = MAX(xtf_clock_map_to_local(calls->clock, time_from), arrays->local_first);
    uint64_t to = MIN(xtf_clock_map_to_local(calls->clock, time_to), arrays->local_last);
    uint64_t gaps;
    if (!xtf_location_gap_ticks(arrays, true, from, to, &gaps, error))
        return false;
    *ticks = to > from ? to - from - gaps : 0;
    if (region_times->sites)
        return measure_sites(region_times, calls, time_from, time_to, error);
    return xtf_array_profile(calls, region_times->frames.number, time_from, time_to, arrays->local_first,
                             arrays->local_last, region_times->groups, error);
}

size_t xtf_region_times_width(const XtfRegionTimes *region_times)
{
    const XtfTimeScale *scale = &region_times->context->scale;
    unsigned __int128 longest = xtf_trace_context_longest(region_times->context);

    return xtf_ticks_width(scale, longest * region_times->locations->n);
}
