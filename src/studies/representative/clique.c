#include "src/studies/representative/clique.h"

#include <glib.h>
#include <string.h>

void xtf_graph_init(XtfGraph *graph, unsigned n)
{
    unsigned words = n / 64 + 1;

    *graph = (XtfGraph){.n = n, .words = words, .edges = g_new0(uint64_t, (gsize)n * words + 1)};
}

void xtf_graph_finish(XtfGraph *graph)
{
    g_clear_pointer(&graph->edges, g_free);
}

static void set_add(uint64_t *set, unsigned i)
{
    set[i / 64] |= UINT64_C(1) << i % 64;
}

void xtf_graph_join(XtfGraph *graph, unsigned a, unsigned b)
{
    set_add(graph->edges + (gsize)a * graph->words, b);
    set_add(graph->edges + (gsize)b * graph->words, a);
}

static const uint64_t *neighbours_of(const XtfGraph *graph, unsigned i)
{
    return graph->edges + (gsize)i * graph->words;
}

/* ---- The exact search, whose sets are one word. */

typedef struct {
    const XtfGraph *graph;
    uint64_t best;
} Search;

static unsigned count_bits(uint64_t set)
{
    return (unsigned)__builtin_popcountll(set);
}

/* Colours the candidates so that no two neighbours share a colour, and lists them by colour. A clique among the first
 * i + 1 of the list has at most colours[i] vertices. Returns the number of candidates. */
static unsigned colour_candidates(const XtfGraph *graph, uint64_t candidates, unsigned *order, unsigned *colours)
{
    unsigned n = 0;

    for (unsigned colour = 1; candidates; colour++) {
        for (uint64_t apart = candidates; apart;) {
            unsigned i = (unsigned)__builtin_ctzll(apart);
            apart &= ~neighbours_of(graph, i)[0] & ~(UINT64_C(1) << i);
            candidates &= ~(UINT64_C(1) << i);
            order[n] = i;
            colours[n++] = colour;
        }
    }
    return n;
}

/* Extends a clique by candidates, each of which is a neighbour of all its members. */
static void extend_clique(Search *search, uint64_t clique, uint64_t candidates)
{
    unsigned order[XTF_CLIQUE_EXACT], colours[XTF_CLIQUE_EXACT];
    unsigned n = colour_candidates(search->graph, candidates, order, colours);

    while (n-- > 0 && count_bits(clique) + colours[n] > count_bits(search->best)) {
        uint64_t vertex = UINT64_C(1) << order[n];
        if (count_bits(clique | vertex) > count_bits(search->best))
            search->best = clique | vertex;
        extend_clique(search, clique | vertex, candidates & neighbours_of(search->graph, order[n])[0]);
        candidates &= ~vertex;
    }
}

static void find_exactly(const XtfGraph *graph, XtfClique *clique)
{
    Search search = {.graph = graph};

    extend_clique(&search, 0, graph->n == XTF_CLIQUE_EXACT ? UINT64_MAX : (UINT64_C(1) << graph->n) - 1);
    clique->members[0] = search.best;
    clique->size = clique->most = count_bits(search.best);
}

/* ---- Bounds for larger graphs. */

/* Takes away vertices with the fewest neighbours left, one by one. Sets order[i] to the i-th one. Returns the greatest
 * number of neighbours that a vertex had left then: the greatest core number. */
static unsigned peel_vertices(const XtfGraph *graph, unsigned *order)
{
    g_autofree unsigned *degrees = g_new0(unsigned, graph->n);
    g_autofree bool *is_gone = g_new0(bool, graph->n);
    unsigned core = 0;

    for (unsigned i = 0; i < graph->n; i++) {
        for (unsigned word = 0; word < graph->words; word++)
            degrees[i] += count_bits(neighbours_of(graph, i)[word]);
    }
    for (unsigned k = 0; k < graph->n; k++) {
        unsigned least = graph->n;
        for (unsigned i = 0; i < graph->n; i++) {
            if (!is_gone[i] && (least == graph->n || degrees[i] < degrees[least]))
                least = i;
        }
        is_gone[least] = true;
        order[k] = least;
        core = MAX(core, degrees[least]);
        for (unsigned i = 0; i < graph->n; i++)
            degrees[i] -= !is_gone[i] && xtf_graph_set_has(neighbours_of(graph, least), i);
    }
    return core;
}

/* Grows a clique from the vertex that was taken away last, which has the most neighbours among the others left. */
static void find_greedily(const XtfGraph *graph, XtfClique *clique)
{
    g_autofree unsigned *order = g_new(unsigned, graph->n);
    unsigned core = peel_vertices(graph, order);

    for (unsigned start = graph->n; start-- > 0 && graph->n - start <= XTF_CLIQUE_EXACT;) {
        g_autofree uint64_t *members = g_new0(uint64_t, graph->words);
        g_autofree uint64_t *common = g_memdup2(neighbours_of(graph, order[start]), graph->words * sizeof *common);
        unsigned size = 1;
        set_add(members, order[start]);
        for (unsigned k = graph->n; k-- > 0;) {
            if (!xtf_graph_set_has(common, order[k]))
                continue;
            set_add(members, order[k]);
            size++;
            for (unsigned word = 0; word < graph->words; word++)
                common[word] &= neighbours_of(graph, order[k])[word];
        }
        if (size <= clique->size)
            continue;
        clique->size = size;
        memcpy(clique->members, members, graph->words * sizeof *members);
    }
    clique->most = core + 1;
}

void xtf_clique_find(const XtfGraph *graph, XtfClique *clique)
{
    *clique = (XtfClique){.members = g_new0(uint64_t, graph->words)};
    if (graph->n <= XTF_CLIQUE_EXACT)
        find_exactly(graph, clique);
    else
        find_greedily(graph, clique);
}
