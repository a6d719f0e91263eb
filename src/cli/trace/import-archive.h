/*
 * An import as the user sees it: with a progress bar, and ended by Ctrl-C.
 */
#pragma once

#include "src/import/import.h"

/* xtf_import() with a progress bar, unless `quiet`. SIGINT, SIGTERM and SIGHUP cancel it meanwhile, except those
 * that are ignored (nohup). The options' `cancel` and `progress` are set here. */
bool xtf_cli_import(const char *archive, const char *output, const XtfImportOptions *options, bool quiet,
                    XtfImportReport *report, GError **error);
