/*
 * Wait-for graphs: which nodes can never continue.
 *
 * A node is free, has ended, or waits for other nodes, its targets: for all of them, or for any one of them. A waiting
 * node can continue when all of its targets can, or when any of them can. A free node can continue, and a node that has
 * ended never can. A node that can never continue is stuck: it has ended, or it waits for stuck nodes.
 *
 * A core is a set of stuck nodes that reach each other, and from which no other stuck node is reached. So each stuck
 * node leads to a core. A core of waiting nodes is a cycle or, with nodes that wait for any, a knot. A core may also be
 * one node that has ended.
 *
 * Source: the AND/OR model of E. Knapp, "Deadlock detection in distributed databases", ACM Computing Surveys 19(4),
 * 1987; for MPI: T. Hilbrich et al., "Distributed wait state tracking for runtime MPI deadlock detection", SC 2013.
 *
 * One thread uses a graph. A solution takes O(nodes + edges), the other functions constant time.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum {
    XTF_WAIT_NODE_FREE,
    XTF_WAIT_NODE_ENDED,
    XTF_WAIT_NODE_ALL, /* waits for all of its targets; free if it has none */
    XTF_WAIT_NODE_ANY, /* waits for any one of its targets; free if it has none */
} XtfWaitNodeKind;

#define XTF_WAIT_NO_CORE UINT32_MAX

typedef struct {
    XtfWaitNodeKind kind;
    uint32_t first_edge; /* index in `edges` of the newest edge from the node; UINT32_MAX: none */
    uint32_t n_edges;
    /* Set by xtf_wait_graph_solve(): */
    bool is_stuck;
    uint32_t core;     /* core to which a stuck node leads, from 0; XTF_WAIT_NO_CORE: the node is not stuck */
    uint32_t distance; /* number of edges from a stuck node to its core, on the shortest way; 0: it is in the core */
    uint32_t next;     /* next node on that way; in a core of several nodes: on a shortest cycle through it */
} XtfWaitNode;

typedef struct {
    GArray *nodes; /* XtfWaitNode */
    GArray *edges; /* private */
    uint32_t n_cores;
} XtfWaitGraph;

void xtf_wait_graph_init(XtfWaitGraph *graph);
void xtf_wait_graph_finish(XtfWaitGraph *graph); /* accepts all zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfWaitGraph, xtf_wait_graph_finish)

/* Adds a node and returns its number, from 0. */
uint32_t xtf_wait_graph_add(XtfWaitGraph *graph, XtfWaitNodeKind kind);
/* Lets node `from` wait for node `to`. Both exist. An edge that is added twice counts twice; that changes nothing. */
void xtf_wait_graph_wait(XtfWaitGraph *graph, uint32_t from, uint32_t to);
/* Finds the stuck nodes, their cores and ways. May be called again after changes. */
void xtf_wait_graph_solve(XtfWaitGraph *graph);

/* Returns the target of an edge, and sets *edge to the next edge from the same node; UINT32_MAX: it was the last one.
 */
uint32_t xtf_wait_graph_target(const XtfWaitGraph *graph, uint32_t *edge);

static inline XtfWaitNode *xtf_wait_graph_node(const XtfWaitGraph *graph, uint32_t number)
{
    return &g_array_index(graph->nodes, XtfWaitNode, number);
}
