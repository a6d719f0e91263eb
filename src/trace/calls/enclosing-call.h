/*
 * The call that contains a record: the innermost call that is open at the record.
 */
#pragma once

#include "src/trace/context/trace-context.h"

/* Returns the ENTER that row n of `enters_leaves` points to: for a LEAVE its own ENTER, for an ENTER the one around it.
 * False if the row points to no ENTER. */
bool xtf_row_linked_enter(const XtfArray *calls, uint64_t n, const uint8_t *row, uint64_t *enter);

/* Finds the ENTER of the innermost call that is open at a record of time t and number `seq`. `calls` are the location's
 * `enters_leaves`; t is of their clock. Sets *found to false if no call is open. */
bool xtf_enclosing_call_find(const XtfTraceContext *context, const XtfArray *calls, uint64_t t, uint64_t seq,
                             uint64_t *n, bool *found, GError **error);
