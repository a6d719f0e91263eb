/*
 * Messages: both ends, the group, and the certainty of the pair.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/tables/match/order/message-types.h"

/* A row of an array of a location. */
typedef struct {
    uint32_t location; /* index in XtfLocations */
    uint64_t row;
} XtfMessageEnd;

/* Certainty of a pair of ends. */
typedef enum {
    XTF_PAIR_CERTAIN,
    XTF_PAIR_LIKELY,    /* some records are missing, but only one pairing is consistent */
    XTF_PAIR_UNCERTAIN, /* the pairing of the ends is unknown */
    XTF_PAIR_N_STATES,
} XtfPairState;

extern const char *const xtf_pair_states[XTF_PAIR_N_STATES]; /* words */

/* Reasons why a pair is not certain. */
typedef enum {
    XTF_DOUBT_NONE,
    XTF_DOUBT_CANCELLED, /* the send was cancelled; it certainly has no receive */
    XTF_DOUBT_PEER,      /* the communicator or the peer is unknown */
    XTF_DOUBT_COUNTS,    /* the group's numbers of sends and receives differ */
    XTF_DOUBT_BYTES,     /* the number of bytes received differs from the number sent */
    XTF_DOUBT_THREADS,   /* several threads sent, or received, in the group at the same time */
    XTF_DOUBT_POSTING,   /* the time of posting is unknown, of this receive or of a later one in the group */
    XTF_DOUBT_OPEN,      /* an earlier posted receive is not complete, so later postings are not written yet */
    XTF_DOUBT_REMOVED,   /* the other end, or the posting, is before the kept time */
    XTF_DOUBT_PROBE,     /* a probe matched the message of this receive, or of one of its group that was open with it */
    XTF_N_DOUBTS,
} XtfPairDoubt;

extern const char *const xtf_pair_doubts[XTF_N_DOUBTS]; /* sentences */

/* A group, with its envelope as each side records it. */
typedef struct {
    uint64_t comm, sender, receiver, tag; /* `sender` and `receiver` are processes, not ranks */
    uint64_t at_sender[XTF_ENVELOPE_KEYS], at_receiver[XTF_ENVELOPE_KEYS];
} XtfMessageGroup;

/* Time in global ticks, and number in the order of its location's records. */
typedef struct {
    uint64_t t, seq;
} XtfMessageRecord;

typedef struct {
    XtfPairState state;
    XtfPairDoubt doubt;
    /* The queried end is present. The other end is present if it exists and is identified: with XTF_DOUBT_COUNTS only
     * if the pair is likely. */
    bool has_group, has_send, has_receive;
    XtfMessageGroup group;        /* valid with has_group */
    uint64_t k;                   /* number of the queried end in its group */
    uint64_t n_sends, n_receives; /* of the group in the whole trace */
    XtfMessageEnd send;           /* its row is one of `sends` */
    XtfMessageEnd posting;        /* its row is one of `postings` */
    uint64_t receive;             /* row of `recvs` of the posting's location */
    uint64_t sent_bytes, received_bytes;
    XtfMessageRecord sent, posted; /* of the rows of `sends` and `postings` */
} XtfMessage;
