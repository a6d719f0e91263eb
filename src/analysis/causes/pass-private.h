/*
 * The state of a backward pass.
 *
 *   pass.c          walks locations backward, and continues when all wait
 *   pass-letters.c  reads letters
 */
#pragma once

#include "src/analysis/causes/arrivals.h"
#include "src/analysis/causes/letters.h"
#include "src/analysis/causes/pass.h"

/* The state of a location's walk backward. */
typedef struct {
    uint64_t at; /* number of points left */
    bool queued, is_set;
    bool waits;     /* the last point left waits for the wait `key` */
    bool lost;      /* there is no wait `key` */
    bool is_listed; /* in `unasked` */
    XtfWaitKey key; /* of an earlier point unless `waits` */
} XtfPassWalk;

/* The state of all shares, when all of their locations wait. */
typedef struct {
    uint64_t left;    /* points that are not done */
    uint64_t unasked; /* locations that may wait for a wait, and have not asked for it */
    uint32_t lowest;  /* lowest location that has points left; UINT32_MAX: none */
} XtfStandstill;

struct XtfPass {
    XtfCulpritWork *work;
    const XtfPassShares *shares;
    XtfSteps *steps;
    XtfMail *mail; /* borrowed; NULL: one share has all locations */
    XtfLetters *letters;
    XtfOperationHeads heads;
    XtfPassWalk *walks; /* by location, from `first` on */
    uint32_t first, end, n_locations;
    GQueue ready; /* locations to walk, plus 1 */
    XtfArrivals arrivals;
    uint64_t n_points; /* of all locations of the share */
    uint64_t n_done;   /* points that the share has done */
    uint32_t lowest;   /* lowest location of the share that may have points left */
    GArray *unasked;   /* uint32_t: locations that may wait for a wait, and have not asked for it */
    XtfPassCounts counts;
    uint32_t turn;            /* points of one turn */
    XtfStandstill standstill; /* from which the share continues, if `resumed`: the thread that decided has set both */
    bool resumed;
    bool forced;   /* true if the current point is done without unknown costs */
    GError *error; /* of a letter that was read, until walk_ready() returns it */
};

static inline XtfPassWalk *xtf_pass_walk(const XtfPass *pass, uint32_t location)
{
    return &pass->walks[location - pass->first];
}

/* Lets a location walk on. */
static inline void xtf_pass_queue(XtfPass *pass, uint32_t location)
{
    if (!xtf_pass_walk(pass, location)->queued) {
        xtf_pass_walk(pass, location)->queued = true;
        g_queue_push_tail(&pass->ready, GUINT_TO_POINTER(location + 1));
    }
}

/* Returns the functions that read the letters of a pass. */
XtfLetterReader xtf_pass_letter_reader(XtfPass *pass);
