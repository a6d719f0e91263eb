/*
 * A run. Its shares replay blocks of processes, each in a thread of its own. A share plays its processes until all of
 * them wait, and then waits for letters.
 *
 * The result of an event depends on the events before it in its process, and on the events that it waits for. It does
 * not depend on the order in which the shares run. So a run has the same result with any number of shares. If the
 * replay is stuck, all processes wait. The set of waiting processes is the same in all orders, and the run continues at
 * the first one of the set.
 */
#include "src/analysis/replay/replay-private.h"

enum {
    BUFFERS_BYTES = 16 << 20, /* bytes of the read buffers of all processes' logs together */
    BUFFER_MAX = 32 << 10,
};

/* Takes the next process that may run; NULL: none. *must: it may open an operation ahead of the others. */
static XtfProcess *next_process(XtfReplayShare *share, bool *must)
{
    XtfProcess *process = g_queue_pop_head(&share->ready);

    if (!process)
        process = xtf_replay_caught_up(share);
    *must = !process && share->may_run_ahead;
    if (!*must)
        return process;
    share->may_run_ahead = false;
    return g_queue_pop_head(&share->ahead);
}

/* ---- When all wait. */

/*
 * Breaks a deadlock, in which all processes wait: no order of events agrees with the matching, so some messages were
 * matched wrongly. Wakes the first process that waits. The group of its message becomes broken, or its operation is
 * given up.
 */
static bool break_deadlock(XtfReplayShare *share)
{
    XtfReplay *replay = share->replay;

    for (uint32_t i = 0; i < replay->n_processes; i++) {
        XtfProcess *process = &replay->processes[i];
        if (process->waits_for != XTF_NO_KEY) {
            replay->groups.all[process->waits_for >> 32].broken = true;
            xtf_replay_wake_any(share, process);
            return true;
        }
        if (process->waits_in) {
            xtf_replay_give_up(share, process->waits_in);
            return true;
        }
        xtf_replay_end_turn(share);
    }
    return false;
}

/* Lets each share run a process that is far ahead. False: there are none. */
static bool run_ahead(const XtfReplay *replay)
{
    bool any = false;

    for (uint32_t i = 0; i < replay->n_shares; i++) {
        XtfReplayShare *share = &replay->shares[i];
        if (g_queue_is_empty(&share->ahead))
            continue;
        share->may_run_ahead = any = true;
        xtf_mail_mark(replay->mail, i);
    }
    return any;
}

/* Decides what the shares do next, as all of them wait. */
static XtfMailState decide_for_all(XtfReplayShare *share)
{
    XtfReplay *replay = share->replay;

    if (replay->options.world)
        return xtf_replay_decide_in_ranks(share);
    share->leads = true;
    bool any = run_ahead(replay) || break_deadlock(share);
    share->leads = false;
    if (any)
        return xtf_mail_resume(replay->mail, share->number);
    xtf_mail_end(replay->mail);
    return XTF_MAIL_ENDED;
}

/* ---- Shares. */

/* Plays the processes of a share that can run. */
static bool play_share(XtfReplayShare *share, GError **error)
{
    XtfMail *mail = share->replay->mail;
    XtfProcess *process;
    bool must;

    xtf_mail_take(mail, share->number, xtf_replay_read_letter, share);
    while (!xtf_mail_has_ended(mail) && (process = next_process(share, &must))) {
        if (!xtf_replay_play(share, process, must, error))
            return false;
        xtf_replay_end_turn(share);
        if (xtf_mail_is_awaited(mail))
            xtf_mail_flush(mail, share->number);
        xtf_mail_take(mail, share->number, xtf_replay_read_letter, share);
    }
    return true;
}

static gpointer run_share(gpointer data)
{
    XtfReplayShare *share = data;
    XtfMailState state = XTF_MAIL_NEWS;

    while (state != XTF_MAIL_ENDED) {
        if (!play_share(share, &share->error)) {
            xtf_mail_end(share->replay->mail);
            break;
        }
        state = xtf_mail_wait(share->replay->mail, share->number);
        while (state == XTF_MAIL_QUIET)
            state = decide_for_all(share);
    }
    return NULL;
}

static void begin_process(XtfReplayShare *share, uint32_t number, uint32_t buffer)
{
    XtfReplay *replay = share->replay;
    XtfProcess *process = &replay->processes[number];

    xtf_log_reader_init(&process->reader, &replay->spool, &process->log, buffer);
    process->posted.few_words = XTF_POSTED_WORDS;
    process->requests.few_words = 1;
    process->state = (XtfRowState){0};
    process->any_row = false;
    process->last_posted = XTF_NO_KEY;
    process->in_flight = 0;
    process->done = process->queued = false;
    xtf_replay_wake(share, process);
    xtf_replay_end_turn(share);
}

/* Notes the share of each process. */
static void note_shares(XtfReplay *replay, const uint32_t *borders, uint32_t n)
{
    for (uint32_t share = 0; share < n; share++)
        for (uint32_t p = borders[share]; p < borders[share + 1]; p++)
            replay->processes[p].share = share;
    if (replay->options.world)
        xtf_replay_find_member_shares(replay);
}

static void begin_shares(XtfReplay *replay, const uint32_t *borders, uint32_t n, const XtfReplayConsumer *consumers)
{
    const XtfReplayLocal local = xtf_replay_local(replay, n);
    uint32_t buffer = MIN(BUFFERS_BYTES / (replay->n_processes + 1), BUFFER_MAX);
    const uint32_t all[] = {0, replay->n_processes};

    note_shares(replay, borders ? borders : all, n);
    for (uint32_t i = 0; i < replay->n_shares; i++) {
        XtfReplayShare *share = &replay->shares[i];
        uint32_t number = local.first + i;
        *share = (XtfReplayShare){.replay = replay,
                                  .consumer = &consumers[i],
                                  .number = number,
                                  .first = borders ? borders[number] : 0,
                                  .end = borders ? borders[number + 1] : replay->n_processes};
        if (share->consumer->join)
            share->consumer->join(share->consumer->data, share);
        for (uint32_t p = share->first; p < share->end; p++)
            begin_process(share, p, buffer);
    }
}

static void rewind_all(XtfReplay *replay)
{
    for (uint32_t i = 0; i < replay->groups.n; i++) {
        replay->groups.all[i].sent = replay->groups.all[i].received = 0;
        replay->groups.all[i].broken = false;
        replay->groups.all[i].listed = replay->groups.all[i].n_listed = 0;
    }
    xtf_replay_begin_numbers(replay);
    xtf_replay_forget_run(replay);
    replay->n_open = 0;
    replay->done = 0;
}

void xtf_replay_forget_run(XtfReplay *replay)
{
    for (uint32_t i = 0; i < replay->n_shares; i++) {
        XtfReplayShare *share = &replay->shares[i];
        xtf_messages_finish(&share->messages);
        g_queue_clear(&share->ready);
        g_queue_clear(&share->ahead);
        g_clear_error(&share->error);
    }
    g_clear_pointer(&replay->shares, g_free);
    replay->n_shares = 0;
    g_clear_pointer(&replay->mail, xtf_mail_free);
    for (unsigned i = 0; i < XTF_OPEN_TABLES; i++)
        g_hash_table_remove_all(replay->open[i].operations);
    for (uint32_t i = 0; replay->processes && i < replay->n_processes; i++) {
        XtfProcess *process = &replay->processes[i];
        xtf_log_reader_finish(&process->reader);
        xtf_flights_finish(&process->posted);
        xtf_flights_finish(&process->requests);
        xtf_replay_page_out_sometimes(replay);
    }
    xtf_replay_page_out(replay);
}

/* ---- The run. */

static void add_share_counts(XtfReplayCounts *to, const XtfReplayShare *share)
{
    to->messages += share->counts.messages;
    to->collectives += share->counts.collectives;
    to->uncertain_sends += share->counts.uncertain_sends + share->messages.n; /* the latter lack a receive */
    to->uncertain_receives += share->counts.uncertain_receives;
    to->uncertain_collectives += share->counts.uncertain_collectives;
}

/* Moves the error of the lowest share that has one. */
static bool end_shares(XtfReplay *replay, XtfReplayCounts *counts, GError **error)
{
    *counts =
        (XtfReplayCounts){.unmatched_sends = replay->unmatched_sends, .unmatched_receives = replay->unmatched_receives};
    for (uint32_t i = 0; i < replay->n_shares; i++) {
        XtfReplayShare *share = &replay->shares[i];
        if (share->error) {
            g_propagate_error(error, g_steal_pointer(&share->error));
            return false;
        }
        add_share_counts(counts, share);
    }
    return true;
}

/* Runs each share in a thread; the first one in the caller's. */
static void run_threads(XtfReplay *replay)
{
    g_autofree XtfMailThread *threads = g_new(XtfMailThread, replay->n_shares);

    for (uint32_t i = 0; i < replay->n_shares; i++)
        threads[i] = (XtfMailThread){&replay->shares[i], &replay->shares[i].error};
    xtf_mail_run_threads(replay->mail, "replay", run_share, threads, replay->n_shares);
}

/* Ends a run of a job: adds up the counts of all ranks. */
static bool end_in_ranks(XtfReplay *replay, bool good, GError *own, XtfReplayCounts *counts, GError **error)
{
    if (!xtf_world_have_succeeded(replay->options.world, own, error))
        return false;
    if (good)
        xtf_replay_join_counts(replay, counts);
    return true;
}

bool xtf_replay_run_shares(XtfReplay *replay, const uint32_t *borders, uint32_t n, const XtfReplayConsumer *consumers,
                           XtfReplayCounts *counts, GError **error)
{
    XtfWorld *world = replay->options.world;
    GError *own = NULL;
    XtfReplayCounts found;

    rewind_all(replay);
    replay->n_shares = xtf_replay_local(replay, n).n;
    replay->shares = g_new0(XtfReplayShare, replay->n_shares);
    replay->mail = world ? xtf_mail_new_of_ranks(world) : xtf_mail_new(n);
    begin_shares(replay, borders, n, consumers);
    xtf_replay_page_out(replay);
    run_threads(replay);
    bool good = end_shares(replay, &found, world ? &own : error);
    if (world)
        good = end_in_ranks(replay, good, own, &found, error);
    if (good)
        *counts = found;
    xtf_replay_forget_run(replay);
    return good;
}

bool xtf_replay_run(XtfReplay *replay, const XtfReplayConsumer *consumer, XtfReplayCounts *counts, GError **error)
{
    return xtf_replay_run_shares(replay, NULL, 1, consumer, counts, error);
}

void *xtf_replay_share_write(const XtfReplayShare *share, uint32_t process, uint32_t n_bytes)
{
    const XtfReplay *replay = share->replay;

    return xtf_mail_put(replay->mail, share->number, replay->processes[process].share, XTF_LETTER_CONSUMER, n_bytes);
}
