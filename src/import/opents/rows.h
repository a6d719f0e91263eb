/*
 * Collects the rows of a slice in a buffer. Appends them to the arrays of their locations once the slice is complete.
 *
 * Only one thread may add rows. The memory is the rows of one slice, and the open arrays of each rank with rows.
 */
#pragma once

#include "src/import/job.h"

enum {
    XTF_OPENTS_SLICE_MAX = 256 << 20, /* most bytes of the rows of one slice */
};

typedef struct OpentsLocation OpentsLocation;

typedef struct {
    XtfImportJob *job;
    uint32_t n_ranks;
    OpentsLocation **locations; /* by rank; NULL: no rows so far */
    GByteArray *bytes;          /* rows of the open slice, each with an Entry before it */
    uint64_t n_slices;          /* number of complete slices */
    uint64_t backward;          /* number of rows with a time before that of the preceding slice */
    bool falls;                 /* some counter fell: counters count from the beginning of each slice */
} XtfOpentsRows;

void xtf_opents_rows_init(XtfOpentsRows *rows, XtfImportJob *job, uint32_t n_ranks);
void xtf_opents_rows_finish(XtfOpentsRows *rows); /* `rows` may be all zeros */

/* Adds a row of type XTF_MODEL_..., whose head xtf_opents_rows_commit() fills in. False if the slice is too large. */
bool xtf_opents_rows_add(XtfOpentsRows *rows, uint32_t rank, unsigned type, unsigned event, const void *row);
/* Returns the size of the buffer in bytes: where the next row begins. */
static inline guint xtf_opents_rows_mark(const XtfOpentsRows *rows)
{
    return rows->bytes->len;
}
/* Removes the rows from `mark` on, and counts them as left out. */
void xtf_opents_rows_drop(XtfOpentsRows *rows, guint mark);
/* Returns the row that begins at `mark`, for changes. */
void *xtf_opents_rows_at(XtfOpentsRows *rows, guint mark);
/* Completes the slice: appends its rows as records at `time`. */
bool xtf_opents_rows_commit(XtfOpentsRows *rows, uint64_t time, GError **error);
/* Closes all arrays, and adds the number of locations to the report. Drops the rows of an incomplete slice. */
bool xtf_opents_rows_close(XtfOpentsRows *rows, GError **error);
