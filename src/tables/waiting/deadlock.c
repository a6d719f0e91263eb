#include "src/tables/waiting/deadlock.h"

#include "libxtf/trace.h"
#include "src/model/process-properties.h"
#include "src/tables/waiting/wait-edges.h"

#define UNKNOWN UINT64_MAX

enum { LEAST_SECONDS = 2 /* a call of a running program does not count before */ };

const char *const xtf_verdict_names[XTF_N_VERDICTS] = {"waits", "possible", "ended", "mismatch", "behind", "deadlock"};

/* Returns LEAST_SECONDS in ticks, rounded up. */
static uint64_t least_ticks(const XtfTimeScale *scale)
{
    unsigned __int128 ticks = ((unsigned __int128)scale->num * LEAST_SECONDS + scale->den - 1) / scale->den;

    return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

/* Finds another process among the targets of a node that are in a core; UNKNOWN: there is none. */
static uint64_t other_proc(const XtfWaitEdges *edges, uint32_t node, uint32_t core, uint64_t own)
{
    for (uint32_t edge = xtf_wait_graph_node(&edges->graph, node)->first_edge; edge != UINT32_MAX;) {
        uint32_t number = xtf_wait_graph_target(&edges->graph, &edge);
        const XtfWaitNode *target = xtf_wait_graph_node(&edges->graph, number);
        uint64_t proc = g_array_index(edges->proc_of_node, uint64_t, number);
        if (proc != UNKNOWN && proc != own && target->core == core && target->distance == 0)
            return proc;
    }
    return UNKNOWN;
}

/* Returns the process of the first node of another process on the way from a thread to its core. If the way stays
 * among the threads of its own process, returns that one. UNKNOWN: the thread waits for no process. */
static uint64_t next_proc(const XtfWaitEdges *edges, uint32_t node)
{
    uint64_t own = g_array_index(edges->proc_of_node, uint64_t, node);
    uint32_t n = edges->graph.nodes->len;
    bool meets_own = false;

    for (uint32_t at = xtf_wait_graph_node(&edges->graph, node)->next; at != UINT32_MAX && n > 0; n--) {
        uint64_t proc = g_array_index(edges->proc_of_node, uint64_t, at);
        if (proc != UNKNOWN && proc != own)
            return proc;
        if (proc == UNKNOWN &&
            (proc = other_proc(edges, at, xtf_wait_graph_node(&edges->graph, node)->core, own)) != UNKNOWN)
            return proc;
        meets_own |= proc == own;
        at = xtf_wait_graph_node(&edges->graph, at)->next;
    }
    return meets_own ? own : UNKNOWN;
}

/* Marks the cores of the wait-for graph that are a process or thread that has ended. */
static bool *find_ended_cores(const XtfWaitGraph *graph)
{
    bool *ended = g_new0(bool, graph->n_cores + 1);

    for (guint i = 0; i < graph->nodes->len; i++) {
        const XtfWaitNode *node = xtf_wait_graph_node(graph, i);
        if (node->kind == XTF_WAIT_NODE_ENDED && node->core != XTF_WAIT_NO_CORE)
            ended[node->core] = true;
    }
    return ended;
}

/* Sets the verdicts of the stuck threads. */
static void judge_stuck(XtfDeadlocks *deadlocks, const XtfWaitEdges *edges)
{
    g_autofree bool *ended = find_ended_cores(&edges->graph);
    g_autofree uint64_t *group_of = g_new(uint64_t, edges->graph.n_cores + 1);

    for (uint32_t i = 0; i < edges->graph.n_cores; i++)
        group_of[i] = UNKNOWN;
    for (guint i = 0; i < deadlocks->waiting->len; i++) {
        XtfWaiting *waiting = &g_array_index(deadlocks->waiting, XtfWaiting, i);
        uint32_t number = edges->thread_nodes[xtf_open_call(&deadlocks->calls, waiting->call)->location];
        const XtfWaitNode *node = xtf_wait_graph_node(&edges->graph, number);
        if (!node->is_stuck)
            continue;
        waiting->waits_for = next_proc(edges, number);
        waiting->verdict = ended[node->core]     ? XTF_VERDICT_ENDED
                           : node->distance == 0 ? XTF_VERDICT_DEADLOCK
                                                 : XTF_VERDICT_BEHIND;
        if (ended[node->core])
            continue;
        if (group_of[node->core] == UNKNOWN)
            group_of[node->core] = deadlocks->n_groups++;
        waiting->group = group_of[node->core];
    }
}

/* Sets the verdicts of the threads that only the second solution finds stuck. */
static void judge_possible(XtfDeadlocks *deadlocks, const XtfWaitEdges *edges)
{
    for (guint i = 0; i < deadlocks->waiting->len; i++) {
        XtfWaiting *waiting = &g_array_index(deadlocks->waiting, XtfWaiting, i);
        uint32_t number = edges->thread_nodes[xtf_open_call(&deadlocks->calls, waiting->call)->location];
        if (waiting->verdict != XTF_VERDICT_WAITS || !xtf_wait_graph_node(&edges->graph, number)->is_stuck)
            continue;
        waiting->verdict = XTF_VERDICT_POSSIBLE;
        if (!waiting->unknown)
            waiting->waits_for = next_proc(edges, number);
    }
}

static void add_waiting(XtfDeadlocks *deadlocks, const XtfWaitEdges *edges)
{
    for (guint i = 0; i < deadlocks->calls.calls->len; i++) {
        const XtfWaitTargets *targets = &edges->targets[i];
        XtfWaiting waiting = {.call = i,
                              .group = UNKNOWN,
                              .waits_for = targets->example,
                              .n = targets->n,
                              .any = targets->any,
                              .operation = targets->operation,
                              .unknown = targets->unknown};
        g_array_append_val(deadlocks->waiting, waiting);
    }
}

/* ---- Mismatches of collective operations. */

static const XtfOpenCall *call_of(const XtfDeadlocks *deadlocks, const XtfWaiting *waiting)
{
    return xtf_open_call(&deadlocks->calls, waiting->call);
}

/* Compares the operations of two threads: by communicator, then by number. */
static int compare_operations(const void *a, const void *b, void *data)
{
    const XtfWaiting *x = *(XtfWaiting *const *)a, *y = *(XtfWaiting *const *)b;
    uint64_t comm_x = call_of(data, x)->comm, comm_y = call_of(data, y)->comm;

    if (comm_x != comm_y)
        return comm_x < comm_y ? -1 : 1;
    return x->operation < y->operation ? -1 : x->operation > y->operation;
}

/* Marks the threads [first, end) in one operation if they are in different functions. */
static void mark_mismatch(XtfDeadlocks *deadlocks, GPtrArray *members, guint first, guint end)
{
    bool differ = false;

    for (guint i = first + 1; i < end; i++)
        differ |=
            call_of(deadlocks, members->pdata[i])->function != call_of(deadlocks, members->pdata[first])->function;
    for (guint i = first; differ && i < end; i++) {
        XtfWaiting *waiting = members->pdata[i];
        waiting->mismatches = true;
        if (waiting->verdict == XTF_VERDICT_WAITS || waiting->verdict == XTF_VERDICT_POSSIBLE)
            waiting->verdict = XTF_VERDICT_MISMATCH;
    }
}

static void judge_mismatches(XtfDeadlocks *deadlocks)
{
    g_autoptr(GPtrArray) members = g_ptr_array_new();

    for (guint i = 0; i < deadlocks->waiting->len; i++) {
        XtfWaiting *waiting = &g_array_index(deadlocks->waiting, XtfWaiting, i);
        if (waiting->operation != UNKNOWN)
            g_ptr_array_add(members, waiting);
    }
    g_ptr_array_sort_with_data(members, compare_operations, deadlocks);
    for (guint first = 0, i = 1; i <= members->len; i++) {
        if (i < members->len && compare_operations(&members->pdata[first], &members->pdata[i], deadlocks) == 0)
            continue;
        mark_mismatch(deadlocks, members, first, i);
        first = i;
    }
}

/* ---- Traces that were recorded in part. */

/* Sets *partial if the trace may lack messages, operations or threads: recording was off for a time or for some
 * processes, or records were lost. */
static bool find_partial(XtfTraceContext *context, bool *partial, GError **error)
{
    const XtfSchema *measurement = xtf_trace_context_schema(context, "measurement", XTF_SCHEMA_RECORD);
    XtfStatedLosses losses;
    bool left_out;

    if (!xtf_stated_losses(context->trace, &losses, error) ||
        !xtf_any_process_states(context->trace, XTF_RECORD_LEFT_OUT, &left_out, error))
        return false;
    *partial = losses.any || left_out || (measurement && xtf_trace_n_rows(context->trace, measurement->id) > 0);
    return true;
}

/* Turns certain verdicts into possible ones. */
static void doubt_verdicts(XtfDeadlocks *deadlocks)
{
    for (guint i = 0; i < deadlocks->waiting->len; i++) {
        XtfWaiting *waiting = &g_array_index(deadlocks->waiting, XtfWaiting, i);
        if (waiting->verdict == XTF_VERDICT_WAITS)
            continue;
        waiting->verdict = XTF_VERDICT_POSSIBLE;
        waiting->group = UNKNOWN;
    }
    deadlocks->n_groups = 0;
}

bool xtf_deadlocks_init(XtfDeadlocks *deadlocks, XtfTraceContext *context, GError **error)
{
    g_auto(XtfWaitEdges) edges = {0};
    bool partial;

    *deadlocks = (XtfDeadlocks){.waiting = g_array_new(FALSE, FALSE, sizeof(XtfWaiting))};
    if (!xtf_open_calls_init(&deadlocks->calls, context, least_ticks(&context->scale), error) ||
        !xtf_wait_edges_init(&edges, context, &deadlocks->calls, error))
        return false;
    add_waiting(deadlocks, &edges);
    xtf_wait_graph_solve(&edges.graph);
    judge_stuck(deadlocks, &edges);
    xtf_wait_edges_bind_unknown(&edges);
    xtf_wait_graph_solve(&edges.graph);
    judge_possible(deadlocks, &edges);
    if (!find_partial(context, &partial, error))
        return false;
    if (partial)
        doubt_verdicts(deadlocks);
    else
        judge_mismatches(deadlocks);
    for (guint i = 0; i < deadlocks->waiting->len; i++)
        deadlocks->n_by_verdict[g_array_index(deadlocks->waiting, XtfWaiting, i).verdict]++;
    return true;
}

static int compare_waiting(const void *a, const void *b)
{
    const XtfWaiting *x = a, *y = b;

    if (x->verdict != y->verdict)
        return x->verdict > y->verdict ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->call < y->call ? -1 : x->call > y->call;
}

void xtf_deadlocks_sort(XtfDeadlocks *deadlocks)
{
    g_array_sort(deadlocks->waiting, compare_waiting);
}

const char *xtf_waiting_needs(const XtfWaiting *waiting)
{
    return waiting->unknown ? "unknown" : waiting->n == 0 ? "-" : waiting->any ? "any" : "all";
}

void xtf_deadlocks_finish(XtfDeadlocks *deadlocks)
{
    xtf_open_calls_finish(&deadlocks->calls);
    g_clear_pointer(&deadlocks->waiting, g_array_unref);
}
