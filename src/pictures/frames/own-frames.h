/*
 * The frames that a trace was recorded in: slices, as OpenTS writes them. Frame K is from the time of slice K to that
 * of the next one; the last lasts to the end of the trace.
 */
#pragma once

#include "libxtf/array.h"
#include "src/trace/context/trace-context.h"

/* The slices of the trace, a row each: n_rows frames. *found says whether it has any. Any thread. */
bool xtf_own_frames_find(XtfTraceContext *context, XtfArray *slices, bool *found, GError **error);
/* The window [*from, *to) of frame k, which must exist. It is empty if the next slice has the same time. */
bool xtf_own_frames_window(const XtfArray *slices, const XtfTimeScale *scale, uint64_t k, uint64_t *from, uint64_t *to,
                           GError **error);
