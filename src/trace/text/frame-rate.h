/*
 * Frames: a trace divided by a rate into windows of the same length, numbered from 0, as a film is. Bounds are whole
 * ticks, each rounded down by itself, so frames do not drift, and they tile the trace without gap or overlap.
 *
 * Source of the idea: the frames of 1/25 s of the OpenTS visualizer; an index finds any of them, in both directions.
 */
#pragma once

#include "src/trace/text/time-scale.h"

/* The length of a frame is whole + rest / divisor ticks. */
typedef struct {
    uint64_t whole, rest, divisor; /* rest < divisor */
    uint64_t n;                    /* frames that the trace has; 0 if it has no records */
} XtfFrameRate;

/* "25fps", "0.5fps", "40ms", "1us". XTF_ERROR_NOT_FOUND says what is wrong with it; frames shorter than a tick are
 * refused. */
bool xtf_frame_rate_parse(XtfFrameRate *rate, const XtfTimeScale *scale, const char *text, GError **error);

/* The time at which frame k begins, and frame k - 1 ends; k <= n. That of frame n may be beyond the trace's end; it is
 * UINT64_MAX at most. */
uint64_t xtf_frame_rate_bound(const XtfFrameRate *rate, const XtfTimeScale *scale, uint64_t k);

/* The frame that a time of the trace is in: the first or the last of a time that is outside. */
uint64_t xtf_frame_rate_at(const XtfFrameRate *rate, const XtfTimeScale *scale, uint64_t t);
