/*
 * Queues of processes that may run, and the next row of a process.
 */
#include "libxtf/error.h"
#include "src/analysis/replay/replay-private.h"

enum {
    ROWS_AT_ONCE = 4096, /* rows read between checks for cancellation */
    IN_FLIGHT = 1 << 18, /* messages of all processes; a process that has more than its share waits for the others */
};

static bool report_turns_progress(XtfReplay *replay, GError **error)
{
    if (replay->options.cancel && atomic_load(replay->options.cancel))
        return xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
    if (replay->options.progress)
        replay->options.progress(replay->done, replay->n_log_rows, replay->options.progress_data);
    return true;
}

const XtfReplayRow *xtf_replay_peek(XtfReplay *replay, XtfProcess *process, bool *good, GError **error)
{
    const uint8_t *record, *end;

    *good = true;
    if (process->any_row)
        return &process->row;
    *good = (replay->done % ROWS_AT_ONCE != 0 || report_turns_progress(replay, error)) &&
            xtf_log_next(&process->reader, &record, &end, error);
    if (!*good || !record)
        return NULL;
    xtf_row_decode(&process->state, replay->envelopes + process->envelopes, record, replay->options.calls,
                   &process->row);
    process->any_row = true;
    replay->done++;
    return &process->row;
}

void xtf_replay_wake(XtfReplay *replay, XtfProcess *process)
{
    bool ahead = process->in_flight > IN_FLIGHT / replay->n_processes;

    process->waits_for = XTF_NO_KEY;
    process->waits_in = NULL;
    if (process->queued || process->done)
        return;
    process->queued = true;
    g_queue_push_tail(ahead ? &replay->ahead : &replay->ready, process);
}

void xtf_replay_put_off(XtfReplay *replay, XtfProcess *process)
{
    process->queued = true;
    g_queue_push_tail(&replay->ahead, process);
}
