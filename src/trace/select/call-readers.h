/*
 * The calls of several locations: for each a frame reader, made when first needed. They belong to one thread at a time.
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

/* Borrows both. The trace keeps aggregates of frames. */
XtfCallReaders *xtf_call_readers_new(const XtfTraceContext *context, const XtfLocations *locations);
void xtf_call_readers_free(XtfCallReaders *readers); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfCallReaders, xtf_call_readers_free)

/* The reader of a span's array, which is of `enters_leaves`; its tag is the index of its location. NULL with an error.
 */
XtfFrameReader *xtf_call_readers_get(XtfCallReaders *readers, const XtfSpan *span, GError **error);

/* Memory that they hold, about. NULL is fine. */
size_t xtf_call_readers_bytes(const XtfCallReaders *readers);

/* The time of a location's last record, of whatever type, in ticks of its clock: so long last calls that are never
 * left. 0 if it has no records. */
bool xtf_location_last(const XtfTraceContext *context, const XtfLocation *location, uint64_t *last, GError **error);
