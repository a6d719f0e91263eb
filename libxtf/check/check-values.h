/*
 * Checking values: the strings that rows refer to, and the limits that the catalog states of each field.
 */
#pragma once

#include "libxtf/check/check-aggregates.h"

typedef struct XtfValueCheck XtfValueCheck;

/* Walks the heap of strings. `check` is borrowed. */
XtfValueCheck *xtf_value_check_new(XtfTrace *trace, const XtfAggregateCheck *check);
void xtf_value_check_free(XtfValueCheck *values); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfValueCheck, xtf_value_check_free)

/* Rows of an array or a table, side by side. */
void xtf_value_check_rows(XtfValueCheck *values, const XtfSchema *schema, const uint8_t *rows, uint64_t count);
/* Compares the limits. `all`: every row of the trace was passed. */
void xtf_value_check_limits(XtfValueCheck *values, bool all);
