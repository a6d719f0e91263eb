#include "src/import/messages.h"

/* Returns the number of the row that was appended last. */
static uint64_t last_row(const XtfStream *stream, unsigned type)
{
    return xtf_array_writer_n_rows(stream->arrays[type]) - 1;
}

bool xtf_stream_send(XtfStream *stream, uint64_t time, XtfSendsRow *row)
{
    xtf_tags_add(&stream->tags, row->tag);
    return xtf_stream_append(stream, XTF_MODEL_SENDS, XTF_LABEL_MPI_SEND, time, row);
}

/* Returns a posting for the last send. */
static XtfPostingsRow posting_of(const XtfStream *stream, const XtfSendsRow *row)
{
    return (XtfPostingsRow){
        .time = row->time,
        .seq = row->seq,
        .comm = row->comm,
        .peer = row->peer,
        .tag = row->tag,
        .bytes = row->bytes,
        .message = last_row(stream, XTF_MODEL_SENDS),
    };
}

bool xtf_stream_send_failed(XtfStream *stream, const XtfSendsRow *row)
{
    XtfPostingsRow sent = posting_of(stream, row);

    return xtf_requests_post(&stream->requests, XTF_REQUEST_CANCELLED_SEND, 0, &sent, &stream->error) &&
           xtf_stream_write_postings(stream, false);
}

bool xtf_stream_isend(XtfStream *stream, uint64_t time, XtfSendsRow *row)
{
    xtf_tags_add(&stream->tags, row->tag);
    if (!xtf_stream_append(stream, XTF_MODEL_SENDS, XTF_LABEL_MPI_ISEND, time, row))
        return false;
    XtfPostingsRow sent = posting_of(stream, row);
    return xtf_requests_post(&stream->requests, XTF_REQUEST_SENDING, row->request, &sent, &stream->error);
}

/* Sets the fields of a posting that are known once its receive is appended. */
static void set_envelope(XtfStream *stream, const XtfRecvsRow *row, XtfPostingsRow *posting)
{
    posting->comm = row->comm;
    posting->peer = row->peer;
    posting->tag = row->tag;
    posting->bytes = row->bytes;
    posting->message = last_row(stream, XTF_MODEL_RECVS);
}

/* Appends a receive that is its own posting. */
static bool append_recv(XtfStream *stream, unsigned event, uint64_t time, XtfRecvsRow *row)
{
    row->posted = 0;
    if (!xtf_stream_append(stream, XTF_MODEL_RECVS, event, time, row))
        return false;
    XtfPostingsRow posting = {.time = row->time, .seq = row->seq};
    set_envelope(stream, row, &posting);
    if (xtf_requests_empty(&stream->requests))
        return xtf_stream_append_row(stream, XTF_MODEL_POSTINGS, &posting);
    return xtf_requests_post(&stream->requests, XTF_REQUEST_RECEIVED, 0, &posting, &stream->error);
}

bool xtf_stream_recv(XtfStream *stream, uint64_t time, XtfRecvsRow *row)
{
    xtf_tags_add(&stream->tags, row->tag);
    return append_recv(stream, XTF_LABEL_MPI_RECV, time, row);
}

bool xtf_stream_irecv(XtfStream *stream, uint64_t time, XtfRecvsRow *row)
{
    XtfPostingsRow *posting = xtf_requests_receive(&stream->requests, row->request);

    xtf_tags_add(&stream->tags, row->tag);
    if (!posting)
        return append_recv(stream, XTF_LABEL_MPI_IRECV, time, row);
    row->posted = stream->seq - posting->seq;
    if (!xtf_stream_append(stream, XTF_MODEL_RECVS, XTF_LABEL_MPI_IRECV, time, row))
        return false;
    set_envelope(stream, row, posting);
    return xtf_stream_write_postings(stream, false);
}

bool xtf_stream_request(XtfStream *stream, unsigned event, uint64_t time, XtfRequestsRow *row)
{
    if (!xtf_stream_append(stream, XTF_MODEL_REQUESTS, event, time, row))
        return false;
    XtfPostingsRow posting = {.time = row->time, .seq = row->seq};
    switch (event) {
    case XTF_LABEL_MPI_IRECV_REQUEST:
        return xtf_requests_post(&stream->requests, XTF_REQUEST_RECEIVING, row->request, &posting, &stream->error);
    case XTF_LABEL_MPI_ISEND_COMPLETE:
        xtf_requests_sent(&stream->requests, row->request);
        break;
    case XTF_LABEL_MPI_REQUEST_CANCELLED:
        xtf_requests_cancel(&stream->requests, row->request);
        break;
    default:
        return true;
    }
    return xtf_stream_write_postings(stream, false);
}
