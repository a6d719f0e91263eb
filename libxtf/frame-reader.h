/*
 * Frames one by one: when each began and ended, and how much of that time was its own.
 *
 * A frame is that of a row that begins one, as "Frames." in aggregates.h says. Its exclusive time is the time during
 * which it was on top of the stack: its duration less the durations of the frames that began right in it. A frame that
 * no row ends lasts until the location's last record.
 *
 *     g_autoptr(XtfFrameReader) reader = xtf_frame_reader_new(&array, index, last, most);
 *     for each row n that begins a frame, ascending {
 *         if (!xtf_frame_reader_find(reader, n, &frame, error)) ...
 *         use(frame.span.end - frame.span.begin, frame.exclusive);
 *     }
 *
 * A reader pairs the rows of a leaf by a stack of its own, a batch at a time, and holds no leaf. Only for a frame that
 * its batch does not see end it asks the index: a descent for the end, and totals of the frame's key for the time of
 * its own. So frames one after another cost little more than reading their rows, and any frame costs a few descents.
 *
 * All times are local ticks. A reader belongs to one thread at a time.
 */
#pragma once

#include "libxtf/aggregates.h"

XTF_BEGIN_DECLS

typedef enum {
    XTF_FRAME_LEFT, /* by a row that leads to it */
    XTF_FRAME_CUT,  /* no row leads to it: it ended with a frame around it, or when a row said that it is over */
    XTF_FRAME_OPEN, /* no row ended it */
} XtfFrameEnding;

typedef struct {
    XtfFrameSpan span;
    uint64_t exclusive;
    XtfFrameEnding ending;
} XtfFrameTimes;

typedef struct XtfFrameReader XtfFrameReader;

/* Copies the array, and borrows its trace. `last` is the time of the location's last record of any type, in local
 * ticks. A batch has at most `most` rows, each of 40 bytes. */
XtfFrameReader *xtf_frame_reader_new(const XtfArray *array, unsigned index, uint64_t last, uint32_t most);
void xtf_frame_reader_free(XtfFrameReader *reader); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfFrameReader, xtf_frame_reader_free)

/* The frame that row n begins. XTF_ERROR_INVALID if it begins none. */
bool xtf_frame_reader_find(XtfFrameReader *reader, uint64_t n, XtfFrameTimes *frame, GError **error);

/* How long the frame lasted that row n ends. *known is false if row n begins a frame, or leads to no frame that is
 * open. */
bool xtf_frame_reader_duration(XtfFrameReader *reader, uint64_t n, bool *known, uint64_t *ticks, GError **error);

XTF_END_DECLS
