/*
 * Private parts of the ranks of a job, shared by its files.
 *
 *   launcher.c, load.c   which MPI, and its module
 *   world.c              start and end
 *   batches.c            messages, credit, batches and their end
 *   together.c           collective functions
 *
 * Each message begins with a head. Collective functions send messages of kind TOGETHER. They have no credit: each
 * rank sends at most one collective contribution to another before it waits.
 */
#pragma once

#include "src/world/module.h"
#include "src/world/world.h"

typedef enum {
    XTF_MESSAGE_BATCH,
    XTF_MESSAGE_CREDIT,   /* `value` pieces were received */
    XTF_MESSAGE_WARNING,  /* the sender has failed */
    XTF_MESSAGE_TOGETHER, /* bytes of a collective function */
} XtfMessageKind;

typedef struct {
    uint16_t kind;
    uint16_t is_last; /* the last piece of a batch */
    uint32_t value;
} XtfMessageHead;

/* A message on its way: head and bytes. */
typedef struct {
    void *handle; /* the module's */
    uint8_t *bytes;
} XtfSentMessage;

/* A whole batch that has arrived. */
typedef struct {
    GBytes *bytes;
    unsigned from;
    uint32_t pieces;
} XtfArrivedBatch;

/* The other end of messages. */
typedef struct {
    GQueue waiting;        /* GBytes: messages with their heads, which wait for credit */
    unsigned uncredited;   /* pieces that the peer has not received yet */
    GByteArray *pieces[2]; /* pieces that have arrived of a batch, and of bytes of a collective function; NULL: none */
    uint32_t n_pieces;     /* pieces of the batch so far */
    GQueue together;       /* GBytes: bytes of collective functions that wait to be taken */
} XtfPeer;

struct XtfWorld {
    const XtfWorldModule *module; /* NULL: the process is alone */
    bool is_launched;
    unsigned rank, size;
    XtfPeer *peers;     /* by rank */
    GArray *sent;       /* XtfSentMessage: messages that MPI has not sent yet */
    GQueue arrived;     /* XtfArrivedBatch */
    uint64_t n_waiting; /* messages in `waiting` of all peers */
    bool warned;
    bool has_failed; /* xtf_world_have_succeeded() was false */
    unsigned idle;   /* calls of xtf_world_wait() since the last message */
    /* The end of batches. */
    uint64_t n_sent, n_received; /* batches */
    uint64_t n_sums;             /* sums that were begun */
    bool is_summing;
    uint64_t last_sum; /* batches that all ranks had sent at the last sum, if all were received; else UINT64_MAX */
};

/* Sends bytes of a collective function. */
void xtf_world_send_together(XtfWorld *world, unsigned to, GBytes *bytes);
/* Delivers all messages that have arrived. Returns true if there was one. */
bool xtf_world_deliver(XtfWorld *world);
/* Waits until MPI has sent the messages of this process that have credit. */
void xtf_world_flush(XtfWorld *world);
/* Ends sums that other ranks have begun. `n`: the greatest n_sums of all ranks. */
void xtf_world_complete_sums(XtfWorld *world, uint64_t n);
