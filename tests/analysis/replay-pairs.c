/*
 * replay-pairs TRACE: prints which send and which receive a replay matches as one message. Each line has location and
 * row of the send in `sends`, and location and row of the receive in `recvs`. The last line counts the sends and
 * receives that the replay left out.
 */
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>

#include "libxtf/trace.h"
#include "src/analysis/replay/replay.h"

static uint64_t ignore_event(void *data, const XtfReplayEvent *at)
{
    return 0;
}

static void ignore_end(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank)
{
}

static void print_pair(void *data, const XtfReplayEvent *at, const XtfReplayMessage *message)
{
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", message->send.location, message->send.row, at->location,
           at->row);
}

static bool print_pairs(const char *path, GError **error)
{
    const XtfReplayConsumer consumer = {
        .send = ignore_event, .begin = ignore_event, .receive = print_pair, .end = ignore_end};
    const XtfReplayOptions options = {.local = true};
    XtfReplayCounts counts;

    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, error);
    g_autoptr(XtfReplay) replay = trace ? xtf_replay_new(trace, &options, error) : NULL;
    if (!replay || !xtf_replay_run(replay, &consumer, &counts, error))
        return false;
    printf("left out %" PRIu64 " %" PRIu64 "\n", counts.uncertain_sends, counts.uncertain_receives);
    return true;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;

    if (argc != 2 || !print_pairs(argv[1], &error)) {
        fprintf(stderr, "replay-pairs: %s\n", error ? error->message : "usage: replay-pairs TRACE");
        return 1;
    }
    return 0;
}
