/*
 * A replay by the ranks of a job: each reads and replays a block of processes.
 *
 * All ranks have the same groups, under the same numbers: rank 0 joins the groups that each rank has counted. Each rank
 * has its own processes' logs.
 */
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/analysis/replay/replay-private.h"
#include "src/world/stream.h"

enum { LOG_PIECE = 32 << 10 }; /* bytes of records in an item */
enum { GROUPS_IN_ITEM = 1024 };

/* ---- Blocks of processes. */

/* Adds the rows of a location to *n. */
static bool count_location(const XtfReplay *replay, const XtfLocation *location, GArray *arrays, uint64_t *n,
                           GError **error)
{
    g_array_set_size(arrays, (guint)location->n_arrays);
    if (arrays->len > 0 && !xtf_trace_get_arrays(replay->trace, location->first_array, location->n_arrays,
                                                 (XtfArray *)(void *)arrays->data, error))
        return false;
    for (guint i = 0; i < arrays->len; i++)
        *n += g_array_index(arrays, XtfArray, i).n_rows;
    return true;
}

bool xtf_replay_deal(XtfReplay *replay, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&replay->context, error);
    g_autoptr(GArray) arrays = g_array_new(FALSE, FALSE, sizeof(XtfArray));
    g_autofree uint64_t *rows = g_new0(uint64_t, (size_t)replay->n_processes + 1);
    XtfWorld *world = replay->options.world;

    for (uint32_t p = 0; locations && p < replay->n_processes; p++)
        for (uint32_t l = 0; l < replay->known[p].public.n_locations; l++)
            if (!count_location(replay, &locations->all[replay->known[p].first_location + l], arrays, &rows[p], error))
                return false;
    if (!locations)
        return false;
    replay->borders = xtf_replay_divide_by(rows, replay->n_processes, xtf_world_size(world));
    return true;
}

/* ---- Locations. */

void xtf_replay_forget_others(XtfReplay *replay)
{
    unsigned rank = xtf_world_rank(replay->options.world);
    uint32_t first = replay->borders[rank], end = replay->borders[rank + 1];

    for (uint32_t p = 0; p < replay->n_processes; p++)
        for (uint32_t l = 0; (p < first || p >= end) && l < replay->known[p].public.n_locations; l++)
            replay->locations[replay->known[p].first_location + l] =
                (XtfReplayLocation){.begin = UINT64_MAX, .calls = UINT64_MAX};
}

/* ---- Groups. */

typedef enum {
    GROUPS, /* some groups */
    DOUBTS, /* DoubtsItem, then n runs of the group */
} GroupItemKind;

typedef struct {
    XtfGroupKey key;
    uint64_t n;
} DoubtsItem;

static void copy_packed(const uint8_t **from, void *to, size_t n)
{
    if (n > 0)
        memcpy(to, *from, n);
    *from += n;
}

/* Puts the doubtful messages of all groups. */
static void put_doubts(const XtfReplay *replay, XtfWorldStream *stream)
{
    GHashTableIter iter;
    gpointer group, doubts;

    g_hash_table_iter_init(&iter, replay->doubts);
    while (g_hash_table_iter_next(&iter, &group, &doubts)) {
        const GArray *runs = doubts;
        size_t bytes = runs->len * sizeof(XtfRun);
        DoubtsItem *item = xtf_world_stream_put(stream, 0, DOUBTS, (uint32_t)((sizeof *item + bytes + 7) & ~(size_t)7));
        *item = (DoubtsItem){.key = replay->groups.all[GPOINTER_TO_UINT(group)].key, .n = runs->len};
        memcpy(item + 1, runs->data, bytes);
    }
}

/* Puts the groups and the doubtful messages of the replay. */
static bool put_groups(void *data, XtfWorldStream *stream, GError **error)
{
    const XtfReplay *replay = data;

    for (uint32_t i = 0; i < replay->groups.n; i += GROUPS_IN_ITEM) {
        size_t bytes = MIN(replay->groups.n - i, (uint32_t)GROUPS_IN_ITEM) * sizeof(XtfGroup);
        memcpy(xtf_world_stream_put(stream, 0, GROUPS, (uint32_t)bytes), &replay->groups.all[i], bytes);
    }
    if (replay->doubts)
        put_doubts(replay, stream);
    return true;
}

/* Joins the counts of a group. Only the rank that has the process of a side has counted that side. */
static void join_group(XtfGroup *to, const XtfGroup *from)
{
    to->sent += from->sent;
    to->received += from->received;
    to->uncertain |= from->uncertain;
    to->location = MIN(to->location, from->location);
    to->receiver_or_rank = MIN(to->receiver_or_rank, from->receiver_or_rank);
    to->listed |= from->listed;
}

static void join_doubts(XtfReplay *replay, const DoubtsItem *item)
{
    g_autoptr(GArray) runs = g_array_new(FALSE, FALSE, sizeof(XtfRun));

    g_array_append_vals(runs, item + 1, (guint)item->n);
    xtf_replay_keep_doubts(replay, xtf_groups_find(&replay->groups, &item->key, true), runs);
}

/* Adds groups of another rank to the replay's groups. */
static bool read_groups(void *data, unsigned from, uint32_t kind, const void *bytes, uint32_t n_bytes, GError **error)
{
    const XtfGroup *groups = bytes;
    XtfReplay *replay = data;

    if (kind == DOUBTS)
        join_doubts(replay, bytes);
    for (uint32_t i = 0; kind == GROUPS && i < n_bytes / sizeof *groups; i++) {
        uint32_t number = xtf_groups_find(&replay->groups, &groups[i].key, true); /* it may move the groups */
        join_group(&replay->groups.all[number], &groups[i]);
    }
    return xtf_replay_has_few_groups(replay, error);
}

/* Gives the envelopes the numbers that their groups have now. */
static void renumber_envelopes(XtfReplay *replay, const XtfGroups *before)
{
    for (uint64_t i = 0; i < replay->n_envelopes; i++) {
        uint32_t *group = &replay->envelopes[i].group;
        if (*group != UINT32_MAX)
            *group = xtf_groups_find(&replay->groups, &before->all[*group].key, false);
    }
}

bool xtf_replay_join_groups(XtfReplay *replay, GError **error)
{
    XtfWorld *world = replay->options.world;
    XtfGroups own = {0};

    if (!xtf_world_take_turns(world, put_groups, read_groups, replay, error))
        return false;
    if (xtf_world_rank(world) > 0) { /* the joined groups replace the own ones */
        own = replay->groups;
        replay->groups = (XtfGroups){0};
        g_clear_pointer(&replay->doubts, g_hash_table_unref);
    }
    bool good = xtf_world_share(world, put_groups, read_groups, replay, error);
    if (good && xtf_world_rank(world) > 0)
        renumber_envelopes(replay, &own);
    xtf_groups_finish(&own);
    return good;
}

/* ---- Logs. */

typedef enum {
    LOG_BEGIN,   /* LogItem, then its envelopes */
    LOG_RECORDS, /* n records, each behind its length: uint64_t n, then the bytes, and zeros up to a multiple of 8 */
    LOG_END,
} LogItemKind;

typedef struct {
    uint32_t process, n_envelopes;
    bool has_one_location;
} LogItem;

/* The log of another rank's process that is being received. */
typedef struct {
    XtfReplay *replay;
    XtfProcess *process;
    XtfLogWriter writer;
} ReceivedLog;

/* Puts an item for all other ranks. */
static void put_for_others(const XtfReplay *replay, XtfWorldStream *stream, LogItemKind kind, const void *bytes,
                           size_t n_bytes)
{
    const XtfWorld *world = replay->options.world;
    uint32_t padded = (uint32_t)(n_bytes + 7) & ~7u;

    for (unsigned to = 0; to < xtf_world_size(world); to++) {
        if (to == xtf_world_rank(world))
            continue;
        uint8_t *item = xtf_world_stream_put(stream, to, kind, padded);
        if (n_bytes > 0)
            memcpy(item, bytes, n_bytes);
        memset(item + n_bytes, 0, padded - n_bytes);
    }
}

static bool put_records(const XtfReplay *replay, const XtfProcess *process, XtfWorldStream *stream, GError **error)
{
    struct {
        uint64_t n;
        uint8_t bytes[LOG_PIECE];
    } piece = {0};
    const uint8_t *record, *end;
    XtfLogReader reader;
    size_t used = 0;
    bool good;

    xtf_log_reader_init(&reader, &replay->spool, &process->log, LOG_PIECE);
    while ((good = xtf_log_next(&reader, &record, &end, error)) && record) {
        uint8_t length = (uint8_t)(end - record);
        if (used + 1 + length > LOG_PIECE) {
            put_for_others(replay, stream, LOG_RECORDS, &piece, sizeof piece.n + used);
            used = piece.n = 0;
        }
        piece.bytes[used++] = length;
        memcpy(piece.bytes + used, record, length);
        used += length;
        piece.n++;
    }
    xtf_log_reader_finish(&reader);
    put_for_others(replay, stream, LOG_RECORDS, &piece, sizeof piece.n + used);
    return good;
}

static bool put_log(const XtfReplay *replay, uint32_t number, XtfWorldStream *stream, GError **error)
{
    const XtfProcess *process = &replay->processes[number];
    size_t of_envelopes = process->n_envelopes * sizeof *replay->envelopes;
    const LogItem item = {number, process->n_envelopes, process->has_one_location};
    g_autofree uint8_t *begin = g_malloc(sizeof item + of_envelopes);

    memcpy(begin, &item, sizeof item);
    if (of_envelopes > 0)
        memcpy(begin + sizeof item, replay->envelopes + process->envelopes, of_envelopes);
    put_for_others(replay, stream, LOG_BEGIN, begin, sizeof item + of_envelopes);
    if (!put_records(replay, process, stream, error))
        return false;
    put_for_others(replay, stream, LOG_END, NULL, 0);
    return true;
}

static void read_log_begin(ReceivedLog *log, const LogItem *item)
{
    XtfReplay *replay = log->replay;

    log->process = &replay->processes[item->process];
    log->process->has_one_location = item->has_one_location;
    XtfEnvelope *envelopes = xtf_replay_take_envelopes(replay, log->process, item->n_envelopes);
    if (item->n_envelopes > 0)
        memcpy(envelopes, item + 1, item->n_envelopes * sizeof *envelopes);
    xtf_log_writer_init(&log->writer, &replay->spool, LOG_PIECE);
}

static bool read_records(ReceivedLog *log, const void *bytes, GError **error)
{
    const uint8_t *from = bytes;
    uint64_t n;

    copy_packed(&from, &n, sizeof n);
    for (uint64_t i = 0; i < n; i++) {
        uint8_t *to = xtf_log_begin(&log->writer, error);
        uint8_t length = *from++;
        if (!to)
            return false;
        copy_packed(&from, to, length);
        xtf_log_end(&log->writer, to + length);
    }
    return true;
}

static bool read_log_item(void *data, unsigned from, uint32_t kind, const void *bytes, uint32_t n_bytes, GError **error)
{
    ReceivedLog *log = data;

    switch ((LogItemKind)kind) {
    case LOG_BEGIN:
        read_log_begin(log, bytes);
        return true;
    case LOG_RECORDS:
        return read_records(log, bytes, error);
    case LOG_END:
        break;
    }
    bool good = xtf_log_writer_end(&log->writer, &log->process->log, error);
    xtf_log_writer_finish(&log->writer);
    return good;
}

/* Sends the logs of one rank to all others. */
static bool exchange_logs_of(XtfReplay *replay, unsigned rank, GError **error)
{
    XtfWorld *world = replay->options.world;
    g_autoptr(XtfWorldStream) stream = xtf_world_stream_new(world);
    ReceivedLog log = {.replay = replay};
    bool sends = xtf_world_rank(world) == rank, good = true;
    GError *own = NULL;

    for (uint32_t i = 0; good && sends && i < replay->n_read; i++)
        good = put_log(replay, replay->first_read + i, stream, &own);
    if (good)
        xtf_world_stream_end(stream, read_log_item, &log, &own);
    xtf_log_writer_finish(&log.writer);
    return xtf_world_have_succeeded(world, own, error);
}

bool xtf_replay_exchange_logs(XtfReplay *replay, GError **error)
{
    for (unsigned rank = 0; rank < xtf_world_size(replay->options.world); rank++)
        if (!exchange_logs_of(replay, rank, error))
            return false;
    return true;
}

/* ---- A run. */

void xtf_replay_find_member_shares(XtfReplay *replay)
{
    uint32_t rank = xtf_world_rank(replay->options.world), n_ranks = xtf_world_size(replay->options.world);
    g_autofree bool *has = g_new(bool, n_ranks);

    for (uint32_t i = 0; i < replay->n_comms; i++) {
        XtfComm *comm = &replay->comms[i];
        if (!comm->members || comm->shares)
            continue;
        memset(has, 0, n_ranks * sizeof *has);
        comm->shares = g_new(uint32_t, MIN(n_ranks, comm->n));
        for (uint32_t member = 0; member < comm->n; member++) {
            uint32_t share = replay->processes[comm->members[member]].share;
            comm->n_own += share == rank;
            if (!has[share])
                comm->shares[comm->n_shares++] = share;
            has[share] = true;
        }
    }
}

/* The processes that wait, of one rank or of all. */
typedef struct {
    uint32_t process;  /* the first process that waits; UINT32_MAX: none */
    bool any_ahead;    /* some processes are far ahead */
    bool in_operation; /* it waits in `operation` */
    XtfOperationHead operation;
} Waiting;

static Waiting find_waiting(const XtfReplayShare *share)
{
    const XtfReplay *replay = share->replay;
    Waiting waiting = {.process = UINT32_MAX, .any_ahead = !g_queue_is_empty((GQueue *)&share->ahead)};

    for (uint32_t i = share->first; i < share->end && waiting.process == UINT32_MAX; i++) {
        const XtfProcess *process = &replay->processes[i];
        if (process->waits_for == XTF_NO_KEY && !process->waits_in)
            continue;
        waiting.process = i;
        waiting.in_operation = process->waits_for == XTF_NO_KEY;
        if (waiting.in_operation)
            waiting.operation = xtf_operation_head(process->waits_in);
    }
    return waiting;
}

/* Returns the first process that waits in any rank. */
static Waiting join_waiting(XtfWorld *world, const Waiting *own)
{
    g_autoptr(GBytes) packed = g_bytes_new(own, sizeof *own);
    g_autoptr(GPtrArray) all = xtf_world_gather(world, packed);
    Waiting first = *own;

    for (guint i = 1; all && i < all->len; i++) {
        Waiting waiting;
        memcpy(&waiting, g_bytes_get_data(all->pdata[i], NULL), sizeof waiting);
        waiting.any_ahead |= first.any_ahead;
        first.any_ahead = waiting.any_ahead;
        if (waiting.process < first.process)
            first = waiting;
    }
    g_autoptr(GBytes) joined = g_bytes_new(&first, sizeof first), shared = xtf_world_broadcast(world, joined);
    memcpy(&first, g_bytes_get_data(shared, NULL), sizeof first);
    return first;
}

/* Breaks a deadlock at the first process that waits; see replay-shares.c. */
static void break_at(XtfReplayShare *share, const Waiting *first)
{
    XtfReplay *replay = share->replay;

    if (first->in_operation) {
        xtf_replay_give_up_operation(share, &first->operation);
    } else if (xtf_share_owns(share, first->process)) {
        XtfProcess *process = &replay->processes[first->process];
        replay->groups.all[process->waits_for >> 32].broken = true;
        xtf_replay_wake(share, process);
    }
}

XtfMailState xtf_replay_decide_in_ranks(XtfReplayShare *share)
{
    const XtfReplayConsumer *consumer = share->consumer;
    const Waiting own = find_waiting(share), first = join_waiting(share->replay->options.world, &own);

    if (first.any_ahead) {
        share->may_run_ahead = own.any_ahead;
        return XTF_MAIL_NEWS;
    }
    if (first.process != UINT32_MAX) {
        break_at(share, &first);
        return XTF_MAIL_NEWS;
    }
    return consumer->finish && consumer->finish(consumer->data) ? XTF_MAIL_NEWS : XTF_MAIL_ENDED;
}

void xtf_replay_join_counts(const XtfReplay *replay, XtfReplayCounts *counts)
{
    uint64_t numbers[] = {counts->messages, counts->collectives, counts->uncertain_sends, counts->uncertain_receives,
                          counts->uncertain_collectives};

    xtf_world_sum(replay->options.world, numbers, G_N_ELEMENTS(numbers));
    counts->messages = numbers[0];
    counts->collectives = numbers[1];
    counts->uncertain_sends = numbers[2];
    counts->uncertain_receives = numbers[3];
    counts->uncertain_collectives = numbers[4];
}
