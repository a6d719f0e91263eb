/* Messages, requests, collective operations. */
#include "src/record/collect/rows/collect.h"

/* Id of the attribute with the number of calls in a row that found nothing. */
enum { ATTRIBUTE_FOUND_NOTHING = 1 };

enum { VALUE_UINT32 = 3 }; /* index in xtf_value_types */

static uint32_t comm_of(XtfCollectRing *ring, uint64_t word)
{
    return xtf_collect_reference(ring->collector, XTF_MODEL_COMMUNICATORS, xtf_collect_low(word));
}

/* The row of a message, sent or received. */
#define MESSAGE_ROW(Type, REQUEST)                                \
    ((Xtf##Type##Row){.region = xtf_stream_region(&ring->stream), \
                      .peer = head.arg,                           \
                      .comm = comm_of(ring, more[0]),             \
                      .tag = xtf_collect_high(more[0]),           \
                      .bytes = more[1],                           \
                      .request = (REQUEST)})

static bool begin_send(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    ring->begun = (XtfCollectBegun){.kind = XTF_WIRE_SEND, .time = time, .send = MESSAGE_ROW(Sends, XTF_NONE64)};
    return true;
}

/* Adds an open request. Its envelope is the one of a record: `peer`, and a word of communicator and tag. */
static void begin_request(XtfCollectRing *ring, unsigned event, uint64_t id, uint32_t peer, uint64_t comm_and_tag)
{
    const XtfCollectRequest request = {.id = id,
                                       .peer = peer,
                                       .tag = xtf_collect_high(comm_and_tag),
                                       .comm = xtf_collect_low(comm_and_tag),
                                       .event = event};

    xtf_collect_request_begin(&ring->collector->requests, request);
}

static void end_request(XtfCollectRing *ring, uint64_t id)
{
    xtf_collect_request_end(&ring->collector->requests, id);
}

static bool isend(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfSendsRow row = MESSAGE_ROW(Sends, more[2]);

    begin_request(ring, XTF_LABEL_PENDING_SEND, more[2], head.arg, more[0]);
    return xtf_stream_isend(&ring->stream, time, &row);
}

static bool recv(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfRecvsRow row = MESSAGE_ROW(Recvs, XTF_NONE64);

    return xtf_stream_recv(&ring->stream, time, &row);
}

static bool irecv(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfRecvsRow row = MESSAGE_ROW(Recvs, more[2]);

    end_request(ring, more[2]);
    return xtf_stream_irecv(&ring->stream, time, &row);
}

static bool append_request(XtfCollectRing *ring, unsigned event, uint64_t time, uint64_t request)
{
    XtfRequestsRow row = {.region = xtf_stream_region(&ring->stream), .request = request};

    return xtf_stream_request(&ring->stream, event, time, &row);
}

static bool isend_complete(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    end_request(ring, more[0]);
    return append_request(ring, XTF_LABEL_MPI_ISEND_COMPLETE, time, more[0]);
}

static bool irecv_request(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    if (head.region == 0) /* a matched message is no request */
        begin_request(ring, XTF_LABEL_PENDING_RECEIVE, more[0], head.arg, more[1]);
    return append_request(ring, XTF_LABEL_MPI_IRECV_REQUEST, time, more[0]);
}

static bool request_cancelled(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    end_request(ring, more[0]);
    return append_request(ring, XTF_LABEL_MPI_REQUEST_CANCELLED, time, more[0]);
}

static uint32_t found_nothing_attribute(XtfCollectTables *tables)
{
    bool is_new;
    uint32_t row = xtf_collect_new_row(tables, XTF_MODEL_ATTRIBUTE_DEFINITIONS, ATTRIBUTE_FOUND_NOTHING, &is_new);

    if (is_new) {
        uint32_t name = xtf_collect_string(tables, "found nothing"),
                 description = xtf_collect_string(tables, "calls in a row that found nothing, this one included");
        XtfAttributeDefinitionRow *definition = xtf_collect_change_row(tables, XTF_MODEL_ATTRIBUTE_DEFINITIONS, row);
        definition->type = VALUE_UINT32;
        definition->name = name;
        definition->description = description;
    }
    return row;
}

/* Adds to the record before the number of calls in a row that found nothing. */
static bool add_found_nothing(XtfCollectRing *ring, uint32_t calls)
{
    XtfStream *stream = &ring->stream;
    XtfAttributesRow row = {.time = stream->last_time,
                            .seq = stream->seq - 1,
                            .attribute = found_nothing_attribute(&ring->collector->tables),
                            .type = VALUE_UINT32,
                            .value = calls};

    return xtf_stream_append_row(stream, XTF_MODEL_ATTRIBUTES, &row);
}

static bool request_test(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_request(ring, XTF_LABEL_MPI_REQUEST_TEST, time, more[0]) &&
           (head.arg == 1 || add_found_nothing(ring, head.arg)); /* 1: an ordinary record of one call */
}

static bool count_found_nothing(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    if (ring->stream.seq == 0)
        return xtf_collect_malformed(ring, "calls that found nothing stand before all records");
    return add_found_nothing(ring, head.arg);
}

static XtfCollectivesRow empty_collective(const XtfStream *stream)
{
    return (XtfCollectivesRow){.region = xtf_stream_region(stream),
                               .operation = UINT8_MAX,
                               .comm = XTF_NONE32,
                               .root = XTF_NONE32,
                               .bytes = XTF_NONE64,
                               .received = XTF_NONE64,
                               .request = XTF_NONE64,
                               .n_to_n = UINT8_MAX};
}

static bool append_collective(XtfCollectRing *ring, unsigned event, uint64_t time, XtfCollectivesRow *row)
{
    return xtf_stream_append(&ring->stream, XTF_MODEL_COLLECTIVES, event, time, row);
}

static bool collective_begin(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    ring->begun = (XtfCollectBegun){
        .kind = XTF_WIRE_COLLECTIVE_BEGIN, .time = time, .collective = empty_collective(&ring->stream)};
    return true;
}

bool xtf_collect_append_begun(XtfCollectRing *ring)
{
    XtfCollectBegun *begun = &ring->begun;

    if (begun->kind == XTF_WIRE_NOTHING || begun->appended)
        return true;
    begun->appended = true;
    return begun->kind == XTF_WIRE_SEND
               ? xtf_stream_send(&ring->stream, begun->time, &begun->send)
               : append_collective(ring, XTF_LABEL_MPI_COLLECTIVE_BEGIN, begun->time, &begun->collective);
}

/* Drops the operation that a failed call began. If a commit has appended its send, marks the send as cancelled. */
static bool fail_call(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfCollectBegun begun = ring->begun;

    ring->begun.kind = XTF_WIRE_NOTHING;
    return begun.kind != XTF_WIRE_SEND || !begun.appended || xtf_stream_send_failed(&ring->stream, &begun.send);
}

static bool icollective_request(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfCollectivesRow row = empty_collective(&ring->stream);

    row.request = more[0];
    begin_request(ring, XTF_LABEL_PENDING_COLLECTIVE, more[0], XTF_WIRE_NONE, head.arg | (uint64_t)XTF_WIRE_NONE << 32);
    return append_collective(ring, XTF_LABEL_NON_BLOCKING_COLLECTIVE_REQUEST, time, &row);
}

static bool end_collective(XtfCollectRing *ring, unsigned event, uint64_t time, XtfWireHead head, const uint64_t *more,
                           uint64_t request)
{
    XtfCollectivesRow row = empty_collective(&ring->stream);
    uint32_t exchange = xtf_collect_high(more[0]);

    if (head.region >= g_strv_length((char **)xtf_collective_operations))
        return xtf_collect_malformed(ring, "collective operation %u does not exist", (unsigned)head.region);
    row.operation = head.region;
    row.comm = comm_of(ring, more[0]);
    row.root = head.arg;
    row.bytes = more[1];
    row.received = more[2];
    row.request = request;
    if (exchange != XTF_WIRE_EXCHANGE_UNKNOWN)
        row.n_to_n = exchange == XTF_WIRE_EXCHANGE_N_TO_N;
    return append_collective(ring, event, time, &row);
}

static bool collective_end(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return end_collective(ring, XTF_LABEL_MPI_COLLECTIVE_END, time, head, more, XTF_NONE64);
}

static bool icollective_complete(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    end_request(ring, more[3]);
    return end_collective(ring, XTF_LABEL_NON_BLOCKING_COLLECTIVE_COMPLETE, time, head, more, more[3]);
}

static const XtfCollectKind kinds[] = {{XTF_WIRE_SEND, begin_send},
                                       {XTF_WIRE_ISEND, isend},
                                       {XTF_WIRE_RECV, recv},
                                       {XTF_WIRE_IRECV, irecv},
                                       {XTF_WIRE_ISEND_COMPLETE, isend_complete},
                                       {XTF_WIRE_IRECV_REQUEST, irecv_request},
                                       {XTF_WIRE_REQUEST_TEST, request_test},
                                       {XTF_WIRE_FOUND_NOTHING, count_found_nothing},
                                       {XTF_WIRE_REQUEST_CANCELLED, request_cancelled},
                                       {XTF_WIRE_COLLECTIVE_BEGIN, collective_begin},
                                       {XTF_WIRE_COLLECTIVE_END, collective_end},
                                       {XTF_WIRE_FAILED, fail_call},
                                       {XTF_WIRE_ICOLLECTIVE_REQUEST, icollective_request},
                                       {XTF_WIRE_ICOLLECTIVE_COMPLETE, icollective_complete},
                                       {0}};
static const XtfCollectDefinition definitions[] = {{0}};
const XtfCollectRows xtf_collect_messages = {.kinds = kinds, .definitions = definitions};
