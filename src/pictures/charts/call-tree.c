#include "src/pictures/charts/call-tree.h"

#include <stdlib.h>

enum {
    NODES_MAX = 1 << 20,
};

void xtf_call_tree_init(XtfCallTree *tree)
{
    const XtfCallNode root = {0};

    *tree = (XtfCallTree){.nodes = g_array_new(FALSE, FALSE, sizeof(XtfCallNode))};
    xtf_callpath_numbers_init(&tree->paths);
    g_array_append_val(tree->nodes, root);
}

void xtf_call_tree_finish(XtfCallTree *tree)
{
    g_clear_pointer(&tree->nodes, g_array_unref);
    xtf_callpath_numbers_finish(&tree->paths);
}

uint32_t xtf_call_tree_child(XtfCallTree *tree, uint32_t parent, uint64_t line)
{
    uint32_t path, around = parent ? parent - 1 : XTF_CALLPATH_NONE;

    /* A trace has fewer regions than 32 bits. */
    if (!xtf_callpath_number(&tree->paths, around, (uint32_t)line, NODES_MAX - 1, &path))
        return parent;
    if (path + 1 < tree->nodes->len)
        return path + 1;
    const XtfCallNode child = {.line = line,
                               .parent = parent,
                               .level = xtf_call_node(tree, parent)->level + 1,
                               .next = xtf_call_node(tree, parent)->first_child};
    g_array_append_val(tree->nodes, child);
    xtf_call_node(tree, parent)->first_child = path + 1;
    xtf_call_node(tree, parent)->n_children++;
    return path + 1;
}

/* ---- Order. */

static int compare_nodes(const void *a, const void *b, void *data)
{
    const XtfCallNode *x = xtf_call_node(data, *(const uint32_t *)a), *y = xtf_call_node(data, *(const uint32_t *)b);

    if (x->amount != y->amount)
        return x->amount < y->amount ? 1 : -1;
    return x->line < y->line ? -1 : x->line > y->line;
}

void xtf_call_tree_sort(XtfCallTree *tree)
{
    for (uint32_t i = 0; i < tree->nodes->len; i++) {
        XtfCallNode *node = xtf_call_node(tree, i);
        if (node->n_children < 2)
            continue;
        g_autofree uint32_t *children = g_new(uint32_t, node->n_children);
        uint32_t n = 0;
        for (uint32_t child = node->first_child; child != 0; child = xtf_call_node(tree, child)->next)
            children[n++] = child;
        g_qsort_with_data(children, (gint)n, sizeof *children, compare_nodes, tree);
        node->first_child = children[0];
        for (uint32_t j = 0; j < n; j++)
            xtf_call_node(tree, children[j])->next = j + 1 < n ? children[j + 1] : 0;
    }
}
