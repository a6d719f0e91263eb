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
#include "libxtf/handles.h"

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
 * Each part is verified first, as xtf_trace_verify() does: XTF_ERROR_DAMAGED if it has a problem.
 *
 * XTF_ERROR_INVALID, with the names of two parts, if they have a location in common, different schemas of one name,
 * pages of different sizes or different clocks; _IO if a part is being written, or the file is a part; _CANCELLED.
 */
bool xtf_merge(const char *path, const char *const *parts, size_t n_parts, const XtfMergeOptions *options,
               XtfMergeReport *report, GError **error);

/*
 * A folder of parts: the second form of a merged trace, in which the parts stay where they are. An anchor among them
 * holds what a merged file would hold beside its parts, and names these; it is opened like any file (trace.h). Parts
 * are opened when something of them is read. A part that is another than when the anchor was written is an error that
 * names it.
 */
#define XTF_ANCHOR_NAME "anchor.xtf"

/* The paths of the parts in a folder, in order: all that end in ".xtf", but the anchor and hidden ones. The caller
 * frees them with g_strfreev(). */
char **xtf_folder_parts(const char *folder, GError **error);

/*
 * Opens a folder: by its anchor if it has one, else its parts, each at its newest commit. These are joined in memory,
 * as in an anchor, and may be written meanwhile; so xtf_trace_refresh() finds later commits of parts, and new parts.
 *
 * What is joined is complete up to the least time up to which any part is, and closed if all are; a part without a
 * commit is complete up to nothing. So whoever follows must know of all parts before anything is complete: a part that
 * comes later, and begins before what was complete, cannot be shown, and refreshing is XTF_ERROR_INVALID.
 *
 * A part that is not closed, and that nobody has written for some seconds, has ended early: nothing more comes of it,
 * so the others go on. A part without a commit that nobody writes, and that is not about to be written since no other
 * is, is damaged; so is a part that has bytes behind its superblocks, and no commit. That is an error, unless
 * `options` say to leave it out. What was found of the parts, xtf_trace_part_remarks() says.
 *
 * XTF_ERROR_NOT_FOUND if there is no part in it, or none with a commit yet.
 */
XtfTrace *xtf_folder_open(const char *folder, const XtfOpenOptions *options, GError **error);

/* What is to be said of a part of such a folder. */
typedef enum {
    XTF_PART_WITHOUT_COMMIT, /* it has no commit yet: its writer is at work, or about to begin */
    XTF_PART_ENDED_EARLY,    /* nobody writes it any more, and its writer did not close it */
    XTF_PART_LEFT_OUT,       /* it is damaged, and left out (XtfOpenOptions) */
} XtfPartRemarkKind;

typedef struct {
    char *path;
    XtfPartRemarkKind kind;
    char *text; /* a clause: "it has no commit yet" */
} XtfPartRemark;

/* The remarks on the parts of this snapshot, in the order of their names; *n of them, the trace's. */
const XtfPartRemark *const *xtf_trace_part_remarks(const XtfTrace *trace, size_t *n);

/* Writes the anchor of all parts in a folder, as xtf_merge() does, whose errors it has. Of the report, no bytes are
 * copied. */
bool xtf_merge_anchor(const char *folder, const XtfMergeOptions *options, XtfMergeReport *report, GError **error);

XTF_END_DECLS
