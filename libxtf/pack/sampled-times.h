/*
 * The times of a packed leaf as they stay in memory for counting. They are the packed heads and tails (read-streams.h),
 * and every 32nd time in full. They take at most a quarter of the bytes of plain times, so a cache holds four times as
 * many leaves. A search looks at the samples first, then at no more than 32 rows.
 */
#pragma once

#include "libxtf/pack/read-streams.h"

enum { XTF_TIMES_STEP = 32 };

typedef struct {
    uint64_t time; /* time of row i * XTF_TIMES_STEP, in sample i */
    uint64_t tail; /* offset of the tails of the rows after the sampled one */
} XtfTimeSample;

/* Immutable times in one allocation. */
typedef struct {
    uint32_t count;               /* rows, at least 1 */
    const XtfTimeSample *samples; /* of row 0, and of every 32nd row */
    const uint8_t *heads, *tails; /* 8 bytes follow the tails */
} XtfSampledTimes;

/*
 * Unpacks the times of `count` packed rows. Returns an allocation of *size bytes with the XtfSampledTimes at byte
 * `before`; the bytes before are the caller's. The caller frees it with xtf_block_memory_free(). Accepts any bytes: if
 * they are not `count` packed rows, returns NULL and sets *fault, as xtf_unpack_rows() does.
 */
uint8_t *xtf_sampled_times_unpack(const uint8_t *packed, uint32_t length, uint32_t count, uint32_t before,
                                  uint32_t *size, const char **fault);

/* Returns the time of row i. xtf_sampled_times_rank() returns the number of rows before t, and adds its comparisons
 * to *comparisons. */
uint64_t xtf_sampled_times_at(const XtfSampledTimes *times, uint32_t i);
uint32_t xtf_sampled_times_rank(const XtfSampledTimes *times, uint64_t t, uint64_t *comparisons);

/* Stores the samples of `count` times, which are the sums of the numbers. Returns false if a time exceeds 64 bits. */
bool xtf_sample_times(XtfNumberReader numbers, uint32_t count, XtfTimeSample *samples);
