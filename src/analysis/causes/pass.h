/*
 * The order of the backward pass: each location goes backward through its points. At a point where it was late, it
 * waits until the pass has reached all waits for it.
 *
 * The results do not depend on the order in which locations run, nor on the number of shares. If all locations wait,
 * the set of waiting locations is the same in all orders, and the pass continues at the lowest one.
 */
#pragma once

#include "src/analysis/causes/culprit.h"
#include "src/world/world.h"

typedef struct {
    XtfWorld *world;         /* NULL: one share has all locations */
    const uint32_t *borders; /* the first location of each share, and behind them the number of locations */
    uint32_t self, n;
} XtfPassShares;

typedef struct {
    uint64_t explained, circles, lost; /* see XtfCausesCounts */
} XtfPassCounts;

typedef struct XtfPass XtfPass;

/* Creates the pass of the locations of a share. Borrows everything. */
XtfPass *xtf_pass_new(XtfCulpritWork *work, const XtfPassShares *shares, XtfSteps *steps);
void xtf_pass_free(XtfPass *pass); /* NULL is fine */

/* Runs the pass. In a job all ranks call the function. False without an error: another rank has failed. */
bool xtf_pass_run(XtfPass *pass, GError **error);
/* Returns the counts of the share. */
const XtfPassCounts *xtf_pass_counts(const XtfPass *pass);
