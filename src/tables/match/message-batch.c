#include "src/tables/match/message-batch.h"

#include <stdlib.h>
#include <string.h>

#include "src/tables/match/message-finder.h"
#include "src/tables/match/order/message-rows.h"
#include "src/trace/select/parallel.h"

enum {
    RUN_MOST = 256, /* most sends that a thread matches in one step */
};

/* A send of the batch. */
typedef struct {
    uint32_t location;
    uint32_t number; /* in the batch */
    uint64_t row;
    uint64_t envelope[XTF_ENVELOPE_KEYS];
} Send;

typedef struct {
    XtfMatching *matching;
    const XtfMessageEnd *ends;
    XtfMatchedSend *matched;
    uint32_t n, reach;
    Send *sends;  /* by group, then by row */
    GArray *runs; /* uint32_t: the first send of each run, then n */
} Batch;

/* ---- Runs: sends of one location, by group. */

static int compare_rows(const void *a, const void *b)
{
    const Send *x = a, *y = b;

    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static int compare_groups(const void *a, const void *b)
{
    const Send *x = a, *y = b;

    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    for (unsigned i = 0; i < XTF_ENVELOPE_KEYS; i++)
        if (x->envelope[i] != y->envelope[i])
            return x->envelope[i] < y->envelope[i] ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Reads the envelopes of sends [first, end), which are of one location. Sends that do not exist have none: matching
 * them fails. */
static bool read_envelopes(const Batch *batch, uint32_t first, uint32_t end, GError **error)
{
    XtfMatching *matching = batch->matching;
    const XtfMessageType *type = &matching->types.types[XTF_MESSAGES_SENDS];
    const XtfLocations *locations = xtf_trace_context_locations(matching->context, error);
    uint32_t index = batch->sends[first].location;
    g_auto(XtfCursor) cursor = {0};
    const uint8_t *row;

    if (!locations)
        return false;
    XtfMessageProcess *process = xtf_message_process_take(&matching->processes, &matching->types, matching->context,
                                                          locations->all[index].proc, error);
    if (!process)
        return false;
    uint32_t at = xtf_message_process_find(process, index);
    bool good = true, has = at < process->n && process->locations[at].has[XTF_MESSAGES_SENDS];
    for (uint32_t i = first; i < end && good && has; i++) {
        good = xtf_message_row(&cursor, &process->locations[at].arrays[XTF_MESSAGES_SENDS], batch->sends[i].row, &row,
                               error);
        if (good)
            xtf_message_envelope(type, row, batch->sends[i].envelope);
    }
    xtf_message_process_put(&matching->processes, process);
    return good;
}

/* Sorts the sends by their groups. */
static bool sort_sends(Batch *batch, GError **error)
{
    for (uint32_t i = 0; i < batch->n; i++)
        batch->sends[i] = (Send){.location = batch->ends[i].location, .number = i, .row = batch->ends[i].row};
    qsort(batch->sends, batch->n, sizeof *batch->sends, compare_rows);
    for (uint32_t first = 0, end; first < batch->n; first = end) {
        for (end = first + 1; end < batch->n && batch->sends[end].location == batch->sends[first].location;)
            end++;
        if (!read_envelopes(batch, first, end, error))
            return false;
    }
    qsort(batch->sends, batch->n, sizeof *batch->sends, compare_groups);
    return true;
}

static void divide_into_runs(Batch *batch)
{
    for (uint32_t i = 0, first = 0; i < batch->n; i++) {
        if (i > 0 && i - first < RUN_MOST && batch->sends[i - 1].location == batch->sends[i].location)
            continue;
        first = i;
        g_array_append_val(batch->runs, first);
    }
    g_array_append_val(batch->runs, batch->n);
}

/* ---- Matching. */

static void *begin_batch(void *data)
{
    return data;
}

static bool match_run(const Batch *batch, const Send *sends, uint32_t n, GError **error)
{
    g_auto(XtfMessageFinder) finder;
    g_auto(XtfMessageTimer) timer;

    xtf_message_finder_init(&finder, batch->matching);
    xtf_message_timer_init(&timer, batch->matching);
    finder.reach = batch->reach;
    for (uint32_t i = 0; i < n; i++) {
        XtfMatchedSend *matched = &batch->matched[sends[i].number];
        if (!xtf_message_finder_send(&finder, &batch->ends[sends[i].number], &matched->message, error) ||
            !xtf_message_timer_times(&timer, &matched->message, &matched->times, error))
            return false;
    }
    return true;
}

static bool match_runs(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Batch *batch = data;
    const uint32_t *runs = &g_array_index(batch->runs, uint32_t, 0);

    for (uint32_t i = first; i < end; i++)
        if (!match_run(batch, batch->sends + runs[i], runs[i + 1] - runs[i], error))
            return false;
    return true;
}

static void join_batch(void *thread_data, void *data)
{
}

bool xtf_match_sends_within(XtfMatching *matching, const XtfMessageEnd *ends, uint32_t n, uint32_t reach,
                            XtfMatchedSend *matched, GError **error)
{
    const XtfParallelWork parallel = {.step = 1, .begin = begin_batch, .work = match_runs, .join = join_batch};
    g_autofree Send *sends = g_new(Send, n);
    g_autoptr(GArray) runs = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    Batch batch = {matching, ends, matched, n, reach, sends, runs};

    if (!xtf_matching_check(matching, error) || !sort_sends(&batch, error))
        return false;
    divide_into_runs(&batch);
    return xtf_parallel(&parallel, &batch, runs->len - 1, error);
}

bool xtf_match_sends(XtfMatching *matching, const XtfMessageEnd *sends, uint32_t n, XtfMatchedSend *matched,
                     GError **error)
{
    return xtf_match_sends_within(matching, sends, n, XTF_WALK_REACH, matched, error);
}
