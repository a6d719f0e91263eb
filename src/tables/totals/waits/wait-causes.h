/*
 * Why one wait was: what those who were late had done more than those who waited for them, call path by call path.
 *
 * It is worked out from the records, by the rules of the analysis (src/analysis/causes/causes.h). Between the last
 * meeting of both sides and the wait, what the late one did on a call path beyond what the other one did there is its
 * delay; of a wait of w ticks, a delay of d is charged with w d / (D + W), where D is the sum of delays, and W that of
 * the late one's own waits in between; of a message, with d at most. What falls to those waits is passed on, in
 * proportion, to whoever made the late one wait: there it is divided in the same way, and so on.
 *
 * Of the late one itself costs are exact, and rounded so that they and what is passed on add up to the wait, or to
 * D + W. What comes from further back is found with real numbers, and rounded to what is passed on.
 *
 * For each wait that is followed some 100 descents, and a walk over the calls of both sides since they met. At most
 * some thousands are followed, and so many calls as a second is enough for: the rest is not explained. Any thread.
 */
#pragma once

#include "src/trace/context/trace-context.h"

typedef struct {
    uint64_t steps;    /* waits that it was passed on through; 0: of the one that this wait was for */
    uint32_t location; /* that was late: index in XtfLocations */
    uint64_t region;   /* row of `regions`; UINT64_MAX: outside of all calls */
    uint64_t callpath; /* row of `contexts`; likewise */
    uint64_t cost;     /* ticks, not 0 */
} XtfWaitCause;

typedef struct {
    bool known;           /* who was late, and the record that was waited for, which is... */
    uint32_t culprit;     /* ...of this location: index in XtfLocations */
    uint64_t culprit_seq; /* ...and this one of its records */
    uint64_t amount;
    uint64_t direct, indirect; /* what the late one's delays cost, and what its own waits passed on */
    uint64_t unexplained;      /* of the amount: beside all costs */
    XtfWaitCause *causes;
    uint32_t n; /* the most costly first, then by steps, location, call path */
} XtfWaitCauses;

/* Of row `row` of `waits` of a location, an index in XtfLocations. XTF_ERROR_INVALID if there is no such row, and
 * XTF_ERROR_DAMAGED if it leads to rows that are none. Outputs are to be finished. */
bool xtf_wait_causes_find(XtfWaitCauses *causes, XtfTraceContext *context, uint32_t location, uint64_t row,
                          GError **error);
void xtf_wait_causes_finish(XtfWaitCauses *causes); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfWaitCauses, xtf_wait_causes_finish)
