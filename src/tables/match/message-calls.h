/*
 * The calls in which messages are sent, posted and received.
 */
#pragma once

#include "src/tables/match/matching.h"

/* From `enter` to `leave`, global ticks; a record in no call is in one of no duration. */
typedef struct {
    uint64_t enter, leave;
    unsigned use;    /* XTF_CALL_ bits */
    bool found;      /* it is in a call */
    uint64_t record; /* the time of the record */
    uint64_t row;    /* of `enters_leaves` */
} XtfMessageCall;

/* The call around record `seq` at global time t, of a location of a process. */
bool xtf_message_call_at(XtfMatching *matching, const XtfMessageLocation *location, uint64_t t, uint64_t seq,
                         XtfMessageCall *call, GError **error);
/* The same of a row of `sends` or `postings`. */
bool xtf_message_call_of(XtfMatching *matching, const XtfMessageLocation *location, XtfMessagesKind kind, uint64_t n,
                         XtfMessageCall *call, GError **error);
/* The same of a row of `recvs`. */
bool xtf_message_call_of_receive(XtfMatching *matching, const XtfMessageLocation *location, uint64_t n,
                                 XtfMessageCall *call, GError **error);
