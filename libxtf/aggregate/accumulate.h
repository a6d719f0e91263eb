/*
 * Summers: what rows add to totals, and the state that this takes. The writer has one for each sums of an array; the
 * reader makes one for the rows at an interval's edge. Nothing here knows of pages.
 */
#pragma once

#include "libxtf/aggregates.h"

enum {
    XTF_SNAPSHOT_FRAMES = 64, /* of the stack, that the index keeps for each leaf: the innermost ones */
    /* Groups that the index keeps for each child, at most; and at most once those of the children before it take so
     * many bytes as rows. It bounds what a page's children take in memory, the writer's and the reader's. */
    XTF_CHILD_GROUPS = 1024,
    XTF_CHILD_GROUPS_LEAST = 32,
    XTF_TABLE_BYTES = 16 << 20,
};

/* The stack between two rows. Sums of groups leave it alone. */
typedef struct {
    GArray *frames; /* XtfOpenFrame, outermost first */
    uint64_t below; /* row, plus 1, that began the frame around the first of these; 0: there is none */
    uint64_t n;     /* the next row's number */
    uint64_t time;  /* of the row before it; means nothing where there is none */
} XtfFrameStack;

void xtf_frame_stack_init(XtfFrameStack *stack); /* before row 0 */
void xtf_frame_stack_finish(XtfFrameStack *stack);
void xtf_frame_stack_copy(XtfFrameStack *to, const XtfFrameStack *from); /* `to` is initialised */

/* Puts what lies below under the stack's frames, the frame of row below - 1 at least, and sets `below` anew, to less
 * than it was. Where the stack is whole it is never called; a reader's leads to earlier leaves. */
typedef struct {
    bool (*load)(XtfFrameStack *stack, void *data, GError **error);
    void *data;
} XtfFrameLoader;

/*
 * Adds what `count` rows, side by side, add to the totals (of full depth), and moves the stack on behind them. Rows are
 * sound in themselves but may lie about distances: a distance that leads to no frame of the stack is taken for none.
 * Fails only where `deepen` does; without one (NULL), when all frames are known, never.
 */
bool xtf_accumulate_rows(const XtfSchema *schema, const XtfAggregate *aggregate, const uint8_t *rows, uint32_t count,
                         XtfFrameStack *stack, const XtfFrameLoader *loader, XtfGroupTotals *totals, GError **error);

/* The key of the group that a row is in: sums->n_keys values. */
void xtf_aggregate_row_key(const XtfSchema *schema, const XtfAggregate *aggregate, const uint8_t *row, uint64_t *key);
