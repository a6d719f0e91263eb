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

struct XtfPass {
    XtfCulpritWork *work;
    const XtfPassShares *shares;
    XtfSteps *steps;
    XtfMail *mail; /* NULL: no job */
    XtfLetters *letters;
    XtfOperationHeads heads;
    XtfPassWalk *walks; /* by location */
    uint32_t first, end, n_locations;
    GQueue ready; /* locations to walk, plus 1 */
    XtfArrivals arrivals;
    uint64_t n_points; /* of all locations of the share */
    uint64_t n_done;   /* points that the share has done */
    uint32_t lowest;   /* lowest location of the share that may have points left */
    GArray *unasked;   /* uint32_t: locations that may wait for a wait, and have not asked for it */
    XtfPassCounts counts;
    uint32_t turn; /* points of one turn */
    bool forced;   /* true if the current point is done without unknown costs */
    GError *error; /* of a letter that was read, until walk_ready() returns it */
};

/* Lets a location walk on. */
static inline void xtf_pass_queue(XtfPass *pass, uint32_t location)
{
    if (!pass->walks[location].queued) {
        pass->walks[location].queued = true;
        g_queue_push_tail(&pass->ready, GUINT_TO_POINTER(location + 1));
    }
}

/* Returns the functions that read the letters of a pass. */
XtfLetterReader xtf_pass_letter_reader(XtfPass *pass);
