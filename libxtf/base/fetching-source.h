/*
 * A source over a store that answers each request slowly, such as one behind a network. It reads many ranges by few
 * requests.
 *
 * A thread that gathers tries its reads first. A read of bytes that were not fetched yet fails, and the source notes
 * the range. Then one request fetches all noted ranges, and the thread tries again. Reads of other threads go to the
 * store.
 */
#pragma once

#include "libxtf/source.h"

/* Returns a source over `base`, which must have `read_ranges`. Takes ownership of `base`. */
XtfSource *xtf_fetching_source_new(XtfSource *base);
bool xtf_source_is_fetching(const XtfSource *source);

typedef enum {
    XTF_GATHER_NOTED,   /* reads of bytes that were not fetched fail, and their ranges are noted */
    XTF_GATHER_OPENING, /* the begin and the end of the file are fetched at once, and all other reads go to the store */
} XtfGatherMode;

/* Bytes that a thread has fetched, and ranges that it misses. */
typedef struct {
    XtfSource *source; /* NULL: this gathering has not begun, so its end does nothing */
    XtfGatherMode mode;
    GArray *pieces;  /* Piece, see fetching-source.c */
    GArray *missing; /* XtfReadRange without buffers */
} XtfGathering;

/* Makes the calling thread gather reads of a source until xtf_gathering_end(). Returns false, and sets *gathering to
 * zeros, if the source is of another kind or the thread gathers already. */
bool xtf_gathering_begin(XtfGathering *gathering, XtfSource *source, XtfGatherMode mode);
/* Fetches the missing ranges by one request. Returns false if none is missing, or the request fails. */
bool xtf_gathering_fetch(XtfGathering *gathering);
void xtf_gathering_end(XtfGathering *gathering); /* accepts all zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfGathering, xtf_gathering_end)

/* Notes a range that will probably be read after others that were missed, if the calling thread gathers. */
void xtf_gathering_expect(XtfSource *source, uint64_t offset, uint64_t length);
