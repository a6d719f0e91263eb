/*
 * The table `analyses` names, for each type of derived rows, the tool that made the rows and the clocks it used.
 *
 * A type that the table does not name is shown. A type that was made with other clocks than the trace has now is
 * outdated and hidden, since its times and amounts contradict the records.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/handles.h"

typedef struct {
    const char *records; /* name of the derived type */
    const char *tool;    /* program that made the rows */
    uint64_t clocks;     /* digest of the clocks that the tool used */
} XtfAnalysisEntry;

/* Reads the table into an array of XtfAnalysisEntry, by row; NULL with an error. The array is empty if the trace has no
 * such table, or the table lacks a field. The caller frees the array by g_array_unref(); the trace owns the strings. */
GArray *xtf_analyses_read(XtfTrace *trace, GError **error);

static inline const XtfAnalysisEntry *xtf_analyses_at(const GArray *analyses, guint i)
{
    return &g_array_index(analyses, XtfAnalysisEntry, i);
}

/* Sets *outdated to an array by schema: true for outdated types. NULL if no type is outdated. The caller frees it. */
bool xtf_analyses_find_outdated(XtfTrace *trace, bool **outdated, GError **error);

/* Sets *exist if the trace has wait states of an analysis, and *shown if they are not outdated. */
bool xtf_analyses_find_waits(XtfTrace *trace, bool *exist, bool *shown, GError **error);

/* Finds the tool that made the derived rows of type `records`; NULL if the table does not name the type. The trace owns
 * the string. */
bool xtf_analyses_find_tool(XtfTrace *trace, const char *records, const char **tool, GError **error);

/* Returns the name of a tool whose analysis has the call paths of some levels only. Deeper calls count for the calls
 * around them. The caller frees the name. The second function returns true for such a name. */
char *xtf_analyses_cut_tool(const char *tool, uint32_t levels);
bool xtf_analyses_is_cut(const char *tool);
