/*
 * The folder that ranks write: where it is made, and how it gets to its path.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/import/importer.h"

typedef struct {
    char *path;   /* without a slash at its end */
    char *parent; /* the folder that it is in */
} XtfImportFolder;

void xtf_import_folder_init(XtfImportFolder *folder, const char *path);
void xtf_import_folder_finish(XtfImportFolder *folder);

/* Returns the path of a rank's part, or of the definitions, in a folder. The caller frees it. */
char *xtf_import_folder_part(const char *folder, unsigned rank);
char *xtf_import_folder_definitions(const char *folder);

/* Checks that an import may replace what is at the path. *identity becomes the identity of an earlier import there (see
 * importer.h), or NULL: any import may replace it. The caller frees it. */
bool xtf_import_folder_check(const XtfImportFolder *folder, const XtfImporter *importer, bool force, char **identity,
                             GError **error);

/* Makes an empty folder of a new name beside the path, and returns its name. The caller frees it. */
char *xtf_import_folder_make(const XtfImportFolder *folder, GError **error);
/* True if a folder exists. Waits for some time, as a file server may show it late. */
bool xtf_import_folder_sees(const char *made);
/* Removes a folder that was made, and the files in it. */
void xtf_import_folder_remove(const char *made);

/* True if the trace in a folder has this number of records. */
bool xtf_import_folder_has(const char *made, uint64_t records, GError **error);
/* Moves a complete folder to the path, and removes the older import that it replaces. */
bool xtf_import_folder_publish(const XtfImportFolder *folder, const char *made, GError **error);
