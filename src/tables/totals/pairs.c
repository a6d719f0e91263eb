#include "src/tables/totals/pairs.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEPT_BYTES = 8 << 20,
    KEPT_COUNTS = 16,
};

bool xtf_pair_finder_init(XtfPairFinder *finder, XtfTraceContext *context, const XtfAggregateRef *ref,
                          const XtfNumberSet *peers, GError **error)
{
    *finder = (XtfPairFinder){.context = context, .ref = ref, .peers = peers};
    finder->locations = xtf_trace_context_locations(context, error);
    if (!finder->locations || !(finder->ranks = xtf_trace_context_ranks(context, error)))
        return false;
    finder->groups = xtf_group_totals_new(ref->aggregate, xtf_pair_finder_depth(finder));
    return true;
}

void xtf_pair_finder_finish(XtfPairFinder *finder)
{
    g_clear_pointer(&finder->groups, xtf_group_totals_free);
}

unsigned xtf_pair_finder_depth(const XtfPairFinder *finder)
{
    const XtfAggregateRef *ref = finder->ref;
    return MAX(ref->peer + 1, ref->comm == XTF_KEY_NONE ? 0 : ref->comm + 1);
}

/* Finds the peer process of a group's key. Without communicators, ranks are processes. Returns false if the peer is
 * unknown. */
static bool find_peer_process(const XtfPairFinder *finder, const uint64_t *key, uint64_t proc, uint64_t *peer)
{
    const XtfAggregateRef *ref = finder->ref;
    uint64_t rank = key[ref->peer];

    if (xtf_key_is_none(xtf_aggregate_ref_key(ref, ref->peer), rank))
        return false;
    if (ref->comm == XTF_KEY_NONE || !finder->ranks->comms) {
        *peer = rank;
        return true;
    }
    return !xtf_key_is_none(xtf_aggregate_ref_key(ref, ref->comm), key[ref->comm]) &&
           xtf_ranks_proc(finder->ranks, key[ref->comm], rank, proc, peer);
}

bool xtf_pair_finder_peer(const XtfPairFinder *finder, const uint64_t *key, uint64_t proc, uint64_t *peer)
{
    const XtfLocations *locations = finder->locations;

    return find_peer_process(finder, key, proc, peer) && xtf_number_set_contains(finder->peers, *peer) &&
           bsearch(peer, locations->procs, locations->n_procs, sizeof *peer, xtf_compare_numbers);
}

static bool add_location_groups(XtfPairFinder *finder, const XtfLocation *location, GError **error)
{
    const XtfAggregateRef *ref = finder->ref;
    XtfArray array;
    bool found;

    return xtf_trace_find_array(finder->context->trace, location->id, ref->schema->id, &array, &found, error) &&
           (!found || xtf_array_totals(&array, ref->number, NULL, 0, UINT64_MAX, finder->groups, error));
}

/* Finds the peers; each number once, ascending. */
GArray *xtf_pair_finder_find(XtfPairFinder *finder, uint64_t proc, GError **error)
{
    const XtfLocations *locations = finder->locations;
    g_autoptr(GArray) peers = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    uint64_t peer;

    xtf_group_totals_clear(finder->groups);
    for (uint32_t i = xtf_locations_of_proc(locations, proc); i < locations->n && locations->all[i].proc == proc; i++) {
        if (!add_location_groups(finder, &locations->all[i], error))
            return NULL;
    }
    for (uint32_t i = 0; i < xtf_group_totals_n(finder->groups); i++) {
        if (xtf_pair_finder_peer(finder, xtf_group_totals_key(finder->groups, i), proc, &peer))
            g_array_append_val(peers, peer);
    }
    g_array_set_size(peers, xtf_sort_distinct((uint64_t *)(void *)peers->data, peers->len));
    return g_steal_pointer(&peers);
}

/* ---- Cache of numbers of pairs. */

#define UNKNOWN UINT64_MAX

typedef struct {
    XtfKept kept;
    const XtfSchema *schema; /* schema of the messages */
    XtfNumberSet *peers;
    uint32_t n_procs;
    uint64_t *of_process; /* by index in locations->procs; UNKNOWN: not counted yet */
} Counts;

static Counts *counts_new(const XtfPairFinder *finder)
{
    Counts *counts = g_new0(Counts, 1);

    counts->schema = finder->ref->schema;
    counts->peers = xtf_number_set_ref((XtfNumberSet *)finder->peers);
    counts->n_procs = finder->locations->n_procs;
    return counts;
}

static void counts_free(void *data)
{
    Counts *counts = data;
    xtf_number_set_unref(counts->peers);
    g_free(counts->of_process);
    g_free(counts);
}

static gboolean counts_equal(const void *item, const void *wanted)
{
    const Counts *a = item, *b = wanted;
    return a->schema == b->schema && xtf_number_set_equal(a->peers, b->peers);
}

/* Leaves the counts as they are. The method makes the keeper give them to one thread at a time, which adds to them. */
static void counts_reuse(void *item, const void *wanted)
{
}

void xtf_pair_counts_init(XtfKeeper *counts)
{
    static const XtfKeeperMethods methods = {.equal = counts_equal, .reuse = counts_reuse, .free = counts_free};
    xtf_keeper_init(counts, &methods, KEPT_BYTES, KEPT_COUNTS);
}

static bool count_pairs(Counts *counts, XtfPairFinder *finder, const XtfSelectedLocations *selected, uint64_t *out,
                        GError **error)
{
    const uint64_t *procs = finder->locations->procs;

    for (uint32_t i = 0, j = 0; i < selected->n_procs; i++) { /* both lists of processes ascend */
        while (procs[j] != selected->procs[i].proc)
            j++;
        if (counts->of_process[j] == UNKNOWN) {
            g_autoptr(GArray) peers = xtf_pair_finder_find(finder, procs[j], error);
            if (!peers)
                return false;
            counts->of_process[j] = peers->len;
        }
        out[i] = counts->of_process[j];
    }
    return true;
}

uint64_t *xtf_pair_counts_get(XtfKeeper *keeper, XtfPairFinder *finder, const XtfSelectedLocations *selected,
                              GError **error)
{
    g_autofree uint64_t *out = g_new(uint64_t, selected->n_procs + 1);
    Counts *counts = xtf_keeper_take(keeper, counts_new(finder));
    size_t bytes = counts->n_procs * sizeof *counts->of_process;

    if (!counts->of_process) {
        counts->of_process = g_malloc(bytes);
        memset(counts->of_process, 0xff, bytes);
    }
    bool good = count_pairs(counts, finder, selected, out, error);
    xtf_keeper_put(keeper, counts, sizeof *counts + bytes, true);
    return good ? g_steal_pointer(&out) : NULL;
}
