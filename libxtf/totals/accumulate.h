/*
 * Adding rows to group totals; for aggregates of frames also carrying the call stack from row to row. The writer adds
 * all rows, the reader only rows at the edges of a range. This code does not depend on pages.
 */
#pragma once

#include "libxtf/totals/frame-stack.h"

/*
 * Adds `count` contiguous rows to totals of full depth, and moves the stack behind them; aggregates of groups do not
 * use the stack. Rows are valid in themselves, but their distances may be wrong: a distance that leads to no frame of
 * the stack counts as 0. Fails only if the loader fails; a stack without outer frames needs no loader (NULL). For
 * frames, totals may be NULL: then only the stack moves.
 */
bool xtf_accumulate_rows(const XtfSchema *schema, const XtfAggregate *aggregate, const uint8_t *rows, uint32_t count,
                         XtfFrameStack *stack, const XtfFrameLoader *loader, XtfGroupTotals *totals, GError **error);

/* Stores the key of a row's group in `key`: aggregate->n_keys values. */
void xtf_aggregate_row_key(const XtfSchema *schema, const XtfAggregate *aggregate, const uint8_t *row, uint64_t *key);
