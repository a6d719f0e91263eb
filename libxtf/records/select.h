/*
 * Selecting by rank among rows of one time.
 */
#pragma once

#include "libxtf/spans.h"

/* Like xtf_spans_select() for the rows low[i] to high[i] of each span, which all have one time. Replaces `low`. */
bool xtf_select_ties(const XtfSpans *spans, uint64_t k, uint64_t *low, const uint64_t *high, GError **error);
