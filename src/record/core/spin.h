/*
 * Locks that are held for a short time. Who waits for one for long lets others run: there may be more threads than
 * processors, and who has the lock may be waiting for room in its ring.
 */
#pragma once

#include <sched.h>
#include <stdatomic.h>

typedef atomic_flag XtfSpin; /* begins with ATOMIC_FLAG_INIT, or all zero */

static inline void xtf_spin_lock(XtfSpin *spin)
{
    for (unsigned i = 1; atomic_flag_test_and_set_explicit(spin, memory_order_acquire); i++)
        if (i % 64 == 0)
            sched_yield();
}

static inline void xtf_spin_unlock(XtfSpin *spin)
{
    atomic_flag_clear_explicit(spin, memory_order_release);
}
