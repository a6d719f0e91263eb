/*
 * Analysing a trace before a command shows it.
 */
#pragma once

#include "src/cli/trace/archive-cache.h"

/* Analyses the trace that xtf_cli_open_source() opens. The analysis goes where that function finds it; for an archive,
 * into the file of its import. Does nothing if the trace has an up-to-date analysis, perhaps in the companion that the
 * options name. Signals cancel. */
bool xtf_cli_analyze_source(const char *source, const XtfSourceOptions *options, GError **error);
