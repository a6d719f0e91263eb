/*
 * A file that takes its place only when it is complete: until then it is written beside that place, so that failure
 * leaves nothing behind and keeps the file that stood there before.
 */
#pragma once

#include <stdbool.h>

#include "libxtf/error.h"

/* Creates an empty file to write to, and returns its path. Refuses an `output` that is no regular file, or that is the
 * file to be read, `source`. */
char *xtf_output_begin(const char *output, const char *source, GError **error);

/* Puts the file in its place if it is `whole`. Else, or if that fails, removes it. Frees the path. */
bool xtf_output_end(char *path, const char *output, bool whole, GError **error);
