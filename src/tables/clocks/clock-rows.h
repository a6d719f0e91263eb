/*
 * Rows of one record type in all locations of a trace, for evenly spaced samples.
 */
#pragma once

#include "src/trace/select/selection.h"

typedef struct {
    XtfSpans *spans;  /* spans of the rows, by location */
    uint64_t *before; /* by span: rows in the spans before it */
    uint64_t n;       /* number of rows in all spans */
    uint32_t widest;  /* most locations of one process that have rows; at least 1 */
} XtfClockRows;

/* Finds the rows of a schema. `schema` may be NULL: no rows. */
bool xtf_clock_rows_init(XtfClockRows *rows, XtfResolver *resolver, const XtfSchema *schema, GError **error);
void xtf_clock_rows_finish(XtfClockRows *rows); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfClockRows, xtf_clock_rows_finish)

/* Returns the span of the i-th row, and its row number. */
const XtfSpan *xtf_clock_rows_at(const XtfClockRows *rows, uint64_t i, uint64_t *row);
/* Returns the index of the i-th row of an evenly spaced sample of n rows. n is at most rows->n. */
static inline uint64_t xtf_clock_rows_chosen(const XtfClockRows *rows, uint64_t i, uint64_t n)
{
    return (uint64_t)((unsigned __int128)rows->n * i / n);
}
