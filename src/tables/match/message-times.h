/*
 * Times of a message, and its wait: late sender or late receiver, by the formulas of Scalasca 2.6 (MPI.pattern), for
 * each message separately. A call that completes several messages waits for one of them only, which is not determined
 * here.
 *
 *     late sender     min(enter(send), leave(receive)) - enter(receive), where `receive` is the call in which the
 *                     receive is complete, unless that is an MPI_Test*
 *     late receiver   enter(posting) - enter(completion of the send), if that call lasts until the posting, and is a
 *                     blocking send or an MPI_Wait*
 *
 * The formulas compare times of two processes. A send that begins after the end of its receive shows that their clocks
 * disagree: a clock violation, for which no wait is computed.
 */
#pragma once

#include "src/model/schemas.h"
#include "src/tables/match/matching.h"
#include "src/tables/match/message-calls.h"
#include "src/tables/match/message.h"

typedef enum {
    XTF_WAIT_NONE,
    XTF_WAIT_LATE_SENDER,
    XTF_WAIT_LATE_RECEIVER,
    XTF_WAIT_CLOCK_VIOLATION,
} XtfMessageWait;

/* Returns the word of a wait; for late senders and receivers, the name of the wait kind. "-": no wait. */
const char *xtf_message_wait_word(XtfMessageWait wait);

enum {
    XTF_REQUESTS_LOOKED_AT = 4096, /* most rows to read after a non-blocking send, for its completion */
};

/* Times in global ticks. */
typedef struct {
    uint64_t sent, posted, received; /* valid for the ends that the message has */
    uint32_t sent_from, posted_from; /* sites of the calls that send and post; XTF_NONE32: none */
    XtfMessageWait wait;             /* valid for a message with both ends */
    uint64_t ticks;                  /* duration of the wait */
} XtfMessageTimes;

/* Finds times of messages. Keeps the processes and the leaves of the last message. So messages between the same
 * locations, in the order of their rows, cost few descents. Only one thread at a time may use it. */
typedef struct {
    XtfMatching *matching; /* borrowed */
    /* Private. */
    XtfMessageProcess *sender, *receiver; /* taken; NULL: not taken yet */
    const XtfMessageLocation *from, *to;
    XtfCallFinder sends, postings, receives, completions;
    XtfCursor send_row, receive_row;
    uint32_t n_uses; /* number of calls whose use was needed */
} XtfMessageTimer;

/* The calls around the ends that a message has. */
typedef struct {
    XtfMessageCall send, posting, receive;
    bool blocking; /* true: the posting is the receive, and `receive` is not used */
} XtfMessageEnds;

void xtf_message_timer_init(XtfMessageTimer *timer, XtfMatching *matching); /* borrows the matching */
void xtf_message_timer_finish(XtfMessageTimer *timer);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMessageTimer, xtf_message_timer_finish)
/* Finds the times of a message, as xtf_message_times() does. */
bool xtf_message_timer_times(XtfMessageTimer *timer, const XtfMessage *message, XtfMessageTimes *times, GError **error);

/* Steps of xtf_message_timer_times(), for many messages whose calls the caller finds in another order. */

/* True if the call of the send is needed: for the wait of a message with both ends, or for the site. Otherwise only its
 * `record` and `site` are. */
bool xtf_message_needs_send_call(const XtfMatching *matching, const XtfMessage *message);
/* Reads the record of a message's receive, which has one. Sets *blocking if the record is also the posting. */
bool xtf_message_timer_receive(XtfMessageTimer *timer, const XtfMessage *message, XtfMessageRecord *receive,
                               bool *blocking, GError **error);
/* Finds the times of a message by the calls around its ends. */
bool xtf_message_timer_wait(XtfMessageTimer *timer, const XtfMessage *message, const XtfMessageEnds *calls,
                            XtfMessageTimes *times, GError **error);

bool xtf_message_times(XtfMatching *matching, const XtfMessage *message, XtfMessageTimes *times, GError **error);
/* Finds when a message with both ends was sent and received. Reads no calls. */
bool xtf_message_record_times(XtfMatching *matching, const XtfMessage *message, uint64_t *sent, uint64_t *received,
                              GError **error);
