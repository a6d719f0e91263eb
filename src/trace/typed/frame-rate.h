/*
 * Frames: a rate divides a trace, like a film, into windows of the same length, numbered from 0. The bounds are whole
 * ticks, each rounded down from its exact value. So frames do not drift, and tile the trace without gap or overlap.
 *
 * Source of the idea: the frames of 1/25 s of the OpenTS visualizer; an index finds any frame, in both directions.
 */
#pragma once

#include "src/trace/text/time-scale.h"

/* The length of a frame is whole + remainder / divisor ticks. */
typedef struct {
    uint64_t whole, remainder, divisor; /* remainder < divisor */
    uint64_t n;                         /* frames of the trace; 0 if it has no records */
} XtfFrameRate;

/* Parses "25fps", "0.5fps", "40ms" or "1us". XTF_ERROR_NOT_FOUND if the text is not a rate, or frames are shorter than
 * a tick. */
bool xtf_frame_rate_parse(XtfFrameRate *rate, const XtfTimeScale *scale, const char *text, GError **error);

/* Returns the time at which frame k begins and frame k - 1 ends, k <= n. The bound n may be beyond the trace's end; it
 * is at most UINT64_MAX. */
uint64_t xtf_frame_rate_bound(const XtfFrameRate *rate, const XtfTimeScale *scale, uint64_t k);

/* Returns the frame at time t: the first frame before the trace, the last frame after it. */
uint64_t xtf_frame_rate_at(const XtfFrameRate *rate, const XtfTimeScale *scale, uint64_t t);
