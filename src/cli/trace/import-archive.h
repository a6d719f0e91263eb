/*
 * An import as the user sees it: with a progress bar, and ended by Ctrl-C.
 */
#pragma once

#include "src/import/import.h"

/* Prints the first warnings of an import, and how to see the others, on stderr. */
void xtf_cli_print_warnings(const XtfImportReport *report, const char *archive, const char *output);

/* xtf_import() with a progress bar, unless `quiet`. SIGINT, SIGTERM and SIGHUP cancel it meanwhile, except those
 * that are ignored (nohup). The options' `cancel` and `progress` are set here. */
bool xtf_cli_import(const char *archive, const char *output, const XtfImportOptions *options, bool quiet,
                    XtfImportReport *report, GError **error);
