/*
 * The times of a packed leaf as they stay in memory for counting: heads and tails as they are packed (read-streams.h),
 * and each 32nd time in full. They take a fourth of the bytes of times side by side, or less, so a cache holds four
 * times as many leaves; and a search goes by the samples first, then over 32 rows at most.
 */
#pragma once

#include "libxtf/pack/pack-format.h"

enum { XTF_TIMES_STEP = 32 };

typedef struct {
    uint64_t time; /* of row i * XTF_TIMES_STEP */
    uint64_t tail; /* where the tails of the rows behind it begin */
} XtfTimeSample;

/* In one allocation. It never changes. */
typedef struct {
    uint32_t count;               /* rows, at least 1 */
    const XtfTimeSample *samples; /* of row 0, and of each 32nd row */
    const uint8_t *heads, *tails; /* 8 bytes follow the tails */
} XtfSampledTimes;

/*
 * The times of `count` packed rows, at byte `before` of an allocation of *size bytes, whose bytes before are the
 * caller's: to be freed by g_free(). Any bytes may be given: if they are not `count` packed rows, returns NULL and sets
 * *fault, as xtf_unpack_rows() does.
 */
uint8_t *xtf_sampled_times_unpack(const uint8_t *packed, uint32_t length, uint32_t count, uint32_t before,
                                  uint32_t *size, const char **fault);

/* The time of row i; and the number of rows before t, *comparisons being those that it took. */
uint64_t xtf_sampled_times_at(const XtfSampledTimes *times, uint32_t i);
uint32_t xtf_sampled_times_rank(const XtfSampledTimes *times, uint64_t t, uint64_t *comparisons);
