/*
 * Profiles in the making: the totals of the rows of a window, to which the ticks pending at both edges are added.
 */
#pragma once

#include "libxtf/aggregate/query.h"

typedef struct {
    const XtfArray *array; /* an xtf_array_local() */
    unsigned index;
    uint64_t first; /* local tick of the location's first record, and at most that of the array's first row */
    XtfGroupTotals *totals;
} XtfProfile;

/* Completes the totals of rows [edges[0].n, edges[1].n): adds the ticks pending at b, and subtracts the ticks pending
 * at a. `a` and `b` are local ticks from profile->first to the location's last record. Loads stacks that are not
 * captured, and rows at edges that are not known. */
bool xtf_profile_add_edges(const XtfProfile *profile, XtfStackCapture edges[2], uint64_t a, uint64_t b, GError **error);
