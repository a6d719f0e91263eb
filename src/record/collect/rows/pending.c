/* Unfinished calls of MPI. They are known from the rings' memory, not from records. */
#include "src/record/collect/rows/collect.h"

enum { REQUESTS_MAX = 1000 /* rows of requests of a call */ };

/* The innermost call of a thread, as its ring shows it. */
typedef struct {
    uint32_t number; /* of the region */
    uint64_t since;
    bool has_arguments; /* the fields below are of this call */
    uint32_t peer, tag, comm, requests, dest, sendtag;
    uint64_t request;
    uint64_t ids[XTF_WIRE_LIST_SIZE]; /* the requests, if `request` is XTF_WIRE_LISTED */
} Shown;

#define LOAD(FIELD) atomic_load_explicit(&shared->FIELD, memory_order_relaxed)

static bool shows_list(const Shown *shown)
{
    return shown->request == XTF_WIRE_LISTED && shown->requests <= XTF_WIRE_LIST_SIZE;
}

/* Reads what a ring and its list of requests show. Returns false if the thread enters or leaves a call meanwhile. */
static bool read_shown(const XtfWireRing *shared, const _Atomic uint64_t *list, Shown *shown)
{
    uint64_t since = atomic_load_explicit(&shared->since, memory_order_acquire);

    *shown = (Shown){
        .number = LOAD(region),
        .since = since,
        .has_arguments = atomic_load_explicit(&shared->called, memory_order_acquire) == since,
        .peer = LOAD(peer),
        .tag = LOAD(tag),
        .comm = LOAD(comm),
        .requests = LOAD(requests),
        .dest = LOAD(dest),
        .sendtag = LOAD(sendtag),
        .request = LOAD(request),
    };
    if (!shown->has_arguments)
        shown->requests = 0;
    if (!list && shows_list(shown))
        shown->request = 0;
    bool has_list = shows_list(shown);
    for (uint32_t i = 0; has_list && i < shown->requests; i++)
        shown->ids[i] = atomic_load_explicit(&list[i], memory_order_relaxed);
    if (shown->requests == 1 && shown->request != 0 && !has_list) {
        shown->ids[0] = shown->request;
        shown->request = XTF_WIRE_LISTED;
    }
    atomic_thread_fence(memory_order_acquire);
    return LOAD(since) == since;
}

/* Sets the envelope of a row, unless it is that of a message from or to MPI_PROC_NULL. */
static void set_envelope(XtfCollectRing *ring, XtfPendingRow *row, uint32_t peer, uint32_t tag, uint32_t comm)
{
    row->peer = row->tag = row->comm = XTF_NONE32;
    if (peer == XTF_WIRE_NULL)
        return;
    row->peer = peer;
    row->tag = tag;
    row->comm = xtf_collect_reference(ring->collector, XTF_MODEL_COMMUNICATORS, comm);
}

static bool append_pending_row(XtfCollectRing *ring, uint64_t time, unsigned event, const XtfPendingRow *call)
{
    XtfPendingRow row = *call;

    return xtf_stream_append(&ring->stream, XTF_MODEL_PENDING, event, time, &row);
}

static bool append_request(XtfCollectRing *ring, uint64_t time, const XtfCollectRequest *request, XtfPendingRow *row)
{
    set_envelope(ring, row, request->peer, request->tag, request->comm);
    return append_pending_row(ring, time, request->event, row);
}

/* Appends a row for each open request that the call may wait for, by id. Their number is not `requests` if
 * any is left out. */
static bool append_requests(XtfCollectRing *ring, uint64_t time, const Shown *shown, XtfPendingRow *row)
{
    g_autoptr(GArray) list = xtf_collect_requests_list(&ring->collector->requests);
    guint n = MIN(list->len, REQUESTS_MAX);

    if (n < list->len && n == shown->requests)
        n--;
    for (guint i = 0; i < n; i++)
        if (!append_request(ring, time, &g_array_index(list, XtfCollectRequest, i), row))
            return false;
    return true;
}

/* Appends the row of a request for which the call surely waits. */
static bool append_awaited(XtfCollectRing *ring, uint64_t time, uint64_t id, const XtfPendingRow *call)
{
    const XtfCollectRequest *request = id ? xtf_collect_request_find(&ring->collector->requests, id) : NULL;
    XtfPendingRow row = *call;

    row.request = id ? id : XTF_NONE64;
    if (request)
        return append_request(ring, time, request, &row);
    row.peer = row.tag = row.comm = XTF_NONE32;
    return append_pending_row(ring, time, XTF_LABEL_PENDING_OTHER, &row);
}

/* Appends the rows of the requests for which a call surely waits. The call's own row has the envelope of an only one:
 * that of a probed message has no other row. */
static bool append_all_awaited(XtfCollectRing *ring, uint64_t time, const Shown *shown, const XtfPendingRow *call)
{
    bool has_envelope = shown->requests == 1 && shown->comm != XTF_WIRE_NONE;

    if (has_envelope && !xtf_collect_request_find(&ring->collector->requests, shown->ids[0]))
        return true;
    for (uint32_t i = 0; i < shown->requests; i++)
        if (!append_awaited(ring, time, shown->ids[i], call))
            return false;
    return true;
}

/* True if a call waits for the request with an id. */
static bool is_awaited(const Shown *shown, uint64_t id)
{
    for (uint32_t i = 0; i < shown->requests && shows_list(shown); i++)
        if (shown->ids[i] == id)
            return true;
    return false;
}

/* Appends a row for each posted receive for which the call does not wait: another process may send to it meanwhile. A
 * row without an envelope says that some are left out. */
static bool append_posted(XtfCollectRing *ring, uint64_t time, const Shown *shown, XtfPendingRow *row)
{
    g_autoptr(GArray) list = xtf_collect_requests_list(&ring->collector->requests);
    guint n = 0;

    for (guint i = 0; i < list->len; i++) {
        const XtfCollectRequest *request = &g_array_index(list, XtfCollectRequest, i);
        if (request->event != XTF_LABEL_PENDING_RECEIVE || is_awaited(shown, request->id))
            continue;
        if (n++ == REQUESTS_MAX) {
            row->peer = row->tag = row->comm = XTF_NONE32;
            return append_pending_row(ring, time, XTF_LABEL_PENDING_POSTED, row);
        }
        set_envelope(ring, row, request->peer, request->tag, request->comm);
        if (!append_pending_row(ring, time, XTF_LABEL_PENDING_POSTED, row))
            return false;
    }
    return true;
}

/* Sets the fields of a row that a call's arguments determine. */
static void set_arguments(XtfCollectRing *ring, XtfPendingRow *row, const Shown *shown)
{
    bool is_rooted = shown->requests == XTF_WIRE_ROOTED;

    set_envelope(ring, row, is_rooted ? XTF_WIRE_NONE : shown->peer, shown->tag, shown->comm);
    if (is_rooted)
        row->root = shown->peer;
    else if (shown->requests > 0 && shown->requests != XTF_WIRE_BOTH)
        row->requests = shown->requests;
}

static bool append_call(XtfCollectRing *ring, uint64_t time, uint32_t region, const Shown *shown)
{
    XtfPendingRow row = {.region = region,
                         .since = MIN(xtf_collect_clock_ns(&ring->collector->clock, shown->since), time),
                         .peer = XTF_NONE32,
                         .tag = XTF_NONE32,
                         .comm = XTF_NONE32,
                         .requests = XTF_NONE32,
                         .root = XTF_NONE32,
                         .request = XTF_NONE64};

    if (shown->has_arguments)
        set_arguments(ring, &row, shown);
    bool completes = row.requests != XTF_NONE32;
    if (!append_pending_row(ring, time, XTF_LABEL_PENDING, &row))
        return false;
    row.requests = row.root = XTF_NONE32;
    if (shown->has_arguments && shown->requests == XTF_WIRE_BOTH && shown->dest != XTF_WIRE_NULL) {
        set_envelope(ring, &row, shown->dest, shown->sendtag, shown->comm);
        if (!append_pending_row(ring, time, XTF_LABEL_PENDING_SEND, &row))
            return false;
    }
    if (completes && !shows_list(shown))
        return append_requests(ring, time, shown, &row);
    return (!completes || append_all_awaited(ring, time, shown, &row)) && append_posted(ring, time, shown, &row);
}

bool xtf_collect_pending(XtfCollectRing *ring, const XtfWireRing *shared, const _Atomic uint64_t *list, uint64_t time,
                         uint64_t least)
{
    XtfCollector *collector = ring->collector;
    bool in_use = atomic_load_explicit(&shared->state, memory_order_acquire) == XTF_WIRE_RING_USED;
    Shown shown;

    if (!ring->open || ring->fault || !in_use || !read_shown(shared, list, &shown) || shown.since == ring->reported)
        return true;
    if (shown.number == 0 || shown.number >= XTF_WIRE_REGIONS_OWN)
        return true;
    uint32_t region = xtf_stream_region(&ring->stream);
    if (region == XTF_NONE32 || xtf_collect_region(collector, shown.number) != region)
        return true; /* records are missing */
    time = MAX(time, ring->stream.last_time);
    uint64_t since = xtf_collect_clock_ns(&collector->clock, shown.since);
    if (least > 0 && (since >= time || time - since < least))
        return true;
    ring->reported = shown.since;
    return append_call(ring, time, region, &shown);
}
