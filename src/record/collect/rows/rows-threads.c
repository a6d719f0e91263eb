/* Threads, their names, and locks. */
#include "src/record/collect/rows/collect.h"

enum { PARADIGM_PTHREAD = 7 };

static bool append_thread(XtfCollectRing *ring, uint64_t time, unsigned event, uint64_t sequence)
{
    XtfThreadsRow row = {.region = xtf_stream_region(&ring->stream),
                         .model = PARADIGM_PTHREAD,
                         .requested = XTF_NONE32,
                         .team = XTF_NONE32,
                         .sequence = sequence};

    return xtf_stream_append(&ring->stream, XTF_MODEL_THREADS, event, time, &row);
}

static bool decode_create(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_thread(ring, time, XTF_LABEL_THREAD_CREATE, more[0]);
}

static bool decode_begin(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_thread(ring, time, XTF_LABEL_THREAD_BEGIN, more[0]);
}

static bool decode_wait(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_thread(ring, time, XTF_LABEL_THREAD_WAIT, more[0]);
}

static bool decode_end(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_thread(ring, time, XTF_LABEL_THREAD_END, more[0]);
}

static bool append_lock(XtfCollectRing *ring, uint64_t time, unsigned event, XtfWireHead head, const uint64_t *more)
{
    XtfLocksRow row = {
        .region = xtf_stream_region(&ring->stream), .model = PARADIGM_PTHREAD, .lock = head.arg, .order = more[0]};

    return xtf_stream_append(&ring->stream, XTF_MODEL_LOCKS, event, time, &row);
}

static bool decode_acquire(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_lock(ring, time, XTF_LABEL_THREAD_ACQUIRE_LOCK, head, more);
}

static bool decode_release(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_lock(ring, time, XTF_LABEL_THREAD_RELEASE_LOCK, head, more);
}

/* Sets a thread's name. A name of a thread without a ring is never written. */
static bool define_thread(XtfCollectRing *ring, uint64_t id, const uint8_t *bytes, size_t size)
{
    XtfCollectData data = {.ring = ring, .data = bytes, .left = size};
    g_autofree char *name = NULL;

    if (!xtf_collect_read_text(&data, size, &name))
        return false;
    if (id > UINT32_MAX)
        return xtf_collect_malformed(ring, "thread %" PRIu64 " cannot be named", id);
    xtf_collect_name_thread(ring->collector, id, name);
    return true;
}

static const XtfCollectKind kinds[] = {
    {XTF_WIRE_THREAD_CREATE, decode_create},
    {XTF_WIRE_THREAD_BEGIN, decode_begin},
    {XTF_WIRE_THREAD_WAIT, decode_wait},
    {XTF_WIRE_THREAD_END, decode_end},
    {XTF_WIRE_LOCK_ACQUIRE, decode_acquire},
    {XTF_WIRE_LOCK_RELEASE, decode_release},
    {0},
};
static const XtfCollectDefinition definitions[] = {{XTF_DEFINE_THREAD, define_thread}, {0}};
const XtfCollectRows xtf_collect_threads = {.kinds = kinds, .definitions = definitions};
