/*
 * Totals of rows with a duration: derived rows whose time is their end, with a value for the ticks from begin to end. A
 * wait is such a row.
 *
 * Let S(t) be the sum of a location's values up to t: of rows that end before t, and of the next row's part before t.
 * The values in a window [a, b) are S(b) - S(a). So the sums of adjacent windows are exact to the tick for any rows.
 * Each window counts only the part of a row in it. For other values, such as the indirect part of a wait, the part
 * before t is in proportion to the row's length, rounded down. The number of rows counts a row in the window in which
 * it ends.
 *
 * Rows of one location do not overlap. If two do in a file, the part of the later row before the earlier row's end
 * counts at that end. A row longer than the trace is damage.
 *
 * A window costs its totals (location-totals.h), and a row at each bound.
 */
#pragma once

#include "src/tables/totals/location-totals.h"

typedef struct {
    XtfLocationTotals totals; /* totals.groups has the totals of the rows added so far; the owner may clear them */
    const XtfField *length;   /* field with a row's ticks; NULL: rows have no duration, and their values are just summed
                               * */
} XtfLastingTotals;

/* Initializes totals by the first `depth` keys of an aggregate of integers without extremes. `length` is a field's
 * name. */
bool xtf_lasting_totals_init(XtfLastingTotals *lasting, XtfTraceContext *context, const XtfSelection *selection,
                             const XtfAggregateRef *ref, unsigned depth, const char *length, GError **error);
/* Initializes totals of the same selection for another thread, with its own groups. `from` outlives the new totals. */
void xtf_lasting_totals_init_more(XtfLastingTotals *lasting, const XtfLastingTotals *from);
void xtf_lasting_totals_finish(XtfLastingTotals *lasting); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLastingTotals, xtf_lasting_totals_finish)

/* Adds the selected rows of an array that process `proc` recorded, in the window [from, to). A window from 0 includes
 * all earlier time, and one to XTF_TIME_OPEN all later time. */
bool xtf_lasting_totals_add(XtfLastingTotals *lasting, const XtfArray *array, uint64_t proc, uint64_t from, uint64_t to,
                            GError **error);
/* Adds to the totals of rows [lo, hi), which end in the window, the parts of rows that last across its bounds. */
bool xtf_lasting_totals_add_edges(XtfLastingTotals *lasting, const XtfArray *array, uint64_t proc, uint64_t lo,
                                  uint64_t hi, uint64_t from, uint64_t to, GError **error);

/* Returns the part of a value for `part` of a length, rounded down. */
static inline uint64_t xtf_lasting_share(uint64_t value, uint64_t part, uint64_t length)
{
    return part == length ? value : (uint64_t)((unsigned __int128)value * part / length);
}
