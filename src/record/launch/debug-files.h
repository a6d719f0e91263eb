/*
 * Files with the debug information of an object file, found by its build id. No server is asked.
 */
#pragma once

#include <glib.h>

/* Returns the paths of files that have the build id: in `folder` (NULL: none), in /usr/lib/debug, and the object file
 * itself, which was at `path`. An empty build id has no files. The caller frees the list with g_ptr_array_unref(). */
GPtrArray *xtf_debug_files(const char *folder, const char *path, const char *build_id);
