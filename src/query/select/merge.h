/*
 * A merge reads the records of spans in (T, location, seq) order, forwards, from any of them.
 *
 * Few spans: a heap of cursors, each with its leaf pinned, so that each leaf is loaded once. Very many: a slice of time
 * at a time, as many records as fit a bounded buffer, so that no more than one leaf is pinned, and each array is
 * visited once a slice.
 *
 * A merge belongs to one thread at a time.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/query/select/selection.h"

typedef struct XtfMerge XtfMerge;

/* Rows that follow one another in the order and lie side by side; good until the next call. */
typedef struct {
    const XtfSpan *span;
    const uint8_t *rows;
    uint64_t n_rows; /* 0: there are no more */
} XtfRowRun;

/* References the spans, and begins with record k of them. */
XtfMerge *xtf_merge_new(XtfSpans *spans, uint64_t k, GError **error);
void xtf_merge_free(XtfMerge *merge); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfMerge, xtf_merge_free)

/* The next run of at most `max` rows. */
bool xtf_merge_next(XtfMerge *merge, uint64_t max, XtfRowRun *run, GError **error);

/* Memory that it holds, leaves that it has pinned in the cache among it. */
size_t xtf_merge_bytes(const XtfMerge *merge);
