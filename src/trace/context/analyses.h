/*
 * The table `analyses`: what made derived rows, and with which clocks.
 *
 * Of a type that it does not name nothing is known, and the type is shown. One that a row names with other clocks than
 * the trace has now is shown nowhere: its times and amounts contradict those of the records.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/handles.h"

typedef struct {
    const char *records; /* name of the derived type */
    const char *tool;    /* what made it */
    uint64_t clocks;     /* digest of those that it was made with */
} XtfAnalysisEntry;

/* XtfAnalysisEntry by row, whose strings are borrowed from the trace; none if the trace has no such table, or one of
 * other fields. The caller frees the array, g_array_unref(). NULL: an error. */
GArray *xtf_analyses_read(XtfTrace *trace, GError **error);

static inline const XtfAnalysisEntry *xtf_analyses_at(const GArray *analyses, guint i)
{
    return &g_array_index(analyses, XtfAnalysisEntry, i);
}

/* *outdated, by schema: made with other clocks. NULL if no type is; the caller frees it. */
bool xtf_analyses_find_outdated(XtfTrace *trace, bool **outdated, GError **error);

/* Tells whether the trace has waits of an analysis, and whether they are shown: made with the clocks of the trace. */
bool xtf_analyses_find_waits(XtfTrace *trace, bool *found, bool *shown, GError **error);

/* What made the derived rows of a name, as the table says; NULL if it does not name them. Borrowed from the trace. */
bool xtf_analyses_find_tool(XtfTrace *trace, const char *records, const char **tool, GError **error);
