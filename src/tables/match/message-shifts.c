#include "src/tables/match/message-shifts.h"

#include <string.h>

#include "src/tables/match/message-calls.h"
#include "src/tables/match/order/message-rows.h"
#include "src/tables/match/order/message-walk.h"

enum {
    RECEIVES_MOST = XTF_SHIFT_BLOCK + 2 * XTF_SHIFT_MOST,
    KEPT_BYTES = 4 << 20,
    KEPT_BLOCKS = 4096,
};

/* A mask has a bit for each send of a block. The XTF_SHIFT_SIDE sends before and behind a send, whose pairs must agree,
 * lie in its block and the neighbours. */
G_STATIC_ASSERT(XTF_SHIFT_BLOCK == 64 && XTF_SHIFT_SIDE == 64);

typedef struct {
    XtfKept kept;
    uint64_t ends[2], envelope[XTF_ENVELOPE_KEYS];
    uint64_t number;
    XtfShiftEffort effort;
    XtfShiftMasks masks; /* without a number: not made yet */
} Block;

static void block_free(void *data)
{
    g_free(data);
}

static gboolean block_equal(const void *item, const void *wanted)
{
    const Block *a = item, *b = wanted;
    return a->number == b->number && a->effort == b->effort && a->ends[0] == b->ends[0] && a->ends[1] == b->ends[1] &&
           memcmp(a->envelope, b->envelope, sizeof a->envelope) == 0;
}

static guint block_hash(const void *item)
{
    const Block *block = item;
    uint64_t hash = block->number * XTF_SHIFT_N_EFFORTS + block->effort;

    hash = hash * 0x9e3779b97f4a7c15U + block->ends[0];
    hash = hash * 0x9e3779b97f4a7c15U + block->ends[1];
    for (unsigned i = 0; i < XTF_ENVELOPE_KEYS; i++)
        hash = hash * 0x9e3779b97f4a7c15U + block->envelope[i];
    return (guint)(hash >> 32);
}

void xtf_message_shifts_init(XtfKeeper *shifts)
{
    static const XtfKeeperMethods methods = {.equal = block_equal, .hash = block_hash, .free = block_free};
    xtf_keeper_init(shifts, &methods, KEPT_BYTES, KEPT_BLOCKS);
}

/* ---- Filling blocks. */

/* Data of an end to compare. */
typedef struct {
    const XtfMessageLocation *location;
    uint64_t bytes;
    uint64_t record, seq; /* time and number of the send, or of the receive */
    uint64_t edge;        /* begin of the send's call, or end of the receive's call */
    bool has_edge;        /* `edge` is known: finding it takes longer than all else */
} End;

/* Ends of one side, and cursors to load them. */
typedef struct {
    const XtfShiftedGroup *group;
    const XtfMessageSide *side;
    XtfMessageWalk walk;
    XtfCursor rows, receives;
    XtfCallFinder finder;
    End ends[RECEIVES_MOST];
} EndLoader;

static void end_loader_init(EndLoader *loader, const XtfShiftedGroup *group, const XtfMessageSide *side)
{
    loader->group = group;
    loader->side = side;
    loader->rows = loader->receives = (XtfCursor){0};
    loader->finder = (XtfCallFinder){0};
    xtf_message_walk_init(&loader->walk, side);
}

static void end_loader_finish(EndLoader *loader)
{
    xtf_message_walk_finish(&loader->walk);
    xtf_cursor_finish(&loader->rows);
    xtf_cursor_finish(&loader->receives);
    xtf_call_finder_finish(&loader->finder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(EndLoader, end_loader_finish)

/* Loads an end from its row of `sends` or `postings`, but not its edge. */
static bool load_end(EndLoader *loader, const XtfMessagePlace *place, End *end, GError **error)
{
    const XtfMessagesKind kind = loader->side->kind;
    const XtfMessageTypes *types = &loader->group->matching->types;
    const XtfMessageType *type = &types->types[kind];
    const XtfMessageLocation *location = &loader->side->process->locations[place->location];
    const uint8_t *row;

    if (!xtf_message_row(&loader->rows, &location->arrays[kind], place->row, &row, error))
        return false;
    *end = (End){.location = location,
                 .bytes = xtf_field_get(type->bytes, row),
                 .record = xtf_field_get(&type->schema->fields[0], row),
                 .seq = xtf_field_get(type->seq, row)};
    if (kind == XTF_MESSAGES_SENDS)
        return true;
    uint64_t message = xtf_field_get(type->message, row);
    if (!location->has_recvs || message >= location->recvs.n_rows)
        return xtf_damaged(error,
                           "postings of location %" PRIu64 ": row %" PRIu64 " names a receive that does not exist",
                           location->id, place->row);
    if (!xtf_message_row(&loader->receives, &location->recvs, message, &row, error))
        return false;
    end->record = xtf_field_get(&types->recvs->fields[0], row);
    end->seq = xtf_field_get(types->recvs_seq, row);
    return true;
}

/* Loads the ends with numbers from `kept` to `to`. loader->ends begins with number `from`. */
static bool load_group_ends(EndLoader *loader, uint64_t from, uint64_t kept, uint64_t to, GError **error)
{
    const XtfMessageSide *side = loader->side;

    for (uint64_t k = kept; k < to; k++) {
        XtfMessagePlace place;
        bool found;
        if (!xtf_message_walk_select(&loader->walk, k, &place, &found, error))
            return false;
        if (!found)
            return xtf_damaged(error,
                               "%s of process %" PRIu64 ": row %" PRIu64
                               " of a message group is missing, though the totals count it",
                               side->kind == XTF_MESSAGES_SENDS ? "sends" : "postings", side->process->proc, k);
        if (!load_end(loader, &place, &loader->ends[k - from], error))
            return false;
    }
    return true;
}

/* Finds an end's edge. */
static bool find_edge(EndLoader *loader, End *end, GError **error)
{
    XtfMessageCall call;

    if (end->has_edge)
        return true;
    xtf_call_finder_turn(&loader->finder, loader->group->matching, end->location);
    if (!xtf_call_finder_at(&loader->finder, end->record, end->seq, &call, error))
        return false;
    end->edge = loader->side->kind == XTF_MESSAGES_SENDS ? call.enter : call.leave;
    end->has_edge = true;
    return true;
}

/* Results of comparing two ends. */
typedef enum { AGREE, DIFFER, UNKNOWN } Comparison;

/* Compares two ends by their bytes, and by the order of their records. They disagree if their bytes do, or if the
 * receive's call ends before the send's call begins. */
static Comparison compare_records(const End *send, const End *receive)
{
    if (send->bytes != receive->bytes)
        return DIFFER;
    return send->record < receive->record ? AGREE : UNKNOWN;
}

/* Compares the order of the calls of two ends. */
static bool compare_calls(EndLoader *sends, EndLoader *receives, End *send, End *receive, Comparison *comparison,
                          GError **error)
{
    if (!find_edge(sends, send, error) || !find_edge(receives, receive, error))
        return false;
    *comparison = send->edge < receive->edge ? AGREE : DIFFER;
    return true;
}

/* A block that is being made: the ends, and the first number of each side. */
typedef struct {
    Block *block;
    EndLoader *sends, *receives;
    uint64_t first, from;
} Making;

static End *receive_at(const Making *making, unsigned i, unsigned d)
{
    return &making->receives->ends[making->first + i + d - XTF_SHIFT_MOST - making->from];
}

/* Compares the calls of send i of the block and of its receive at a shift. */
static bool compare_pair(const Making *making, unsigned i, unsigned d, GError **error)
{
    XtfShiftMasks *masks = &making->block->masks;
    Comparison comparison;

    if (!compare_calls(making->sends, making->receives, &making->sends->ends[i], receive_at(making, i, d), &comparison,
                       error))
        return false;
    masks->unknown[d] &= ~((uint64_t)1 << i);
    masks->differ[d] |= (uint64_t)(comparison == DIFFER) << i;
    return true;
}

/* Returns the send of an unknown pair whose record is latest after that of its receive. */
static unsigned find_latest(const Making *making, unsigned d)
{
    uint64_t unknown = making->block->masks.unknown[d], longest = 0;
    unsigned latest = (unsigned)__builtin_ctzll(unknown);

    for (; unknown; unknown &= unknown - 1) {
        unsigned i = (unsigned)__builtin_ctzll(unknown);
        uint64_t delay = making->sends->ends[i].record - receive_at(making, i, d)->record;
        if (delay > longest) {
            longest = delay;
            latest = i;
        }
    }
    return latest;
}

/* Compares one pair of each shift in doubt, preferably the same send for all. */
static bool compare_one_pair(const Making *making, GError **error)
{
    const XtfShiftMasks *masks = &making->block->masks;
    unsigned latest = 0;

    for (unsigned d = 0; d < XTF_SHIFTS; d++) {
        if (!masks->unknown[d] || masks->differ[d])
            continue;
        if (!(masks->unknown[d] >> latest & 1))
            latest = find_latest(making, d);
        if (!compare_pair(making, latest, d, error))
            return false;
    }
    return true;
}

static bool compare_all_pairs(const Making *making, GError **error)
{
    const XtfShiftMasks *masks = &making->block->masks;

    for (unsigned d = 0; d < XTF_SHIFTS; d++)
        while (masks->unknown[d])
            if (!compare_pair(making, (unsigned)__builtin_ctzll(masks->unknown[d]), d, error))
                return false;
    return true;
}

static bool make_block(const XtfShiftedGroup *group, Block *block, GError **error)
{
    uint64_t first = block->number * XTF_SHIFT_BLOCK, end = MIN(first + XTF_SHIFT_BLOCK, group->n_sends);
    uint64_t from = first - MIN(first, (uint64_t)XTF_SHIFT_MOST);
    uint64_t to = MIN(first + XTF_SHIFT_BLOCK + XTF_SHIFT_MOST, group->n_receives);
    uint64_t send_kept, receive_kept; /* numbers of the first ends from the kept time on */
    g_auto(EndLoader) sends, receives;
    const Making making = {block, &sends, &receives, first, from};

    end_loader_init(&sends, group, group->sends);
    end_loader_init(&receives, group, group->postings);
    if (!xtf_message_count_removed(group->sends, &send_kept, error) ||
        !xtf_message_count_removed(group->postings, &receive_kept, error) ||
        !load_group_ends(&sends, first, MAX(first, send_kept), end, error) ||
        !load_group_ends(&receives, from, MAX(from, receive_kept), to, error))
        return false;
    for (unsigned d = 0; d < XTF_SHIFTS; d++) {
        for (uint64_t i = first; i < end; i++) {
            uint64_t bit = (uint64_t)1 << (i - first), at = i + d - XTF_SHIFT_MOST;
            if (i + d < XTF_SHIFT_MOST || at >= group->n_receives || i < send_kept || at < receive_kept)
                continue;
            Comparison comparison = compare_records(&sends.ends[i - first], &receives.ends[at - from]);
            block->masks.paired[d] |= bit;
            block->masks.differ[d] |= comparison == DIFFER ? bit : 0;
            block->masks.unknown[d] |= comparison == UNKNOWN ? bit : 0;
        }
    }
    if (!(block->effort == XTF_SHIFT_ONE_PAIR
              ? compare_one_pair(&making, error)
              : block->effort == XTF_SHIFT_NO_CALLS || compare_all_pairs(&making, error)))
        return false;
    block->masks.number_and_1 = block->number + 1;
    block->masks.effort = block->effort;
    return true;
}

static Block *take_block(const XtfShiftedGroup *group, uint64_t number, XtfShiftEffort effort, GError **error)
{
    XtfKeeper *shifts = &group->matching->shifts;
    Block *wanted = g_new0(Block, 1);

    wanted->number = number;
    wanted->effort = effort;
    wanted->ends[0] = group->sends->process->proc;
    wanted->ends[1] = group->postings->process->proc;
    memcpy(wanted->envelope, group->sends->envelope, sizeof wanted->envelope);
    Block *block = xtf_keeper_take(shifts, wanted);
    if (block->masks.number_and_1 || make_block(group, block, error))
        return block;
    xtf_keeper_put(shifts, block, 0, false);
    return NULL;
}

/* ---- Reading blocks. */

/* Returns the masks of a block, which the group holds until a later call. NULL with an error. */
static const XtfShiftMasks *hold_block(XtfShiftedGroup *group, uint64_t number, XtfShiftEffort effort, GError **error)
{
    XtfShiftMasks *held = &group->blocks[number % XTF_SHIFT_BLOCKS];

    if (held->number_and_1 == number + 1 && held->effort >= effort)
        return held;
    Block *block = take_block(group, number, effort, error);
    if (!block)
        return NULL;
    *held = block->masks;
    xtf_keeper_put(&group->matching->shifts, block, sizeof *block, true);
    return held;
}

/* Sets of shifts: of all shifts with a pair, with a pair that disagrees, and with a pair that may disagree. */
typedef struct {
    uint64_t paired, differ, unknown;
} ShiftSets;

/* Adds the shifts of some sends of a block. */
static bool add_shifts(XtfShiftedGroup *group, uint64_t number, XtfShiftEffort effort, uint64_t sends, ShiftSets *sets,
                       GError **error)
{
    if (number >= (group->n_sends + XTF_SHIFT_BLOCK - 1) / XTF_SHIFT_BLOCK)
        return true;
    const XtfShiftMasks *block = hold_block(group, number, effort, error);
    if (!block)
        return false;
    for (unsigned d = 0; d < XTF_SHIFTS; d++) {
        sets->paired |= (uint64_t)((block->paired[d] & sends) != 0) << d;
        sets->differ |= (uint64_t)((block->differ[d] & sends) != 0) << d;
        sets->unknown |= (uint64_t)((block->unknown[d] & sends) != 0) << d;
    }
    return true;
}

/* Finds the shifts of the sends around send k. */
static bool find_sets(XtfShiftedGroup *group, uint64_t k, XtfShiftEffort effort, ShiftSets *sets, GError **error)
{
    uint64_t number = k / XTF_SHIFT_BLOCK;
    unsigned bit = k % XTF_SHIFT_BLOCK;

    *sets = (ShiftSets){0};
    return (number == 0 || add_shifts(group, number - 1, effort, UINT64_MAX << bit, sets, error)) &&
           add_shifts(group, number, effort, UINT64_MAX, sets, error) &&
           add_shifts(group, number + 1, effort, UINT64_MAX >> (63 - bit), sets, error);
}

static bool is_one_shift(uint64_t shifts)
{
    return shifts && !(shifts & (shifts - 1));
}

/* Finds the only shift that fits at send k, by as few calls as needed: none if two shifts fit without them. */
static bool make_shift(XtfShiftedGroup *group, uint64_t k, XtfShiftOfSend *made, GError **error)
{
    uint64_t good = 0, certain;
    bool decided = false;

    for (unsigned effort = 0; effort < XTF_SHIFT_N_EFFORTS && !decided; effort++) {
        ShiftSets sets;
        if (!find_sets(group, k, effort, &sets, error))
            return false;
        good = sets.paired & ~sets.differ;
        certain = good & ~sets.unknown;
        decided = good == certain || (certain && !is_one_shift(certain));
    }
    made->fits = is_one_shift(good);
    made->shift = made->fits ? (unsigned)__builtin_ctzll(good) : 0;
    made->k_and_1 = k + 1;
    return true;
}

/* Finds the only shift that fits at send k; *shift is the shift plus XTF_SHIFT_MOST. *fits is false if none or several
 * fit. */
static bool find_shift(XtfShiftedGroup *group, uint64_t k, unsigned *shift, bool *fits, GError **error)
{
    XtfShiftOfSend *held = &group->shifts[k % XTF_SHIFT_SENDS];

    *fits = false;
    if (!group->n_receives)
        return true;
    if (held->k_and_1 != k + 1 && !make_shift(group, k, held, error))
        return false;
    *shift = held->shift;
    *fits = held->fits;
    return true;
}

/* Finds the send that claims a receive. *claims counts the sends that do, *open the sends whose shift is unknown. */
static bool find_claims(XtfShiftedGroup *group, uint64_t receive, uint64_t *send, unsigned *claims, unsigned *open,
                        GError **error)
{
    *claims = *open = 0;
    for (unsigned d = 0; d < XTF_SHIFTS; d++) {
        uint64_t k = receive + XTF_SHIFT_MOST - d;
        unsigned shift;
        bool fits;

        if (receive + XTF_SHIFT_MOST < d || k >= group->n_sends)
            continue;
        if (!find_shift(group, k, &shift, &fits, error))
            return false;
        *open += !fits;
        if (!fits || shift != d)
            continue;
        *send = k;
        ++*claims;
    }
    return true;
}

bool xtf_message_shift_send(XtfShiftedGroup *group, uint64_t k, uint64_t *receive, bool *likely, GError **error)
{
    unsigned shift, claims, open;
    uint64_t send;

    *receive = UINT64_MAX;
    if (!find_shift(group, k, &shift, likely, error))
        return false;
    if (!*likely)
        return true;
    if (k + shift < XTF_SHIFT_MOST || k + shift - XTF_SHIFT_MOST >= group->n_receives)
        return true;
    *receive = k + shift - XTF_SHIFT_MOST;
    if (!find_claims(group, *receive, &send, &claims, &open, error))
        return false;
    *likely = claims == 1;
    return true;
}

bool xtf_message_shift_receive(XtfShiftedGroup *group, uint64_t k, uint64_t *send, bool *likely, GError **error)
{
    unsigned claims, open;

    *send = UINT64_MAX;
    if (!find_claims(group, k, send, &claims, &open, error))
        return false;
    *likely = claims == 1 || (claims == 0 && open == 0);
    if (claims != 1)
        *send = UINT64_MAX;
    return true;
}
