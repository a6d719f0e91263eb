/*
 * Small merged traces, written anew: without what commits left in their parts, which can be most of a short run's
 * trace, and as a file that goes on growing, which an analysis can be added to.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Copying so many rows takes some 50 ms. What takes longer, on a busy machine say, is given up. */
enum { XTF_REWRITE_ROWS_MAX = 500000, XTF_REWRITE_US_MAX = 200000 };

/* Replaces the merged trace at `path` by a copy, row by row, if it has at most XTF_REWRITE_ROWS_MAX rows. If that cannot
 * be done, takes longer than XTF_REWRITE_US_MAX, or is cancelled, the trace stays as it is: false, with an error. */
bool xtf_rewrite_small(const char *path, atomic_bool *cancel, GError **error);
