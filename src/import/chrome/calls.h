/*
 * The open calls of one location, whose entries are in the order of time.
 *
 * A slice has its end from the beginning on; a call by BEGIN ends with the next END. Calls of a thread must nest. A
 * slice that ends after the slice around it ends with that one. A call that is open when a slice around it ends, ends
 * with the slice; its own END is then ignored. An END also ends the slices inside its call.
 */
#pragma once

#include "src/import/stream.h"

typedef struct {
    XtfStream *stream; /* borrowed */
    GArray *frames;    /* of CallFrame */
    guint slice;       /* index of the innermost slice, plus 1; 0: none */
    guint n_begun;     /* frames that are no slices */
    uint64_t ended;    /* number of calls that ended with a slice, before their END */
    uint64_t clipped;  /* calls that ended earlier than they should, in all locations */
} XtfChromeCalls;

void xtf_chrome_calls_init(XtfChromeCalls *calls, XtfStream *stream);
void xtf_chrome_calls_finish(XtfChromeCalls *calls);

/* Leaves the slices that end up to `time`. Call it before any other record at that time is appended. False with
 * stream->error. */
bool xtf_chrome_calls_advance(XtfChromeCalls *calls, uint64_t time);
/* Enters a call. */
bool xtf_chrome_calls_begin(XtfChromeCalls *calls, uint64_t time, uint32_t region);
/* Enters a slice that lasts until `end`. */
bool xtf_chrome_calls_slice(XtfChromeCalls *calls, uint64_t time, uint64_t end, uint32_t region);
/* Leaves the innermost call that is no slice. *left: a LEAVE was appended; *open is false if there is no such call. */
bool xtf_chrome_calls_end(XtfChromeCalls *calls, uint64_t time, bool *left, bool *open);
/* Ends the location: leaves all slices. Forgets the other calls. */
bool xtf_chrome_calls_close(XtfChromeCalls *calls);
