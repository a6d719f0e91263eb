/*
 * One of the two selections that a diff compares, and its totals. The code of the views computes the totals.
 *
 * Clocks may have different resolutions. So the diff compares times in a decimal fraction of a second, the last digit
 * of the finer clock. It rounds times down to this unit, as everywhere in the tables.
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
    bool has_regions, has_messages, has_efficiency; /* true if the selection has a profile; bytes; efficiency */
    XtfRegionTotals regions;
    XtfAggregateRef refs[XTF_N_MOVED]; /* no schema: the trace does not keep these totals */
    XtfMoved moved[XTF_N_MOVED];       /* sums over all processes */
    uint64_t n_procs, n_locations, n_records;
    uint64_t window; /* length of the window in ticks */
    XtfEfficiency efficiency;
    XtfWide calls; /* calls of the listed regions */
} XtfDiffSide;

/* Loads the totals of a directory of records. XTF_ERROR_NOT_FOUND if `directory` is no such directory. */
bool xtf_diff_side_load(XtfDiffSide *side, XtfNode *directory, GError **error);
void xtf_diff_side_finish(XtfDiffSide *side); /* all zeros is fine */

static inline const XtfTimeScale *xtf_diff_side_scale(const XtfDiffSide *side)
{
    return &side->directory->tree->context.scale;
}

/* Sets the common clock of both sides. Its ticks are decimal fractions of a second. */
void xtf_common_scale_init(XtfTimeScale *common, const XtfDiffSide sides[2]);
/* Converts ticks of a trace's clock to ticks of the common clock. XTF_ERROR_UNSUPPORTED on overflow. */
bool xtf_common_ticks(const XtfTimeScale *common, const XtfTimeScale *scale, XtfWide ticks, XtfWide *shown,
                      GError **error);
