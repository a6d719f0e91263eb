/*
 * Private parts of totals of children: the struct of a builder, and the memory of finished totals.
 */
#pragma once

#include "libxtf/base/key-table.h"
#include "libxtf/totals/child-totals.h"
#include "libxtf/totals/growing-tier.h"

struct XtfChildTotalsBuilder {
    XtfChildTotals head; /* without its tiers */
    GArray *keys;        /* uint64_t: the keys of each group, as in XtfChildTotals */
    GArray *followers;   /* uint32_t: of each group the group that came after it last, plus 1; 0: none */
    uint32_t last;       /* the last group, plus 1; 0: none */
    XtfKeyTable table;
    XtfGrowingTier exact, coarse, blocks, halves;
    GArray *stacks, *frames;
    GArray *stamps, *entries; /* uint32_t, of each group, while tiers of frames are summed */
};

/* Columns of the narrow rows of stacks and of frames: the members of XtfChildStack and XtfOpenFrame. */
enum { XTF_STACK_TIME, XTF_STACK_INNER_ROW, XTF_STACK_N_OUTER, XTF_STACK_LEAST, XTF_STACK_START, XTF_STACK_COLUMNS };
enum { XTF_FRAME_KEY, XTF_FRAME_ROW, XTF_FRAME_TIME, XTF_FRAME_OUTERMOST, XTF_FRAME_COLUMNS };

/* Returns the totals of a builder whose tiers are complete, as xtf_child_totals_builder_finish() does. */
XtfChildTotals *xtf_child_totals_lay_out(XtfChildTotalsBuilder *builder, uint32_t *length, GError **error);
