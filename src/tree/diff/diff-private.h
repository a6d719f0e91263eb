/* The tables of a diff. A source file makes each. */
#pragma once

#include "src/tree/diff/diff.h"
#include "src/tree/diff/side.h"

bool xtf_diff_add_facts(const XtfDiffSide sides[2], const XtfTimeScale *common, GString *out, GError **error);
bool xtf_diff_add_classes(const XtfDiffSide sides[2], const XtfTimeScale *common, const XtfDiffOptions *options,
                          GString *out, GError **error);
/* Judges each region, unless `growth` is NULL. */
bool xtf_diff_add_regions(const XtfDiffSide sides[2], const XtfTimeScale *common, const XtfDiffOptions *options,
                          XtfDiffGrowth *growth, GString *out, GError **error);
