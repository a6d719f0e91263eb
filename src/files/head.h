/*
 * The first bytes of a file, by which its format is recognized.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Reads the first `size` bytes of a regular file. Returns their number, fewer if the file is shorter; -1 with an error,
 * also for other files than regular ones. `error` may be NULL. */
ssize_t xtf_file_read_head(const char *path, void *bytes, size_t size, GError **error);
/* Adds the first `size` bytes to a checksum. Returns false with an error, as xtf_file_read_head() does, and adds
 * nothing then. */
bool xtf_file_add_head(GChecksum *checksum, const char *path, size_t size, GError **error);
/* Returns the SHA-256 of the first `size` bytes as text, which the caller frees; NULL with an error. */
char *xtf_file_hash_head(const char *path, size_t size, GError **error);
