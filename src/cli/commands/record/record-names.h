/*
 * xtf record --names, a part of `xtf record`.
 */
#pragma once

#include "src/cli/ui/record-options.h"

/* Finds names for the trace `source`, and stores them in it or in a copy. Returns the exit status. */
int xtf_cli_record_names(const char *source, const XtfCliRecord *given);
