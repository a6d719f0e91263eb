#include "src/query/views/location-totals.h"

#include <string.h>

bool xtf_location_totals_init(XtfLocationTotals *tally, XtfTraceContext *context, const XtfSelection *selection,
                              const XtfAggregateRef *measure, unsigned depth, GError **error)
{
    bool possible = measure->schema && xtf_selection_may_have(selection, measure->schema);
    XtfMatch matches = possible ? xtf_selection_matches(selection, measure->schema) : XTF_MATCH_NONE;

    memset(tally, 0, sizeof *tally);
    tally->measure = measure;
    tally->selection = selection;
    tally->nothing = matches == XTF_MATCH_NONE;
    if (matches == XTF_MATCH_SOME &&
        !(tally->matcher = xtf_matcher_new(context, selection, measure->schema, measure->number, error)))
        return false;
    if (measure->aggregate)
        tally->totals = xtf_group_totals_new(measure->aggregate, depth);
    return true;
}

void xtf_location_totals_finish(XtfLocationTotals *tally)
{
    g_clear_pointer(&tally->matcher, xtf_matcher_free);
    g_clear_pointer(&tally->totals, xtf_group_totals_free);
}

bool xtf_location_totals_add_rows(XtfLocationTotals *tally, const XtfArray *array, uint64_t proc, uint64_t lo,
                                  uint64_t hi, GError **error)
{
    XtfFilter filter = {tally->matcher, proc};
    XtfGroupFilter groups;

    if (tally->nothing || lo >= hi)
        return true;
    if (tally->matcher)
        groups = xtf_filter_groups(&filter);
    return xtf_array_totals(array, tally->measure->number, tally->matcher ? &groups : NULL, lo, hi, tally->totals,
                            error);
}

bool xtf_location_totals_add_window(XtfLocationTotals *tally, const XtfLocationArrays *holding, GError **error)
{
    const XtfArray *array = tally->nothing ? NULL : xtf_location_arrays_array(holding, tally->measure->schema);
    uint64_t lo, hi;

    if (!array)
        return true;
    return xtf_rows_in_window(array, tally->selection->time_from, tally->selection->time_to, &lo, &hi, error) &&
           xtf_location_totals_add_rows(tally, array, holding->location->proc, lo, hi, error);
}
