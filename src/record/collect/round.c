/* Rounds: the collector takes the records of all rings in portions. */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/record/collect/session.h"

enum {
    PORTION = 256 << 10, /* bytes after which the collector frees room for the producer */
    EARLY_MAX = 64 << 20,
};

static void wake_producer(XtfWireRing *shared)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&shared->waiting, memory_order_relaxed) == 0)
        return;
    atomic_store(&shared->waiting, 0);
    syscall(SYS_futex, &shared->tail, FUTEX_WAKE, INT32_MAX, NULL, NULL,
            0); /* the futex is the lower half, which is first in memory */
}

static void set_tail(XtfCollectSession *session, uint32_t ring, uint64_t tail)
{
    XtfWireRing *shared = &session->memory.rings[ring];

    atomic_store_explicit(&shared->tail, tail, memory_order_release);
    wake_producer(shared);
}

/* Moves a ring's records to the collector's memory when a quarter of the ring is full. Used until the process's number
 * is known. */
static void keep_early(XtfCollectSession *session, uint32_t i, const uint8_t *data, uint64_t tail, uint64_t size)
{
    XtfCollectEarly *early = &session->early[i];

    if (size < session->memory.ring_size / 4)
        return;
    if (!early->records)
        early->records = g_byte_array_new();
    g_byte_array_append(early->records, data, size);
    session->n_early += size;
    set_tail(session, i, tail + size);
}

static XtfCollectRing *ring_of(XtfCollectSession *session, uint32_t i)
{
    if (!session->rings[i]) {
        session->rings[i] = g_new(XtfCollectRing, 1);
        xtf_collect_ring_init(session->rings[i], &session->collector, i);
    }
    return session->rings[i];
}

/* Decodes up to `limit` bytes and returns how many were consumed. Records that cannot be decoded are counted as lost
 * and skipped: the process never waits for them. */
static uint64_t decode_portion(XtfCollectSession *session, uint32_t i, const uint8_t *data, uint64_t size,
                               uint64_t limit)
{
    XtfCollector *collector = &session->collector;
    size_t taken = 0;

    if (session->failure) {
        collector->counts.lost += xtf_collect_count(data, size);
        return size;
    }
    XtfCollectRing *ring = ring_of(session, i);
    if (!ring->fault && xtf_collect_decode(ring, data, size, limit, &taken))
        return taken;
    if (ring->fault) /* reported when the part is closed */
        return size;
    GError *error = g_steal_pointer(&ring->stream.error);
    xtf_collect_fail(session, error ? error
                                    : g_error_new(XTF_ERROR, XTF_ERROR_INVALID,
                                                  "ring %" PRIu32 ": its records cannot be decoded", i));
    collector->counts.lost += xtf_collect_count(data + taken, size - taken);
    return size;
}

static void decode_early(XtfCollectSession *session, uint32_t i)
{
    GByteArray *records = g_steal_pointer(&session->early[i].records);

    if (!records)
        return;
    for (uint64_t at = 0; at < records->len;)
        at += decode_portion(session, i, records->data + at, records->len - at, records->len - at);
    g_byte_array_unref(records);
}

static bool take_ring(XtfCollectSession *session, uint32_t i)
{
    uint64_t tail, size;

    if (!xtf_collect_memory_published(&session->memory, i, &tail, &size)) {
        if (session->begun && !session->failure)
            xtf_collect_malformed(ring_of(session, i), "its positions are impossible");
        return false;
    }
    if (session->begun)
        decode_early(session, i);
    if (size == 0)
        return false;
    session->largest = MAX(session->largest, size);
    GError *error = NULL;
    uint8_t *data = xtf_collect_memory_ring(&session->memory, i, &error);
    if (!data) {
        xtf_collect_fail(session, error);
        set_tail(session, i, tail + size);
        return true;
    }
    data += tail & (session->memory.ring_size - 1);
    if (!session->begun) {
        keep_early(session, i, data, tail, size);
        return true;
    }
    for (uint64_t at = 0; at < size;) {
        at += decode_portion(session, i, data + at, size - at, MIN(size - at, PORTION));
        set_tail(session, i, tail + at);
    }
    return true;
}

bool xtf_collect_round(XtfCollectSession *session)
{
    /* The count falls only if the process corrupts its memory. */
    uint32_t n = MAX(session->n_rings, MIN(atomic_load(&session->memory.process->claimed), session->memory.n_rings));
    bool any = false;

    session->largest = 0;
    session->n_rings = n;
    if (session->n_early > EARLY_MAX)
        xtf_collect_begin(session, true);
    for (uint32_t i = 0; i < n; i++)
        any |= take_ring(session, i);
    return any;
}
