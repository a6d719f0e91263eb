#include "src/tables/totals/location-totals.h"

bool xtf_location_totals_init(XtfLocationTotals *totals, XtfTraceContext *context, const XtfSelection *selection,
                              const XtfAggregateRef *ref, unsigned depth, GError **error)
{
    bool possible = ref->schema && xtf_selection_may_have(selection, ref->schema);
    XtfMatch matches = possible ? xtf_selection_matches(selection, ref->schema) : XTF_MATCH_NONE;

    *totals = (XtfLocationTotals){.ref = ref, .selection = selection, .is_empty = matches == XTF_MATCH_NONE};
    if (matches == XTF_MATCH_SOME &&
        !(totals->matcher = xtf_matcher_new(context, selection, ref->schema, ref->number, error)))
        return false;
    totals->depth = depth;
    if (ref->aggregate)
        totals->groups = xtf_group_totals_new(ref->aggregate, depth);
    return true;
}

void xtf_location_totals_init_more(XtfLocationTotals *totals, const XtfLocationTotals *from)
{
    *totals = *from;
    totals->borrows = true;
    if (from->groups)
        totals->groups = xtf_group_totals_new(from->ref->aggregate, from->depth);
}

void xtf_location_totals_finish(XtfLocationTotals *totals)
{
    if (!totals->borrows)
        g_clear_pointer(&totals->matcher, xtf_matcher_free);
    g_clear_pointer(&totals->groups, xtf_group_totals_free);
}

bool xtf_location_totals_add_rows(XtfLocationTotals *totals, const XtfArray *array, uint64_t proc, uint64_t lo,
                                  uint64_t hi, GError **error)
{
    XtfFilter filter = {totals->matcher, proc};
    XtfGroupFilter groups = xtf_filter_groups(&filter);

    if (totals->is_empty || lo >= hi)
        return true;
    return xtf_array_totals(array, totals->ref->number, totals->matcher ? &groups : NULL, lo, hi, totals->groups,
                            error);
}

bool xtf_location_totals_visit(XtfLocationTotals *totals, const XtfArray *array, uint64_t proc, const uint64_t *rows,
                               size_t n, XtfSliceVisitor visit, void *data, GError **error)
{
    const XtfFilter filter = {totals->matcher, proc};
    const XtfGroupFilter groups = xtf_filter_groups(&filter);

    return totals->is_empty || xtf_array_slice_totals(array, totals->ref->number, totals->matcher ? &groups : NULL,
                                                      rows, n, totals->groups, visit, data, error);
}

bool xtf_location_totals_add_window(XtfLocationTotals *totals, const XtfLocationArrays *arrays, GError **error)
{
    const XtfArray *array = totals->is_empty ? NULL : xtf_location_arrays_find(arrays, totals->ref->schema);
    XtfSpan span;
    uint64_t from, to;

    if (!array)
        return true;
    xtf_span_init(&span, array);
    xtf_selection_location_window(totals->selection, arrays->location, &from, &to);
    return xtf_span_cut(&span, from, to, error) &&
           xtf_location_totals_add_rows(totals, array, arrays->location->proc, span.lo, span.hi, error);
}
