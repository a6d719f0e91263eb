/*
 * Which of a type's aggregates answers a question: one that is by the keys that are asked for, adds up what is asked
 * for, and tells the rows of the selection from others.
 */
#pragma once

#include "src/trace/select/aggregate-ref.h"

typedef struct {
    const char *const *keys;   /* names of the first keys, in this order; ends with NULL */
    const char *const *values; /* names of fields, plain unsigned integers; ends with NULL */
} XtfAggregateNeed;

/* The first aggregate of groups that has what is needed. False, and a ref that is all zeros, if there is none. */
bool xtf_aggregate_choose(XtfAggregateRef *ref, const XtfSchema *schema, const XtfSelection *selection,
                          const XtfAggregateNeed *need);
