/*
 * Readings of a traced process's clock, as nanoseconds since 1970.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"
#include "src/record/wire.h"

/* The greatest time. Times outside the range become the nearest bound. */
#define XTF_COLLECT_TIME_MAX ((UINT64_C(1) << 63) - 1)

/* Nanoseconds since 1970 are base + ((reading - start) * multiplier >> shift), in 128 bits. */
typedef struct {
    uint32_t source; /* XtfWireClockSource */
    uint32_t shift;
    uint64_t start, base, multiplier;
} XtfCollectClock;

/* Checks a clock that a file or a traced process describes. XTF_ERROR_DAMAGED if it is impossible on this machine. */
bool xtf_collect_clock_check(const XtfCollectClock *clock, GError **error);

/* Returns base + ((reading - start) * multiplier >> shift), computed exactly. Readings before `start` are rounded
 * towards it. */
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

/* Returns the clock's current reading. */
uint64_t xtf_collect_clock_now(const XtfCollectClock *clock);
