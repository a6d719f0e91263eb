/*
 * A file that no folder lists, of rows of one size, which are read and written by their index through a cache of
 * blocks.
 *
 * It belongs to one thread.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct XtfScratchFile XtfScratchFile;

/* `folder`: NULL is the system's for temporary files. */
XtfScratchFile *xtf_scratch_file_new(uint32_t row_size, const char *folder, GError **error);
void xtf_scratch_file_free(XtfScratchFile *file); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfScratchFile, xtf_scratch_file_free)

uint64_t xtf_scratch_file_n(const XtfScratchFile *file);
bool xtf_scratch_file_append(XtfScratchFile *file, const void *row, GError **error);
/* Row `i`, which must be there, is copied. */
bool xtf_scratch_file_get(XtfScratchFile *file, uint64_t i, void *row, GError **error);
bool xtf_scratch_file_put(XtfScratchFile *file, uint64_t i, const void *row, GError **error);
