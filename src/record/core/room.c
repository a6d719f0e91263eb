/*
 * The space of a ring, on its producer's side.
 *
 * The producer has its own copy of the head and publishes it after each record. It reads the collector's tail only when
 * the head reaches `limit`. If there is space, the limit advances by a quarter of the ring at most. So the producer can
 * wake the collector before the ring is full. If there is none, the producer waits or leaves records out.
 *
 * The last XTF_CORE_RESERVE bytes are reserved for the records that keep a full ring readable (hole.c). They are the
 * begin and end of a hole, the number of missing records, and LEAVEs. The LEAVEs are of frames whose ENTER is in the
 * ring, at most XTF_CORE_STACK.
 *
 * A signal handler that interrupts the producer finds the thread busy and records nothing. So the ring has exactly one
 * writer, and only the stores of the head must be atomic.
 */
#include <errno.h>

#include "src/record/core/inner.h"

enum { LIVENESS_INTERVAL_NS = 20 * 1000 * 1000 }; /* between two checks that the collector lives */

static uint64_t ring_size(const XtfRing *ring)
{
    return ring->mask + 1;
}

void xtf_core_append(XtfRing *ring, uint64_t time, unsigned kind, uint32_t region, uint32_t arg, unsigned n,
                     uint64_t w2)
{
    uint64_t tail = atomic_load_explicit(&ring->shared->tail, memory_order_acquire);

    if (ring->head + 8 * (uint64_t)(2 + n) > tail + ring_size(ring))
        return;
    uint64_t *word = (uint64_t *)(ring->data + (ring->head & ring->mask));
    word[0] = time;
    word[1] = xtf_core_word1(kind, region, arg);
    if (n)
        word[2] = w2;
    xtf_core_publish(ring, 2 + n);
}

void xtf_core_write_waited(XtfRing *ring)
{
    if (!ring->waited_until || !xtf_core_life.owns_rings)
        return;
    xtf_core_append(ring, ring->waited_from, XTF_WIRE_WAITED, 0, 0, 1, ring->waited_until);
    ring->waited_from = ring->waited_until = 0;
}

/* Computes the limit from the tail. Returns false if the ring has no space for `size` bytes. */
static bool update_limit(XtfRing *ring, uint64_t size)
{
    uint64_t tail = atomic_load_explicit(&ring->shared->tail, memory_order_acquire);
    uint64_t end = tail + ring_size(ring) - XTF_CORE_RESERVE, step = ring->head + ring_size(ring) / 4;

    if (ring->head + size > end)
        return false;
    if (ring->head - tail > ring_size(ring) / 2 && xtf_core.process->when_full != XTF_WIRE_FLUSH)
        xtf_core_wake_collector();
    ring->limit = end < step ? end : step;
    return true;
}

/* Waits until `need` bytes are free. Returns false if the collector has ended, or has not moved the tail within the
 * timeout. */
static bool await_tail(XtfRing *ring, uint64_t need)
{
    XtfWireRing *shared = ring->shared;
    _Atomic uint32_t *low = (_Atomic uint32_t *)&shared->tail + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    uint64_t before = atomic_load(&shared->tail);
    uint64_t since = xtf_monotonic_ns(), now;

    for (;;) {
        atomic_store(&shared->waiting, 1);
        uint64_t tail = atomic_load(&shared->tail);
        if (ring->head + need <= tail + ring_size(ring) - XTF_CORE_RESERVE)
            break;
        xtf_core_wake_collector();
        xtf_core_futex_wait(low, (uint32_t)tail, LIVENESS_INTERVAL_NS);
        if (!xtf_core_collector_lives()) {
            xtf_core_lose_collector();
            return false;
        }
        now = xtf_monotonic_ns();
        if (tail != before) {
            before = tail;
            since = now;
        }
        if (now - since > xtf_core.timeout_ns)
            return false;
    }
    atomic_store(&shared->waiting, 0);
    return true;
}

bool xtf_core_wait_for_room(XtfRing *ring, uint64_t need)
{
    if (xtf_core.process->when_full == XTF_WIRE_DROP)
        return false;
    uint64_t from = xtf_core_now();
    atomic_store_explicit(&ring->shared->waits, ring->shared->waits + 1, memory_order_relaxed);
    if (!await_tail(ring, need))
        return false;
    ring->waited_from = from;
    ring->waited_until = xtf_core_now();
    return true;
}

bool xtf_core_find_room(XtfRing *ring, uint64_t size)
{
    if (!xtf_core_life.owns_rings || atomic_load_explicit(&xtf_core.lost, memory_order_relaxed))
        return false;
    if (update_limit(ring, size)) {
        xtf_core_write_waited(ring);
        return true;
    }
    if (!xtf_core_collector_lives()) {
        xtf_core_lose_collector();
        return false;
    }
    xtf_core_write_waited(ring);
    bool flush = xtf_core.process->when_full == XTF_WIRE_FLUSH;
    uint64_t need = flush ? ring_size(ring) - XTF_CORE_RESERVE : ring_size(ring) / 4;
    return xtf_core_wait_for_room(ring, need) && update_limit(ring, size);
}
