/*
 * Collective operations of a window: their members, and the waits of a member.
 */
#pragma once

#include "src/analysis/formulas/collective-waits.h"
#include "src/analysis/kinds/kinds-private.h"

/* An arrival or an operation of a location, which others may wait for. */
typedef struct {
    bool known;
    uint32_t location;
    uint64_t time, seq, row;
    XtfKindArrival end;
} XtfWindowArrival;

/* An access that a member makes in a collective operation, in a call of its own. */
typedef struct {
    XtfKindCall *call; /* a reference */
    uint32_t peer;
    uint64_t seq;
} XtfWindowAccess;

typedef struct {
    bool ended, sends, receives, is_root;
    uint32_t location;
    uint32_t mode; /* XtfWindowMode bits; 0: not known */
    uint64_t begin, begin_seq, end, seq, row, sent;
    XtfKindCall *call;
    XtfWindowArrival last; /* last operation of another member on this one since the previous fence */
    GArray *accesses;      /* XtfWindowAccess, in the order of their begins; NULL: none */
} XtfWindowMember;

typedef struct {
    uint32_t n, n_ended, operation, comm;
    bool differs; /* the members disagree on the operation */
    bool fence;
    XtfWindowMember *members; /* by rank */
} XtfWindowOperation;

/* How a collective operation of UPC synchronises its members: bits of a sync level, divided by XTF_WINDOW_MODE. */
typedef enum {
    XTF_WINDOW_IN_ALL = 1, /* a member touches data only after all have begun */
    XTF_WINDOW_IN_OWN = 2, /* a member touches another's data only after that one has begun */
    XTF_WINDOW_IN_NONE = 4,
    XTF_WINDOW_OUT_ALL = 8, /* a member returns only after all have done their work */
    XTF_WINDOW_OUT_OWN = 16,
    XTF_WINDOW_OUT_NONE = 32,
    XTF_WINDOW_MODE = 256,
} XtfWindowMode;

void xtf_window_operation_free(void *operation);
void xtf_window_accesses_free(GArray *accesses); /* NULL is fine */

/* Returns the arrival of a member at a time, for which others wait. */
XtfWindowArrival xtf_window_arrival(const XtfWindowOperation *operation, const XtfMemberTime *time);
XtfCollectiveTimes xtf_window_times(const XtfWindowMember *member, uint32_t rank);
/* Returns a member's wait from `begin` to `end`, at most to the member's end, at the record of the member's end. It
 * ends at the arrival of `culprit`. */
XtfKindWait xtf_window_wait(XtfKinds *kinds, const XtfWindowOperation *operation, const XtfWindowMember *member,
                            uint8_t kind, uint64_t begin, uint64_t end, const XtfWindowArrival *culprit);

/* Adds the waits in an operation that has a mode, except waits of all for all. `summary` has all members. */
void xtf_window_mode_waits(XtfKinds *kinds, const XtfWindowOperation *operation, const XtfCollectiveSummary *summary,
                           XtfCollectiveShape shape);
