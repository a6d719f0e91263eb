/* Switches threads on and off, as the program or the window demands. */
#include <errno.h>

#include "src/record/core/inner.h"

void xtf_core_set_recording(bool on)
{
    XtfRing *ring = xtf_core_thread.ring;
    bool changes = ring && !(ring->off & XTF_CORE_OFF_BY_PROGRAM) != on;
    int saved = errno;

    if (!xtf_core_life.owns_rings)
        return;
    /* A signal handler has interrupted the writing of a record. */
    if (xtf_core_thread.busy == XTF_CORE_BUSY) {
        if (changes)
            xtf_core_count_nested();
        return;
    }
    if (on)
        xtf_core_window_begin_by_program();
    if (!changes)
        return;
    xtf_core_thread.busy = XTF_CORE_BUSY;
    atomic_signal_fence(memory_order_acq_rel);
    xtf_core_set_off(ring, ring->off ^ XTF_CORE_OFF_BY_PROGRAM);
    xtf_core_end();
    errno = saved;
}

bool xtf_core_follow_window(XtfRing *ring)
{
    int saved = errno;

    if (ring->off == XTF_CORE_OFF_BY_PROGRAM || ring->off & XTF_CORE_OFF_RANK || !xtf_core_life.owns_rings)
        return false;
    xtf_core_window_look();
    xtf_core_set_off(ring, (ring->off & XTF_CORE_OFF_BY_PROGRAM) | xtf_core_window_off());
    errno = saved;
    return !xtf_core_is_off(ring);
}

void xtf_core_force_on(XtfRing *ring)
{
    int saved = errno;

    ring->kept_off = ring->off;
    xtf_core_set_off(ring, 0);
    errno = saved;
}

void xtf_core_end_force(void)
{
    XtfRing *ring = xtf_core_thread.ring;
    int saved = errno;

    if (!ring || !ring->kept_off || xtf_core_thread.busy || !xtf_core_life.owns_rings)
        return;
    xtf_core_thread.busy = XTF_CORE_BUSY;
    atomic_signal_fence(memory_order_acq_rel);
    xtf_core_set_off(ring, (ring->kept_off & XTF_CORE_OFF_BY_PROGRAM) | xtf_core_window_off());
    ring->kept_off = 0;
    xtf_core_end();
    errno = saved;
}
