/*
 * Causes of one wait: what the culprit did beyond the waiter, call path by call path.
 *
 * The causes are computed from the records by the rules of the analysis (src/analysis/causes/causes.h). The culprit's
 * delay on a call path is its time there, since the last meeting of both sides, beyond the waiter's time there. A delay
 * of d is charged with w d / (D + W) of a wait of w ticks. D is the sum of the delays, and W the sum of the culprit's
 * own waits since the meeting. For a message, the charge is at most d. The charges of the culprit's own waits are
 * passed on, in proportion, to their culprits, and divided there in the same way, and so on.
 *
 * Costs of the wait's own culprit are exact. They are rounded so that, with the charges that are passed on, their sum
 * is the wait, or D + W. Costs from further back are computed with real numbers, and rounded so that their sum is what
 * was passed on.
 *
 * Each wait that is followed costs some 100 descents, and a pass over the calls of both sides since they met. Some
 * thousand waits are followed at most, and calls for about a second of reading: further costs stay unexplained. May be
 * called from any thread.
 */
#pragma once

#include "src/trace/context/trace-context.h"

typedef struct {
    uint64_t steps;    /* number of waits through which the cost was passed on; 0: of the wait's own culprit */
    uint32_t location; /* of the culprit: index in XtfLocations */
    uint64_t region;   /* row of `regions`; UINT64_MAX: outside of all calls */
    uint64_t callpath; /* row of `contexts`; UINT64_MAX: outside of all calls */
    uint64_t cost;     /* ticks, not 0 */
} XtfWaitCause;

typedef struct {
    bool known;           /* true if the culprit and its record are known */
    uint32_t culprit;     /* index in XtfLocations */
    uint64_t culprit_seq; /* record of the culprit that ended the wait */
    uint64_t amount;
    uint64_t direct, indirect; /* costs of the culprit's delays; costs passed on through its own waits */
    uint64_t unexplained;      /* amount less all costs */
    XtfWaitCause *causes;      /* the most costly first, then by steps, location, call path */
    uint32_t n;
} XtfWaitCauses;

/* Finds the causes of row `row` of `waits` of a location, an index in XtfLocations. XTF_ERROR_INVALID if there is no
 * such row. XTF_ERROR_DAMAGED if the row names rows that do not exist. The caller finishes `causes` also after an
 * error. */
bool xtf_wait_causes_find(XtfWaitCauses *causes, XtfTraceContext *context, uint32_t location, uint64_t row,
                          GError **error);
void xtf_wait_causes_finish(XtfWaitCauses *causes); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfWaitCauses, xtf_wait_causes_finish)
