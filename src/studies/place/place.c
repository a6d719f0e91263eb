#include "src/studies/place/place.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "src/studies/place/place-private.h"

enum {
    RANDOM_STARTS = 8,
    DISTURBED_STARTS = 1000,
    DISTURBED_PART = 16,   /* of this many processes, one swaps its place with another process */
    LOOKED_MAX = 40000000, /* exchanges to look at before the last random start */
};

void xtf_place_blocks(uint32_t n, uint32_t n_nodes, uint32_t *nodes)
{
    uint32_t places = xtf_place_places(n, n_nodes);

    for (uint32_t i = 0; i < n; i++)
        nodes[i] = i / places;
}

void xtf_place_turns(uint32_t n, uint32_t n_nodes, uint32_t *nodes)
{
    for (uint32_t i = 0; i < n; i++)
        nodes[i] = i % n_nodes;
}

uint64_t xtf_place_remote(const XtfPlaceTraffic *traffic, uint64_t n_traffic, const uint32_t *nodes)
{
    unsigned __int128 bytes = 0;

    for (uint64_t i = 0; i < n_traffic; i++)
        if (nodes[traffic[i].from] != nodes[traffic[i].to])
            bytes += traffic[i].bytes;
    return bytes > UINT64_MAX ? UINT64_MAX : (uint64_t)bytes;
}

/* ---- Starts. */

/* State of the greedy start: the bytes of each process with the node that is filled, and with all processes. */
typedef struct {
    const XtfPlaceGraph *graph;
    uint32_t *nodes; /* UINT32_MAX: not placed yet */
    uint64_t *shared, *all;
    GArray *near; /* processes that share bytes with the node */
} Greedy;

/* True if process a is the better one to place next. */
static bool is_nearer(const Greedy *greedy, uint32_t a, uint32_t b)
{
    if (greedy->shared[a] != greedy->shared[b])
        return greedy->shared[a] > greedy->shared[b];
    return greedy->all[a] != greedy->all[b] ? greedy->all[a] > greedy->all[b] : a < b;
}

/* Takes the best process near the node; UINT32_MAX: there is none. */
static uint32_t take_nearest(Greedy *greedy)
{
    guint best = UINT32_MAX;

    for (guint i = 0; i < greedy->near->len; i++)
        if (best == UINT32_MAX ||
            is_nearer(greedy, g_array_index(greedy->near, uint32_t, i), g_array_index(greedy->near, uint32_t, best)))
            best = i;
    if (best == UINT32_MAX)
        return UINT32_MAX;
    uint32_t process = g_array_index(greedy->near, uint32_t, best);
    g_array_remove_index_fast(greedy->near, best);
    return process;
}

static void put_greedily(Greedy *greedy, uint32_t process, uint32_t node)
{
    const XtfPlaceGraph *graph = greedy->graph;

    greedy->nodes[process] = node;
    for (uint64_t e = graph->first[process]; e < graph->first[process + 1]; e++) {
        uint32_t peer = graph->edges[e].peer;
        if (greedy->nodes[peer] != UINT32_MAX)
            continue;
        if (greedy->shared[peer] == 0)
            g_array_append_val(greedy->near, peer);
        greedy->shared[peer] += graph->edges[e].bytes;
    }
}

static void begin_node(Greedy *greedy)
{
    for (guint i = 0; i < greedy->near->len; i++)
        greedy->shared[g_array_index(greedy->near, uint32_t, i)] = 0;
    g_array_set_size(greedy->near, 0);
}

static int compare_all(const void *a, const void *b, void *data)
{
    const Greedy *greedy = data;
    uint64_t x = greedy->all[*(const uint32_t *)a], y = greedy->all[*(const uint32_t *)b];

    return (x < y) - (x > y);
}

/* Fills one node after another. The first process of a node is the free one with the most bytes. Each next one shares
 * the most bytes with the node. */
static void place_greedily(const XtfPlaceGraph *graph, uint32_t n_nodes, uint32_t *nodes)
{
    const uint32_t n = graph->n, places = xtf_place_places(n, n_nodes);
    g_autofree uint64_t *shared = g_new0(uint64_t, (gsize)n + 1), *all = g_new0(uint64_t, (gsize)n + 1);
    g_autofree uint32_t *order = g_new(uint32_t, (gsize)n + 1);
    g_autoptr(GArray) near = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    Greedy greedy = {.graph = graph, .nodes = nodes, .shared = shared, .all = all, .near = near};

    for (uint32_t i = 0; i < n; i++) {
        nodes[i] = UINT32_MAX;
        order[i] = i;
        for (uint64_t e = graph->first[i]; e < graph->first[i + 1]; e++)
            all[i] += graph->edges[e].bytes;
    }
    g_qsort_with_data(order, (gint)n, sizeof *order, compare_all, &greedy);
    for (uint32_t placed = 0, next = 0; placed < n; placed++) {
        if (placed % places == 0)
            begin_node(&greedy);
        uint32_t process = take_nearest(&greedy);
        while (process == UINT32_MAX && nodes[order[next]] != UINT32_MAX)
            next++;
        put_greedily(&greedy, process == UINT32_MAX ? order[next] : process, placed / places);
    }
}

/* ---- The search. */

typedef struct {
    const XtfPlaceGraph *graph;
    uint32_t n_nodes;
    uint32_t *start, *best; /* placements */
    uint64_t bytes;         /* of the best one */
    uint64_t n_looked;      /* exchanges */
} Search;

/* Improves the start, and keeps it if it is the best one so far. */
static void try_start(Search *search)
{
    search->n_looked += xtf_place_improve(search->graph, search->n_nodes, search->start) + search->graph->n;
    uint64_t bytes = xtf_place_graph_remote(search->graph, search->start);
    if (bytes > search->bytes)
        return;
    search->bytes = bytes;
    memcpy(search->best, search->start, search->graph->n * sizeof *search->best);
}

static void swap_nodes(uint32_t *nodes, uint32_t i, uint32_t j)
{
    uint32_t node = nodes[i];

    nodes[i] = nodes[j];
    nodes[j] = node;
}

/* Sets the start to the placement by blocks in random order. */
static void place_randomly(Search *search, GRand *random)
{
    xtf_place_blocks(search->graph->n, search->n_nodes, search->start);
    for (uint32_t i = search->graph->n; i > 1; i--)
        swap_nodes(search->start, i - 1, (uint32_t)(g_rand_double(random) * i));
}

/* Sets the start to the best placement after random swaps. */
static void disturb(Search *search, GRand *random)
{
    uint32_t n = search->graph->n;

    memcpy(search->start, search->best, n * sizeof *search->start);
    for (uint32_t i = 0; i <= n / DISTURBED_PART; i++)
        swap_nodes(search->start, (uint32_t)(g_rand_double(random) * n), (uint32_t)(g_rand_double(random) * n));
}

static void try_random_starts(Search *search)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(1);

    for (unsigned i = 0; i < RANDOM_STARTS + DISTURBED_STARTS; i++) {
        if (search->bytes == 0 || search->n_looked > LOOKED_MAX)
            return;
        if (i < RANDOM_STARTS)
            place_randomly(search, random);
        else
            disturb(search, random);
        try_start(search);
    }
}

uint64_t xtf_place(const XtfPlaceTraffic *traffic, uint64_t n_traffic, uint32_t n, uint32_t n_nodes, uint32_t *nodes)
{
    g_autofree uint32_t *start = g_new(uint32_t, (gsize)n + 1);
    XtfPlaceGraph graph;

    n_nodes = MIN(n_nodes, MAX(n, 1)); /* more nodes would stay empty */
    xtf_place_graph_init(&graph, traffic, n_traffic, n);
    Search search = {.graph = &graph, .n_nodes = n_nodes, .start = start, .best = nodes, .bytes = UINT64_MAX};
    xtf_place_blocks(n, n_nodes, start);
    try_start(&search);
    xtf_place_turns(n, n_nodes, start);
    try_start(&search);
    place_greedily(&graph, n_nodes, start);
    try_start(&search);
    try_random_starts(&search);
    xtf_place_graph_finish(&graph);
    return xtf_place_remote(traffic, n_traffic, nodes);
}
