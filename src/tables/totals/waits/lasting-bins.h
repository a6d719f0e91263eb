/*
 * Totals of rows with a duration (lasting-totals.h) in each of several adjacent slices of time.
 */
#pragma once

#include "src/tables/totals/time-bins.h"
#include "src/tables/totals/waits/lasting-totals.h"

enum {
    XTF_LASTING_VALUES_MAX = 4,
};

/* Sums of a bin: the number of rows that end in it, and values. */
typedef struct {
    uint64_t rows;
    unsigned __int128 values[XTF_LASTING_VALUES_MAX];
} XtfLastingBin;

/* Bins, and the values to sum: their cells in the aggregate of `lasting`, which has no keys. */
typedef struct {
    const XtfTimeBins *bins; /* borrowed */
    unsigned n_values, cells[XTF_LASTING_VALUES_MAX];
} XtfLastingBins;

/* Adds the selected rows of an array that process `proc` recorded to `sums`, one per bin. The outer bins reach to the
 * bounds of the bins' window. Few rows are read one by one; for many, the index gives totals. */
bool xtf_lasting_bins_add(const XtfLastingBins *bins, XtfLastingTotals *lasting, const XtfArray *array, uint64_t proc,
                          XtfLastingBin *sums, GError **error);
