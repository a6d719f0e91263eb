/*
 * Finders of messages: one end's message, by the numbers of its group.
 *
 * A finder keeps the group of its last message: the numbers of sends and receives, and its places on both sides. So
 * messages of one group, in the order of their rows, cost a few rows each. Another group costs a rank, a select and two
 * counts. Memory is bounded: a few leaves and some 8 KB.
 *
 * Only one thread at a time may use a finder.
 */
#pragma once

#include "src/tables/match/message-shifts.h"
#include "src/tables/match/message.h"
#include "src/tables/match/order/message-walk.h"

typedef struct {
    XtfMatching *matching; /* borrowed */
    bool only_certain;     /* true: skip the search for the other end of an uncertain pair */
    uint32_t reach;        /* of the walks; XTF_WALK_REACH unless a test changes it */
    /* Private. */
    XtfMessage *message;
    XtfMessageProcess *sender, *receiver; /* taken; NULL: not taken yet */
    XtfCursor sends_row, postings_row;
    bool by_sender; /* the queried end is the send */
    /* The group of the last end: */
    bool has_envelope, has_group, counted, removed_known[2];
    uint64_t envelope[XTF_ENVELOPE_KEYS]; /* as the queried end records it */
    XtfMessageGroup group;
    XtfMessageSide sends, postings;
    XtfMessageWalk send_walk, posting_walk;
    uint64_t n_sends, n_receives;
    uint64_t removed[2]; /* before the kept time: [false] postings, [true] sends */
    XtfShiftedGroup shifted;
} XtfMessageFinder;

void xtf_message_finder_init(XtfMessageFinder *finder, XtfMatching *matching); /* borrows the matching */
void xtf_message_finder_finish(XtfMessageFinder *finder);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMessageFinder, xtf_message_finder_finish)

/* Finds the message of a row of `sends`, as xtf_match_send() does. */
bool xtf_message_finder_send(XtfMessageFinder *finder, const XtfMessageEnd *send, XtfMessage *message, GError **error);
/* Finds the message of a row of `recvs`, as xtf_match_receive() does. */
bool xtf_message_finder_receive(XtfMessageFinder *finder, const XtfMessageEnd *receive, XtfMessage *message,
                                GError **error);
/* Finds whether a message was sent before the kept time, as xtf_match_was_sent_before() does. */
bool xtf_message_finder_was_sent_before(XtfMessageFinder *finder, const XtfMessageEnd *receive, bool *before,
                                        GError **error);
/* Counts the messages of a group before the kept time, as xtf_match_count_removed() does. */
bool xtf_message_finder_count_removed(XtfMessageFinder *finder, uint32_t location, const uint8_t *posting,
                                      uint64_t *sends, uint64_t *postings, GError **error);
