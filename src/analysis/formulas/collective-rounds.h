/*
 * Collective operations as messages between their members: the same algorithms for each MPI.
 *
 *     XtfRounds rounds;
 *     XtfRound round;
 *
 *     xtf_rounds_init(&rounds, &kind, n, rank, root, block);
 *     while (xtf_rounds_next(&rounds, &round))
 *         ...
 *
 * A member does its rounds in order. In a round it sends a message, or receives one, or does both at once. The messages
 * of a pair of members match in order. A block is the data of one member for one other member, or for all of them.
 *
 * - DISSEMINATE (BARRIER, ALLREDUCE, ALLGATHER, ALLGATHERV, REDUCE_SCATTER): ceil(log2 n) rounds. In round k a member
 *   sends to rank + 2^k, and receives from rank - 2^k, modulo n.
 * - PAIRWISE (ALLTOALL, ALLTOALLV, ALLTOALLW): n - 1 rounds. In round k, from 1, a member sends to rank + k, and
 *   receives from rank - k, modulo n.
 * - FROM_ROOT (BCAST, SCATTER, SCATTERV) and TO_ROOT (REDUCE, GATHER, GATHERV): a binomial tree. A member with the
 *   number v, counted from the root modulo n, has the parent v without its lowest bit. Its greatest subtree is first
 *   from the root, and last to the root.
 * - SCAN (SCAN, EXSCAN): ceil(log2 n) rounds. In round k a member sends to rank + 2^k and receives from rank - 2^k, as
 *   far as these members exist.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    XTF_ROUNDS_NONE, /* no known messages */
    XTF_ROUNDS_DISSEMINATE,
    XTF_ROUNDS_PAIRWISE,
    XTF_ROUNDS_FROM_ROOT,
    XTF_ROUNDS_TO_ROOT,
    XTF_ROUNDS_SCAN,
} XtfRoundsAlgorithm;

/* How the data of a message grow with the members whose data it has. */
typedef enum {
    XTF_ROUNDS_EMPTY,  /* no data */
    XTF_ROUNDS_BLOCK,  /* a block in each message */
    XTF_ROUNDS_JOINED, /* a block for each member */
} XtfRoundsData;

/* The bytes that all members together record as sent, in blocks. */
typedef enum {
    XTF_ROUNDS_SENT_BY_ONE,    /* a block for each member */
    XTF_ROUNDS_SENT_BY_ALL,    /* a block for each pair of members, including pairs of a member and itself */
    XTF_ROUNDS_SENT_TO_HIGHER, /* a block for each pair of a member and itself, or one of higher rank */
} XtfRoundsSent;

typedef struct {
    XtfRoundsAlgorithm algorithm;
    XtfRoundsData data;
    XtfRoundsSent sent;
    bool shrinks; /* DISSEMINATE: the greatest distance is first, as the members reduce JOINED data */
} XtfRoundsKind;

/* Returns the kind of an operation, by its label in xtf_collective_operations. */
XtfRoundsKind xtf_rounds_kind(const char *operation);

/* Returns the bytes of a block, rounded. `sent` is the sum of the recorded bytes over all n members. Operations in
 * place record a block less for each member. */
uint64_t xtf_rounds_block(const XtfRoundsKind *kind, uint64_t sent, uint32_t n);

#define XTF_ROUND_NOBODY UINT32_MAX

typedef struct {
    uint32_t to, from; /* ranks; XTF_ROUND_NOBODY: sends nothing, receives nothing */
    uint64_t sent, received;
} XtfRound;

/* The rounds of one member. */
typedef struct {
    XtfRoundsKind kind;
    uint32_t n, rank, root;
    uint64_t block;
    uint64_t distance; /* of the next round; 0: there is none */
    bool has_parent;   /* FROM_ROOT, TO_ROOT: the message with the parent is not done yet */
} XtfRounds;

/* Begins the rounds of `rank`, which is less than n. `root` is ignored by algorithms without a root. */
void xtf_rounds_init(XtfRounds *rounds, const XtfRoundsKind *kind, uint32_t n, uint32_t rank, uint32_t root,
                     uint64_t block);
/* Finds the next round of the member; false after the last one. */
bool xtf_rounds_next(XtfRounds *rounds, XtfRound *round);
