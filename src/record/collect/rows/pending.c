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
} Shown;

#define LOAD(FIELD) atomic_load_explicit(&shared->FIELD, memory_order_relaxed)

/* Reads what a ring shows. Returns false if the thread enters or leaves a call meanwhile. */
static bool read_shown(const XtfWireRing *shared, Shown *shown)
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

/* Appends the row of the only request of a call, if it is known. */
static bool append_only_request(XtfCollectRing *ring, uint64_t time, const Shown *shown, XtfPendingRow *row)
{
    const XtfCollectRequest *request = xtf_collect_request_find(&ring->collector->requests, shown->request);

    return !request || append_request(ring, time, request, row);
}

/* Appends a row for each posted receive for which the call does not wait: another process may send to it meanwhile. The
 * call waits for request `except`; 0: for none. A row without an envelope says that some are left out. */
static bool append_posted(XtfCollectRing *ring, uint64_t time, uint64_t except, XtfPendingRow *row)
{
    g_autoptr(GArray) list = xtf_collect_requests_list(&ring->collector->requests);
    guint n = 0;

    for (guint i = 0; i < list->len; i++) {
        const XtfCollectRequest *request = &g_array_index(list, XtfCollectRequest, i);
        if (request->event != XTF_LABEL_PENDING_RECEIVE || (except != 0 && request->id == except))
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

static bool append_call(XtfCollectRing *ring, uint64_t time, uint32_t region, const Shown *shown)
{
    XtfPendingRow row = {.region = region,
                         .since = MIN(xtf_collect_clock_ns(&ring->collector->clock, shown->since), time),
                         .peer = XTF_NONE32,
                         .tag = XTF_NONE32,
                         .comm = XTF_NONE32,
                         .requests = XTF_NONE32};
    bool sends = shown->has_arguments && shown->requests == XTF_WIRE_BOTH;
    bool completes = shown->has_arguments && shown->requests > 0 && !sends;

    if (shown->has_arguments)
        set_envelope(ring, &row, shown->peer, shown->tag, shown->comm);
    if (completes)
        row.requests = shown->requests;
    if (!append_pending_row(ring, time, XTF_LABEL_PENDING, &row))
        return false;
    row.requests = XTF_NONE32;
    if (sends && shown->dest != XTF_WIRE_NULL) {
        set_envelope(ring, &row, shown->dest, shown->sendtag, shown->comm);
        if (!append_pending_row(ring, time, XTF_LABEL_PENDING_SEND, &row))
            return false;
    }
    bool one = completes && shown->requests == 1 && shown->request != 0;
    if (completes && !one)
        return append_requests(ring, time, shown, &row);
    return (!one || append_only_request(ring, time, shown, &row)) &&
           append_posted(ring, time, one ? shown->request : 0, &row);
}

bool xtf_collect_pending(XtfCollectRing *ring, const XtfWireRing *shared, uint64_t time, uint64_t least)
{
    XtfCollector *collector = ring->collector;
    bool in_use = atomic_load_explicit(&shared->state, memory_order_acquire) == XTF_WIRE_RING_USED;
    Shown shown;

    if (!ring->open || ring->fault || !in_use || !read_shown(shared, &shown) || shown.since == ring->reported)
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
