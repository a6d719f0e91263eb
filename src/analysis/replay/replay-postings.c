/*
 * Posted receives that are not complete.
 */
#include "src/analysis/replay/replay-private.h"

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

/* Posts a receive. Fields of the process hold the last one, as it usually completes at once. */
bool xtf_replay_post(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row)
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

bool xtf_replay_find_posted(const XtfProcess *process, const XtfReplayRow *row, XtfPosted *found)
{
    uint64_t key = posted_key(row->location, row->row);

    if (process->last_posted == key) {
        *found = (XtfPosted){process->last_value, process->last_group, process->last_k, NULL};
        return true;
    }
    XtfFlight *posted = xtf_flights_find(&process->posted, key);
    if (!posted)
        return false;
    *found = (XtfPosted){posted->words[0], (uint32_t)posted->words[1], (uint32_t)posted->words[2], posted};
    return true;
}

void xtf_replay_forget_posted(XtfProcess *process, const XtfPosted *posted)
{
    if (posted->flight)
        xtf_flights_remove(&process->posted, posted->flight);
    else
        process->last_posted = XTF_NO_KEY;
}
