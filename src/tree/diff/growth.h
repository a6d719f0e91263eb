/*
 * Finds values that grew from the first selection of a diff to the second, for a program that must not get slower.
 *
 * A value fails if it grew by more than `limit` of itself, and by more than `noise` of the first selection's total. The
 * second condition passes short functions, whose times vary from run to run by more than any useful limit.
 */
#pragma once

#include "src/tree/diff/diff.h"
#include "src/tree/diff/side.h"

/* Judges the total of the regions: time or calls, as `by` says. Later rows are compared with it. */
bool xtf_diff_judge_total(XtfDiffGrowth *growth, const XtfDiffSide sides[2], const XtfTimeScale *common,
                          XtfDiffOrder by, GError **error);
/* Judges a row of the table of regions: its values in both selections, as the table shows them. */
void xtf_diff_judge_row(XtfDiffGrowth *growth, const char *label, const unsigned __int128 values[2],
                        const XtfTimeScale *common, XtfDiffOrder by);
