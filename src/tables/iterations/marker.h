/*
 * The choice of the region that marks the iterations of the main loop (iterations.h).
 */
#pragma once

#include "src/tables/iterations/iterations.h"
#include "src/tables/totals/regions/class-times.h"
#include "src/trace/select/matcher.h"

typedef struct {
    uint64_t region, n_calls; /* n_calls 0: none was found */
    bool is_call;
    uint32_t *threads; /* by process: index of the location that calls it. The caller frees them */
} XtfMarker;

bool xtf_marker_find(XtfMarker *marker, XtfFormats *formats, GError **error);

/* Makes the span of a region's calls in a location's array. `matcher` is of a selection of these calls. */
bool xtf_marker_span(XtfSpan *span, const XtfArray *array, XtfMatcher *matcher, uint64_t proc, GError **error);
/* Makes a matcher of a region's calls. NULL with an error. */
XtfMatcher *xtf_marker_matcher(XtfTraceContext *context, uint64_t region, const XtfSchema *schema, GError **error);
