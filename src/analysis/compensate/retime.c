#include "src/analysis/compensate/retime.h"

#include "src/analysis/compensate/order.h"

#define NO_ENTRY UINT32_MAX

static XtfRetimedLocation *retimed_location(const XtfRetime *retime, const XtfReplayEvent *at)
{
    return &retime->locations[retime->first_location[at->process] + at->number];
}

/* Finds the mark of an event; false after an error. */
static bool find_mark(XtfRetime *retime, const XtfReplayEvent *at)
{
    return !retime->error && xtf_marks_find(&retimed_location(retime, at)->reader, at->seq, &retime->error);
}

/* ---- Sends and begins. */

static XtfSent *sent_of(const XtfRetime *retime, uint64_t value)
{
    return &g_array_index(retime->sent, XtfSent, value);
}

static uint64_t add_sent(XtfRetime *retime, const XtfSent *sent)
{
    uint32_t number = retime->free;

    if (number == NO_ENTRY) {
        g_array_append_vals(retime->sent, sent, 1);
        return retime->sent->len - 1;
    }
    retime->free = sent_of(retime, number)->next;
    *sent_of(retime, number) = *sent;
    return number;
}

static void drop_sent(void *data, uint64_t value)
{
    XtfRetime *retime = data;

    if (value >= retime->sent->len)
        return;
    sent_of(retime, value)->next = retime->free;
    retime->free = (uint32_t)value;
}

/* ---- The first run: what messages take at least. */

static uint64_t note_send(void *data, const XtfReplayEvent *at)
{
    XtfRetime *retime = data;
    bool may_wait = at->blocks && at->call->kind == XTF_MPI_CALL_SEND;
    XtfSent sent = {.time = at->call->enter, .local = may_wait ? at->call->leave : 0};

    if (find_mark(retime, at))
        sent.done = xtf_mark_done(&retimed_location(retime, at)->reader.mark);
    return add_sent(retime, &sent);
}

static uint64_t note_posting(void *data, const XtfReplayEvent *at)
{
    return at->call->enter;
}

static uint64_t note_nothing(void *data, const XtfReplayEvent *at)
{
    return UINT64_MAX;
}

static void note_end(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank)
{
}

static void note_late_receive(XtfRetime *retime, const XtfSent *sent, uint64_t posted)
{
    if (sent->time >= posted || posted >= sent->local)
        return;
    retime->counts.late_receives++;
    retime->counts.late_receive_ticks += posted - sent->time;
}

/* Notes what receiving took in the run that a location was in, unless it waited. */
static void note_receiving(XtfRetime *retime, XtfCompletionRun *run)
{
    const XtfTransfer took = {UINT64_MAX, run->first.section};

    if (run->open && !run->waited)
        xtf_transfers_note(&retime->transfers, run->sender, run->receiver, run->bytes, &took);
    run->open = false;
}

static void note_transfer(XtfRetime *retime, const XtfReplayEvent *at, const XtfReplayMessage *message, uint64_t done)
{
    XtfRetimedLocation *location = retimed_location(retime, at);
    const XtfMark *first = &location->reader.run;
    XtfCompletionRun *run = &location->run;
    const XtfTransfer took = {first->time - MIN(first->time, done), UINT64_MAX};

    if (!run->open || run->first.seq != first->seq) {
        note_receiving(retime, run);
        *run = (XtfCompletionRun){.open = true, .first = *first};
    }
    run->sender = message->send.process;
    run->receiver = at->process;
    run->bytes = message->bytes;
    if (done < xtf_mark_begin(first))
        return;
    run->waited = true;
    xtf_transfers_note(&retime->transfers, run->sender, run->receiver, run->bytes, &took);
}

static void note_receive(void *data, const XtfReplayEvent *at, const XtfReplayMessage *message)
{
    XtfRetime *retime = data;
    const XtfSent *sent = sent_of(retime, message->value);

    if (find_mark(retime, at)) {
        note_transfer(retime, at, message, sent->done);
        retime->counts.backward += at->time < message->send.time;
        retime->counts.polled += at->call->kind == XTF_MPI_CALL_TEST;
        note_late_receive(retime, sent, message->posted);
    }
    drop_sent(retime, message->value);
}

/* ---- The second run: new times. */

static bool log_move(XtfRetimedLocation *location, uint64_t seq, uint64_t moved, GError **error)
{
    uint8_t *to = xtf_log_begin(&location->move_log, error);

    if (!to)
        return false;
    to = xtf_log_put(to, seq - location->logged_seq);
    to = xtf_log_put_near(to, moved - location->moved);
    xtf_log_end(&location->move_log, to);
    location->logged_seq = seq;
    location->moved = moved;
    return true;
}

/* Returns the new time of the first completion of a run, by its messages. `begin`: the new time of its begin. */
static uint64_t completion_by_messages(const XtfCompletionRun *run, uint64_t begin)
{
    uint64_t recorded = run->first.time - MIN(run->first.time, run->sent_done);
    bool waited = run->arrival > xtf_mark_begin(&run->first);
    uint64_t here = begin + (waited ? MIN(run->receive, run->first.section) : run->first.section);
    uint64_t there = run->sent_local + (waited ? recorded : MIN(run->last_transfer, recorded));

    return MAX(MAX(here, there), run->least);
}

/* Computes when the run that a location is in completes. */
static void close_run(XtfRetime *retime, XtfRetimedLocation *location)
{
    XtfCompletionRun *run = &location->run;

    if (!run->open || retime->error)
        return;
    run->open = false;
    uint64_t begin = run->first.local - run->first.section + location->moved, time = begin;
    if (run->has_message)
        time = completion_by_messages(run, begin);
    if (run->has_operation) {
        uint64_t since = MAX(xtf_mark_begin(&run->first), run->operation_done);
        uint64_t by_operation = MAX(begin, run->operation_local) + (run->first.time - MIN(run->first.time, since));
        time = MAX(time, by_operation);
    }
    if (time - run->first.local == location->moved)
        return;
    retime->counts.waits++;
    log_move(location, run->first.seq, time - run->first.local, &retime->error);
}

/* Opens the run that has the current mark of a location. */
static XtfCompletionRun *open_run(XtfRetime *retime, XtfRetimedLocation *location)
{
    XtfCompletionRun *run = &location->run;

    if (run->open && run->first.seq == location->reader.run.seq)
        return run;
    close_run(retime, location);
    *run = (XtfCompletionRun){.open = true, .first = location->reader.run};
    return run;
}

static uint64_t send_anew(void *data, const XtfReplayEvent *at)
{
    XtfRetime *retime = data;
    XtfSent sent = {.time = at->time, .process = at->process};

    if (find_mark(retime, at)) {
        XtfRetimedLocation *location = retimed_location(retime, at);
        close_run(retime, location);
        sent.done = xtf_mark_done(&location->reader.mark);
        sent.local = location->reader.mark.local + location->moved;
    }
    return add_sent(retime, &sent);
}

/* Adds a message to the run at the current mark. */
static void add_to_run(XtfRetime *retime, const XtfReplayEvent *at, const XtfSent *sent, uint64_t bytes)
{
    XtfCompletionRun *run = open_run(retime, retimed_location(retime, at));
    const XtfTransfer least = xtf_transfers_of(&retime->transfers, sent->process, at->process, bytes);
    uint64_t transfer = MIN(least.transfer, run->first.time - MIN(run->first.time, sent->done));
    uint64_t arrival = sent->done + transfer;

    run->receive = MAX(run->receive, least.receive);
    if (run->has_message && arrival <= run->arrival) {
        run->least = MAX(run->least, sent->local + transfer);
        return;
    }
    if (run->has_message)
        run->least = MAX(run->least, run->sent_local + run->last_transfer);
    run->has_message = true;
    run->arrival = arrival;
    run->sent_done = sent->done;
    run->sent_local = sent->local;
    run->last_transfer = transfer;
}

static void receive_anew(void *data, const XtfReplayEvent *at, const XtfReplayMessage *message)
{
    XtfRetime *retime = data;

    if (find_mark(retime, at)) {
        const XtfSent *sent = sent_of(retime, message->value);
        const XtfReceived received = {.seq = at->seq,
                                      .sent_time = sent->time,
                                      .sent_local = sent->local,
                                      .comm = message->comm,
                                      .tag = message->tag,
                                      .process = sent->process};
        add_to_run(retime, at, sent, message->bytes);
        if (!retime->error)
            xtf_order_note(retime, retimed_location(retime, at), &received, &retime->error);
    }
    drop_sent(retime, message->value);
}

static void probe_anew(void *data, const XtfReplayEvent *at, uint64_t value)
{
    XtfRetime *retime = data;

    if (find_mark(retime, at))
        add_to_run(retime, at, sent_of(retime, value), at->bytes);
}

/* The two latest begins of an operation in which each member waits for all others. The second one counts for the member
 * that has the latest. */
typedef struct {
    uint64_t done[2], local[2];
    uint32_t done_rank, local_rank; /* members with the latest begins */
} Latest;

static void note_latest(uint64_t *latest, uint32_t *rank, uint64_t time, uint32_t of)
{
    if (time > latest[0]) {
        latest[1] = latest[0];
        latest[0] = time;
        *rank = of;
    } else {
        latest[1] = MAX(latest[1], time);
    }
}

/* Finds the latest begins in O(members), once for an operation. */
static Latest latest_of_all(XtfRetime *retime, XtfReplayCollective *collective)
{
    Latest latest = {.done_rank = NO_ENTRY, .local_rank = NO_ENTRY};

    for (uint32_t rank = 0; rank < collective->n_members; rank++) {
        const XtfReplayMember *member = &collective->members[rank];
        if (!member->begun || !member->sends || member->value >= retime->sent->len)
            continue;
        const XtfSent *begin = sent_of(retime, member->value);
        note_latest(latest.done, &latest.done_rank, begin->done, rank);
        note_latest(latest.local, &latest.local_rank, begin->local, rank);
    }
    return latest;
}

/* Keeps the latest begins of an operation until its last end, in two entries of `sent`. `scratch` leads to the first
 * one, and its `next` to the second. */
static Latest kept_latest(XtfRetime *retime, XtfReplayCollective *collective)
{
    if (collective->scratch == 0) {
        Latest latest = latest_of_all(retime, collective);
        const XtfSent second = {.done = latest.done[1], .local = latest.local[1], .process = latest.local_rank};
        uint32_t number = (uint32_t)add_sent(retime, &second);
        const XtfSent first = {
            .done = latest.done[0], .local = latest.local[0], .process = latest.done_rank, .next = number};
        collective->scratch = add_sent(retime, &first) + 1;
        return latest;
    }
    const XtfSent *first = sent_of(retime, collective->scratch - 1), *second = sent_of(retime, first->next);
    return (Latest){.done = {first->done, second->done},
                    .local = {first->local, second->local},
                    .done_rank = first->process,
                    .local_rank = second->process};
}

static bool find_latest(XtfRetime *retime, XtfReplayCollective *collective, uint32_t end, uint64_t *done,
                        uint64_t *local)
{
    bool any = false;

    *done = *local = 0;
    if (collective->pattern == XTF_REPLAY_ALL_TO_ALL) {
        if (!collective->members[end].receives)
            return false;
        const Latest latest = kept_latest(retime, collective);
        *done = latest.done[latest.done_rank == end];
        *local = latest.local[latest.local_rank == end];
        return latest.done_rank != NO_ENTRY;
    }
    uint32_t from = collective->pattern == XTF_REPLAY_ONE_TO_ALL ? collective->root : 0;
    uint32_t to = collective->pattern == XTF_REPLAY_ONE_TO_ALL                              ? from + 1
                  : collective->pattern == XTF_REPLAY_SCAN                                  ? end
                  : collective->pattern == XTF_REPLAY_ALL_TO_ONE && end == collective->root ? collective->n_members
                                                                                            : 0;
    for (uint32_t rank = from; rank < to; rank++) {
        if (!xtf_replay_needs(collective, end, rank))
            continue;
        const XtfSent *begin = sent_of(retime, collective->members[rank].value);
        *done = MAX(*done, begin->done);
        *local = MAX(*local, begin->local);
        any = true;
    }
    return any;
}

static void free_members(XtfRetime *retime, XtfReplayCollective *collective)
{
    if (collective->scratch > 0) {
        uint32_t second = sent_of(retime, collective->scratch - 1)->next;
        drop_sent(retime, second);
        drop_sent(retime, collective->scratch - 1);
    }
    for (uint32_t rank = 0; rank < collective->n_members; rank++)
        if (collective->members[rank].begun)
            drop_sent(retime, collective->members[rank].value);
}

static void end_anew(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank)
{
    XtfRetime *retime = data;
    uint64_t done, local;

    if (find_mark(retime, at) && find_latest(retime, collective, rank, &done, &local)) {
        XtfCompletionRun *run = open_run(retime, retimed_location(retime, at));
        run->operation_done = run->has_operation ? MAX(run->operation_done, done) : done;
        run->operation_local = run->has_operation ? MAX(run->operation_local, local) : local;
        run->has_operation = true;
    }
    if (collective->n_ended + 1 == collective->n_members)
        free_members(retime, collective);
}

/* ---- MPI_Finalize. */

/* True if MPI_Finalize ended nowhere before it had begun everywhere. Finds the latest begins. */
static bool finalize_synchronises(const XtfRetime *retime, uint64_t *done, uint64_t *local)
{
    uint64_t earliest = UINT64_MAX;
    uint32_t n = 0;

    *done = *local = 0;
    for (uint32_t i = 0; i < retime->n_locations; i++) {
        const XtfRetimedLocation *location = &retime->locations[i];
        if (!location->final.left)
            continue;
        *done = MAX(*done, location->final.enter_done);
        *local = MAX(*local, location->final.enter_local + location->moved);
        earliest = MIN(earliest, location->final.leave_time);
        n++;
    }
    return n > 1 && *done <= earliest;
}

/* Treats MPI_Finalize as an operation of all processes. */
static void end_finalize(XtfRetime *retime)
{
    uint64_t done, local;

    if (!finalize_synchronises(retime, &done, &local))
        return;
    retime->counts.finalize = true;
    for (uint32_t i = 0; i < retime->n_locations; i++) {
        XtfRetimedLocation *location = &retime->locations[i];
        if (!location->final.left || location->logged_seq >= location->final.wait.seq)
            continue;
        location->run = (XtfCompletionRun){.open = true,
                                           .has_operation = true,
                                           .first = location->final.wait,
                                           .operation_done = done,
                                           .operation_local = local};
        close_run(retime, location);
    }
}

/* ---- The runs of the replay. */

static void begin_locations(XtfRetime *retime)
{
    for (uint32_t i = 0; i < retime->n_locations; i++) {
        XtfRetimedLocation *location = &retime->locations[i];
        xtf_log_reader_finish(&location->reader.log);
        location->reader = (XtfMarkReader){0};
        xtf_log_reader_init(&location->reader.log, retime->spool, &location->mark_log, retime->buffer);
    }
    g_array_set_size(retime->sent, 0);
    retime->free = NO_ENTRY;
}

static bool end_locations(XtfRetime *retime, GError **error)
{
    for (uint32_t i = 0; i < retime->n_locations; i++)
        close_run(retime, &retime->locations[i]);
    end_finalize(retime);
    for (uint32_t i = 0; i < retime->n_locations && !retime->error; i++) {
        XtfRetimedLocation *location = &retime->locations[i];
        xtf_log_reader_finish(&location->reader.log);
        if (!xtf_log_writer_end(&location->move_log, &location->moves, error) ||
            !xtf_log_writer_end(&location->order_log, &location->orders, error))
            return false;
    }
    if (!retime->error)
        return true;
    g_propagate_error(error, g_steal_pointer(&retime->error));
    return false;
}

static bool run_replay(XtfRetime *retime, const XtfReplayConsumer *consumer, XtfReplayCounts *counts, GError **error)
{
    begin_locations(retime);
    return xtf_replay_run(retime->replay, consumer, counts, error);
}

bool xtf_retime(XtfRetime *retime, XtfReplayCounts *counts, GError **error)
{
    const XtfReplayConsumer first = {.data = retime,
                                     .send = note_send,
                                     .begin = note_nothing,
                                     .receive = note_receive,
                                     .end = note_end,
                                     .post = note_posting,
                                     .drop = drop_sent};
    const XtfReplayConsumer second = {.data = retime,
                                      .send = send_anew,
                                      .begin = send_anew,
                                      .receive = receive_anew,
                                      .end = end_anew,
                                      .probe = probe_anew,
                                      .drop = drop_sent};

    retime->sent = g_array_new(FALSE, FALSE, sizeof(XtfSent));
    retime->first_location = xtf_replay_first_locations(retime->replay);
    xtf_transfers_init(&retime->transfers);
    for (uint32_t i = 0; i < retime->n_locations; i++) {
        xtf_log_writer_init(&retime->locations[i].move_log, retime->spool, retime->buffer);
        xtf_log_writer_init(&retime->locations[i].order_log, retime->spool, retime->buffer);
    }
    if (!run_replay(retime, &first, counts, error))
        return false;
    for (uint32_t i = 0; i < retime->n_locations; i++)
        note_receiving(retime, &retime->locations[i].run);
    return run_replay(retime, &second, counts, error) && end_locations(retime, error);
}

void xtf_retime_finish(XtfRetime *retime)
{
    for (uint32_t i = 0; i < retime->n_locations; i++) {
        XtfRetimedLocation *location = &retime->locations[i];
        xtf_log_reader_finish(&location->reader.log);
        xtf_log_writer_finish(&location->move_log);
        xtf_log_writer_finish(&location->order_log);
    }
    xtf_transfers_finish(&retime->transfers);
    g_clear_pointer(&retime->sent, g_array_unref);
    g_clear_pointer(&retime->first_location, g_free);
    g_clear_error(&retime->error);
}
