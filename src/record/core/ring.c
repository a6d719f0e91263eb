/* The slow paths of writing a record: the ring is full, or in a hole. */
#include <errno.h>

#include "src/record/core/inner.h"

static void count_missing(XtfRing *ring)
{
    ring->missing++;
    if (xtf_core_life.owns_rings && ring->hole == XTF_CORE_HOLE_FULL)
        atomic_store_explicit(&ring->shared->dropped, ring->shared->dropped + 1, memory_order_relaxed);
}

bool xtf_core_make_room(XtfRing *ring, uint64_t size)
{
    int saved = errno;
    bool room = !ring->hole && xtf_core_find_room(ring, size);

    /* The record's time is before the wait, so WAITED must follow it. The limit has the next record take this path. */
    if (room && ring->waited_until)
        ring->limit = ring->head + size;
    if (!room) {
        if (!ring->hole)
            xtf_core_begin_hole(ring, XTF_CORE_HOLE_FULL);
        count_missing(ring);
    }
    errno = saved;
    return room;
}

uint64_t xtf_core_enter_slowly(XtfRing *ring, uint64_t time, uint32_t region, uint32_t site)
{
    int saved = errno;
    bool room = false;

    if (ring->hole)
        room = xtf_core_resume(ring);
    else
        room = ring->head + 16 <= ring->limit || xtf_core_find_room(ring, 16);
    xtf_core_write_waited(ring);
    if (!time)
        time = xtf_core_now();
    if (room)
        xtf_core_append(ring, time, XTF_WIRE_ENTER, region, site, 0, 0);
    if (!room && !ring->hole)
        xtf_core_begin_hole(ring, XTF_CORE_HOLE_FULL);
    if (!room)
        count_missing(ring);
    if (ring->depth < XTF_CORE_STACK)
        ring->stack[ring->depth] = region;
    ring->depth++;
    if (xtf_core_life.owns_rings)
        xtf_core_show(ring, time, region);
    errno = saved;
    return time;
}

void xtf_core_leave_slowly(XtfRing *ring, uint64_t time, uint32_t region)
{
    int saved = errno;

    if (!ring->depth)
        return;
    if (ring->hole) {
        if (ring->depth <= ring->written && xtf_core_life.owns_rings) {
            xtf_core_append(ring, time, XTF_WIRE_LEAVE, region, 0, 0, 0);
            ring->written = ring->depth - 1;
        } else {
            count_missing(ring);
        }
        ring->depth--;
    } else if (ring->head + 16 <= ring->limit || xtf_core_find_room(ring, 16)) {
        xtf_core_append(ring, time, XTF_WIRE_LEAVE, region, 0, 0, 0);
        xtf_core_write_waited(ring);
        ring->depth--;
    } else {
        /* Only the reserve is left, which is for LEAVEs. */
        if (xtf_core_life.owns_rings)
            xtf_core_append(ring, time, XTF_WIRE_LEAVE, region, 0, 0, 0);
        ring->depth--;
        xtf_core_begin_hole(ring, XTF_CORE_HOLE_FULL);
    }
    if (xtf_core_life.owns_rings)
        xtf_core_show(ring, time, ring->depth && ring->depth <= XTF_CORE_STACK ? ring->stack[ring->depth - 1] : 0);
    errno = saved;
}
