/*
 * Rows for a copy of a trace whose first volumes were removed. The copy is an ordinary trace that begins at the kept
 * time. Each change makes a row what a recorder that began then would have written:
 *
 * - Rows before the kept time are left out, and numbers of rows and records count from there on.
 * - A LEAVE whose ENTER is left out has no ENTER. Depths count from there on, too.
 * - A receive whose posting is left out counts as posted at the kept time, by the location's first record.
 * - The posting of a message that was sent before the kept time has no communicator. So it is of no group, and later
 *   receives keep the numbers of their sends.
 */
#pragma once

#include "libxtf/array.h"

typedef struct XtfKeptRows XtfKeptRows;

/* Makes the rows' changes. Borrows the trace. NULL with an error. */
XtfKeptRows *xtf_kept_rows_new(XtfTrace *trace, GError **error);
void xtf_kept_rows_free(XtfKeptRows *kept); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfKeptRows, xtf_kept_rows_free)

/* Begins an array, in the order of the index. *first is the first row that is kept; n_rows if there is none. */
bool xtf_kept_rows_begin(XtfKeptRows *kept, const XtfArray *array, uint64_t *first, GError **error);
/* Returns the rows that the copy of the array has before row *first: postings before the kept time of receives after
 * it. The caller unrefs the array of bytes. NULL with an error. */
GByteArray *xtf_kept_rows_early(XtfKeptRows *kept, const XtfArray *array, GError **error);
/* Changes row n of the array, the next one. *left_out is true if the copy does not have it. */
bool xtf_kept_rows_change(XtfKeptRows *kept, uint64_t n, uint8_t *row, bool *left_out, GError **error);
