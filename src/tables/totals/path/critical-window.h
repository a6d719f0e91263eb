/*
 * The critical path in a window: what of it one location had there.
 *
 * The derived type `critical` has a row for each call path of a segment, at the segment's end (docs/VOCABULARY.md,
 * section 9). A segment that a window cuts counts by the part in the window: its time by region comes from the calls
 * then. So windows side by side add up, to the tick. A window costs the totals of its rows, and two profiles at most.
 *
 * What the file says of segments is checked where it is used: they are not longer than the trace, and end where they
 * say.
 */
#pragma once

#include "src/tables/totals/selected-locations.h"
#include "src/trace/select/callpath-times.h"

/* Where the fields of `critical` are. */
typedef struct {
    const XtfSchema *schema; /* NULL: the trace has no critical path */
    const XtfField *duration, *region, *next_process, *next_thread, *segments;
    unsigned aggregate; /* by region; cells 1 and 2 are the amount and the segments */
} XtfCriticalType;

/* Whether a selection is of that type, and narrowed by processes, threads and windows alone. */
bool xtf_critical_type_is_selected(const XtfTraceContext *context, const XtfSelection *selection);

/* Takes ticks of a region; XTF_OUTSIDE_CALLS: of no call. */
typedef void (*XtfCriticalTake)(void *data, uint64_t region, uint64_t ticks, bool less);

/* One location after the other. */
typedef struct {
    XtfCriticalType type;
    XtfTraceContext *context; /* borrowed */
    XtfGroupTotals *groups, *profile;
    XtfCallpathTimes times; /* of parts of segments, where there is a clock map */
    XtfLocationArrays arrays;
    unsigned frames; /* aggregate of `enters_leaves` */
    const XtfSchema *calls;
} XtfCriticalWindow;

/* The trace has the type, and calls. */
bool xtf_critical_window_init(XtfCriticalWindow *window, XtfTraceContext *context, GError **error);
void xtf_critical_window_finish(XtfCriticalWindow *window); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCriticalWindow, xtf_critical_window_finish)

/* Hands out the path's time of a location in [from, to), by region; amounts that are `less` are to be taken away. */
bool xtf_critical_window_add(XtfCriticalWindow *window, const XtfLocation *location, uint64_t from, uint64_t to,
                             XtfCriticalTake take, void *data, GError **error);

/* The number of segments of a location of which some part is in [from, to). */
bool xtf_critical_window_count(XtfCriticalWindow *window, const XtfLocation *location, uint64_t from, uint64_t to,
                               uint64_t *count, GError **error);

typedef struct {
    uint64_t begin, end;
    uint64_t proc, thread;           /* numbers in the tree */
    uint64_t next_proc, next_thread; /* XTF_NONE32: nowhere */
} XtfCriticalSegment;

/* Appends the segments of a location of which some part is in [from, to), whole ones, ascending. */
bool xtf_critical_window_list(XtfCriticalWindow *window, const XtfLocation *location, uint64_t from, uint64_t to,
                              GArray *segments, GError **error);
