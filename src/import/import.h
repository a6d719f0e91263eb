/*
 * Importing foreign traces.
 *
 * An import writes to a file without a name, or beside its output (output.h), which takes the output's place at the
 * end: a failed or interrupted import leaves nothing behind, and keeps a file that stood there before. An older import
 * of the same trace is replaced; any other file only if options->force says so.
 *
 * The foreign library runs in a child process, since a damaged archive can make it crash or run for ever. So start an
 * import while the process has no other threads.
 */
#pragma once

#include "src/import/options.h"
#include "src/import/report.h"

/* `path` is as for xtf_import_detect() (importer.h). `options` may be NULL; `report` is an initialized one, and is
 * filled only on success. */
bool xtf_import(const char *path, const char *output, const XtfImportOptions *options, XtfImportReport *report,
                GError **error);
