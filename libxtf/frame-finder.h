/*
 * Frames around times: the short frames that most records lie in.
 *
 * A record in a frame without inner frames lies between two neighbouring rows: one begins the frame, the next ends it.
 * A finder reads only columns of their leaf (XtfFrameColumns in pack.h), in a third of the time of whole rows. Where
 * that is not enough, the caller reads rows: a frame with inner frames, two leaves, or a row at the same time.
 *
 * A finder keeps its leaf pinned, so ascending times cost a descent for each leaf. A leaf that the finder leaves for a
 * later one is not kept in the page cache, unless others use it. One thread at a time may use a finder.
 */
#pragma once

#include "libxtf/aggregates.h"

XTF_BEGIN_DECLS

typedef struct XtfFrameFinder XtfFrameFinder;

/* Returns a finder of an array's frames, by its aggregate `index` of frames. Copies the array and borrows its trace.
 * Without `keys` it may leave out the keys of frames, which saves up to a third of the time;
 * xtf_frame_finder_key() finds them. */
XtfFrameFinder *xtf_frame_finder_new(const XtfArray *array, unsigned index, bool keys);
void xtf_frame_finder_free(XtfFrameFinder *finder); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfFrameFinder, xtf_frame_finder_free)

/* Finds the key of a frame that begins with a row, if the finder found the frame without keys. */
bool xtf_frame_finder_key(XtfFrameFinder *finder, uint64_t row, uint64_t *key, GError **error);

/*
 * Finds the frame whose begin is the last row before time t, and whose end is the first row after t. Its times are of
 * the array's clock, like t: global, or local if the array is an xtf_array_local(). Sets *found to false if there is no
 * such frame, if some row has time t, or if the frame's rows are in two leaves. The same holds in a trace with a kept
 * time (trace.h). Sets *has_key to false, and the key to 0, if the finder left out the key.
 */
bool xtf_frame_finder_at(XtfFrameFinder *finder, uint64_t t, XtfFrameSpan *frame, bool *has_key, bool *found,
                         GError **error);

XTF_END_DECLS
