/*
 * Matching messages: of a send its receive, of a receive its send, without a pass over the trace.
 *
 * The k-th message that a process sends in a group, a communicator, sender, receiver and tag, is the k-th for which the
 * receiver posted a receive in it (docs/VOCABULARY.md, section 5). So the other end is found by a rank on one side and
 * a select on the other. Times are not looked at: clocks may differ.
 *
 * Nothing lasts from one question to the next but caches. All functions may be called from any thread.
 */
#pragma once

#include "src/tables/match/matching.h"
#include "src/tables/match/order/message-order.h"

/* A row of an array of a location. */
typedef struct {
    uint32_t location; /* index in XtfLocations */
    uint64_t row;
} XtfMessageEnd;

/* How sure a pair of ends is. */
typedef enum {
    XTF_PAIR_CERTAIN,
    XTF_PAIR_LIKELY,    /* something was not recorded, but only one way to put the ends together makes sense */
    XTF_PAIR_UNCERTAIN, /* it is not known which ends belong together */
    XTF_PAIR_N_STATES,
} XtfPairState;

extern const char *const xtf_pair_states[XTF_PAIR_N_STATES]; /* words */

/* Why a pair is not certain. */
typedef enum {
    XTF_DOUBT_NONE,
    XTF_DOUBT_CANCELLED, /* the send was cancelled: it has no receive, and that is certain */
    XTF_DOUBT_PEER,      /* the communicator or the peer is not known */
    XTF_DOUBT_COUNTS,    /* the group has other numbers of sends and receives */
    XTF_DOUBT_BYTES,     /* the receive got another number of bytes than were sent */
    XTF_DOUBT_THREADS,   /* several threads sent, or received, in the group at one time */
    XTF_DOUBT_POSTING,   /* when the receive was posted is not known, or that of another one that counts in its place */
    XTF_DOUBT_OPEN,  /* a receive that was posted before is not complete, so the order behind it is not written yet */
    XTF_DOUBT_PROBE, /* the receive, or one of its group that was open with it, takes what was matched by a probe */
    XTF_N_DOUBTS,
} XtfPairDoubt;

extern const char *const xtf_pair_doubts[XTF_N_DOUBTS]; /* sentences */

/* A group, as both sides state it. */
typedef struct {
    uint64_t comm, sender, receiver, tag; /* processes */
    uint64_t at_sender[XTF_ENVELOPE_KEYS], at_receiver[XTF_ENVELOPE_KEYS];
} XtfMessageGroup;

typedef struct {
    XtfPairState state;
    XtfPairDoubt doubt;
    /* The end that was asked about is there, and the other one if there is one, or which one is known at all: not of
     * XTF_DOUBT_COUNTS, unless the pair is likely. */
    bool has_group, has_send, has_receive;
    XtfMessageGroup group;        /* with has_group */
    uint64_t k;                   /* the number, in its group, of the end that was asked about */
    uint64_t n_sends, n_receives; /* of the group, in the whole trace */
    XtfMessageEnd send;           /* of `sends` */
    XtfMessageEnd posting;        /* of `postings` */
    uint64_t receive;             /* row of `recvs`, of the posting's location */
    uint64_t sent_bytes, received_bytes;
} XtfMessage;

/* The message whose send is a row of `sends` of a location. XTF_ERROR_UNSUPPORTED if the trace's messages are not
 * matched. */
bool xtf_match_send(XtfMatching *matching, const XtfMessageEnd *send, XtfMessage *message, GError **error);
/* The message that was received by a row of `recvs`. */
bool xtf_match_receive(XtfMatching *matching, const XtfMessageEnd *receive, XtfMessage *message, GError **error);
/* The same, but of a pair that is not certain the other end need not be found: that can take long. */
bool xtf_match_send_if_certain(XtfMatching *matching, const XtfMessageEnd *send, XtfMessage *message, GError **error);
bool xtf_match_receive_if_certain(XtfMatching *matching, const XtfMessageEnd *receive, XtfMessage *message,
                                  GError **error);
