/*
 * The critical path in a window: the part of it on one location.
 *
 * The derived type `critical` has a row for each call path of a segment, at the segment's end (docs/VOCABULARY.md,
 * section 9). If a window cuts a segment, only the part in the window counts, and its time by region comes from the
 * calls. So the sums of adjacent windows are exact to the tick. A window costs the totals of its rows, and at most two
 * profiles.
 *
 * The functions check the file's data on segments where they use it: segments are not longer than the trace, and end at
 * the recorded time.
 */
#pragma once

#include "src/tables/totals/selected-locations.h"
#include "src/trace/calls/callpath-times.h"

/* Fields of the type `critical`. */
typedef struct {
    const XtfSchema *schema; /* NULL: the trace has no critical path */
    const XtfField *seq;     /* may be NULL */
    const XtfField *duration, *region, *next_process, *next_thread, *segments;
    unsigned aggregate; /* by region; cells 1 and 2 are the amount and the segments */
} XtfCriticalType;

/* True if a selection is of the type `critical`, and narrowed only by processes, threads and windows. */
bool xtf_critical_type_is_selected(const XtfTraceContext *context, const XtfSelection *selection);

/* A callback for ticks of a region; XTF_OUTSIDE_CALLS: outside of calls. With `subtract`, the callback subtracts them.
 * */
typedef void (*XtfCriticalTake)(void *data, uint64_t region, uint64_t ticks, bool subtract);

/* State for reading the path of one location after another. */
typedef struct {
    XtfCriticalType type;
    XtfTraceContext *context; /* borrowed */
    XtfGroupTotals *groups, *profile;
    XtfCallpathTimes times; /* for parts of segments, if there is a clock map */
    XtfLocationArrays arrays;
    unsigned frames; /* aggregate of `enters_leaves` */
    const XtfSchema *calls;
} XtfCriticalWindow;

/* Initializes the state. NOT_FOUND if the trace has no type `critical`, or no calls. */
bool xtf_critical_window_init(XtfCriticalWindow *window, XtfTraceContext *context, GError **error);
void xtf_critical_window_finish(XtfCriticalWindow *window); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCriticalWindow, xtf_critical_window_finish)

/* Calls `take` with the path's time on a location in [from, to), by region. The sum of its calls, some of which
 * subtract, is the time. */
bool xtf_critical_window_add(XtfCriticalWindow *window, const XtfLocation *location, uint64_t from, uint64_t to,
                             XtfCriticalTake take, void *data, GError **error);

/* Counts the segments of a location that overlap [from, to). */
bool xtf_critical_window_count(XtfCriticalWindow *window, const XtfLocation *location, uint64_t from, uint64_t to,
                               uint64_t *count, GError **error);

typedef struct {
    uint64_t begin, end;
    const XtfLocation *location;     /* borrowed */
    uint64_t seq;                    /* of the record with which the segment ends; UINT64_MAX: unknown */
    uint64_t proc, thread;           /* numbers in the tree */
    uint64_t next_proc, next_thread; /* next location of the path; XTF_NONE32: none */
} XtfCriticalSegment;

/* Appends the segments of a location that overlap [from, to), uncut, ascending. */
bool xtf_critical_window_list(XtfCriticalWindow *window, const XtfLocation *location, uint64_t from, uint64_t to,
                              GArray *segments, GError **error);
