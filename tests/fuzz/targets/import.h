/* Shared by the targets of importers. */
#pragma once

#include "src/import/importer.h"
#include "tests/fuzz/targets/target.h"

/* Imports `anchor` in this process, into a file in `folder`. An import of any input is a refusal with a message, or a
 * trace in which the check finds nothing. */
void target_import(const XtfImporter *importer, const char *folder, const char *anchor, bool keep_going);
/* Writes a file, whose path is folder/name. */
void target_write(const char *folder, const char *name, const uint8_t *data, size_t size);
/* Writes files of an input into the folder. Each begins with a byte that numbers its name, and the length in two bytes;
 * the content follows. */
void target_write_files(const char *folder, const char *const *names, size_t n_names, const uint8_t *data, size_t size);
