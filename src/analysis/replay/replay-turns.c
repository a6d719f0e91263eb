/*
 * Whose turn it is, and the next row of a process.
 */
#include "libxtf/error.h"
#include "src/analysis/replay/replay-private.h"

enum {
    IN_FLIGHT = 1 << 18, /* messages, of all processes: one that has more than its share waits for the others */
};

const XtfReplayRow *xtf_replay_peek(XtfReplay *replay, XtfProcess *process, bool *good, GError **error)
{
    XtfReplayRows *rows = &process->rows;

    *good = true;
    if (rows->at < rows->n)
        return &rows->batch[rows->at];
    if (replay->options.cancel && atomic_load(replay->options.cancel))
        *good = xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
    else
        *good = xtf_replay_rows_fill(rows, &replay->fields, error);
    if (!*good)
        return NULL;
    replay->done += rows->n;
    if (replay->options.progress)
        replay->options.progress(replay->done, replay->n_rows, replay->options.progress_data);
    return rows->n > 0 ? rows->batch : NULL;
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
