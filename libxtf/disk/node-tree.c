#include "libxtf/disk/node-tree.h"

/* Stores a node over `n` branches. Sets *parent to the branch that references the node. */
static bool store_node(unsigned level, const XtfBranch *branches, guint n, XtfStoreNode store, void *data,
                       XtfBranch *parent, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    xtf_node_encode(bytes, level);
    *parent = (XtfBranch){.location = branches->location, .schema = branches->schema};
    for (guint i = 0; i < n; i++) {
        xtf_node_add_branch(bytes, &branches[i]);
        parent->arrays += branches[i].arrays;
        parent->n_rows += branches[i].n_rows;
    }
    return store(data, bytes, &parent->child, error);
}

bool xtf_node_tree_store(GArray *branches, XtfStoreNode store, void *data, XtfCatalog *catalog, GError **error)
{
    unsigned level = 0;

    while (branches->len > 1) {
        guint n_parents = 0;
        level++;
        for (guint i = 0; i < branches->len; i += XTF_NODE_BRANCHES) {
            XtfBranch parent;
            if (!store_node(level, &g_array_index(branches, XtfBranch, i), MIN(branches->len - i, XTF_NODE_BRANCHES),
                            store, data, &parent, error))
                return false;
            g_array_index(branches, XtfBranch, n_parents++) = parent; /* overwrites a branch that is already stored */
        }
        g_array_set_size(branches, n_parents);
    }
    /* Without arrays there is no root. The catalog may still have the root of an earlier commit. */
    const XtfBranch none = {0}, *root = branches->len == 1 ? &g_array_index(branches, XtfBranch, 0) : &none;
    catalog->n_arrays = root->arrays;
    catalog->arrays_height = branches->len == 1 ? level + 1 : 0;
    catalog->arrays_root = root->child;
    return true;
}
