/*
 * The rows of a slice, which are held back until the slice is whole, and then go to their locations.
 *
 * One thread. The memory is that of a slice, and of the open arrays of each rank that was heard of.
 */
#pragma once

#include "src/import/job.h"

enum {
    XTF_OPENTS_SLICE_MAX = 256 << 20, /* bytes that the rows of one slice may take */
};

typedef struct OpentsLocation OpentsLocation;

typedef struct {
    XtfImportJob *job;
    uint32_t n_ranks;
    OpentsLocation **locations; /* by rank; NULL: no rows so far */
    GByteArray *bytes;          /* rows of the slice that is being read, each with an Entry before it */
    uint64_t n_slices;          /* that are whole */
    uint64_t backward;          /* rows whose slice is dated before the one before it */
    bool falls;                 /* some counter did: they count each slice anew */
} XtfOpentsRows;

void xtf_opents_rows_init(XtfOpentsRows *rows, XtfImportJob *job, uint32_t n_ranks);
void xtf_opents_rows_finish(XtfOpentsRows *rows); /* all zeros is fine */

/* Adds a row of type XTF_MODEL_..., whose head is filled in later. False: there is no room for it in a slice. */
bool xtf_opents_rows_add(XtfOpentsRows *rows, uint32_t rank, unsigned type, unsigned event, const void *row);
/* How much there is; and going back to that. */
static inline guint xtf_opents_rows_mark(const XtfOpentsRows *rows)
{
    return rows->bytes->len;
}
void xtf_opents_rows_drop(XtfOpentsRows *rows, guint mark);
/* The row that was added when there was so much, to change it. */
void *xtf_opents_rows_at(XtfOpentsRows *rows, guint mark);
/* The slice is whole: its rows become records of that time. */
bool xtf_opents_rows_commit(XtfOpentsRows *rows, uint64_t time, GError **error);
/* No rows will come. Counts locations. */
bool xtf_opents_rows_close(XtfOpentsRows *rows, GError **error);
