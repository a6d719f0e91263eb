#include "libxtf/trace.h"
#include "src/analysis/replay/replay-private.h"

#include "libxtf/error.h"
#include "libxtf/vocabulary.h"

enum {
    BUFFERS_BYTES = 16 << 20, /* bytes of the read buffers of all processes' logs together */
    BUFFER_MAX = 32 << 10,
    QUANTUM = 256, /* rows that a process replays in one turn */
};

/* ---- Creation. */

static bool nothing_is_reserved(const XtfSchema *schema)
{
    return false;
}

/* Adds the process of locations [from, to) of the table. */
static void add_process(XtfReplay *replay, const XtfLocations *locations, uint32_t from, uint32_t to)
{
    XtfProcess *process = &replay->processes[replay->n_processes];
    XtfKnownProcess *known = &replay->known[replay->n_processes++];
    uint64_t *ids = replay->ids + from;

    known->first_location = from;
    process->known = known;
    process->locations = ids;
    process->posted.few_words = 3;
    process->requests.few_words = 1;
    known->public = (XtfReplayProcess){
        .proc = locations->all[from].proc,
        .locations = ids,
        .n_locations = to - from,
        .first = UINT64_MAX,
    };
    for (uint32_t i = from; i < to; i++)
        ids[i - from] = locations->all[i].id;
}

static bool add_processes(XtfReplay *replay, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&replay->context, error);

    if (!locations)
        return false;
    replay->known = g_new0(XtfKnownProcess, locations->n_procs + 1);
    replay->ids = g_new(uint64_t, (size_t)locations->n + 1);
    replay->processes = xtf_paged_grow(&replay->paged_processes, (locations->n_procs + 1) * sizeof *replay->processes);
    replay->locations =
        xtf_paged_grow(&replay->paged_locations, ((size_t)locations->n + 1) * sizeof *replay->locations);
    for (uint32_t from = 0, to; from < locations->n; from = to) {
        for (to = from; to < locations->n && locations->all[to].proc == locations->all[from].proc;)
            to++;
        add_process(replay, locations, from, to);
        xtf_replay_page_out_sometimes(replay);
    }
    return true;
}

/* Finds the members of a communicator, unless it has two groups. All members must be processes of the trace, each only
 * once. */
static void find_members(XtfReplay *replay, uint32_t number)
{
    const XtfRanks *ranks = &replay->context.ranks;
    const uint8_t *row = ranks->comms->rows + (uint64_t)number * ranks->comms->schema->row_size;
    XtfComm *comm = &replay->comms[number];

    if (ranks->remote_group && !xtf_field_is_none(ranks->remote_group, row))
        return;
    comm->private = xtf_ranks_is_self(ranks, number);
    if (comm->private)
        return;
    g_autoptr(GArray) members = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_autofree bool *seen = g_new0(bool, replay->n_processes + 1);
    uint64_t proc;
    for (uint32_t rank = 0; xtf_ranks_proc(ranks, number, rank, 0, &proc); rank++) {
        uint32_t process = xtf_replay_process_number(replay, proc);
        if (process == UINT32_MAX || seen[process])
            return;
        seen[process] = true;
        g_array_append_val(members, process);
    }
    comm->n = members->len;
    comm->private = comm->n == 1;
    if (comm->n > 1)
        comm->members = (uint32_t *)(void *)g_array_free(g_steal_pointer(&members), FALSE);
}

static bool find_comms(XtfReplay *replay, GError **error)
{
    const XtfRanks *ranks = xtf_trace_context_ranks(&replay->context, error);

    if (!ranks)
        return false;
    replay->n_comms = ranks->comms ? (uint32_t)MIN(ranks->comms->n_rows, UINT32_MAX - 1) : 0;
    replay->comms = g_new0(XtfComm, replay->n_comms + 1);
    for (uint32_t i = 0; i < replay->n_comms; i++)
        find_members(replay, i);
    return true;
}

XtfReplay *xtf_replay_new(XtfTrace *trace, const XtfReplayOptions *options, GError **error)
{
    g_autoptr(XtfReplay) replay = g_new0(XtfReplay, 1);

    replay->trace = trace;
    replay->options = *options;
    replay->spool = XTF_SPOOL_NONE;
    g_mutex_init(&replay->lock);
    xtf_callpath_log_init(&replay->callpaths);
    replay->operations = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, xtf_operation_free);
    if (!xtf_trace_context_init(&replay->context, trace, false, nothing_is_reserved, error))
        return NULL;
    xtf_replay_fields_init(&replay->fields, trace);
    replay->least_gap = xtf_replay_find_least_gap(xtf_trace_clock(trace));
    if (options->calls && !xtf_replay_call_types_init(&replay->types, &replay->context, error))
        return NULL;
    if (!add_processes(replay, error) || !find_comms(replay, error) || !xtf_spool_open(&replay->spool, error) ||
        !xtf_replay_prepare(replay, error))
        return NULL;
    xtf_replay_find_certain(replay);
    if (!xtf_replay_pair_lossy(replay, error))
        return NULL;
    xtf_replay_page_out(replay);
    return g_steal_pointer(&replay);
}

/* Frees what a run holds in memory. */
static void forget_run(XtfReplay *replay)
{
    xtf_messages_finish(&replay->messages);
    g_hash_table_remove_all(replay->operations);
    g_queue_clear(&replay->ready);
    g_queue_clear(&replay->ahead);
    for (uint32_t i = 0; replay->processes && i < replay->n_processes; i++) {
        XtfProcess *process = &replay->processes[i];
        xtf_log_reader_finish(&process->reader);
        xtf_flights_finish(&process->posted);
        xtf_flights_finish(&process->requests);
        xtf_replay_page_out_sometimes(replay);
    }
    xtf_replay_page_out(replay);
}

void xtf_replay_end_runs(XtfReplay *replay)
{
    forget_run(replay);
    xtf_paged_free(&replay->paged_envelopes);
    replay->envelopes = NULL;
    xtf_paged_free(&replay->paged_processes);
    replay->processes = NULL;
    for (uint32_t i = 0; i < replay->n_comms; i++)
        g_free(replay->comms[i].members);
    g_clear_pointer(&replay->comms, g_free);
    replay->n_comms = 0;
    xtf_groups_finish(&replay->groups);
    g_clear_pointer(&replay->doubts, g_hash_table_unref);
    xtf_paged_free(&replay->paged_gaps);
    replay->gaps = NULL;
    g_clear_pointer(&replay->pairings, g_hash_table_unref);
    g_clear_pointer(&replay->removed, g_hash_table_unref);
}

void xtf_replay_free(XtfReplay *replay)
{
    if (!replay)
        return;
    xtf_replay_end_runs(replay);
    g_free(replay->ids);
    g_free(replay->known);
    xtf_paged_free(&replay->paged_locations);
    xtf_callpath_log_finish(&replay->callpaths);
    xtf_spool_close(&replay->spool);
    g_mutex_clear(&replay->lock);
    g_hash_table_unref(replay->operations);
    xtf_replay_fields_finish(&replay->fields);
    xtf_replay_call_types_finish(&replay->types);
    xtf_trace_context_finish(&replay->context);
    g_free(replay);
}

/* ---- Messages. */

/* Forgets the send of a request: a request number means the latest send with it. */
static void forget_request(XtfProcess *process, uint64_t request)
{
    XtfFlight *known = request == UINT64_MAX ? NULL : xtf_flights_find(&process->requests, request);

    if (known)
        xtf_flights_remove(&process->requests, known);
}

static void complete_send(XtfReplay *replay, XtfProcess *process, const XtfReplayRow *row)
{
    XtfFlight *known = row->message == UINT64_MAX ? NULL : xtf_flights_find(&process->requests, row->message);

    if (!known)
        return;
    XtfReplayEvent at = xtf_replay_event(replay, process, row);
    uint64_t value = known->words[0];
    xtf_flights_remove(&process->requests, known);
    if (replay->consumer->sent)
        replay->consumer->sent(replay->consumer->data, &at, value);
}

static void skip_send(XtfReplay *replay, XtfProcess *process, const XtfReplayRow *row)
{
    if (replay->options.calls)
        forget_request(process, row->message);
    replay->counts.uncertain_sends++;
}

static void replay_send(XtfReplay *replay, XtfProcess *process, const XtfReplayRow *row)
{
    uint32_t number = row->group;
    XtfGroup *group = number == UINT32_MAX ? NULL : &replay->groups.all[number];

    if (!group || group->uncertain || group->broken) {
        skip_send(replay, process, row);
        return;
    }
    uint32_t k = group->sent++;
    if (xtf_replay_is_doubtful(replay, number, k)) {
        skip_send(replay, process, row);
        return;
    }
    XtfReplayEvent at = xtf_replay_event(replay, process, row);
    at.blocks = row->message == UINT64_MAX;
    uint64_t value = replay->consumer->send(replay->consumer->data, &at);
    if (replay->options.calls && !at.blocks && replay->consumer->sent)
        xtf_flights_add(&process->requests, row->message)->words[0] =
            value; /* a later send with the same request number replaces this value */
    XtfMessage *message = xtf_messages_add(&replay->messages, &replay->groups, group, k);
    message->location = at.location;
    message->row = at.row;
    message->time = at.time;
    message->value = value;
    message->bytes = row->bytes;
    process->in_flight++;
    XtfProcess *receiver = &replay->processes[group->key.receiver];
    if (receiver->waits_for == ((uint64_t)number << 32 | k))
        xtf_replay_wake(replay, receiver);
}

static void drop_posting(const XtfReplay *replay, uint64_t value)
{
    if (replay->consumer->drop_posting && replay->consumer->post)
        replay->consumer->drop_posting(replay->consumer->data, value);
}

static void drop_send(const XtfReplay *replay, uint64_t value)
{
    if (replay->consumer->drop)
        replay->consumer->drop(replay->consumer->data, value);
}

static void hand_out_message(XtfReplay *replay, XtfProcess *process, const XtfReplayRow *row, const XtfGroup *group,
                             const XtfMessage *sent, uint64_t posted)
{
    XtfReplayEvent at = xtf_replay_event(replay, process, row);
    const XtfReplayMessage message = {
        .send = {.process = group->key.sender, .location = sent->location, .row = sent->row, .time = sent->time},
        .value = sent->value,
        .posted = posted,
        .bytes = row->bytes,
        .comm = group->key.comm,
        .tag = group->key.tag,
    };

    replay->consumer->receive(replay->consumer->data, &at, &message);
    replay->counts.messages++;
}

/* Replays a receive. False: the process waits for the send. */
static bool replay_receive(XtfReplay *replay, XtfProcess *process, const XtfReplayRow *row)
{
    XtfPosted posted;
    bool found = xtf_replay_find_posted(process, row, &posted);

    if (!found || posted.group == UINT32_MAX || replay->groups.all[posted.group].uncertain ||
        xtf_replay_is_doubtful(replay, posted.group, posted.k)) {
        if (found) {
            xtf_replay_forget_posted(process, &posted);
            drop_posting(replay, posted.value);
        }
        replay->counts.uncertain_receives++;
        return true;
    }
    XtfGroup *group = &replay->groups.all[posted.group];
    XtfMessage *message = xtf_messages_find(&replay->messages, &replay->groups, group, posted.k);
    if (!message && !group->broken) {
        process->waits_for = (uint64_t)posted.group << 32 | posted.k;
        return false;
    }
    xtf_replay_forget_posted(process, &posted);
    if (message && message->bytes != row->bytes)
        group->broken = true;
    if (message && !group->broken) {
        hand_out_message(replay, process, row, group, message, posted.value);
    } else {
        replay->counts.uncertain_receives++;
        replay->counts.uncertain_sends += message != NULL;
        drop_posting(replay, posted.value);
        if (message)
            drop_send(replay, message->value);
    }
    if (message) {
        replay->processes[group->key.sender].in_flight--;
        xtf_messages_remove(&replay->messages, &replay->groups, group, message);
    }
    return true;
}

/* ---- The run. */

/* Replays a row. True if the row is done; false: the process waits. */
static bool play_row(XtfReplay *replay, XtfProcess *process, const XtfReplayRow *row)
{
    switch ((XtfReplayRowKind)row->kind) {
    case XTF_ROW_SEND:
        replay_send(replay, process, row);
        return true;
    case XTF_ROW_POSTING:
        return xtf_replay_post(replay, process, row);
    case XTF_ROW_RECV:
        return replay_receive(replay, process, row);
    case XTF_ROW_BEGIN:
        xtf_replay_begin(replay, process, row);
        return true;
    case XTF_ROW_END:
        return xtf_replay_end(replay, process, row);
    case XTF_ROW_SENT:
        complete_send(replay, process, row);
        return true;
    case XTF_ROW_UNCERTAIN:
        break;
    }
    replay->counts.uncertain_collectives++;
    return true;
}

/* Replays rows of a process until it waits or its turn ends. `must`: no other process can run. */
static bool play_process(XtfReplay *replay, XtfProcess *process, bool must, GError **error)
{
    bool good;

    for (uint32_t i = 0; i < QUANTUM; i++) {
        const XtfReplayRow *row = xtf_replay_peek(replay, process, &good, error);
        if (!row) {
            process->done = good;
            return good;
        }
        if (row->kind == XTF_ROW_BEGIN && !must && xtf_replay_is_ahead(replay, row)) {
            xtf_replay_put_off(replay, process);
            return true;
        }
        must &= row->kind != XTF_ROW_BEGIN;
        if (!play_row(replay, process, row))
            return true;
        process->any_row = false;
    }
    xtf_replay_wake(replay, process);
    return true;
}

/*
 * Breaks a deadlock, in which all processes wait: no order of events agrees with the matching, so some messages were
 * matched wrongly. Wakes the first process that waits. The group of its message becomes broken, or its operation is
 * given up.
 */
static bool break_deadlock(XtfReplay *replay)
{
    for (uint32_t i = 0; i < replay->n_processes; i++) {
        XtfProcess *process = &replay->processes[i];
        if (process->waits_for != XTF_NO_KEY) {
            replay->groups.all[process->waits_for >> 32].broken = true;
            xtf_replay_wake(replay, process);
            return true;
        }
        if (process->waits_in) {
            xtf_replay_give_up(replay, process->waits_in);
            return true;
        }
        xtf_replay_page_out_sometimes(replay);
    }
    return false;
}

static void rewind_all(XtfReplay *replay)
{
    uint32_t buffer = MIN(BUFFERS_BYTES / (replay->n_processes + 1), BUFFER_MAX);

    for (uint32_t i = 0; i < replay->groups.n; i++) {
        replay->groups.all[i].sent = replay->groups.all[i].received = 0;
        replay->groups.all[i].broken = false;
        replay->groups.all[i].listed = replay->groups.all[i].n_listed = 0;
    }
    xtf_replay_begin_numbers(replay);
    forget_run(replay);
    replay->n_open = 0;
    for (uint32_t i = 0; i < replay->n_processes; i++) {
        XtfProcess *process = &replay->processes[i];
        xtf_log_reader_init(&process->reader, &replay->spool, &process->log, buffer);
        process->state = (XtfRowState){0};
        process->any_row = false;
        process->last_posted = XTF_NO_KEY;
        process->in_flight = 0;
        process->done = process->queued = false;
        xtf_replay_wake(replay, process);
        xtf_replay_page_out_sometimes(replay);
    }
    replay->done = 0;
    replay->counts = (XtfReplayCounts){0};
    xtf_replay_page_out(replay);
}

static XtfProcess *next_process(XtfReplay *replay, bool *must)
{
    xtf_replay_page_out_sometimes(replay);
    XtfProcess *process = g_queue_pop_head(&replay->ready);

    *must = !process;
    return process ? process : g_queue_pop_head(&replay->ahead);
}

bool xtf_replay_run(XtfReplay *replay, const XtfReplayConsumer *consumer, XtfReplayCounts *counts, GError **error)
{
    replay->consumer = consumer;
    rewind_all(replay);
    do {
        XtfProcess *process;
        bool must;
        while ((process = next_process(replay, &must))) {
            process->queued = false;
            if (!play_process(replay, process, must, error))
                return false;
        }
    } while (break_deadlock(replay));
    /* Sends without a receive. */
    replay->counts.uncertain_sends += replay->messages.n;
    replay->counts.unmatched_sends = replay->unmatched_sends;
    replay->counts.unmatched_receives = replay->unmatched_receives;
    *counts = replay->counts;
    forget_run(replay);
    return true;
}
