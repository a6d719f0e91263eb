/*
 * Messages on their way into arrays: beside the records `sends` and `recvs` themselves, the side arrays by which
 * messages are matched, `postings` and `cancelled`, and the trace's tags.
 *
 * A receive that completes under a request id that was not posted, or not in this location, counts as posted by its
 * completion.
 */
#pragma once

#include "src/import/stream.h"

/* Append a record, whose region is set already, as xtf_stream_append() does. */
bool xtf_stream_send(XtfStream *stream, uint64_t time, XtfSendsRow *row);
/* The location's last send has failed, one that blocked: nobody receives it. `row` as it was appended. */
bool xtf_stream_send_failed(XtfStream *stream, const XtfSendsRow *row);
bool xtf_stream_isend(XtfStream *stream, uint64_t time, XtfSendsRow *row);
bool xtf_stream_recv(XtfStream *stream, uint64_t time, XtfRecvsRow *row);
bool xtf_stream_irecv(XtfStream *stream, uint64_t time, XtfRecvsRow *row);
/* `event` is a label of `requests`. */
bool xtf_stream_request(XtfStream *stream, unsigned event, uint64_t time, XtfRequestsRow *row);
