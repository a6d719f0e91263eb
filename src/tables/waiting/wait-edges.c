#include "src/tables/waiting/wait-edges.h"
#include "src/model/mpi-functions.h"

#include <stdlib.h>

#define UNKNOWN UINT64_MAX

/* Kinds of shared nodes: nodes for which several threads wait, and which wait for members of a communicator. */
typedef enum {
    ANY_MEMBER,
    NOT_IN_OPERATION, /* members that have not called an operation */
    NOT_SENDING,      /* the same, for the root of an operation that needs data of all of them */
    NOT_IN_FINALIZE,
    ANY_PROCESS, /* any process of the trace */
} SharedKind;

typedef struct {
    SharedKind kind;
    uint64_t comm;     /* UNKNOWN: the members are all processes */
    uint64_t number;   /* NOT_IN_OPERATION: number of the operations before it in `comm` */
    uint64_t function; /* NOT_IN_OPERATION: index in xtf_collective_functions */
} SharedKey;

typedef struct {
    SharedKey key;
    bool known; /* the members are known, and all of them are processes of the trace */
    uint32_t node;
    XtfWaitTargets targets;
    uint64_t second; /* another process that the node waits for, if there are two */
} Shared;

static guint shared_hash(const void *item)
{
    const SharedKey *key = item;
    uint64_t hash = (key->comm * UINT64_C(0x9e3779b97f4a7c15) ^ key->number) * UINT64_C(0x9e3779b97f4a7c15);

    return (guint)((hash ^ key->function * 31 ^ key->kind) >> 16);
}

static gboolean shared_equal(const void *a, const void *b)
{
    const SharedKey *x = a, *y = b;

    return x->kind == y->kind && x->comm == y->comm && x->number == y->number && x->function == y->function;
}

/* ---- Nodes of threads and processes. */

/* Finds the node of a process; XTF_NO_WAIT_NODE if the trace has no such process. */
static uint32_t node_of_proc(const XtfWaitEdges *edges, uint64_t proc)
{
    const XtfLocations *locations = edges->calls->locations;
    const uint64_t *found = locations->n_procs
                                ? bsearch(&proc, locations->procs, locations->n_procs, sizeof proc, xtf_compare_numbers)
                                : NULL;

    return found ? edges->proc_nodes[found - locations->procs] : XTF_NO_WAIT_NODE;
}

/* ---- Shared nodes. */

/* True if a condition holds for a thread of a process. */
static bool any_thread(const XtfWaitEdges *edges, uint64_t proc,
                       bool (*holds)(const XtfWaitEdges *edges, uint32_t location, const SharedKey *key),
                       const SharedKey *key)
{
    const XtfLocations *locations = edges->calls->locations;

    for (uint32_t i = xtf_locations_of_proc(locations, proc); i < locations->n && locations->all[i].proc == proc; i++)
        if (holds(edges, i, key))
            return true;
    return false;
}

static bool is_in_operation(const XtfWaitEdges *edges, uint32_t location, const SharedKey *key)
{
    const XtfOpenCall *call = xtf_open_call_of(edges->calls, location);

    return call && call->kind == XTF_OPEN_COLLECTIVE && call->comm == key->comm &&
           (uint64_t)call->function == key->function;
}

static bool is_in_finalize(const XtfWaitEdges *edges, uint32_t location, const SharedKey *key)
{
    const XtfOpenCall *call = xtf_open_call_of(edges->calls, location);

    return (call && call->kind == XTF_OPEN_FINALIZE) || edges->calls->states[location] == XTF_THREAD_ENDED;
}

/* True if a shared node waits for a process that is a member of its communicator. */
static bool is_awaited(const XtfWaitEdges *edges, const SharedKey *key, uint64_t proc)
{
    uint64_t ended;

    switch (key->kind) {
    case NOT_IN_OPERATION:
    case NOT_SENDING:
        ended = xtf_exchange_operations(&edges->counts, key->comm, proc);
        return ended < key->number || (ended == key->number && !any_thread(edges, proc, is_in_operation, key));
    case NOT_IN_FINALIZE:
        return !any_thread(edges, proc, is_in_finalize, key);
    case ANY_MEMBER:
    case ANY_PROCESS:
        break;
    }
    return true;
}

/* Lets a shared node wait for a process, if is_awaited(). Returns false if the trace has no such process. */
static bool add_awaited_member(XtfWaitEdges *edges, Shared *shared, uint64_t proc)
{
    uint32_t node = node_of_proc(edges, proc);

    if (node == XTF_NO_WAIT_NODE)
        return false;
    if (!is_awaited(edges, &shared->key, proc))
        return true;
    if (shared->targets.n++ == 0)
        shared->targets.example = proc;
    else if (shared->targets.n == 2)
        shared->second = proc;
    xtf_wait_graph_wait(&edges->graph, shared->node, node);
    return true;
}

static bool add_awaited_members(XtfWaitEdges *edges, Shared *shared)
{
    const XtfLocations *locations = edges->calls->locations;
    uint64_t comm = shared->key.comm, first[2], n[2], proc;

    if (comm == UNKNOWN) {
        for (uint32_t i = 0; i < locations->n_procs; i++)
            add_awaited_member(edges, shared, locations->procs[i]);
        return true;
    }
    if (!xtf_ranks_groups(edges->ranks, comm, first, n) || n[1] > 0)
        return false;
    for (uint64_t i = 0; i < n[0]; i++)
        if (!xtf_ranks_member_proc(edges->ranks, first[0] + i, &proc) || !add_awaited_member(edges, shared, proc))
            return false;
    return true;
}

static bool waits_for_all(const SharedKey *key)
{
    if (key->kind == NOT_IN_OPERATION)
        return xtf_collective_function_synchronises((int)key->function);
    return key->kind == NOT_SENDING || (key->kind == NOT_IN_FINALIZE && key->comm != UNKNOWN);
}

/* Finds or makes a shared node. */
static const Shared *find_shared(XtfWaitEdges *edges, const SharedKey *key)
{
    Shared *shared = g_hash_table_lookup(edges->shared, key);
    bool all = waits_for_all(key);

    if (shared)
        return shared;
    shared = g_new0(Shared, 1);
    *shared = (Shared){.key = *key, .targets = {.example = UNKNOWN, .any = !all}};
    shared->node = xtf_wait_node_add(edges, all ? XTF_WAIT_NODE_ALL : XTF_WAIT_NODE_ANY, UNKNOWN);
    shared->known = add_awaited_members(edges, shared);
    g_hash_table_add(edges->shared, shared);
    return shared;
}

/* ---- What a call waits for. */

/* True if an open call of a location receives a message with an envelope. `key` is an envelope in other words: the
 * communicator, the sender as `number`, the tag as `function`. */
static bool accepts_message(const XtfWaitEdges *edges, uint32_t location, const SharedKey *key)
{
    const XtfOpenCall *call = xtf_open_call_of(edges->calls, location);

    for (uint32_t i = 0; call && i < call->n; i++) {
        const XtfAwaited *awaited = xtf_open_call_awaited(edges->calls, call, i);
        bool any = awaited->kind == XTF_AWAITED_POSTED && awaited->comm == UNKNOWN; /* more than the trace lists */
        if (any)
            return true;
        bool receives = awaited->kind != XTF_AWAITED_SEND && awaited->kind != XTF_AWAITED_OTHER;
        if (receives && awaited->comm == key->comm && (awaited->peer == UNKNOWN || awaited->proc == key->number) &&
            (awaited->tag == UNKNOWN || awaited->tag == key->function))
            return true;
    }
    return false;
}

static bool may_receive(const XtfAwaited *awaited)
{
    return awaited->kind == XTF_AWAITED_RECEIVE || awaited->kind == XTF_AWAITED_EITHER;
}

static bool may_send(const XtfAwaited *awaited)
{
    return awaited->kind == XTF_AWAITED_SEND || awaited->kind == XTF_AWAITED_EITHER;
}

/* True if nothing keeps an operation from ending. */
static bool is_satisfied(const XtfWaitEdges *edges, const XtfAwaited *awaited, uint64_t proc)
{
    const SharedKey envelope = {.comm = awaited->comm, .number = proc, .function = awaited->tag};

    return (may_receive(awaited) && xtf_exchange_is_under_way(&edges->counts, awaited, proc)) ||
           (may_send(awaited) && awaited->proc != UNKNOWN &&
            (any_thread(edges, awaited->proc, accepts_message, &envelope) ||
             xtf_exchange_is_received(&edges->counts, awaited, proc)));
}

/* True if the only open call of a process lists all receives that it has posted. Lists of several threads may be out of
 * date. */
static bool are_receives_known(const XtfWaitEdges *edges, uint64_t proc)
{
    const XtfLocations *locations = edges->calls->locations;
    uint64_t n_posted = xtf_exchange_posted(&edges->counts, proc), n_listed = 0;
    unsigned n_threads = 0;

    for (uint32_t i = xtf_locations_of_proc(locations, proc); i < locations->n && locations->all[i].proc == proc; i++) {
        const XtfOpenCall *call = xtf_open_call_of(edges->calls, i);
        n_threads += edges->calls->states[i] != XTF_THREAD_SILENT;
        n_listed = call ? call->n_posted : n_listed;
    }
    return n_posted == 0 || (n_threads == 1 && n_listed >= n_posted);
}

/* Lets a thread wait for a shared node. */
static void wait_for_shared(XtfWaitEdges *edges, uint32_t node, const SharedKey *key, XtfWaitTargets *targets)
{
    const Shared *shared = find_shared(edges, key);

    if (!shared->known) {
        targets->unknown = true;
        return;
    }
    if (shared->targets.n == 0)
        return;
    bool of_self = key->kind == ANY_MEMBER; /* the thread's own process is a member, but sends itself nothing now */
    uint64_t own = g_array_index(edges->proc_of_node, uint64_t, node),
             n = shared->targets.n - (of_self && shared->targets.n > 1);
    if (targets->n == 0)
        targets->example = of_self && shared->targets.n > 1 && shared->targets.example == own ? shared->second
                                                                                              : shared->targets.example;
    targets->n += n;
    targets->any |= shared->targets.any;
    xtf_wait_graph_wait(&edges->graph, node, shared->node);
}

/* Lets a thread wait for a process. *proc stays until the thread's call has all of its targets. */
static void wait_for_proc(XtfWaitEdges *edges, uint32_t node, const uint64_t *proc, XtfWaitTargets *targets)
{
    uint32_t target = *proc != UNKNOWN ? node_of_proc(edges, *proc) : XTF_NO_WAIT_NODE;

    if (target == XTF_NO_WAIT_NODE) {
        targets->unknown = true;
        return;
    }
    if (targets->n == 0)
        targets->example = *proc;
    targets->n += g_hash_table_add(edges->seen, (gpointer)proc);
    xtf_wait_graph_wait(&edges->graph, node, target);
}

static void wait_for_awaited(XtfWaitEdges *edges, uint32_t node, const XtfAwaited *awaited, XtfWaitTargets *targets)
{
    if (awaited->kind == XTF_AWAITED_RECEIVE && awaited->peer == UNKNOWN && awaited->comm != UNKNOWN) {
        wait_for_shared(edges, node, &(SharedKey){.kind = ANY_MEMBER, .comm = awaited->comm}, targets);
    } else if (awaited->proc != UNKNOWN && may_send(awaited) && !are_receives_known(edges, awaited->proc)) {
        targets->unknown = true;
    } else {
        wait_for_proc(edges, node, &awaited->proc, targets);
    }
}

/* Lets a thread wait for any one of its operations. False: one of them can end at once. */
static bool wait_for_any(XtfWaitEdges *edges, uint32_t node, const XtfOpenCall *call, XtfWaitTargets *targets)
{
    uint64_t proc = edges->calls->locations->all[call->location].proc;

    for (uint32_t i = 0; i < call->n; i++) {
        const XtfAwaited *awaited = xtf_open_call_awaited(edges->calls, call, i);
        if (awaited->kind == XTF_AWAITED_POSTED)
            continue;
        if (is_satisfied(edges, awaited, proc))
            return false;
        wait_for_awaited(edges, node, awaited, targets);
    }
    targets->any |= targets->n > 1;
    return true;
}

/* Lets a thread wait for all receives for which no message is on its way. False: there are none. */
static bool wait_for_missing(XtfWaitEdges *edges, uint32_t node, const XtfOpenCall *call, XtfWaitTargets *targets)
{
    uint64_t proc = edges->calls->locations->all[call->location].proc;
    bool any = false;

    for (uint32_t i = 0; i < call->n; i++) {
        const XtfAwaited *awaited = xtf_open_call_awaited(edges->calls, call, i);
        if (awaited->kind != XTF_AWAITED_RECEIVE || is_satisfied(edges, awaited, proc))
            continue;
        wait_for_awaited(edges, node, awaited, targets);
        any = true;
    }
    return any;
}

/* Lets a thread wait for any one of its sends without a receive, or of its receives with a message on its way. At least
 * one of these is incomplete; MPI may have buffered the other sends. False: there are no such sends. */
static bool wait_for_one(XtfWaitEdges *edges, uint32_t node, const XtfOpenCall *call, XtfWaitTargets *targets)
{
    uint64_t proc = edges->calls->locations->all[call->location].proc;
    bool any = false;

    for (uint32_t i = 0; i < call->n; i++) {
        const XtfAwaited *awaited = xtf_open_call_awaited(edges->calls, call, i);
        if (awaited->kind == XTF_AWAITED_RECEIVE || awaited->kind == XTF_AWAITED_POSTED ||
            is_satisfied(edges, awaited, proc))
            continue;
        wait_for_awaited(edges, node, awaited, targets);
        any = true;
    }
    for (uint32_t i = 0; i < call->n && any; i++) {
        const XtfAwaited *awaited = xtf_open_call_awaited(edges->calls, call, i);
        if (awaited->kind == XTF_AWAITED_RECEIVE)
            wait_for_awaited(edges, node, awaited, targets);
    }
    targets->any |= targets->n > 1;
    return any;
}

/* Lets a thread wait for the operations of its call. False: the call can end at once. */
static bool wait_for_operations(XtfWaitEdges *edges, uint32_t node, const XtfOpenCall *call, XtfWaitTargets *targets)
{
    XtfWaitNodeKind kind = XTF_WAIT_NODE_ANY;
    bool waits;

    if (call->kind == XTF_OPEN_ANY) {
        waits = wait_for_any(edges, node, call, targets);
    } else if ((waits = wait_for_missing(edges, node, call, targets))) {
        kind = XTF_WAIT_NODE_ALL;
    } else {
        waits = wait_for_one(edges, node, call, targets);
    }
    xtf_wait_graph_node(&edges->graph, node)->kind = kind;
    return waits && (targets->n > 0 || targets->unknown);
}

/* Lets a thread wait for members that have not called its operation. */
static void wait_in_operation(XtfWaitEdges *edges, uint32_t node, const XtfOpenCall *call, XtfWaitTargets *targets)
{
    uint64_t proc = edges->calls->locations->all[call->location].proc;
    XtfRooted rooted = call->root == UNKNOWN ? XTF_ROOTED_NOT : xtf_collective_function_rooted(call->function);
    SharedKey key = {.kind = rooted == XTF_ROOTED_TO && call->root == proc ? NOT_SENDING : NOT_IN_OPERATION,
                     .comm = call->comm,
                     .number = xtf_exchange_operations(&edges->counts, call->comm, proc),
                     .function = (uint64_t)call->function};

    targets->operation = key.number;
    if (rooted == XTF_ROOTED_FROM && call->root != proc && is_awaited(edges, &key, call->root)) {
        wait_for_proc(edges, node, &call->root, targets);
        return;
    }
    wait_for_shared(edges, node, &key, targets);
    targets->unknown |= !waits_for_all(&key) && targets->n > 0;
}

static bool wait_in_call(XtfWaitEdges *edges, uint32_t node, const XtfOpenCall *call, XtfWaitTargets *targets)
{
    uint64_t proc = edges->calls->locations->all[call->location].proc;

    switch (call->kind) {
    case XTF_OPEN_ALL:
    case XTF_OPEN_ANY:
        targets->unknown |= call->lists_requests && !xtf_exchange_knows_requests(&edges->counts, proc);
        return wait_for_operations(edges, node, call, targets);
    case XTF_OPEN_COLLECTIVE:
        wait_in_operation(edges, node, call, targets);
        break;
    case XTF_OPEN_FINALIZE:
        wait_for_shared(edges, node, &(SharedKey){.kind = NOT_IN_FINALIZE, .comm = call->comm}, targets);
        break;
    case XTF_OPEN_ABORT:
    case XTF_OPEN_OTHER:
        targets->unknown = true;
        break;
    }
    return targets->n > 0 || targets->unknown;
}

static void add_call(XtfWaitEdges *edges, uint32_t i)
{
    const XtfOpenCall *call = xtf_open_call(edges->calls, i);
    XtfWaitTargets *targets = &edges->targets[i];
    uint32_t node = edges->thread_nodes[call->location];

    *targets = (XtfWaitTargets){.example = UNKNOWN, .operation = UNKNOWN};
    g_hash_table_remove_all(edges->seen);
    xtf_wait_graph_node(&edges->graph, node)->kind = XTF_WAIT_NODE_ALL;
    bool waits = wait_in_call(edges, node, call, targets);
    if (waits && targets->unknown)
        xtf_wait_graph_wait(&edges->graph, node,
                            find_shared(edges, &(SharedKey){.kind = ANY_PROCESS, .comm = UNKNOWN})->node);
    if (!waits)
        *targets = (XtfWaitTargets){.example = UNKNOWN, .operation = targets->operation};
    if (!waits || targets->unknown)
        xtf_wait_graph_node(&edges->graph, node)->kind = XTF_WAIT_NODE_FREE;
}

bool xtf_wait_edges_init(XtfWaitEdges *edges, XtfTraceContext *context, const XtfOpenCalls *calls, GError **error)
{
    *edges = (XtfWaitEdges){.context = context,
                            .calls = calls,
                            .ranks = xtf_trace_context_ranks(context, error),
                            .thread_nodes = g_new(uint32_t, calls->locations->n + 1),
                            .proc_nodes = g_new(uint32_t, calls->locations->n_procs + 1),
                            .proc_of_node = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
                            .open_nodes = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                            .seen = g_hash_table_new(g_int64_hash, g_int64_equal),
                            .shared = g_hash_table_new_full(shared_hash, shared_equal, g_free, NULL),
                            .targets = g_new0(XtfWaitTargets, calls->calls->len + 1)};
    xtf_wait_graph_init(&edges->graph);
    if (!edges->ranks || !xtf_exchange_counts_init(&edges->counts, context, calls, error))
        return false;
    xtf_wait_nodes_add(edges);
    for (uint32_t i = 0; i < calls->calls->len; i++)
        add_call(edges, i);
    return true;
}

void xtf_wait_edges_bind_unknown(XtfWaitEdges *edges)
{
    for (guint i = 0; i < edges->open_nodes->len; i++)
        xtf_wait_graph_node(&edges->graph, g_array_index(edges->open_nodes, uint32_t, i))->kind = XTF_WAIT_NODE_ANY;
    for (uint32_t i = 0; i < edges->calls->calls->len; i++)
        if (edges->targets[i].unknown)
            xtf_wait_graph_node(&edges->graph, edges->thread_nodes[xtf_open_call(edges->calls, i)->location])->kind =
                XTF_WAIT_NODE_ANY;
}

void xtf_wait_edges_finish(XtfWaitEdges *edges)
{
    xtf_exchange_counts_finish(&edges->counts);
    xtf_wait_graph_finish(&edges->graph);
    g_clear_pointer(&edges->thread_nodes, g_free);
    g_clear_pointer(&edges->proc_nodes, g_free);
    g_clear_pointer(&edges->proc_of_node, g_array_unref);
    g_clear_pointer(&edges->open_nodes, g_array_unref);
    g_clear_pointer(&edges->seen, g_hash_table_unref);
    g_clear_pointer(&edges->shared, g_hash_table_unref);
    g_clear_pointer(&edges->targets, g_free);
}
