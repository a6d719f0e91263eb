/*
 * Aligning the clocks of a trace before a command shows it.
 */
#pragma once

#include "src/cli/trace/archive-cache.h"

#define XTF_ALIGN_TOOL "xtf align " XTF_VERSION /* name of the tool in the trace */

/* Aligns the trace that xtf_cli_open_source() opens, in its own file; for an archive, in the file of its import. Does
 * nothing if the trace is aligned already, no message contradicts its clocks, or no messages relate them. Signals
 * cancel. */
bool xtf_cli_align_source(const char *source, const XtfSourceOptions *options, GError **error);
