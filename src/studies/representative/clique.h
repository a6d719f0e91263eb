/*
 * The largest clique of a graph: a set of vertices of which each two are joined by an edge.
 *
 * The problem is NP-hard. For up to 64 vertices the search is exact: it branches on vertices, and bounds the rest by a
 * greedy colouring (E. Tomita, T. Seki: An efficient branch-and-bound algorithm for finding a maximum clique, DMTCS
 * 2003). For more vertices the answer is a range. A greedy clique is the lower bound. The upper bound follows from the
 * core numbers. The k-core is the graph without the vertices that have fewer than k neighbours left. A clique of k + 1
 * vertices is in the k-core.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { XTF_CLIQUE_EXACT = 64 }; /* most vertices of an exact search */

/* A set of vertices: bit i of word i / 64. */
typedef struct {
    unsigned n;      /* vertices */
    unsigned words;  /* of a set */
    uint64_t *edges; /* by vertex: the set of its neighbours */
} XtfGraph;

void xtf_graph_init(XtfGraph *graph, unsigned n);
void xtf_graph_finish(XtfGraph *graph); /* all zeros is fine */
void xtf_graph_join(XtfGraph *graph, unsigned a, unsigned b);

static inline bool xtf_graph_set_has(const uint64_t *set, unsigned i)
{
    return set[i / 64] >> i % 64 & 1;
}

typedef struct {
    unsigned size, most; /* size of the largest clique found; no clique is larger than `most` */
    uint64_t *members;   /* set of a clique of that size; the caller frees it */
} XtfClique;

/* Finds the largest clique, or a range for its size. Takes O(n^2) time for more than XTF_CLIQUE_EXACT vertices. */
void xtf_clique_find(const XtfGraph *graph, XtfClique *clique);
