/*
 * Conversion of a trace to the logs that runs read. It goes through each location's rows and calls once. The cores work
 * on different processes in parallel.
 */
#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/analysis/replay/envelope-counts.h"
#include "src/analysis/replay/replay-private.h"
#include "src/analysis/replay/replay-probes.h"
#include "src/analysis/replay/row-coding.h"
#include "src/trace/select/parallel.h"

enum {
    ROWS_AT_ONCE = 4096,   /* rows read between checks for cancellation */
    TIMES_AT_ONCE = 12,    /* call paths in a record; more become several records */
    PART_MAX = 64 << 10,   /* bytes of a part of a log */
    PARTS_BYTES = 1 << 20, /* bytes of the parts of all locations of a process */
};

/* The state of a worker thread. */
typedef struct {
    XtfReplay *replay;
    XtfReplayWalkShared shared;
    XtfCallpathCache cache;
    XtfCallpathTotals sums;
    XtfEnvelopeCounts counts; /* of the current process */
    XtfReplayProbes probes;   /* of the current process */
    uint32_t *operations;     /* by communicator: hash of the current process's operations */
    uint64_t n_rows;          /* rows not reported yet */
} Worker;

/* A location of the current process. */
typedef struct {
    XtfReplayWalk walk;
    XtfLogWriter times, gaps;
    uint64_t seq; /* of the last record of `times` */
} Walked;

typedef struct {
    Worker *worker;
    XtfProcess *process;
    XtfReplayRows rows;
    Walked *walked; /* by location; NULL without options.calls */
    XtfLogWriter log;
    XtfRowState state;
    uint64_t n_rows;
} Pass;

/* ---- Time by call path. */

static bool log_times(Walked *walked, uint64_t seq, GError **error)
{
    XtfCallpathTotals *sums = walked->walk.shared->sums;
    const uint32_t *touched = sums->touched, n = sums->n_touched;

    for (uint32_t i = 0; i < n;) {
        uint32_t end = MIN(i + TIMES_AT_ONCE, n);
        uint8_t *to = xtf_log_begin(&walked->times, error);
        if (!to)
            return false;
        to = xtf_log_put_near(to, seq - walked->seq);
        walked->seq = seq;
        for (; i < end; i++) {
            uint32_t callpath = touched[i];
            to = xtf_log_put(to, (uint32_t)(callpath + 1));
            to = xtf_log_put(to, xtf_callpath_totals_take(sums, callpath));
        }
        xtf_log_end(&walked->times, to);
    }
    sums->n_touched = 0;
    return true;
}

/* Writes the time by call path up to a record. In many records no time has passed. */
static bool put_times(void *data, uint64_t seq, GError **error)
{
    Walked *walked = data;

    return walked->walk.shared->sums->n_touched == 0 || log_times(walked, seq, error);
}

/* Keeps a gap, and the time by call path up to its end: a wait may end there. */
static bool put_gap(void *data, const XtfReplayGap *gap, GError **error)
{
    Walked *walked = data;

    return put_times(walked, gap->seq + 1, error) && xtf_replay_gap_put(&walked->gaps, gap, error);
}

/* ---- Locations. */

static GArray *read_arrays(const Pass *pass, const XtfLocation *location, GError **error)
{
    const XtfReplay *replay = pass->worker->replay;
    g_autoptr(GArray) arrays = g_array_new(FALSE, FALSE, sizeof(XtfArray));

    g_array_set_size(arrays, (guint)location->n_arrays);
    XtfArray *all = (XtfArray *)(void *)arrays->data;
    if (arrays->len > 0 && !xtf_trace_get_arrays(replay->trace, location->first_array, location->n_arrays, all, error))
        return NULL;
    for (guint i = 0; replay->options.local && i < arrays->len; i++)
        all[i] = xtf_array_local(&all[i]);
    return g_steal_pointer(&arrays);
}

/* Finds the times of the first and the last record of all types in the window. */
static bool find_times(const Pass *pass, const GArray *arrays, XtfReplayLocation *location, GError **error)
{
    const XtfRunWindow *window = &pass->worker->replay->options.window;
    XtfReplayProcess *process = &pass->process->known->public;

    location->begin = UINT64_MAX;
    location->calls = UINT64_MAX;
    for (guint i = 0; i < arrays->len; i++) {
        const XtfArray *array = &g_array_index(arrays, XtfArray, i);
        if (array->schema->kind != XTF_SCHEMA_RECORD)
            continue;
        uint64_t first = array->first, last = array->last;
        bool is_supported = xtf_array_is_supported(array, NULL), any = true;
        if (is_supported && !xtf_run_window_times(window, array, &first, &last, &any, error))
            return false;
        location->clock = array->clock;
        if (!any)
            continue;
        location->begin = MIN(location->begin, first);
        location->end = MAX(location->end, last);
        if (!is_supported)
            continue;
        process->first = MIN(process->first,
                             first == array->first ? array->local_first : xtf_clock_map_to_local(array->clock, first));
        process->last =
            MAX(process->last, last == array->last ? array->local_last : xtf_clock_map_to_local(array->clock, last));
    }
    return true;
}

static bool add_replay_location(Pass *pass, uint32_t number, GError **error)
{
    XtfReplay *replay = pass->worker->replay;
    uint32_t index = pass->process->known->first_location + number;
    const XtfLocation *known = &xtf_trace_context_locations(&replay->context, NULL)->all[index];
    XtfReplayLocation *location = &replay->locations[index];
    g_autoptr(GArray) all = read_arrays(pass, known, error);

    if (!all)
        return false;
    const XtfArray *arrays = (const XtfArray *)(const void *)all->data;
    if (!find_times(pass, all, location, error))
        return false;
    xtf_replay_rows_add(&pass->rows, arrays, all->len, replay->options.calls, number);
    if (!pass->walked)
        return true;
    Walked *walked = &pass->walked[number];
    const XtfArray *calls = xtf_replay_array_of(arrays, all->len, replay->types.schema);
    uint32_t part = PARTS_BYTES / pass->process->known->public.n_locations;
    xtf_log_writer_init(&walked->times, &replay->spool, MIN(part, PART_MAX));
    xtf_log_writer_init(&walked->gaps, &replay->spool, MIN(part, PART_MAX));
    xtf_replay_walk_init(&walked->walk, &pass->worker->shared, calls, location->begin, location->end);
    walked->walk.window = replay->options.window;
    walked->walk.before_bound = put_times;
    walked->walk.after_gap = put_gap;
    walked->walk.least_gap = replay->least_gap;
    walked->walk.data = walked;
    if (calls)
        location->calls = known->first_array + (uint64_t)(calls - arrays);
    return true;
}

static bool end_location(Pass *pass, uint32_t number, GError **error)
{
    XtfReplayLocation *location = &pass->worker->replay->locations[pass->process->known->first_location + number];
    Walked *walked = &pass->walked[number];
    XtfReplayWalk *walk = &walked->walk;

    if (location->begin > location->end)
        return true;
    if (!xtf_replay_walk_end(walk, error) || !put_times(walked, UINT64_MAX, error) ||
        !xtf_log_writer_end(&walked->times, &location->times, error))
        return false;
    location->init = walk->init;
    location->finalize = walk->finalize;
    location->outside = xtf_replay_walk_outside(walk, walk->time);
    location->was_in_mpi = walk->was_in_mpi;
    return xtf_replay_gaps_keep(pass->worker->replay, location, &walked->gaps, error);
}

/* ---- Rows. */

static bool report_pass_progress(Worker *worker, GError **error)
{
    XtfReplay *replay = worker->replay;

    if (replay->options.cancel && atomic_load(replay->options.cancel))
        return xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
    g_mutex_lock(&replay->lock);
    replay->done += worker->n_rows;
    worker->n_rows = 0;
    if (replay->options.progress)
        replay->options.progress(MIN(replay->done, replay->n_rows), replay->n_rows, replay->options.progress_data);
    g_mutex_unlock(&replay->lock);
    return true;
}

/* Counts rows as progress. Rows of calls count like all others: they may be by far the most. */
static bool count_read_rows(void *data, uint64_t n_rows, GError **error)
{
    Worker *worker = data;

    worker->n_rows += n_rows;
    return worker->n_rows < ROWS_AT_ONCE || report_pass_progress(worker, error);
}

/* Notes a posting or the completion of a receive. */
static void note_probes(Worker *worker, const XtfReplayRow *row, const XtfReplayCall *call)
{
    bool posts = row->kind == XTF_ROW_POSTING,
         probed = posts && xtf_replay_call_is_probed(&worker->replay->types, call->region);
    if (!probed && !worker->probes.windows)
        return;
    uint64_t receive = (uint64_t)row->location << XTF_ROW_BITS | (posts ? row->message : row->row);

    if (posts)
        xtf_replay_probes_post(&worker->probes, row->envelope, worker->counts.all.all[row->envelope].sent - 1, receive,
                               call->enter, probed);
    else if (row->kind == XTF_ROW_RECV)
        xtf_replay_probes_receive(&worker->probes, receive, row->time);
}

static bool put_row(Pass *pass, XtfReplayRow *row, GError **error)
{
    XtfReplayCall call;
    Walked *walked = pass->walked ? &pass->walked[row->location] : NULL;

    if (walked &&
        (!xtf_replay_walk_to(&walked->walk, row->time, row->seq, &call, error) || !put_times(walked, row->seq, error)))
        return false;
    uint8_t *to = xtf_log_begin(&pass->log, error);
    if (!to)
        return false;
    row->envelope = xtf_envelope_counts_add(&pass->worker->counts, row);
    if (row->kind == XTF_ROW_BEGIN && row->comm < pass->worker->replay->n_comms)
        pass->worker->operations[row->comm] = xtf_replay_hash_operation(pass->worker->operations[row->comm], row);
    pass->process->has_one_location &= pass->n_rows == 0 || row->location == pass->state.location;
    if (walked)
        note_probes(pass->worker, row, &call);
    xtf_log_end(&pass->log, xtf_row_encode(&pass->state, row, walked ? &call : NULL, to));
    pass->n_rows++;
    return count_read_rows(pass->worker, 1, error);
}

static bool put_rows(Pass *pass, GError **error)
{
    XtfReplayRow *row;

    if (!xtf_replay_rows_begin(&pass->rows, error))
        return false;
    do {
        if (!xtf_replay_rows_next(&pass->rows, &row, error) || (row && !put_row(pass, row, error)))
            return false;
    } while (row);
    return true;
}

/* ---- Processes. */

/* Finds or adds the group of an envelope. UINT32_MAX: its other side is unknown, or it has no group. */
static uint32_t group_of(XtfReplay *replay, uint32_t self, const XtfReplayProcess *process, const XtfEnvelope *envelope)
{
    bool sends = envelope->kind == XTF_ROW_SEND;
    uint64_t proc;

    if (envelope->kind == XTF_ROW_BEGIN || envelope->kind == XTF_ROW_END) {
        const XtfGroupKey key = {
            .comm = envelope->comm, .tag = UINT32_MAX, .sender = self, .receiver = XTF_GROUP_COLLECTIVE};
        return envelope->comm < replay->n_comms ? xtf_groups_find(&replay->groups, &key, true) : UINT32_MAX;
    }
    if ((!sends && envelope->kind != XTF_ROW_POSTING) || envelope->comm == XTF_NONE_COMM ||
        !xtf_ranks_proc(&replay->context.ranks, envelope->comm, envelope->peer, process->proc, &proc))
        return UINT32_MAX;
    uint32_t other_process = xtf_replay_process_number(replay, proc);
    if (other_process == UINT32_MAX)
        return UINT32_MAX;
    const XtfGroupKey key = {.comm = envelope->comm,
                             .tag = envelope->tag,
                             .sender = sends ? self : other_process,
                             .receiver = sends ? other_process : self};
    return xtf_groups_find(&replay->groups, &key, true);
}

static void add_counts(XtfGroup *group, const XtfEnvelope *envelope, const XtfGroup *counted)
{
    if (envelope->kind == XTF_ROW_SEND || envelope->kind == XTF_ROW_BEGIN)
        group->sent += counted->sent;
    else
        group->received += counted->sent;
    group->uncertain |= counted->uncertain;
    xtf_group_note_location(group, envelope->kind == XTF_ROW_POSTING ? &group->receiver_or_rank : &group->location,
                            counted->location);
}

XtfEnvelope *xtf_replay_take_envelopes(XtfReplay *replay, XtfProcess *process, uint32_t n)
{
    process->envelopes = replay->n_envelopes;
    process->n_envelopes = n;
    replay->n_envelopes += n;
    if (replay->n_envelopes > replay->room_envelopes) {
        replay->room_envelopes = replay->n_envelopes + replay->n_envelopes / 2 + 64;
        replay->envelopes =
            xtf_paged_grow(&replay->paged_envelopes, replay->room_envelopes * sizeof *replay->envelopes);
    }
    return replay->envelopes + process->envelopes;
}

void xtf_replay_keep_doubts(XtfReplay *replay, uint32_t group, const GArray *doubts)
{
    if (!doubts || doubts->len == 0)
        return;
    if (!replay->doubts)
        replay->doubts = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    GArray *known = g_hash_table_lookup(replay->doubts, GUINT_TO_POINTER(group));
    if (!known) {
        known = xtf_runs_new();
        g_hash_table_insert(replay->doubts, GUINT_TO_POINTER(group), known);
    }
    xtf_runs_add_all(known, doubts);
}

/* Keeps the envelopes of a process, and adds their counts to their groups. */
static bool keep_envelopes(Pass *pass, XtfProcess *process, GError **error)
{
    Worker *worker = pass->worker;
    XtfReplay *replay = worker->replay;
    uint32_t n = worker->counts.all.n, self = (uint32_t)(process - replay->processes);
    g_autofree XtfRemovedRows *removed = NULL;

    if (!xtf_replay_count_removed(replay, &pass->rows, &worker->counts.all, &removed, error))
        return false;
    g_mutex_lock(&replay->lock);
    XtfEnvelope *envelopes = xtf_replay_take_envelopes(replay, process, n);
    for (uint32_t i = 0; i < n; i++) {
        const XtfGroup *counted = &worker->counts.all.all[i];
        XtfEnvelope *envelope = &envelopes[i];
        *envelope = xtf_envelope_of(counted);
        envelope->group = group_of(replay, self, &process->known->public, envelope);
        if (envelope->group == UINT32_MAX)
            continue;
        XtfGroup *group = &replay->groups.all[envelope->group];
        /* Two envelopes of one group number their receives separately. */
        group->uncertain |= worker->probes.windows && envelope->kind == XTF_ROW_POSTING && group->received > 0;
        add_counts(group, envelope, counted);
        if (envelope->kind == XTF_ROW_BEGIN)
            group->listed = worker->operations[envelope->comm];
        if (removed && (removed[i].rows > 0 || !removed[i].known))
            xtf_replay_keep_removed(replay, envelope->group, envelope->kind == XTF_ROW_SEND, &removed[i]);
        xtf_replay_keep_doubts(replay, envelope->group, xtf_replay_probes_doubts(&worker->probes, i));
    }
    for (uint32_t i = 0; i < n; i++)
        if (envelopes[i].kind == XTF_ROW_BEGIN && envelopes[i].comm < replay->n_comms)
            worker->operations[envelopes[i].comm] = 0;
    bool good = xtf_replay_has_few_groups(replay, error);
    g_mutex_unlock(&replay->lock);
    return good;
}

static bool read_process(Pass *pass, GError **error)
{
    XtfProcess *process = pass->process;
    uint32_t n = process->known->public.n_locations;

    for (uint32_t i = 0; i < n; i++)
        if (!add_replay_location(pass, i, error))
            return false;
    if (!put_rows(pass, error) || !xtf_log_writer_end(&pass->log, &process->log, error))
        return false;
    for (uint32_t i = 0; pass->walked && i < n; i++)
        if (!end_location(pass, i, error))
            return false;
    return keep_envelopes(pass, process, error) && report_pass_progress(pass->worker, error);
}

static bool prepare_process(Worker *worker, XtfProcess *process, GError **error)
{
    uint32_t n = process->known->public.n_locations;
    g_autofree Walked *walked = worker->replay->options.calls ? g_new0(Walked, n) : NULL;
    Pass pass = {.worker = worker, .process = process, .walked = walked};

    xtf_envelope_counts_begin(&worker->counts);
    process->has_one_location = true;
    xtf_replay_rows_init(&pass.rows, &worker->replay->fields, worker->replay->options.window);
    xtf_log_writer_init(&pass.log, &worker->replay->spool, PART_MAX);
    bool good = read_process(&pass, error);
    xtf_replay_rows_finish(&pass.rows);
    xtf_log_writer_finish(&pass.log);
    for (uint32_t i = 0; walked && i < n; i++) {
        xtf_replay_walk_finish(&walked[i].walk);
        xtf_log_writer_finish(&walked[i].times);
        xtf_log_writer_finish(&walked[i].gaps);
    }
    xtf_envelope_counts_finish(&worker->counts);
    xtf_replay_probes_finish(&worker->probes);
    g_mutex_lock(&worker->replay->lock);
    worker->replay->n_log_rows += pass.n_rows;
    xtf_replay_page_out_sometimes(worker->replay);
    g_mutex_unlock(&worker->replay->lock);
    return good;
}

/* ---- All processes. */

static void *begin_worker(void *data)
{
    XtfReplay *replay = data;
    Worker *worker = g_new0(Worker, 1);

    worker->replay = replay;
    worker->operations = g_new0(uint32_t, replay->n_comms + 1);
    worker->shared = (XtfReplayWalkShared){.types = &replay->types,
                                           .callpaths = &replay->callpaths,
                                           .cache = &worker->cache,
                                           .sums = &worker->sums,
                                           .went = count_read_rows,
                                           .data = worker};
    xtf_callpath_cache_init(&worker->cache);
    return worker;
}

static bool prepare_processes(void *worker, void *data, uint32_t first, uint32_t end, GError **error)
{
    XtfReplay *replay = data;

    for (uint32_t i = first; i < end; i++)
        if (!prepare_process(worker, &replay->processes[replay->first_read + i], error))
            return false;
    return true;
}

static void join_worker(void *data, void *to)
{
    Worker *worker = data;

    xtf_callpath_cache_finish(&worker->cache);
    xtf_callpath_totals_finish(&worker->sums);
    g_free(worker->operations);
    g_free(worker);
}

static void count_rows(XtfReplay *replay)
{
    const XtfReplayFields *fields = &replay->fields;
    const XtfSchema *all[] = {fields->sends,
                              fields->postings,
                              fields->recvs,
                              fields->collectives,
                              replay->options.calls ? fields->requests : NULL,
                              replay->types.schema};

    for (unsigned i = 0; i < G_N_ELEMENTS(all); i++)
        replay->n_rows += all[i] ? xtf_trace_n_rows(replay->trace, all[i]->id) : 0;
}

bool xtf_replay_prepare(XtfReplay *replay, GError **error)
{
    const XtfParallelWork parallel = {.step = 1, .begin = begin_worker, .work = prepare_processes, .join = join_worker};

    count_rows(replay);
    return xtf_parallel(&parallel, replay, replay->n_read, error);
}
