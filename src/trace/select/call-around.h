/*
 * The call that a record happened in: the innermost one that is open there.
 */
#pragma once

#include "src/trace/context/trace-context.h"

/* The ENTER that row n of `enters_leaves` leads to: of a LEAVE its own, of an ENTER the one around it. False if it
 * leads to none. */
bool xtf_call_around_row(const XtfArray *calls, uint64_t n, const uint8_t *row, uint64_t *enter);

/* The ENTER of the innermost call that is open at a record of time t and number `seq`. `calls` are the location's
 * `enters_leaves`; t is of their clock. *found is false if none is open. */
bool xtf_call_around(const XtfTraceContext *context, const XtfArray *calls, uint64_t t, uint64_t seq, uint64_t *n,
                     bool *found, GError **error);
