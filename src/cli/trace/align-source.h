/*
 * Aligning the clocks of what is about to be looked at.
 */
#pragma once

#include "src/cli/trace/archive-cache.h"

#define XTF_ALIGN_TOOL "xtf align " XTF_VERSION /* what the trace says of who did it */

/* Aligns what xtf_cli_open_source() opens, in its file: an archive's import is aligned then. Nothing happens if the
 * trace has clocks of an alignment, nothing contradicts its clocks, or there is nothing to align by. Signals cancel. */
bool xtf_cli_align_source(const char *source, const XtfSourceOptions *how, GError **error);
