/* Windows and one-sided communication. */
#include "src/record/collect/rows/collect.h"

static uint32_t window_of(XtfCollectRing *ring, uint32_t id)
{
    return xtf_collect_reference(ring->collector, XTF_MODEL_RMA_WINDOWS, id);
}

static uint8_t bounded_label(uint32_t number, uint32_t n)
{
    return number < n ? (uint8_t)number : UINT8_MAX;
}

static bool define_window(XtfCollectRing *ring, uint64_t id, const uint8_t *bytes, size_t size)
{
    XtfCollectData data = {.ring = ring, .data = bytes, .left = size};
    XtfCollectTables *tables = &ring->collector->tables;
    g_autofree char *name = NULL;
    XtfDefineWindow window;

    if (!xtf_collect_read(&data, &window, sizeof window) || !xtf_collect_read_text(&data, window.name_size, &name))
        return false;
    if (id >= XTF_WIRE_NONE)
        return xtf_collect_malformed(ring, "window %" PRIu64 " cannot be defined", id);
    uint32_t row = xtf_collect_row(tables, XTF_MODEL_RMA_WINDOWS, (uint32_t)id);
    uint32_t comm = xtf_collect_reference(ring->collector, XTF_MODEL_COMMUNICATORS, window.comm);
    uint32_t text = xtf_collect_string(tables, name);
    XtfRmaWindowRow *to = xtf_collect_change_row(tables, XTF_MODEL_RMA_WINDOWS, row);
    to->name = text;
    if (window.flags & XTF_WIRE_NAME_ONLY)
        return true;
    to->comm = comm;
    to->flags = window.flags;
    return true;
}

/* ---- Operations. */

static bool append_operation(XtfCollectRing *ring, unsigned event, uint64_t time, XtfRmaOperationsRow row)
{
    row.region = xtf_stream_region(&ring->stream);
    return xtf_stream_append(&ring->stream, XTF_MODEL_RMA_OPERATIONS, event, time, &row);
}

static XtfRmaOperationsRow access_of(XtfCollectRing *ring, XtfWireHead head, const uint64_t *more)
{
    return (XtfRmaOperationsRow){.window = window_of(ring, xtf_collect_low(more[0])),
                                 .peer = head.arg,
                                 .atomic = UINT8_MAX,
                                 .bytes = more[1],
                                 .received = XTF_NONE64,
                                 .matching = more[2]};
}

static bool append_put(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_operation(ring, XTF_LABEL_RMA_PUT, time, access_of(ring, head, more));
}

static bool append_get(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_operation(ring, XTF_LABEL_RMA_GET, time, access_of(ring, head, more));
}

static bool append_put_at(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_put(ring, time, head, more) && xtf_collect_add_attribute(ring, XTF_WIRE_ATTRIBUTE_ADDRESS, more[3]);
}

static bool append_get_at(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_get(ring, time, head, more) && xtf_collect_add_attribute(ring, XTF_WIRE_ATTRIBUTE_ADDRESS, more[3]);
}

static bool append_atomic(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfRmaOperationsRow row = access_of(ring, head, more);

    row.atomic = bounded_label(xtf_collect_high(more[0]), g_strv_length((char **)xtf_rma_atomics));
    row.received = more[3];
    return append_operation(ring, XTF_LABEL_RMA_ATOMIC, time, row);
}

static bool complete_operation(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    static const unsigned events[] = {XTF_LABEL_RMA_OP_COMPLETE_BLOCKING, XTF_LABEL_RMA_OP_COMPLETE_NON_BLOCKING,
                                      XTF_LABEL_RMA_OP_TEST, XTF_LABEL_RMA_OP_COMPLETE_REMOTE};

    if (head.region >= G_N_ELEMENTS(events))
        return xtf_collect_malformed(ring, "an operation on a window completes in way %u", (unsigned)head.region);
    return append_operation(ring, events[head.region], time,
                            (XtfRmaOperationsRow){.window = window_of(ring, head.arg),
                                                  .peer = XTF_NONE32,
                                                  .atomic = UINT8_MAX,
                                                  .bytes = XTF_NONE64,
                                                  .received = XTF_NONE64,
                                                  .matching = more[0]});
}

/* ---- Synchronisation. */

static bool append_collective(XtfCollectRing *ring, unsigned event, uint64_t time, XtfRmaCollectivesRow row)
{
    row.region = xtf_stream_region(&ring->stream);
    return xtf_stream_append(&ring->stream, XTF_MODEL_RMA_COLLECTIVES, event, time, &row);
}

static bool collective_begin(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_collective(ring, XTF_LABEL_RMA_COLLECTIVE_BEGIN, time,
                             (XtfRmaCollectivesRow){.operation = UINT8_MAX,
                                                    .sync_level = XTF_NONE32,
                                                    .window = XTF_NONE32,
                                                    .root = XTF_NONE32,
                                                    .bytes = XTF_NONE64,
                                                    .received = XTF_NONE64});
}

static bool collective_end(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    uint32_t n = g_strv_length((char **)xtf_collective_operations);

    return append_collective(ring, XTF_LABEL_RMA_COLLECTIVE_END, time,
                             (XtfRmaCollectivesRow){.operation = bounded_label(head.region, n),
                                                    .sync_level = xtf_collect_high(more[0]),
                                                    .window = window_of(ring, xtf_collect_low(more[0])),
                                                    .root = head.arg,
                                                    .bytes = more[1],
                                                    .received = more[2]});
}

static bool append_sync(XtfCollectRing *ring, unsigned event, uint64_t time, uint32_t window, XtfRmaSyncsRow row)
{
    row.region = xtf_stream_region(&ring->stream);
    row.window = window_of(ring, window);
    return xtf_stream_append(&ring->stream, XTF_MODEL_RMA_SYNCS, event, time, &row);
}

static const XtfRmaSyncsRow no_sync = {
    .peer = XTF_NONE32, .sync_type = UINT8_MAX, .sync_level = XTF_NONE32, .group = XTF_NONE32};

static bool win_create(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_sync(ring, XTF_LABEL_RMA_WIN_CREATE, time, head.arg, no_sync);
}

static bool win_destroy(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_sync(ring, XTF_LABEL_RMA_WIN_DESTROY, time, head.arg, no_sync);
}

static bool group_sync(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfRmaSyncsRow row = no_sync;

    row.sync_level = xtf_collect_low(more[0]);
    row.group = xtf_collect_reference(ring->collector, XTF_MODEL_GROUPS, xtf_collect_high(more[0]));
    return append_sync(ring, XTF_LABEL_RMA_GROUP_SYNC, time, head.arg, row);
}

static bool sync_peer(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfRmaSyncsRow row = no_sync;

    row.peer = head.arg;
    row.sync_type = bounded_label(xtf_collect_high(more[0]), g_strv_length((char **)xtf_rma_sync_types));
    return append_sync(ring, XTF_LABEL_RMA_SYNC, time, xtf_collect_low(more[0]), row);
}

static bool wait_change(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_sync(ring, XTF_LABEL_RMA_WAIT_CHANGE, time, head.arg, no_sync);
}

/* ---- Locks. */

static bool append_lock(XtfCollectRing *ring, unsigned event, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfRmaLocksRow row = {
        .region = xtf_stream_region(&ring->stream),
        .window = window_of(ring, xtf_collect_low(more[0])),
        .peer = head.arg,
        .lock = more[1],
        .lock_type = bounded_label(xtf_collect_high(more[0]), g_strv_length((char **)xtf_lock_types)),
    };

    return xtf_stream_append(&ring->stream, XTF_MODEL_RMA_LOCKS, event, time, &row);
}

static bool request_lock(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_lock(ring, XTF_LABEL_RMA_REQUEST_LOCK, time, head, more);
}

static bool acquire_lock(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_lock(ring, XTF_LABEL_RMA_ACQUIRE_LOCK, time, head, more);
}

static bool try_lock(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_lock(ring, XTF_LABEL_RMA_TRY_LOCK, time, head, more);
}

static bool release_lock(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_lock(ring, XTF_LABEL_RMA_RELEASE_LOCK, time, head, more);
}

static const XtfCollectKind kinds[] = {
    {XTF_WIRE_RMA_WIN_CREATE, win_create},
    {XTF_WIRE_RMA_WIN_DESTROY, win_destroy},
    {XTF_WIRE_RMA_PUT, append_put},
    {XTF_WIRE_RMA_GET, append_get},
    {XTF_WIRE_RMA_PUT_AT, append_put_at},
    {XTF_WIRE_RMA_GET_AT, append_get_at},
    {XTF_WIRE_RMA_ATOMIC, append_atomic},
    {XTF_WIRE_RMA_COMPLETE, complete_operation},
    {XTF_WIRE_RMA_COLLECTIVE_BEGIN, collective_begin},
    {XTF_WIRE_RMA_COLLECTIVE_END, collective_end},
    {XTF_WIRE_RMA_GROUP_SYNC, group_sync},
    {XTF_WIRE_RMA_SYNC, sync_peer},
    {XTF_WIRE_RMA_WAIT_CHANGE, wait_change},
    {XTF_WIRE_RMA_REQUEST_LOCK, request_lock},
    {XTF_WIRE_RMA_ACQUIRE_LOCK, acquire_lock},
    {XTF_WIRE_RMA_TRY_LOCK, try_lock},
    {XTF_WIRE_RMA_RELEASE_LOCK, release_lock},
    {0},
};
static const XtfCollectDefinition definitions[] = {{XTF_DEFINE_WINDOW, define_window}, {0}};
const XtfCollectRows xtf_collect_rma = {.kinds = kinds, .definitions = definitions};
