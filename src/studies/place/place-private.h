/*
 * The graph of processes that exchange bytes, and exchanges of places in it.
 */
#pragma once

#include "src/studies/place/place.h"

typedef struct {
    uint32_t peer;
    uint64_t bytes; /* in both directions */
} XtfPlaceEdge;

/* Edges of process i are first[i] up to first[i + 1], without it, by peer. All bytes together are below 2^62: larger
 * traffic is divided by a power of two. */
typedef struct {
    uint32_t n;
    uint64_t *first;
    XtfPlaceEdge *edges;
} XtfPlaceGraph;

void xtf_place_graph_init(XtfPlaceGraph *graph, const XtfPlaceTraffic *traffic, uint64_t n_traffic, uint32_t n);
void xtf_place_graph_finish(XtfPlaceGraph *graph);
/* Returns twice the bytes between nodes. */
uint64_t xtf_place_graph_remote(const XtfPlaceGraph *graph, const uint32_t *nodes);

/* Improves a placement until no exchange saves bytes. Returns the number of exchanges that it has compared. */
uint64_t xtf_place_improve(const XtfPlaceGraph *graph, uint32_t n_nodes, uint32_t *nodes);

/* Returns the places of a node. */
static inline uint32_t xtf_place_places(uint32_t n, uint32_t n_nodes)
{
    return n / n_nodes + (n % n_nodes > 0);
}
