/*
 * Adds rows to group totals. For aggregates of frames it also carries the call stack from row to row. The writer runs
 * all rows through this, the reader those at the edges of a range. Nothing here knows of pages.
 */
#pragma once

#include "libxtf/totals/frame-stack.h"

/*
 * Adds `count` rows, side by side, to totals of full depth, and moves the stack on behind them; aggregates of groups
 * leave the stack alone. Rows are sound in themselves but may lie about distances: a distance that leads to no frame of
 * the stack is taken for 0. Fails only if the loader does; a stack without outer frames needs none (NULL). Without
 * totals (NULL), for frames only, the stack moves on and nothing is added.
 */
bool xtf_accumulate_rows(const XtfSchema *schema, const XtfAggregate *aggregate, const uint8_t *rows, uint32_t count,
                         XtfFrameStack *stack, const XtfFrameLoader *loader, XtfGroupTotals *totals, GError **error);

/* The key of the group that a row is in: aggregate->n_keys values. */
void xtf_aggregate_row_key(const XtfSchema *schema, const XtfAggregate *aggregate, const uint8_t *row, uint64_t *key);
