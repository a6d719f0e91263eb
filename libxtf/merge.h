/*
 * Merging: files that were written apart become one, without being rewritten.
 *
 * The parts are appended as they are (by reflinks, where the file system has them), and one index of arrays, one set of
 * definition tables and one catalog are written for all. Rows that mean the same in several parts, as the schemas of
 * the tables say (schema.h: XTF_FIELD_IDENTIFIES), become one row; readers of the whole see its numbers only.
 *
 * A location belongs to one part. All parts have pages of one size and clocks of one resolution. What is merged may be
 * a part again. The parts are only read.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxtf/error.h"

XTF_BEGIN_DECLS

/* All members may be 0. */
typedef struct {
    bool keep_going; /* leave out parts that cannot be read, instead of failing */
    bool no_sync;    /* leave out the fsyncs */
    /* Called now and then with the bytes that are copied, of all; false stops the work. */
    bool (*progress)(uint64_t done, uint64_t total, void *data);
    /* Called for each part that is left out, with the reason. */
    void (*left_out)(const char *path, const GError *error, void *data);
    void *data; /* of both */
} XtfMergeOptions;

typedef struct {
    size_t parts, left_out;
    uint64_t copied;  /* bytes of parts */
    uint64_t written; /* bytes beside these */
} XtfMergeReport;

/*
 * Merges parts into a file that takes its place when it is complete: until then a file that stood there stays, and a
 * failure leaves nothing behind. `options` and `report` may be NULL.
 *
 * XTF_ERROR_INVALID, with the names of two parts, if they have a location in common, different schemas of one name,
 * pages of different sizes or different clocks; _IO if a part is being written, or the file is a part; _CANCELLED.
 */
bool xtf_merge(const char *path, const char *const *parts, size_t n_parts, const XtfMergeOptions *options,
               XtfMergeReport *report, GError **error);

XTF_END_DECLS
