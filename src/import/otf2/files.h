/* Where the files of an OTF2 archive are. Needs nothing of OTF2's library. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define XTF_OTF2_TRACE_ID "otf2.trace_id" /* a property of imports */
#define XTF_OTF2_ENDING   ".otf2"

bool xtf_otf2_is_anchor(const char *path);

/* What to give instead of another file of an archive, of a profile beside one, or of a trace of OTF 1; or NULL. The
 * caller frees it. */
char *xtf_otf2_advice(const char *path);

/* The size of an archive's file in bytes, before OTF2's library opens it: the library would wait for the writer of a
 * FIFO. *size is -1 if there is no such file; false with an error if it is no regular file. */
bool xtf_otf2_file_size(const char *path, int64_t *size, GError **error);

/* The folder of the locations' files: the anchor's path without its ending. */
char *xtf_otf2_folder(const char *anchor);

/* NAME.otf2, all other NAME.*, and NAME, of those that exist. */
GPtrArray *xtf_otf2_files(const char *anchor);
