/*
 * A ring, from its producer's side.
 *
 * The producer keeps the head for itself and publishes it behind each record. It looks at the collector's tail only
 * when it comes to `limit`: then either there is room, and the limit moves on by a quarter of the ring at most, so that
 * the collector can be woken before the ring is full; or there is none, and the producer waits, or leaves records out.
 *
 * The last XTF_CORE_RESERVE bytes are never given to records that come from outside. They are for what keeps a ring
 * readable that is full: that there is a hole, how many records fell into it, and the LEAVEs of frames whose ENTER is
 * in the ring, of which there are XTF_CORE_STACK at most (hole.c).
 *
 * A signal handler that interrupts the producer finds the thread busy and records nothing. So there is exactly one
 * writer, and no instruction here needs to be atomic but the stores of the head.
 */
#include <errno.h>

#include "src/record/core/inner.h"

enum { LOOK = 20 * 1000 * 1000 /* ns between two looks at whether the collector lives */ };

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

void xtf_core_tell_of_waiting(XtfRing *ring)
{
    if (!ring->waited_until || !xtf_core_life.mine)
        return;
    xtf_core_append(ring, ring->waited_from, XTF_WIRE_WAITED, 0, 0, 1, ring->waited_until);
    ring->waited_from = ring->waited_until = 0;
}

/* Sets the limit by the tail. False: there is no room for so many bytes. */
static bool look(XtfRing *ring, uint64_t size)
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

/* Waits until `need` bytes are free. False: the collector is gone, or has not moved the tail for long. */
static bool await(XtfRing *ring, uint64_t need)
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
        xtf_core_futex_wait(low, (uint32_t)tail, LOOK);
        if (!xtf_core_collector_lives()) {
            xtf_core_lose_collector();
            return false;
        }
        now = xtf_monotonic_ns();
        if (tail != before) {
            before = tail;
            since = now;
        }
        if (now - since > xtf_core.patience)
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
    if (!await(ring, need))
        return false;
    ring->waited_from = from;
    ring->waited_until = xtf_core_now();
    return true;
}

bool xtf_core_find_room(XtfRing *ring, uint64_t size)
{
    if (!xtf_core_life.mine || atomic_load_explicit(&xtf_core.lost, memory_order_relaxed))
        return false;
    if (look(ring, size)) {
        xtf_core_tell_of_waiting(ring);
        return true;
    }
    if (!xtf_core_collector_lives()) {
        xtf_core_lose_collector();
        return false;
    }
    xtf_core_tell_of_waiting(ring);
    bool flush = xtf_core.process->when_full == XTF_WIRE_FLUSH;
    uint64_t need = flush ? ring_size(ring) - XTF_CORE_RESERVE : ring_size(ring) / 4;
    return xtf_core_wait_for_room(ring, need) && look(ring, size);
}
