/*
 * Spin locks, held for a short time. A thread that spins for long yields. There may be more threads than processors,
 * and the lock's holder may be waiting for space in its ring.
 */
#pragma once

#include <sched.h>
#include <stdatomic.h>

typedef atomic_flag XtfSpin; /* initialize with ATOMIC_FLAG_INIT, or all zero */

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
