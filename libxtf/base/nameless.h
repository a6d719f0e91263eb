/*
 * Unlinked temporary files: the kernel deletes them when they are closed, however the process ends.
 */
#pragma once

#include <glib.h>

/* Opens a new file for reading and writing in `folder` (NULL: the user's folder for temporary files). The descriptor is
 * closed on exec. Where the file system lacks O_TMPFILE, the file has a name for a moment. Returns -1 with
 * XTF_ERROR_IO, whose message names the folder. */
int xtf_nameless_file(const char *folder, GError **error);
