/*
 * When a message was sent, posted and received, and who waited for whom: late senders and late receivers, by the
 * formulas of Scalasca 2.6 (MPI.pattern), each message by itself. A call that completes several messages waits for one
 * of them only; which one is not looked at here.
 *
 *     late sender     min(enter(send), leave(receive)) - enter(receive), where `receive` is the call in which the
 *                     receive is complete, unless that is an MPI_Test*
 *     late receiver   enter(posting) - enter(completion of the send), if that call lasts until the posting, and is a
 *                     blocking send or an MPI_Wait*
 *
 * These compare times of two processes. A send that begins after its receive is over shows that their clocks disagree:
 * a clock violation, for which no wait is told.
 */
#pragma once

#include "src/tables/match/match.h"

typedef enum {
    XTF_WAIT_NONE,
    XTF_WAIT_LATE_SENDER,
    XTF_WAIT_LATE_RECEIVER,
    XTF_WAIT_CLOCK_VIOLATION,
} XtfMessageWait;

/* Returns the word of a wait, of late ones the name of the kind; "-": none. */
const char *xtf_message_wait_word(XtfMessageWait wait);

enum {
    XTF_REQUESTS_LOOKED_AT = 4096, /* behind a send without blocking: for its completion */
};

/* Global ticks. */
typedef struct {
    uint64_t sent, posted, received; /* of the ends that the message has */
    XtfMessageWait wait;             /* of a message with both ends */
    uint64_t ticks;                  /* waited */
} XtfMessageTimes;

bool xtf_message_times(XtfMatching *matching, const XtfMessage *message, XtfMessageTimes *times, GError **error);
/* Only when a message that has both ends was sent and received. */
bool xtf_message_record_times(XtfMatching *matching, const XtfMessage *message, uint64_t *sent, uint64_t *received,
                              GError **error);
