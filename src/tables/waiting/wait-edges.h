/*
 * Builds the wait-for graph of a trace's end from open calls and counts; deadlock.h has the rules.
 */
#pragma once

#include "src/tables/waiting/exchange-counts.h"
#include "src/tables/waiting/wait-graph.h"

#define XTF_NO_WAIT_NODE UINT32_MAX

/* The targets of an open call. */
typedef struct {
    uint64_t example;   /* a process that the call waits for; UINT64_MAX: none */
    uint64_t n;         /* number of processes that the call waits for */
    bool any, unknown;  /* as in an XtfWaiting */
    uint64_t operation; /* of a collective call: number of the operations before it in its communicator; UINT64_MAX: the
                           call is of another kind */
} XtfWaitTargets;

typedef struct {
    XtfTraceContext *context;  /* borrowed */
    const XtfOpenCalls *calls; /* borrowed */
    const XtfRanks *ranks;     /* borrowed */
    XtfExchangeCounts counts;
    XtfWaitGraph graph;
    uint32_t *thread_nodes;  /* by index of the location; XTF_NO_WAIT_NODE: the thread has never called MPI */
    uint32_t *proc_nodes;    /* by index in locations->procs: node of the process's only thread, or one of its own */
    GArray *proc_of_node;    /* uint64_t by node: number of its process; UINT64_MAX: a shared node */
    GArray *open_nodes;      /* private: uint32_t, nodes of processes of which unknown threads may call MPI. They are
                              * free in the first solution alone */
    GHashTable *seen;        /* private: processes that the current call waits for */
    GHashTable *shared;      /* private: nodes for which several threads wait */
    XtfWaitTargets *targets; /* by index of the open call */
} XtfWaitEdges;

/* Builds the graph. Calls whose targets are unknown are free nodes, and so are processes of which unknown threads may
 * call MPI. They have an edge to all processes, which only the
 * second solution uses. Borrows `calls`. */
bool xtf_wait_edges_init(XtfWaitEdges *edges, XtfTraceContext *context, const XtfOpenCalls *calls, GError **error);
void xtf_wait_edges_finish(XtfWaitEdges *edges); /* accepts all zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfWaitEdges, xtf_wait_edges_finish)

/* Adds a node of a process; UINT64_MAX: a shared node. wait-nodes.c */
uint32_t xtf_wait_node_add(XtfWaitEdges *edges, XtfWaitNodeKind kind, uint64_t proc);
/* Adds the nodes of all threads and processes. wait-nodes.c */
void xtf_wait_nodes_add(XtfWaitEdges *edges);

/* Lets calls whose targets are unknown wait for any process, for a second solution. Processes with unknown threads then
 * wait for their known ones. */
void xtf_wait_edges_bind_unknown(XtfWaitEdges *edges);
