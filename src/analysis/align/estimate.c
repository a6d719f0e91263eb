#include "src/analysis/align/estimate.h"

#include <math.h>

#include "src/analysis/align/corridor.h"

enum {
    PAIRS_MAX = 1 << 16, /* most pairs of processes, of up to 1 KiB each; at least twice the number of processes */
};

typedef struct {
    uint64_t key;         /* lower process << 32 | higher process */
    XtfCorridor corridor; /* the higher process's clock minus the lower one's, each from its first record */
} Pair;

typedef struct {
    XtfReplay *replay;
    GHashTable *pairs;
    uint32_t most;
    Pair *last; /* the pair of the last look-up */
} Estimate;

/* The position of a clock relative to the reference: reference = offset + factor * own. Both times are relative to the
 * first records. */
typedef struct {
    long double doubt, offset, factor; /* total doubt of the path to the reference */
    uint32_t root;
    bool known;
} Place;

/* ---- Corridors. */

static void free_pair(gpointer data)
{
    Pair *pair = data;
    xtf_corridor_finish(&pair->corridor);
    g_free(pair);
}

static Pair *pair_of(Estimate *estimate, uint32_t low, uint32_t high)
{
    uint64_t key = (uint64_t)low << 32 | high;

    if (estimate->last && estimate->last->key == key)
        return estimate->last;
    Pair *pair = g_hash_table_lookup(estimate->pairs, &key);
    if (!pair) {
        if (g_hash_table_size(estimate->pairs) >= estimate->most)
            return NULL;
        pair = g_new0(Pair, 1);
        pair->key = key;
        g_hash_table_insert(estimate->pairs, &pair->key, pair);
    }
    return estimate->last = pair;
}

static int64_t relative_time(const Estimate *estimate, uint32_t process, uint64_t time)
{
    return (int64_t)(time - xtf_replay_process(estimate->replay, process)->first);
}

/* Adds a message, or a dependence like one, from a process at a time to an event. */
static void add_message(Estimate *estimate, uint32_t process, uint64_t time, const XtfReplayEvent *to)
{
    if (process == to->process)
        return;
    int64_t sent = relative_time(estimate, process, time), got = relative_time(estimate, to->process, to->time);
    bool upwards = process < to->process;
    Pair *pair = upwards ? pair_of(estimate, process, to->process) : pair_of(estimate, to->process, process);
    if (!pair)
        return;
    if (upwards)
        xtf_corridor_at_most(&pair->corridor, sent, got - sent);
    else
        xtf_corridor_at_least(&pair->corridor, got, sent - got);
}

static void add_begin(Estimate *estimate, const XtfReplayBegin *from, const XtfReplayEvent *to)
{
    add_message(estimate, from->process, from->time, to);
}

static uint64_t no_value(void *data, const XtfReplayEvent *at)
{
    return 0;
}

static void add_receive(void *data, const XtfReplayEvent *at, const XtfReplayMessage *message)
{
    add_message(data, message->send.process, message->send.time, at);
}

static void add_end(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank)
{
    const uint32_t n = collective->n_members, near[] = {(rank - 1) / 2, 2 * rank + 1, 2 * rank + 2};

    if (collective->pattern == XTF_REPLAY_ALL_TO_ONE) {
        for (uint32_t rank_needed = 0; rank == collective->root && rank_needed < n; rank_needed++)
            if (xtf_replay_needs(collective, rank, rank_needed))
                add_begin(data, &collective->members[rank_needed].begin, at);
        return;
    }
    uint32_t rank_needed = collective->pattern == XTF_REPLAY_ONE_TO_ALL ? collective->root : rank - 1;
    if (collective->pattern != XTF_REPLAY_ALL_TO_ALL) {
        if (rank_needed < n && xtf_replay_needs(collective, rank, rank_needed))
            add_begin(data, &collective->members[rank_needed].begin, at);
        return;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(near); i++)
        if ((rank > 0 || i > 0) && near[i] < n && xtf_replay_needs(collective, rank, near[i]))
            add_begin(data, &collective->members[near[i]].begin, at);
}

/* ---- Paths of the least doubt (E. W. Dijkstra, 1959). */

typedef struct {
    uint32_t to;
    bool upwards; /* to the higher process of the pair */
    XtfCorridorLine line;
} Edge;

typedef struct {
    long double doubt;
    uint32_t process;
} Candidate;

static void push_candidate(GArray *heap, Candidate candidate)
{
    g_array_append_val(heap, candidate);
    Candidate *all = (Candidate *)(void *)heap->data;
    guint i = heap->len - 1;
    for (; i > 0 && all[(i - 1) / 2].doubt > candidate.doubt; i = (i - 1) / 2)
        all[i] = all[(i - 1) / 2];
    all[i] = candidate;
}

static Candidate pop_candidate(GArray *heap)
{
    Candidate *all = (Candidate *)(void *)heap->data, first = all[0], last = all[heap->len - 1];
    guint n = heap->len - 1, i = 0;

    for (guint child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && all[child + 1].doubt < all[child].doubt;
        if (all[child].doubt >= last.doubt)
            break;
        all[i] = all[child];
    }
    all[i] = last;
    g_array_set_size(heap, n);
    return first;
}

static Place place_over(const Place *from, const Edge *edge)
{
    Place to = {.doubt = from->doubt + edge->line.doubt, .root = from->root};

    if (edge->upwards) { /* own = from + a + b from */
        to.factor = from->factor / (1 + edge->line.b);
        to.offset = from->offset - to.factor * edge->line.a;
    } else { /* from = own + a + b own */
        to.factor = from->factor * (1 + edge->line.b);
        to.offset = from->offset + from->factor * edge->line.a;
    }
    return to;
}

static void find_paths(GArray *const *edges, Place *places, uint32_t root)
{
    g_autoptr(GArray) heap = g_array_new(FALSE, FALSE, sizeof(Candidate));

    places[root] = (Place){.factor = 1, .root = root};
    push_candidate(heap, (Candidate){0, root});
    while (heap->len > 0) {
        Candidate next = pop_candidate(heap);
        Place *from = &places[next.process];
        if (from->known)
            continue;
        from->known = true;
        for (guint i = 0; edges[next.process] && i < edges[next.process]->len; i++) {
            const Edge *edge = &g_array_index(edges[next.process], Edge, i);
            Place to = place_over(from, edge);
            if (places[edge->to].known || places[edge->to].doubt <= to.doubt)
                continue;
            places[edge->to] = to;
            push_candidate(heap, (Candidate){to.doubt, edge->to});
        }
    }
}

static void add_edge(GArray **edges, uint32_t from, Edge edge)
{
    if (!edges[from])
        edges[from] = g_array_new(FALSE, FALSE, sizeof(Edge));
    g_array_append_val(edges[from], edge);
}

static Place *find_places(const Estimate *estimate, uint32_t n)
{
    g_autofree GArray **edges = g_new0(GArray *, n + 1);
    Place *places = g_new0(Place, n + 1);
    GHashTableIter pairs;
    gpointer data;

    g_hash_table_iter_init(&pairs, estimate->pairs);
    while (g_hash_table_iter_next(&pairs, NULL, &data)) {
        const Pair *pair = data;
        uint32_t low = (uint32_t)(pair->key >> 32), high = (uint32_t)pair->key;
        uint64_t first = xtf_replay_process(estimate->replay, low)->first;
        XtfCorridorLine line = xtf_corridor_line(&pair->corridor, -(long double)relative_time(estimate, high, first));
        add_edge(edges, low, (Edge){high, true, line});
        add_edge(edges, high, (Edge){low, false, line});
    }
    for (uint32_t i = 0; i < n; i++)
        places[i].doubt = INFINITY;
    for (uint32_t i = 0; i < n; i++)
        if (!places[i].known)
            find_paths(edges, places, i);
    for (uint32_t i = 0; i < n; i++)
        if (edges[i])
            g_array_unref(edges[i]);
    return places;
}

/* ---- Maps. */

/* Finds the times of a process's first and last record on its root's clock, relative to the root's first record. */
static void span_of(const XtfReplayProcess *process, const Place *place, long double *first, long double *last)
{
    const long double most = 1.0L / XTF_CORRIDOR_SLOPE;
    long double run = (long double)(process->last - process->first);
    long double factor = 1 + fminl(fmaxl(place->factor - 1, -most), most);
    long double middle = place->offset + place->factor * run / 2;

    *first = roundl(middle - factor * run / 2);
    *last = roundl(middle + factor * run / 2);
}

static void make_maps(const Estimate *estimate, const Place *places, XtfProcessClocks *clocks)
{
    uint32_t n = clocks->n;
    g_autofree long double *forward = g_new0(long double, n + 1); /* by root: ticks by which its set moves forward */
    g_autofree uint32_t *members = g_new0(uint32_t, n + 1);
    long double first, last;

    for (uint32_t i = 0; i < n; i++) {
        const XtfReplayProcess *process = xtf_replay_process(estimate->replay, i);
        uint32_t root = places[i].root;
        members[root]++;
        if (process->first > process->last)
            continue;
        span_of(process, &places[i], &first, &last);
        forward[root] = fmaxl(forward[root], -(first + (long double)xtf_replay_process(estimate->replay, root)->first));
    }
    for (uint32_t i = 0; i < n; i++) {
        const XtfReplayProcess *process = xtf_replay_process(estimate->replay, i);
        uint32_t root = places[i].root;
        if (members[root] == 1 || process->first > process->last)
            continue;
        span_of(process, &places[i], &first, &last);
        GArray *knots = g_array_new(FALSE, TRUE, sizeof(XtfClockKnot));
        uint64_t begin = xtf_replay_process(estimate->replay, root)->first + (uint64_t)(int64_t)(first + forward[root]);
        XtfClockKnot from = {.local = process->first, .global = begin};
        XtfClockKnot to = {.local = process->last, .global = begin + (uint64_t)(int64_t)(last - first)};
        g_array_append_val(knots, from);
        if (to.local > from.local)
            g_array_append_val(knots, to);
        xtf_process_clocks_set(clocks, i, knots);
    }
}

bool xtf_estimate_clocks(XtfReplay *replay, XtfProcessClocks *clocks, uint64_t *n_pairs, GError **error)
{
    uint32_t n = xtf_replay_n_processes(replay);
    g_autoptr(GHashTable) pairs = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, free_pair);
    Estimate estimate = {.replay = replay, .pairs = pairs, .most = MAX((uint32_t)PAIRS_MAX, 2 * n)};
    const XtfReplayConsumer consumer = {
        .data = &estimate, .send = no_value, .begin = no_value, .receive = add_receive, .end = add_end};
    XtfReplayCounts counts;

    if (!xtf_replay_run(replay, &consumer, &counts, error))
        return false;
    g_autofree Place *places = find_places(&estimate, n);
    xtf_process_clocks_init(clocks, n);
    make_maps(&estimate, places, clocks);
    *n_pairs = g_hash_table_size(pairs);
    return true;
}
