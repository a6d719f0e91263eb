/*
 * The frames in which a trace was recorded: slices, as OpenTS writes them. Frame K begins at the time of slice K and
 * ends at that of the next one. The last frame ends with the trace.
 */
#pragma once

#include "libxtf/array.h"
#include "src/trace/context/trace-context.h"

/* Finds the slices of the trace: n_rows rows, one a frame. Sets *found if there are any. May be called from any thread.
 */
bool xtf_own_frames_find(XtfTraceContext *context, XtfArray *slices, bool *found, GError **error);
/* Reads the window [*from, *to) of frame k, which must exist. It is empty if the next slice has the same time. */
bool xtf_own_frames_window(const XtfArray *slices, const XtfTimeScale *scale, uint64_t k, uint64_t *from, uint64_t *to,
                           GError **error);
