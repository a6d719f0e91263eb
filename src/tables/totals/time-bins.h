/*
 * Adjacent slices of a window, and the rows of an array in each slice.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/trace/select/grouping.h"

typedef struct {
    XtfSelection *selection; /* covers all slices */
    uint64_t n;
    uint64_t *bounds; /* n + 1; bin i is [bounds[i], bounds[i + 1]); the last has all later rows too */
} XtfTimeBins;

/* Initializes slices `first` to first + n - 1 of the values of TIME, of a selection. */
void xtf_time_bins_init(XtfTimeBins *bins, const XtfSelection *selection, const XtfKeyValues *values, uint64_t first,
                        uint64_t n);
/* Initializes one slice: the whole window. */
void xtf_time_bins_init_one(XtfTimeBins *bins, XtfSelection *selection, const XtfTimeScale *scale);
void xtf_time_bins_finish(XtfTimeBins *bins); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfTimeBins, xtf_time_bins_finish)

/* Returns where a bin begins or ends, as the bound of a window. The first bin begins where the selection begins, and
 * the last ends where the selection ends, open or not. */
static inline uint64_t xtf_time_bin_begin(const XtfTimeBins *bins, uint64_t i)
{
    return i == 0 ? bins->selection->time_from : bins->bounds[i];
}

static inline uint64_t xtf_time_bin_end(const XtfTimeBins *bins, uint64_t i)
{
    return i + 1 == bins->n ? bins->selection->time_to : bins->bounds[i + 1];
}

/* Finds the rows of each bin, given that rows [lo, hi) of an array are in the window. Bin 0 has rows [lo, ends[0]), bin
 * i has rows [ends[i - 1], ends[i]). `ends` has room for n. */
bool xtf_time_bins_cut(const XtfTimeBins *bins, const XtfArray *array, uint64_t lo, uint64_t hi, uint64_t *ends,
                       GError **error);
