/*
 * The levels of the P index above the lowest: nodes of branches, up to the root.
 */
#pragma once

#include "libxtf/disk/node.h"

/* Stores a node as an item. Sets *ref, all zeros before, to the item. */
typedef bool (*XtfStoreNode)(void *data, const GByteArray *node, XtfRef *ref, GError **error);

/* Stores the levels above the lowest nodes, and sets the root in the catalog; no root if there are no branches.
 * `branches` are the branches of the lowest nodes, in order; the function overwrites them. */
bool xtf_node_tree_store(GArray *branches, XtfStoreNode store, void *data, XtfCatalog *catalog, GError **error);
