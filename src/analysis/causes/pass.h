/*
 * The order of the backward pass: each location goes backward through its points. At a point where it was late, it
 * waits until the pass has reached all waits for it.
 *
 * The results do not depend on the order in which locations run, nor on the number of shares. If all locations wait,
 * the set of waiting locations is the same in all orders, and the pass continues at the lowest one.
 *
 * A share is a thread of this process, or a rank of a job.
 */
#pragma once

#include "src/analysis/causes/culprit.h"
#include "src/analysis/replay/mail/mail.h"

typedef struct XtfPass XtfPass;

typedef struct {
    XtfWorld *world;         /* NULL: the shares are threads */
    XtfMail *mail;           /* letters between the shares; NULL: one share has all locations */
    const uint32_t *borders; /* the first location of each share, and behind them the number of locations */
    uint32_t self, n;
    XtfPass **passes; /* of all shares, if they are threads */
} XtfPassShares;

typedef struct {
    uint64_t explained, circles, lost; /* see XtfCausesCounts */
} XtfPassCounts;

/* Creates the pass of the locations of a share. Borrows everything. */
XtfPass *xtf_pass_new(XtfCulpritWork *work, const XtfPassShares *shares, XtfSteps *steps);
void xtf_pass_free(XtfPass *pass); /* NULL is fine */

/* Runs the pass. All shares call the function, each thread once all passes exist. If one fails, the others end: false
 * without an error in a rank, true in a thread. */
bool xtf_pass_run(XtfPass *pass, GError **error);
/* Returns the number of points of the share, by which the pass advances the current step. */
uint64_t xtf_pass_n_points(const XtfPass *pass);
/* Returns the counts of the share. */
const XtfPassCounts *xtf_pass_counts(const XtfPass *pass);
