/*
 * What `xtf record` says at its end.
 */
#pragma once

#include <glib.h>

#include "libxtf/trace.h"

/* Lines about a trace that was recorded: records and bytes, processes and how they ended, what recording cost, what is
 * missing. To be freed with g_strfreev(). */
char **xtf_record_summary(XtfTrace *trace, const char *path, GError **error);
