#include "src/analysis/ideal/network.h"

struct XtfNetworkRun {
    XtfReplay *replay;
    const XtfNetworkModel *model;
    const XtfNetworkConsumer *consumer;
    XtfReplayConsumer replay_consumer;
    uint32_t *first_location; /* by process */
    uint64_t *waited;         /* by location: total wait so far */
    GError *error;            /* atomic: the first error of any thread */
};

static uint64_t ideal_receive(void *unused, uint64_t send, uint64_t receive, uint64_t bytes)
{
    return MAX(send, receive);
}

static uint64_t ideal_end(void *unused, uint64_t latest, uint64_t end, const XtfReplayCollective *collective)
{
    return MAX(latest, end);
}

const XtfNetworkModel xtf_ideal_network = {.receive = ideal_receive, .end = ideal_end};

static uint32_t location_of(const XtfNetworkRun *run, const XtfReplayEvent *at)
{
    return run->first_location[at->process] + at->number;
}

static uint64_t clock_at(const XtfNetworkRun *run, const XtfReplayEvent *at)
{
    return at->call->outside + run->waited[location_of(run, at)];
}

static void wait_until(XtfNetworkRun *run, const XtfReplayEvent *at, uint64_t clock)
{
    uint32_t location = location_of(run, at);
    uint64_t now = clock_at(run, at);

    if (clock <= now || g_atomic_pointer_get(&run->error))
        return;
    run->waited[location] += clock - now;
    const XtfNetworkWait wait = {
        .time = at->time, .seq = at->seq, .waited = clock - now, .clock = clock, .region = at->call->region};
    GError *error = NULL;
    if (!run->consumer->wait(run->consumer->data, location, &wait, &error) &&
        !g_atomic_pointer_compare_and_exchange(&run->error, NULL, error))
        g_error_free(error);
}

static uint64_t sent_at(void *data, const XtfReplayEvent *at)
{
    return clock_at(data, at);
}

static void wait_for_message(void *data, const XtfReplayEvent *at, const XtfReplayMessage *message)
{
    XtfNetworkRun *run = data;
    wait_until(run, at, run->model->receive(run->model->data, message->value, clock_at(run, at), message->bytes));
}

/* Waits in a probe. The message takes the same time as for its receive. */
static void wait_in_probe(void *data, const XtfReplayEvent *at, uint64_t value)
{
    XtfNetworkRun *run = data;
    wait_until(run, at, run->model->receive(run->model->data, value, clock_at(run, at), at->bytes));
}

static void wait_for_members(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank)
{
    XtfNetworkRun *run = data;
    uint64_t latest;

    if (xtf_replay_latest(collective, rank, &latest))
        wait_until(run, at, run->model->end(run->model->data, latest, clock_at(run, at), collective));
}

static uint64_t latest_end(const XtfNetworkRun *run)
{
    uint64_t latest = 0;

    for (uint32_t p = 0; p < xtf_replay_n_processes(run->replay); p++)
        for (uint32_t l = 0; l < xtf_replay_process(run->replay, p)->n_locations; l++) {
            XtfReplayBounds bounds;
            xtf_replay_bounds(run->replay, p, l, &bounds);
            latest = MAX(latest, bounds.outside + run->waited[run->first_location[p] + l]);
        }
    return latest;
}

XtfNetworkRun *xtf_network_run_new(XtfReplay *replay, const XtfNetworkModel *model, const XtfNetworkConsumer *consumer)
{
    XtfNetworkRun *run = g_new0(XtfNetworkRun, 1);

    *run = (XtfNetworkRun){
        .replay = replay,
        .model = model,
        .consumer = consumer,
        .replay_consumer = {.data = run,
                            .send = sent_at,
                            .begin = sent_at,
                            .receive = wait_for_message,
                            .probe = wait_in_probe,
                            .end = wait_for_members},
        .first_location = xtf_replay_first_locations(replay),
    };
    run->waited = g_new0(uint64_t, run->first_location[xtf_replay_n_processes(replay)] + 1);
    return run;
}

void xtf_network_run_free(XtfNetworkRun *run)
{
    if (!run)
        return;
    g_clear_error(&run->error);
    g_free(run->first_location);
    g_free(run->waited);
    g_free(run);
}

const XtfReplayConsumer *xtf_network_run_consumer(const XtfNetworkRun *run)
{
    return &run->replay_consumer;
}

bool xtf_network_run_end(XtfNetworkRun *run, uint64_t *clock, GError **error)
{
    if (run->error) {
        g_propagate_error(error, g_steal_pointer(&run->error));
        return false;
    }
    *clock = latest_end(run);
    return true;
}
