#include "src/analysis/formulas/collective-rounds.h"

#include <glib.h>
#include <string.h>

XtfRoundsKind xtf_rounds_kind(const char *operation)
{
    static const struct {
        const char *name;
        XtfRoundsKind kind;
    } kinds[] = {
        {"BARRIER", {XTF_ROUNDS_DISSEMINATE, XTF_ROUNDS_EMPTY, XTF_ROUNDS_SENT_BY_ONE, false}},
        {"ALLREDUCE", {XTF_ROUNDS_DISSEMINATE, XTF_ROUNDS_BLOCK, XTF_ROUNDS_SENT_BY_ALL, false}},
        {"ALLGATHER", {XTF_ROUNDS_DISSEMINATE, XTF_ROUNDS_JOINED, XTF_ROUNDS_SENT_BY_ALL, false}},
        {"ALLGATHERV", {XTF_ROUNDS_DISSEMINATE, XTF_ROUNDS_JOINED, XTF_ROUNDS_SENT_BY_ALL, false}},
        {"REDUCE_SCATTER", {XTF_ROUNDS_DISSEMINATE, XTF_ROUNDS_JOINED, XTF_ROUNDS_SENT_BY_ALL, true}},
        {"REDUCE_SCATTER_BLOCK", {XTF_ROUNDS_DISSEMINATE, XTF_ROUNDS_JOINED, XTF_ROUNDS_SENT_BY_ALL, true}},
        {"ALLTOALL", {XTF_ROUNDS_PAIRWISE, XTF_ROUNDS_BLOCK, XTF_ROUNDS_SENT_BY_ALL, false}},
        {"ALLTOALLV", {XTF_ROUNDS_PAIRWISE, XTF_ROUNDS_BLOCK, XTF_ROUNDS_SENT_BY_ALL, false}},
        {"ALLTOALLW", {XTF_ROUNDS_PAIRWISE, XTF_ROUNDS_BLOCK, XTF_ROUNDS_SENT_BY_ALL, false}},
        {"BCAST", {XTF_ROUNDS_FROM_ROOT, XTF_ROUNDS_BLOCK, XTF_ROUNDS_SENT_BY_ONE, false}},
        {"SCATTER", {XTF_ROUNDS_FROM_ROOT, XTF_ROUNDS_JOINED, XTF_ROUNDS_SENT_BY_ONE, false}},
        {"SCATTERV", {XTF_ROUNDS_FROM_ROOT, XTF_ROUNDS_JOINED, XTF_ROUNDS_SENT_BY_ONE, false}},
        {"REDUCE", {XTF_ROUNDS_TO_ROOT, XTF_ROUNDS_BLOCK, XTF_ROUNDS_SENT_BY_ONE, false}},
        {"GATHER", {XTF_ROUNDS_TO_ROOT, XTF_ROUNDS_JOINED, XTF_ROUNDS_SENT_BY_ONE, false}},
        {"GATHERV", {XTF_ROUNDS_TO_ROOT, XTF_ROUNDS_JOINED, XTF_ROUNDS_SENT_BY_ONE, false}},
        {"SCAN", {XTF_ROUNDS_SCAN, XTF_ROUNDS_BLOCK, XTF_ROUNDS_SENT_TO_HIGHER, false}},
        {"EXSCAN", {XTF_ROUNDS_SCAN, XTF_ROUNDS_BLOCK, XTF_ROUNDS_SENT_TO_HIGHER, false}},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (strcmp(kinds[i].name, operation) == 0)
            return kinds[i].kind;
    return (XtfRoundsKind){0};
}

uint64_t xtf_rounds_block(const XtfRoundsKind *kind, uint64_t sent, uint32_t n)
{
    unsigned __int128 blocks = n;

    if (kind->sent == XTF_ROUNDS_SENT_BY_ALL)
        blocks *= n;
    else if (kind->sent == XTF_ROUNDS_SENT_TO_HIGHER)
        blocks = blocks * (n + UINT64_C(1)) / 2;
    return blocks > 0 ? (uint64_t)(((unsigned __int128)sent + blocks / 2) / blocks) : 0;
}

/* Returns the greatest power of two below n; 0 if n is 1. */
static uint64_t greatest_power_below(uint64_t n)
{
    uint64_t power = 1;

    while (power * 2 < n)
        power *= 2;
    return n > 1 ? power : 0;
}

/* Returns the number of a member in the tree, from the root. */
static uint32_t number_in_tree(const XtfRounds *rounds)
{
    return (uint32_t)((rounds->rank + (uint64_t)rounds->n - rounds->root) % rounds->n);
}

/* Returns the distance of the greatest subtree below a member. */
static uint64_t greatest_child(const XtfRounds *rounds)
{
    uint32_t number = number_in_tree(rounds);
    uint64_t distance = number == 0 ? greatest_power_below(rounds->n) : (number & -number) / 2;

    while (distance > 0 && number + distance >= rounds->n)
        distance /= 2;
    return distance;
}

void xtf_rounds_init(XtfRounds *rounds, const XtfRoundsKind *kind, uint32_t n, uint32_t rank, uint32_t root,
                     uint64_t block)
{
    *rounds = (XtfRounds){.kind = *kind, .n = n, .rank = rank, .root = root % n, .block = block};
    bool is_tree = kind->algorithm == XTF_ROUNDS_FROM_ROOT || kind->algorithm == XTF_ROUNDS_TO_ROOT;
    if (n < 2 || kind->algorithm == XTF_ROUNDS_NONE)
        return;
    rounds->has_parent = is_tree && number_in_tree(rounds) > 0;
    if (kind->algorithm == XTF_ROUNDS_FROM_ROOT)
        rounds->distance = greatest_child(rounds);
    else if (kind->algorithm == XTF_ROUNDS_TO_ROOT)
        rounds->distance = greatest_child(rounds) > 0;
    else
        rounds->distance = kind->shrinks ? greatest_power_below(n) : 1;
}

static uint64_t data_of(const XtfRounds *rounds, uint64_t members)
{
    return rounds->kind.data == XTF_ROUNDS_EMPTY   ? 0
           : rounds->kind.data == XTF_ROUNDS_BLOCK ? rounds->block
                                                   : rounds->block * members;
}

/* ---- Trees. */

/* Sets the round to the message with the member at `distance`, whose subtree the other side of the edge has. */
static void set_edge(const XtfRounds *rounds, bool to_parent, uint64_t distance, XtfRound *round)
{
    uint32_t number = number_in_tree(rounds);
    uint64_t child = to_parent ? number : number + distance, peer = to_parent ? number - distance : child;
    uint64_t bytes = data_of(rounds, MIN(distance, rounds->n - child));
    uint32_t rank = (uint32_t)((peer + rounds->root) % rounds->n);
    bool sends = to_parent == (rounds->kind.algorithm == XTF_ROUNDS_TO_ROOT);

    *round = sends ? (XtfRound){.to = rank, .from = XTF_ROUND_NOBODY, .sent = bytes}
                   : (XtfRound){.to = XTF_ROUND_NOBODY, .from = rank, .received = bytes};
}

static bool next_edge(XtfRounds *rounds, XtfRound *round)
{
    uint32_t number = number_in_tree(rounds);
    bool rises = rounds->kind.algorithm == XTF_ROUNDS_TO_ROOT;

    if (rounds->has_parent && (!rises || rounds->distance == 0)) {
        rounds->has_parent = false;
        set_edge(rounds, true, number & -number, round);
        return true;
    }
    if (rounds->distance == 0)
        return false;
    set_edge(rounds, false, rounds->distance, round);
    if (!rises)
        rounds->distance /= 2;
    else
        rounds->distance = rounds->distance < greatest_child(rounds) ? rounds->distance * 2 : 0;
    return true;
}

/* ---- Exchanges. */

static bool next_exchange(XtfRounds *rounds, XtfRound *round)
{
    uint64_t n = rounds->n, distance = rounds->distance;
    uint64_t bytes = data_of(rounds, MIN(distance, n - distance));

    *round = (XtfRound){.to = (uint32_t)((rounds->rank + distance) % n),
                        .from = (uint32_t)((rounds->rank + n - distance) % n),
                        .sent = bytes,
                        .received = bytes};
    if (rounds->kind.algorithm == XTF_ROUNDS_PAIRWISE)
        distance++;
    else
        distance = rounds->kind.shrinks ? distance / 2 : distance * 2;
    rounds->distance = distance < n ? distance : 0;
    return true;
}

static bool next_scan(XtfRounds *rounds, XtfRound *round)
{
    uint64_t distance = rounds->distance;
    bool sends = rounds->rank + distance < rounds->n, receives = rounds->rank >= distance;

    *round = (XtfRound){.to = sends ? (uint32_t)(rounds->rank + distance) : XTF_ROUND_NOBODY,
                        .from = receives ? (uint32_t)(rounds->rank - distance) : XTF_ROUND_NOBODY,
                        .sent = sends ? rounds->block : 0,
                        .received = receives ? rounds->block : 0};
    rounds->distance *= 2;
    return sends || receives;
}

bool xtf_rounds_next(XtfRounds *rounds, XtfRound *round)
{
    switch (rounds->kind.algorithm) {
    case XTF_ROUNDS_FROM_ROOT:
    case XTF_ROUNDS_TO_ROOT:
        return next_edge(rounds, round);
    case XTF_ROUNDS_DISSEMINATE:
    case XTF_ROUNDS_PAIRWISE:
        return rounds->distance > 0 && next_exchange(rounds, round);
    case XTF_ROUNDS_SCAN:
        return rounds->distance > 0 && next_scan(rounds, round);
    case XTF_ROUNDS_NONE:
        break;
    }
    return false;
}
