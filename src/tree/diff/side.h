/*
 * One of the two selections that a diff compares, and its totals: those that the views show, from the same code.
 *
 * Clocks may have different resolutions, so times are compared in units of a decimal fraction of a second, the last
 * digit of the finer clock. They are rounded down to it, as all times that are shown.
 */
#pragma once

#include "src/tables/totals/efficiency-figures.h"
#include "src/tables/totals/message-totals.h"
#include "src/tables/totals/regions/region-totals.h"
#include "src/tree/diff/pair-regions.h"
#include "src/tree/node/node-class.h"

typedef unsigned __int128 XtfWide;

typedef struct {
    XtfNode *directory; /* borrowed */
    XtfRegionTexts texts;
    bool has_regions, has_messages, has_efficiency; /* whether the selection has a profile; bytes; efficiency */
    XtfRegionTotals regions;
    XtfAggregateRef refs[XTF_N_MOVED]; /* without a schema: the trace does not keep these totals */
    XtfMoved moved[XTF_N_MOVED];       /* of all processes */
    uint64_t n_procs, n_locations, n_records;
    uint64_t window; /* ticks */
    XtfEfficiency efficiency;
    XtfWide calls; /* of the regions that are listed */
} XtfDiffSide;

/* Of a directory of records. XTF_ERROR_NOT_FOUND if it is another. */
bool xtf_diff_side_load(XtfDiffSide *side, XtfNode *directory, GError **error);
void xtf_diff_side_finish(XtfDiffSide *side); /* all zeros is fine */

static inline const XtfTimeScale *xtf_diff_side_scale(const XtfDiffSide *side)
{
    return &side->directory->tree->context.scale;
}

/* The clock of both: ticks that are decimal fractions of a second. */
void xtf_common_scale_init(XtfTimeScale *common, const XtfDiffSide sides[2]);
/* Ticks of a trace's clock as ticks of the common one. XTF_ERROR_UNSUPPORTED if they are too many. */
bool xtf_common_ticks(const XtfTimeScale *common, const XtfTimeScale *scale, XtfWide ticks, XtfWide *shown,
                      GError **error);
