/* A tar file as it is written: POSIX's ustar. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "libxtf/error.h"

/* Begins a member of that many bytes, which are then written to the file; ends it; ends the file. */
bool xtf_tar_begin(FILE *file, const char *name, uint64_t size, GError **error);
bool xtf_tar_end(FILE *file, uint64_t size, GError **error);
bool xtf_tar_close(FILE *file, GError **error);
/* Writes bytes, for all the above. */
bool xtf_tar_write(FILE *file, const void *data, size_t size, GError **error);

/* Whether a file is a tar archive whose first member has this name. */
bool xtf_tar_begins_with(const char *path, const char *name);
