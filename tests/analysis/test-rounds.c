/*
 * Tests the messages of collective operations by running them with synchronous sends. Each member must get the data that
 * it needs, and no member may wait for ever.
 */
#include <criterion/criterion.h>
#include <glib.h>

#include "src/analysis/formulas/collective-rounds.h"
#include "src/model/collective-shape.h"
#include "src/model/labels.h"

enum {
    MEMBERS_MAX = 40,
    BLOCK = 10,
};

/* A member in a run of the rounds. `known` has a bit for each member whose data it has. */
typedef struct {
    XtfRounds rounds;
    XtfRound round;
    bool active, sent, received;
    uint64_t known, offered; /* offered: what it had as the round began */
    uint64_t n_rounds, bytes;
} Member;

static void enter_round(Member *member)
{
    member->active = xtf_rounds_next(&member->rounds, &member->round);
    if (!member->active)
        return;
    member->n_rounds++;
    member->offered = member->known;
    member->sent = member->round.to == XTF_ROUND_NOBODY;
    member->received = member->round.from == XTF_ROUND_NOBODY;
    cr_assert(!member->sent || !member->received, "a round has no message");
}

/* Passes the message of a member on if its receiver is ready for it. */
static bool pass_message(Member *members, uint32_t rank)
{
    Member *from = &members[rank];

    if (!from->active || from->sent)
        return false;
    Member *to = &members[from->round.to];
    if (!to->active || to->received || to->round.from != rank)
        return false;
    cr_assert_eq(from->round.sent, to->round.received);
    to->known |= from->offered;
    to->bytes += from->round.sent;
    from->sent = to->received = true;
    return true;
}

/* Runs all rounds. Returns the rounds of the member that has the most. */
static uint64_t run_rounds(Member *members, const XtfRoundsKind *kind, uint32_t n, uint32_t root)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < n; i++) {
        members[i] = (Member){.known = UINT64_C(1) << i};
        xtf_rounds_init(&members[i].rounds, kind, n, i, root, BLOCK);
        enter_round(&members[i]);
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < n; i++)
            moved |= pass_message(members, i);
        for (uint32_t i = 0; i < n; i++)
            if (members[i].active && members[i].sent && members[i].received)
                enter_round(&members[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        cr_assert(!members[i].active, "member %u of %u waits for ever", i, n);
        most = MAX(most, members[i].n_rounds);
    }
    return most;
}

/* Returns the members whose data a member needs, by the definitions of MPI. */
static uint64_t needed_by(XtfCollectiveShape shape, uint32_t n, uint32_t rank, uint32_t root)
{
    uint64_t all = (UINT64_C(1) << n) - 1;

    switch (shape) {
    case XTF_COLLECTIVE_FROM_ROOT:
        return UINT64_C(1) << root;
    case XTF_COLLECTIVE_TO_ROOT:
        return rank == root ? all : 0;
    case XTF_COLLECTIVE_SCAN:
        return (UINT64_C(2) << rank) - 1;
    default:
        return all;
    }
}

/* Returns the bytes that a member receives at least, as it needs them. `blocks`: the operation's data are joined. */
static uint64_t least_bytes(XtfCollectiveShape shape, bool joined, uint32_t n, uint32_t rank, uint32_t root)
{
    if (shape == XTF_COLLECTIVE_TO_ROOT)
        return rank == root ? (joined ? n - 1 : 0) * BLOCK : 0;
    if (shape == XTF_COLLECTIVE_FROM_ROOT)
        return rank == root ? 0 : BLOCK;
    return shape == XTF_COLLECTIVE_ALL_TO_ALL && joined ? (n - 1) * BLOCK : 0;
}

static uint64_t rounds_of_tree(uint32_t n)
{
    uint64_t rounds = 0;

    while (UINT64_C(1) << rounds < n)
        rounds++;
    return rounds;
}

static void check_operation(const char *operation, uint32_t n, uint32_t root)
{
    const XtfRoundsKind kind = xtf_rounds_kind(operation);
    const XtfCollectiveShape shape = xtf_collective_shape(operation);
    static Member members[MEMBERS_MAX];
    uint64_t most = run_rounds(members, &kind, n, root);

    cr_assert_eq(most, kind.algorithm == XTF_ROUNDS_PAIRWISE ? n - 1 : rounds_of_tree(n), "%s of %u", operation, n);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t needed = needed_by(shape, n, i, root), known = members[i].known;
        cr_assert_eq(known & needed, needed, "%s: member %u of %u lacks data", operation, i, n);
        cr_assert(shape != XTF_COLLECTIVE_SCAN || known == needed, "%s: member %u depends on higher ranks", operation,
                  i);
        cr_assert(members[i].bytes >= least_bytes(shape, kind.data == XTF_ROUNDS_JOINED, n, i, root));
    }
}

Test(rounds, pass_all_data_that_members_need)
{
    for (const char *const *operation = xtf_collective_operations; *operation; operation++) {
        XtfCollectiveShape shape = xtf_collective_shape(*operation);
        if (shape == XTF_COLLECTIVE_HANDLES || shape == XTF_COLLECTIVE_UNKNOWN)
            continue;
        cr_assert_neq(xtf_rounds_kind(*operation).algorithm, XTF_ROUNDS_NONE, "%s", *operation);
        for (uint32_t n = 1; n <= MEMBERS_MAX; n++)
            for (uint32_t root = 0; root < n; root += 1 + n / 4)
                check_operation(*operation, n, root);
    }
}

Test(rounds, move_no_more_data_than_necessary)
{
    static const char *const exact[] = {"ALLGATHER", "REDUCE_SCATTER", "ALLTOALL"};
    static Member members[MEMBERS_MAX];

    for (unsigned i = 0; i < G_N_ELEMENTS(exact); i++) {
        const XtfRoundsKind kind = xtf_rounds_kind(exact[i]);
        for (uint32_t n = 2; n <= MEMBERS_MAX; n++) {
            run_rounds(members, &kind, n, 0);
            for (uint32_t rank = 0; rank < n; rank++)
                cr_assert_eq(members[rank].bytes, (n - 1) * BLOCK, "%s of %u", exact[i], n);
        }
    }
}

Test(rounds, find_the_block_of_recorded_bytes)
{
    static const struct {
        const char *operation;
        uint64_t sent; /* of 4 members with blocks of 8 bytes, as docs/RECORD.md and OTF2 count them */
    } recorded[] = {
        {"BARRIER", 0},       {"BCAST", 4 * 8},      {"SCATTER", 4 * 8},
        {"GATHER", 4 * 8},    {"REDUCE", 4 * 8},     {"ALLGATHER", 16 * 8},
        {"ALLTOALL", 16 * 8}, {"ALLREDUCE", 16 * 8}, {"REDUCE_SCATTER", 16 * 8},
        {"SCAN", 10 * 8},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(recorded); i++) {
        const XtfRoundsKind kind = xtf_rounds_kind(recorded[i].operation);
        cr_assert_eq(xtf_rounds_block(&kind, recorded[i].sent, 4), recorded[i].sent > 0 ? 8 : 0, "%s",
                     recorded[i].operation);
    }
    const XtfRoundsKind kind = xtf_rounds_kind("ALLTOALL");
    cr_assert_eq(xtf_rounds_block(&kind, UINT64_MAX, UINT32_MAX), 1);
    cr_assert_eq(xtf_rounds_block(&kind, 0, 0), 0);
}
