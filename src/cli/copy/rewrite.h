/*
 * Copies of small merged traces. A copy lacks the unused space that commits left in the parts, often most of a short
 * run's trace. It is also an ordinary file, to which an analysis can be added.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>

/* The limit of rows takes about 50 ms to copy. On a busy machine copying is given up at the time limit. */
enum { XTF_REWRITE_ROWS_MAX = 500000, XTF_REWRITE_US_MAX = 200000 };

/* Replaces the merged trace at `path` by a copy, row by row, if it has at most XTF_REWRITE_ROWS_MAX rows. Returns false
 * with an error, and leaves the trace as it is, if copying fails, takes longer than XTF_REWRITE_US_MAX, or is
 * cancelled. */
bool xtf_rewrite_small(const char *path, atomic_bool *cancel, GError **error);
