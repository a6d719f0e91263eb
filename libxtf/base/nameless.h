/*
 * Files without a name: they are gone when they are closed, however the process ends.
 */
#pragma once

#include <glib.h>

/* Opens a new one for reading and writing in a folder (NULL: the user's for temporary files); closed on exec. Where the
 * file system knows no such files, it has a name for a moment. -1 with XTF_ERROR_IO, which names the folder. */
int xtf_nameless_file(const char *folder, GError **error);
