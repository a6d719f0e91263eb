/*
 * A window in equal bins, and the rows of an array in each bin.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/query/select/selection.h"

enum {
    XTF_TIME_BINS = 100,
};

typedef struct {
    uint64_t bounds[XTF_TIME_BINS + 1]; /* bin i is [bounds[i], bounds[i + 1]); the last has all later rows too */
} XtfTimeBins;

void xtf_time_bins_init(XtfTimeBins *bins, const XtfSelection *selection, const XtfTimeScale *scale);

/* Rows [lo, hi) of an array are in the window. Bin 0 has rows [lo, ends[0]), bin i has rows [ends[i - 1], ends[i]). */
bool xtf_time_bins_cut(const XtfTimeBins *bins, const XtfArray *array, uint64_t lo, uint64_t hi,
                       uint64_t ends[static XTF_TIME_BINS], GError **error);
