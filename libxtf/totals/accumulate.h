/*
 * Adding rows to group totals; for aggregates of frames also carrying the call stack from row to row. The writer adds
 * all rows, the reader only rows at the edges of a range. This code does not depend on pages.
 */
#pragma once

#include "libxtf/pack/pack.h"
#include "libxtf/totals/frame-stack.h"

/*
 * Adds `count` contiguous rows to totals of full depth, and moves the stack behind them; aggregates of groups do not
 * use the stack. Rows are valid in themselves, but their distances may be wrong: a distance that leads to no frame of
 * the stack counts as 0. Fails only if the loader fails; a stack without outer frames needs no loader (NULL). For
 * frames, totals may be NULL: then only the stack moves.
 */
bool xtf_accumulate_rows(const XtfSchema *schema, const XtfAggregate *aggregate, const uint8_t *rows, uint32_t count,
                         XtfFrameStack *stack, const XtfFrameLoader *loader, XtfGroupTotals *totals, GError **error);

/* The rows of a leaf as columns of frames, added one after another. */
typedef struct {
    const XtfFrameColumns *columns;
    uint32_t next;  /* the next row, counted from the leaf's first one */
    uint64_t chain; /* the row that the next row leads to if it is chained; UINT64_MAX: not known */
    bool nests;     /* every row of the leaf is known to end the top frame or to begin one in it */
} XtfFrameWalk;

/* Returns a walk from row `next`, which is 0 unless all rows of the leaf nest. */
static inline XtfFrameWalk xtf_frame_walk(const XtfFrameColumns *columns, uint32_t next, bool nests)
{
    return (XtfFrameWalk){.columns = columns, .next = next, .chain = UINT64_MAX, .nests = nests};
}

/*
 * Adds rows [walk->next, to) of a leaf to totals of full depth, and moves the stack behind them. The totals may be
 * NULL. Stops before a row that does not end the top frame or begin one in it, or whose target is not known here. The
 * caller adds that row and all later ones by xtf_accumulate_rows().
 */
void xtf_accumulate_frames(XtfFrameWalk *walk, uint32_t to, XtfFrameStack *stack, XtfGroupTotals *totals);

/* Stores the key of a row's group in `key`: aggregate->n_keys values. */
void xtf_aggregate_row_key(const XtfSchema *schema, const XtfAggregate *aggregate, const uint8_t *row, uint64_t *key);
