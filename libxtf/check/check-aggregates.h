/*
 * Checking the sums of an array: all that is stored of them is worked out again from the rows.
 */
#pragma once

#include "libxtf/array.h"

typedef struct {
    bool (*go_on)(void *data); /* asked at each leaf; false: the rest is left alone */
    void (*problem)(const char *message, void *data);
    void *data;
} XtfAggregateCheck;

/* The array's pages are sound, but for their sums. */
void xtf_check_aggregates(const XtfArray *array, const XtfAggregateCheck *check);
