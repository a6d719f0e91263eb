/*
 * The calls that a location is in at an instant.
 */
#pragma once

#include "libxtf/aggregates.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/trace/select/location-arrays.h"

/* Open calls, the outermost first. Times are in ticks of the location's own clock. */
typedef struct {
    XtfOpenFrame *frames;     /* owned */
    size_t n;                 /* 0 where the location has no call open, or its records have not begun or have ended */
    uint64_t t;               /* the instant, by the location's clock */
    const XtfClockMap *clock; /* of the arrays; borrowed */
} XtfOpenFrames;

/* Finds the calls that were entered before t and left at t or later. `open` must be all zeros. */
bool xtf_open_frames_find(XtfOpenFrames *open, const XtfLocationArrays *arrays, const XtfAggregateRef *frames,
                          uint64_t t, GError **error);
/* Finds the calls that are never left. `open` must be all zeros. */
bool xtf_open_frames_at_end(XtfOpenFrames *open, const XtfLocationArrays *arrays, const XtfAggregateRef *frames,
                            GError **error);
void xtf_open_frames_finish(XtfOpenFrames *open); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfOpenFrames, xtf_open_frames_finish)
