/*
 * The search for the spans of a selection, location by location, and the gathering of its reads.
 */
#pragma once

#include "src/trace/select/location-arrays.h"
#include "src/trace/select/matcher.h"
#include "src/trace/select/selection.h"

typedef struct {
    XtfTraceContext *context;
    const XtfLocations *locations;
    const XtfSelection *selection;
    XtfSpans *spans;
    uint64_t time_to;
    GPtrArray *matchers; /* by schema, made when first needed; owned by the spans. NULL: no filter */
} XtfSpanSearch;

/* True if rows of the schema may be selected. */
bool xtf_span_search_may_have_rows(const XtfSpanSearch *search, const XtfSchema *schema);
/* Makes the filter for the rows of a span. *aggregate: index of the schema's aggregate that the filter is for. */
bool xtf_span_search_find_filter(XtfSpanSearch *search, const XtfSpan *span, XtfGroupFilter *filter,
                                 unsigned *aggregate, GError **error);
/* Narrows a span to the rows that match. */
bool xtf_span_search_filter(XtfSpanSearch *search, XtfSpan *span, GError **error);
/* Adds an array's span to `spans`, of XtfSpan. */
bool xtf_span_search_add_array(XtfSpanSearch *search, const XtfArray *array, uint32_t index, GArray *spans,
                               GError **error);
/* Adds the spans of a location, by its index in XtfLocations. */
bool xtf_span_search_add_location(XtfSpanSearch *search, XtfLocationArrays *arrays, uint32_t index, GArray *spans,
                                  GError **error);
/* Gathers the reads of finding the spans of n locations (span-gather.c). */
void xtf_span_search_gather(XtfSpanSearch *search, XtfLocationArrays *arrays, const uint32_t *locations, uint32_t n);
