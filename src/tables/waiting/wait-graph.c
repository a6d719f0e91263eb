#include "src/tables/waiting/wait-graph.h"

#define NONE UINT32_MAX

typedef struct {
    uint32_t from, to;
    uint32_t next_from; /* older edge from the same node; NONE: none */
} Edge;

/* State of one solution. Arrays are by node. */
typedef struct {
    XtfWaitGraph *graph;
    uint32_t n;
    uint32_t *first_to, *next_to; /* lists of the edges to each node: the first edge by node, the next one by edge */
    uint32_t *missing;            /* number of targets that must still be released before the node is */
    uint32_t *queue;              /* nodes that a search has found, in that order */
    uint32_t *order, *low;        /* of Tarjan's search; order: NONE: not visited */
    uint32_t *component;          /* number of the node's component; NONE: not known yet */
} Solution;

static Edge *edge_at(const XtfWaitGraph *graph, uint32_t number)
{
    return &g_array_index(graph->edges, Edge, number);
}

void xtf_wait_graph_init(XtfWaitGraph *graph)
{
    *graph = (XtfWaitGraph){.nodes = g_array_new(FALSE, FALSE, sizeof(XtfWaitNode)),
                            .edges = g_array_new(FALSE, FALSE, sizeof(Edge))};
}

void xtf_wait_graph_finish(XtfWaitGraph *graph)
{
    g_clear_pointer(&graph->nodes, g_array_unref);
    g_clear_pointer(&graph->edges, g_array_unref);
}

uint32_t xtf_wait_graph_add(XtfWaitGraph *graph, XtfWaitNodeKind kind)
{
    XtfWaitNode node = {.kind = kind, .first_edge = NONE};

    g_array_append_val(graph->nodes, node);
    return graph->nodes->len - 1;
}

void xtf_wait_graph_wait(XtfWaitGraph *graph, uint32_t from, uint32_t to)
{
    XtfWaitNode *node = xtf_wait_graph_node(graph, from);
    Edge edge = {.from = from, .to = to, .next_from = node->first_edge};

    node->first_edge = graph->edges->len;
    node->n_edges++;
    g_array_append_val(graph->edges, edge);
}

uint32_t xtf_wait_graph_target(const XtfWaitGraph *graph, uint32_t *edge)
{
    const Edge *at = edge_at(graph, *edge);

    *edge = at->next_from;
    return at->to;
}

static void solution_init(Solution *solution, XtfWaitGraph *graph)
{
    uint32_t n = graph->nodes->len;

    *solution = (Solution){.graph = graph,
                           .n = n,
                           .first_to = g_new(uint32_t, n + 1),
                           .next_to = g_new(uint32_t, graph->edges->len + 1),
                           .missing = g_new0(uint32_t, n + 1),
                           .queue = g_new(uint32_t, n + 1),
                           .order = g_new(uint32_t, n + 1),
                           .low = g_new(uint32_t, n + 1),
                           .component = g_new(uint32_t, n + 1)};
    for (uint32_t i = 0; i < n; i++)
        solution->first_to[i] = solution->order[i] = solution->component[i] = NONE;
    for (uint32_t i = graph->edges->len; i-- > 0;) {
        const Edge *edge = edge_at(graph, i);
        solution->next_to[i] = solution->first_to[edge->to];
        solution->first_to[edge->to] = i;
    }
}

static void solution_clear(Solution *solution)
{
    g_free(solution->first_to);
    g_free(solution->next_to);
    g_free(solution->missing);
    g_free(solution->queue);
    g_free(solution->order);
    g_free(solution->low);
    g_free(solution->component);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Solution, solution_clear)

/* ---- Stuck nodes: all nodes that no free node releases, backward along the edges. */

static void release_node(Solution *solution, uint32_t number, uint32_t *n_released)
{
    xtf_wait_graph_node(solution->graph, number)->is_stuck = false;
    solution->queue[(*n_released)++] = number;
}

static void find_stuck(Solution *solution)
{
    uint32_t n_released = 0;

    for (uint32_t i = 0; i < solution->n; i++) {
        XtfWaitNode *node = xtf_wait_graph_node(solution->graph, i);
        bool waits = node->kind == XTF_WAIT_NODE_ALL || node->kind == XTF_WAIT_NODE_ANY;
        node->is_stuck = true;
        node->core = XTF_WAIT_NO_CORE;
        node->distance = node->next = NONE;
        solution->missing[i] = node->kind == XTF_WAIT_NODE_ANY ? 1 : node->n_edges;
        if (node->kind == XTF_WAIT_NODE_FREE || (waits && node->n_edges == 0))
            release_node(solution, i, &n_released);
    }
    for (uint32_t done = 0; done < n_released; done++) {
        for (uint32_t e = solution->first_to[solution->queue[done]]; e != NONE; e = solution->next_to[e]) {
            uint32_t from = edge_at(solution->graph, e)->from;
            const XtfWaitNode *node = xtf_wait_graph_node(solution->graph, from);
            if (node->is_stuck && node->kind != XTF_WAIT_NODE_ENDED && --solution->missing[from] == 0)
                release_node(solution, from, &n_released);
        }
    }
}

/* ---- Cores: the strongly connected components of stuck nodes that lead to no other component, by Tarjan's search. */

static bool is_stuck_edge(const Solution *solution, const Edge *edge)
{
    return xtf_wait_graph_node(solution->graph, edge->to)->is_stuck;
}

/* Tarjan's search from a node, without recursion. `path` has the nodes from that one to the one being visited,
 * `edge_of` the next edge of each. `open` has the visited nodes whose component is not known. */
typedef struct {
    GArray *path, *open; /* nodes, as uint32_t */
    uint32_t *edge_of;
    uint32_t n_visited, n_components;
} Search;

static void search_visit(Solution *solution, Search *search, uint32_t number)
{
    solution->order[number] = solution->low[number] = search->n_visited++;
    search->edge_of[number] = xtf_wait_graph_node(solution->graph, number)->first_edge;
    g_array_append_val(search->path, number);
    g_array_append_val(search->open, number);
}

/* Ends the visit of the last node of the path. */
static void search_leave(Solution *solution, Search *search)
{
    uint32_t number = g_array_index(search->path, uint32_t, search->path->len - 1), member;

    g_array_set_size(search->path, search->path->len - 1);
    if (search->path->len > 0) {
        uint32_t before = g_array_index(search->path, uint32_t, search->path->len - 1);
        solution->low[before] = MIN(solution->low[before], solution->low[number]);
    }
    if (solution->low[number] != solution->order[number])
        return;
    do {
        member = g_array_index(search->open, uint32_t, search->open->len - 1);
        g_array_set_size(search->open, search->open->len - 1);
        solution->component[member] = search->n_components;
    } while (member != number);
    search->n_components++;
}

static void search_from(Solution *solution, Search *search, uint32_t start)
{
    search_visit(solution, search, start);
    while (search->path->len > 0) {
        uint32_t number = g_array_index(search->path, uint32_t, search->path->len - 1);
        uint32_t e = search->edge_of[number];
        if (e == NONE) {
            search_leave(solution, search);
            continue;
        }
        const Edge *edge = edge_at(solution->graph, e);
        search->edge_of[number] = edge->next_from;
        if (!is_stuck_edge(solution, edge))
            continue;
        if (solution->order[edge->to] == NONE)
            search_visit(solution, search, edge->to);
        else if (solution->component[edge->to] == NONE)
            solution->low[number] = MIN(solution->low[number], solution->order[edge->to]);
    }
}

static uint32_t find_components(Solution *solution)
{
    Search search = {.path = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                     .open = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                     .edge_of = g_new(uint32_t, solution->n + 1)};

    for (uint32_t i = 0; i < solution->n; i++)
        if (xtf_wait_graph_node(solution->graph, i)->is_stuck && solution->order[i] == NONE)
            search_from(solution, &search, i);
    g_array_unref(search.path);
    g_array_unref(search.open);
    g_free(search.edge_of);
    return search.n_components;
}

/* Numbers the cores in the order of their first nodes. */
static void find_cores(Solution *solution)
{
    uint32_t n_components = find_components(solution);
    g_autofree bool *leads_on = g_new0(bool, n_components + 1);
    g_autofree uint32_t *cores = g_new(uint32_t, n_components + 1);

    for (uint32_t i = 0; i < n_components; i++)
        cores[i] = XTF_WAIT_NO_CORE;
    for (uint32_t i = 0; i < solution->graph->edges->len; i++) {
        const Edge *edge = edge_at(solution->graph, i);
        uint32_t from = solution->component[edge->from];
        if (from != NONE && is_stuck_edge(solution, edge) && from != solution->component[edge->to])
            leads_on[from] = true;
    }
    solution->graph->n_cores = 0;
    for (uint32_t i = 0; i < solution->n; i++) {
        uint32_t component = solution->component[i];
        if (component == NONE || leads_on[component])
            continue;
        if (cores[component] == XTF_WAIT_NO_CORE)
            cores[component] = solution->graph->n_cores++;
        xtf_wait_graph_node(solution->graph, i)->core = cores[component];
    }
}

/* ---- Ways. */

/* Finds the shortest way of each stuck node to a core, from the cores backward. */
static void find_ways(Solution *solution)
{
    uint32_t n_reached = 0;

    for (uint32_t i = 0; i < solution->n; i++) {
        XtfWaitNode *node = xtf_wait_graph_node(solution->graph, i);
        if (node->core == XTF_WAIT_NO_CORE)
            continue;
        node->distance = 0;
        solution->queue[n_reached++] = i;
    }
    for (uint32_t done = 0; done < n_reached; done++) {
        uint32_t to = solution->queue[done];
        const XtfWaitNode *target = xtf_wait_graph_node(solution->graph, to);
        for (uint32_t e = solution->first_to[to]; e != NONE; e = solution->next_to[e]) {
            uint32_t from = edge_at(solution->graph, e)->from;
            XtfWaitNode *node = xtf_wait_graph_node(solution->graph, from);
            if (!node->is_stuck || node->core != XTF_WAIT_NO_CORE)
                continue;
            node->core = target->core;
            node->distance = target->distance + 1;
            node->next = to;
            solution->queue[n_reached++] = from;
        }
    }
}

/* Finds a shortest cycle through the first node of a core, and sends the core's other nodes to it by shortest ways.
 * Each node's `next` is then the next one towards that node. */
static void find_cycle(Solution *solution, uint32_t first)
{
    uint32_t core = xtf_wait_graph_node(solution->graph, first)->core, n_reached = 0;

    solution->queue[n_reached++] = first;
    for (uint32_t done = 0; done < n_reached; done++) {
        uint32_t to = solution->queue[done];
        for (uint32_t e = solution->first_to[to]; e != NONE; e = solution->next_to[e]) {
            uint32_t from = edge_at(solution->graph, e)->from;
            XtfWaitNode *node = xtf_wait_graph_node(solution->graph, from);
            if (node->core != core || node->distance != 0 || node->next != NONE)
                continue;
            node->next = to; /* the first node gets it when the search returns to it */
            if (from != first)
                solution->queue[n_reached++] = from;
        }
    }
}

static void find_cycles(Solution *solution)
{
    g_autofree bool *done = g_new0(bool, solution->graph->n_cores + 1);

    for (uint32_t i = 0; i < solution->n; i++) {
        const XtfWaitNode *node = xtf_wait_graph_node(solution->graph, i);
        if (node->core == XTF_WAIT_NO_CORE || node->distance != 0 || done[node->core])
            continue;
        done[node->core] = true;
        find_cycle(solution, i);
    }
}

void xtf_wait_graph_solve(XtfWaitGraph *graph)
{
    g_auto(Solution) solution = {0};

    solution_init(&solution, graph);
    find_stuck(&solution);
    find_cores(&solution);
    find_ways(&solution);
    find_cycles(&solution);
}
