/*
 * Checking the aggregates of an array: all stored totals and snapshots are computed again from the rows.
 */
#pragma once

#include "libxtf/array.h"

typedef struct {
    bool (*go_on)(void *data); /* called at each leaf; false: the check stops */
    void (*problem)(const char *message, void *data);
    void *data;
} XtfAggregateCheck;

/* The array's pages must be sound; their stored totals need not be. */
void xtf_check_aggregates(const XtfArray *array, const XtfAggregateCheck *check);
