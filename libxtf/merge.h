/*
 * Merging: joins files that were written separately, without rewriting their rows.
 *
 * The parts are copied as they are, by reflink where the file system supports it. One index of arrays, one set of
 * definition tables and one catalog for all parts follow. Rows that mean the same in several parts, as the schemas of
 * the tables define (schema.h: XTF_FIELD_IDENTIFIES), become one row. Readers of the whole see only the numbers of the
 * whole.
 *
 * All arrays of a location must be in one part. All parts have the same page size and clock resolution. A merged file
 * can be a part again. The parts are opened only for reading.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxtf/clock-map.h"
#include "libxtf/error.h"
#include "libxtf/handles.h"

XTF_BEGIN_DECLS

/* All members may be 0. */
typedef struct {
    bool keep_going; /* leave out parts that cannot be read, instead of failing */
    bool no_sync;    /* no fsync */
    /* Called repeatedly with the copied bytes and the total; returns false to stop the merge. */
    bool (*progress)(uint64_t done, uint64_t total, void *data);
    /* Called for each part that is left out, with the reason. */
    void (*left_out)(const char *path, const GError *error, void *data);
    /* Returns the clock map of a location that has none in its part; NULL: it gets none. The map stays valid until the
     * merge ends. */
    const XtfClockMap *(*clock_of)(uint64_t location, void *data);
    void *data; /* argument of all callbacks */
} XtfMergeOptions;

typedef struct {
    size_t parts, left_out;
    uint64_t copied;  /* copied bytes of parts */
    uint64_t written; /* other written bytes */
} XtfMergeReport;

/*
 * Merges parts into a file. The file gets its name only when it is complete: until then an existing file of that name
 * stays, and a failure leaves nothing behind. `options` and `report` may be NULL.
 *
 * First verifies each part as xtf_trace_verify() does: XTF_ERROR_DAMAGED if it has a problem.
 *
 * XTF_ERROR_INVALID if two parts share a location, or have different schemas of one name, page sizes or clock
 * resolutions; the message names both. XTF_ERROR_IO if a part is being written, or the output file is a part.
 * XTF_ERROR_CANCELLED if `progress` returned false.
 */
bool xtf_merge(const char *path, const char *const *parts, size_t n_parts, const XtfMergeOptions *options,
               XtfMergeReport *report, GError **error);

/*
 * A folder of parts: the second form of a merged trace, in which the parts stay separate files. An anchor in the folder
 * holds what a merged file would hold besides its parts, and names the parts. It is opened like any trace file
 * (trace.h). The reader opens a part when it needs data of it. If a part differs from the one that the anchor was
 * written for, reading it fails with an error that names it.
 */
#define XTF_ANCHOR_NAME "anchor.xtf"

/* Returns the paths of the parts in a folder, sorted: all files that end in ".xtf" except the anchor and hidden files.
 * The caller frees them with g_strfreev(). */
char **xtf_folder_parts(const char *folder, GError **error);

/*
 * Opens a folder: its anchor if it has one, else its parts, each at its newest commit. Without an anchor the parts are
 * joined in memory and may be written meanwhile; xtf_trace_refresh() finds later commits of parts, and new parts.
 *
 * The joined trace is complete up to the least time up to which each part is complete; it is closed if all parts are. A
 * part without a commit is complete up to time 0. So all parts must exist before any time is complete. A part that
 * appears later must not have records before the complete time; otherwise xtf_trace_refresh() fails with
 * XTF_ERROR_INVALID.
 *
 * An unclosed part that was not written for some seconds has ended early. It will not grow, and the other parts no
 * longer wait for it. A part is damaged if it has no commit and no writer, and no other part is being written. It is
 * also damaged if it has no commit but bytes behind its superblocks. A damaged part is an error, unless `options` say
 * to leave it out. xtf_trace_part_remarks() returns what was found.
 *
 * XTF_ERROR_NOT_FOUND if the folder has no part, or none with a commit.
 */
XtfTrace *xtf_folder_open(const char *folder, const XtfOpenOptions *options, GError **error);

/* Kind of a remark on a part of such a folder. */
typedef enum {
    XTF_PART_WITHOUT_COMMIT, /* no commit yet: its writer runs, or is about to start */
    XTF_PART_ENDED_EARLY,    /* its writer ended without closing it */
    XTF_PART_LEFT_OUT,       /* damaged, and left out (XtfOpenOptions) */
} XtfPartRemarkKind;

typedef struct {
    char *path;
    XtfPartRemarkKind kind;
    char *text; /* a clause: "it has no commit yet" */
} XtfPartRemark;

/* Returns the remarks on the parts of this snapshot, in the order of the part names; *n gets their number. The trace
 * owns them. */
const XtfPartRemark *const *xtf_trace_part_remarks(const XtfTrace *trace, size_t *n);

/* Writes the anchor of all parts in a folder. Has the errors of xtf_merge(). The report counts no copied bytes. */
bool xtf_merge_anchor(const char *folder, const XtfMergeOptions *options, XtfMergeReport *report, GError **error);

/* Numbers of the rows of a table. */
typedef struct {
    const char *table; /* name */
    const uint32_t *rows;
    uint32_t n;
} XtfMergeRows;

/* A part that shares its definitions with others. */
typedef struct {
    const char *path; /* in the anchor's folder */
    /* By row of the part, the row of the first part's table. Rows of tables that are not listed have the same number in
     * the first part. */
    const XtfMergeRows *rows;
    size_t n_rows;    /* number of listed tables */
    bool own_strings; /* its rows hold strings that have other ids in the first part */
} XtfMergePart;

/*
 * Writes the anchor of parts that one program has just written with shared definitions, such as the ranks of a job that
 * import one archive. The whole gets the tables and the strings of the first part. No row is compared with
 * another, and no part is verified. So all definitions that any part has must be in the first part.
 *
 * XTF_ERROR_INVALID if a number leads to no row, and as xtf_merge_anchor().
 */
bool xtf_merge_anchor_shared(const char *folder, const XtfMergePart *parts, size_t n_parts,
                             const XtfMergeOptions *options, XtfMergeReport *report, GError **error);

XTF_END_DECLS
