#include "src/query/views/region-times.h"

#include <string.h>

bool xtf_region_times_exist(const XtfTraceContext *context, const XtfSelection *selection)
{
    XtfAggregateRef frames;

    return !selection->base && !selection->by[XTF_BY_COMM] && !selection->by[XTF_BY_TAG] &&
           !selection->by[XTF_BY_PEER] && xtf_aggregate_ref_frames(&frames, context) &&
           xtf_selection_may_have(selection, frames.schema);
}

bool xtf_region_times_init(XtfRegionTimes *times, XtfFormats *formats, const XtfSelection *selection, GError **error)
{
    memset(times, 0, sizeof *times);
    times->context = formats->context;
    times->selection = selection;
    times->locations = xtf_trace_context_locations(times->context, error);
    xtf_aggregate_ref_frames(&times->frames, formats->context);
    if (!times->locations || !xtf_regions_load(&times->regions, formats, selection, &times->frames, error))
        return false;
    times->totals = xtf_group_totals_new(times->frames.aggregate, 1);
    return true;
}

void xtf_region_times_finish(XtfRegionTimes *times)
{
    xtf_location_arrays_finish(&times->holding);
    g_clear_pointer(&times->totals, xtf_group_totals_free);
}

bool xtf_region_times_measure(XtfRegionTimes *times, const XtfLocation *location, uint64_t *ticks, GError **error)
{
    const XtfSelection *selection = times->selection;
    XtfLocationArrays *holding = &times->holding;
    const XtfArray *calls;

    *ticks = 0;
    xtf_group_totals_clear(times->totals);
    if (!xtf_location_arrays_load(holding, times->context, location, error))
        return false;
    if (!(calls = xtf_location_arrays_array(holding, times->frames.schema)))
        return true;
    uint64_t from = MAX(selection->time_from, holding->first), to = MIN(selection->time_to, holding->last);
    *ticks = to > from ? to - from : 0;
    return xtf_array_profile(calls, times->frames.number, selection->time_from, selection->time_to, holding->first,
                             holding->last, times->totals, error);
}

size_t xtf_region_times_width(const XtfRegionTimes *times)
{
    const XtfTimeScale *scale = &times->context->scale;
    return xtf_ticks_width(scale, (unsigned __int128)(scale->last - scale->origin) * times->locations->n);
}
