/*
 * Calls in which messages are sent, posted and received.
 */
#pragma once

#include "src/model/schemas.h"
#include "src/tables/match/matching.h"

/* A call from `enter` to `leave`, in global ticks. A record outside of all calls gets a call of no duration. */
typedef struct {
    uint64_t enter, leave;
    unsigned use;    /* XTF_CALL_ bits of the called function */
    bool found;      /* true if the record is in a call */
    uint64_t record; /* time of the record */
    uint64_t row;    /* row of the call's ENTER in `enters_leaves` */
    uint32_t site;   /* row of `sites`; XTF_NONE32: none */
} XtfMessageCall;

/* Finds the call around record `seq` at global time t of a location. */
bool xtf_message_call_at(XtfMatching *matching, const XtfMessageLocation *location, uint64_t t, uint64_t seq,
                         XtfMessageCall *call, GError **error);
/* Finds the call around a row of `sends` or `postings`. */
bool xtf_message_call_of(XtfMatching *matching, const XtfMessageLocation *location, XtfMessagesKind kind, uint64_t n,
                         XtfMessageCall *call, GError **error);
/* Finds the call around a row of `recvs`. */
bool xtf_message_call_of_receive(XtfMatching *matching, const XtfMessageLocation *location, uint64_t n,
                                 XtfMessageCall *call, GError **error);
