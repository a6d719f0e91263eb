#include "libxtf/trace.h"
#include "src/analysis/replay/replay-private.h"

#include "libxtf/error.h"
#include "libxtf/vocabulary.h"

/* ---- Creation. */

static bool nothing_is_reserved(const XtfSchema *schema)
{
    return false;
}

/* Adds the process of locations [from, to) of the table. */
static void add_process(XtfReplay *replay, const XtfLocations *locations, uint32_t from, uint32_t to)
{
    XtfProcess *process = &replay->processes[replay->n_processes];
    XtfKnownProcess *known = &replay->known[replay->n_processes++];
    uint64_t *ids = replay->ids + from;

    known->first_location = from;
    process->known = known;
    process->locations = ids;
    process->posted.few_words = 3;
    process->requests.few_words = 1;
    known->public = (XtfReplayProcess){
        .proc = locations->all[from].proc,
        .locations = ids,
        .n_locations = to - from,
        .first = UINT64_MAX,
    };
    for (uint32_t i = from; i < to; i++)
        ids[i - from] = locations->all[i].id;
}

static bool add_processes(XtfReplay *replay, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&replay->context, error);

    if (!locations)
        return false;
    replay->known = g_new0(XtfKnownProcess, locations->n_procs + 1);
    replay->ids = g_new(uint64_t, (size_t)locations->n + 1);
    replay->processes = xtf_paged_grow(&replay->paged_processes, (locations->n_procs + 1) * sizeof *replay->processes);
    replay->locations =
        xtf_paged_grow(&replay->paged_locations, ((size_t)locations->n + 1) * sizeof *replay->locations);
    for (uint32_t from = 0, to; from < locations->n; from = to) {
        for (to = from; to < locations->n && locations->all[to].proc == locations->all[from].proc;)
            to++;
        add_process(replay, locations, from, to);
        xtf_replay_page_out_sometimes(replay);
    }
    return true;
}

/* Finds the members of a communicator, unless it has two groups. All members must be processes of the trace, each only
 * once. */
static void find_members(XtfReplay *replay, uint32_t number)
{
    const XtfRanks *ranks = &replay->context.ranks;
    const uint8_t *row = ranks->comms->rows + (uint64_t)number * ranks->comms->schema->row_size;
    XtfComm *comm = &replay->comms[number];

    if (ranks->remote_group && !xtf_field_is_none(ranks->remote_group, row))
        return;
    comm->private = xtf_ranks_is_self(ranks, number);
    if (comm->private)
        return;
    g_autoptr(GArray) members = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_autofree bool *seen = g_new0(bool, replay->n_processes + 1);
    uint64_t proc;
    for (uint32_t rank = 0; xtf_ranks_proc(ranks, number, rank, 0, &proc); rank++) {
        uint32_t process = xtf_replay_process_number(replay, proc);
        if (process == UINT32_MAX || seen[process])
            return;
        seen[process] = true;
        g_array_append_val(members, process);
    }
    comm->n = members->len;
    comm->private = comm->n == 1;
    if (comm->n > 1)
        comm->members = (uint32_t *)(void *)g_array_free(g_steal_pointer(&members), FALSE);
}

static bool find_comms(XtfReplay *replay, GError **error)
{
    const XtfRanks *ranks = xtf_trace_context_ranks(&replay->context, error);

    if (!ranks)
        return false;
    replay->n_comms = ranks->comms ? (uint32_t)MIN(ranks->comms->n_rows, UINT32_MAX - 1) : 0;
    replay->comms = g_new0(XtfComm, replay->n_comms + 1);
    for (uint32_t i = 0; i < replay->n_comms; i++)
        find_members(replay, i);
    return true;
}

/* Creates a replay that has not read the records of the trace yet. */
static XtfReplay *create_replay(XtfTrace *trace, const XtfReplayOptions *options, GError **error)
{
    g_autoptr(XtfReplay) replay = g_new0(XtfReplay, 1);

    replay->trace = trace;
    replay->options = *options;
    replay->spool = XTF_SPOOL_NONE;
    g_mutex_init(&replay->lock);
    xtf_callpath_log_init(&replay->callpaths);
    for (unsigned i = 0; i < XTF_OPEN_TABLES; i++) {
        g_mutex_init(&replay->open[i].lock);
        replay->open[i].operations = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, xtf_operation_free);
    }
    if (!xtf_trace_context_init(&replay->context, trace, false, nothing_is_reserved, error))
        return NULL;
    xtf_replay_fields_init(&replay->fields, trace);
    replay->least_gap = xtf_replay_find_least_gap(xtf_trace_clock(trace));
    if (options->calls && !xtf_replay_call_types_init(&replay->types, &replay->context, error))
        return NULL;
    replay->types.factors = options->factors;
    if (!add_processes(replay, error) || !find_comms(replay, error) || !xtf_spool_open(&replay->spool, error))
        return NULL;
    replay->n_read = replay->n_processes;
    return g_steal_pointer(&replay);
}

/* Reads the records of all processes. */
static bool read_all(XtfReplay *replay, GError **error)
{
    if (!xtf_replay_prepare(replay, error))
        return false;
    xtf_replay_find_certain(replay);
    return xtf_replay_find_disputes(replay, error) && xtf_replay_pair_lossy(replay, error);
}

/* Reads the records of this rank's processes. */
static bool read_block(XtfReplay *replay, GError **error)
{
    unsigned rank = xtf_world_rank(replay->options.world);

    replay->first_read = replay->borders[rank];
    replay->n_read = replay->borders[rank + 1] - replay->first_read;
    return xtf_replay_prepare(replay, error);
}

/* Decides on messages and operations by the logs of all processes, which each rank then has. */
static bool compare_logs(XtfReplay *replay, GError **error)
{
    GError *own = NULL;

    if (!xtf_replay_exchange_logs(replay, error))
        return false;
    if (xtf_replay_find_disputes(replay, &own))
        xtf_replay_pair_lossy(replay, &own);
    return xtf_world_have_succeeded(replay->options.world, own, error);
}

/* Creates a replay in a rank of a job. Each rank reads its own processes. If records are missing, or members disagree
 * on operations, each rank gets the logs of all processes. If the first volumes of the trace were removed, each rank
 * reads all processes. */
static XtfReplay *create_in_ranks(XtfTrace *trace, const XtfReplayOptions *options, GError **error)
{
    bool reads_all = xtf_trace_kept_from(trace) > 0;
    GError *own = NULL;
    g_autoptr(XtfReplay) replay = create_replay(trace, options, &own);

    if (replay && xtf_replay_deal(replay, &own))
        (reads_all ? read_all : read_block)(replay, &own);
    if (!xtf_world_have_succeeded(options->world, own, error))
        return NULL;
    xtf_replay_forget_others(replay);
    if (reads_all)
        return g_steal_pointer(&replay);
    if (!xtf_replay_join_groups(replay, error))
        return NULL;
    xtf_replay_find_certain(replay);
    return !xtf_replay_needs_all_logs(replay) || compare_logs(replay, error) ? g_steal_pointer(&replay) : NULL;
}

XtfReplay *xtf_replay_new(XtfTrace *trace, const XtfReplayOptions *options, GError **error)
{
    g_autoptr(XtfReplay) replay =
        options->world ? create_in_ranks(trace, options, error) : create_replay(trace, options, error);

    if (!replay || (!options->world && !read_all(replay, error)))
        return NULL;
    xtf_replay_page_out(replay);
    return g_steal_pointer(&replay);
}

void xtf_replay_end_runs(XtfReplay *replay)
{
    xtf_replay_forget_run(replay);
    xtf_paged_free(&replay->paged_envelopes);
    replay->envelopes = NULL;
    xtf_paged_free(&replay->paged_processes);
    replay->processes = NULL;
    for (uint32_t i = 0; i < replay->n_comms; i++) {
        g_free(replay->comms[i].members);
        g_free(replay->comms[i].shares);
        g_clear_pointer(&replay->comms[i].disputes, g_array_unref);
    }
    g_clear_pointer(&replay->comms, g_free);
    replay->n_comms = 0;
    xtf_groups_finish(&replay->groups);
    g_clear_pointer(&replay->doubts, g_hash_table_unref);
    xtf_paged_free(&replay->paged_gaps);
    replay->gaps = NULL;
    g_clear_pointer(&replay->pairings, g_hash_table_unref);
    g_clear_pointer(&replay->removed, g_hash_table_unref);
}

void xtf_replay_free(XtfReplay *replay)
{
    if (!replay)
        return;
    xtf_replay_end_runs(replay);
    g_free(replay->ids);
    g_free(replay->known);
    g_free(replay->borders);
    xtf_paged_free(&replay->paged_locations);
    xtf_callpath_log_finish(&replay->callpaths);
    xtf_spool_close(&replay->spool);
    g_mutex_clear(&replay->lock);
    for (unsigned i = 0; i < XTF_OPEN_TABLES; i++) {
        g_hash_table_unref(replay->open[i].operations);
        g_mutex_clear(&replay->open[i].lock);
    }
    xtf_replay_fields_finish(&replay->fields);
    xtf_replay_call_types_finish(&replay->types);
    xtf_trace_context_finish(&replay->context);
    g_free(replay);
}
