/*
 * Small merged traces, written anew: without what commits left in their parts, which can be most of a short run's
 * trace, and as a file that goes on growing, which an analysis can be added to.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>

/* A trace of as many bytes takes about a second. */
enum { XTF_REWRITE_BYTES_MAX = 16 << 20 };

/* Replaces the merged trace at `path` by a copy, row by row, if it has at most XTF_REWRITE_BYTES_MAX. If that cannot be
 * done, or is cancelled, the trace stays as it is: false, with an error. */
bool xtf_rewrite_small(const char *path, atomic_bool *cancel, GError **error);
