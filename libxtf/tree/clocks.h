/*
 * The clock maps of a trace, and what they make of the limits.
 *
 * The snapshots of a file share their maps: one that a later commit has too is the same one. The page cache, which they
 * share as well, has leaves with global times, by the maps that made them.
 */
#pragma once

#include "libxtf/tree/trace-private.h"

/* Takes the clock maps that were decoded while the trace was opened; and finds limits in global time. */
void xtf_trace_take_clocks(XtfTrace *trace);
/* Frees what is the trace's own; before its catalog is freed. */
void xtf_trace_drop_clocks(XtfTrace *trace);
