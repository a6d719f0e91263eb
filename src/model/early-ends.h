/*
 * Processes of a recorded trace whose records end before they did, as their parts say themselves.
 */
#pragma once

#include <glib.h>
#include <stdint.h>

#include "libxtf/handles.h"

typedef struct {
    uint32_t proc;
    char *why; /* "2026-01-01 12:00:00 UTC: run.xtf.d/000003.xtf: cannot write: No space left on device" */
} XtfEarlyEnd;

/* Of XtfEarlyEnd, in the order of the table; empty: there are none. The caller unrefs the array. NULL with an error. */
GArray *xtf_early_ends(XtfTrace *trace, GError **error);
