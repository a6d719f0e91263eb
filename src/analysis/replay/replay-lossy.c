/*
 * Matching in a trace that lacks records, as the counts of some groups show.
 *
 * It reads the logs once more, for the sizes of messages and for epochs. An operation in which all members of a
 * communicator met ends an epoch. Groups with equally many receives and sends are examined, too, as both sides may lack
 * records.
 *
 * Barriers and operations with data from all to all count as meetings. They count for communicators of all processes
 * and for the group's own communicator. Sender and receiver must have taken part in the same meetings in one order: a
 * hash of the meetings verifies it. Otherwise, or if a process has several locations with messages, the whole trace is
 * one epoch.
 */
#include "libxtf/error.h"
#include "src/analysis/replay/lossy/pairing.h"
#include "src/analysis/replay/replay-private.h"
#include "src/analysis/replay/row-coding.h"

enum {
    ROWS_AT_ONCE = 4096,    /* rows read between checks for cancellation */
    GROUPS_MOST = 1 << 20,  /* groups examined; the others are certain if their counts agree */
    RUNS_MOST = 1 << 22,    /* most runs of pairs and of unpaired sends, in all groups together */
    BUFFER_BYTES = 1 << 16, /* bytes of the buffer of the reader of logs */
};

/* The meetings that sender and receiver share. */
typedef struct {
    uint64_t hash;
    uint32_t n;
} Meetings;

typedef struct {
    uint32_t group;
    uint64_t sends, receives;     /* indexes into the table of ends */
    uint32_t n_sends, n_receives; /* number so far */
    Meetings at_sender, at_receiver;
    bool one_epoch;
} LossyGroup;

typedef struct {
    XtfReplay *replay;
    GHashTable *by_group; /* number -> LossyGroup */
    XtfPaged paged_ends, paged_scratch;
    XtfPairingEnd *ends;
    uint64_t n_ends;
    uint32_t fewer_most; /* the most ends on the smaller side of a group */
    uint32_t runs_left;
    bool sends_lost, receives_lost;
    bool *takes_part; /* by process */
    /* State of the current process: */
    Meetings all;                   /* of communicators of all processes */
    GHashTable *own;                /* comm -> Meetings, for all other communicators */
    GPtrArray *sending, *receiving; /* LossyGroup */
    XtfFlights
        posted; /* posted receives by receive_key(): words[0] is the index in `ends`, words[1] the group of messages */
} Lossy;

static void lossy_finish(Lossy *lossy)
{
    g_clear_pointer(&lossy->by_group, g_hash_table_unref);
    g_clear_pointer(&lossy->own, g_hash_table_unref);
    g_clear_pointer(&lossy->sending, g_ptr_array_unref);
    g_clear_pointer(&lossy->receiving, g_ptr_array_unref);
    g_clear_pointer(&lossy->takes_part, g_free);
    xtf_flights_finish(&lossy->posted);
    xtf_paged_free(&lossy->paged_ends);
    xtf_paged_free(&lossy->paged_scratch);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Lossy, lossy_finish)

/* ---- Groups. */

static bool find_lost(Lossy *lossy)
{
    for (uint32_t i = 0; i < lossy->replay->groups.n; i++) {
        const XtfGroup *group = &lossy->replay->groups.all[i];
        lossy->sends_lost |= group->lossy && group->sent < group->received;
        lossy->receives_lost |= group->lossy && group->sent > group->received;
    }
    return lossy->sends_lost || lossy->receives_lost;
}

/* True if only unequal counts of sends and receives may make the group uncertain. */
static bool is_examined(const XtfReplay *replay, uint32_t number)
{
    const XtfGroup *group = &replay->groups.all[number];

    return group->key.receiver != XTF_GROUP_COLLECTIVE && (group->lossy || !group->uncertain) &&
           !(replay->doubts && g_hash_table_contains(replay->doubts, GUINT_TO_POINTER(number)));
}

static void add_lossy_group(Lossy *lossy, uint32_t number)
{
    const XtfGroup *group = &lossy->replay->groups.all[number];
    LossyGroup *added = g_new0(LossyGroup, 1);

    added->group = number;
    added->sends = lossy->n_ends;
    added->receives = added->sends + group->sent;
    lossy->n_ends = added->receives + group->received;
    lossy->fewer_most = MAX(lossy->fewer_most, MIN(group->sent, group->received));
    lossy->takes_part[group->key.sender] = lossy->takes_part[group->key.receiver] = true;
    g_hash_table_insert(lossy->by_group, GUINT_TO_POINTER(number), added);
}

static bool add_groups(Lossy *lossy, GError **error)
{
    XtfReplay *replay = lossy->replay;

    lossy->by_group = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    lossy->takes_part = g_new0(bool, (size_t)replay->n_processes + 1);
    for (uint32_t i = 0; i < replay->groups.n && g_hash_table_size(lossy->by_group) < GROUPS_MOST; i++)
        if (is_examined(replay, i))
            add_lossy_group(lossy, i);
    if (lossy->n_ends == 0)
        return true;
    if (!xtf_paged_grow_in_file(&lossy->paged_ends, lossy->n_ends * sizeof *lossy->ends, error) ||
        !xtf_paged_grow_in_file(&lossy->paged_scratch, (size_t)lossy->fewer_most * sizeof(uint32_t), error))
        return false;
    lossy->ends = lossy->paged_ends.data;
    return true;
}

static LossyGroup *find_group(const Lossy *lossy, uint32_t number)
{
    return number == UINT32_MAX ? NULL : g_hash_table_lookup(lossy->by_group, GUINT_TO_POINTER(number));
}

/* ---- Epochs of a process. */

static void add_meeting(Meetings *meetings, uint64_t hashed, uint64_t also)
{
    meetings->n++;
    meetings->hash = (meetings->hash ^ hashed) * 0x9e3779b97f4a7c15U;
    meetings->hash = (meetings->hash ^ meetings->hash >> 29 ^ also) * 0x9e3779b97f4a7c15U;
}

/* Notes that the process met the members of the row's communicator. ALLTOALLV and ALLTOALLW do not count: a process
 * does not know whether the other members meet in them. */
static void note_meeting(Lossy *lossy, const XtfReplayRow *row)
{
    const XtfReplay *replay = lossy->replay;

    if (row->group == UINT32_MAX || !replay->comms[row->comm].members || row->pattern != XTF_REPLAY_ALL_TO_ALL ||
        !row->sends || !row->receives ||
        xtf_replay_fields_shape(&replay->fields, row->tag) == XTF_COLLECTIVE_SOME_TO_SOME)
        return;
    if (replay->comms[row->comm].n == replay->n_processes) {
        add_meeting(&lossy->all, row->comm, row->tag);
        return;
    }
    Meetings *own = g_hash_table_lookup(lossy->own, GUINT_TO_POINTER(row->comm));
    if (!own) {
        own = g_new0(Meetings, 1);
        g_hash_table_insert(lossy->own, GUINT_TO_POINTER(row->comm), own);
    }
    add_meeting(own, lossy->all.n, row->tag);
}

static Meetings meetings_of(const Lossy *lossy, uint32_t group)
{
    const Meetings *own = g_hash_table_lookup(lossy->own, GUINT_TO_POINTER(lossy->replay->groups.all[group].key.comm));
    Meetings meetings = lossy->all;

    if (own) {
        add_meeting(&meetings, own->hash, own->n);
        meetings.n = lossy->all.n + own->n;
    }
    return meetings;
}

/* ---- Rows of a process. */

static void note_send(Lossy *lossy, const XtfReplayRow *row)
{
    LossyGroup *group = find_group(lossy, row->group);

    if (!group || group->n_sends == lossy->replay->groups.all[group->group].sent)
        return;
    if (group->n_sends == 0)
        g_ptr_array_add(lossy->sending, group);
    lossy->ends[group->sends + group->n_sends++] = (XtfPairingEnd){row->bytes, meetings_of(lossy, group->group).n};
}

static uint64_t receive_key(const XtfReplayRow *row, uint64_t receive)
{
    return (uint64_t)row->location << XTF_ROW_BITS | receive;
}

static void note_posting(Lossy *lossy, const XtfReplayRow *row)
{
    LossyGroup *group = find_group(lossy, row->group);

    if (!group || group->n_receives == lossy->replay->groups.all[group->group].received)
        return;
    if (group->n_receives == 0)
        g_ptr_array_add(lossy->receiving, group);
    uint64_t at = group->receives + group->n_receives++, key = receive_key(row, row->message);
    lossy->ends[at] = (XtfPairingEnd){UINT64_MAX, UINT32_MAX};
    XtfFlight *flight = xtf_flights_find(&lossy->posted, key);
    if (!flight)
        flight = xtf_flights_add(&lossy->posted, key);
    flight->words[0] = at;
    flight->words[1] = group->group;
}

static void note_receive(Lossy *lossy, const XtfReplayRow *row)
{
    XtfFlight *flight = xtf_flights_find(&lossy->posted, receive_key(row, row->row));

    if (!flight)
        return;
    lossy->ends[flight->words[0]] = (XtfPairingEnd){row->bytes, meetings_of(lossy, (uint32_t)flight->words[1]).n};
    xtf_flights_remove(&lossy->posted, flight);
}

static void note_row(Lossy *lossy, const XtfReplayRow *row)
{
    switch ((XtfReplayRowKind)row->kind) {
    case XTF_ROW_SEND:
        note_send(lossy, row);
        break;
    case XTF_ROW_POSTING:
        note_posting(lossy, row);
        break;
    case XTF_ROW_RECV:
        note_receive(lossy, row);
        break;
    case XTF_ROW_END:
        note_meeting(lossy, row);
        break;
    case XTF_ROW_BEGIN:
    case XTF_ROW_UNCERTAIN:
    case XTF_ROW_SENT:
        break;
    }
}

static bool read_log(Lossy *lossy, const XtfProcess *process, XtfLogReader *reader, GError **error)
{
    const XtfReplay *replay = lossy->replay;
    const uint8_t *record, *end;
    XtfRowState state = {0};
    XtfReplayRow row;

    for (uint64_t n = 0;; n++) {
        if (n % ROWS_AT_ONCE == 0 && replay->options.cancel && atomic_load(replay->options.cancel))
            return xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
        if (!xtf_log_next(reader, &record, &end, error))
            return false;
        if (!record)
            return true;
        xtf_row_decode(&state, replay->envelopes + process->envelopes, record, replay->options.calls, &row);
        note_row(lossy, &row);
    }
}

/* Stores the meetings of the process in the groups that it sends or receives. */
static void end_process(const Lossy *lossy, const XtfProcess *process)
{
    for (guint i = 0; i < lossy->sending->len; i++) {
        LossyGroup *group = lossy->sending->pdata[i];
        group->at_sender = meetings_of(lossy, group->group);
        group->one_epoch |= !process->has_one_location;
    }
    for (guint i = 0; i < lossy->receiving->len; i++) {
        LossyGroup *group = lossy->receiving->pdata[i];
        group->at_receiver = meetings_of(lossy, group->group);
        group->one_epoch |= !process->has_one_location;
    }
}

static bool read_process(Lossy *lossy, const XtfProcess *process, GError **error)
{
    XtfLogReader reader;

    lossy->all = (Meetings){0};
    lossy->own = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    lossy->sending = g_ptr_array_new();
    lossy->receiving = g_ptr_array_new();
    lossy->posted.few_words = 2;
    xtf_log_reader_init(&reader, &lossy->replay->spool, &process->log, BUFFER_BYTES);
    bool good = read_log(lossy, process, &reader, error);
    xtf_log_reader_finish(&reader);
    if (good)
        end_process(lossy, process);
    g_clear_pointer(&lossy->own, g_hash_table_unref);
    g_clear_pointer(&lossy->sending, g_ptr_array_unref);
    g_clear_pointer(&lossy->receiving, g_ptr_array_unref);
    xtf_flights_finish(&lossy->posted);
    xtf_paged_page_out(&lossy->paged_ends);
    return good;
}

/* ---- Pairs. */

/* Keeps the doubtful messages of a group, by the numbers of their sends. */
static void keep_doubts(XtfReplay *replay, uint32_t group, GArray *doubts)
{
    xtf_runs_add(doubts, UINT32_MAX, UINT32_MAX); /* receives without a known send */
    if (!replay->doubts)
        replay->doubts = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    g_hash_table_insert(replay->doubts, GUINT_TO_POINTER(group), g_array_ref(doubts));
}

static void pair_group(Lossy *lossy, const LossyGroup *group)
{
    XtfReplay *replay = lossy->replay;
    bool one_epoch = group->one_epoch || group->at_sender.hash != group->at_receiver.hash;
    XtfPairingEnd *sends = lossy->ends + group->sends, *receives = lossy->ends + group->receives;
    const XtfPairingTask task = {.sends = sends,
                                 .receives = receives,
                                 .n_sends = group->n_sends,
                                 .n_receives = group->n_receives,
                                 .scratch = lossy->paged_scratch.data,
                                 .runs_most = lossy->runs_left / 2,
                                 .both_lost = lossy->sends_lost && lossy->receives_lost};

    for (uint32_t i = 0; one_epoch && i < group->n_sends; i++)
        sends[i].epoch = 0;
    for (uint32_t i = 0; one_epoch && i < group->n_receives; i++)
        receives[i].epoch = 0;
    XtfPairing *pairing = xtf_pairing_new(&task);
    replay->groups.all[group->group].uncertain = !pairing;
    if (!pairing || (pairing->n_pairs == group->n_sends && pairing->n_pairs == group->n_receives)) {
        xtf_pairing_free(pairing);
        return;
    }
    lossy->runs_left -= pairing->receives->len + pairing->unpaired->len;
    if (!replay->pairings)
        replay->pairings = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)xtf_pairing_free);
    g_hash_table_insert(replay->pairings, GUINT_TO_POINTER(group->group), pairing);
    keep_doubts(replay, group->group, pairing->unpaired);
}

bool xtf_replay_pair_lossy(XtfReplay *replay, GError **error)
{
    g_auto(Lossy) lossy = {.replay = replay, .runs_left = RUNS_MOST};
    GHashTableIter groups;
    gpointer group;

    if (!find_lost(&lossy))
        return true;
    if (!add_groups(&lossy, error))
        return false;
    for (uint32_t i = 0; lossy.n_ends > 0 && i < replay->n_processes; i++)
        if (lossy.takes_part[i] && !read_process(&lossy, &replay->processes[i], error))
            return false;
    g_hash_table_iter_init(&groups, lossy.by_group);
    while (g_hash_table_iter_next(&groups, NULL, &group))
        pair_group(&lossy, group);
    return true;
}
