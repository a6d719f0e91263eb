/*
 * A file that takes its place when it is whole: it is written beside it, so that failure leaves nothing behind, and
 * what stood there before stays until then.
 */
#pragma once

#include <stdbool.h>

#include "libxtf/error.h"

/* An empty file to write to, by its path. What is at `output` makes way for it later, if it is a file: a device or
 * `source`, that which is to be read, is refused. */
char *xtf_output_begin(const char *output, const char *source, GError **error);

/* Puts the file in its place if it is `whole`, else removes it, and so if that fails. Frees the path. */
bool xtf_output_end(char *path, const char *output, bool whole, GError **error);
