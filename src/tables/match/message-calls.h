/*
 * Calls in which messages are sent, posted and received.
 */
#pragma once

#include "libxtf/frame-finder.h"
#include "src/model/schemas.h"
#include "src/tables/match/matching.h"

/* A call from `enter` to `leave`, in global ticks. A record outside of all calls gets a call of no duration. */
typedef struct {
    uint64_t enter, leave;
    unsigned use;    /* XTF_CALL_ bits of the called function, if has_use; else see xtf_call_finder_use() */
    bool has_use;    /* false: the finder left out the function */
    bool found;      /* true if the record is in a call */
    uint64_t record; /* time of the record */
    uint64_t row;    /* row of the call's ENTER in `enters_leaves` */
    uint32_t site;   /* row of `sites`; XTF_NONE32: none */
} XtfMessageCall;

/*
 * Finds calls of one location. The leaf of the last call stays pinned. So the call of a record near by costs no
 * descent. Only one thread at a time may use a finder.
 */
typedef struct {
    XtfMatching *matching;              /* borrowed */
    const XtfMessageLocation *location; /* borrowed */
    bool without_uses;                  /* set by the caller: the uses of most calls are not needed */
    XtfFrameFinder *frames;             /* private; NULL: not needed yet */
    XtfCursor cursor;                   /* private */
} XtfCallFinder;

void xtf_call_finder_init(XtfCallFinder *finder, XtfMatching *matching, const XtfMessageLocation *location);
void xtf_call_finder_finish(XtfCallFinder *finder); /* accepts all zeros; may be called twice */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCallFinder, xtf_call_finder_finish)
/* Makes the finder find calls of a location. Keeps the leaf if it is of that location already. */
void xtf_call_finder_turn(XtfCallFinder *finder, XtfMatching *matching, const XtfMessageLocation *location);

/* Finds the call around record `seq` at global time t. */
bool xtf_call_finder_at(XtfCallFinder *finder, uint64_t t, uint64_t seq, XtfMessageCall *call, GError **error);
/* Finds the use of a call of the finder's location, which this or another finder found. */
bool xtf_call_finder_use(XtfCallFinder *finder, const XtfMessageCall *call, unsigned *use, GError **error);
/* Finds the call around a row of `sends` or `postings`. */
bool xtf_call_finder_of(XtfCallFinder *finder, XtfMessagesKind kind, const uint8_t *row, XtfMessageCall *call,
                        GError **error);

/* Finds the call around row n of `sends` or `postings` of a location. */
bool xtf_message_call_of(XtfMatching *matching, const XtfMessageLocation *location, XtfMessagesKind kind, uint64_t n,
                         XtfMessageCall *call, GError **error);
