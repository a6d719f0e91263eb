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
#include "src/tables/match/match.h"

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

bool xtf_message_times(XtfMatching *matching, const XtfMessage *message, XtfMessageTimes *times, GError **error);
/* Finds when a message with both ends was sent and received. Reads no calls. */
bool xtf_message_record_times(XtfMatching *matching, const XtfMessage *message, uint64_t *sent, uint64_t *received,
                              GError **error);
