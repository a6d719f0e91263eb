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
    uint64_t line;                          /* line of XtfRegions; none for the root */
    uint32_t parent;                        /* index; the root's is 0, itself */
    uint32_t level;                         /* 0 for the root */
    uint64_t amount;                        /* ticks, or instants, including the calls inside */
    uint64_t calls;                         /* 0 unless calls were walked */
    uint32_t first_child, next, n_children; /* indices; 0: none */
} XtfCallNode;

typedef struct {
    XtfCallpathNumbers paths; /* number i is node i + 1, as the root has none; private */
    GArray *nodes;            /* XtfCallNode; the first is the root, with the lifetimes of all locations together */
    XtfCallTreeSource source;
    bool is_analysed;                 /* an analysis has the call paths of the whole run */
    uint64_t n_locations, n_instants; /* number of locations; if sampled, of instants of each one */
} XtfCallTree;

void xtf_call_tree_init(XtfCallTree *tree);   /* makes a tree of the root only */
void xtf_call_tree_finish(XtfCallTree *tree); /* all zeros is valid */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCallTree, xtf_call_tree_finish)

static inline XtfCallNode *xtf_call_node(const XtfCallTree *tree, uint32_t i)
{
    return &g_array_index(tree->nodes, XtfCallNode, i);
}

/* Returns the child of a node for a region, and adds it if it is new. Returns the node itself if there are too many
 * paths. */
uint32_t xtf_call_tree_child(XtfCallTree *tree, uint32_t parent, uint64_t line);

/* Sorts the children of each node: most first, then by line. */
void xtf_call_tree_sort(XtfCallTree *tree);
