/*
 * Exclusive time by call path of a location, within a part of its time.
 *
 * A number identifies a call path: `find` returns the number for a region and the path of its caller. Frames are
 * defined in libxtf/aggregates.h. Times are global. The time between two rows counts for the call on top of the stack;
 * with an empty stack it counts as outside of calls. Only one thread at a time may use an XtfCallpathTimes.
 */
#pragma once

#include <glib.h>

#include "libxtf/array.h"

#define XTF_OUTSIDE_CALLS UINT32_MAX /* call path of time outside of calls */

/* Returns the number of the call path of a region called on `parent`, with `depth` calls around it. */
typedef uint32_t (*XtfCallpathFind)(void *data, uint32_t parent, uint32_t region, uint32_t depth);

typedef struct {
    uint32_t callpath, region;
    uint64_t ticks;
} XtfCallpathTime;

typedef struct {
    unsigned aggregate; /* number of the aggregate of frames of `enters_leaves` */
    XtfCallpathFind find;
    void *data;
    GArray *stack;             /* private: open frames */
    GArray *entries;           /* XtfCallpathTime with ticks, in the order in which the call paths first got time */
    GHashTable *entry_numbers; /* private: index in `entries` + 1, by call path */
    XtfCallpathTime outside;   /* not in `entries` */
} XtfCallpathTimes;

void xtf_callpath_times_init(XtfCallpathTimes *times, unsigned aggregate, XtfCallpathFind find, void *data);
void xtf_callpath_times_finish(XtfCallpathTimes *times); /* accepts all zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCallpathTimes, xtf_callpath_times_finish)

void xtf_callpath_times_clear(XtfCallpathTimes *times);
/* Adds the times of [begin, end). `calls` are the location's `enters_leaves`; NULL: it has none. */
bool xtf_callpath_times_add(XtfCallpathTimes *times, const XtfArray *calls, uint64_t begin, uint64_t end,
                            GError **error);
