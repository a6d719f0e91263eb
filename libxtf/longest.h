/*
 * The longest frames that begin in a range of rows, by best-first search in the index, for any number of rows.
 *
 * Frames are returned longest first; of equally long frames the earliest first. A frame that no row ends lasts until
 * the location's last record. The search costs a few leaves for each frame found and for each frame open at the ends of
 * the range.
 *
 * Durations are in local ticks. xtf_array_longest() is thread-safe. One thread at a time may use a search.
 */
#pragma once

#include "libxtf/group-filter.h"

XTF_BEGIN_DECLS

/*
 * Finds the longest of the frames that begin in rows [n1, n2) and whose key the filter accepts; NULL accepts all.
 * `last` is the time of the location's last record, in local ticks, or the time of the array's last row if later. Fills
 * at most *n_frames elements of `frames`, and sets *n_frames to the number found.
 */
bool xtf_array_longest(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n1, uint64_t n2,
                       uint64_t last, XtfFrameSpan *frames, size_t *n_frames, GError **error);

/* The search of xtf_array_longest() step by step, for searches in several arrays. The caller steps the search whose
 * bound is the greatest. */
typedef struct XtfLongestSearch XtfLongestSearch;

/* Copies the array and the filter, and borrows what they borrow. Returns NULL on error. */
XtfLongestSearch *xtf_longest_new(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n1,
                                  uint64_t n2, uint64_t last, GError **error);
void xtf_longest_free(XtfLongestSearch *search); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfLongestSearch, xtf_longest_free)

/* Sets *ticks to an upper bound of the durations of all frames not yet returned. Returns false if no frames remain. */
bool xtf_longest_bound(const XtfLongestSearch *search, uint64_t *ticks);
/* Does one step. Returns the next frame if *found; otherwise the bound may have decreased. */
bool xtf_longest_step(XtfLongestSearch *search, XtfFrameSpan *frame, bool *found, GError **error);

XTF_END_DECLS
