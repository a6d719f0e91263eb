/*
 * Syncing files to their disk. A full quota, a file server and a failing disk may report an error only at this point,
 * long after the writes have succeeded.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Syncs a file. Error messages name it by `shown_path`; NULL: by `path`. */
bool xtf_sync_file(const char *path, const char *shown_path, GError **error);
/* Syncs a folder, and all files and folders in it. */
bool xtf_sync_folder(const char *path, GError **error);
