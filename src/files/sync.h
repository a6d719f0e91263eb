/*
 * Bringing files to their disk. A full quota, a file server and a disk that fails may say so at this point alone, long
 * after the writes have succeeded.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Syncs a file. `place` is what errors call it; NULL: `path`. */
bool xtf_sync_file(const char *path, const char *place, GError **error);
/* Syncs a folder, and all files and folders in it. */
bool xtf_sync_folder(const char *path, GError **error);
