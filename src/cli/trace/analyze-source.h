/*
 * Analysing what is about to be looked at.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Analyses what xtf_cli_open_source() opens, in its file: an archive's import in the cache folder (NULL: as
 * cache-folder.h says). Nothing happens if it has an analysis that holds. Signals cancel. */
bool xtf_cli_analyze_source(const char *source, const char *cache_folder, bool quiet, GError **error);
