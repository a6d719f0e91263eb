/* Finds the files of an OTF1 archive, and reads its master file, without OTF's library. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define XTF_OTF1_TRACE_ID "otf1.trace_id" /* name of a property of imported traces */
#define XTF_OTF1_ENDING   ".otf"

/* An entry of the master file: a process, and the stream that has its events. */
typedef struct {
    uint32_t stream, process;
} XtfOtf1Entry;

/* True if a file is the master file of an archive. */
bool xtf_otf1_is_master(const char *path);

/* Returns the entries of a master file, in its order (of XtfOtf1Entry). The caller unrefs the array. NULL with an error
 * that names the line. */
GArray *xtf_otf1_read_master(const char *path, GError **error);

/* Returns advice on which file to give instead of `path`; the caller frees it. NULL unless `path` is another file of an
 * archive. */
char *xtf_otf1_advice(const char *path);

/* Returns the paths of NAME.otf and of all other files NAME.*, which the caller frees. */
GPtrArray *xtf_otf1_files(const char *master);

/* Returns the path of the master file without its ending. The caller frees it. */
char *xtf_otf1_stem(const char *master);

/* Returns the path of a stream's file: STEM.ID.ENDING, or the same with .z, which is compressed. `ending` is "def",
 * "events" ... The caller frees it. NULL without an error: there is no such file. NULL with an error: it is no regular
 * file; the library would wait for the writer of a FIFO. */
char *xtf_otf1_stream_file(const char *stem, uint32_t stream, const char *ending, GError **error);
