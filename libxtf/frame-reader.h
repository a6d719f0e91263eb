/*
 * Frames one by one: begin, end and exclusive time of each.
 *
 * Each row that begins a frame has one frame, as "Frames." in aggregates.h defines. Its exclusive time is the time
 * during which the frame was on top of the stack: its duration minus the durations of its direct children. A frame that
 * no row ends lasts until the location's last record.
 *
 *     g_autoptr(XtfFrameReader) reader = xtf_frame_reader_new(&array, index, last, most);
 *     for each row n that begins a frame, ascending {
 *         if (!xtf_frame_reader_find(reader, n, &frame, error)) ...
 *         use(frame.span.end - frame.span.begin, frame.exclusive);
 *     }
 *
 * A reader matches the rows of a leaf with its own stack, one batch at a time, and pins no leaf. It queries the index
 * only for a frame that does not end in its batch. The query is one descent for the end, and totals of the frame's key
 * for the exclusive time. Consecutive frames therefore cost little more than reading their rows, and any other frame
 * costs a few descents.
 *
 * All times are local ticks. One thread at a time may use a reader.
 */
#pragma once

#include "libxtf/aggregates.h"

XTF_BEGIN_DECLS

typedef enum {
    XTF_FRAME_LEFT, /* ended by a row that refers to the frame */
    XTF_FRAME_CUT,  /* ended by another row: with an enclosing frame, or when a frame outside of it began */
    XTF_FRAME_OPEN, /* ended by no row */
} XtfFrameEnding;

typedef struct {
    XtfFrameSpan span;
    uint64_t exclusive;
    XtfFrameEnding ending;
} XtfFrameTimes;

typedef struct XtfFrameReader XtfFrameReader;

/* Returns a reader of an array's frames. Copies the array and borrows its trace. `last` is the time of the location's
 * last record of any type, in local ticks. A batch has at most `most` rows, and takes 40 bytes of memory for each. */
XtfFrameReader *xtf_frame_reader_new(const XtfArray *array, unsigned index, uint64_t last, uint32_t most);
void xtf_frame_reader_free(XtfFrameReader *reader); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfFrameReader, xtf_frame_reader_free)

/* Finds the frame that row n begins. If the frame began before the trace's kept time, its exclusive time counts only
 * from the last row before that time on. XTF_ERROR_INVALID if row n begins no frame. */
bool xtf_frame_reader_find(XtfFrameReader *reader, uint64_t n, XtfFrameTimes *frame, GError **error);

/* Returns the duration of the frame that row n ends. Sets *known to false if row n begins a frame or refers to no open
 * frame. */
bool xtf_frame_reader_duration(XtfFrameReader *reader, uint64_t n, bool *known, uint64_t *ticks, GError **error);

XTF_END_DECLS
