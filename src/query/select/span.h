/*
 * Spans: what of one array belongs to a selection.
 *
 * With a filter, these are the rows that match it. A position is a number among the matching rows of the array: without
 * a filter, a row's own number. So whoever counts, cuts, selects or merges by positions need not know about filters;
 * from positions to rows and back lead the sums of the index.
 *
 * Functions may be called from any thread; a walk belongs to one at a time.
 */
#pragma once

#include "libxtf/array.h"
#include "src/query/select/matcher.h"

/* Positions lo to hi of an array; there is at least one. */
typedef struct {
    XtfArray array;
    uint64_t lo, hi;
    uint32_t location; /* place in XtfLocations */
    XtfFilter filter;  /* without matcher: none */
} XtfSpan;

/* The number of matching rows before row n, which is the position of the first at or after it. */
bool xtf_span_position(const XtfSpan *span, uint64_t n, uint64_t *position, GError **error);
/* The row at a position less than hi. */
bool xtf_span_row_number(const XtfSpan *span, uint64_t position, uint64_t *n, GError **error);

/* The rows from its first one up to behind its last: of these, those that match are the span's. */
bool xtf_span_rows(const XtfSpan *span, uint64_t *from, uint64_t *to, GError **error);

/* Positions with a time before t, when they are known to lie in [low, high]. */
bool xtf_span_rank_within(const XtfSpan *span, uint64_t t, uint64_t low, uint64_t high, uint64_t *position,
                          GError **error);
/* The time at a position less than hi. */
bool xtf_span_time(const XtfSpan *span, uint64_t position, uint64_t *t, GError **error);

/*
 * A walk goes from leaf to leaf of a span, and passes over what does not match; leaves without matching rows it never
 * sees. It stands on a run: matching rows that lie side by side in a leaf, which it holds pinned.
 */
typedef struct {
    const XtfSpan *span; /* borrowed */
    XtfCursor cursor;    /* on the run's first row */
    uint64_t position;   /* of that */
    uint64_t n_rows;     /* in the run; 0: the walk is at its end */
} XtfSpanReader;

void xtf_span_reader_init(XtfSpanReader *walk, const XtfSpan *span); /* stands nowhere */
void xtf_span_reader_finish(XtfSpanReader *walk);                    /* twice is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfSpanReader, xtf_span_reader_finish)

/* To the run that begins at a position; at hi it is at its end. */
bool xtf_span_reader_seek(XtfSpanReader *walk, uint64_t position, GError **error);
/* To the run behind this one. */
bool xtf_span_reader_next(XtfSpanReader *walk, GError **error);
