/*
 * Call trees: how long each path of calls was on the stack, in a selection's window, over all of its locations.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/analysis/formulas/callpath-numbers.h"

typedef enum {
    XTF_CALL_TREE_WALKED,
    XTF_CALL_TREE_STORED, /* by the analysis */
    XTF_CALL_TREE_SAMPLED,
} XtfCallTreeSource;

typedef struct {
    uint64_t line;                          /* of XtfRegions; of the root none */
    uint32_t parent;                        /* an index; of the root itself */
    uint32_t level;                         /* of the root 0 */
    uint64_t amount;                        /* ticks, or instants: with what was called in it */
    uint64_t calls;                         /* 0 if they were not walked */
    uint32_t first_child, next, n_children; /* indices; 0: none */
} XtfCallNode;

typedef struct {
    XtfCallpathNumbers paths; /* of nodes but the root: their indices less 1; private */
    GArray *nodes;            /* of XtfCallNode; the first is the root: the lifetimes of all locations together */
    XtfCallTreeSource source;
    bool is_analysed;                 /* the call paths of the whole run are known */
    uint64_t n_locations, n_instants; /* sampled: instants of each location */
} XtfCallTree;

void xtf_call_tree_init(XtfCallTree *tree);   /* the root alone */
void xtf_call_tree_finish(XtfCallTree *tree); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCallTree, xtf_call_tree_finish)

static inline XtfCallNode *xtf_call_node(const XtfCallTree *tree, uint32_t i)
{
    return &g_array_index(tree->nodes, XtfCallNode, i);
}

/* The child of a node with a region; it is added if it is not there. Of too many paths the node itself. */
uint32_t xtf_call_tree_child(XtfCallTree *tree, uint32_t parent, uint64_t line);

/* Orders the children of each node: most first, then by line. */
void xtf_call_tree_sort(XtfCallTree *tree);
