/*
 * What the parts of a recorded trace say of their processes: how these ended, and that records end before them.
 */
#pragma once

#include <glib.h>
#include <stdint.h>

#include "libxtf/handles.h"

typedef struct {
    uint32_t proc;
    char *why; /* "2026-01-01 12:00:00 UTC: run.xtf.d/000003.xtf: cannot write: No space left on device" */
} XtfEarlyEnd;

/* A property of a process: a row of `definition_properties` that is of a process. */
typedef struct {
    uint32_t proc;
    char *text;
} XtfProcessProperty;

/* Those of this name, of XtfProcessProperty, in the order of the table; empty: there are none. The caller unrefs the
 * array. NULL with an error. */
GArray *xtf_process_properties(XtfTrace *trace, const char *name, GError **error);

/* Of XtfEarlyEnd, in the order of the table; empty: there are none. The caller unrefs the array. NULL with an error. */
GArray *xtf_early_ends(XtfTrace *trace, GError **error);
