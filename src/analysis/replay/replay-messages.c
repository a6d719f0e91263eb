/*
 * Turns of processes, and their sends and receives: all steps of a message, so that a turn calls few functions.
 *
 * The share of the receiver has a message until it is received. The sender's share writes a letter if it is another
 * one.
 */
#include <string.h>

#include "libxtf/error.h"
#include "src/analysis/replay/replay-private.h"
#include "src/analysis/replay/row-coding.h"

enum {
    ROWS_AT_ONCE = 4096, /* rows read between checks for cancellation */
    QUANTUM = 256,       /* rows that a process replays in one turn */
};

/* ---- Sends. */

/* Forgets the send of a request: a request number means the latest send with it. */
static void forget_request(XtfProcess *process, uint64_t request)
{
    XtfFlight *known = request == UINT64_MAX ? NULL : xtf_flights_find(&process->requests, request);

    if (known)
        xtf_flights_remove(&process->requests, known);
}

/* Replays the completion of a send. */
static void complete_send(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row)
{
    XtfFlight *known = row->message == UINT64_MAX ? NULL : xtf_flights_find(&process->requests, row->message);

    if (!known)
        return;
    XtfReplayEvent at = xtf_replay_event(share->replay, process, row);
    uint64_t value = known->words[0];
    xtf_flights_remove(&process->requests, known);
    if (share->consumer->sent)
        share->consumer->sent(share->consumer->data, &at, value);
}

static void skip_send(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row)
{
    if (share->replay->options.calls)
        forget_request(process, row->message);
    share->counts.uncertain_sends++;
}

static void drop_send(const XtfReplayShare *share, uint64_t value)
{
    if (share->consumer->drop)
        share->consumer->drop(share->consumer->data, value);
}

/* Counts a message of a sender as no longer in flight. */
static void end_flight(const XtfReplayShare *share, uint32_t sender)
{
    XtfReplay *replay = share->replay;

    if (xtf_share_owns(share, sender)) {
        replay->processes[sender].in_flight--;
        return;
    }
    uint32_t *letter =
        xtf_mail_put(replay->mail, share->number, replay->processes[sender].share, XTF_LETTER_TAKEN, sizeof sender);
    *letter = sender;
}

/* Adds a message to a process of the share, which may wait for it. Drops it if its group is broken. */
static inline void deliver_message(XtfReplayShare *share, const XtfSendLetter *sent, uint64_t value)
{
    XtfReplay *replay = share->replay;
    XtfGroup *group = &replay->groups.all[sent->group];

    if (group->broken) {
        share->counts.uncertain_sends++;
        drop_send(share, value);
        end_flight(share, group->key.sender);
        return;
    }
    XtfMessage *message = xtf_messages_add(&share->messages, &replay->groups, group, sent->k);
    message->location = sent->location;
    message->row = sent->row;
    message->time = sent->time;
    message->value = value;
    message->bytes = sent->bytes;
    XtfProcess *receiver = &replay->processes[group->key.receiver];
    if (receiver->waits_for == ((uint64_t)sent->group << 32 | sent->k))
        xtf_replay_wake(share, receiver);
}

static void mail_message(const XtfReplayShare *share, uint32_t receiver, const XtfSendLetter *sent, uint64_t value)
{
    const XtfReplay *replay = share->replay;
    const XtfReplayConsumer *consumer = share->consumer;
    XtfSendLetter *letter = xtf_mail_put(replay->mail, share->number, replay->processes[receiver].share,
                                         XTF_LETTER_SEND, (uint32_t)sizeof *letter + consumer->described_bytes);

    *letter = *sent;
    consumer->describe(consumer->data, value, letter + 1);
}

/* True if the receiver's share is this one, and knows that the group's messages cannot be matched any more. */
static bool is_broken(const XtfReplayShare *share, const XtfGroup *group)
{
    return xtf_share_owns(share, group->key.receiver) && group->broken;
}

static void send_message(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row)
{
    XtfReplay *replay = share->replay;
    const XtfReplayConsumer *consumer = share->consumer;
    uint32_t number = row->group;
    XtfGroup *group = number == UINT32_MAX ? NULL : &replay->groups.all[number];

    if (!group || group->uncertain || is_broken(share, group)) {
        skip_send(share, process, row);
        return;
    }
    uint32_t k = group->sent++;
    if (xtf_replay_is_doubtful(replay, number, k)) {
        skip_send(share, process, row);
        return;
    }
    XtfReplayEvent at = xtf_replay_event(replay, process, row);
    at.blocks = row->message == UINT64_MAX;
    at.peer = group->key.receiver;
    at.message = (uint64_t)number << 32 | k;
    uint64_t value = consumer->send(consumer->data, &at);
    if (replay->options.calls && !at.blocks && consumer->sent)
        xtf_flights_add(&process->requests, row->message)->words[0] =
            value; /* a later send with the same request number replaces this value */
    process->in_flight++;
    const XtfSendLetter sent = {at.location, at.row, at.time, row->bytes, number, k};
    if (xtf_share_owns(share, group->key.receiver))
        deliver_message(share, &sent, value);
    else
        mail_message(share, group->key.receiver, &sent, value);
}

/* ---- Postings: receives that are not complete. */

/* A posted receive: the k-th of a group, or of no group. */
typedef struct {
    uint64_t value;
    uint32_t group, k;
    XtfFlight *flight; /* NULL: it is the last posted receive */
} Posted;

static uint64_t posted_key(uint32_t location, uint64_t row)
{
    return (uint64_t)location << XTF_ROW_BITS | row;
}

/* Ends the blocking probe that posts this receive: the probe took its message, so it ended after the send. A process
 * with several locations is skipped, as another thread may have caused the send. False: the process waits for the
 * send. */
static bool end_probe(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row)
{
    XtfReplay *replay = share->replay;
    const XtfReplayConsumer *consumer = share->consumer;
    XtfGroup *group = row->group == UINT32_MAX ? NULL : &replay->groups.all[row->group];

    if (!consumer->probe || process->state.call.kind != XTF_MPI_CALL_MPROBE || !process->has_one_location || !group ||
        group->uncertain || group->broken)
        return true;
    uint32_t k = xtf_replay_message_of(replay, row->group, group->received);
    if (xtf_replay_is_doubtful(replay, row->group, k))
        return true;
    const XtfMessage *message = xtf_messages_find(&share->messages, &replay->groups, group, k);
    if (!message) {
        process->waits_for = (uint64_t)row->group << 32 | k;
        return false;
    }
    XtfReplayEvent at = xtf_replay_event(replay, process, row);
    at.bytes = message->bytes;
    at.message = (uint64_t)row->group << 32 | k;
    consumer->probe(consumer->data, &at, message->value);
    return true;
}

/* Posts a receive. Fields of the process hold the last one, as it usually completes at once. False: the process waits
 * for the message in the probe that posts the receive. */
static bool post_receive(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row)
{
    XtfReplay *replay = share->replay;
    uint32_t number = row->group;

    if (!end_probe(share, process, row))
        return false;
    if (process->last_posted != XTF_NO_KEY) {
        XtfFlight *flight = xtf_flights_add(&process->posted, process->last_posted);
        flight->words[0] = process->last_value;
        flight->words[1] = process->last_group;
        flight->words[2] = process->last_k;
    }
    process->last_posted = posted_key(row->location, row->message);
    process->last_group = number;
    process->last_k =
        number == UINT32_MAX ? 0 : xtf_replay_message_of(replay, number, replay->groups.all[number].received++);
    process->last_value = 0;
    if (share->consumer->post) {
        XtfReplayEvent at = xtf_replay_event(replay, process, row);
        if (number != UINT32_MAX) {
            at.peer = replay->groups.all[number].key.sender;
            at.message = (uint64_t)number << 32 | process->last_k;
        }
        process->last_value = share->consumer->post(share->consumer->data, &at);
    }
    return true;
}

/* Finds the posting of a row of `recvs`; false if its posting is not recorded. */
static bool find_posted(const XtfProcess *process, const XtfReplayRow *row, Posted *found)
{
    uint64_t key = posted_key(row->location, row->row);

    if (process->last_posted == key) {
        *found = (Posted){process->last_value, process->last_group, process->last_k, NULL};
        return true;
    }
    XtfFlight *posted = xtf_flights_find(&process->posted, key);
    if (!posted)
        return false;
    *found = (Posted){posted->words[0], (uint32_t)posted->words[1], (uint32_t)posted->words[2], posted};
    return true;
}

static void forget_posted(XtfProcess *process, const Posted *posted)
{
    if (posted->flight)
        xtf_flights_remove(&process->posted, posted->flight);
    else
        process->last_posted = XTF_NO_KEY;
}

/* ---- Receives. */

static void drop_posting(const XtfReplayShare *share, uint64_t value)
{
    if (share->consumer->drop_posting && share->consumer->post)
        share->consumer->drop_posting(share->consumer->data, value);
}

static void hand_out_message(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row, const XtfGroup *group,
                             const XtfMessage *sent, uint64_t posted)
{
    XtfReplayEvent at = xtf_replay_event(share->replay, process, row);
    const XtfReplayMessage message = {
        .send = {.process = group->key.sender, .location = sent->location, .row = sent->row, .time = sent->time},
        .value = sent->value,
        .posted = posted,
        .bytes = row->bytes,
        .comm = group->key.comm,
        .tag = group->key.tag,
    };

    share->consumer->receive(share->consumer->data, &at, &message);
    share->counts.messages++;
}

/* Ends a receive whose group is certain. `message` NULL: the group is broken, and the message unknown. */
static void end_receive(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row, const Posted *posted,
                        XtfMessage *message)
{
    XtfReplay *replay = share->replay;
    XtfGroup *group = &replay->groups.all[posted->group];

    forget_posted(process, posted);
    if (message && message->bytes != row->bytes)
        group->broken = true;
    if (message && !group->broken) {
        hand_out_message(share, process, row, group, message, posted->value);
    } else {
        share->counts.uncertain_receives++;
        share->counts.uncertain_sends += message != NULL;
        drop_posting(share, posted->value);
        if (message)
            drop_send(share, message->value);
    }
    if (message) {
        end_flight(share, group->key.sender);
        xtf_messages_remove(&share->messages, &replay->groups, group, message);
    }
}

/* Replays a receive. False: the process waits for the send. */
static bool receive_message(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row)
{
    XtfReplay *replay = share->replay;
    Posted posted;
    bool found = find_posted(process, row, &posted);

    if (!found || posted.group == UINT32_MAX || replay->groups.all[posted.group].uncertain ||
        xtf_replay_is_doubtful(replay, posted.group, posted.k)) {
        if (found) {
            forget_posted(process, &posted);
            drop_posting(share, posted.value);
        }
        share->counts.uncertain_receives++;
        return true;
    }
    XtfGroup *group = &replay->groups.all[posted.group];
    XtfMessage *message = xtf_messages_find(&share->messages, &replay->groups, group, posted.k);
    if (!message && !group->broken) {
        process->waits_for = (uint64_t)posted.group << 32 | posted.k;
        return false;
    }
    end_receive(share, process, row, &posted, message);
    return true;
}

/* ---- Turns. */

/* Counts rows, and checks for cancellation. The share of the caller's thread reports the progress of all. */
static bool report_turns_progress(XtfReplayShare *share, GError **error)
{
    XtfReplay *replay = share->replay;
    const XtfReplayOptions *options = &replay->options;
    uint64_t more = share->n_rows > 0 ? ROWS_AT_ONCE : 0;
    uint64_t done = __atomic_add_fetch(&replay->done, more, __ATOMIC_RELAXED);

    if (options->cancel && atomic_load(options->cancel))
        return xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
    if (options->progress && share->number == 0)
        options->progress(MIN(done, replay->n_log_rows), replay->n_log_rows, options->progress_data);
    return true;
}

/* Returns the next row of a process. NULL at its end, and on an error, which sets `*good` to false. */
static const XtfReplayRow *next_row(XtfReplayShare *share, XtfProcess *process, bool *good, GError **error)
{
    const XtfReplay *replay = share->replay;
    const uint8_t *record, *end;

    *good = true;
    if (process->any_row)
        return &process->row;
    *good = (share->n_rows % ROWS_AT_ONCE != 0 || report_turns_progress(share, error)) &&
            xtf_log_next(&process->reader, &record, &end, error);
    if (!*good || !record)
        return NULL;
    xtf_row_decode(&process->state, replay->envelopes + process->envelopes, record, replay->options.calls,
                   &process->row);
    process->any_row = true;
    share->n_rows++;
    return &process->row;
}

/* Replays a row. True if the row is done; false: the process waits. */
static bool play_row(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row)
{
    switch ((XtfReplayRowKind)row->kind) {
    case XTF_ROW_SEND:
        send_message(share, process, row);
        return true;
    case XTF_ROW_POSTING:
        return post_receive(share, process, row);
    case XTF_ROW_RECV:
        return receive_message(share, process, row);
    case XTF_ROW_BEGIN:
        xtf_replay_begin(share, process, row);
        return true;
    case XTF_ROW_END:
        return xtf_replay_end(share, process, row);
    case XTF_ROW_SENT:
        complete_send(share, process, row);
        return true;
    case XTF_ROW_UNCERTAIN:
        break;
    }
    share->counts.uncertain_collectives++;
    return true;
}

bool xtf_replay_play(XtfReplayShare *share, XtfProcess *process, bool must, GError **error)
{
    bool good;

    process->queued = false;
    for (uint32_t i = 0; i < QUANTUM; i++) {
        const XtfReplayRow *row = next_row(share, process, &good, error);
        if (!row) {
            process->done = good;
            return good;
        }
        if (row->kind == XTF_ROW_BEGIN && !must && xtf_replay_is_ahead(share->replay, row)) {
            xtf_replay_put_off(share, process);
            return true;
        }
        must &= row->kind != XTF_ROW_BEGIN;
        if (!play_row(share, process, row))
            return true;
        process->any_row = false;
    }
    xtf_replay_wake(share, process);
    return true;
}

/* ---- Letters. */

void xtf_replay_read_letter(void *data, uint32_t kind, const void *bytes, uint32_t n_bytes)
{
    XtfReplayShare *share = data;
    XtfReplay *replay = share->replay;
    const XtfReplayConsumer *consumer = share->consumer;
    const XtfSendLetter *sent = bytes;
    uint32_t process;

    switch ((XtfLetter)kind) {
    case XTF_LETTER_SEND:
        deliver_message(share, sent, consumer->adopt(consumer->data, sent + 1));
        break;
    case XTF_LETTER_TAKEN:
        memcpy(&process, bytes, sizeof process);
        replay->processes[process].in_flight--;
        break;
    case XTF_LETTER_WAKE:
        memcpy(&process, bytes, sizeof process);
        xtf_replay_wake(share, &replay->processes[process]);
        break;
    case XTF_LETTER_BEGIN:
        xtf_replay_read_begin(share, bytes);
        break;
    case XTF_LETTER_COMPLETE:
        xtf_replay_read_complete(share, bytes);
        break;
    case XTF_LETTER_END:
        xtf_replay_read_end(share, bytes, (const XtfEndLetter *)bytes + 1);
        break;
    case XTF_LETTER_CONSUMER:
        consumer->read(consumer->data, bytes, n_bytes);
        break;
    }
}
