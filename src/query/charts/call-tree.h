/*
 * Call trees: how long each path of calls was on the stack, in a selection's window, over all of its locations.
 *
 * Few calls are walked one by one, and times are exact. Of more, the stack is looked at at many instants, spread evenly
 * over the window of each location and moved a little each, so that no period of the program hides: then an amount is a
 * number of instants.
 */
#pragma once

#include "src/query/timeline/picture-calls.h"
#include "src/query/views/registry.h"

typedef struct {
    uint64_t line;                          /* of XtfRegions; of the root none */
    uint32_t parent;                        /* an index; of the root itself */
    uint32_t level;                         /* of the root 0 */
    uint64_t amount;                        /* ticks, or instants: with what was called in it */
    uint64_t calls;                         /* 0 if it was sampled */
    uint32_t first_child, next, n_children; /* indices; 0: none */
} XtfCallNode;

typedef struct {
    GHashTable *children; /* by parent and line; private */
    GArray *nodes;        /* of XtfCallNode; the first is the root: the lifetimes of all locations together */
    bool sampled;
    uint64_t n_locations, n_instants; /* sampled: instants of each location */
} XtfCallTree;

bool xtf_call_tree_init(XtfCallTree *tree, XtfViews *views, XtfSelection *selection, GError **error);
void xtf_call_tree_finish(XtfCallTree *tree); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCallTree, xtf_call_tree_finish)

static inline XtfCallNode *xtf_call_node(const XtfCallTree *tree, uint32_t i)
{
    return &g_array_index(tree->nodes, XtfCallNode, i);
}

/* Orders the children of each node: most first, then by line. */
void xtf_call_tree_sort(XtfCallTree *tree);
