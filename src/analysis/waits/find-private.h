/*
 * What the files of the forward pass share.
 *
 *   find.c             the pass: a consumer of the replay, and MPI_Init and MPI_Finalize
 *   find-points.c      what the others share
 *   find-kinds.c       waits that need no messages
 *   find-messages.c    waits for messages
 *   find-progress.c    waits for the other side of a message to enter MPI again
 *   find-operations.c  waits in operations of many
 */
#pragma once

#include "src/analysis/waits/find.h"

/* A record at one end of a message, with its call. */
typedef struct {
    uint64_t seq, row, time, enter, leave, call;
    uint32_t location, region, callpath;
    uint8_t kind; /* XtfMpiCall */
} XtfEnd;

/* A message on its way: until its receive and the completion of its send are known. */
typedef struct {
    XtfEnd send;
    XtfEnd other; /* what came first of the completion and the receive: of the latter its posting */
    XtfEnd recv;
    uint64_t recv_row, bytes;
    uint64_t beside; /* what the consumer beside said of the send */
    uint32_t comm, tag;
    bool used, is_sent, is_received, gone; /* gone: nothing follows of it any more */
    uint32_t next_free;
} XtfSent;

/* A late sender that was received before; see find-messages.c. */
typedef struct {
    uint64_t seq, sent, amount;
    uint32_t sender;
} XtfRecent;

/* A call that waits for several messages. */
typedef struct {
    uint32_t location;
    uint64_t call;
    uint32_t pending;  /* sends that it completes, of which it is not known how late their receivers were */
    bool closed;       /* all its records have come */
    uint32_t pairs[2]; /* the longest for a sender, and for a receiver: numbers of XtfFindPair plus 1; 0: none */
    uint64_t sent, receiver_seq; /* of the former's message; of the latter's send */
    uint32_t sender;
} XtfManyWait;

/* Who waits, and who is waited for. */
typedef struct {
    XtfPoint waits, awaited;
    uint32_t next_free; /* plus 1 */
} XtfFindPair;

/* A message that was taken behind a probe whose message is still to be received. */
typedef struct {
    uint64_t seq, sent;
    uint32_t sender;
} XtfTaken;

typedef struct {
    GArray *recent;    /* XtfRecent */
    GArray *taken;     /* XtfTaken, while there are `probes` */
    uint32_t probes;   /* blocking ones, whose messages are still to be received */
    uint64_t latest;   /* none of them was sent later */
    XtfManyWait *many; /* the call that the location is in, if it is one */
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
    GHashTable *many; /* XtfManyWait, owned: by itself */
    struct {
        XtfPaged paged;
        XtfFindPair *all; /* in `paged` */
        uint32_t n, room, free;
        uint32_t n_kept; /* since they rested */
    } pairs;             /* of `many` */
    XtfFindProgress *progress;
    GHashTable *operations; /* XtfOperationEnds, owned: on their way */
    GError *error;          /* the first */
} XtfFind;

/* A point of one end; all else is none. */
XtfPoint xtf_find_point(const XtfEnd *end, uint8_t kind, XtfPointSide side);
void xtf_find_add(XtfFind *find, uint32_t location, const XtfPoint *point);
/* Whether an operation, a label's number, frees what it is about. */
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
/* No more messages will come. */
void xtf_find_messages_end(XtfFind *find);

bool xtf_find_progress_init(XtfFind *find, GError **error);
void xtf_find_progress_finish(XtfFind *find);
/* Looks at both sides of a message of which all is known. */
void xtf_find_progress(XtfFind *find, const XtfSent *message, const XtfEnd *sent, const XtfEnd *posting);
/* Takes down another wait of a call. */
void xtf_find_progress_beside(XtfFind *find, uint32_t location, const XtfPoint *waits);
/* Adds the waits. No more messages will come. */
bool xtf_find_progress_end(XtfFind *find, GError **error);

void xtf_find_operations_init(XtfFind *find);
void xtf_find_operations_finish(XtfFind *find);
uint64_t xtf_find_begin(void *find, const XtfReplayEvent *at);
void xtf_find_operation_end(void *find, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank);
/* Waits that need no messages. */
bool xtf_find_kinds(XtfReplay *replay, XtfRawPoints *raw, XtfSteps *steps, GError **error);
/* What Scalasca does with all that take part: waits until `last`, and completes from `first_end` on. */
void xtf_find_wait(XtfPoint *point, uint64_t begin, uint64_t end, uint64_t last, uint64_t first_end);
