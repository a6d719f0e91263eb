/*
 * Importing with a progress bar, cancelled by Ctrl-C.
 */
#pragma once

#include "src/import/import.h"
#include "src/world/world.h"

/* Prints the first warnings of an import on stderr, and how to see the others. */
void xtf_cli_print_warnings(const XtfImportReport *report, const char *archive, const char *output);

/* Calls xtf_import(), or xtf_import_by_ranks() if a launcher started the process, with a progress bar, unless `quiet`.
 * SIGINT, SIGTERM and SIGHUP cancel it, except those that are ignored (nohup). Sets the options' `cancel` and
 * `progress`. NULL as `world`: this process imports alone. */
bool xtf_cli_import(XtfWorld *world, const char *archive, const char *output, const XtfImportOptions *options,
                    bool quiet, XtfImportReport *report, GError **error);
