#include "src/pictures/charts/call-tree.h"

#include <stdlib.h>

enum {
    NODES_MAX = 1 << 20,
};

/* Of a key: GLib's own takes the region alone. */
static guint hash_key(gconstpointer key)
{
    uint64_t hash = *(const uint64_t *)key * UINT64_C(0x9e3779b97f4a7c15);
    return (guint)(hash >> 32);
}

void xtf_call_tree_init(XtfCallTree *tree)
{
    const XtfCallNode root = {0};

    *tree = (XtfCallTree){.nodes = g_array_new(FALSE, FALSE, sizeof(XtfCallNode)),
                          .children = g_hash_table_new_full(hash_key, g_int64_equal, g_free, NULL)};
    g_array_append_val(tree->nodes, root);
}

void xtf_call_tree_finish(XtfCallTree *tree)
{
    g_clear_pointer(&tree->nodes, g_array_unref);
    g_clear_pointer(&tree->children, g_hash_table_unref);
}

uint32_t xtf_call_tree_child(XtfCallTree *tree, uint32_t parent, uint64_t line)
{
    gint64 key = (gint64)((uint64_t)parent << 32 | (uint32_t)line); /* a trace has fewer regions */
    gpointer known = g_hash_table_lookup(tree->children, &key);

    if (known)
        return GPOINTER_TO_UINT(known);
    if (tree->nodes->len == NODES_MAX)
        return parent;
    const XtfCallNode child = {.line = line,
                               .parent = parent,
                               .level = xtf_call_node(tree, parent)->level + 1,
                               .next = xtf_call_node(tree, parent)->first_child};
    uint32_t i = tree->nodes->len;
    g_array_append_val(tree->nodes, child);
    xtf_call_node(tree, parent)->first_child = i;
    xtf_call_node(tree, parent)->n_children++;
    g_hash_table_insert(tree->children, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(i));
    return i;
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
