/*
 * A window in equal slices, and the rows of an array that fall into each of them.
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
    uint64_t bounds[XTF_TIME_BINS + 1]; /* slice i is [bounds[i], bounds[i + 1]); the last takes what comes later too */
} XtfTimeBins;

void xtf_time_bins_init(XtfTimeBins *slicing, const XtfSelection *selection, const XtfTimeScale *scale);

/* Of rows [lo, hi), all of which are in the window: those of slice i are [ends[i - 1], ends[i]), ends[-1] being lo. */
bool xtf_time_bins_cut(const XtfTimeBins *slicing, const XtfArray *array, uint64_t lo, uint64_t hi,
                       uint64_t ends[static XTF_TIME_BINS], GError **error);
