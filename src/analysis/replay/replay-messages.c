/*
 * Sends and receives. The share of the receiver has a message until it is received. The sender's share writes a letter
 * if it is another one.
 */
#include <string.h>

#include "src/analysis/replay/replay-private.h"

/* ---- Sends. */

/* Forgets the send of a request: a request number means the latest send with it. */
static void forget_request(XtfProcess *process, uint64_t request)
{
    XtfFlight *known = request == UINT64_MAX ? NULL : xtf_flights_find(&process->requests, request);

    if (known)
        xtf_flights_remove(&process->requests, known);
}

void xtf_replay_complete_send(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row)
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
static void deliver_message(XtfReplayShare *share, const XtfSendLetter *sent, uint64_t value)
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

void xtf_replay_send(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row)
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
static void end_receive(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row, const XtfPosted *posted,
                        XtfMessage *message)
{
    XtfReplay *replay = share->replay;
    XtfGroup *group = &replay->groups.all[posted->group];

    xtf_replay_forget_posted(process, posted);
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

bool xtf_replay_receive(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row)
{
    XtfReplay *replay = share->replay;
    XtfPosted posted;
    bool found = xtf_replay_find_posted(process, row, &posted);

    if (!found || posted.group == UINT32_MAX || replay->groups.all[posted.group].uncertain ||
        xtf_replay_is_doubtful(replay, posted.group, posted.k)) {
        if (found) {
            xtf_replay_forget_posted(process, &posted);
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
