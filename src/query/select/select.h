/*
 * The position of the k-th record of a merged selection, without reading what comes before it.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/query/select/selection.h"

/*
 * positions[i], for each span, is that of its first row that is not among the k first records of all of them in (T,
 * location, seq) order. k is at most the spans' count.
 */
bool xtf_select(const XtfSpans *spans, uint64_t k, uint64_t *positions, GError **error);

/*
 * The same among rows that all have one time: low[i] to high[i] of each span. The positions replace `low`.
 */
bool xtf_select_ties(const XtfSpans *spans, uint64_t k, uint64_t *low, const uint64_t *high, GError **error);

/* Of the positions low to high of a span, which have one time, the first whose seq is not less than `seq`. */
bool xtf_rank_of_seq(const XtfSpan *span, uint64_t seq, uint64_t low, uint64_t high, uint64_t *position,
                     GError **error);

/* What orders records of equal time in a location: `seq`, or where there is none the row's number. */
static inline uint64_t xtf_row_seq(const XtfField *seq, const uint8_t *row, uint64_t n)
{
    return seq ? xtf_field_get(seq, row) : n;
}
