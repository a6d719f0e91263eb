/*
 * What a location did in a part of its time: exclusive time by call path.
 *
 * A call path is known by its number: `find` gives that of a region that was called on another path. Frames are
 * those of libxtf/aggregates.h. Time is global: between two rows it belongs to the call on top of the stack, and where
 * there is none, to no call path. One thread at a time.
 */
#pragma once

#include <glib.h>

#include "libxtf/array.h"

#define XTF_OUTSIDE_CALLS UINT32_MAX /* the call path of no call */

/* The number of the call path of a region called on `parent`, with `depth` calls around it. */
typedef uint32_t (*XtfCallpathFind)(void *data, uint32_t parent, uint32_t region, uint32_t depth);

typedef struct {
    uint32_t callpath, region;
    uint64_t ticks;
} XtfCallpathTime;

typedef struct {
    unsigned aggregate; /* of frames, of `enters_leaves` */
    XtfCallpathFind find;
    void *data;
    GArray *stack; /* of frames */
    GArray *found; /* XtfCallpathTime, those of no ticks left out, in the order in which they were first there */
    GHashTable *places;
    XtfCallpathTime outside; /* not in `found` */
} XtfCallpathTimes;

void xtf_callpath_times_init(XtfCallpathTimes *times, unsigned aggregate, XtfCallpathFind find, void *data);
void xtf_callpath_times_finish(XtfCallpathTimes *times); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCallpathTimes, xtf_callpath_times_finish)

void xtf_callpath_times_clear(XtfCallpathTimes *times);
/* Adds the times of [begin, end). `calls` are the location's `enters_leaves`; NULL: it has none. */
bool xtf_callpath_times_add(XtfCallpathTimes *times, const XtfArray *calls, uint64_t begin, uint64_t end,
                            GError **error);
