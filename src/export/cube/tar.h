/* Writes tar files in POSIX's format ustar. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "libxtf/error.h"

/* Begins a member of `size` bytes, which the caller then writes with xtf_tar_write(). */
bool xtf_tar_begin(FILE *file, const char *name, uint64_t size, GError **error);
/* Ends a member: fills its last block. */
bool xtf_tar_end(FILE *file, uint64_t size, GError **error);
/* Writes the two empty blocks that end a tar file. Leaves the file open. */
bool xtf_tar_close(FILE *file, GError **error);
/* Writes bytes of a member. */
bool xtf_tar_write(FILE *file, const void *data, size_t size, GError **error);

/* True if a file is a tar archive whose first member has this name. */
bool xtf_tar_begins_with(const char *path, const char *name);
