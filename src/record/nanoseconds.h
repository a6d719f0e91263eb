/*
 * Readings of the system's clocks.
 *
 * This header knows libc alone: it is compiled into programs that are traced.
 */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t xtf_clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t xtf_monotonic_ns(void)
{
    return xtf_clock_ns(CLOCK_MONOTONIC);
}
