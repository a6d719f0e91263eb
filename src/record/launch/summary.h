/*
 * The summary that `xtf record` prints at its end.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/handles.h"

/* Returns lines about a recorded trace: records and bytes, processes and their ends, the cost of recording, what is
 * missing. The caller frees them with g_strfreev(). */
char **xtf_record_summary(XtfTrace *trace, const char *path, GError **error);

/* Sets *whole to true if the trace has all records of its processes. By its processes' counts no record was lost: each
 * had a ring, room in it, a collector, and space on disk. */
bool xtf_record_is_whole(XtfTrace *trace, bool *whole, GError **error);
