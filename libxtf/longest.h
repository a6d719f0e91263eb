/*
 * The longest frames that begin in a range of rows, best first in the index, whatever the number of rows.
 *
 * The longest frame comes first, of equals the earliest. A frame that no row ends lasts until the location's last
 * record. It costs a few leaves for each frame found and for each frame open at the ends of the range.
 *
 * Durations are in local ticks. Any thread may call xtf_array_longest(); a search belongs to one thread at a time.
 */
#pragma once

#include "libxtf/group-filter.h"

XTF_BEGIN_DECLS

/*
 * The longest of the frames that begin in rows [n1, n2) and whose key the filter takes; NULL takes all. `last` is the
 * time of the location's last record, in local ticks; the array's last row if that is later. Sets the first *n_frames
 * of `frames`, and *n_frames to fewer if there are not as many.
 */
bool xtf_array_longest(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n1, uint64_t n2,
                       uint64_t last, XtfFrameSpan *frames, size_t *n_frames, GError **error);

/* The same step by step, for who looks for the longest frames of several arrays: it goes on with the array that may
 * have the longest. */
typedef struct XtfLongestSearch XtfLongestSearch;

/* Copies the array and the filter, and borrows what they borrow. NULL with an error. */
XtfLongestSearch *xtf_longest_new(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n1,
                                  uint64_t n2, uint64_t last, GError **error);
void xtf_longest_free(XtfLongestSearch *search); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfLongestSearch, xtf_longest_free)

/* No frame that is still to come is longer than *ticks. False: there is none to come. */
bool xtf_longest_bound(const XtfLongestSearch *search, uint64_t *ticks);
/* One step: the next frame, if it is *found; else the bound may be less now, or as it was. */
bool xtf_longest_step(XtfLongestSearch *search, XtfFrameSpan *frame, bool *found, GError **error);

XTF_END_DECLS
