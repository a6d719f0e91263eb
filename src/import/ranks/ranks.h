/*
 * Importing one trace by all ranks of a job (src/world/world.h).
 *
 * The locations are dealt out to the ranks by the sizes of their files. Each rank writes its locations into a
 * part. Rank 0 then writes the definitions, and an anchor that joins all parts. The output is a folder, which the file
 * system must show to all ranks. It appears at its path when it is complete: an import that fails, or is interrupted,
 * leaves an existing folder as it is. It replaces an older import of the same trace, or with options->force any folder
 * of parts.
 *
 * If the importer of a format does not share, rank 0 imports all into one file.
 */
#pragma once

#include "src/import/import.h"
#include "src/world/world.h"

/* Imports as xtf_import() does. Collective. The report is filled in rank 0. If it fails, one rank gets an error. In the
 * others it returns false, without an error. */
bool xtf_import_by_ranks(XtfWorld *world, const char *path, const char *output, const XtfImportOptions *options,
                         XtfImportReport *report, GError **error);
