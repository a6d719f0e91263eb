#include "src/tables/match/message-batch.h"

#include <stdlib.h>
#include <string.h>

#include "src/tables/match/message-finder.h"
#include "src/tables/match/order/message-rows.h"
#include "src/trace/select/parallel.h"

enum {
    RUN_MOST = 256,    /* most sends that a thread matches in one step */
    VISITS_MOST = 768, /* most records whose calls a thread finds in one step */
    USES_DIVISOR = 64, /* share of the messages from which on the next batch reads the uses of all calls */
};

/* A send of the batch. */
typedef struct {
    uint32_t location;
    uint32_t number; /* in the batch */
    uint64_t row;
    uint64_t envelope[XTF_ENVELOPE_KEYS];
} Send;

/* A record whose call is needed. */
typedef struct {
    uint32_t location; /* UINT32_MAX: none, the last ones in order */
    XtfMessageCall *call;
    XtfMessageRecord record;
} Visit;

enum { VISITS_PER_SEND = 3 }; /* of the send, the posting and the receive */

typedef struct {
    XtfMatching *matching;
    const XtfMessageEnd *ends;
    XtfMatchedSend *matched;
    uint32_t n, reach;
    Send *sends;           /* by group, then by row */
    GArray *runs;          /* uint32_t: the first send of each run, then n */
    XtfMessageEnds *calls; /* of each send */
    Visit *visits;         /* of each send; then sorted by location and time */
    GArray *walks;         /* uint32_t: the first visit of each walk in time, then the number of visits */
    gint n_uses;           /* atomic: number of calls whose use was needed */
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

/* ---- Work on all cores. */

/* Works on the sends of a run, or on the visits of a walk: [first, end). */
typedef bool (*WorkOnPart)(Batch *batch, uint32_t first, uint32_t end, GError **error);

/* Work on all runs, or on all walks. */
typedef struct {
    Batch *batch;
    WorkOnPart work;
    const uint32_t *firsts; /* of each part, then the end of the last */
} PartsWork;

static void *begin_parts(void *data)
{
    return data;
}

static bool work_on_parts(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    const PartsWork *parts = data;

    for (uint32_t i = first; i < end; i++)
        if (!parts->work(parts->batch, parts->firsts[i], parts->firsts[i + 1], error))
            return false;
    return true;
}

static void join_parts(void *thread_data, void *data)
{
}

static bool work_on_all(Batch *batch, const GArray *firsts, WorkOnPart work, GError **error)
{
    const XtfParallelWork parallel = {.step = 1, .begin = begin_parts, .work = work_on_parts, .join = join_parts};
    PartsWork parts = {batch, work, (const uint32_t *)(void *)firsts->data};

    return xtf_parallel(&parallel, &parts, firsts->len - 1, error);
}

/* ---- Matching. */

/* Lists the records of a message whose calls are needed. Stores the times of the others. */
static bool list_visits(XtfMessageTimer *timer, const XtfMessage *message, XtfMessageEnds *calls, Visit *visits,
                        GError **error)
{
    XtfMessageRecord receive;

    *calls = (XtfMessageEnds){.send = {.record = message->sent.t, .site = XTF_NONE32}};
    for (unsigned i = 0; i < VISITS_PER_SEND; i++)
        visits[i].location = UINT32_MAX;
    if (xtf_message_needs_send_call(timer->matching, message))
        visits[0] = (Visit){message->send.location, &calls->send, message->sent};
    if (!message->has_receive)
        return true;
    if (!xtf_message_timer_receive(timer, message, &receive, &calls->blocking, error))
        return false;
    visits[1] = (Visit){message->posting.location, &calls->posting, message->posted};
    if (!calls->blocking)
        visits[2] = (Visit){message->posting.location, &calls->receive, receive};
    return true;
}

static bool match_run(Batch *batch, uint32_t first, uint32_t end, GError **error)
{
    g_auto(XtfMessageFinder) finder;
    g_auto(XtfMessageTimer) timer;

    xtf_message_finder_init(&finder, batch->matching);
    xtf_message_timer_init(&timer, batch->matching);
    finder.reach = batch->reach;
    for (uint32_t i = first; i < end; i++) {
        uint32_t number = batch->sends[i].number;
        XtfMessage *message = &batch->matched[number].message;
        if (!xtf_message_finder_send(&finder, &batch->ends[number], message, error) ||
            !list_visits(&timer, message, &batch->calls[number], batch->visits + (size_t)number * VISITS_PER_SEND,
                         error))
            return false;
    }
    return true;
}

/* ---- Calls: in each location in order of time, so that each of its leaves is read once. */

static inline bool visit_precedes(const Visit *a, const Visit *b)
{
    return a->location < b->location || (a->location == b->location && a->record.t < b->record.t);
}

/* Merges two sorted halves of `n` visits. */
static void merge_visits(const Visit *from, uint32_t half, uint32_t n, Visit *to)
{
    for (uint32_t low = 0, high = half; low < half || high < n;) {
        bool takes_high = low == half || (high < n && visit_precedes(&from[high], &from[low]));
        *to++ = takes_high ? from[high++] : from[low++];
    }
}

/* Sorts n visits by location and time, without a function call for each comparison. `spare` has room for n visits.
 * Returns the one of both arrays that has the sorted visits. */
static Visit *sort_visits(Visit *visits, uint32_t n, Visit *spare)
{
    for (uint64_t width = 1; width < n; width *= 2) {
        for (uint64_t first = 0; first < n; first += 2 * width)
            merge_visits(visits + first, (uint32_t)MIN(width, n - first), (uint32_t)MIN(2 * width, n - first),
                         spare + first);
        Visit *sorted = spare;
        spare = visits;
        visits = sorted;
    }
    return visits;
}

/* Sorts the visits, and divides them into walks. */
static void divide_into_walks(Batch *batch)
{
    g_autofree Visit *spare = NULL;
    Visit *visits = batch->visits;
    uint32_t n = 0;

    for (uint32_t i = 0; i < batch->n * VISITS_PER_SEND; i++)
        if (visits[i].location != UINT32_MAX)
            visits[n++] = visits[i];
    spare = g_new(Visit, n);
    visits = sort_visits(visits, n, spare);
    if (visits == spare) {
        spare = batch->visits;
        batch->visits = visits;
    }
    for (uint32_t i = 0, first = 0; i < n; i++) {
        if (i > 0 && i - first < VISITS_MOST && visits[i - 1].location == visits[i].location)
            continue;
        first = i;
        g_array_append_val(batch->walks, first);
    }
    g_array_append_val(batch->walks, n);
}

static bool find_calls_in(const Batch *batch, const XtfMessageLocation *location, const Visit *visits, uint32_t n,
                          GError **error)
{
    g_auto(XtfCallFinder) finder;

    xtf_call_finder_init(&finder, batch->matching, location);
    finder.without_uses = !g_atomic_int_get(&batch->matching->needs_uses);
    for (uint32_t i = 0; i < n; i++)
        if (!xtf_call_finder_at(&finder, visits[i].record.t, visits[i].record.seq, visits[i].call, error))
            return false;
    return true;
}

static bool walk_calls(Batch *batch, uint32_t first, uint32_t end, GError **error)
{
    XtfMatching *matching = batch->matching;
    const Visit *visits = batch->visits + first;
    const XtfMessageLocation *location;
    XtfMessageProcess *process;

    if (!xtf_message_process_take_location(&matching->processes, &matching->types, matching->context, visits->location,
                                           &process, &location, error))
        return false;
    bool good = find_calls_in(batch, location, visits, end - first, error);
    xtf_message_process_put(&matching->processes, process);
    return good;
}

/* ---- Waits. */

static bool find_run_waits(Batch *batch, uint32_t first, uint32_t end, GError **error)
{
    g_auto(XtfMessageTimer) timer;

    xtf_message_timer_init(&timer, batch->matching);
    for (uint32_t i = first; i < end; i++) {
        uint32_t number = batch->sends[i].number;
        XtfMatchedSend *matched = &batch->matched[number];
        if (!xtf_message_timer_wait(&timer, &matched->message, &batch->calls[number], &matched->times, error))
            return false;
    }
    g_atomic_int_add(&batch->n_uses, (gint)timer.n_uses);
    return true;
}

static bool match_batch(Batch *batch, GError **error)
{
    XtfMatching *matching = batch->matching;

    if (!xtf_matching_check(matching, error) || !xtf_matching_load_uses(matching, error) || !sort_sends(batch, error))
        return false;
    divide_into_runs(batch);
    if (!work_on_all(batch, batch->runs, match_run, error))
        return false;
    divide_into_walks(batch);
    if (!work_on_all(batch, batch->walks, walk_calls, error) || !work_on_all(batch, batch->runs, find_run_waits, error))
        return false;
    g_atomic_int_set(&matching->needs_uses, (uint32_t)batch->n_uses > batch->n / USES_DIVISOR);
    return true;
}

bool xtf_match_sends_within(XtfMatching *matching, const XtfMessageEnd *ends, uint32_t n, uint32_t reach,
                            XtfMatchedSend *matched, GError **error)
{
    Batch batch = {.matching = matching,
                   .ends = ends,
                   .matched = matched,
                   .n = n,
                   .reach = reach,
                   .sends = g_new(Send, n),
                   .runs = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                   .calls = g_new(XtfMessageEnds, n),
                   .visits = g_new(Visit, (size_t)n * VISITS_PER_SEND),
                   .walks = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
    bool good = match_batch(&batch, error);

    g_free(batch.sends);
    g_array_unref(batch.runs);
    g_free(batch.calls);
    g_free(batch.visits);
    g_array_unref(batch.walks);
    return good;
}

bool xtf_match_sends(XtfMatching *matching, const XtfMessageEnd *sends, uint32_t n, XtfMatchedSend *matched,
                     GError **error)
{
    return xtf_match_sends_within(matching, sends, n, XTF_WALK_REACH, matched, error);
}
