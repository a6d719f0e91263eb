/* Nodes of threads and processes in the wait-for graph of a trace's end. */
#include "src/tables/waiting/wait-edges.h"

uint32_t xtf_wait_node_add(XtfWaitEdges *edges, XtfWaitNodeKind kind, uint64_t proc)
{
    g_array_append_val(edges->proc_of_node, proc);
    return xtf_wait_graph_add(&edges->graph, kind);
}

static void add_thread_node(XtfWaitEdges *edges, uint32_t location)
{
    static const XtfWaitNodeKind kinds[] = {[XTF_THREAD_RUNS] = XTF_WAIT_NODE_FREE,
                                            [XTF_THREAD_WAITS] = XTF_WAIT_NODE_FREE,
                                            [XTF_THREAD_ENDED] = XTF_WAIT_NODE_ENDED};
    XtfThreadState state = edges->calls->states[location];

    edges->thread_nodes[location] =
        state == XTF_THREAD_SILENT
            ? XTF_NO_WAIT_NODE
            : xtf_wait_node_add(edges, kinds[state], edges->calls->locations->all[location].proc);
}

/* True if a thread of a process may call MPI of which the trace has no record: pthread_create() alone is recorded. The
 * level is then MPI_THREAD_MULTIPLE, or that of a session. */
static bool has_unknown_threads(const XtfWaitEdges *edges, uint64_t proc)
{
    const XtfStatedLevel *level = g_hash_table_lookup(edges->calls->levels, &proc);

    return level && (level->level == XTF_LEVEL_MULTIPLE || level->level == XTF_LEVEL_UNKNOWN);
}

/* Adds the node of a process, whose threads are [first, end). */
static uint32_t add_proc_node(XtfWaitEdges *edges, uint32_t first, uint32_t end)
{
    uint64_t proc = edges->calls->locations->all[first].proc;
    bool is_open = false;
    uint32_t only = XTF_NO_WAIT_NODE, n = 0;

    for (uint32_t i = first; i < end; i++) {
        if (edges->thread_nodes[i] == XTF_NO_WAIT_NODE)
            continue;
        only = edges->thread_nodes[i];
        is_open |=
            xtf_wait_graph_node(&edges->graph, only)->kind != XTF_WAIT_NODE_ENDED && has_unknown_threads(edges, proc);
        n++;
    }
    if (n == 1 && !is_open)
        return only;
    uint32_t node = xtf_wait_node_add(edges, n == 0 || is_open ? XTF_WAIT_NODE_FREE : XTF_WAIT_NODE_ANY, proc);
    if (n > 0 && is_open)
        g_array_append_val(edges->open_nodes, node);
    for (uint32_t i = first; i < end && n > 0; i++)
        if (edges->thread_nodes[i] != XTF_NO_WAIT_NODE)
            xtf_wait_graph_wait(&edges->graph, node, edges->thread_nodes[i]);
    return node;
}

void xtf_wait_nodes_add(XtfWaitEdges *edges)
{
    const XtfLocations *locations = edges->calls->locations;
    uint32_t proc = 0, first = 0;

    for (uint32_t i = 0; i < locations->n; i++)
        add_thread_node(edges, i);
    for (uint32_t i = 1; i <= locations->n; i++) {
        if (i < locations->n && locations->all[i].proc == locations->all[first].proc)
            continue;
        edges->proc_nodes[proc++] = add_proc_node(edges, first, i);
        first = i;
    }
}
