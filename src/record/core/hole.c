/*
 * Holes: what a ring leaves out, on purpose or for want of room, without upsetting the frames around it.
 *
 * In a hole, ENTERs are left out. The frames that are open when it begins are in the ring: `written` of them, the
 * outermost ones. Their LEAVEs are written, each as it comes, into the reserve of the ring. A frame that is entered in
 * the hole and left in it is never seen. When the hole ends, which is before an ENTER, the frames that were entered in
 * it and are still open are entered by their regions, which the producer remembers. So at every instant the frames in
 * the ring are balanced, and behind a hole they are those of the program.
 */
#include <errno.h>

#include "src/record/core/inner.h"

enum { OFF = 2, ON = 1 };

static uint32_t reason(uint32_t hole)
{
    return hole == XTF_CORE_HOLE_FULL;
}

void xtf_core_begin_hole(XtfRing *ring, uint32_t hole)
{
    ring->hole = hole;
    ring->written = ring->depth;
    ring->missing = 0;
    ring->limit = 0;
    if (xtf_core_life.mine)
        xtf_core_append(ring, xtf_core_now(), XTF_WIRE_MEASUREMENT, reason(hole), OFF, 0, 0);
}

static void tell_of_end(XtfRing *ring, uint64_t now)
{
    if (ring->hole == XTF_CORE_HOLE_FULL)
        xtf_core_append(ring, now, XTF_WIRE_DROPPED, 0, 0, 1, ring->missing);
    xtf_core_append(ring, now, XTF_WIRE_MEASUREMENT, reason(ring->hole), ON, 0, 0);
}

/* What ends the hole takes, and some records behind it, lest there be a hole for each record. */
static uint64_t room_to_resume(const XtfRing *ring)
{
    return (ring->mask + 1) / 4 + 16 * (uint64_t)XTF_CORE_STACK;
}

static bool enough_room(const XtfRing *ring)
{
    uint64_t tail = atomic_load_explicit(&ring->shared->tail, memory_order_acquire);

    return ring->head + room_to_resume(ring) <= tail + ring->mask + 1 - XTF_CORE_RESERVE;
}

/* The frames that are entered when a hole ends are in the ring then: their ENTERs, which were counted, are not missing.
 */
static void find_again(XtfRing *ring, uint32_t n)
{
    if (ring->hole != XTF_CORE_HOLE_FULL)
        return;
    n = n < ring->missing ? n : (uint32_t)ring->missing;
    ring->missing -= n;
    atomic_store_explicit(&ring->shared->dropped, ring->shared->dropped - n, memory_order_relaxed);
}

bool xtf_core_resume(XtfRing *ring)
{
    if (!xtf_core_life.mine || ring->off || ring->depth > XTF_CORE_STACK ||
        atomic_load_explicit(&xtf_core.lost, memory_order_relaxed) || !enough_room(ring))
        return false;
    uint64_t now = xtf_core_now();
    find_again(ring, ring->depth - ring->written);
    tell_of_end(ring, now);
    for (uint32_t i = ring->written; i < ring->depth; i++)
        xtf_core_append(ring, now, XTF_WIRE_ENTER, ring->stack[i], 0, 0, 0);
    ring->hole = 0;
    return xtf_core_find_room(ring, 16);
}

void xtf_core_abandon_hole(XtfRing *ring)
{
    if (ring->hole)
        tell_of_end(ring, xtf_core_now());
    ring->hole = 0;
}

/* The hole ends that was there on purpose. Where there is no room, it goes on for want of room. */
static void end_of_will(XtfRing *ring)
{
    if (!enough_room(ring) && xtf_core_wait_for_room(ring, room_to_resume(ring)))
        xtf_core_tell_of_waiting(ring);
    if (ring->hole != XTF_CORE_HOLE_OFF || xtf_core_resume(ring))
        return;
    uint32_t written = ring->written;
    xtf_core_abandon_hole(ring);
    xtf_core_begin_hole(ring, XTF_CORE_HOLE_FULL);
    ring->written = written;
}

static void begin_of_will(XtfRing *ring)
{
    uint32_t written = ring->hole ? ring->written : ring->depth;

    xtf_core_abandon_hole(ring);
    xtf_core_begin_hole(ring, XTF_CORE_HOLE_OFF);
    ring->written = written;
}

void xtf_core_set_recording(bool on)
{
    XtfRing *ring = xtf_core_thread.ring;
    int saved = errno;

    if (!ring || !xtf_core_life.mine || ring->off == !on)
        return;
    /* A signal handler calls it while a record is being written. */
    if (xtf_core_thread.busy) {
        xtf_core_count_nested();
        return;
    }
    xtf_core_thread.busy = XTF_CORE_BUSY;
    atomic_signal_fence(memory_order_acq_rel);
    ring->off = !on;
    if (on)
        end_of_will(ring);
    else
        begin_of_will(ring);
    xtf_core_end();
    errno = saved;
}
