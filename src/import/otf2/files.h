/* Finds the files of an OTF2 archive, without OTF2's library. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define XTF_OTF2_TRACE_ID "otf2.trace_id" /* name of a property of imported traces */
#define XTF_OTF2_ENDING   ".otf2"

/* True if a file is the anchor file of an OTF2 archive. */
bool xtf_otf2_is_anchor(const char *path);

/* Returns advice on which file to give instead of `path`; the caller frees it. NULL unless `path` is another file of an
 * archive, or a profile next to an archive. */
char *xtf_otf2_advice(const char *path);

/* Finds the size of an archive's file in bytes. *size is -1 if there is no such file. False with an error if it is not
 * a regular file. Call it before OTF2's library opens the file: the library would wait for the writer of a FIFO. */
bool xtf_otf2_file_size(const char *path, int64_t *size, GError **error);

/* Returns the folder of the locations' files: the anchor's path without its ending. The caller frees it. */
char *xtf_otf2_folder(const char *anchor);

/* Returns the paths of NAME.otf2, all other NAME.*, and NAME, if they exist. The caller frees them. */
GPtrArray *xtf_otf2_files(const char *anchor);
