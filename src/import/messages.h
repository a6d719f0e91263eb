/*
 * Appends messages to a stream, as records of `sends` and `recvs`. Also appends the rows of the side arrays `postings`
 * and `cancelled`, by which messages are matched, and collects the trace's tags.
 *
 * A receive may complete under a request id that was not posted in this location. Then the completion counts as the
 * posting.
 */
#pragma once

#include "src/import/stream.h"

/* Appends a record, whose region the caller has set, as xtf_stream_append() does. */
bool xtf_stream_send(XtfStream *stream, uint64_t time, XtfSendsRow *row);
/* Marks the location's last send, a blocking one, as failed: no receive matches it. `row` is the row as appended. */
bool xtf_stream_send_failed(XtfStream *stream, const XtfSendsRow *row);
bool xtf_stream_isend(XtfStream *stream, uint64_t time, XtfSendsRow *row);
bool xtf_stream_recv(XtfStream *stream, uint64_t time, XtfRecvsRow *row);
bool xtf_stream_irecv(XtfStream *stream, uint64_t time, XtfRecvsRow *row);
/* Appends a record of `requests`; `event` is one of its labels. */
bool xtf_stream_request(XtfStream *stream, unsigned event, uint64_t time, XtfRequestsRow *row);
