#include "src/analysis/synchronous/synchronous.h"

#include <stdlib.h>

#include "libxtf/vocabulary.h"
#include "src/analysis/synchronous/needs.h"
#include "src/analysis/synchronous/operations.h"
#include "src/trace/context/name-index.h"

#define NONE UINT32_MAX

enum { NEEDS_BETWEEN_SEARCHES = 1 << 16 };

/* A message that is not received, or whose send is not complete. */
typedef struct {
    uint64_t call;     /* number of the call of the send; of a free message: the next free one */
    uint64_t posted;   /* place of the posting, if received */
    uint64_t row;      /* of the send */
    uint32_t location; /* of the send */
    uint32_t need;     /* the need of its completion; XTF_NO_NEED: none */
    uint32_t comm, tag;
    bool buffered; /* the send completes without a receive */
    bool received;
    bool completes; /* a record of the send's completion follows */
    bool dropped;
} Message;

typedef struct {
    XtfSyncCounters counters; /* of the locations, then of the operations */
    XtfNeeds needs;
    XtfSynchronousOperations operations;
    GArray *messages; /* Message */
    uint32_t free_message;
    uint32_t n_since_search;  /* needs that were added since the last search for dead locations */
    uint32_t *first_location; /* by process */
    bool *buffers;            /* by region: true if sends in it complete without a receive */
    uint64_t n_buffers;
    GArray *cycles; /* uint32_t: a counter of each */
    uint64_t n_outside_mpi;
} Run;

static Message *message_at(const Run *run, uint64_t value)
{
    return &g_array_index(run->messages, Message, value - 1);
}

/* Continues all locations and operations whose waits have ended. */
static void continue_ready(Run *run)
{
    uint32_t number;

    while ((number = xtf_sync_counters_next_ready(&run->counters)) != XTF_NO_COUNTER) {
        if (number < run->needs.n_locations)
            xtf_needs_continue(&run->needs, number);
        else
            xtf_synchronous_operations_continue(&run->operations, number);
    }
}

static bool is_in_mpi(const XtfReplayEvent *at)
{
    return at->call->row != UINT64_MAX && at->call->kind != XTF_MPI_CALL_NONE;
}

/* Returns the location of an event, after it has begun the call of the event. An event outside of MPI is a call. */
static uint32_t enter_call(Run *run, const XtfReplayEvent *at)
{
    uint32_t location = run->first_location[at->process] + at->number;
    XtfNeedQueue *queue = &run->needs.queues[location];

    if (queue->call > 0 && is_in_mpi(at) && queue->row == at->call->row)
        return location;
    queue->row = is_in_mpi(at) ? at->call->row : UINT64_MAX;
    xtf_needs_begin_call(&run->needs, location);
    continue_ready(run);
    return location;
}

static uint64_t place_of(const Run *run, uint32_t location)
{
    return xtf_place(location, run->needs.queues[location].call);
}

/* Searches for dead locations now and then, since their later needs only take memory. */
static void search_sometimes(Run *run)
{
    if (++run->n_since_search < MAX((guint)NEEDS_BETWEEN_SEARCHES, run->counters.all->len))
        return;
    xtf_sync_counters_find_dead(&run->counters, run->cycles);
    run->n_since_search = 0;
}

/* Adds a need of the call around an event. Returns its number; XTF_NO_NEED: the location waits for ever. */
static uint32_t add_need(Run *run, uint32_t location, const XtfReplayEvent *at, XtfNeed *need)
{
    if (xtf_sync_counter(&run->counters, location)->dead)
        return XTF_NO_NEED;
    bool is_first = run->needs.queues[location].first == XTF_NO_NEED;
    need->wait.location = location;
    need->wait.call_row = at->call->row;
    need->wait.region = at->call->region;
    uint32_t number = xtf_needs_add(&run->needs, location, need);
    if (is_first)
        xtf_needs_continue(&run->needs, location);
    bool is_open = need->state == XTF_NEED_OPEN;
    continue_ready(run);
    search_sometimes(run);
    return is_open ? number : XTF_NO_NEED;
}

static void met_need(void *data, const XtfNeed *need)
{
    Run *run = data;

    if (need->state == XTF_NEED_KNOWN && need->counter >= run->needs.n_locations)
        xtf_synchronous_operations_leave(&run->operations, need->counter);
}

/* ---- Messages. */

/* Returns the value of a new message. */
static uint64_t store_message(Run *run, const Message *message)
{
    uint32_t number = run->free_message;

    if (number != NONE) {
        run->free_message = (uint32_t)g_array_index(run->messages, Message, number).call;
        g_array_index(run->messages, Message, number) = *message;
    } else {
        number = run->messages->len;
        g_array_append_val(run->messages, *message);
    }
    return (uint64_t)number + 1;
}

static void free_message(Run *run, uint64_t value)
{
    message_at(run, value)->call = run->free_message;
    run->free_message = (uint32_t)(value - 1);
}

/* Returns the need that a send completes, as far as the message is known. */
static XtfNeed need_of_send(const Message *message)
{
    XtfNeed need = {
        .wait = {.row = message->row,
                 .record_location = message->location,
                 .comm = message->comm,
                 .tag = message->tag,
                 .kind = XTF_SYNCHRONOUS_SEND},
        .state = message->dropped    ? XTF_NEED_DROPPED
                 : message->received ? XTF_NEED_KNOWN
                                     : XTF_NEED_OPEN,
    };
    if (need.state == XTF_NEED_KNOWN) {
        need.counter = xtf_place_location(message->posted);
        need.level = xtf_place_call(message->posted);
    }
    return need;
}

static uint64_t send_message(void *data, const XtfReplayEvent *at)
{
    Run *run = data;
    uint32_t location = enter_call(run, at), region = at->call->region;
    Message message = {
        .call = run->needs.queues[location].call,
        .row = at->row,
        .location = location,
        .need = XTF_NO_NEED,
        .buffered = region < run->n_buffers && run->buffers[region],
        .completes = !at->blocks,
    };

    run->n_outside_mpi += at->blocks && !is_in_mpi(at);
    if (at->blocks && is_in_mpi(at) && !message.buffered) {
        XtfNeed need = need_of_send(&message);
        message.need = add_need(run, location, at, &need);
    }
    return store_message(run, &message);
}

/* Completes a non-blocking send. */
static void complete_send(void *data, const XtfReplayEvent *at, uint64_t value)
{
    Run *run = data;
    uint32_t location = enter_call(run, at);
    Message *message = message_at(run, value);

    message->completes = false;
    if (!message->buffered && is_in_mpi(at)) {
        XtfNeed need = need_of_send(message);
        message->need = add_need(run, location, at, &need);
    }
    if (message->received)
        free_message(run, value);
}

/* Notes that the other side of a message is known, or that there is none: `posted` is 0. */
static void resolve_message(Run *run, uint64_t value, uint64_t posted, uint32_t comm, uint32_t tag)
{
    Message *message = message_at(run, value);
    uint32_t number = message->need;

    message->received = true;
    message->dropped = posted == 0;
    message->posted = posted;
    message->comm = comm;
    message->tag = tag;
    if (number != XTF_NO_NEED) {
        XtfNeed *need = xtf_need(&run->needs, number), known = need_of_send(message);
        need->wait.comm = comm;
        need->wait.tag = tag;
        need->state = known.state;
        need->counter = known.counter;
        need->level = known.level;
        uint32_t location = need->wait.location;
        if (run->needs.queues[location].first == number)
            xtf_needs_continue(&run->needs, location);
        continue_ready(run);
    }
    if (!message->completes)
        free_message(run, value);
}

static uint64_t post_receive(void *data, const XtfReplayEvent *at)
{
    return place_of(data, enter_call(data, at));
}

static void receive_message(void *data, const XtfReplayEvent *at, const XtfReplayMessage *message)
{
    Run *run = data;
    uint32_t location = enter_call(run, at);
    const Message *sent = message_at(run, message->value);
    XtfNeed need = {
        .wait = {.row = at->row,
                 .record_location = location,
                 .comm = message->comm,
                 .tag = message->tag,
                 .kind = XTF_SYNCHRONOUS_RECEIVE},
        .state = XTF_NEED_KNOWN,
        .counter = sent->location,
        .level = sent->call,
    };

    resolve_message(run, message->value, message->posted, message->comm, message->tag);
    add_need(run, location, at, &need);
}

static void drop_message(void *data, uint64_t value)
{
    resolve_message(data, value, 0, 0, 0);
}

/* ---- Collective operations. */

static uint64_t begin_operation(void *data, const XtfReplayEvent *at)
{
    return place_of(data, enter_call(data, at));
}

static void end_operation(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank)
{
    Run *run = data;
    uint32_t location = enter_call(run, at);
    bool is_dead = xtf_sync_counter(&run->counters, location)->dead;
    XtfNeed need = {
        .wait = {.row = at->row,
                 .record_location = location,
                 .comm = collective->comm,
                 .kind = XTF_SYNCHRONOUS_OPERATION},
        .state = XTF_NEED_KNOWN,
    };

    if (xtf_synchronous_operations_end(&run->operations, collective, rank, !is_dead, &need.counter, &need.level))
        add_need(run, location, at, &need);
}

/* ---- The run. */

/* Finds the regions in which sends are buffered. */
static bool find_buffers(Run *run, XtfTrace *trace, GError **error)
{
    static const char *const buffered[] = {"bsend", "ibsend", NULL};
    g_autofree const char **names = NULL;

    if (!xtf_table_names(trace, XTF_TABLE_REGIONS, &names, &run->n_buffers, error))
        return false;
    run->n_buffers = names ? run->n_buffers : 0;
    run->buffers = g_new0(bool, run->n_buffers + 1);
    for (uint64_t i = 0; i < run->n_buffers; i++)
        run->buffers[i] = names[i] && xtf_mpi_function_find(names[i], buffered) >= 0;
    return true;
}

static void start_run(Run *run, const XtfReplay *replay)
{
    run->first_location = xtf_replay_first_locations(replay);
    uint32_t n = run->first_location[xtf_replay_n_processes(replay)];
    xtf_sync_counters_init(&run->counters, n);
    xtf_needs_init(&run->needs, &run->counters, n);
    run->needs.met = met_need;
    run->needs.data = run;
    xtf_synchronous_operations_init(&run->operations, &run->counters, n);
    run->messages = g_array_new(FALSE, FALSE, sizeof(Message));
    run->free_message = NONE;
    run->cycles = g_array_new(FALSE, FALSE, sizeof(uint32_t));
}

static void finish_run(Run *run)
{
    xtf_synchronous_operations_finish(&run->operations);
    xtf_needs_finish(&run->needs);
    xtf_sync_counters_finish(&run->counters);
    g_clear_pointer(&run->messages, g_array_unref);
    g_clear_pointer(&run->cycles, g_array_unref);
    g_free(run->first_location);
    g_free(run->buffers);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, finish_run)

/* Continues the locations that wait for messages of which the replay has seen no receive. */
static void drop_open_needs(Run *run)
{
    for (uint32_t i = 0; i < run->needs.n_locations; i++)
        for (uint32_t n = run->needs.queues[i].first; n != XTF_NO_NEED; n = xtf_need(&run->needs, n)->next)
            if (xtf_need(&run->needs, n)->state == XTF_NEED_OPEN)
                xtf_need(&run->needs, n)->state = XTF_NEED_DROPPED;
    for (uint32_t i = 0; i < run->needs.n_locations; i++) {
        uint32_t first = run->needs.queues[i].first;
        if (first != XTF_NO_NEED && xtf_need(&run->needs, first)->state == XTF_NEED_DROPPED)
            xtf_needs_continue(&run->needs, i);
        continue_ready(run);
    }
}

/* ---- The result. */

/* Returns the next location of a cycle after a counter of it. */
static uint32_t next_location(const Run *run, uint32_t number)
{
    do
        number = xtf_sync_counter(&run->counters, number)->awaited;
    while (number >= run->needs.n_locations);
    return number;
}

static XtfSynchronousCycle make_cycle(const Run *run, uint32_t number)
{
    uint32_t lowest = next_location(run, number), n = 1;

    for (uint32_t at = next_location(run, lowest), end = lowest; at != end; at = next_location(run, at), n++)
        lowest = MIN(lowest, at);
    XtfSynchronousCycle cycle = {.waits = g_new(XtfSynchronousWait, n), .n = n};
    for (uint32_t i = 0, at = lowest; i < n; i++, at = next_location(run, at)) {
        cycle.waits[i] = xtf_need(&run->needs, run->needs.queues[at].first)->wait;
        cycle.waits[i].location = at;
        cycle.waits[i].awaited = next_location(run, at);
    }
    return cycle;
}

static int compare_cycles(const void *left, const void *right)
{
    const XtfSynchronousCycle *a = left, *b = right;
    return a->waits[0].location < b->waits[0].location ? -1 : 1;
}

static void make_result(XtfSynchronousRun *result, const Run *run)
{
    result->n_outside_mpi = run->n_outside_mpi;
    for (uint32_t i = 0; i < run->needs.n_locations; i++)
        result->n_stuck += xtf_sync_counter(&run->counters, i)->dead;
    result->n_cycles = run->cycles->len;
    result->cycles = g_new(XtfSynchronousCycle, (size_t)result->n_cycles + 1);
    for (uint32_t i = 0; i < result->n_cycles; i++)
        result->cycles[i] = make_cycle(run, g_array_index(run->cycles, uint32_t, i));
    qsort(result->cycles, result->n_cycles, sizeof *result->cycles, compare_cycles);
}

bool xtf_synchronous_run_init(XtfSynchronousRun *result, XtfReplay *replay, GError **error)
{
    g_auto(Run) run = {0};
    const XtfReplayConsumer consumer = {
        .data = &run,
        .send = send_message,
        .begin = begin_operation,
        .receive = receive_message,
        .end = end_operation,
        .post = post_receive,
        .sent = complete_send,
        .drop = drop_message,
    };

    *result = (XtfSynchronousRun){0};
    start_run(&run, replay);
    if (!find_buffers(&run, xtf_replay_context(replay)->trace, error) ||
        !xtf_replay_run(replay, &consumer, &result->counts, error))
        return false;
    drop_open_needs(&run);
    xtf_sync_counters_find_dead(&run.counters, run.cycles);
    make_result(result, &run);
    return true;
}

void xtf_synchronous_run_finish(XtfSynchronousRun *run)
{
    for (uint32_t i = 0; i < run->n_cycles; i++)
        g_free(run->cycles[i].waits);
    g_clear_pointer(&run->cycles, g_free);
    run->n_cycles = 0;
}
