/*
 * Queues of processes that may run, and the next row of a process.
 */
#include "libxtf/error.h"
#include "src/analysis/replay/replay-private.h"

enum {
    ROWS_AT_ONCE = 4096, /* rows read between checks for cancellation */
    LOOK_AHEAD = 64,     /* processes of `ahead` that are looked at */
    IN_FLIGHT = 1 << 18, /* messages of all processes; a process that has more than its share waits for the others */
};

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

const XtfReplayRow *xtf_replay_peek(XtfReplayShare *share, XtfProcess *process, bool *good, GError **error)
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
