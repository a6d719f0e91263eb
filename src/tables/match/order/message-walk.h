/*
 * Walks along one side of a group: places of messages and numbers of rows, in ascending order.
 *
 * A walk keeps its place. From there it reads the rows of the location, and so it finds a message near by without a
 * rank or a select. After XTF_WALK_REACH rows it asks the index. So a query costs at most a rank or a select, and these
 * rows. For an earlier message, or if several locations have messages of the side, it asks the index at once.
 *
 * Only one thread at a time may use a walk.
 */
#pragma once

#include "src/tables/match/order/message-order.h"

enum {
    XTF_WALK_REACH = 512, /* rows that are read before the index is asked: less than an index query costs */
};

typedef struct {
    const XtfMessageSide *side; /* borrowed */
    uint32_t reach;             /* XTF_WALK_REACH, which a test may change. 0: the index finds every message */
    /* Private. */
    uint32_t only; /* the only location with messages of the side; process->n: several, or none */
    bool placed;   /* the cursor is at message `number` */
    uint64_t number;
    XtfCursor cursor;
    bool has_rows; /* the index of the only location has all messages of the group in `rows` */
    XtfGroupRows rows;
} XtfMessageWalk;

/* Makes a walk without a place. Borrows the side. */
void xtf_message_walk_init(XtfMessageWalk *walk, const XtfMessageSide *side);
void xtf_message_walk_finish(XtfMessageWalk *walk); /* accepts all zeros; may be called twice */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMessageWalk, xtf_message_walk_finish)

/* Finds what xtf_message_select() finds: the place of message k. */
bool xtf_message_walk_select(XtfMessageWalk *walk, uint64_t k, XtfMessagePlace *place, bool *found, GError **error);
/* Finds the number of a message of the group, as xtf_message_rank() does. The message is not cancelled. */
bool xtf_message_walk_rank(XtfMessageWalk *walk, const XtfMessagePlace *place, uint64_t *k, GError **error);
