/*
 * Unlinked temporary files: the kernel deletes them when they are closed, however the process ends.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Opens a new file for reading and writing in `folder` (NULL: the user's folder for temporary files). The descriptor is
 * closed on exec. Where the file system lacks O_TMPFILE, the file has a name for a moment. Returns -1 with
 * XTF_ERROR_IO, whose message names the folder. */
int xtf_nameless_file(const char *folder, GError **error);

/* Gives a file that was opened with O_TMPFILE the name `path`, and replaces a file of that name. A link cannot replace
 * a file, so the new file gets the name PATH.new-by-xtf first. This name is the same each time, so that the next
 * process removes a file that a killed one left. If a running process uses the name, a number is appended to it.
 * Returns false with errno on failure. */
bool xtf_nameless_link(int fd, const char *path);
