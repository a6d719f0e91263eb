/*
 * The levels of the P index above the lowest: branches over nodes, until one node is left, the root.
 */
#pragma once

#include "libxtf/disk/node.h"

/* Stores a node as an item; *ref, all zeros before, says where. */
typedef bool (*XtfStoreNode)(void *data, const GByteArray *node, XtfRef *ref, GError **error);

/* Stores the levels above the lowest nodes, whose branches these are, in order; they are used up. The catalog then
 * names the root; none if there are no branches. */
bool xtf_node_tree_store(GArray *branches, XtfStoreNode store, void *data, XtfCatalog *catalog, GError **error);
