#include "src/tables/match/message-batch.h"

#include "src/trace/select/parallel.h"

enum {
    SENDS_AT_ONCE = 32, /* sends that a thread matches in one step */
};

typedef struct {
    XtfMatching *matching;
    const XtfMessageEnd *sends;
    XtfMatchedSend *matched;
} Batch;

static void *begin_batch(void *data)
{
    return data;
}

static bool match_range(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Batch *batch = data;

    for (uint32_t i = first; i < end; i++) {
        XtfMatchedSend *matched = &batch->matched[i];
        if (!xtf_match_send(batch->matching, &batch->sends[i], &matched->message, error) ||
            !xtf_message_times(batch->matching, &matched->message, &matched->times, error))
            return false;
    }
    return true;
}

static void join_batch(void *thread_data, void *data)
{
}

bool xtf_match_sends(XtfMatching *matching, const XtfMessageEnd *sends, uint32_t n, XtfMatchedSend *matched,
                     GError **error)
{
    const XtfParallelWork parallel = {
        .step = SENDS_AT_ONCE, .begin = begin_batch, .work = match_range, .join = join_batch};
    Batch batch = {matching, sends, matched};

    return xtf_parallel(&parallel, &batch, n, error);
}
