/*
 * The rows of a record type in all locations of a trace, to choose some of them evenly.
 */
#pragma once

#include "src/trace/select/selection.h"

typedef struct {
    XtfSpans *spans;  /* by location */
    uint64_t *before; /* by span: rows in the spans before it */
    uint64_t n;       /* rows */
    uint32_t widest;  /* locations of a process that have rows, at most; at least 1 */
} XtfClockRows;

/* `schema` may be NULL: there are none. */
bool xtf_clock_rows_init(XtfClockRows *rows, XtfResolver *resolver, const XtfSchema *schema, GError **error);
void xtf_clock_rows_finish(XtfClockRows *rows); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfClockRows, xtf_clock_rows_finish)

/* The span and the row of the i-th of all. */
const XtfSpan *xtf_clock_rows_at(const XtfClockRows *rows, uint64_t i, uint64_t *row);
/* The i-th of n that are chosen evenly of all, n being at most their number. */
static inline uint64_t xtf_clock_rows_chosen(const XtfClockRows *rows, uint64_t i, uint64_t n)
{
    return (uint64_t)((unsigned __int128)rows->n * i / n);
}
