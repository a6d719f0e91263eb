/*
 * Analyses that hold no more: derived rows that were made with other clocks than the trace has now.
 *
 * The table `analyses` says with which clocks a derived type was made. Of a type that it does not name nothing is
 * known, and the type is shown. One that a row names with other clocks is shown nowhere: its times and amounts
 * contradict those of the records.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/trace.h"

/* *outdated, by schema: made with other clocks. NULL if no type is; the caller frees it. */
bool xtf_analyses_find_outdated(XtfTrace *trace, bool **outdated, GError **error);

/* What made the derived rows of a name, as the table says; NULL if it does not name them. Borrowed from the trace. */
bool xtf_analyses_find_tool(XtfTrace *trace, const char *records, const char **tool, GError **error);
