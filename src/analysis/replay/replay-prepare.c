/*
 * From a trace to what runs read: each location's rows and calls are gone through once, processes side by side by all
 * cores.
 */
#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/analysis/replay/replay-private.h"
#include "src/analysis/replay/replay-probes.h"
#include "src/trace/select/parallel.h"

enum {
    ROWS_AT_ONCE = 4096,   /* between looks whether to go on */
    TIMES_AT_ONCE = 12,    /* of a record: more are several records */
    PART_MAX = 32 << 10,   /* of a log */
    PARTS_BYTES = 1 << 20, /* of all locations of a process */
    NEAR = 256,            /* envelopes */
};

/* An envelope's number. */
typedef struct {
    XtfGroupKey key;
    uint32_t number;
    uint64_t process; /* as Own.n_processes was */
} NearEnvelope;

/* How often an envelope came, and by whom, is kept as a group is. */
typedef struct {
    XtfReplay *replay;
    XtfReplayWalkShared shared;
    XtfCallpathCache cache;
    XtfCallpathTotals sums;
    XtfGroups envelopes;     /* of the process at hand */
    NearEnvelope near[NEAR]; /* some of them, by their hash */
    XtfReplayProbes probes;  /* likewise of the process at hand */
    uint64_t n_processes;    /* until now, with that one */
    uint64_t n_rows;         /* that were not told yet */
} Own;

/* A location while its process is gone through. */
typedef struct {
    XtfReplayWalk walk;
    XtfLogWriter times, gaps;
    uint64_t seq; /* of the last record of `times` */
} Walked;

typedef struct {
    Own *own;
    XtfProcess *process;
    XtfReplayRows rows;
    Walked *walked; /* by location; NULL: no calls are asked for */
    XtfLogWriter log;
    XtfRowState state;
    uint64_t n_rows;
} Pass;

/* ---- Time by call path. */

static bool put_times(void *data, uint64_t seq, GError **error)
{
    Walked *walked = data;
    XtfCallpathTotals *sums = walked->walk.shared->sums;

    for (uint32_t i = 0; i < sums->n_touched;) {
        uint32_t end = MIN(i + TIMES_AT_ONCE, sums->n_touched);
        uint8_t *to = xtf_log_begin(&walked->times, error);
        if (!to)
            return false;
        to = xtf_log_put_near(to, seq - walked->seq);
        walked->seq = seq;
        for (; i < end; i++) {
            to = xtf_log_put(to, (uint32_t)(sums->touched[i] + 1));
            to = xtf_log_put(to, xtf_callpath_totals_take(sums, sums->touched[i]));
        }
        xtf_log_end(&walked->times, to);
    }
    sums->n_touched = 0;
    return true;
}

/* Keeps a gap; and the time by call path up to its end, for who is waited for until then. */
static bool put_gap(void *data, const XtfReplayGap *gap, GError **error)
{
    Walked *walked = data;

    return put_times(walked, gap->seq + 1, error) && xtf_replay_gap_put(&walked->gaps, gap, error);
}

/* ---- Locations. */

static GArray *read_arrays(const Pass *pass, const XtfLocation *location, GError **error)
{
    const XtfReplay *replay = pass->own->replay;
    g_autoptr(GArray) arrays = g_array_new(FALSE, FALSE, sizeof(XtfArray));

    g_array_set_size(arrays, (guint)location->n_arrays);
    XtfArray *all = (XtfArray *)(void *)arrays->data;
    if (arrays->len > 0 && !xtf_trace_get_arrays(replay->trace, location->first_array, location->n_arrays, all, error))
        return NULL;
    for (guint i = 0; replay->options.local && i < arrays->len; i++)
        all[i] = xtf_array_local(&all[i]);
    return g_steal_pointer(&arrays);
}

/* From the first to the last record of all types. */
static void find_times(const Pass *pass, const GArray *arrays, XtfReplayLocation *location)
{
    XtfReplayProcess *process = &pass->process->known->public;

    location->begin = UINT64_MAX;
    location->calls = UINT64_MAX;
    for (guint i = 0; i < arrays->len; i++) {
        const XtfArray *array = &g_array_index(arrays, XtfArray, i);
        if (array->schema->kind != XTF_SCHEMA_RECORD)
            continue;
        location->begin = MIN(location->begin, array->first);
        location->end = MAX(location->end, array->last);
        location->clock = array->clock;
        if (!xtf_array_is_known(array, NULL))
            continue;
        process->first = MIN(process->first, array->local_first);
        process->last = MAX(process->last, array->local_last);
    }
}

static bool add_location(Pass *pass, uint32_t number, GError **error)
{
    XtfReplay *replay = pass->own->replay;
    uint32_t index = pass->process->known->first_location + number;
    const XtfLocation *known = &xtf_trace_context_locations(&replay->context, NULL)->all[index];
    XtfReplayLocation *location = &replay->locations[index];
    g_autoptr(GArray) all = read_arrays(pass, known, error);

    if (!all)
        return false;
    const XtfArray *arrays = (const XtfArray *)(const void *)all->data;
    find_times(pass, all, location);
    xtf_replay_rows_add(&pass->rows, arrays, all->len, replay->options.calls, number);
    if (!pass->walked)
        return true;
    Walked *walked = &pass->walked[number];
    const XtfArray *calls = xtf_replay_array_of(arrays, all->len, replay->types.schema);
    uint32_t part = PARTS_BYTES / pass->process->known->public.n_locations;
    xtf_log_writer_init(&walked->times, &replay->spool, MIN(part, PART_MAX));
    xtf_log_writer_init(&walked->gaps, &replay->spool, MIN(part, PART_MAX));
    xtf_replay_walk_init(&walked->walk, &pass->own->shared, calls, location->begin, location->end);
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
    XtfReplayLocation *location = &pass->own->replay->locations[pass->process->known->first_location + number];
    Walked *walked = &pass->walked[number];
    XtfReplayWalk *walk = &walked->walk;

    if (location->begin > location->end)
        return true;
    if (!xtf_replay_walk_end(walk, error) || !put_times(walked, UINT64_MAX, error) ||
        !xtf_log_writer_end(&walked->times, &location->times, error))
        return false;
    location->init = walk->init;
    location->finalize = walk->finalize;
    location->outside = walk->outside;
    location->was_in_mpi = walk->was_in_mpi;
    return xtf_replay_gaps_keep(pass->own->replay, location, &walked->gaps, error);
}

/* ---- Rows. */

static bool same_key(const XtfGroupKey *a, const XtfGroupKey *b)
{
    return a->comm == b->comm && a->tag == b->tag && a->sender == b->sender && a->receiver == b->receiver;
}

/* The envelope of a row, which is counted. */
static uint32_t envelope_of(Own *own, const XtfReplayRow *row)
{
    bool says = row->kind != XTF_ROW_RECV && row->kind != XTF_ROW_SENT && row->kind != XTF_ROW_UNCERTAIN;
    XtfGroupKey key = {.receiver = row->kind};

    if (says)
        key = (XtfGroupKey){.comm = row->comm,
                            .tag = row->tag,
                            .sender = row->peer,
                            .receiver = row->kind | (uint32_t)row->pattern << 8 | (uint32_t)row->sends << 16 |
                                        (uint32_t)row->receives << 17};
    NearEnvelope *near = &own->near[(key.tag + 31 * key.sender + 59 * key.receiver + 101 * key.comm) % NEAR];
    if (near->process != own->n_processes || !same_key(&key, &near->key))
        *near = (NearEnvelope){key, xtf_groups_find(&own->envelopes, &key, true), own->n_processes};
    XtfGroup *envelope = &own->envelopes.all[near->number];
    envelope->sent++;
    xtf_group_note_location(envelope, &envelope->location, row->location);
    return near->number;
}

static bool tell(Own *own, GError **error)
{
    XtfReplay *replay = own->replay;

    if (replay->options.cancel && atomic_load(replay->options.cancel))
        return xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
    g_mutex_lock(&replay->lock);
    replay->done += own->n_rows;
    own->n_rows = 0;
    if (replay->options.progress)
        replay->options.progress(MIN(replay->done, replay->n_rows), replay->n_rows, replay->options.progress_data);
    g_mutex_unlock(&replay->lock);
    return true;
}

/* Calls are as many as all other rows, or far more: they count as these do. */
static bool went(void *data, uint64_t n_rows, GError **error)
{
    Own *own = data;

    own->n_rows += n_rows;
    return own->n_rows < ROWS_AT_ONCE || tell(own, error);
}

/* A receive is posted, or complete. */
static void note_probes(Own *own, const XtfReplayRow *row, const XtfReplayCall *call)
{
    bool posts = row->kind == XTF_ROW_POSTING,
         probed = posts && xtf_replay_call_is_probed(&own->replay->types, call->region);
    if (!probed && !own->probes.windows)
        return;
    uint64_t receive = (uint64_t)row->location << XTF_ROW_BITS | (posts ? row->message : row->row);

    if (posts)
        xtf_replay_probes_post(&own->probes, row->envelope, own->envelopes.all[row->envelope].sent - 1, receive,
                               call->enter, probed);
    else if (row->kind == XTF_ROW_RECV)
        xtf_replay_probes_receive(&own->probes, receive, row->time);
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
    row->envelope = envelope_of(pass->own, row);
    pass->process->has_one_location &= pass->n_rows == 0 || row->location == pass->state.location;
    if (walked)
        note_probes(pass->own, row, &call);
    xtf_log_end(&pass->log, xtf_row_encode(&pass->state, row, walked ? &call : NULL, to));
    pass->n_rows++;
    return went(pass->own, 1, error);
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

/* The group of an envelope, made if it is not there; UINT32_MAX: its other side is unknown, or it has none. */
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
    uint32_t other = xtf_replay_process_number(replay, proc);
    if (other == UINT32_MAX)
        return UINT32_MAX;
    const XtfGroupKey key = {
        .comm = envelope->comm, .tag = envelope->tag, .sender = sends ? self : other, .receiver = sends ? other : self};
    return xtf_groups_find(&replay->groups, &key, true);
}

static void count(XtfGroup *group, const XtfEnvelope *envelope, const XtfGroup *counted)
{
    if (envelope->kind == XTF_ROW_SEND || envelope->kind == XTF_ROW_BEGIN)
        group->sent += counted->sent;
    else
        group->received += counted->sent;
    group->uncertain |= counted->uncertain;
    xtf_group_note_location(group, envelope->kind == XTF_ROW_POSTING ? &group->other : &group->location,
                            counted->location);
}

/* Takes room for the envelopes of a process; under the lock. */
static XtfEnvelope *take_envelopes(XtfReplay *replay, XtfProcess *process, uint32_t n)
{
    process->envelopes = replay->n_envelopes;
    replay->n_envelopes += n;
    if (replay->n_envelopes > replay->room_envelopes) {
        replay->room_envelopes = replay->n_envelopes + replay->n_envelopes / 2 + 64;
        replay->envelopes =
            xtf_paged_grow(&replay->paged_envelopes, replay->room_envelopes * sizeof *replay->envelopes);
    }
    return replay->envelopes + process->envelopes;
}

/* What is in doubt of a group; under the lock. */
static void keep_doubts(XtfReplay *replay, uint32_t group, const GArray *doubts)
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

/* Keeps the envelopes of a process, and counts them in their groups. */
static bool keep_envelopes(Own *own, XtfProcess *process, GError **error)
{
    XtfReplay *replay = own->replay;
    uint32_t n = own->envelopes.n, self = (uint32_t)(process - replay->processes);

    g_mutex_lock(&replay->lock);
    XtfEnvelope *envelopes = take_envelopes(replay, process, n);
    for (uint32_t i = 0; i < n; i++) {
        const XtfGroup *counted = &own->envelopes.all[i];
        XtfEnvelope *envelope = &envelopes[i];
        *envelope = (XtfEnvelope){.comm = counted->key.comm,
                                  .peer = counted->key.sender,
                                  .tag = counted->key.tag,
                                  .kind = (uint8_t)counted->key.receiver,
                                  .pattern = (uint8_t)(counted->key.receiver >> 8),
                                  .sends = counted->key.receiver >> 16 & 1,
                                  .receives = counted->key.receiver >> 17 & 1};
        envelope->group = group_of(replay, self, &process->known->public, envelope);
        if (envelope->group == UINT32_MAX)
            continue;
        XtfGroup *group = &replay->groups.all[envelope->group];
        /* Two envelopes of one group: their receives were not numbered together. */
        group->uncertain |= own->probes.windows && envelope->kind == XTF_ROW_POSTING && group->received > 0;
        count(group, envelope, counted);
        keep_doubts(replay, envelope->group, xtf_replay_probes_doubts(&own->probes, i));
    }
    bool too_many = replay->groups.n >= UINT32_MAX / 2;
    g_mutex_unlock(&replay->lock);
    return !too_many || xtf_fail(error, XTF_ERROR_TOO_LARGE, "the messages have too many different envelopes");
}

static bool go_through(Pass *pass, GError **error)
{
    XtfProcess *process = pass->process;
    uint32_t n = process->known->public.n_locations;

    for (uint32_t i = 0; i < n; i++)
        if (!add_location(pass, i, error))
            return false;
    if (!put_rows(pass, error) || !xtf_log_writer_end(&pass->log, &process->log, error))
        return false;
    for (uint32_t i = 0; pass->walked && i < n; i++)
        if (!end_location(pass, i, error))
            return false;
    return keep_envelopes(pass->own, process, error) && tell(pass->own, error);
}

static bool prepare(Own *own, XtfProcess *process, GError **error)
{
    uint32_t n = process->known->public.n_locations;
    g_autofree Walked *walked = own->replay->options.calls ? g_new0(Walked, n) : NULL;
    Pass pass = {.own = own, .process = process, .walked = walked};

    own->n_processes++;
    process->has_one_location = true;
    xtf_replay_rows_init(&pass.rows, &own->replay->fields);
    xtf_log_writer_init(&pass.log, &own->replay->spool, PART_MAX);
    bool good = go_through(&pass, error);
    xtf_replay_rows_finish(&pass.rows);
    xtf_log_writer_finish(&pass.log);
    for (uint32_t i = 0; walked && i < n; i++) {
        xtf_replay_walk_finish(&walked[i].walk);
        xtf_log_writer_finish(&walked[i].times);
        xtf_log_writer_finish(&walked[i].gaps);
    }
    xtf_groups_finish(&own->envelopes);
    xtf_replay_probes_finish(&own->probes);
    g_mutex_lock(&own->replay->lock);
    own->replay->n_log_rows += pass.n_rows;
    xtf_replay_rest_sometimes(own->replay);
    g_mutex_unlock(&own->replay->lock);
    return good;
}

/* ---- All of them. */

static void *begin(void *data)
{
    XtfReplay *replay = data;
    Own *own = g_new0(Own, 1);

    own->replay = replay;
    own->shared = (XtfReplayWalkShared){.types = &replay->types,
                                        .callpaths = &replay->callpaths,
                                        .cache = &own->cache,
                                        .sums = &own->sums,
                                        .went = went,
                                        .data = own};
    xtf_callpath_cache_init(&own->cache);
    return own;
}

static bool work(void *own, void *data, uint32_t first, uint32_t end, GError **error)
{
    XtfReplay *replay = data;

    for (uint32_t i = first; i < end; i++)
        if (!prepare(own, &replay->processes[i], error))
            return false;
    return true;
}

static void join(void *data, void *to)
{
    Own *own = data;

    xtf_callpath_cache_finish(&own->cache);
    xtf_callpath_totals_finish(&own->sums);
    g_free(own);
}

/* How much there is to do. */
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
    const XtfParallelWork how = {.step = 1, .begin = begin, .work = work, .join = join};

    count_rows(replay);
    return xtf_parallel(&how, replay, replay->n_processes, error);
}
