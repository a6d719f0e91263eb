/*
 * Analysing what is about to be looked at.
 */
#pragma once

#include "src/cli/trace/archive-cache.h"

/* Analyses what xtf_cli_open_source() opens, where its analysis is found then: an archive's import in its file. Nothing
 * happens if it has an analysis that holds, which may be the companion that the options name. Signals cancel. */
bool xtf_cli_analyze_source(const char *source, const XtfSourceOptions *how, GError **error);
