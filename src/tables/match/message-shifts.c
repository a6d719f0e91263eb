#include "src/tables/match/message-shifts.h"

#include <string.h>

#include "src/tables/match/message-calls.h"

enum {
    N_SHIFTS = 2 * XTF_SHIFT_MOST + 1,
    RECEIVES_MOST = XTF_SHIFT_BLOCK + 2 * XTF_SHIFT_MOST,
    KEPT_BYTES = 4 << 20,
    KEPT_BLOCKS = 4096,
};

/* A mask has a bit for each send of a block. The XTF_SHIFT_SIDE sends before and behind a send, whose pairs must agree,
 * lie in its block and the neighbours. */
G_STATIC_ASSERT(XTF_SHIFT_BLOCK == 64 && XTF_SHIFT_SIDE == 64);

/* Sends of a block, bit i being the i-th. For each shift: the sends that have a receive, and the sends whose pair
 * disagrees. */
typedef struct {
    XtfKept kept;
    uint64_t ends[2], envelope[XTF_ENVELOPE_KEYS];
    uint64_t number;
    bool made;
    uint64_t paired[N_SHIFTS], differ[N_SHIFTS];
} Block;

static void block_free(void *data)
{
    g_free(data);
}

static gboolean block_equal(const void *item, const void *wanted)
{
    const Block *a = item, *b = wanted;
    return a->number == b->number && a->ends[0] == b->ends[0] && a->ends[1] == b->ends[1] &&
           memcmp(a->envelope, b->envelope, sizeof a->envelope) == 0;
}

static guint block_hash(const void *item)
{
    const Block *block = item;
    uint64_t hash = block->number;

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

/* Data of an end to compare: bytes, and the begin of the send's call or the end of the receive's call. */
typedef struct {
    uint64_t bytes, time;
} End;

static bool load_send(const XtfShiftedGroup *group, const XtfMessageLocation *location, uint64_t n, End *end,
                      GError **error)
{
    const XtfMessageType *type = &group->matching->types.types[XTF_MESSAGES_SENDS];
    XtfMessageCall call;
    uint8_t row[XTF_ROW_MAX];

    if (!xtf_array_row(&location->arrays[XTF_MESSAGES_SENDS], n, row, error) ||
        !xtf_message_call_of(group->matching, location, XTF_MESSAGES_SENDS, n, &call, error))
        return false;
    *end = (End){xtf_field_get(type->bytes, row), call.enter};
    return true;
}

static bool load_receive(const XtfShiftedGroup *group, const XtfMessageLocation *location, uint64_t n, End *end,
                         GError **error)
{
    const XtfMessageType *type = &group->matching->types.types[XTF_MESSAGES_POSTINGS];
    XtfMessageCall call;
    uint8_t row[XTF_ROW_MAX];

    if (!xtf_array_row(&location->arrays[XTF_MESSAGES_POSTINGS], n, row, error))
        return false;
    uint64_t message = xtf_field_get(type->message, row);
    if (!location->has_recvs || message >= location->recvs.n_rows)
        return xtf_damaged(error,
                           "postings of location %" PRIu64 ": row %" PRIu64 " names a receive that does not exist",
                           location->id, n);
    if (!xtf_message_call_of_receive(group->matching, location, message, &call, error))
        return false;
    *end = (End){xtf_field_get(type->bytes, row), call.leave};
    return true;
}

/* Loads the ends with numbers from `kept` to `to`. `ends` begins with number `from`. */
static bool load_group_ends(const XtfShiftedGroup *group, const XtfMessageSide *side, uint64_t from, uint64_t kept,
                            uint64_t to, End *ends, GError **error)
{
    for (uint64_t k = kept; k < to; k++) {
        XtfMessagePlace place;
        bool found;
        if (!xtf_message_select(side, k, &place, &found, error))
            return false;
        if (!found)
            return xtf_damaged(error,
                               "%s of process %" PRIu64 ": row %" PRIu64
                               " of a message group is missing, though the totals count it",
                               side->kind == XTF_MESSAGES_SENDS ? "sends" : "postings", side->process->proc, k);
        const XtfMessageLocation *location = &side->process->locations[place.location];
        if (!(side->kind == XTF_MESSAGES_SENDS ? load_send : load_receive)(group, location, place.row, &ends[k - from],
                                                                           error))
            return false;
    }
    return true;
}

static bool make_block(const XtfShiftedGroup *group, Block *block, GError **error)
{
    uint64_t first = block->number * XTF_SHIFT_BLOCK, end = MIN(first + XTF_SHIFT_BLOCK, group->n_sends);
    uint64_t from = first - MIN(first, (uint64_t)XTF_SHIFT_MOST);
    uint64_t to = MIN(first + XTF_SHIFT_BLOCK + XTF_SHIFT_MOST, group->n_receives);
    uint64_t send_kept, receive_kept; /* numbers of the first ends from the kept time on */
    End sends[XTF_SHIFT_BLOCK], receives[RECEIVES_MOST];

    if (!xtf_message_count_removed(group->sends, &send_kept, error) ||
        !xtf_message_count_removed(group->postings, &receive_kept, error) ||
        !load_group_ends(group, group->sends, first, MAX(first, send_kept), end, sends, error) ||
        !load_group_ends(group, group->postings, from, MAX(from, receive_kept), to, receives, error))
        return false;
    for (unsigned d = 0; d < N_SHIFTS; d++) {
        for (uint64_t i = first; i < end; i++) {
            uint64_t bit = (uint64_t)1 << (i - first), at = i + d - XTF_SHIFT_MOST;
            if (i + d < XTF_SHIFT_MOST || at >= group->n_receives || i < send_kept || at < receive_kept)
                continue;
            const End *send = &sends[i - first], *receive = &receives[at - from];
            block->paired[d] |= bit;
            if (send->bytes != receive->bytes || send->time >= receive->time)
                block->differ[d] |= bit;
        }
    }
    block->made = true;
    return true;
}

static Block *take_block(const XtfShiftedGroup *group, uint64_t number, GError **error)
{
    XtfKeeper *shifts = &group->matching->shifts;
    Block *wanted = g_new0(Block, 1);

    wanted->number = number;
    wanted->ends[0] = group->sends->process->proc;
    wanted->ends[1] = group->postings->process->proc;
    memcpy(wanted->envelope, group->sends->envelope, sizeof wanted->envelope);
    Block *block = xtf_keeper_take(shifts, wanted);
    if (block->made || make_block(group, block, error))
        return block;
    xtf_keeper_put(shifts, block, 0, false);
    return NULL;
}

/* ---- Reading blocks. */

/* Adds the shifts of some sends of a block to two sets: shifts with a pair, and shifts with a pair that disagrees. */
static bool add_shifts(const XtfShiftedGroup *group, uint64_t number, uint64_t sends, uint64_t *paired,
                       uint64_t *differ, GError **error)
{
    if (number >= (group->n_sends + XTF_SHIFT_BLOCK - 1) / XTF_SHIFT_BLOCK)
        return true;
    Block *block = take_block(group, number, error);
    if (!block)
        return false;
    for (unsigned d = 0; d < N_SHIFTS; d++) {
        *paired |= (uint64_t)((block->paired[d] & sends) != 0) << d;
        *differ |= (uint64_t)((block->differ[d] & sends) != 0) << d;
    }
    xtf_keeper_put(&group->matching->shifts, block, sizeof *block, true);
    return true;
}

/* Finds the only shift that fits at send k; *shift is the shift plus XTF_SHIFT_MOST. *fits is false if none or several
 * fit. */
static bool find_shift(const XtfShiftedGroup *group, uint64_t k, unsigned *shift, bool *fits, GError **error)
{
    uint64_t number = k / XTF_SHIFT_BLOCK, paired = 0, differ = 0;
    unsigned bit = k % XTF_SHIFT_BLOCK;

    *fits = false;
    if (!group->n_receives)
        return true;
    if ((number > 0 && !add_shifts(group, number - 1, UINT64_MAX << bit, &paired, &differ, error)) ||
        !add_shifts(group, number, UINT64_MAX, &paired, &differ, error) ||
        !add_shifts(group, number + 1, UINT64_MAX >> (63 - bit), &paired, &differ, error))
        return false;
    uint64_t good = paired & ~differ;
    *fits = good && !(good & (good - 1));
    *shift = *fits ? (unsigned)__builtin_ctzll(good) : 0;
    return true;
}

/* Finds the send that claims a receive. *claims counts the sends that do, *open the sends whose shift is unknown. */
static bool find_claims(const XtfShiftedGroup *group, uint64_t receive, uint64_t *send, unsigned *claims,
                        unsigned *open, GError **error)
{
    *claims = *open = 0;
    for (unsigned d = 0; d < N_SHIFTS; d++) {
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

bool xtf_message_shift_send(const XtfShiftedGroup *group, uint64_t k, uint64_t *receive, bool *likely, GError **error)
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

bool xtf_message_shift_receive(const XtfShiftedGroup *group, uint64_t k, uint64_t *send, bool *likely, GError **error)
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
