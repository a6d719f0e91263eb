/*
 * Why one wait was: what the location that was late had done more than the one that waited for it, call path by call
 * path, as the analysis charged it for the record that was waited for.
 *
 * Of a message that is the wait's own: costs, what is indirect, and what nobody can explain add up to its amount. Of an
 * operation of many it is what all its members that waited cost together, and the wait is one of them.
 *
 * Some 25 descents. Any thread.
 */
#pragma once

#include "src/query/context/trace-context.h"

typedef struct {
    uint64_t region, context; /* rows of `regions` and `contexts`; UINT64_MAX: outside of all calls */
    uint64_t cost;            /* ticks */
} XtfWaitCause;

typedef struct {
    bool known;           /* who was late, and the record that was waited for, which is... */
    uint32_t culprit;     /* ...of this location: index in XtfLocations */
    uint64_t culprit_seq; /* ...and this one of its records */
    bool shared;          /* of an operation: the costs are those of all that waited */
    uint64_t amount, indirect;
    uint64_t charged; /* the sum of the costs */
    XtfWaitCause *causes;
    uint32_t n; /* the most costly first, then by context */
} XtfWaitCauses;

/* Of row `row` of `waits` of a location, an index in XtfLocations. XTF_ERROR_INVALID if there is no such row, and
 * XTF_ERROR_DAMAGED if it leads to rows that are none. Outputs are to be finished. */
bool xtf_wait_causes_find(XtfWaitCauses *causes, XtfTraceContext *context, uint32_t location, uint64_t row,
                          GError **error);
void xtf_wait_causes_finish(XtfWaitCauses *causes); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfWaitCauses, xtf_wait_causes_finish)
