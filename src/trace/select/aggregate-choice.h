/*
 * The choice of an aggregate of a record type. It must have the keys and sums that the caller needs, and its keys must
 * suffice to decide which rows are in the selection.
 */
#pragma once

#include "src/trace/select/aggregate-ref.h"

typedef struct {
    const char *const *keys;   /* names of the first keys, in this order; ends with NULL */
    const char *const *values; /* names of fields, plain unsigned integers; ends with NULL */
} XtfAggregateNeed;

/* Finds the first aggregate of groups with the keys and values of `need`. False, with an all-zero ref, if none has. */
bool xtf_aggregate_choose(XtfAggregateRef *ref, const XtfSchema *schema, const XtfSelection *selection,
                          const XtfAggregateNeed *need);
