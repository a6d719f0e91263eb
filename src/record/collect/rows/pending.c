/* MPI calls that are unfinished when their process ends. They are known from the rings' memory, not from records. */
#include "src/record/collect/rows/collect.h"

bool xtf_collect_pending(XtfCollectRing *ring, const XtfWireRing *shared, uint64_t time)
{
    XtfCollector *collector = ring->collector;
    uint32_t number = atomic_load_explicit(&shared->region, memory_order_relaxed);
    uint64_t since = atomic_load_explicit(&shared->since, memory_order_relaxed);
    bool in_use = atomic_load_explicit(&shared->state, memory_order_acquire) == XTF_WIRE_RING_USED;

    if (!ring->open || ring->fault || !in_use || number == 0 || number >= XTF_WIRE_REGIONS_OWN)
        return true;
    uint32_t region = xtf_stream_region(&ring->stream);
    if (region == XTF_NONE32 || xtf_collect_region(collector, number) != region)
        return true; /* records are missing */
    time = MAX(time, ring->stream.last_time);
    XtfPendingRow row = {.region = region,
                         .since = MIN(xtf_collect_clock_ns(&collector->clock, since), time),
                         .peer = XTF_NONE32,
                         .tag = XTF_NONE32,
                         .comm = XTF_NONE32};
    if (atomic_load_explicit(&shared->called, memory_order_acquire) == since) {
        uint32_t comm = atomic_load_explicit(&shared->comm, memory_order_relaxed);
        row.peer = atomic_load_explicit(&shared->peer, memory_order_relaxed);
        row.tag = atomic_load_explicit(&shared->tag, memory_order_relaxed);
        row.comm = xtf_collect_reference(collector, XTF_MODEL_COMMUNICATORS, comm);
    }
    return xtf_stream_append(&ring->stream, XTF_MODEL_PENDING, XTF_LABEL_PENDING, time, &row);
}
