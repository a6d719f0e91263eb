/*
 * Queries of a replay, which it answers with and without runs.
 */
#include "libxtf/error.h"
#include "src/analysis/replay/replay-private.h"

enum {
    TIMES_BUFFER = 16 << 10, /* bytes of the buffer of a reader of times */
    GROUPS_MAX = INT32_MAX,  /* fewer than this many groups of messages fit */
};

uint32_t xtf_replay_n_processes(const XtfReplay *replay)
{
    return replay->n_processes;
}

void xtf_replay_bounds(const XtfReplay *replay, uint32_t process, uint32_t location, XtfReplayBounds *bounds)
{
    const XtfReplayLocation *of = &replay->locations[replay->known[process].first_location + location];

    *bounds = (XtfReplayBounds){.init = of->init,
                                .finalize = of->finalize,
                                .outside = of->outside,
                                .begin = of->begin,
                                .end = of->end,
                                .clock = of->clock,
                                .calls = of->calls};
    xtf_replay_page_out_locations(replay, of);
}

XtfWorld *xtf_replay_world(const XtfReplay *replay)
{
    return replay->options.world;
}

const uint32_t *xtf_replay_members(const XtfReplay *replay, uint32_t comm, uint32_t *n)
{
    const uint32_t *members = comm < replay->n_comms ? replay->comms[comm].members : NULL;

    *n = members ? replay->comms[comm].n : 0;
    return members;
}

XtfRunWindow xtf_replay_window(const XtfReplay *replay)
{
    return replay->options.window;
}

XtfTraceContext *xtf_replay_context(XtfReplay *replay)
{
    return &replay->context;
}

const XtfReplayCallTypes *xtf_replay_call_types(const XtfReplay *replay)
{
    return &replay->types;
}

const XtfReplayProcess *xtf_replay_process(const XtfReplay *replay, uint32_t number)
{
    return &replay->known[number].public;
}

uint32_t *xtf_replay_first_locations(const XtfReplay *replay)
{
    uint32_t *first = g_new(uint32_t, (gsize)replay->n_processes + 1), end = 0;

    for (uint32_t i = 0; i < replay->n_processes; i++) {
        first[i] = replay->known[i].first_location;
        end = first[i] + replay->known[i].public.n_locations;
    }
    first[replay->n_processes] = end;
    return first;
}

bool xtf_replay_has_few_groups(const XtfReplay *replay, GError **error)
{
    return replay->groups.n < GROUPS_MAX ||
           xtf_fail(error, XTF_ERROR_TOO_LARGE,
                    "an analysis allows fewer than %d groups of messages by communicator, sender, receiver and tag",
                    GROUPS_MAX);
}

uint32_t *xtf_replay_divide_by(const uint64_t *weights, uint32_t n_processes, uint32_t n)
{
    uint32_t *borders = g_new(uint32_t, n + 1), share = 0;
    uint64_t total = 0, before = 0;

    for (uint32_t i = 0; i < n_processes; i++)
        total += weights[i] + 1;
    for (uint32_t i = 0; i < n_processes; i++) {
        uint32_t left = n_processes - i;
        if (share < n && (before * n >= total * share || left <= n - share))
            borders[share++] = i;
        before += weights[i] + 1;
    }
    while (share <= n)
        borders[share++] = n_processes;
    return borders;
}

uint32_t *xtf_replay_divide(const XtfReplay *replay, uint32_t n)
{
    if (replay->borders)
        return g_memdup2(replay->borders, (n + 1) * sizeof *replay->borders);
    g_autofree uint64_t *weights = g_new(uint64_t, (size_t)replay->n_processes + 1);
    for (uint32_t i = 0; i < replay->n_processes; i++)
        weights[i] = replay->processes[i].log.bytes;
    return xtf_replay_divide_by(weights, replay->n_processes, n);
}

XtfReplayLocal xtf_replay_local(const XtfReplay *replay, uint32_t n)
{
    const XtfWorld *world = replay->options.world;

    return world ? (XtfReplayLocal){xtf_world_rank(world), 1} : (XtfReplayLocal){0, n};
}

/* Searches the processes, which are in the order of `proc`. */
uint32_t xtf_replay_process_number(const XtfReplay *replay, uint64_t proc)
{
    uint32_t low = 0, high = replay->n_processes;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (replay->known[middle].public.proc < proc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < replay->n_processes && replay->known[low].public.proc == proc ? low : UINT32_MAX;
}

/* ---- Time by call path. */

XtfCallpathLog *xtf_replay_callpaths(XtfReplay *replay)
{
    return &replay->callpaths;
}

void xtf_replay_times_init(XtfReplayTimes *times, const XtfReplay *replay, uint32_t location)
{
    const XtfReplayLocation *of = &replay->locations[location];

    *times = (XtfReplayTimes){0};
    xtf_log_reader_init(&times->reader, &replay->spool, &of->times, TIMES_BUFFER);
    xtf_replay_page_out_locations(replay, of);
}

void xtf_replay_times_finish(XtfReplayTimes *times)
{
    xtf_log_reader_finish(&times->reader);
}

bool xtf_replay_times_until(XtfReplayTimes *times, uint64_t seq, XtfCallpathTotals *sums, GError **error)
{
    for (;;) {
        if (!times->ahead) {
            if (!xtf_log_next(&times->reader, &times->ahead, &times->end, error))
                return false;
            if (!times->ahead)
                return true;
            times->seq += xtf_log_get_near(&times->ahead);
        }
        if (times->seq > seq)
            return true;
        for (const uint8_t *at = times->ahead; at < times->end;) {
            uint32_t callpath = (uint32_t)xtf_log_get(&at) - 1;
            xtf_callpath_totals_add(sums, callpath, xtf_log_get(&at));
        }
        times->ahead = NULL;
    }
}
