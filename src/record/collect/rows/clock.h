/*
 * Readings of a traced process's clock, as nanoseconds since 1970.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"
#include "src/record/wire.h"

/* Times that do not fit are the nearest that do. */
#define XTF_COLLECT_TIME_MAX ((UINT64_C(1) << 63) - 1)

/* Nanoseconds since 1970 are base + ((reading - start) * multiplier >> shift), in 128 bits. */
typedef struct {
    uint32_t source; /* XtfWireClockSource */
    uint32_t shift;
    uint64_t start, base, multiplier;
} XtfCollectClock;

/* Whether a clock that a file or a process tells of makes sense, on this machine. */
bool xtf_collect_clock_check(const XtfCollectClock *clock, GError **error);

/* base + ((reading - start) * multiplier >> shift), exactly; readings before `start` are rounded towards it. */
static inline uint64_t xtf_collect_clock_ns(const XtfCollectClock *clock, uint64_t reading)
{
    if (__builtin_expect(reading < clock->start, 0)) {
        unsigned __int128 before = (unsigned __int128)(clock->start - reading) * clock->multiplier >> clock->shift;
        return before < clock->base ? clock->base - (uint64_t)before : 0;
    }
    unsigned __int128 ns =
        ((unsigned __int128)(reading - clock->start) * clock->multiplier >> clock->shift) + clock->base;
    return __builtin_expect(ns > XTF_COLLECT_TIME_MAX, 0) ? XTF_COLLECT_TIME_MAX : (uint64_t)ns;
}

/* The reading of the clock now. */
uint64_t xtf_collect_clock_now(const XtfCollectClock *clock);
