/*
 * Wait-for graphs against brute force: the largest set of stuck nodes is found by trying all sets, and cores by
 * reachability matrices.
 */
#include <criterion/criterion.h>

#include "src/tables/waiting/wait-graph.h"
#include "tests/rounds.h"

enum { NODES_MAX = 12, ROUNDS = 8000 };

typedef struct {
    unsigned n;
    XtfWaitNodeKind kinds[NODES_MAX];
    unsigned targets[NODES_MAX]; /* by node: set of the nodes that it waits for */
    unsigned stuck;              /* set of all stuck nodes */
    unsigned reached[NODES_MAX]; /* by stuck node: set of stuck nodes that it reaches in one edge or more */
    unsigned cores[NODES_MAX];   /* by node: set of the nodes of its core; 0: it is in no core */
} Naive;

static bool has(unsigned set, unsigned node)
{
    return set >> node & 1;
}

/* True if no node of a set can continue before another one of the set does. */
static bool is_stuck_set(const Naive *naive, unsigned set)
{
    for (unsigned i = 0; i < naive->n; i++) {
        if (!has(set, i) || naive->kinds[i] == XTF_WAIT_NODE_ENDED)
            continue;
        bool all = naive->kinds[i] == XTF_WAIT_NODE_ALL;
        unsigned stuck = naive->targets[i] & set;
        if (naive->kinds[i] == XTF_WAIT_NODE_FREE || naive->targets[i] == 0 ||
            !(all ? stuck != 0 : stuck == naive->targets[i]))
            return false;
    }
    return true;
}

/* Finds the largest set of stuck nodes: the union of all such sets, since the union of two of them is also one. */
static void find_stuck(Naive *naive)
{
    for (unsigned set = 0; set < 1u << naive->n; set++)
        if (is_stuck_set(naive, set))
            naive->stuck |= set;
    cr_assert(is_stuck_set(naive, naive->stuck));
}

static void find_reached(Naive *naive)
{
    for (unsigned i = 0; i < naive->n; i++)
        naive->reached[i] = has(naive->stuck, i) ? naive->targets[i] & naive->stuck : 0;
    for (unsigned via = 0; via < naive->n; via++)
        for (unsigned i = 0; i < naive->n; i++)
            if (has(naive->reached[i], via))
                naive->reached[i] |= naive->reached[via];
}

/* Finds the cores. A stuck node is in a core if it is reached from all nodes that it reaches. */
static void find_cores(Naive *naive)
{
    for (unsigned i = 0; i < naive->n; i++) {
        bool in_core = has(naive->stuck, i);
        for (unsigned k = 0; k < naive->n; k++)
            in_core &= !has(naive->reached[i], k) || has(naive->reached[k], i);
        naive->cores[i] = in_core ? naive->reached[i] | 1u << i : 0;
    }
}

/* Returns the length of a shortest way from a stuck node to a core. */
static unsigned naive_distance(const Naive *naive, unsigned node)
{
    unsigned now = 1u << node, cores = 0, distance = 0;

    for (unsigned i = 0; i < naive->n; i++)
        cores |= naive->cores[i];
    for (; !(now & cores); distance++) {
        unsigned next = 0;
        cr_assert_lt(distance, naive->n, "a stuck node leads to no core");
        for (unsigned i = 0; i < naive->n; i++)
            next |= has(now, i) ? naive->targets[i] & naive->stuck : 0;
        now = next;
    }
    return distance;
}

static void make_graph(GRand *random, Naive *naive, XtfWaitGraph *graph)
{
    int ended = g_rand_int_range(random, 0, 3), free = g_rand_int_range(random, 0, 4);
    int edges = g_rand_int_range(random, 1, 5);

    *naive = (Naive){.n = (unsigned)g_rand_int_range(random, 0, NODES_MAX + 1)};
    xtf_wait_graph_init(graph);
    for (unsigned i = 0; i < naive->n; i++) {
        bool any = g_rand_boolean(random);
        naive->kinds[i] = g_rand_int_range(random, 0, 20) < ended  ? XTF_WAIT_NODE_ENDED
                          : g_rand_int_range(random, 0, 20) < free ? XTF_WAIT_NODE_FREE
                          : any                                    ? XTF_WAIT_NODE_ANY
                                                                   : XTF_WAIT_NODE_ALL;
        cr_assert_eq(xtf_wait_graph_add(graph, naive->kinds[i]), i);
    }
    for (unsigned i = 0; i < naive->n; i++) {
        for (int n = g_rand_int_range(random, 0, edges + 1); n > 0; n--) {
            unsigned to = (unsigned)g_rand_int_range(random, 0, (gint32)naive->n);
            naive->targets[i] |= 1u << to;
            xtf_wait_graph_wait(graph, i, to);
        }
    }
}

/* Follows the ways of a stuck node: by its edges to its core, and there round a cycle. */
static void check_way(const Naive *naive, const XtfWaitGraph *graph, unsigned node)
{
    const XtfWaitNode *at = xtf_wait_graph_node(graph, node);

    if (!naive->cores[node]) {
        const XtfWaitNode *next = xtf_wait_graph_node(graph, at->next);
        cr_assert(has(naive->targets[node] & naive->stuck, at->next));
        cr_assert_eq(next->distance + 1, at->distance);
        cr_assert_eq(next->core, at->core);
        return;
    }
    if (naive->cores[node] == 1u << node && !has(naive->targets[node], node)) {
        cr_assert_eq(naive->kinds[node], XTF_WAIT_NODE_ENDED);
        cr_assert_eq(at->next, UINT32_MAX);
        return;
    }
    unsigned met = 0, to = node;
    while (!has(met, to)) {
        met |= 1u << to;
        unsigned next = xtf_wait_graph_node(graph, to)->next;
        cr_assert(next < naive->n && has(naive->targets[to] & naive->cores[node], next));
        to = next;
    }
}

static void check_graph(const Naive *naive, const XtfWaitGraph *graph)
{
    unsigned first_of_core[NODES_MAX], n_cores = 0;

    for (unsigned i = 0; i < naive->n; i++) {
        const XtfWaitNode *node = xtf_wait_graph_node(graph, i);
        cr_assert_eq(node->is_stuck, has(naive->stuck, i));
        if (!node->is_stuck) {
            cr_assert_eq(node->core, XTF_WAIT_NO_CORE);
            continue;
        }
        cr_assert_lt(node->core, graph->n_cores);
        cr_assert_eq(node->distance, naive_distance(naive, i));
        if (naive->cores[i]) {
            if (!(naive->cores[i] & ((1u << i) - 1)))
                first_of_core[n_cores++] = i;
            cr_assert_lt(node->core, n_cores);
            cr_assert(has(naive->cores[i], first_of_core[node->core]));
        }
        check_way(naive, graph, i);
    }
    cr_assert_eq(n_cores, graph->n_cores);
}

Test(wait_graph, random_graphs_as_brute_force_says)
{
    unsigned n_stuck = 0, n_behind = 0, n_several = 0;

    for (guint32 seed = 0; seed < TEST_ROUNDS(ROUNDS); seed++) {
        GRand *random = g_rand_new_with_seed(seed);
        g_auto(XtfWaitGraph) graph = {0};
        Naive naive;
        make_graph(random, &naive, &graph);
        g_rand_free(random);
        find_stuck(&naive);
        find_reached(&naive);
        find_cores(&naive);
        xtf_wait_graph_solve(&graph);
        check_graph(&naive, &graph);
        xtf_wait_graph_solve(&graph); /* a second solution does not depend on the first */
        check_graph(&naive, &graph);
        n_stuck += naive.stuck != 0;
        n_several += graph.n_cores > 1;
        for (unsigned i = 0; i < naive.n; i++)
            n_behind += has(naive.stuck, i) && !naive.cores[i];
    }
    cr_assert(n_stuck > 1000 / 4 && n_behind > 1000 / 4 && n_several > 100 / 4, "%u %u %u", n_stuck, n_behind,
              n_several);
}
