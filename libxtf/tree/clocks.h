/*
 * The clock maps of a trace, and limits in global time.
 *
 * The snapshots of a file share their maps: a map that a later commit also has is the same object. The page cache, also
 * shared, identifies leaves with global times by their map.
 */
#pragma once

#include "libxtf/tree/trace-private.h"

/* Stores the clock maps that were decoded while the trace was opened, and computes the limits in global time. */
void xtf_trace_take_clocks(XtfTrace *trace);
/* Frees what xtf_trace_take_clocks() allocated. Called before the catalog is freed. */
void xtf_trace_drop_clocks(XtfTrace *trace);
