/*
 * Holes: stretches of a ring in which records are left out, on purpose or since the ring is full. The frames around
 * them stay balanced.
 *
 * In a hole, the producer leaves out ENTERs. The frames that are open when the hole begins are in the ring: `written`
 * counts them, and they are the outermost ones. The producer writes their LEAVEs into the reserve of the ring. A frame
 * that begins and ends in the hole leaves no record. A hole ends before an ENTER. The producer then writes an ENTER for
 * each open frame that began in the hole; it has stored their regions. So the frames in the ring are always balanced,
 * and after a hole they are the program's open frames.
 */
#include "src/record/core/inner.h"

enum { OFF = 2, ON = 1 };

static uint32_t reason_of(uint32_t hole)
{
    return hole == XTF_CORE_HOLE_FULL;
}

void xtf_core_begin_hole(XtfRing *ring, uint32_t hole)
{
    ring->hole = hole;
    ring->written = ring->depth;
    ring->missing = 0;
    ring->limit = 0;
    if (xtf_core_life.owns_rings)
        xtf_core_append(ring, xtf_core_now(), XTF_WIRE_MEASUREMENT, reason_of(hole), OFF, 0, 0);
}

static void write_hole_end(XtfRing *ring, uint64_t now)
{
    if (ring->hole == XTF_CORE_HOLE_FULL)
        xtf_core_append(ring, now, XTF_WIRE_DROPPED, 0, 0, 1, ring->missing);
    xtf_core_append(ring, now, XTF_WIRE_MEASUREMENT, reason_of(ring->hole), ON, 0, 0);
}

/* Returns the bytes needed to end a hole, and a quarter of the ring for records after it. Otherwise each record might
 * begin a new hole. */
static uint64_t room_to_resume(const XtfRing *ring)
{
    return (ring->mask + 1) / 4 + 16 * (uint64_t)XTF_CORE_STACK;
}

static bool has_room_to_resume(const XtfRing *ring)
{
    uint64_t tail = atomic_load_explicit(&ring->shared->tail, memory_order_acquire);

    return ring->head + room_to_resume(ring) <= tail + ring->mask + 1 - XTF_CORE_RESERVE;
}

/* Subtracts n ENTERs from the missing records: they were counted, and the end of the hole writes them after all. */
static void uncount_missing(XtfRing *ring, uint32_t n)
{
    if (ring->hole != XTF_CORE_HOLE_FULL)
        return;
    n = n < ring->missing ? n : (uint32_t)ring->missing;
    ring->missing -= n;
    atomic_store_explicit(&ring->shared->dropped, ring->shared->dropped - n, memory_order_relaxed);
}

bool xtf_core_resume(XtfRing *ring)
{
    if (!xtf_core_life.owns_rings || xtf_core_is_off(ring) || ring->depth > XTF_CORE_STACK ||
        atomic_load_explicit(&xtf_core.lost, memory_order_relaxed) || !has_room_to_resume(ring))
        return false;
    uint64_t now = xtf_core_now();
    uncount_missing(ring, ring->depth - ring->written);
    write_hole_end(ring, now);
    for (uint32_t i = ring->written; i < ring->depth; i++)
        xtf_core_append(ring, now, XTF_WIRE_ENTER, ring->stack[i], 0, 0, 0);
    ring->hole = 0;
    return xtf_core_find_room(ring, 16);
}

void xtf_core_abandon_hole(XtfRing *ring)
{
    if (ring->hole)
        write_hole_end(ring, xtf_core_now());
    ring->hole = 0;
}

/* Ends the hole of a thread that is switched on. If the ring is full, a hole for that reason follows. */
static void switch_on(XtfRing *ring)
{
    if (!has_room_to_resume(ring) && xtf_core_wait_for_room(ring, room_to_resume(ring)))
        xtf_core_write_waited(ring);
    if (ring->hole != XTF_CORE_HOLE_OFF || xtf_core_resume(ring))
        return;
    uint32_t written = ring->written;
    xtf_core_abandon_hole(ring);
    xtf_core_begin_hole(ring, XTF_CORE_HOLE_FULL);
    ring->written = written;
}

static void switch_off(XtfRing *ring)
{
    uint32_t written = ring->hole ? ring->written : ring->depth;

    xtf_core_abandon_hole(ring);
    xtf_core_begin_hole(ring, XTF_CORE_HOLE_OFF);
    ring->written = written;
}

void xtf_core_set_off(XtfRing *ring, uint32_t off)
{
    bool was_off = xtf_core_is_off(ring);

    ring->off = off;
    if (was_off && !xtf_core_is_off(ring))
        switch_on(ring);
    else if (!was_off && xtf_core_is_off(ring))
        switch_off(ring);
}
