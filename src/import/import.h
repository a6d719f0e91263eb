/*
 * Importing foreign traces.
 *
 * An import writes to a temporary file (output.h) and renames it to the output's path at the end. A failed or
 * interrupted import leaves no file behind, and keeps an existing file at that path. An import replaces an older import
 * of the same trace; it replaces any other file only if options->force is set.
 *
 * The foreign library runs in a forked child process, since a damaged archive can make it crash or loop for ever.
 * Therefore start an import while the process has no other threads.
 */
#pragma once

#include "src/import/importer.h"
#include "src/import/options.h"
#include "src/import/report.h"

/* Imports the trace at `path`, an argument of xtf_import_detect() (importer.h). `options` may be NULL. `report` must be
 * initialized, and is filled only on success. */
bool xtf_import(const char *path, const char *output, const XtfImportOptions *options, XtfImportReport *report,
                GError **error);

/* ---- For imports that do more (ranks/). */

/* Reads a trace in a child process, as xtf_import_job_run() does (job.h); the caller sets the first four members of the
 * job, and `replaced` and `share`. If the child crashes, options->keep_going starts another one, which reads one
 * location at a time. If that one crashes too, the location is known, and the next child skips it. */
GVariant *xtf_import_read(const XtfImportJob *job, GError **error);
