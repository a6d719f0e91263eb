#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "src/studies/place/place-private.h"

/* Returns the power of two by which bytes are divided, so that sums stay below 2^62. */
static unsigned find_shift(const XtfPlaceTraffic *traffic, uint64_t n_traffic)
{
    unsigned __int128 sum = 0;
    unsigned shift = 0;

    for (uint64_t i = 0; i < n_traffic; i++)
        sum += traffic[i].bytes;
    while (sum >> shift >= UINT64_C(1) << 61)
        shift++;
    return shift;
}

static int compare_peers(const void *a, const void *b)
{
    const XtfPlaceEdge *x = a, *y = b;

    return (x->peer > y->peer) - (x->peer < y->peer);
}

/* Joins edges of a process with the same peer. Returns their number. */
static uint64_t join_edges(XtfPlaceEdge *edges, uint64_t n)
{
    uint64_t kept = 0;

    qsort(edges, n, sizeof *edges, compare_peers);
    for (uint64_t i = 0; i < n; i++)
        if (kept > 0 && edges[kept - 1].peer == edges[i].peer)
            edges[kept - 1].bytes += edges[i].bytes;
        else
            edges[kept++] = edges[i];
    return kept;
}

/* Fills the edges of both ends. `ends` has the next free edge of each process. */
static void fill_edges(XtfPlaceGraph *graph, const XtfPlaceTraffic *traffic, uint64_t n_traffic, unsigned shift,
                       uint64_t *ends)
{
    for (uint64_t i = 0; i < n_traffic; i++) {
        const XtfPlaceTraffic *of = &traffic[i];
        if (of->from == of->to || of->bytes >> shift == 0)
            continue;
        graph->edges[ends[of->from]++] = (XtfPlaceEdge){.peer = of->to, .bytes = of->bytes >> shift};
        graph->edges[ends[of->to]++] = (XtfPlaceEdge){.peer = of->from, .bytes = of->bytes >> shift};
    }
}

void xtf_place_graph_init(XtfPlaceGraph *graph, const XtfPlaceTraffic *traffic, uint64_t n_traffic, uint32_t n)
{
    const unsigned shift = find_shift(traffic, n_traffic);
    g_autofree uint64_t *ends = g_new0(uint64_t, (gsize)n + 1);
    uint64_t kept = 0;

    *graph = (XtfPlaceGraph){.n = n, .first = g_new0(uint64_t, (gsize)n + 1)};
    for (uint64_t i = 0; i < n_traffic; i++) {
        graph->first[traffic[i].from]++;
        graph->first[traffic[i].to]++;
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i <= n; i++) {
        uint64_t count = graph->first[i];
        graph->first[i] = ends[i] = sum;
        sum += i < n ? count : 0;
    }
    graph->edges = g_new(XtfPlaceEdge, sum + 1);
    fill_edges(graph, traffic, n_traffic, shift, ends);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t joined = join_edges(graph->edges + graph->first[i], ends[i] - graph->first[i]);
        memmove(graph->edges + kept, graph->edges + graph->first[i], joined * sizeof *graph->edges);
        graph->first[i] = kept;
        kept += joined;
    }
    graph->first[n] = kept;
}

void xtf_place_graph_finish(XtfPlaceGraph *graph)
{
    g_clear_pointer(&graph->first, g_free);
    g_clear_pointer(&graph->edges, g_free);
}

uint64_t xtf_place_graph_remote(const XtfPlaceGraph *graph, const uint32_t *nodes)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < graph->n; i++)
        for (uint64_t e = graph->first[i]; e < graph->first[i + 1]; e++)
            if (nodes[i] != nodes[graph->edges[e].peer])
                bytes += graph->edges[e].bytes;
    return bytes;
}
