/*
 * Totals of rows that last: derived rows whose time is their end, and one of whose values says how many ticks before
 * that they began. A wait is such a row.
 *
 * Let S(t) be the values of all rows of a location that end before t, added up; and of the next row, the first that
 * ends at t or later, the part before t. The values in a window [a, b) are S(b) - S(a): so windows side by side add up
 * to the tick, whatever the rows are, and a row counts in each window by as much of it as lies there. Of a value that
 * is no time of its own, such as the part of a wait that is indirect, the part before t is in proportion to that of the
 * length, rounded down. A row is counted, as one, in the window that it ends in.
 *
 * Rows of one location that last do not overlap. If a file says that two do, the part of the later one before the
 * earlier one's end counts at that end. A row that lasts longer than the trace is damage.
 *
 * A window costs what its totals cost (location-totals.h), and a row at each edge.
 */
#pragma once

#include "src/tables/totals/location-totals.h"

typedef struct {
    XtfLocationTotals totals; /* totals.groups: of what was added so far; the owner may clear them */
    const XtfField *length;   /* of a row, ticks; NULL: rows are of an instant, and are added up as they are */
} XtfLastingTotals;

/* Groups by the first `depth` keys of an aggregate of integers without extremes. `length` is the name of a field. */
bool xtf_lasting_totals_init(XtfLastingTotals *lasting, XtfTraceContext *context, const XtfSelection *selection,
                             const XtfAggregateRef *ref, unsigned depth, const char *length, GError **error);
/* The same question for another thread, with groups of its own; `from` outlives it. */
void xtf_lasting_totals_init_more(XtfLastingTotals *lasting, const XtfLastingTotals *from);
void xtf_lasting_totals_finish(XtfLastingTotals *lasting); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLastingTotals, xtf_lasting_totals_finish)

/* Adds the selected rows of an array, which process `proc` recorded, in the window [from, to). A window from 0 begins
 * with all that there is before, and one to XTF_TIME_OPEN has no end. */
bool xtf_lasting_totals_add(XtfLastingTotals *lasting, const XtfArray *array, uint64_t proc, uint64_t from, uint64_t to,
                            GError **error);
/* The same if it is known already that rows [lo, hi) are those that end in the window. */
bool xtf_lasting_totals_add_rows(XtfLastingTotals *lasting, const XtfArray *array, uint64_t proc, uint64_t lo,
                                 uint64_t hi, uint64_t from, uint64_t to, GError **error);

/* The part of a value that belongs to `part` of a length, rounded down. */
static inline uint64_t xtf_lasting_share(uint64_t value, uint64_t part, uint64_t length)
{
    return part == length ? value : (uint64_t)((unsigned __int128)value * part / length);
}
