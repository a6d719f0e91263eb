/*
 * What `xtf record` says at its end.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/handles.h"

/* Lines about a trace that was recorded: records and bytes, processes and how they ended, what recording cost, what is
 * missing. To be freed with g_strfreev(). */
char **xtf_record_summary(XtfTrace *trace, const char *path, GError **error);

/* *whole: the trace has all records of its processes, as these say themselves: each found room, a collector, and room
 * on the disk. */
bool xtf_record_is_whole(XtfTrace *trace, bool *whole, GError **error);
