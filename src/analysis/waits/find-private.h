/*
 * Types and functions of the forward pass.
 *
 *   find.c             the pass: a consumer of the replay; MPI_Init and MPI_Finalize
 *   find-points.c      functions that all files use
 *   find-kinds.c       waits that need no messages
 *   find-messages.c    waits for messages
 *   find-letters.c     the messages of a share, and letters to other shares
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
    bool is_sent, is_received, dropped; /* dropped: no receive matches it */
    bool adopted;                       /* a copy of `origin` of the share of process `sender` */
    uint32_t sender;
    uint64_t origin;
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

/* A posted receive. */
typedef struct {
    XtfEnd end;
    uint32_t next_free; /* plus 1 */
} XtfFindPosting;

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

/* The data of all shares of the run. A location is used by the share of its process alone. */
typedef struct {
    XtfReplay *replay;
    XtfWorld *world; /* NULL: no job */
    XtfRawPoints *raw;
    XtfRawPoints candidates; /* of find-progress.c, by location; `seq` is the call's enter, `part` the record */
    const XtfReplayConsumer *beside;
    uint32_t *first_location; /* by process */
    XtfFindLocation *by_location;
    GMutex lock;            /* guards `operations` here and in `raw` */
    GHashTable *operations; /* set of Ends, owned: of operations that some members have not ended */
} XtfFindShared;

/* The state of a share. */
typedef struct {
    XtfFindShared *shared;
    XtfReplayShare *share;
    uint32_t first, end; /* locations of the share; after a run of threads, of all shares */
    XtfReplay *replay;
    XtfRawPoints *raw;
    const XtfReplayConsumer *beside;
    XtfFound found;           /* counts of the share */
    uint32_t *first_location; /* borrowed */
    XtfFindLocation *by_location;
    GArray *sent; /* XtfSent, by value - 1 */
    uint32_t free_sent;
    struct {
        XtfFindPosting *all; /* by value - 1 */
        uint32_t n, room, free;
    } postings;
    GHashTable *many; /* set of XtfManyWait, owned */
    struct {
        XtfPaged paged;
        XtfFindPair *all; /* in `paged` */
        uint32_t n, room, free;
        uint32_t n_kept; /* pairs kept since the pages of pairs were released */
    } pairs;             /* the pairs of `many` */
    XtfFindProgress *progress;
    unsigned n_finished; /* calls of xtf_find_finish() */
    GError *error;       /* the first error */
} XtfFind;

/* Letters of one share's find to that of another. */
typedef enum {
    XTF_FIND_POINT,      /* XtfFindPointLetter: a point of a location of the other share */
    XTF_FIND_CANDIDATE,  /* the same, for XtfFindShared.candidates */
    XTF_FIND_RECEIVED,   /* XtfFindReceivedLetter */
    XTF_FIND_DROPPED,    /* XtfFindDroppedLetter */
    XTF_FIND_COMPLETION, /* XtfFindCompletionLetter */
} XtfFindLetter;

typedef struct {
    uint32_t letter, location;
    XtfPoint point;
} XtfFindPointLetter;

/* A message of the other share was received. */
typedef struct {
    uint32_t letter, comm, tag, unused;
    uint64_t value, recv_row;
    XtfEnd posting, recv;
} XtfFindReceivedLetter;

typedef struct {
    uint32_t letter, unused;
    uint64_t value;
} XtfFindDroppedLetter;

/* A message's completion at `own`, whose wait may end with a gap of `partner`, a location of the other share. */
typedef struct {
    uint32_t letter, comm, tag;
    bool receives;
    uint64_t bytes, posted, done;
    XtfEnd own, partner;
} XtfFindCompletionLetter;

/* Returns a point of a kind and a side at the record of `end`. It has no wait and no partner yet. */
XtfPoint xtf_find_point(const XtfEnd *end, uint8_t kind, XtfPointSide side);
/* Adds a point of a location of any share. xtf_find_add_candidate() adds it to the candidates. */
void xtf_find_add(XtfFind *find, uint32_t location, const XtfPoint *point);
void xtf_find_add_candidate(XtfFind *find, uint32_t location, const XtfPoint *point);
/* True if the share has a location. */
static inline bool xtf_find_owns(const XtfFind *find, uint32_t location)
{
    return location >= find->first && location < find->end;
}

/* Returns the process of a location. */
uint32_t xtf_find_process(const XtfFind *find, uint32_t location);
/* True if an operation of `collectives` (the number of its label) frees a handle: its label begins with DE. */
bool xtf_find_destroys(const XtfFind *find, uint32_t operation);
static inline uint32_t xtf_find_location(const XtfFind *find, const XtfReplayEvent *at)
{
    return find->first_location[at->process] + at->number;
}

/* Returns the end of a message or of an operation at an event. */
static inline XtfEnd xtf_find_end(const XtfFind *find, const XtfReplayEvent *at)
{
    return (XtfEnd){
        .seq = at->seq,
        .row = at->row,
        .time = at->time,
        .enter = at->call->enter,
        .leave = at->call->leave,
        .call = at->call->row,
        .location = xtf_find_location(find, at),
        .region = at->call->region,
        .callpath = at->call->callpath,
        .kind = at->call->kind,
    };
}

void xtf_find_messages_init(XtfFind *find);
void xtf_find_messages_finish(XtfFind *find);
uint64_t xtf_find_send(void *find, const XtfReplayEvent *at);
uint64_t xtf_find_post(void *find, const XtfReplayEvent *at);
void xtf_find_probe(void *find, const XtfReplayEvent *at, uint64_t value);
void xtf_find_sent(void *find, const XtfReplayEvent *at, uint64_t value);
void xtf_find_receive(void *find, const XtfReplayEvent *at, const XtfReplayMessage *message);
void xtf_find_drop(void *find, uint64_t value);
/* Returns the message of a value. */
static inline XtfSent *xtf_find_sent_of(const XtfFind *find, uint64_t value)
{
    return &g_array_index(find->sent, XtfSent, value - 1);
}

/* Returns a free message of no state, and its value. The caller sets the other fields that are known. */
static inline XtfSent *xtf_find_allot_sent(XtfFind *find, uint64_t *value)
{
    uint32_t number = find->free_sent;

    if (number == 0) {
        g_array_set_size(find->sent, find->sent->len + 1);
        number = find->sent->len;
    }
    XtfSent *message = xtf_find_sent_of(find, number);
    find->free_sent = find->free_sent ? message->next_free : 0;
    *value = number;
    message->is_sent = message->is_received = message->dropped = message->adopted = false;
    return message;
}

static inline void xtf_find_free_sent(XtfFind *find, XtfSent *message)
{
    message->next_free = find->free_sent;
    find->free_sent = (uint32_t)(message - (XtfSent *)(void *)find->sent->data) + 1;
}

/* Notes that a message of this share was received. Both its ends are known if its send is complete. */
void xtf_find_received(XtfFind *find, XtfSent *message, const XtfEnd *posting);

/* Writes to the sender's share that an adopted message was received, or dropped. Frees the message here. */
void xtf_find_write_received(XtfFind *find, XtfSent *message, const XtfEnd *posting);
void xtf_find_write_dropped(XtfFind *find, XtfSent *message);
/* Describes a send for the share of its receiver, and adopts it there; see XtfReplayConsumer. */
enum { XTF_FIND_DESCRIBED_BYTES = sizeof(XtfEnd) + 4 * sizeof(uint64_t) };
void xtf_find_describe(void *find, uint64_t value, void *described);
uint64_t xtf_find_adopt(void *find, const void *described);
void xtf_find_drop_posting(void *find, uint64_t value);
void xtf_find_messages_end(XtfFind *find);

/* Opens the store of candidates for all shares, then one share. Without gaps both do nothing. */
bool xtf_find_candidates_init(XtfFindShared *shared, GError **error);
void xtf_find_progress_init(XtfFind *find);
void xtf_find_progress_finish(XtfFind *find);
/* Adds the counts of another share. */
void xtf_find_progress_join(XtfFind *find, const XtfFind *from);
/* Adds up the counts of completions and of judged messages of all ranks. Collective. */
void xtf_find_progress_sum(XtfFind *find, XtfWorld *world);
/* Looks for waits until the other side of a message enters MPI again, on both sides. Both sides must be complete. */
void xtf_find_progress(XtfFind *find, const XtfSent *message, const XtfEnd *sent, const XtfEnd *posting);
/* Reads a letter of the share that has the completing side. */
void xtf_find_read_completion(XtfFind *find, const XtfFindCompletionLetter *letter);
/* Keeps a wait that another rule found. A candidate of find-progress.c in the same call then counts only as far as it
 * lies after that wait. */
void xtf_find_progress_beside(XtfFind *find, uint32_t location, const XtfPoint *waits);
/* Adds the waits of all candidates, after the last message. */
bool xtf_find_progress_end(XtfFind *find, GError **error);

uint64_t xtf_find_begin(void *find, const XtfReplayEvent *at);
void xtf_find_operation_end(void *find, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank);
/* Describes the end of a member, and keeps it until the last member of the operation ends; see XtfReplayConsumer. */
void xtf_find_describe_end(void *find, const XtfReplayEvent *at, void *described);
void xtf_find_operation_ended(void *find, XtfReplayCollective *collective, uint32_t rank, const void *described);
/* Adds the waits that need no messages. Collective in a job; false without an error: another rank has failed. */
bool xtf_find_kinds(XtfReplay *replay, XtfRawPoints *raw, XtfSteps *steps, GError **error);
/* Sets a member's wait, until `last` begins, and its completion, from `first_end` on: Scalasca's formula for
 * operations. */
void xtf_find_wait(XtfPoint *point, uint64_t begin, uint64_t end, uint64_t last, uint64_t first_end);
