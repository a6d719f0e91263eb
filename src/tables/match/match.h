/*
 * Message matching: finds the receive of a send and the send of a receive, without a pass over the trace.
 *
 * A group is a communicator, sender, receiver and tag. The k-th message that a process sends in a group matches the
 * k-th receive that the receiver posted in it (docs/VOCABULARY.md, section 5). So a rank on one side and a select on
 * the other find the other end. Times are not used, since clocks may differ.
 *
 * Only caches are kept between queries. All functions may be called from any thread.
 */
#pragma once

#include "src/tables/match/matching.h"
#include "src/tables/match/message.h"

/* Finds the message of a row of `sends`. XTF_ERROR_UNSUPPORTED if the trace lacks what matching needs. */
bool xtf_match_send(XtfMatching *matching, const XtfMessageEnd *send, XtfMessage *message, GError **error);
/* Finds the message of a row of `recvs`. */
bool xtf_match_receive(XtfMatching *matching, const XtfMessageEnd *receive, XtfMessage *message, GError **error);
/* Finds the message of a send. May skip the search for the other end of an uncertain pair, which can take long. */
bool xtf_match_send_if_certain(XtfMatching *matching, const XtfMessageEnd *send, XtfMessage *message, GError **error);
bool xtf_match_receive_if_certain(XtfMatching *matching, const XtfMessageEnd *receive, XtfMessage *message,
                                  GError **error);
/* Sets *before if the message of a row of `recvs` was sent before the kept time of the trace. False if it is unknown.
 */
bool xtf_match_was_sent_before(XtfMatching *matching, const XtfMessageEnd *receive, bool *before, GError **error);
/* Counts the sends and the postings of a group before the kept time. `posting`: a row of `postings` of the group, in a
 * location by its index. */
bool xtf_match_count_removed(XtfMatching *matching, uint32_t location, const uint8_t *posting, uint64_t *sends,
                             uint64_t *postings, GError **error);
