/*
 * Types and functions of the forward pass.
 *
 *   find.c             the pass: a consumer of the replay; MPI_Init and MPI_Finalize
 *   find-points.c      functions that all files use
 *   find-kinds.c       waits that need no messages
 *   find-messages.c    waits for messages
 *   find-progress.c    waits until the other side of a message enters MPI again
 *   find-operations.c  waits in collective operations
 */
#pragma once

#include "src/analysis/waits/find.h"

/* A record at one end of a message, with its call. */
typedef struct {
    uint64_t seq, row, time, enter, leave, call;
    uint32_t location, region, callpath;
    uint8_t kind; /* XtfMpiCall */
} XtfEnd;

/* A message until both its receive and the completion of its send are known. */
typedef struct {
    XtfEnd send;
    XtfEnd first_known; /* the completion of the send or the posting of the receive, whichever is known first */
    XtfEnd recv;
    uint64_t recv_row, bytes;
    uint64_t beside; /* what the consumer `beside` returned for the send */
    uint32_t comm, tag;
    bool used, is_sent, is_received, dropped; /* dropped: no receive matches it */
    uint32_t next_free;
} XtfSent;

/* A late sender that the location received recently; see find-messages.c. */
typedef struct {
    uint64_t seq, sent, amount;
    uint32_t sender;
} XtfRecent;

/* A call that waits for several messages. */
typedef struct {
    uint32_t location;
    uint64_t call;
    uint32_t pending;  /* sends that it completes and whose receives are not known yet */
    bool closed;       /* the call has no more records */
    uint32_t pairs[2]; /* the longest waits for a sender and for a receiver: numbers of XtfFindPair plus 1; 0: none */
    uint64_t sent, receiver_seq; /* of the message of pairs[0]; of the send of pairs[1] */
    uint32_t sender;
} XtfManyWait;

/* The points of both sides of a wait. */
typedef struct {
    XtfPoint waits, awaited;
    uint32_t next_free; /* plus 1 */
} XtfFindPair;

/* A message that was taken after a blocking probe whose own message is not received yet. */
typedef struct {
    uint64_t seq, sent;
    uint32_t sender;
} XtfTaken;

typedef struct {
    GArray *recent;    /* XtfRecent */
    GArray *taken;     /* XtfTaken, while `probes` > 0 */
    uint32_t probes;   /* number of blocking probes whose messages are not received yet */
    uint64_t latest;   /* no send time in `recent` is greater */
    XtfManyWait *many; /* the call that the location is in, if it waits for several messages */
} XtfFindLocation;

typedef struct XtfFindProgress XtfFindProgress; /* of find-progress.c */

typedef struct {
    XtfReplay *replay;
    XtfRawPoints *raw;
    const XtfReplayConsumer *beside;
    XtfFound *found;
    const XtfLocations *locations;
    uint32_t *first_location; /* by process */
    XtfFindLocation *by_location;
    GArray *sent; /* XtfSent, by value - 1 */
    uint32_t free_sent;
    GArray *postings; /* XtfEnd, by value - 1 */
    GArray *free_postings;
    GHashTable *many; /* set of XtfManyWait, owned */
    struct {
        XtfPaged paged;
        XtfFindPair *all; /* in `paged` */
        uint32_t n, room, free;
        uint32_t n_kept; /* pairs kept since the pages of pairs were released */
    } pairs;             /* the pairs of `many` */
    XtfFindProgress *progress;
    GHashTable *operations; /* set of Ends, owned: of operations that some members have not ended */
    GError *error;          /* the first error */
} XtfFind;

/* Returns a point of a kind and a side at the record of `end`. It has no wait and no partner yet. */
XtfPoint xtf_find_point(const XtfEnd *end, uint8_t kind, XtfPointSide side);
void xtf_find_add(XtfFind *find, uint32_t location, const XtfPoint *point);
/* True if an operation of `collectives` (the number of its label) frees a handle: its label begins with DE. */
bool xtf_find_destroys(const XtfFind *find, uint32_t operation);
XtfEnd xtf_find_end(const XtfFind *find, const XtfReplayEvent *at);

static inline uint32_t xtf_find_location(const XtfFind *find, const XtfReplayEvent *at)
{
    return find->first_location[at->process] + at->number;
}

void xtf_find_messages_init(XtfFind *find);
void xtf_find_messages_finish(XtfFind *find);
uint64_t xtf_find_send(void *find, const XtfReplayEvent *at);
uint64_t xtf_find_post(void *find, const XtfReplayEvent *at);
void xtf_find_probe(void *find, const XtfReplayEvent *at, uint64_t value);
void xtf_find_sent(void *find, const XtfReplayEvent *at, uint64_t value);
void xtf_find_receive(void *find, const XtfReplayEvent *at, const XtfReplayMessage *message);
void xtf_find_drop(void *find, uint64_t value);
void xtf_find_drop_posting(void *find, uint64_t value);
void xtf_find_messages_end(XtfFind *find);

bool xtf_find_progress_init(XtfFind *find, GError **error);
void xtf_find_progress_finish(XtfFind *find);
/* Looks for waits until the other side of a message enters MPI again, on both sides. Both sides must be complete. */
void xtf_find_progress(XtfFind *find, const XtfSent *message, const XtfEnd *sent, const XtfEnd *posting);
/* Keeps a wait that another rule found. A candidate of find-progress.c in the same call then counts only as far as it
 * lies after that wait. */
void xtf_find_progress_beside(XtfFind *find, uint32_t location, const XtfPoint *waits);
/* Adds the waits of all candidates, after the last message. */
bool xtf_find_progress_end(XtfFind *find, GError **error);

void xtf_find_operations_init(XtfFind *find);
void xtf_find_operations_finish(XtfFind *find);
uint64_t xtf_find_begin(void *find, const XtfReplayEvent *at);
void xtf_find_operation_end(void *find, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank);
/* Adds the waits that need no messages. */
bool xtf_find_kinds(XtfReplay *replay, XtfRawPoints *raw, XtfSteps *steps, GError **error);
/* Sets a member's wait, until `last` begins, and its completion, from `first_end` on: Scalasca's formula for
 * operations. */
void xtf_find_wait(XtfPoint *point, uint64_t begin, uint64_t end, uint64_t last, uint64_t first_end);
