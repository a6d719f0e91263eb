/*
 * Queues of processes that may run.
 */
#include "src/analysis/replay/replay-private.h"

enum {
    LOOK_AHEAD = 64,     /* processes of `ahead` that are looked at */
    IN_FLIGHT = 1 << 18, /* messages of all processes; a process that has more than its share waits for the others */
};

static bool is_ahead(const XtfReplay *replay, const XtfProcess *process)
{
    return process->in_flight > IN_FLIGHT / replay->n_processes;
}

void xtf_replay_wake(XtfReplayShare *share, XtfProcess *process)
{
    process->waits_for = XTF_NO_KEY;
    process->waits_in = NULL;
    if (process->queued || process->done)
        return;
    process->queued = true;
    process->put_off = false;
    g_queue_push_tail(is_ahead(share->replay, process) ? &share->ahead : &share->ready, process);
}

void xtf_replay_wake_any(XtfReplayShare *share, XtfProcess *process)
{
    XtfReplay *replay = share->replay;
    uint32_t number = (uint32_t)(process - replay->processes);

    if (share->leads) {
        xtf_replay_wake(&replay->shares[process->share], process);
        xtf_mail_mark(replay->mail, process->share);
    } else if (xtf_share_owns(share, number)) {
        xtf_replay_wake(share, process);
    } else {
        uint32_t *letter = xtf_mail_put(replay->mail, share->number, process->share, XTF_LETTER_WAKE, sizeof number);
        *letter = number;
    }
}

void xtf_replay_put_off(XtfReplayShare *share, XtfProcess *process)
{
    process->queued = process->put_off = true;
    g_queue_push_tail(&share->ahead, process);
}

XtfProcess *xtf_replay_caught_up(XtfReplayShare *share)
{
    bool too_many_open = xtf_replay_too_many_open(share->replay);

    if (share->replay->n_shares == 1 && !share->replay->options.world) /* it runs them at once anyway */
        return NULL;
    GList *item = share->ahead.head;
    for (unsigned i = 0; item && i < LOOK_AHEAD; item = item->next, i++) {
        XtfProcess *process = item->data;
        if (process->put_off ? too_many_open : is_ahead(share->replay, process))
            continue;
        g_queue_delete_link(&share->ahead, item);
        return process;
    }
    return NULL;
}
