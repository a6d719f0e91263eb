/*
 * The properties of a trace: texts by name.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/trace.h"

/* The value of a property; NULL if there is none, or it cannot be read. The caller frees it. */
char *xtf_trace_property(XtfTrace *trace, const char *name);

/* Whether the trace's clock counts bytes: it is of a measured network, see docs/NETWORK.md. */
bool xtf_trace_counts_bytes(XtfTrace *trace);
