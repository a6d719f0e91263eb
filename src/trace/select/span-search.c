#include "src/trace/select/span-search.h"

bool xtf_span_search_may_have_rows(const XtfSpanSearch *search, const XtfSchema *schema)
{
    const XtfSelection *selection = search->selection;

    return xtf_selection_has_type(selection, schema) && xtf_selection_matches(selection, schema) != XTF_MATCH_NONE;
}

bool xtf_span_search_find_filter(XtfSpanSearch *search, const XtfSpan *span, XtfGroupFilter *filter,
                                 unsigned *aggregate, GError **error)
{
    const XtfSchema *schema = span->array.schema;
    void **matcher = &search->matchers->pdata[schema->id];

    if (!*matcher && !(*matcher = xtf_matcher_find(search->context, search->selection, schema, error)))
        return false;
    *filter = xtf_matcher_filter(*matcher, search->locations->all[span->tag].proc);
    *aggregate = xtf_matcher_aggregate(*matcher);
    return true;
}

bool xtf_span_search_filter(XtfSpanSearch *search, XtfSpan *span, GError **error)
{
    XtfGroupFilter filter;
    unsigned aggregate;

    return !search->matchers || span->lo >= span->hi ||
           (xtf_span_search_find_filter(search, span, &filter, &aggregate, error) &&
            xtf_span_filter(span, aggregate, &filter, error));
}

bool xtf_span_search_add_array(XtfSpanSearch *search, const XtfArray *array, uint32_t index, GArray *spans,
                               GError **error)
{
    XtfSpan span;
    uint64_t from, to;

    if (!xtf_span_search_may_have_rows(search, array->schema))
        return true;
    xtf_selection_location_window(search->selection, &search->locations->all[index], &from, &to);
    if (!search->selection->windows)
        to = search->time_to;
    xtf_span_init(&span, array);
    span.tag = index;
    if (!xtf_span_cut(&span, from, to, error) || !xtf_span_search_filter(search, &span, error))
        return false;
    xtf_sweep_take(NULL, &span.array); /* the span is asked later */
    if (span.lo < span.hi)
        g_array_append_val(spans, span);
    return true;
}

bool xtf_span_search_add_location(XtfSpanSearch *search, XtfLocationArrays *arrays, uint32_t index, GArray *spans,
                                  GError **error)
{
    if (!xtf_location_arrays_load(arrays, search->context, &search->locations->all[index], error))
        return false;
    for (uint32_t i = 0; i < arrays->n; i++) {
        if (!xtf_span_search_add_array(search, &arrays->all[i], index, spans, error))
            return false;
    }
    return true;
}
