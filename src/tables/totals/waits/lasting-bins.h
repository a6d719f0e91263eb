/*
 * Totals of rows that last (lasting-totals.h) in each of several slices of time side by side.
 */
#pragma once

#include "src/tables/totals/time-bins.h"
#include "src/tables/totals/waits/lasting-totals.h"

enum {
    XTF_LASTING_VALUES_MAX = 4,
};

/* What of a bin is added up: rows that end in it, and values. */
typedef struct {
    uint64_t rows;
    unsigned __int128 values[XTF_LASTING_VALUES_MAX];
} XtfLastingBin;

/* The aggregate of `lasting`, of no keys, has the values in these cells. */
typedef struct {
    const XtfTimeBins *bins; /* borrowed */
    unsigned n_values, cells[XTF_LASTING_VALUES_MAX];
} XtfLastingBins;

/* Adds the selected rows of an array, which process `proc` recorded, to `sums`, of which there is one a bin. The outer
 * bins reach as far as the window of all of them together. Few rows are gone through; of many the index is asked. */
bool xtf_lasting_bins_add(const XtfLastingBins *bins, XtfLastingTotals *lasting, const XtfArray *array, uint64_t proc,
                          XtfLastingBin *sums, GError **error);
