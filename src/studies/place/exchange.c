/*
 * Exchanges of places. Three sums give the bytes that an exchange saves. They are what a process shares with its own
 * node, with the other node, and with the process that it swaps with.
 */
#include <glib.h>
#include <stdbool.h>

#include "src/studies/place/place-private.h"

enum {
    SEARCHES_MAX = 1000,
    SHARED_MAX = 1 << 22, /* sums of processes and nodes to keep */
};

/* A node's processes, in no order. */
typedef struct {
    uint32_t *members;
    uint32_t n;
} Node;

typedef struct {
    const XtfPlaceGraph *graph;
    uint32_t n_nodes, places;
    uint32_t *nodes;   /* by process: the placement */
    uint32_t *at;      /* by process: its index in its node's members */
    uint32_t *members; /* of all nodes */
    Node *all;
    uint64_t *shared; /* bytes of each process with each node: [process * n_nodes + node]; NULL: too many */
    /* For one process: bytes with each node, and with each process. All zeros in between. */
    uint64_t *with_node, *with_process;
    GArray *touched; /* nodes with bytes */
    uint64_t n_looked;
} Exchange;

/* An exchange: `peer` is UINT32_MAX for a move to a free place. */
typedef struct {
    int64_t saved;
    uint32_t peer, node;
} Swap;

static void assign_process(Exchange *exchange, uint32_t process, uint32_t number)
{
    Node *node = &exchange->all[number];

    exchange->nodes[process] = number;
    exchange->at[process] = node->n;
    node->members[node->n++] = process;
}

static void unassign_process(Exchange *exchange, uint32_t process)
{
    Node *node = &exchange->all[exchange->nodes[process]];
    uint32_t last = node->members[--node->n];

    node->members[exchange->at[process]] = last;
    exchange->at[last] = exchange->at[process];
}

/* Returns the bytes that a process shares with a node. */
static uint64_t bytes_with(const Exchange *exchange, uint32_t process, uint32_t node)
{
    const XtfPlaceGraph *graph = exchange->graph;
    uint64_t bytes = 0;

    if (exchange->shared)
        return exchange->shared[(gsize)process * exchange->n_nodes + node];
    for (uint64_t e = graph->first[process]; e < graph->first[process + 1]; e++)
        if (exchange->nodes[graph->edges[e].peer] == node)
            bytes += graph->edges[e].bytes;
    return bytes;
}

static void sum_bytes(Exchange *exchange, uint32_t process)
{
    const XtfPlaceGraph *graph = exchange->graph;

    for (uint64_t e = graph->first[process]; e < graph->first[process + 1]; e++) {
        const XtfPlaceEdge *edge = &graph->edges[e];
        uint32_t node = exchange->nodes[edge->peer];
        if (exchange->with_node[node] == 0)
            g_array_append_val(exchange->touched, node);
        exchange->with_node[node] += edge->bytes;
        exchange->with_process[edge->peer] = edge->bytes;
    }
}

static void clear_sums(Exchange *exchange, uint32_t process)
{
    const XtfPlaceGraph *graph = exchange->graph;

    for (guint i = 0; i < exchange->touched->len; i++)
        exchange->with_node[g_array_index(exchange->touched, uint32_t, i)] = 0;
    for (uint64_t e = graph->first[process]; e < graph->first[process + 1]; e++)
        exchange->with_process[graph->edges[e].peer] = 0;
    g_array_set_size(exchange->touched, 0);
}

/* Compares the exchanges with one node with the best one so far. */
static void search_node(Exchange *exchange, uint32_t process, uint32_t number, Swap *best)
{
    const uint32_t own = exchange->nodes[process];
    const Node *node = &exchange->all[number];
    const int64_t moved = (int64_t)exchange->with_node[number] - (int64_t)exchange->with_node[own];

    exchange->n_looked += node->n;
    if (node->n < exchange->places && moved > best->saved)
        *best = (Swap){.saved = moved, .peer = UINT32_MAX, .node = number};
    for (uint32_t i = 0; i < node->n; i++) {
        uint32_t peer = node->members[i];
        int64_t saved = moved - 2 * (int64_t)exchange->with_process[peer];
        saved += (int64_t)bytes_with(exchange, peer, own) - (int64_t)bytes_with(exchange, peer, number);
        if (saved > best->saved)
            *best = (Swap){.saved = saved, .peer = peer, .node = number};
    }
}

/* Moves a process from one node to another in the sums of the processes that it exchanges bytes with. */
static void update_shared(Exchange *exchange, uint32_t process, uint32_t from, uint32_t to)
{
    const XtfPlaceGraph *graph = exchange->graph;

    for (uint64_t e = graph->first[process]; exchange->shared && e < graph->first[process + 1]; e++) {
        uint64_t *shared = exchange->shared + (gsize)graph->edges[e].peer * exchange->n_nodes;
        shared[from] -= graph->edges[e].bytes;
        shared[to] += graph->edges[e].bytes;
    }
}

static void swap_places(Exchange *exchange, uint32_t process, const Swap *swap)
{
    uint32_t own = exchange->nodes[process];

    unassign_process(exchange, process);
    if (swap->peer != UINT32_MAX) {
        unassign_process(exchange, swap->peer);
        assign_process(exchange, swap->peer, own);
        update_shared(exchange, swap->peer, swap->node, own);
    }
    assign_process(exchange, process, swap->node);
    update_shared(exchange, process, own, swap->node);
}

/* Makes the best exchange of a process. False: none saves bytes. */
static bool improve_process(Exchange *exchange, uint32_t process)
{
    Swap best = {.saved = 0};

    sum_bytes(exchange, process);
    for (guint i = 0; i < exchange->touched->len; i++) {
        uint32_t node = g_array_index(exchange->touched, uint32_t, i);
        if (node != exchange->nodes[process])
            search_node(exchange, process, node, &best);
    }
    clear_sums(exchange, process);
    if (best.saved == 0)
        return false;
    swap_places(exchange, process, &best);
    return true;
}

/* Returns the bytes of each process with each node; NULL if they are too many to keep. The caller frees them. */
static uint64_t *sum_shared(const XtfPlaceGraph *graph, uint32_t n_nodes, const uint32_t *nodes)
{
    if ((uint64_t)graph->n * n_nodes > SHARED_MAX)
        return NULL;
    uint64_t *shared = g_new0(uint64_t, (gsize)graph->n * n_nodes + 1);
    for (uint32_t i = 0; i < graph->n; i++)
        for (uint64_t e = graph->first[i]; e < graph->first[i + 1]; e++)
            shared[(gsize)i * n_nodes + nodes[graph->edges[e].peer]] += graph->edges[e].bytes;
    return shared;
}

uint64_t xtf_place_improve(const XtfPlaceGraph *graph, uint32_t n_nodes, uint32_t *nodes)
{
    const uint32_t n = graph->n, places = xtf_place_places(n, n_nodes);
    g_autofree uint32_t *at = g_new(uint32_t, (gsize)n + 1), *members = g_new(uint32_t, (gsize)n_nodes * places + 1);
    g_autofree Node *all = g_new0(Node, n_nodes);
    g_autofree uint64_t *shared = sum_shared(graph, n_nodes, nodes);
    g_autofree uint64_t *with_node = g_new0(uint64_t, n_nodes), *with_process = g_new0(uint64_t, (gsize)n + 1);
    g_autoptr(GArray) touched = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    Exchange exchange = {.graph = graph,
                         .n_nodes = n_nodes,
                         .places = places,
                         .nodes = nodes,
                         .at = at,
                         .members = members,
                         .all = all,
                         .shared = shared,
                         .with_node = with_node,
                         .with_process = with_process,
                         .touched = touched};

    for (uint32_t i = 0; i < n_nodes; i++)
        all[i].members = members + (gsize)i * places;
    for (uint32_t i = 0; i < n; i++)
        assign_process(&exchange, i, nodes[i]);
    for (unsigned search = 0, improved = 1; improved && search < SEARCHES_MAX; search++) {
        improved = 0;
        for (uint32_t i = 0; i < n; i++)
            improved |= improve_process(&exchange, i);
    }
    return exchange.n_looked;
}
