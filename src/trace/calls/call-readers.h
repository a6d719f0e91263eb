/*
 * Readers of the calls of several locations: one frame reader per location, made when first needed.
 * Only one thread at a time may use an XtfCallReaders.
 */
#pragma once

#include "libxtf/frame-reader.h"
#include "libxtf/spans.h"
#include "src/trace/context/trace-context.h"

enum {
    XTF_N_FRAME_ENDINGS = XTF_FRAME_OPEN + 1,
};

extern const char *const xtf_frame_endings[XTF_N_FRAME_ENDINGS]; /* words, by XtfFrameEnding */

typedef struct XtfCallReaders XtfCallReaders;

/* Makes readers, which borrow the context and the locations. The trace must keep aggregates of frames. */
XtfCallReaders *xtf_call_readers_new(const XtfTraceContext *context, const XtfLocations *locations);
void xtf_call_readers_free(XtfCallReaders *readers); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfCallReaders, xtf_call_readers_free)

/* Returns the reader of a span's array, which is of `enters_leaves`. The span's tag is the index of its location.
 * NULL with an error. */
XtfFrameReader *xtf_call_readers_get(XtfCallReaders *readers, const XtfSpan *span, GError **error);

/* Estimates the bytes of memory that the readers hold. Accepts NULL. */
size_t xtf_call_readers_bytes(const XtfCallReaders *readers);

/* Returns the time of a location's last record of any type, in ticks of its clock. Calls that are never left last until
 * then. 0 if the location has no records. */
bool xtf_location_last(const XtfTraceContext *context, const XtfLocation *location, uint64_t *last, GError **error);
